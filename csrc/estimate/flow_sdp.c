/* SDP and SDP_RDMA of a flow. See flow.h. Spec: 50-sdp. */
#include <math.h>

#include "estimate/flow.h"
#include "layers/pairing.h"
#include "nvdla/sizes.h"

/* ---- SDP_RDMA ---- */

/* The requests of an operand: for each element one line after the other, else one for all surfaces. */
static void read_operands(struct flow *flow, int stage, const struct sdp_rdma_cubes *cubes) {
    const struct sdp_operands *operands = &cubes->operands[stage];
    const struct sdp_shape *shape = &cubes->shape;
    const size_t atom = (size_t)flow->dev.config->mem_atom;
    const size_t bytes = (size_t)shape->lanes * (size_t)operands->components * operands->component_bytes;
    struct flow_walk walk;
    flow->rdma.atoms[stage] = (uint32_t)ceil_div(bytes, atom);
    if (operands->per_element) {
        walk = flow_walk_of(operands->base, (uint32_t)ceil_div((size_t)shape->width * bytes, atom));
        flow_walk_loop(&walk, 0, (uint32_t)shape->height, operands->line_stride);
        flow_walk_loop(&walk, 1, (uint32_t)shape->surfaces, operands->surface_stride);
    } else
        walk = flow_walk_of(operands->base, (uint32_t)ceil_div((size_t)shape->surfaces * bytes, atom));
    flow_read(flow, (enum flow_process)(FLOW_SDP_BS + stage), &walk, operands->primary, flow->rdma.launch);
}

static void read_main(struct flow *flow, const struct sdp_rdma_cubes *cubes) {
    const struct cube *cube = &cubes->source.cube;
    const uint32_t surfaces = (uint32_t)cube_surfaces(cube);
    const bool packed = cube->width == 1 && cube->height == 1;
    struct flow_walk walk = flow_walk_of(cube->base, packed ? surfaces : (uint32_t)cube->width);
    if (!packed) {
        flow_walk_loop(&walk, 0, (uint32_t)cube->height, cube->line_stride);
        flow_walk_loop(&walk, 1, surfaces, cube->surface_stride);
    }
    flow->rdma.main_atoms = surfaces / (uint32_t)cubes->shape.surfaces;
    flow->rdma.main_atoms = flow->rdma.main_atoms ? flow->rdma.main_atoms : 1;
    flow_walk_loop(&walk, 2, cube->batches > 1 ? (uint32_t)cube->batches : 1, cube->batch_stride);
    flow_read(flow, FLOW_SDP_MAIN, &walk, cubes->source.primary, flow->rdma.launch);
}

static void begin_rdma(struct flow *flow) {
    struct flow_rdma *rdma = &flow->rdma;
    rdma->launch = flow_begin(flow, NVDLA_SDP_RDMA, &rdma->ordinal);
    const struct registers_view view = flow_view(flow, NVDLA_SDP_RDMA, rdma->ordinal);
    struct sdp_rdma_cubes cubes = sdp_rdma_cubes(&view);
    rdma->busy = true;
    rdma->claimed = false;
    rdma->main = !cubes.shape.flying;
    for (int stage = 0; stage < SDP_STAGES; stage++) {
        if (cubes.shape.width == 1 && cubes.shape.height == 1) /* packed; spec: section 4 */
            cubes.operands[stage].per_element = false;
        rdma->operands[stage] = cubes.operands[stage];
        if (cubes.operands[stage].enabled)
            read_operands(flow, stage, &cubes);
    }
    if (rdma->main)
        read_main(flow, &cubes);
    flow_wake(flow, FLOW_SDP, flow->now);
}

/* All that it reads has been taken. */
static bool rdma_over(const struct flow *flow) {
    for (int p = FLOW_SDP_MAIN; p <= FLOW_SDP_EW; p++)
        if (flow->readers[p].busy && !flow_read_over(&flow->readers[p]))
            return false;
    return true;
}

static void end_rdma(struct flow *flow) {
    if (!flow->rdma.busy || !flow->rdma.claimed || !rdma_over(flow))
        return;
    for (int p = FLOW_SDP_MAIN; p <= FLOW_SDP_EW; p++)
        flow->readers[p].busy = false;
    flow->rdma.busy = false;
    flow->rdma.launch->end = flow->now;
    flow_release(flow, NVDLA_SDP_RDMA);
    flow_wake(flow, FLOW_SDP_MAIN, flow->now + 1);
}

double flow_sdp_read_step(struct flow *flow, enum flow_process process) {
    if (!flow->rdma.busy && process == FLOW_SDP_MAIN) {
        if (flow_armed(flow, NVDLA_SDP_RDMA) > flow->now)
            return flow_armed(flow, NVDLA_SDP_RDMA);
        const double begin = flow->now + flow->law[LAW_SDP_READ];
        begin_rdma(flow);
        for (int p = FLOW_SDP_MAIN; p <= FLOW_SDP_EW; p++) {
            flow->wake[p] = FLOW_NEVER;
            flow_wake(flow, (enum flow_process)p, begin);
        }
        return FLOW_NEVER;
    }
    return flow->readers[process].busy ? flow_read_step(flow, &flow->readers[process]) : FLOW_NEVER;
}

/* ---- SDP ---- */

/* Clocks from the input to each stage and to the output. */
static void set_pipe(struct flow *flow, const struct registers_view *view) {
    double *pipe = flow->sdp.pipe;
    const double stage = flow->law[LAW_SDP_STAGE];
    const bool ew = nvdla_has(flow->dev.config, FEATURE_EW) && !FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS);
    pipe[SDP_BS] = 0;
    pipe[SDP_BN] = FIELD(view, SDP, D_DP_BS_CFG, BS_BYPASS) ? 0 : stage;
    pipe[SDP_EW] = pipe[SDP_BN] + (FIELD(view, SDP, D_DP_BN_CFG, BN_BYPASS) ? 0 : stage);
    pipe[SDP_STAGES] = flow->law[LAW_SDP_PIPE] + pipe[SDP_EW] + (ew ? 2 * stage : 0) +
                       (ew && !FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS) ? stage : 0);
}

/* False: the layer before the last is not answered. */
static bool begin_sdp(struct flow *flow) {
    struct flow_sdp *sdp = &flow->sdp;
    const struct nvdla_config *config = flow->dev.config;
    const int ordinal = register_group_ordinal(&flow->units[NVDLA_SDP]);
    const struct registers_view view = flow_view(flow, NVDLA_SDP, ordinal);
    const struct sdp_cubes cubes = sdp_cubes(&view);
    if (!flow_output_begin(&sdp->output, FLOW_SDP, cubes.destination.primary))
        return false;
    sdp->launch = flow_begin(flow, NVDLA_SDP, &sdp->ordinal);
    const bool ew = nvdla_has(config, FEATURE_EW) && !FIELD(&view, SDP, D_DP_EW_CFG, EW_BYPASS);
    const size_t most = (size_t)(ew ? config->sdp_ew_throughput : nvdla_sdp_lanes(config));
    sdp->busy = true;
    sdp->flying = cubes.shape.flying;
    sdp->to_pdp = cubes.to_pdp;
    sdp->writes = !cubes.to_pdp && !cubes.compare;
    sdp->reads = sdp_uses_rdma(&view);
    sdp->destination = cubes.destination;
    sdp->width = (uint32_t)cubes.shape.width;
    sdp->height = (uint32_t)cubes.shape.height;
    sdp->surfaces = (uint32_t)cubes.shape.surfaces;
    sdp->batches = (uint32_t)cubes.shape.batches;
    sdp->out_atoms = (uint32_t)cube_surfaces(&cubes.destination.cube) / sdp->surfaces;
    sdp->out_atoms = sdp->out_atoms ? sdp->out_atoms : 1;
    sdp->x = sdp->y = sdp->surface = sdp->batch = 0;
    sdp->beats = (double)ceil_div((size_t)cubes.shape.lanes, most);
    sdp->at = flow->now + flow->law[LAW_SDP_BEGIN];
    sdp->claimed = sdp->over = false;
    set_pipe(flow, &view);
    return true;
}

/* The first clock of an atom that takes the stage's operands one after the other. */
static double operand_time(const struct flow *flow, int stage) {
    const uint32_t atoms = flow->rdma.atoms[stage];
    double time = 0;
    for (uint32_t i = 0; i < atoms; i++) {
        const double come = flow_atom(flow, &flow->readers[FLOW_SDP_BS + stage], i);
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        time = flow_later(time, come - flow->sdp.beats * i / atoms);
    }
    return time + flow->law[LAW_SDP_OPERAND] - flow->sdp.pipe[stage];
}

/* When the next atom's input has come, and by *cause what comes last. */
static double input_time(const struct flow *flow, enum flow_cause *cause) {
    const struct flow_sdp *sdp = &flow->sdp;
    double time = FLOW_NEVER;
    *cause = FLOW_INPUT;
    if (!sdp->flying)
        time = flow_atom(flow, &flow->readers[FLOW_SDP_MAIN], flow->rdma.main_atoms - 1);
    else if (flow->rows.read < flow->rows.written)
        time = flow->rows.come[flow->rows.read % FLOW_ROWS];
    const bool first = sdp->x == 0 && sdp->y == 0 && sdp->batch == 0;
    for (int stage = 0; sdp->reads && stage < SDP_STAGES; stage++) {
        const struct sdp_operands *operands = &flow->rdma.operands[stage];
        if (!operands->enabled || (!operands->per_element && !first) || sdp->batch)
            continue;
        const double operand = operand_time(flow, stage);
        if (operand > time) {
            time = operand;
            *cause = FLOW_OPERANDS;
        }
    }
    return time;
}

/* Takes the input of an atom. */
static void take_input(struct flow *flow, double time) {
    struct flow_sdp *sdp = &flow->sdp;
    const bool first = sdp->x == 0 && sdp->y == 0 && sdp->batch == 0;
    for (uint32_t i = 0; !sdp->flying && i < flow->rdma.main_atoms; i++)
        flow_take(flow, &flow->readers[FLOW_SDP_MAIN], time + sdp->beats - 1);
    if (sdp->flying) {
        flow->rows.taken[flow->rows.read++ % FLOW_ROWS] = time + sdp->beats;
        flow_wake(flow, FLOW_CSC, flow->now);
    }
    for (int stage = 0; sdp->reads && stage < SDP_STAGES; stage++) {
        const struct sdp_operands *operands = &flow->rdma.operands[stage];
        struct flow_reader *reader = &flow->readers[FLOW_SDP_BS + stage];
        if (!operands->enabled || (!operands->per_element && !first) || sdp->batch)
            continue;
        for (uint32_t i = 0; i < flow->rdma.atoms[stage]; i++)
            flow_take(flow, reader, time + sdp->pipe[stage] + sdp->beats);
    }
}

/* Writes an atom, or gives it to PDP. Returns when the next one may follow. */
static double give_output(struct flow *flow, double time) {
    struct flow_sdp *sdp = &flow->sdp;
    const struct cube *cube = &sdp->destination.cube;
    double taken = time;
    if (sdp->writes && sdp->x == 0)
        flow_command(flow, flow_output_writer(&sdp->output));
    for (uint32_t i = 0; sdp->writes && i < sdp->out_atoms; i++) {
        const int surface = (int)(sdp->surface * sdp->out_atoms + i);
        taken = flow_write(flow, flow_output_writer(&sdp->output),
                           cube_atom_address(cube, surface, (int)sdp->y, (int)sdp->x) +
                               (uint64_t)sdp->batch * cube->batch_stride,
                           time);
    }
    if (!sdp->to_pdp)
        return taken;
    taken = flow_later(time, flow->now); /* later if PDP had no room */
    const double first =
        taken - fmin(sdp->beats, flow->pdp.beats) + 1; /* its first elements come before the last ones */
    flow->atoms.come[flow->atoms.written++ % FLOW_ROWS] = first;
    flow_wake(flow, FLOW_PDP, first);
    return taken;
}

/* Moves on by an atom. False: it was the last one. */
static bool move_on(struct flow_sdp *sdp) {
    if (++sdp->batch < sdp->batches)
        return true;
    sdp->batch = 0;
    if (++sdp->x < sdp->width)
        return true;
    sdp->x = 0;
    if (++sdp->y < sdp->height)
        return true;
    sdp->y = 0;
    return ++sdp->surface < sdp->surfaces;
}

/* PDP has not taken what it has room for. */
static bool pdp_is_full(const struct flow_sdp *sdp, const struct flow_rows *atoms) {
    enum { COLUMNS = 2 };
    return sdp->to_pdp && atoms->written >= atoms->read + COLUMNS;
}

/* *over: the last atom has been taken. */
static double atoms_step(struct flow *flow, bool *over) {
    struct flow_sdp *sdp = &flow->sdp;
    enum { AHEAD = 8 };
    for (;;) {
        enum flow_cause cause;
        const double come = input_time(flow, &cause);
        if (come >= FLOW_NEVER || pdp_is_full(sdp, &flow->atoms))
            return FLOW_NEVER;
        const double start = flow_later(come, sdp->at);
        if (start > flow->now + AHEAD)
            return start;
        take_input(flow, start);
        const double end = start + sdp->beats, out = end + sdp->pipe[SDP_STAGES], taken = give_output(flow, out);
        sdp->launch->clocks[cause] += start - sdp->at;
        sdp->launch->clocks[FLOW_STAGES] += sdp->beats;
        sdp->at = end;
        if (taken > out) {
            sdp->launch->clocks[FLOW_OUTPUT] += taken - out;
            sdp->at += taken - out;
        }
        if (!move_on(sdp)) {
            *over = true;
            return flow->now;
        }
    }
}

/* When SDP_RDMA has delivered its last operand. */
static double reads_end(const struct flow *flow) {
    double stage = 0;
    for (int s = 0; s < SDP_STAGES; s++)
        if (flow->rdma.operands[s].enabled)
            stage = flow->sdp.pipe[s];
    return flow->sdp.at + stage - 1;
}

/* The last atom has been taken. */
static void end_input(struct flow *flow) {
    if (flow->sdp.flying)
        flow_interrupt(flow, INTERRUPT_CACC, NVDLA_CACC, flow->csc.delivered++);
    flow->sdp.taken = true;
}

/* It has left the pipe: the group is free for the next layer. */
static void end_sdp(struct flow *flow) {
    struct flow_sdp *sdp = &flow->sdp;
    if (!sdp->writes) {
        flow_interrupt(flow, INTERRUPT_SDP, NVDLA_SDP, sdp->ordinal);
        flow_end(flow, NVDLA_SDP, sdp->ordinal, 0);
    } else
        flow_output_end(flow, &sdp->output, sdp->ordinal);
    sdp->busy = sdp->over = sdp->taken = false;
    flow_release(flow, NVDLA_SDP);
}

/* Claims what SDP_RDMA reads for the layer. False: it has not begun. */
static bool claim_rdma(struct flow *flow) {
    if (!flow->sdp.reads || flow->sdp.claimed)
        return true;
    if (!flow->rdma.busy || flow->rdma.claimed)
        return false;
    flow->rdma.claimed = flow->sdp.claimed = true;
    return true;
}

double flow_sdp_step(struct flow *flow) {
    struct flow_sdp *sdp = &flow->sdp;
    double next = flow_output_step(flow, &sdp->output, NVDLA_SDP);
    if (!sdp->busy) {
        const double armed = flow_armed(flow, NVDLA_SDP);
        if (armed > flow->now || !begin_sdp(flow))
            return armed > flow->now ? fmin(next, armed) : next;
    }
    if (!claim_rdma(flow))
        return next;
    if (!sdp->over) {
        const double more = atoms_step(flow, &sdp->over);
        if (!sdp->over)
            return fmin(next, more);
    }
    const double reads = reads_end(flow), end = sdp->at + sdp->pipe[SDP_STAGES] + 1;
    if (reads <= flow->now)
        end_rdma(flow);
    else
        next = fmin(next, reads);
    if (sdp->at > flow->now)
        return fmin(next, sdp->at);
    if (!sdp->taken)
        end_input(flow);
    if (end > flow->now)
        return fmin(next, end);
    end_sdp(flow);
    return flow->now + 1;
}
