/* From beats and lanes to elements of a launch; see rtl_tap.h. */
#include "tb/observers/rtl_tap.h"

#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

/* The cube that a stream inside the design brings, one position after the other: all lanes of a surface, then the next
 * x, y, surface. */
struct internal {
    enum nvdla_unit unit;
    enum tap tap;
    enum tap_format format;
    int width;      /* bits */
    int group;      /* whose turn it is: the unit runs its groups in turn, however they were armed */
    int next_of[2]; /* lowest ordinal that the next launch of a group may have */
    bool open;
    struct tap_out out;
    size_t columns, lines, channels; /* of the launch */
    size_t atom;                     /* lanes of a position */
    size_t next;                     /* element of the launch, lanes without channel included */
};

/* The stream of one client in one direction on one port. */
struct client {
    bool open;
    struct tap_out out;
};

struct rtl_tap {
    const struct nvdla_config *config;
    const struct signal_layout *layout;
    const struct tap_listeners *listeners;
    struct layer_tracker *tracker;
    struct internal internal[SIGNAL_TAPS];
    bool has_internal;
    struct client clients[2][AXI_PORTS][AXI_IDS];
    bool recording;
};

/* Opens a stream of a launch, unless nothing is delivered yet. */
static struct tap_out open_stream(const struct rtl_tap *tap, const struct tap_stream *stream) {
    return tap->recording ? tap_open(tap->listeners, stream) : (struct tap_out){.stream = *stream};
}

/* ---- streams inside the design ---- */

/* The oldest launch of the group whose turn it is that has not been run; NULL if there is none. */
static const struct launch *find_launch(const struct rtl_tap *tap, const struct internal *stream) {
    int ordinal = stream->next_of[stream->group];
    const struct launch *launch = layer_tracker_find(tap->tracker, stream->unit, ordinal);
    while (launch && launch->group != stream->group)
        launch = layer_tracker_find(tap->tracker, stream->unit, ++ordinal);
    return launch;
}

/* The size of the launch that the next element belongs to. False if it has not been armed: that cannot be. */
static bool begin_launch(struct rtl_tap *tap, struct internal *stream) {
    const struct launch *launch = find_launch(tap, stream);
    if (!launch)
        return false;
    stream->next_of[stream->group] = launch->ordinal + 1;
    if (stream->unit == NVDLA_CACC) {
        const uint32_t size = launch_register(launch, CACC_D_DATAOUT_SIZE_0);
        stream->columns = REGISTER_FIELD(size, CACC_D_DATAOUT_SIZE_0__DATAOUT_WIDTH) + 1;
        stream->lines = REGISTER_FIELD(size, CACC_D_DATAOUT_SIZE_0__DATAOUT_HEIGHT) + 1;
        stream->channels = launch_register(launch, CACC_D_DATAOUT_SIZE_1) + 1;
    } else {
        stream->columns = launch_register(launch, SDP_D_DATA_CUBE_WIDTH) + 1;
        stream->lines = launch_register(launch, SDP_D_DATA_CUBE_HEIGHT) + 1;
        stream->channels = launch_register(launch, SDP_D_DATA_CUBE_CHANNEL) + 1;
    }
    const struct tap_stream identity = {.unit = stream->unit,
                                        .ordinal = launch->ordinal,
                                        .tap = stream->tap,
                                        .format = stream->format,
                                        .width = stream->width};
    stream->out = open_stream(tap, &identity);
    stream->next = 0;
    stream->open = true;
    return true;
}

/* The n elements of a beat. */
static void take_beat(struct rtl_tap *tap, struct internal *stream, const void *elements, size_t n) {
    if (!stream->open && !begin_launch(tap, stream))
        return;
    const size_t positions = stream->columns * stream->lines;
    const size_t surfaces = (stream->channels + stream->atom - 1) / stream->atom;
    const size_t lane = stream->next % stream->atom, position = stream->next / stream->atom % positions;
    const size_t surface = stream->next / stream->atom / positions;
    const size_t valid = tap_lanes(stream->channels, stream->atom, surface);
    const struct tap_place place = {
        .channel = (int32_t)(surface * stream->atom + lane),
        .y = (int32_t)(position / stream->columns),
        .x = (int32_t)(position % stream->columns),
    };
    if (lane < valid)
        tap_send(&stream->out, place, elements, 1, n < valid - lane ? n : valid - lane, n);
    stream->next += n;
    if (stream->next == surfaces * positions * stream->atom) {
        stream->open = false;
        stream->group = !stream->group;
    }
}

static void clock_tap(void *context, const struct sampled *now) {
    struct rtl_tap *tap = context;
    if (!tap->has_internal || !now->taps)
        return;
    struct signal_tap lanes[SIGNAL_TAPS];
    signals_decode_taps(tap->layout, now->taps, lanes);
    for (int i = 0; i < SIGNAL_TAPS; i++)
        if (lanes[i].moves)
            take_beat(tap, &tap->internal[i], lanes[i].elements, lanes[i].count);
}

static void write_tap(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct rtl_tap *tap = context;
    layer_tracker_write(tap->tracker, address, value, (size_t)cycle);
}

/* ---- memory ---- */

static void take_atoms(void *context, const struct axi_beat *beat) {
    struct rtl_tap *tap = context;
    struct client *client = &tap->clients[beat->write][beat->port][beat->id % AXI_IDS];
    if (beat->owner.unit < 0)
        return; /* an ID without client is a finding */
    const int atom = tap->config->mem_atom;
    if (!client->open || client->out.stream.ordinal != beat->owner.ordinal) {
        const struct tap_stream identity = {.unit = (enum nvdla_unit)beat->owner.unit,
                                            .ordinal = beat->owner.ordinal,
                                            .tap = beat->write ? TAP_AXI_WRITE : TAP_AXI_READ,
                                            .client = beat->id,
                                            .format = TAP_INT8};
        client->out = open_stream(tap, &identity);
        client->open = true;
    }
    for (int at = 0; at < beat->bytes; at += atom) {
        const struct tap_place place = {
            .channel = -1, .y = -1, .x = -1, .batch = -1, .address = beat->address + (uint64_t)at};
        if (beat->strobe >> at & 1)
            tap_send(&client->out, place, beat->data + at, 1, (size_t)atom, (size_t)atom);
    }
}

/* ---- life ---- */

static void reset_tap(void *context) {
    struct rtl_tap *tap = context;
    layer_tracker_free(tap->tracker);
    tap->tracker = layer_tracker_new(tap->config);
    const size_t kernels = (size_t)tap->config->atomic_k, atom = (size_t)tap->config->mem_atom;
    tap->internal[SIGNAL_TAP_CACC] =
        (struct internal){.unit = NVDLA_CACC, .tap = TAP_CACC_SAT, .format = TAP_INT32, .width = 32, .atom = kernels};
    tap->internal[SIGNAL_TAP_SDP] =
        (struct internal){.unit = NVDLA_SDP, .tap = TAP_SDP_OUT, .format = TAP_INT8, .width = 8, .atom = atom};
    memset(tap->clients, 0, sizeof tap->clients);
    tap_reset(tap->listeners);
}

static void release_tap(void *context) {
    struct rtl_tap *tap = context;
    layer_tracker_free(tap->tracker);
    free(tap);
}

struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct signal_layout *layout,
                            const struct tap_listeners *listeners, bool internal) {
    struct rtl_tap *tap = xcalloc(1, sizeof *tap);
    tap->config = config;
    tap->layout = layout;
    tap->listeners = listeners;
    tap->has_internal = internal;
    tap->tracker = layer_tracker_new(config);
    return tap;
}

void rtl_tap_record(struct rtl_tap *tap) {
    tap->recording = true;
}

struct observer rtl_tap_observer(struct rtl_tap *tap) {
    return (struct observer){.context = tap,
                             .reset = reset_tap,
                             .clock = tap->has_internal ? clock_tap : NULL,
                             .write = write_tap,
                             .release = release_tap};
}

struct axi_listener rtl_tap_axi(struct rtl_tap *tap) {
    return (struct axi_listener){.context = tap, .beat = take_atoms};
}
