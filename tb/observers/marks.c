/* Texts in the waves; see marks.h. */
#include "tb/observers/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "nvdla/engines.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum {
    STREAMS = 16,      /* of a trace; further ones have no mark */
    CHANNELS = 5,      /* of an AXI port */
    LONG_WORDS = 16,   /* of a text that names registers or operations: 64 characters */
    CLIENT_WORDS = 3,  /* of the name of a client */
    NAME_LENGTH = 32,  /* of a mark */
    TEXT_LENGTH = 200, /* before it is cut to its mark */
    GLB_BITS = 32,
};

struct mark {
    char name[NAME_LENGTH];
    uint32_t words[LONG_WORDS];
};

struct unit_state {
    int armed, done; /* launches so far */
    int running;     /* ordinal, -1: none */
    bool changed;
};

enum { CHANNEL_AR, CHANNEL_R, CHANNEL_AW, CHANNEL_W, CHANNEL_B };

enum { WRITES_KEPT = 512 /* bursts between address and data, beyond what the AXI rules allow */ };

/* A channel in this clock: ID of its transfer, -1: none; and the ID in its text. */
struct mark_channel {
    int id, shown;
};

struct port_state {
    struct mark_channel channels[CHANNELS];
    uint8_t ids[WRITES_KEPT]; /* ring: of write bursts with incomplete data; AW order */
    unsigned head, count;
    unsigned ahead; /* bursts whose data was complete before their address came */
    bool standing;  /* a channel had a transfer in the last observed clock */
};

struct marks {
    const struct nvdla_config *config;
    struct provenance *const *prov;
    bool exact;
    uint64_t changes; /* of texts */
    struct unit_state units[NVDLA_UNIT_COUNT];
    struct port_state ports[AXI_PORTS];
    struct {
        uint32_t address, value;
        bool write, changed;
    } access; /* the last one on the register bus */
    uint32_t status_address;
    uint32_t interrupts; /* bits read in S_INTR_STATUS and not cleared */
    bool line, interrupt_changed;
    struct {
        char *name, *text;
        bool changed;
    } streams[STREAMS];

    struct mark unit_marks[NVDLA_UNIT_COUNT], csb, interrupt, port_marks[AXI_PORTS][CHANNELS], stream_marks[STREAMS];
    struct wave_mark list[NVDLA_UNIT_COUNT + 2 + AXI_PORTS * CHANNELS + STREAMS];
};

/* The most telling fields of a launch, shown after its number: fields of one register. */
static const struct told {
    enum nvdla_unit unit;
    uint32_t offset, fields;
} told[] = {
    {NVDLA_CDMA, CDMA_D_DATAIN_FORMAT, CDMA_D_DATAIN_FORMAT__DATAIN_FORMAT_MASK},
    {NVDLA_CSC, CSC_D_DATAIN_FORMAT, CSC_D_DATAIN_FORMAT__DATAIN_FORMAT_MASK},
    {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG,
     SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK | SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK},
    {NVDLA_PDP, PDP_D_OPERATION_MODE_CFG,
     PDP_D_OPERATION_MODE_CFG__POOLING_METHOD_MASK | PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK},
};

/* ---- the marks ------------------------------------------------------------------------------- */

/* Sets a text as the bits of a signal, its last character lowest, as viewers show ASCII; cut to `words` words. */
static void set(struct marks *marks, struct mark *mark, int words, const char *text) {
    marks->changes++;
    uint8_t bytes[4 * LONG_WORDS] = {0};
    if (text[0] == '\0')
        text = " "; /* viewers show an empty text as a pair of quotes */
    const size_t room = 4 * (size_t)words, n = strlen(text) < room ? strlen(text) : room;
    memcpy(bytes + room - n, text, n);
    for (int i = 0; i < words; i++) {
        const uint8_t *at = bytes + 4 * (words - 1 - i);
        mark->words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
}

struct marks *marks_new(const struct nvdla_config *config, struct provenance *const *prov, bool exact) {
    static const char *const channels[] = {"AR", "R", "AW", "W", "B"};
    static const char *const ports[] = {"dbb", "cvsram"};
    struct marks *marks = xcalloc(1, sizeof *marks);
    marks->config = config;
    marks->prov = prov;
    marks->exact = exact;
    const struct nvdla_register *status = nvdla_register_find(config, NVDLA_GLB, "S_INTR_STATUS");
    marks->status_address = status ? status->address : UINT32_MAX;
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++) {
        snprintf(marks->unit_marks[u].name, NAME_LENGTH, "%s", nvdla_unit_names[u]);
        set(marks, &marks->unit_marks[u], LONG_WORDS, "");
        marks->units[u].running = -1;
    }
    for (int i = 0; i < STREAMS; i++)
        set(marks, &marks->stream_marks[i], LONG_WORDS, "");
    set(marks, &marks->csb, LONG_WORDS, "");
    set(marks, &marks->interrupt, LONG_WORDS, "");
    snprintf(marks->csb.name, NAME_LENGTH, "CSB");
    snprintf(marks->interrupt.name, NAME_LENGTH, "interrupt");
    for (int p = 0; p < AXI_PORTS; p++) {
        for (int c = 0; c < CHANNELS; c++) {
            snprintf(marks->port_marks[p][c].name, NAME_LENGTH, "%s_%s", ports[p], channels[c]);
            set(marks, &marks->port_marks[p][c], CLIENT_WORDS, "");
            marks->ports[p].channels[c] = (struct mark_channel){-1, -1};
        }
    }
    return marks;
}

const uint64_t *marks_changes(const struct marks *marks) {
    return &marks->changes;
}

/* Names of streams are free text; names of signals are not. */
static void name_stream(struct mark *mark, const char *name) {
    snprintf(mark->name, NAME_LENGTH, "stream_%s", name);
    for (char *c = mark->name; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", *c))
            *c = '_';
}

const struct wave_mark *marks_list(struct marks *marks, size_t *count) {
    size_t n = 0;
    for (int i = 0; i < STREAMS; i++)
        if (marks->streams[i].name)
            marks->list[n++] =
                (struct wave_mark){marks->stream_marks[i].name, marks->stream_marks[i].words, LONG_WORDS};
    marks->list[n++] = (struct wave_mark){marks->csb.name, marks->csb.words, LONG_WORDS};
    marks->list[n++] = (struct wave_mark){marks->interrupt.name, marks->interrupt.words, LONG_WORDS};
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++)
        if (nvdla_has_unit(marks->config, (enum nvdla_unit)u) &&
            nvdla_register_find(marks->config, (enum nvdla_unit)u, u == NVDLA_BDMA ? "CFG_OP" : "D_OP_ENABLE"))
            marks->list[n++] = (struct wave_mark){marks->unit_marks[u].name, marks->unit_marks[u].words, LONG_WORDS};
    for (int p = 0; p < 1 + marks->config->secondary_memory; p++)
        for (int c = 0; c < CHANNELS; c++)
            marks->list[n++] =
                (struct wave_mark){marks->port_marks[p][c].name, marks->port_marks[p][c].words, CLIENT_WORDS};
    *count = n;
    return marks->list;
}

/* "SDP #3 group 1 14x2x53 FLYING_MODE=ON" */
static void tell_launch(const struct marks *marks, enum nvdla_unit unit, char text[TEXT_LENGTH]) {
    const int ordinal = marks->units[unit].running;
    text[0] = '\0';
    if (ordinal < 0)
        return;
    size_t n = (size_t)snprintf(text, TEXT_LENGTH, "%s #%d", nvdla_unit_names[unit], ordinal);
    const struct launch *launch = provenance_launch(*marks->prov, unit, ordinal);
    if (!launch)
        return;
    n += (size_t)snprintf(text + n, TEXT_LENGTH - n, " group %d", launch->group);
    struct cube cube;
    bool primary;
    if (launch_output_cube(marks->config, launch, &cube, &primary))
        n += (size_t)snprintf(text + n, TEXT_LENGTH - n, " %dx%dx%d", cube.width, cube.height, cube.channels);
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (told[i].unit != unit)
            continue;
        const struct nvdla_register *reg =
            nvdla_register_at(marks->config, nvdla_unit_base(marks->config, unit) + told[i].offset);
        if (reg && n + 1 < TEXT_LENGTH) {
            text[n++] = ' ';
            nvdla_register_decode_bits(reg, launch_register(launch, told[i].offset), told[i].fields, text + n,
                                       TEXT_LENGTH - n);
            n += strlen(text + n);
        }
    }
}

/* "SDP.D_OP_ENABLE = 1", "GLB.S_INTR_STATUS -> 0x3" */
static void tell_access(const struct marks *marks, char text[TEXT_LENGTH]) {
    nvdla_register_name(marks->config, marks->access.address, text, TEXT_LENGTH);
    const size_t n = strlen(text);
    snprintf(text + n, TEXT_LENGTH - n, marks->access.value < 10 ? " %s %u" : " %s 0x%x",
             marks->access.write ? "=" : "->", marks->access.value);
}

/* "dla_intr SDP_0 CACC_1" */
static void tell_interrupt(const struct marks *marks, char text[TEXT_LENGTH]) {
    size_t n = (size_t)snprintf(text, TEXT_LENGTH, "%s", marks->line ? "dla_intr" : "");
    for (int bit = 0; bit < GLB_BITS && n < TEXT_LENGTH; bit++) {
        const char *name = marks->interrupts >> bit & 1 ? nvdla_interrupt_name(bit) : NULL;
        if (name)
            n += (size_t)snprintf(text + n, TEXT_LENGTH - n, "%s%s", n ? " " : "", name);
    }
}

static void update_port(struct marks *marks, int p) {
    for (int c = 0; c < CHANNELS; c++) {
        struct mark_channel *channel = &marks->ports[p].channels[c];
        if (channel->id == channel->shown)
            continue;
        const bool write = c >= CHANNEL_AW;
        set(marks, &marks->port_marks[p][c], CLIENT_WORDS,
            channel->id < 0          ? ""
            : channel->id >= AXI_IDS ? "ahead of AW"
                                     : nvdla_client_name(channel->id, write));
        channel->shown = channel->id;
    }
}

void marks_update(struct marks *marks) {
    char text[TEXT_LENGTH];
    for (int p = 0; p < 1 + marks->config->secondary_memory; p++)
        update_port(marks, p);
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++) {
        if (!marks->units[u].changed)
            continue;
        tell_launch(marks, (enum nvdla_unit)u, text);
        set(marks, &marks->unit_marks[u], LONG_WORDS, text);
        marks->units[u].changed = false;
    }
    for (int i = 0; i < STREAMS; i++) {
        if (marks->streams[i].changed)
            set(marks, &marks->stream_marks[i], LONG_WORDS, marks->streams[i].text);
        marks->streams[i].changed = false;
    }
    if (marks->access.changed) {
        tell_access(marks, text);
        set(marks, &marks->csb, LONG_WORDS, text);
        marks->access.changed = false;
    }
    if (marks->interrupt_changed) {
        tell_interrupt(marks, text);
        set(marks, &marks->interrupt, LONG_WORDS, text);
        marks->interrupt_changed = false;
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

static void run(struct marks *marks, enum nvdla_unit unit, int ordinal) {
    marks->units[unit].running = ordinal;
    marks->units[unit].changed = true;
}

/* The launches of a unit up to that one are done, as seen from outside. */
static void done(struct marks *marks, enum nvdla_unit unit, int ordinal) {
    struct unit_state *state = &marks->units[unit];
    if (ordinal < state->done)
        return;
    state->done = ordinal + 1;
    run(marks, unit, state->done < state->armed ? state->done : -1);
}

/* The oldest unfinished launch of that group, -1 if there is none. */
static int oldest(const struct marks *marks, enum nvdla_unit unit, int group) {
    for (int i = marks->units[unit].done; i < marks->units[unit].armed; i++) {
        const struct launch *launch = provenance_launch(*marks->prov, unit, i);
        if (launch && launch->group == group)
            return i;
    }
    return -1;
}

void marks_layer(struct marks *marks, const char *scope, enum check_event event) {
    const int found = checks_unit(scope);
    if (found < 0 || event == CHECK_GROUP_EXISTS)
        return;
    const enum nvdla_unit unit = (enum nvdla_unit)found;
    struct unit_state *state = &marks->units[unit];
    if (event == CHECK_LAYER_DONE)
        state->done++;
    run(marks, unit, event == CHECK_LAYER_STARTS ? state->done : -1);
}

enum launch_state marks_launch(const struct marks *marks, enum nvdla_unit unit, int ordinal) {
    return ordinal < marks->units[unit].done    ? LAUNCH_DONE
           : ordinal < marks->units[unit].armed ? LAUNCH_ARMED
                                                : LAUNCH_TO_COME;
}

/* Counts the launches armed since the last call. */
static void look_for_launches(struct marks *marks, uint32_t address) {
    const enum nvdla_unit unit = nvdla_unit_at(marks->config, address);
    if (unit == NVDLA_UNIT_COUNT)
        return;
    struct unit_state *state = &marks->units[unit];
    const struct launch *launch;
    while ((launch = provenance_launch(*marks->prov, unit, state->armed)) != NULL) {
        const int before = marks->exact ? -1 : oldest(marks, unit, launch->group);
        state->armed++;
        if (before >= 0)
            done(marks, unit, before);
        else if (!marks->exact && state->running < 0)
            run(marks, unit, state->done);
    }
}

static void read_status(struct marks *marks, uint32_t bits) {
    marks->interrupts = bits;
    marks->interrupt_changed = true;
    for (int bit = 0; bit < GLB_BITS && !marks->exact; bit++) {
        const enum nvdla_interrupt interrupt = bits >> bit & 1 ? nvdla_interrupt_at(bit) : INTERRUPT_COUNT;
        if (interrupt == INTERRUPT_COUNT)
            continue;
        const struct nvdla_interrupt_facts *source = &nvdla_interrupts[interrupt];
        for (uint32_t ends = source->ends; ends; ends &= ends - 1) {
            const enum nvdla_unit unit = (enum nvdla_unit)__builtin_ctz(ends);
            const int ordinal = oldest(marks, unit, bit - (int)source->bit);
            if (ordinal >= 0)
                done(marks, unit, ordinal);
        }
    }
}

/* ---- the observer ---------------------------------------------------------------------------- */

static void reset_marks(void *context) {
    struct marks *marks = context;
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++)
        marks->units[u] = (struct unit_state){.running = -1, .changed = true};
    for (int p = 0; p < AXI_PORTS; p++) {
        struct port_state *port = &marks->ports[p];
        port->count = port->ahead = 0;
        for (int c = 0; c < CHANNELS; c++)
            port->channels[c].id = -1;
    }
    marks->interrupts = 0;
    marks->line = false;
    marks->interrupt_changed = true;
}

static void clock_marks(void *context, const struct sampled *now) {
    struct marks *marks = context;
    if (now->interrupt != marks->line) {
        marks->line = now->interrupt;
        marks->interrupt_changed = true;
    }
    for (int p = 0; p < AXI_PORTS; p++) {
        struct port_state *port = &marks->ports[p];
        for (int c = 0; port->standing && c < CHANNELS; c++)
            port->channels[c].id = -1;
        port->standing = false;
    }
}

/* The ID of the write data in this clock, AXI_IDS if its address has not come. */
static int id_of_data(struct port_state *port, const struct axi_outputs *out, const struct axi_inputs *in) {
    const bool whole = out->wlast && in->wready;
    if (port->count == 0) {
        port->ahead += whole;
        return AXI_IDS;
    }
    const int id = port->ids[port->head];
    if (whole) {
        port->head = (port->head + 1) % WRITES_KEPT;
        port->count--;
    }
    return id;
}

static void take_address(struct port_state *port, int id) {
    if (port->ahead > 0)
        port->ahead--;
    else if (port->count < WRITES_KEPT)
        port->ids[(port->head + port->count++) % WRITES_KEPT] = (uint8_t)id;
}

static bool port_marks(void *context, const struct sampled *now, int p) {
    struct marks *marks = context;
    struct port_state *port = &marks->ports[p];
    const struct axi_outputs *out = now->out[p];
    const struct axi_inputs *in = now->in[p];
    struct mark_channel *channels = port->channels;
    channels[CHANNEL_AR].id = out->arvalid ? out->arid & (AXI_IDS - 1) : -1;
    channels[CHANNEL_R].id = in->rvalid ? in->rid & (AXI_IDS - 1) : -1;
    channels[CHANNEL_AW].id = out->awvalid ? out->awid & (AXI_IDS - 1) : -1;
    channels[CHANNEL_B].id = in->bvalid ? in->bid & (AXI_IDS - 1) : -1;
    if (out->awvalid && in->awready)
        take_address(port, out->awid & (AXI_IDS - 1));
    channels[CHANNEL_W].id = out->wvalid ? id_of_data(port, out, in) : -1;
    port->standing = out->arvalid || in->rvalid || out->awvalid || out->wvalid || in->bvalid;
    return false;
}

static void note_access(struct marks *marks, bool write, uint32_t address, uint32_t value) {
    marks->access.address = address;
    marks->access.value = value;
    marks->access.write = write;
    marks->access.changed = true;
}

static void write_marks(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct marks *marks = context;
    (void)cycle;
    note_access(marks, true, address, value);
    look_for_launches(marks, address);
    if (address == marks->status_address) {
        marks->interrupts &= ~value;
        marks->interrupt_changed = true;
    }
}

static void read_marks(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct marks *marks = context;
    (void)cycle;
    note_access(marks, false, address, value);
    if (address == marks->status_address)
        read_status(marks, value);
}

static void release_marks(void *context) {
    autofree struct marks *marks = context;
    for (int i = 0; i < STREAMS; i++) {
        free(marks->streams[i].name);
        free(marks->streams[i].text);
    }
}

struct observer marks_observer(struct marks *marks) {
    return (struct observer){.context = marks,
                             .reset = reset_marks,
                             .clock = clock_marks,
                             .port = port_marks,
                             .write = write_marks,
                             .read = read_marks,
                             .release = release_marks};
}

void marks_note(struct marks *marks, size_t stream, const char *name, const char *text) {
    if (stream >= STREAMS)
        return;
    if (!marks->streams[stream].name) {
        marks->streams[stream].name = xstrdup(name);
        name_stream(&marks->stream_marks[stream], name);
    }
    free(marks->streams[stream].text);
    marks->streams[stream].text = xstrdup(text);
    marks->streams[stream].changed = true;
}
