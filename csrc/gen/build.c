/* From a case to its program: regions, memory content, register writes, waits.
 *
 * A unit's n-th use takes register group n mod 2. Its stream waits for the end of the layer two uses ago before it
 * programs the unit, and for the layers whose output it reads before it arms a reading DMA; everything else runs ahead.
 * Spec: 98-measured-rules section 2, 85-driver-sequences sections 2 and 5. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/engine.h"
#include "gen/gen.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/verify.h"

enum { BDMA_RESET_STATUS = 0x114 /* idle, 20 free slots */ };
enum { ARENAS = 4, GUARD = 64 /* least distance of regions, bytes */ };
#define FIRST_PRIMARY UINT64_C(0x80000000)
#define FIRST_SECONDARY UINT64_C(0x50000000)
#define ARENA_STEP UINT64_C(0x10000000)
#define FOUR_GIB UINT64_C(0x100000000)

struct builder {
    const struct gen_case *gen;
    struct gen_shape *shapes;
    struct program *prog;
    struct rng place;
    uint64_t arena[SPACE_COUNT][ARENAS];    /* next free address */
    int uses[NVDLA_UNIT_COUNT];             /* of the unit so far */
    int final_event[GEN_LAYERS];            /* raised when the layer's output is in memory */
    int user[NVDLA_UNIT_COUNT][GEN_LAYERS]; /* layer of the n-th use */
    struct gen_registers descriptor;        /* BDMA's registers as last written */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void open_arenas(struct builder *b) {
    static const uint64_t high[] = {0, 0, 1, 0x80, 0x7fff};
    for (int space = 0; space < SPACE_COUNT; space++) {
        for (int i = 0; i < ARENAS; i++) {
            uint64_t first = space == SPACE_PRIMARY ? FIRST_PRIMARY : FIRST_SECONDARY;
            b->arena[space][i] = first + (uint64_t)i * ARENA_STEP;
            if (b->gen->config->addr_bits > 32 && b->gen->place)
                b->arena[space][i] |= high[rng_range(&b->place, 0, 4)] << 32;
            /* a region that crosses a multiple of 4 GiB, if DMAs count in 64 bits */
            if (b->gen->config->map == NVDLA_MAP_FULL && b->gen->place && rng_chance(&b->place, 15))
                b->arena[space][i] = (uint64_t)(2 + i) * FOUR_GIB - 32 * (uint64_t)rng_range(&b->place, 8, 100);
        }
    }
}

/* A separate region on a multiple of `align` bytes, 0: of an atom. Returns its base. */
static uint64_t place(struct builder *b, bool secondary, uint64_t size, uint64_t align) {
    uint64_t atom = (uint64_t)b->gen->config->mem_atom, *next;
    uint64_t gap = 4 * GUARD;
    if (b->gen->place == 0) {
        next = &b->arena[secondary][0];
    } else {
        next = &b->arena[secondary][rng_range(&b->place, 0, ARENAS - 1)];
        gap = GUARD + atom * (uint64_t)rng_range(&b->place, 0, 40);
        if (rng_chance(&b->place, 25)) { /* a border of pages and bursts */
            uint64_t unit = rng_chance(&b->place, 50) ? 256 : 4096;
            gap += unit - (*next + gap) % unit;
        }
    }
    uint64_t unit = align ? align : atom, base = (*next + gap + unit - 1) / unit * unit;
    *next = base + size;
    return base;
}

/* Loads bytes into a separate region and frees them. Returns its base. */
static uint64_t load_bytes(struct builder *b, bool secondary, uint8_t *bytes, uint64_t size) {
    struct op op = op_make(OP_MEM_LOAD, 0);
    struct blob *blob = program_blob(b->prog, blob_new(NULL));
    blob_append(blob, 0, bytes, (size_t)size);
    free(bytes);
    op.stream = (uint16_t)program_stream(b->prog, "memory");
    op.space = secondary ? SPACE_SECONDARY : SPACE_PRIMARY;
    op.base = place(b, secondary, size, 0);
    op.blob = blob;
    op.size = blob->extent;
    program_append(b->prog, &op);
    return op.base;
}

/* Loads `size` bytes of elements in a style, with some FP16 ones NaN. Returns the base of the region. */
static uint64_t load(struct builder *b, const struct gen_layer *layer, enum gen_role role, bool secondary,
                     uint64_t size, enum nvdla_precision precision, int64_t style, int64_t nans) {
    struct rng rng = rng_make((uint64_t)layer->seed, role);
    uint8_t *bytes = xmalloc((size_t)size);
    size_t count = (size_t)size / (size_t)nvdla_element_bytes(precision);
    gen_fill(bytes, count, precision, style, &rng);
    if (precision == NVDLA_FP16)
        gen_fill_nans(bytes, count, nans, &rng);
    return load_bytes(b, secondary, bytes, size);
}

static void place_output(struct builder *b, const struct gen_layer *layer, struct gen_shape *shape) {
    if (layer->in_place) {
        shape->out.base = shape->in.base;
        return;
    }
    if (layer->into) {
        const struct cube *owner = &b->shapes[layer->into - 1].out;
        shape->out.base = owner->base + (uint64_t)layer->at * owner->surface_stride;
        return;
    }
    uint64_t others = (uint64_t)(shape->room - cube_surfaces(&shape->out)) * shape->out.surface_stride;
    struct op op = op_make(OP_MEM_FILL, 0);
    op.stream = (uint16_t)program_stream(b->prog, "memory");
    op.space = shape->out_secondary ? SPACE_SECONDARY : SPACE_PRIMARY;
    op.size = cube_extent(&shape->out) + others + (uint64_t)(layer->batches - 1) * shape->out_batch_stride;
    op.base = place(b, shape->out_secondary, op.size, shape->out_align);
    op.fill = (uint8_t)layer->out_fill;
    op.pattern = PATTERN_BYTE;
    program_append(b->prog, &op);
    shape->out.base = op.base;
}

static void place_weights(struct builder *b, const struct gen_layer *layer, struct gen_shape *shape) {
    uint8_t *surfaces[GEN_WEIGHT_SURFACES];
    for (int i = 0; i < GEN_WEIGHT_SURFACES; i++) {
        surfaces[i] = xmalloc((size_t)shape->weight_size[i] + 1);
        memset(surfaces[i], 0, (size_t)shape->weight_size[i]);
    }
    gen_weights(b->gen->config, layer, shape, surfaces);
    for (int i = 0; i < GEN_WEIGHT_SURFACES; i++)
        if (shape->weight_size[i])
            shape->weight_base[i] = load_bytes(b, layer->weight_space != 0, surfaces[i], shape->weight_size[i]);
        else
            free(surfaces[i]);
}

/* Data that another layer left in CBUF has been read from that layer's memory. */
static void place_conv(struct builder *b, const struct gen_layer *layer, struct gen_shape *shape) {
    const struct gen_shape *before = shape->previous_conv < 0 ? NULL : &b->shapes[shape->previous_conv];
    if (!shape->fetch && before) {
        shape->in = before->in;
        shape->in_batch_stride = before->in_batch_stride;
        shape->in_secondary = before->in_secondary;
        for (int i = 0; i < 2; i++) {
            shape->plane_base[i] = before->plane_base[i];
            shape->plane_line[i] = before->plane_line[i];
        }
    } else if (layer->conv == GEN_IMAGE) {
        for (int i = 0; i < 2; i++)
            if (shape->plane_size[i])
                shape->plane_base[i] = load(b, layer, i == 0 ? GEN_ROLE_INPUT : GEN_ROLE_PLANE, shape->in_secondary,
                                            shape->plane_size[i], shape->pixel_precision, layer->in_data, layer->nans);
    }
    if (shape->fetch_weights)
        place_weights(b, layer, shape);
    else if (before)
        for (int i = 0; i < GEN_WEIGHT_SURFACES; i++)
            shape->weight_base[i] = before->weight_base[i];
}

static void place_layer(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    struct gen_shape *shape = &b->shapes[index];
    static const enum gen_role roles[GEN_STAGES] = {GEN_ROLE_OPERAND, GEN_ROLE_OPERAND_2, GEN_ROLE_OPERAND_3};
    bool reads_cube = layer->conv == GEN_IMAGE ? false : layer->conv ? shape->fetch : true;
    if (reads_cube && layer->input_of)
        shape->in.base = b->shapes[layer->input_of - 1].in.base;
    else if (reads_cube && layer->source)
        shape->in.base = b->shapes[layer->source - 1].out.base;
    else if (reads_cube)
        shape->in.base = load(b, layer, GEN_ROLE_INPUT, shape->in_secondary,
                              cube_extent(&shape->in) + (uint64_t)(layer->batches - 1) * shape->in_batch_stride,
                              gen_in_precision(layer), layer->in_data, layer->nans);
    if (layer->conv)
        place_conv(b, layer, shape);
    for (int i = 0; i < GEN_STAGES; i++) {
        const struct gen_stage *stage = gen_stage_of(layer, i);
        struct cube *cube = &shape->operand[i];
        enum nvdla_precision precision = !stage->two_bytes                ? NVDLA_INT8
                                         : layer->precision == NVDLA_FP16 ? NVDLA_FP16
                                                                          : NVDLA_INT16;
        if (shape->components[i] && stage->source)
            cube->base = b->shapes[stage->source - 1].out.base;
        else if (shape->components[i])
            cube->base =
                load(b, layer, roles[i], shape->operand_secondary[i], cube_extent(cube), precision, stage->data, 0);
    }
    if (shape->out_exists)
        place_output(b, layer, shape);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* An operation on a register, in the stream of its unit. */
static struct op register_op(struct builder *b, enum op_kind kind, enum nvdla_unit unit, uint32_t offset) {
    struct op op = op_make(kind, 0);
    op.stream = (uint16_t)program_stream(b->prog, nvdla_unit_names[unit]);
    op.address = nvdla_unit_base(b->gen->config, unit) + offset;
    return op;
}

static void write_register(struct builder *b, enum nvdla_unit unit, uint32_t offset, uint32_t value, bool nposted) {
    struct op op = register_op(b, OP_WRITE, unit, offset);
    op.value = value;
    op.nposted = nposted;
    program_append(b->prog, &op);
}

static void wait_for(struct builder *b, enum nvdla_unit unit, int event) {
    struct op op = op_make(OP_SYNC_WAIT, 0);
    op.stream = (uint16_t)program_stream(b->prog, nvdla_unit_names[unit]);
    op.event = event;
    program_append(b->prog, &op);
}

static void check(struct builder *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = register_op(b, OP_READ_CHECK, unit, offset);
    op.value = value;
    op.at_end = true;
    program_append(b->prog, &op);
}

/* The event that an interrupt raises, and a check_event so that the program does not end before it. Returns the
 * event. */
static int expect(struct builder *b, int index, const char *source, int bit, bool final) {
    char name[40];
    snprintf(name, sizeof name, final ? "layer%d" : "layer%d_%s", index, source);
    struct op op = op_make(OP_INTR_NOTIFY, 0);
    op.stream = (uint16_t)program_stream(b->prog, "interrupt");
    op.bit = bit;
    op.event = program_event(b->prog, name);
    int event = op.event;
    program_append(b->prog, &op);
    op = op_make(OP_CHECK_EVENT, 0);
    op.stream = (uint16_t)program_stream(b->prog, "memory");
    op.after = event;
    program_append(b->prog, &op);
    return event;
}

/* Units in software's order of arming: consumers first. */
static const enum nvdla_unit arming[] = {
    NVDLA_PDP_RDMA, NVDLA_PDP,    NVDLA_CDP_RDMA, NVDLA_CDP, NVDLA_SDP_RDMA, NVDLA_SDP,
    NVDLA_CACC,     NVDLA_CMAC_A, NVDLA_CMAC_B,   NVDLA_CSC, NVDLA_CDMA,
};
enum { ARMING = sizeof arming / sizeof arming[0] };

static uint32_t arm_offset(enum nvdla_unit unit) {
    return unit == NVDLA_CDMA  ? CDMA_D_OP_ENABLE
           : unit == NVDLA_SDP ? SDP_D_OP_ENABLE
           : unit == NVDLA_CDP ? CDP_D_OP_ENABLE
                               : CSC_D_OP_ENABLE;
}

static bool uses(const struct gen_shape *shape, enum nvdla_unit unit) {
    return shape->units >> unit & 1u;
}

/* The tables of CDP or SDP: one set for both groups, so the unit must be idle. */
static void load_tables(struct builder *b, int index, enum nvdla_unit unit) {
    struct gen_lut_writes writes;
    for (int i = 0; i < index; i++)
        if (uses(&b->shapes[i], unit))
            wait_for(b, unit, b->final_event[i]);
    gen_lut(&b->gen->layers[index], &writes);
    for (size_t i = 0; i < writes.count; i++)
        write_register(b, unit, writes.list[i].offset, writes.list[i].value, false);
}

/* Writes the registers, in any order if the layer wants that; only those that changed if `before` is not NULL. */
static void write_all(struct builder *b, const struct gen_layer *layer, enum nvdla_unit unit, struct rng *rng,
                      const struct gen_registers *regs, const struct gen_registers *before) {
    size_t order[64];
    for (size_t i = 0; i < regs->count; i++)
        order[i] = i;
    if (layer->order)
        rng_shuffle(rng, order, regs->count);
    for (size_t i = 0; i < regs->count; i++)
        if (!before || before->list[order[i]].value != regs->list[order[i]].value)
            write_register(b, unit, regs->list[order[i]].offset, regs->list[order[i]].value,
                           layer->order && rng_chance(rng, 4));
}

static void program_unit(struct builder *b, int index, enum nvdla_unit unit, const struct gen_registers *regs) {
    const struct gen_layer *layer = &b->gen->layers[index];
    struct rng rng = rng_make((uint64_t)layer->order, unit);
    int use = b->uses[unit];
    if (layer->serial && index > 0)
        wait_for(b, unit, b->final_event[index - 1]);
    if (use >= 2)
        wait_for(b, unit, b->final_event[b->user[unit][use - 2]]);
    write_register(b, unit, CSC_S_POINTER, (uint32_t)use & 1, false);
    if (unit == (layer->cdp ? NVDLA_CDP : NVDLA_SDP) && gen_uses_table(layer) && layer->lut)
        load_tables(b, index, unit);
    write_all(b, layer, unit, &rng, regs, NULL);
    b->user[unit][use] = index;
    b->uses[unit] = use + 1;
}

/* Layers whose output the unit's DMA reads. */
static void wait_for_sources(struct builder *b, int index, enum nvdla_unit unit) {
    const struct gen_layer *layer = &b->gen->layers[index];
    const struct gen_shape *shape = &b->shapes[index];
    bool main_input = unit == NVDLA_PDP_RDMA || unit == NVDLA_CDP_RDMA || unit == NVDLA_BDMA || unit == NVDLA_RBK ||
                      (unit == NVDLA_CDMA && shape->fetch) || (unit == NVDLA_SDP_RDMA && !layer->conv);
    if (main_input && layer->source)
        wait_for(b, unit, b->final_event[layer->source - 1]);
    for (int i = 0; main_input && layer->rubik == GEN_CONTRACT && i < index; i++)
        if (layer->source && b->gen->layers[i].into == layer->source)
            wait_for(b, unit, b->final_event[i]);
    if (unit != NVDLA_SDP_RDMA)
        return;
    for (int i = 0; i < GEN_STAGES; i++)
        if (shape->components[i] && gen_stage_of(layer, i)->source)
            wait_for(b, unit, b->final_event[gen_stage_of(layer, i)->source - 1]);
}

/* Moves CACC and the CMAC units before the unit that starts the data of the layer, CDMA, or CSC if both data and
 * weights are in CBUF: unless nothing but a few posted writes comes between. One that is armed after the data stays
 * busy, and CACC's results are wrong. Only SDP_RDMA waits here. Spec: 98-measured-rules section 2. */
static void arm_accumulator_early(size_t order[ARMING], bool kept) {
    size_t start = 0, wait = 0;
    while (arming[order[start]] != NVDLA_CDMA && !(kept && arming[order[start]] == NVDLA_CSC))
        start++;
    while (arming[order[wait]] != NVDLA_SDP_RDMA)
        wait++;
    size_t to = kept ? start : wait > start ? wait : ARMING;
    for (size_t i = to; i < ARMING; i++) {
        const size_t moved = order[i];
        if (arming[moved] != NVDLA_CACC && arming[moved] != NVDLA_CMAC_A && arming[moved] != NVDLA_CMAC_B)
            continue;
        memmove(order + to + 1, order + to, (i - to) * sizeof *order);
        order[to++] = moved;
    }
}

static void arm(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    if (layer->rubik) { /* a unit alone */
        wait_for_sources(b, index, NVDLA_RBK);
        write_register(b, NVDLA_RBK, RBK_D_OP_ENABLE, 1, false);
        return;
    }
    size_t order[ARMING];
    struct rng rng = rng_make((uint64_t)layer->arm, 0);
    for (size_t i = 0; i < ARMING; i++)
        order[i] = i;
    if (layer->arm)
        rng_shuffle(&rng, order, ARMING);
    arm_accumulator_early(order, !b->shapes[index].fetch && !b->shapes[index].fetch_weights);
    for (size_t i = 0; i < ARMING; i++) {
        enum nvdla_unit unit = arming[order[i]];
        if (!uses(&b->shapes[index], unit))
            continue;
        wait_for_sources(b, index, unit);
        if (unit == NVDLA_CDMA && b->uses[unit] == 1) {
            struct op op = register_op(b, OP_POLL, unit, CDMA_S_CBUF_FLUSH_STATUS);
            op.value = CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK;
            program_append(b->prog, &op);
        }
        write_register(b, unit, arm_offset(unit), 1, false);
    }
}

/* Writes a descriptor's registers, at times only those that changed, and pushes it once the queue has room. */
static void push_descriptor(struct builder *b, const struct gen_layer *layer, struct rng *rng,
                            const struct gen_registers *regs) {
    bool changes = layer->order && b->descriptor.count == regs->count && rng_chance(rng, 70);
    write_all(b, layer, NVDLA_BDMA, rng, regs, changes ? &b->descriptor : NULL);
    b->descriptor = *regs;
    struct op op = register_op(b, OP_POLL, NVDLA_BDMA, BDMA_STATUS);
    op.mask = BDMA_STATUS__FREE_SLOT_MASK;
    op.value = 1;
    op.relation = RELATION_GREATER_EQUAL;
    program_append(b->prog, &op);
    write_register(b, NVDLA_BDMA, BDMA_CFG_OP, 1, false);
}

/* Interrupts of a layer; the final one is that of its last engine. */
static void expect_interrupts(struct builder *b, int index) {
    static const struct {
        enum nvdla_unit unit;
        const char *name;
        bool optional; /* of the convolution */
    } sources[] = {
        {NVDLA_CDMA, "CDMA_DAT", true}, {NVDLA_CDMA, "CDMA_WT", true}, {NVDLA_CACC, "CACC", true},
        {NVDLA_SDP, "SDP", false},      {NVDLA_PDP, "PDP", false},     {NVDLA_CDP, "CDP", false},
        {NVDLA_BDMA, "BDMA", false},    {NVDLA_RBK, "RUBIK", false},
    };
    const struct gen_shape *shape = &b->shapes[index];
    enum nvdla_unit last = NVDLA_SDP;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        last = uses(shape, sources[i].unit) ? sources[i].unit : last;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (!uses(shape, sources[i].unit) || (sources[i].optional && !b->gen->expect_all))
            continue;
        char name[16];
        snprintf(name, sizeof name, "%s_%d", sources[i].name, (b->uses[sources[i].unit] - 1) & 1);
        bool final = sources[i].unit == last;
        int event = expect(b, index, sources[i].name, nvdla_interrupt_bit(name), final);
        if (final)
            b->final_event[index] = event;
    }
}

static uint32_t interrupt_mask(const struct builder *b) {
    const uint32_t conv = GLB_S_INTR_MASK__CDMA_DAT_DONE_MASK0_MASK | GLB_S_INTR_MASK__CDMA_DAT_DONE_MASK1_MASK |
                          GLB_S_INTR_MASK__CDMA_WT_DONE_MASK0_MASK | GLB_S_INTR_MASK__CDMA_WT_DONE_MASK1_MASK |
                          GLB_S_INTR_MASK__CACC_DONE_MASK0_MASK | GLB_S_INTR_MASK__CACC_DONE_MASK1_MASK;
    return b->gen->expect_all ? 0 : conv;
}

static struct gen_writer *writer_new(const struct builder *b, int index) {
    struct gen_writer *regs = xcalloc(1, sizeof *regs);
    regs->gen = b->gen;
    regs->layer = &b->gen->layers[index];
    regs->shape = &b->shapes[index];
    return regs;
}

/* BDMA has a queue instead of register groups: descriptors are pushed, then launched as group 0 or 1. At most two
 * groups are launched at a time, and none is pushed while a launch still waits. Spec: 64-bdma section 5. */
static void build_bdma(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    int first = gen_bdma_first(b->gen, index), use = b->uses[NVDLA_BDMA];
    struct rng rng = rng_make((uint64_t)layer->order, NVDLA_BDMA);
    autofree struct gen_writer *regs = writer_new(b, index);
    if (index == first && layer->serial && index > 0)
        wait_for(b, NVDLA_BDMA, b->final_event[index - 1]);
    if (index == first && use >= 2)
        wait_for(b, NVDLA_BDMA, b->final_event[b->user[NVDLA_BDMA][use - 2]]);
    for (int64_t part = 0; part < layer->parts; part++) {
        gen_bdma_registers(regs, part);
        push_descriptor(b, layer, &rng, regs->unit);
    }
    if (index + 1 < b->gen->count && b->gen->layers[index + 1].bdma && b->gen->layers[index + 1].join)
        return;
    b->user[NVDLA_BDMA][use] = index;
    b->uses[NVDLA_BDMA] = use + 1;
    expect_interrupts(b, index);
    for (int i = first; i <= index; i++) {
        wait_for_sources(b, i, NVDLA_BDMA);
        b->final_event[i] = b->final_event[index];
    }
    write_register(b, NVDLA_BDMA, use % 2 ? BDMA_CFG_LAUNCH1 : BDMA_CFG_LAUNCH0, 1, false);
}

/* Counters that are the same on every device after a layer. Spec: 50-sdp section 10, 60-pdp section 10, 62-cdp section
 * 9. */
static const struct {
    enum nvdla_unit unit;
    uint32_t first, last;
} counters[] = {
    {NVDLA_CDMA, CDMA_D_NAN_INPUT_DATA_NUM, CDMA_D_INF_INPUT_WEIGHT_NUM},
    {NVDLA_CACC, CACC_D_OUT_SATURATION, CACC_D_OUT_SATURATION},
    {NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_NAN_INPUT_NUM, SDP_RDMA_D_STATUS_INF_INPUT_NUM},
    {NVDLA_SDP, SDP_D_STATUS, SDP_D_STATUS_NAN_OUTPUT_NUM},
    {NVDLA_SDP, SDP_D_PERF_OUT_SATURATION, SDP_D_PERF_OUT_SATURATION},
    {NVDLA_PDP, PDP_D_INF_INPUT_NUM, PDP_D_NAN_INPUT_NUM},
    {NVDLA_CDP, CDP_D_NAN_INPUT_NUM, CDP_D_INF_INPUT_NUM},
    {NVDLA_CDP, CDP_D_PERF_LUT_UFLOW, CDP_D_PERF_LUT_LO_HIT},
};
enum { COUNTERS = sizeof counters / sizeof counters[0] };

static void read_counters(struct builder *b, size_t row, bool at_end) {
    for (uint32_t offset = counters[row].first; offset <= counters[row].last; offset += 4) {
        struct op op = register_op(b, OP_READ, counters[row].unit, offset);
        op.at_end = at_end;
        program_append(b->prog, &op);
    }
}

/* Reads the counters of a finished layer, in the group that it used. */
static void read_status(struct builder *b, int index) {
    enum nvdla_unit waited = NVDLA_UNIT_COUNT;
    for (size_t i = 0; i < COUNTERS; i++) {
        if (!uses(&b->shapes[index], counters[i].unit))
            continue;
        if (waited != counters[i].unit)
            wait_for(b, counters[i].unit, b->final_event[index]);
        waited = counters[i].unit;
        read_counters(b, i, false);
    }
}

static void build_layer(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    if (layer->bdma) {
        build_bdma(b, index);
        return;
    }
    autofree struct gen_writer *regs = writer_new(b, index);
    if (layer->conv)
        gen_conv_registers(regs);
    if (layer->sdp)
        gen_sdp_registers(regs);
    if (layer->pdp)
        gen_pdp_registers(regs);
    if (layer->cdp)
        gen_cdp_registers(regs);
    if (layer->rubik)
        gen_rubik_registers(regs);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (uses(&b->shapes[index], unit))
            program_unit(b, index, unit, &regs->units[unit]);
    expect_interrupts(b, index);
    arm(b, index);
    if (layer->status)
        read_status(b, index);
}

/* At the end every unit is idle and its pointers follow from the number of its layers. */
static void check_end(struct builder *b) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        uint32_t count = (uint32_t)b->uses[unit];
        if (count == 0)
            continue;
        if (unit == NVDLA_BDMA) {
            check(b, unit, BDMA_STATUS, BDMA_RESET_STATUS);
            continue;
        }
        check(b, unit, CSC_S_STATUS, 0);
        check(b, unit, CSC_S_POINTER, ((count - 1) & 1) | (count & 1) << 16);
    }
    for (size_t i = 0; i < COUNTERS; i++) /* of the group that was programmed last */
        if (b->uses[counters[i].unit] > 0)
            read_counters(b, i, true);
}

/* In half of the placed cases, the memory interfaces get weights of clients other than after a reset. No result depends
 * on them. Spec: 70-memory-interface section 3.1. */
static void write_arbiters(struct builder *b) {
    static const enum nvdla_unit units[] = {NVDLA_MCIF, NVDLA_CVIF};
    static const int64_t weights[] = {1, 1, 2, 3, 4, 7, 16, 255};
    struct rng rng = rng_make(b->gen->place, NVDLA_MCIF);
    if (b->gen->place == 0 || rng_chance(&rng, 50))
        return;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!nvdla_register_find(b->gen->config, units[i], "CFG_RD_WEIGHT_0"))
            continue;
        for (uint32_t offset = MCIF_CFG_RD_WEIGHT_0; offset <= MCIF_CFG_WR_WEIGHT_1; offset += 4) {
            uint32_t value = 0;
            for (int field = 0; field < 4; field++)
                value = value << 8 | (uint32_t)rng_pick(&rng, weights, sizeof weights / sizeof weights[0]);
            write_register(b, units[i], offset, value, false);
        }
    }
}

struct program *gen_build(const struct gen_case *gen, const char *path, struct error *err) {
    struct gen_shape shapes[GEN_LAYERS];
    if (!gen_case_shape(gen, shapes, err))
        return NULL;
    struct builder b = {.gen = gen, .shapes = shapes, .place = rng_make(gen->place, 0)};
    b.prog = program_new(gen->config, path);
    gen_case_note(gen, b.prog);
    open_arenas(&b);
    for (int i = 0; i < gen->count; i++)
        place_layer(&b, i);
    write_register(&b, NVDLA_GLB, GLB_S_INTR_MASK, interrupt_mask(&b), false);
    write_arbiters(&b);
    for (int i = 0; i < gen->count; i++)
        build_layer(&b, i);
    check_end(&b);
    if (program_verify(b.prog, err))
        return b.prog;
    program_free(b.prog);
    return NULL;
}
