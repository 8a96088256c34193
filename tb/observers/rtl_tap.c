/* From beats and lanes to elements of a launch; see rtl_tap.h. */
#include "tb/observers/rtl_tap.h"

#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "nvdla/xalloc.h"

static const struct stream_layout layouts[STREAM_CONFIGS][STREAM_COUNT] = STREAM_LAYOUTS;

/* The rows of tb/streams.csv. */
static const struct stream_facts {
    enum nvdla_unit unit;
    enum tap tap;
    enum tap_format format;
    const struct stream_order *order;
} facts[STREAM_COUNT] = {
#define STREAM(name, unit, tap, format, order)                                                                         \
    [STREAM_##name] = {NVDLA_##unit, TAP_##tap, TAP_##format, &order_##order},
    FOR_STREAMS(STREAM)
#undef STREAM
};

const struct stream_order order_none = {.begin = NULL};

/* A stream inside the design. */
struct internal {
    int group;      /* whose turn it is: the unit runs its groups in turn, however they were armed */
    int next_of[2]; /* lowest ordinal that the next launch of a group may have */
    bool open;      /* in the middle of a launch */
    bool recorded;  /* this launch is */
    int ordinal;    /* of the launch */
    struct tap_out out;
    struct stream_state state;
};

/* The stream of one client in one direction on one port. */
struct client {
    bool open;
    int ordinal;   /* launch of the last beat; -1: there was none */
    bool recorded; /* that launch is */
    struct tap_out out;
};

struct rtl_tap {
    const struct nvdla_config *config;
    const struct tap_listeners *listeners;
    struct stream_source source;
    struct layer_tracker *tracker;
    bool recording;
    struct internal internal[STREAM_COUNT];
    struct client clients[2][AXI_PORTS][AXI_IDS];
    int64_t values[STREAM_WORDS * 32]; /* elements of one beat, in their format */
};

const struct stream_layout *rtl_stream_layout(const struct nvdla_config *config, enum rtl_stream stream) {
    return &layouts[config - nvdla_configs][stream];
}

/* ---- streams inside the design ---- */

/* The oldest launch of the group whose turn it is that has not been run; NULL if there is none. */
static const struct launch *find_launch(const struct rtl_tap *tap, const struct internal *stream,
                                        enum nvdla_unit unit) {
    int ordinal = stream->next_of[stream->group];
    const struct launch *launch = layer_tracker_find(tap->tracker, unit, ordinal);
    while (launch && launch->group != stream->group)
        launch = layer_tracker_find(tap->tracker, unit, ++ordinal);
    return launch;
}

/* The launch that the next beat belongs to. False if it has not been armed: that cannot be. */
static bool begin_launch(struct rtl_tap *tap, enum rtl_stream index) {
    struct internal *stream = &tap->internal[index];
    const struct stream_facts *fact = &facts[index];
    struct stream_launch at = {
        .config = tap->config, .tracker = tap->tracker, .lanes = (size_t)rtl_stream_layout(tap->config, index)->lanes};
    for (;;) {
        at.launch = find_launch(tap, stream, fact->unit);
        if (!at.launch)
            return false;
        stream->next_of[stream->group] = at.launch->ordinal + 1;
        if (fact->order->begin(&stream->state, &at))
            break;
        stream->group = !stream->group;
    }
    stream->ordinal = at.launch->ordinal;
    stream->open = true;
    stream->recorded = tap->recording;
    if (!stream->recorded)
        return true;
    const struct tap_stream identity = {.unit = fact->unit,
                                        .ordinal = at.launch->ordinal,
                                        .tap = fact->tap,
                                        .format = fact->format,
                                        .width = rtl_stream_layout(tap->config, index)->width};
    stream->out = tap_open(tap->listeners, &identity);
    return true;
}

/* `count` lanes of `bits` bits from lane `first` on as elements of a format, signed. Returns the elements. */
static const void *take_lanes(int64_t *values, const uint32_t *words, size_t first, size_t count, int bits,
                              enum tap_format format) {
    const size_t bytes = tap_element_bytes(format);
    if ((size_t)bits == 8 * bytes)
        return (const char *)words + first * bytes;
    for (size_t i = 0; i < count; i++) {
        const size_t at = (first + i) * (size_t)bits, word = at / 32, shift = at % 32;
        uint64_t low = words[word] >> shift;
        if (shift + (size_t)bits > 32)
            low |= (uint64_t)words[word + 1] << (32 - shift);
        if (shift + (size_t)bits > 64)
            low |= (uint64_t)words[word + 2] << (64 - shift);
        const int64_t value = (int64_t)(low << (64 - bits)) >> (64 - bits);
        memcpy((char *)values + i * bytes, &value, bytes);
    }
    return values;
}

/* Hands the elements of a beat to the listeners. */
static void send_beat(struct rtl_tap *tap, enum rtl_stream index, const struct stream_beat *beat) {
    const struct stream_layout *layout = beat->layout;
    struct tap_place place = beat->place;
    for (size_t line = 0; line == 0 || line < beat->lines; line++) {
        const size_t first = beat->first + line * beat->line_step;
        if (beat->count == 0 || first + beat->count > (size_t)layout->lanes)
            return; /* the registers ask for more than the design has */
        const void *elements =
            take_lanes(tap->values, beat->words, first, beat->count, layout->bits, facts[index].format);
        const size_t rows = beat->along_x ? beat->count : 1, lanes = beat->along_x ? 1 : beat->count;
        tap_send(&tap->internal[index].out, place, elements, rows, lanes, lanes);
        place.y += beat->along_x;
    }
}

static void take_beat(struct rtl_tap *tap, enum rtl_stream index, uint64_t cycle, bool ends) {
    struct internal *stream = &tap->internal[index];
    const struct stream_facts *fact = &facts[index];
    if (!fact->order->begin)
        return;
    if (!stream->open && !begin_launch(tap, index))
        return;
    const struct stream_layout *layout = rtl_stream_layout(tap->config, index);
    struct stream_beat beat = {.layout = layout, .ends = ends, .last = ends};
    if (stream->recorded && stream->out.count > 0)
        beat.words = tap->source.read(tap->source.context, index, layout->words);
    fact->order->next(&stream->state, &beat);
    beat.place.cycle = cycle;
    if (beat.words)
        send_beat(tap, index, &beat);
    if (beat.last) {
        stream->open = false;
        stream->group = !stream->group;
    }
}

static void take_moves(void *context, uint64_t cycle, const uint32_t *words) {
    struct rtl_tap *tap = context;
    for (int i = 0; i < MOVE_WORDS; i++)
        for (uint32_t moves = words[i]; moves; moves &= moves - 1) {
            const int bit = __builtin_ctz(moves);
            take_beat(tap, (enum rtl_stream)(32 * i + bit), cycle, words[MOVE_WORDS + i] >> bit & 1);
        }
}

static void write_tap(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct rtl_tap *tap = context;
    layer_tracker_write(tap->tracker, address, value, (size_t)cycle);
}

int rtl_tap_launch(const struct rtl_tap *tap, enum nvdla_unit unit, enum tap name) {
    for (int i = 0; i < STREAM_COUNT; i++) {
        const struct internal *stream = &tap->internal[i];
        if (facts[i].unit != unit || facts[i].tap != name || !tap->source.has[i])
            continue;
        const struct launch *next = stream->open ? NULL : find_launch(tap, stream, unit);
        return stream->open ? stream->ordinal : next ? next->ordinal : -1;
    }
    return -1;
}

/* ---- memory ---- */

static void take_atoms(void *context, const struct axi_beat *beat) {
    struct rtl_tap *tap = context;
    struct client *client = &tap->clients[beat->write][beat->port][beat->id % AXI_IDS];
    if (beat->owner.unit < 0)
        return; /* an ID without client is a finding */
    const int atom = tap->config->mem_atom;
    if (client->ordinal != beat->owner.ordinal) {
        client->ordinal = beat->owner.ordinal;
        client->recorded = tap->recording;
        client->open = false;
    }
    if (!client->recorded)
        return;
    if (!client->open) {
        const struct tap_stream identity = {.unit = (enum nvdla_unit)beat->owner.unit,
                                            .ordinal = beat->owner.ordinal,
                                            .tap = beat->write ? TAP_AXI_WRITE : TAP_AXI_READ,
                                            .client = beat->id,
                                            .format = TAP_INT8};
        client->out = tap_open(tap->listeners, &identity);
        client->open = true;
    }
    for (int at = 0; at < beat->bytes; at += atom) {
        const struct tap_place place = {.channel = -1,
                                        .y = -1,
                                        .x = -1,
                                        .batch = -1,
                                        .address = beat->address + (uint64_t)at,
                                        .cycle = beat->cycle};
        if (beat->strobe >> at & 1)
            tap_send(&client->out, place, beat->data + at, 1, (size_t)atom, (size_t)atom);
    }
}

/* ---- life ---- */

void rtl_tap_record(struct rtl_tap *tap, bool on) {
    tap->recording = on;
    for (int i = 0; i < STREAM_COUNT && !on; i++)
        tap->internal[i].recorded = false;
    for (int i = 0; i < 2 * AXI_PORTS * AXI_IDS && !on; i++)
        (&tap->clients[0][0][0])[i].recorded = false;
}

static void reset_tap(void *context) {
    struct rtl_tap *tap = context;
    layer_tracker_free(tap->tracker);
    tap->tracker = layer_tracker_new(tap->config);
    memset(tap->internal, 0, sizeof tap->internal);
    memset(tap->clients, 0, sizeof tap->clients);
    for (int i = 0; i < 2 * AXI_PORTS * AXI_IDS; i++)
        (&tap->clients[0][0][0])[i].ordinal = -1;
    tap_reset(tap->listeners);
}

static void release_tap(void *context) {
    struct rtl_tap *tap = context;
    layer_tracker_free(tap->tracker);
    free(tap);
}

struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct tap_listeners *listeners,
                            const struct stream_source *source) {
    struct rtl_tap *tap = xcalloc(1, sizeof *tap);
    tap->config = config;
    tap->listeners = listeners;
    tap->source = *source;
    tap->tracker = layer_tracker_new(config);
    return tap;
}

struct observer rtl_tap_observer(struct rtl_tap *tap) {
    return (struct observer){.context = tap,
                             .reset = reset_tap,
                             .moved = tap->source.read ? take_moves : NULL,
                             .write = write_tap,
                             .release = release_tap};
}

struct axi_listener rtl_tap_axi(struct rtl_tap *tap) {
    return (struct axi_listener){.context = tap, .beat = take_atoms};
}
