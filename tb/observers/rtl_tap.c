/* From beats and lanes to elements of a launch; see rtl_tap.h. */
#include "tb/observers/rtl_tap.h"

#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "nvdla/fp.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "tb/observers/mif_board.h"
#include "tb/provenance.h"

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

/* The streams of memory clients, which have no order: their client, and whether they are requests or atoms. */
static const struct client_facts {
    enum nvdla_client client;
    bool asks, known;
} client_facts[STREAM_COUNT] = {
#define CLIENT(name) [STREAM_##name##_ASK] = {NVDLA_##name, true, true}, [STREAM_##name] = {NVDLA_##name, false, true},
    FOR_CLIENTS(CLIENT)
#undef CLIENT
};

/* Lanes that wait for others; count 0: none. */
struct held {
    struct tap_place place;
    size_t count;
    uint64_t cycle;
    uint32_t words[SLOT_WORDS];
};

/* A stream inside the design. */
struct internal {
    int group; /* group whose turn it is: the unit runs its groups alternately, in whatever order they were armed */
    int next_of[2]; /* lowest ordinal that the next launch of a group may have */
    bool open;      /* inside a launch */
    bool recorded;  /* this launch is recorded */
    int ordinal;    /* of the launch */
    struct stream_form form;
    struct tap_out out;
    struct stream_state state;
    struct held *held; /* form.slots; NULL: none of this launch has waited */
    bool *waits;       /* as many, for the order */
};

/* The stream of one client. */
struct client_tap {
    bool open;
    int ordinal;   /* launch of the last beat; -1: not known, or none */
    bool recorded; /* that launch is recorded */
    struct tap_out out;
};

/* Which of a client's streams: on an AXI port, or at the engine's side of the memory interface. */
enum { STREAM_PORT_0, STREAM_PORT_1, STREAM_ENGINE, CLIENT_STREAMS };

_Static_assert((int)AXI_PORTS == (int)STREAM_ENGINE, "a stream of each client for each port");

/* A written atom at the port: the engine's side of the same clock is seen later. */
struct late_atom {
    enum nvdla_client client;
    int port, ordinal;
    uint64_t cycle, address;
    uint8_t bytes[TAP_ATOM];
};

enum { LATE_ATOMS = AXI_PORTS * AXI_BYTES / 8 };

struct rtl_tap {
    const struct nvdla_config *config;
    const struct tap_listeners *listeners;
    struct stream_source source;
    struct stream_layout layouts[STREAM_COUNT];
    struct layer_tracker *tracker;
    bool recording;
    struct internal internal[STREAM_COUNT];
    struct client_tap clients[NVDLA_CLIENT_COUNT][CLIENT_STREAMS];
    struct mif_board *board; /* NULL: the engines' side of the memory interface is not visible */
    struct provenance *prov; /* counts requests of engines; NULL: beats of the ports are single atoms and identify it */
    const struct axi_listener *requests;                    /* hears atoms that read clients request; NULL: none does */
    uint8_t parts[NVDLA_CLIENT_COUNT][AXI_PORTS][TAP_ATOM]; /* of an atom that several beats bring */
    struct late_atom late[LATE_ATOMS];
    int late_count;
    int64_t values[STREAM_WORDS * 32]; /* elements of one beat, in their format */
};

/* sizes: words of the fields, 0 for those that the stream has not. */
static struct stream_layout layout_of(int lanes, int width, int bits, const int sizes[4]) {
    struct stream_layout layout = {.lanes = lanes, .words = (lanes * bits + 31) / 32, .width = width, .bits = bits};
    int *const places[] = {&layout.address, &layout.select, &layout.index, &layout.flags};
    for (int i = 0; i < 4; i++) {
        *places[i] = sizes[i] ? layout.words : -1;
        layout.words += sizes[i];
    }
    return layout;
}

struct stream_layout rtl_stream_layout(const struct nvdla_config *config, enum rtl_stream stream) {
    switch (stream) {
#define LAYOUT(name, lanes, width, bits, ...)                                                                          \
    case STREAM_##name:                                                                                                \
        return layout_of(lanes, width, bits, (const int[]){__VA_ARGS__});
        FOR_LAYOUTS(LAYOUT)
#undef LAYOUT
    case STREAM_COUNT:
        break;
    }
    return (struct stream_layout){0};
}

/* ---- streams inside the design ---- */

/* The oldest launch, of the group whose turn it is, that has not run; NULL if there is none. */
static const struct launch *find_launch(const struct rtl_tap *tap, const struct internal *stream,
                                        enum nvdla_unit unit) {
    int ordinal = stream->next_of[stream->group];
    const struct launch *launch = layer_tracker_find(tap->tracker, unit, ordinal);
    while (launch && launch->group != stream->group)
        launch = layer_tracker_find(tap->tracker, unit, ++ordinal);
    return launch;
}

/* The launch that the next beat belongs to. False if it is not armed, which is impossible in a correct design. */
static bool begin_launch(struct rtl_tap *tap, enum rtl_stream index) {
    struct internal *stream = &tap->internal[index];
    const struct stream_facts *fact = &facts[index];
    const struct stream_layout *layout = &tap->layouts[index];
    const struct stream_form usual = {
        .format = fact->format, .width = layout->width, .bits = layout->bits, .lanes = (size_t)layout->lanes};
    struct stream_launch at = {.config = tap->config,
                               .tracker = tap->tracker,
                               .kind = fact->order->kind,
                               .lanes = usual.lanes,
                               .specified = tap->source.specified_stripes,
                               .form = &stream->form};
    for (;;) {
        stream->form = usual;
        at.launch = find_launch(tap, stream, fact->unit);
        if (!at.launch)
            return false;
        stream->next_of[stream->group] = at.launch->ordinal + 1;
        at.view = launch_view(tap->config, at.launch);
        if (fact->order->begin(&stream->state, &at))
            break;
        stream->group = !stream->group;
    }
    free(stream->held);
    free(stream->waits);
    stream->held = NULL;
    stream->waits = stream->form.slots ? xcalloc(stream->form.slots, sizeof *stream->waits) : NULL;
    stream->ordinal = at.launch->ordinal;
    stream->open = true;
    stream->recorded = tap->recording && !stream->form.unheard;
    if (!stream->recorded)
        return true;
    const struct tap_stream identity = {.unit = fact->unit,
                                        .ordinal = at.launch->ordinal,
                                        .tap = fact->tap,
                                        .format = stream->form.format,
                                        .width = stream->form.width};
    stream->out = tap_open(tap->listeners, &identity);
    return true;
}

/* Lanes of `bits` bits as signed elements of `bytes` bytes: a constant where it matters. */
static inline void widen_lanes(int64_t *values, const uint32_t *words, size_t first, size_t count, int bits,
                               size_t bytes) {
    for (size_t i = 0; i < count; i++) {
        const size_t at = (first + i) * (size_t)bits, word = at / 32, shift = at % 32;
        uint64_t low = words[word] >> shift;
        if (shift + (size_t)bits > 32)
            low |= (uint64_t)words[word + 1] << (32 - shift);
        if (bytes > sizeof words[0] && shift + (size_t)bits > 64)
            low |= (uint64_t)words[word + 2] << (64 - shift);
        const int64_t value = (int64_t)(low << (64 - bits)) >> (64 - bits);
        memcpy((char *)values + i * bytes, &value, bytes);
    }
}

/* Converts `count` lanes of `bits` bits from lane `first` on to signed elements of a format. Returns the elements. */
static const void *take_lanes(int64_t *values, const uint32_t *words, size_t first, size_t count, int bits,
                              enum tap_format format) {
    const size_t bytes = tap_element_bytes(format);
    if ((size_t)bits == 8 * bytes)
        return (const char *)words + first * bytes;
    if (bytes == sizeof(int32_t))
        widen_lanes(values, words, first, count, bits, sizeof(int32_t));
    else if (bytes == sizeof(int64_t))
        widen_lanes(values, words, first, count, bits, sizeof(int64_t));
    else
        widen_lanes(values, words, first, count, bits, bytes);
    return values;
}

/* Converts FP17 to FP32, in elements of four bytes. */
static void widen_fp17(int64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *const element = (char *)values + i * sizeof(uint32_t);
        uint32_t value;
        memcpy(&value, element, sizeof value);
        value = fp17_to_fp32(value & 0x1ffff);
        memcpy(element, &value, sizeof value);
    }
}

/* Passes adjacent lanes to the listeners, with the clock of their beat. */
static void send_part(struct rtl_tap *tap, enum rtl_stream index, const uint32_t *words, bool along_x,
                      struct stream_part *part, uint64_t cycle) {
    const struct stream_form *form = &tap->internal[index].form;
    if (part->count == 0 || part->first + part->count > form->lanes)
        return; /* the registers demand more than the design has */
    const void *elements = take_lanes(tap->values, words, part->first, part->count, form->bits, form->format);
    if (form->fp17)
        widen_fp17(tap->values, part->count);
    const size_t rows = along_x ? part->count : 1, lanes = along_x ? 1 : part->count;
    part->place.cycle = cycle;
    tap_send_at(&tap->internal[index].out, &part->place, elements, rows, lanes, lanes);
}

/* Keeps lanes in their slot. */
static void hold_part(struct internal *stream, const struct stream_beat *beat, const struct stream_part *part,
                      uint64_t cycle) {
    const size_t word = part->first * (size_t)stream->form.bits / 32, all = (size_t)beat->layout->words;
    if (part->slot > stream->form.slots || word >= all)
        return;
    if (!stream->held)
        stream->held = xcalloc(stream->form.slots, sizeof *stream->held);
    struct held *own = &stream->held[part->slot - 1];
    *own = (struct held){.place = part->place, .count = part->count, .cycle = cycle};
    memcpy(own->words, beat->words + word, lesser(all - word, SLOT_WORDS) * sizeof own->words[0]);
}

/* Passes on what the beat completes. */
static void release_parts(struct rtl_tap *tap, enum rtl_stream index, const struct stream_beat *beat) {
    struct internal *stream = &tap->internal[index];
    for (size_t i = 0; stream->held && i < beat->release; i++) {
        struct held *held = &stream->held[(beat->slot + i) % stream->form.slots];
        struct stream_part part = {.count = held->count, .place = held->place};
        send_part(tap, index, held->words, beat->along_x, &part, held->cycle);
        held->count = 0;
    }
}

static void send_beat(struct rtl_tap *tap, enum rtl_stream index, struct stream_beat *beat, uint64_t cycle) {
    if (beat->parts == 0) {
        struct stream_part whole = {beat->first, beat->count, beat->place, 0};
        send_part(tap, index, beat->words, beat->along_x, &whole, cycle);
    }
    for (size_t i = 0; i < beat->parts; i++)
        if (beat->part[i].slot)
            hold_part(&tap->internal[index], beat, &beat->part[i], cycle);
        else
            send_part(tap, index, beat->words, beat->along_x, &beat->part[i], cycle);
    release_parts(tap, index, beat);
}

static void take_beat(struct rtl_tap *tap, enum rtl_stream index, uint64_t cycle, bool ends) {
    struct internal *stream = &tap->internal[index];
    const struct stream_facts *fact = &facts[index];
    if (!stream->open && !begin_launch(tap, index))
        return;
    const struct stream_layout *layout = &tap->layouts[index];
    struct stream_beat beat; /* its parts are filled in when they count */
    beat.words = NULL;
    beat.layout = layout;
    beat.ends = beat.last = ends;
    beat.place = (struct tap_place){0};
    beat.first = beat.count = beat.slot = beat.release = beat.parts = 0;
    beat.along_x = false;
    beat.waits = stream->waits;
    const bool heard = stream->recorded && stream->out.count > 0;
    if (heard || stream->form.read)
        beat.words = tap->source.read(tap->source.context, index, layout->words);
    fact->order->next(&stream->state, &beat);
    if (heard)
        send_beat(tap, index, &beat, cycle);
    if (beat.last) {
        stream->open = false;
        stream->group = !stream->group;
    }
}

static void write_tap(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct rtl_tap *tap = context;
    layer_tracker_write(tap->tracker, address, value, (size_t)cycle);
    if (tap->prov)
        provenance_register_write(tap->prov, address, value, cycle);
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

/* Passes an atom of a client to the listeners, starting with the first launch that begins while the tap records. */
static void send_atom(struct rtl_tap *tap, enum nvdla_client index, int which, const struct mif_atom *atom) {
    const struct nvdla_client_facts *fact = &nvdla_clients[index];
    struct client_tap *client = &tap->clients[index][which];
    if (client->ordinal != atom->ordinal) {
        client->ordinal = atom->ordinal;
        client->recorded = tap->recording;
        client->open = false;
    } else if (atom->ordinal < 0 && !client->open) { /* launches that cannot be told apart: from any atom on */
        client->recorded = tap->recording;
    }
    if (!client->recorded)
        return;
    if (!client->open) {
        const enum tap name = which == STREAM_ENGINE ? fact->write ? TAP_MIF_WRITE : TAP_MIF_READ
                              : fact->write          ? TAP_AXI_WRITE
                                                     : TAP_AXI_READ;
        const struct tap_stream identity = {
            .unit = fact->unit, .ordinal = atom->ordinal, .tap = name, .client = fact->id, .format = TAP_INT8};
        client->out = tap_open(tap->listeners, &identity);
        client->open = true;
    }
    const struct tap_place place = {
        .channel = -1, .y = -1, .x = -1, .batch = -1, .address = atom->address, .cycle = atom->cycle};
    const size_t size = (size_t)tap->config->mem_atom;
    tap_send(&client->out, place, atom->bytes, 1, size, size);
}

/* Shows the written atoms of earlier clocks, or of all, to the scoreboard. */
static void show_late(struct rtl_tap *tap, uint64_t before) {
    if (tap->late_count == 0 || tap->late[0].cycle >= before)
        return;
    for (int i = 0; i < tap->late_count; i++) {
        const struct late_atom *late = &tap->late[i];
        struct mif_atom atom;
        if (mif_board_axi(tap->board, late->client, late->port, late->cycle, late->ordinal, late->address, late->bytes,
                          &atom))
            send_atom(tap, late->client, STREAM_ENGINE, &atom);
    }
    tap->late_count = 0;
}

/* Shows the port's side of an atom to the scoreboard. */
static void show_port(struct rtl_tap *tap, enum nvdla_client client, int port, const struct mif_atom *at) {
    struct mif_atom known;
    show_late(tap, at->cycle);
    if (!nvdla_clients[client].write) {
        mif_board_axi(tap->board, client, port, at->cycle, at->ordinal, at->address, at->bytes, &known);
        return;
    }
    if (tap->late_count == LATE_ATOMS)
        show_late(tap, UINT64_MAX);
    struct late_atom *late = &tap->late[tap->late_count++];
    *late = (struct late_atom){client, port, at->ordinal, at->cycle, at->address, {0}};
    memcpy(late->bytes, at->bytes, (size_t)tap->config->mem_atom);
}

static void take_atoms(void *context, const struct axi_beat *beat) {
    struct rtl_tap *tap = context;
    const enum nvdla_client client = nvdla_client_find(beat->id, beat->write);
    const int size = tap->config->mem_atom;
    if (beat->owner.unit < 0 || client == NVDLA_CLIENT_COUNT)
        return;          /* an ID without client is a finding */
    bool behind = false; /* after another atom of the beat that counts */
    const uint64_t before = beat->bytes < size ? beat->address % (uint64_t)size : 0; /* bytes of the atom */
    uint8_t *parts = tap->parts[client][beat->port];
    if (beat->bytes < size)
        memcpy(parts + before, beat->data, (size_t)beat->bytes);
    if (before + (uint64_t)beat->bytes < (uint64_t)size)
        return;
    for (int at = 0; at < beat->bytes; at += size) {
        struct mif_atom atom = {.address = beat->address - before + (uint64_t)at,
                                .cycle = beat->cycle,
                                .ordinal = beat->owner.ordinal,
                                .bytes = beat->bytes < size ? parts : beat->data + at};
        if (!(beat->strobe >> at & 1) ||
            (tap->board && !beat->write && !mif_board_wants(tap->board, client, atom.address, behind, &atom.ordinal)))
            continue;
        behind = true;
        send_atom(tap, client, beat->port, &atom);
        if (tap->board)
            show_port(tap, client, beat->port, &atom);
    }
}

/* Passes the atoms of a request, beginning with that one, to the listener. */
static void tell_request(const struct rtl_tap *tap, struct axi_beat atom, int atoms) {
    for (atom.address &= ~((uint64_t)atom.bytes - 1); atoms > 0; atoms--, atom.address += (uint64_t)atom.bytes)
        tap->requests->beat(tap->requests->context, &atom);
}

/* A request of a client, or an atom at its side of the memory interface. */
static void take_client(struct rtl_tap *tap, enum rtl_stream index, uint64_t cycle) {
    const struct client_facts *fact = &client_facts[index];
    const struct stream_layout *layout = &tap->layouts[index];
    struct mif_atom atom;
    if (fact->asks) {
        const uint32_t *words = tap->source.read(tap->source.context, index, layout->words);
        const uint64_t address = (uint64_t)words[layout->address + 1] << 32 | words[layout->address];
        const int port = words[layout->select] ? 0 : 1, atoms = (int)words[0] + 1;
        const size_t size = (size_t)tap->config->mem_atom;
        const struct nvdla_client_facts *client = &nvdla_clients[fact->client];
        const int ordinal =
            tap->prov ? provenance_move(tap->prov, port, client->id, client->write, (size_t)atoms * size).ordinal : -1;
        mif_board_ask(tap->board, fact->client, port, address, atoms, ordinal);
        if (tap->requests && !client->write)
            tell_request(tap,
                         (struct axi_beat){.port = port,
                                           .id = client->id,
                                           .owner = {(int16_t)client->unit, ordinal},
                                           .cycle = cycle,
                                           .address = address,
                                           .bytes = tap->config->mem_atom},
                         atoms);
        return;
    }
    const bool several = layout->lanes > tap->config->mem_atom;
    const uint32_t *words =
        tap->recording || several ? tap->source.read(tap->source.context, index, layout->words) : NULL;
    const int atoms = several ? (int)words[layout->flags] : 1;
    for (int i = 0; i < atoms && i < layout->lanes / tap->config->mem_atom; i++) {
        const uint8_t *bytes = tap->recording ? (const uint8_t *)words + i * tap->config->mem_atom : NULL;
        if (i > 0 && mif_board_begins(tap->board, fact->client, false))
            break; /* the last atom of an odd number is alone */
        if (mif_board_atom(tap->board, fact->client, cycle, bytes, &atom))
            send_atom(tap, fact->client, STREAM_ENGINE, &atom);
    }
}

static void take_moves(void *context, uint64_t cycle, const uint32_t *words) {
    struct rtl_tap *tap = context;
    show_late(tap, cycle);
    for (int i = 0; i < MOVE_WORDS; i++)
        for (uint32_t moves = words[i]; moves; moves &= moves - 1) {
            const int bit = __builtin_ctz(moves);
            const enum rtl_stream index = (enum rtl_stream)(32 * i + bit);
            if (facts[index].order)
                take_beat(tap, index, cycle, words[MOVE_WORDS + i] >> bit & 1);
            else if (tap->board && client_facts[index].known)
                take_client(tap, index, cycle);
        }
    show_late(tap, UINT64_MAX);
}

/* ---- life ---- */

void rtl_tap_requests(struct rtl_tap *tap, const struct axi_listener *listener) {
    tap->requests = tap->prov ? listener : NULL;
}

void rtl_tap_record(struct rtl_tap *tap, bool on) {
    tap->recording = on;
    for (int i = 0; i < STREAM_COUNT && !on; i++)
        tap->internal[i].recorded = false;
    for (int i = 0; i < NVDLA_CLIENT_COUNT && !on; i++)
        for (int k = 0; k < CLIENT_STREAMS; k++)
            tap->clients[i][k].recorded = false;
    if (tap->board)
        mif_board_compare(tap->board, on);
}

static void free_held(struct rtl_tap *tap) {
    for (int i = 0; i < STREAM_COUNT; i++) {
        free(tap->internal[i].held);
        free(tap->internal[i].waits);
    }
}

static void reset_tap(void *context) {
    struct rtl_tap *tap = context;
    free_held(tap);
    layer_tracker_free(tap->tracker);
    tap->tracker = layer_tracker_new(tap->config);
    memset(tap->internal, 0, sizeof tap->internal);
    memset(tap->clients, 0, sizeof tap->clients);
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        for (int k = 0; k < CLIENT_STREAMS; k++)
            tap->clients[i][k].ordinal = -1;
    tap->late_count = 0;
    if (tap->board)
        mif_board_reset(tap->board);
    if (tap->prov) {
        provenance_free(tap->prov);
        tap->prov = provenance_new(tap->config);
    }
    tap_reset(tap->listeners);
}

/* Nothing follows the last transfers of the ports that would show them. */
static bool end_tap(void *context, struct error *err) {
    (void)err;
    show_late(context, UINT64_MAX);
    return true;
}

static void release_tap(void *context) {
    autofree struct rtl_tap *tap = context;
    free_held(tap);
    layer_tracker_free(tap->tracker);
    mif_board_free(tap->board);
    provenance_free(tap->prov);
}

/* True if the engines' side of the memory interface is visible. */
static bool sees_clients(const struct rtl_tap *tap) {
    const struct nvdla_config *config = tap->config;
    bool any = false;
    for (int i = 0; i < STREAM_COUNT; i++)
        any = any || (client_facts[i].known && tap->source.has[i]);
    return any && (!config->secondary_memory || config->cvsram_data_bits == config->dbb_data_bits);
}

struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct tap_listeners *listeners,
                            const struct stream_source *source) {
    struct rtl_tap *tap = xcalloc(1, sizeof *tap);
    tap->config = config;
    tap->listeners = listeners;
    tap->source = *source;
    for (int i = 0; i < STREAM_COUNT; i++)
        tap->layouts[i] = rtl_stream_layout(config, (enum rtl_stream)i);
    tap->tracker = layer_tracker_new(config);
    if (sees_clients(tap))
        tap->board = mif_board_new(config, listeners);
    if (tap->board && config->dbb_data_bits > 8 * config->mem_atom)
        tap->prov = provenance_new(config);
    return tap;
}

struct observer rtl_tap_observer(struct rtl_tap *tap) {
    return (struct observer){.context = tap,
                             .reset = reset_tap,
                             .moved = tap->source.read ? take_moves : NULL,
                             .write = write_tap,
                             .end = end_tap,
                             .release = release_tap};
}

struct axi_listener rtl_tap_axi(struct rtl_tap *tap) {
    return (struct axi_listener){.context = tap, .beat = take_atoms};
}
