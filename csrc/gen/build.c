/* From a case to its program: regions, memory content, register writes, waits.
 *
 * A unit's n-th use takes register group n mod 2. Before it is programmed its stream waits for the end of the layer two
 * uses ago; before a reading DMA is armed its stream waits for the layers whose output it reads; everything else runs
 * ahead. Spec: 98-measured-rules section 2, 85-driver-sequences sections 2 and 5.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/engine.h"
#include "gen/gen.h"
#include "nvdla_offsets.h"
#include "trace/alloc.h"
#include "trace/verify.h"

/* Salts of a layer's content. */
enum role { ROLE_INPUT, ROLE_PLANE, ROLE_WEIGHTS, ROLE_OPERAND, ROLE_OPERAND_2 };

enum { ARENAS = 4, GUARD = 64 /* bytes at least between regions */ };
#define FIRST_PRIMARY UINT64_C(0x80000000)
#define FIRST_SECONDARY UINT64_C(0x50000000)
#define ARENA_STEP UINT64_C(0x10000000)

struct builder {
    const struct gen_case *gen;
    struct gen_shape *shapes;
    struct program *prog;
    struct rng place;
    uint64_t arena[SPACE_COUNT][ARENAS];    /* next free address */
    int uses[NVDLA_UNIT_COUNT];             /* of the unit so far */
    int final_event[GEN_LAYERS];            /* raised when the layer's output is in memory */
    int user[NVDLA_UNIT_COUNT][GEN_LAYERS]; /* layer of the n-th use */
};

/* ---- memory --------------------------------------------------------------------------------------------------------
 */

static void open_arenas(struct builder *b) {
    static const uint64_t high[] = {0, 0, 1, 0x80, 0x7fff};
    for (int space = 0; space < SPACE_COUNT; space++) {
        for (int i = 0; i < ARENAS; i++) {
            uint64_t first = space == SPACE_PRIMARY ? FIRST_PRIMARY : FIRST_SECONDARY;
            b->arena[space][i] = first + (uint64_t)i * ARENA_STEP;
            if (b->gen->config->addr_bits > 32 && b->gen->place)
                b->arena[space][i] |= high[rng_range(&b->place, 0, 4)] << 32;
        }
    }
}

/* A region of its own. Returns its base. */
static uint64_t place(struct builder *b, bool secondary, uint64_t size) {
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
    uint64_t base = (*next + gap + atom - 1) / atom * atom;
    *next = base + size;
    return base;
}

static int memory_stream(struct builder *b) {
    return program_stream(b->prog, "memory");
}

/* Loads `size` bytes of elements in a style. Returns the base of the region. */
static uint64_t load(struct builder *b, const struct gen_layer *layer, enum role role, bool secondary, uint64_t size,
                     enum nvdla_precision precision, int64_t style) {
    struct rng rng = rng_make((uint64_t)layer->seed, role);
    uint8_t *bytes = trace_alloc((size_t)size);
    gen_fill(bytes, (size_t)size / (size_t)gen_element_bytes(precision), precision, style, &rng);
    struct op op = op_make(OP_MEM_LOAD, 0);
    struct blob *blob = program_blob(b->prog, blob_new(NULL));
    blob_append(blob, 0, bytes, (size_t)size);
    free(bytes);
    op.stream = (uint16_t)memory_stream(b);
    op.space = secondary ? SPACE_SECONDARY : SPACE_PRIMARY;
    op.base = place(b, secondary, size);
    op.blob = blob;
    op.size = blob->extent;
    program_append(b->prog, &op);
    return op.base;
}

static void place_output(struct builder *b, const struct gen_layer *layer, struct gen_shape *shape) {
    if (layer->in_place) {
        shape->out.base = shape->in.base;
        return;
    }
    struct op op = op_make(OP_MEM_FILL, 0);
    op.stream = (uint16_t)memory_stream(b);
    op.space = shape->out_secondary ? SPACE_SECONDARY : SPACE_PRIMARY;
    op.size = cube_extent(&shape->out);
    op.base = place(b, shape->out_secondary, op.size);
    op.fill = (uint8_t)layer->out_fill;
    op.pattern = PATTERN_BYTE;
    program_append(b->prog, &op);
    shape->out.base = op.base;
}

static void place_conv(struct builder *b, const struct gen_layer *layer, struct gen_shape *shape) {
    const struct gen_shape *before = shape->previous_conv < 0 ? NULL : &b->shapes[shape->previous_conv];
    if (!shape->fetch && before) {
        shape->in = before->in;
        shape->in_secondary = before->in_secondary;
        for (int i = 0; i < 2; i++) {
            shape->plane_base[i] = before->plane_base[i];
            shape->plane_line[i] = before->plane_line[i];
        }
    } else if (layer->conv == GEN_IMAGE) {
        for (int i = 0; i < 2; i++)
            if (shape->plane_size[i])
                shape->plane_base[i] = load(b, layer, i == 0 ? ROLE_INPUT : ROLE_PLANE, shape->in_secondary,
                                            shape->plane_size[i], NVDLA_INT8, layer->in_data);
    }
    if (shape->fetch_weights)
        shape->weight_base = load(b, layer, ROLE_WEIGHTS, layer->weight_space != 0, shape->weight_bytes,
                                  (enum nvdla_precision)layer->precision, layer->weights);
    else if (before)
        shape->weight_base = before->weight_base;
}

static void place_layer(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    struct gen_shape *shape = &b->shapes[index];
    const struct gen_stage *stages[GEN_STAGES] = {&layer->bs, &layer->bn};
    bool reads_cube = layer->conv == GEN_FEATURE ? shape->fetch : !layer->conv;
    if (reads_cube && layer->source)
        shape->in.base = b->shapes[layer->source - 1].out.base;
    else if (reads_cube)
        shape->in.base = load(b, layer, ROLE_INPUT, shape->in_secondary, cube_extent(&shape->in),
                              gen_in_precision(layer), layer->in_data);
    if (layer->conv)
        place_conv(b, layer, shape);
    for (int i = 0; i < GEN_STAGES; i++) {
        struct cube *cube = &shape->operand[i];
        if (shape->components[i] && stages[i]->source)
            cube->base = b->shapes[stages[i]->source - 1].out.base;
        else if (shape->components[i])
            cube->base =
                load(b, layer, i == 0 ? ROLE_OPERAND : ROLE_OPERAND_2, shape->operand_secondary[i], cube_extent(cube),
                     !stages[i]->two_bytes            ? NVDLA_INT8
                     : layer->precision == NVDLA_FP16 ? NVDLA_FP16
                                                      : NVDLA_INT16,
                     stages[i]->data);
    }
    place_output(b, layer, shape);
}

/* ---- operations ----------------------------------------------------------------------------------------------------
 */

static int unit_stream(struct builder *b, enum nvdla_unit unit) {
    return program_stream(b->prog, nvdla_unit_names[unit]);
}

static void write_register(struct builder *b, enum nvdla_unit unit, uint32_t offset, uint32_t value, bool nposted) {
    struct op op = op_make(OP_WRITE, 0);
    op.stream = (uint16_t)unit_stream(b, unit);
    op.address = nvdla_unit_base(b->gen->config, unit) + offset;
    op.value = value;
    op.nposted = nposted;
    program_append(b->prog, &op);
}

static void wait_for(struct builder *b, enum nvdla_unit unit, int event) {
    struct op op = op_make(OP_SYNC_WAIT, 0);
    op.stream = (uint16_t)unit_stream(b, unit);
    op.event = event;
    program_append(b->prog, &op);
}

static void check(struct builder *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = op_make(OP_READ_CHECK, 0);
    op.stream = (uint16_t)unit_stream(b, unit);
    op.address = nvdla_unit_base(b->gen->config, unit) + offset;
    op.value = value;
    op.at_end = true;
    program_append(b->prog, &op);
}

/* The event that an interrupt raises, and a check_event so that the program is not over before. Returns the event. */
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
    op.stream = (uint16_t)memory_stream(b);
    op.after = event;
    program_append(b->prog, &op);
    return event;
}

/* Units in the order in which software arms them: consumers first. */
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

static void program_unit(struct builder *b, int index, enum nvdla_unit unit, const struct gen_registers *regs) {
    const struct gen_layer *layer = &b->gen->layers[index];
    size_t order[64];
    struct rng rng = rng_make((uint64_t)layer->order, unit);
    int use = b->uses[unit];
    if (layer->serial && index > 0)
        wait_for(b, unit, b->final_event[index - 1]);
    if (use >= 2)
        wait_for(b, unit, b->final_event[b->user[unit][use - 2]]);
    write_register(b, unit, CSC_S_POINTER, (uint32_t)use & 1, false);
    if (unit == (layer->cdp ? NVDLA_CDP : NVDLA_SDP) && gen_uses_table(layer) && layer->lut)
        load_tables(b, index, unit);
    for (size_t i = 0; i < regs->count; i++)
        order[i] = i;
    if (layer->order)
        rng_shuffle(&rng, order, regs->count);
    for (size_t i = 0; i < regs->count; i++)
        write_register(b, unit, regs->list[order[i]].offset, regs->list[order[i]].value,
                       layer->order && rng_chance(&rng, 4));
    b->user[unit][use] = index;
    b->uses[unit] = use + 1;
}

/* Layers whose output the unit's DMA reads. */
static void wait_for_sources(struct builder *b, int index, enum nvdla_unit unit) {
    const struct gen_layer *layer = &b->gen->layers[index];
    const struct gen_shape *shape = &b->shapes[index];
    bool main_input = unit == NVDLA_PDP_RDMA || unit == NVDLA_CDP_RDMA || (unit == NVDLA_CDMA && shape->fetch) ||
                      (unit == NVDLA_SDP_RDMA && !layer->conv);
    if (main_input && layer->source)
        wait_for(b, unit, b->final_event[layer->source - 1]);
    if (unit != NVDLA_SDP_RDMA)
        return;
    if (shape->components[0] && layer->bs.source)
        wait_for(b, unit, b->final_event[layer->bs.source - 1]);
    if (shape->components[1] && layer->bn.source)
        wait_for(b, unit, b->final_event[layer->bn.source - 1]);
}

static void arm(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    size_t order[ARMING];
    struct rng rng = rng_make((uint64_t)layer->arm, 0);
    for (size_t i = 0; i < ARMING; i++)
        order[i] = i;
    if (layer->arm)
        rng_shuffle(&rng, order, ARMING);
    for (size_t i = 0; i < ARMING; i++) {
        enum nvdla_unit unit = arming[order[i]];
        if (!uses(&b->shapes[index], unit))
            continue;
        wait_for_sources(b, index, unit);
        if (unit == NVDLA_CDMA && b->uses[unit] == 1) {
            struct op op = op_make(OP_POLL, 0);
            op.stream = (uint16_t)unit_stream(b, unit);
            op.address = nvdla_unit_base(b->gen->config, unit) + CDMA_S_CBUF_FLUSH_STATUS;
            op.value = CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK;
            program_append(b->prog, &op);
        }
        write_register(b, unit, arm_offset(unit), 1, false);
    }
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
    };
    const struct gen_shape *shape = &b->shapes[index];
    enum nvdla_unit last = uses(shape, NVDLA_CDP) ? NVDLA_CDP : uses(shape, NVDLA_PDP) ? NVDLA_PDP : NVDLA_SDP;
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

static void build_layer(struct builder *b, int index) {
    const struct gen_layer *layer = &b->gen->layers[index];
    struct gen_registers *units = trace_alloc(NVDLA_UNIT_COUNT * sizeof *units);
    for (int i = 0; i < NVDLA_UNIT_COUNT; i++)
        units[i].count = 0;
    if (layer->conv)
        gen_conv_registers(b->gen, index, b->shapes, units);
    if (layer->sdp)
        gen_sdp_registers(b->gen, index, b->shapes, units);
    if (layer->pdp)
        gen_pdp_registers(b->gen, index, b->shapes, units);
    if (layer->cdp)
        gen_cdp_registers(b->gen, index, b->shapes, units);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (uses(&b->shapes[index], unit))
            program_unit(b, index, unit, &units[unit]);
    free(units);
    expect_interrupts(b, index);
    arm(b, index);
}

/* Reads a counter of the group that was programmed last, for whoever compares register reads. */
static void read_counter(struct builder *b, enum nvdla_unit unit, uint32_t offset) {
    if (b->uses[unit] == 0)
        return;
    struct op op = op_make(OP_READ, 0);
    op.stream = (uint16_t)unit_stream(b, unit);
    op.address = nvdla_unit_base(b->gen->config, unit) + offset;
    op.at_end = true;
    program_append(b->prog, &op);
}

/* At the end every unit is idle and its pointers stand where the number of layers says. */
static void check_end(struct builder *b) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        uint32_t count = (uint32_t)b->uses[unit];
        if (count == 0)
            continue;
        check(b, unit, CSC_S_STATUS, 0);
        check(b, unit, CSC_S_POINTER, ((count - 1) & 1) | (count & 1) << 16);
    }
    read_counter(b, NVDLA_CACC, CACC_D_OUT_SATURATION);
    read_counter(b, NVDLA_SDP, SDP_D_STATUS);
    read_counter(b, NVDLA_SDP, SDP_D_PERF_OUT_SATURATION);
    for (uint32_t offset = CDP_D_PERF_LUT_UFLOW; offset <= CDP_D_PERF_LUT_LO_HIT; offset += 4)
        read_counter(b, NVDLA_CDP, offset);
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
    for (int i = 0; i < gen->count; i++)
        build_layer(&b, i);
    check_end(&b);
    if (program_verify(b.prog, err))
        return b.prog;
    program_free(b.prog);
    return NULL;
}
