/* BDMA and RUBIK of a flow: what is read is written, at the pace of the port. See flow.h. Spec: 64-bdma, 66-rubik. */
#include "estimate/flow.h"
#include "layers/traffic.h"

/* The lines of a cube. */
static struct flow_walk cube_walk(const struct cube *cube) {
    struct flow_walk walk = flow_walk_of(cube->base, (uint32_t)cube_columns(cube));
    flow_walk_loop(&walk, 0, (uint32_t)cube->height, cube->line_stride);
    flow_walk_loop(&walk, 1, (uint32_t)cube_surfaces(cube), cube->surface_stride);
    return walk;
}

/* BDMA: the source of the next descriptor. */
static bool next_descriptor(struct flow *flow, struct flow_reader *reader) {
    struct launch_block block;
    const struct launch *launch = layer_tracker_find(flow->tracker, NVDLA_BDMA, flow->bdma.ordinal);
    if (!launch_block(flow->dev.config, launch, reader->more_index++, &block))
        return false;
    reader->walk = cube_walk(&block.source);
    reader->walk.atoms = (uint32_t)block.source.width;
    return true;
}

/* What a layer of RUBIK or BDMA moves, in atoms, and the first address that it writes. */
static void begin_move(struct flow *flow, struct flow_move *move, enum nvdla_unit unit, enum flow_process process) {
    const struct nvdla_config *config = flow->dev.config;
    const struct launch *launch = layer_tracker_find(flow->tracker, unit, move->ordinal);
    const struct flow_walk nothing = {.over = true};
    struct flow_reader *reader = &flow->readers[process - 1];
    struct cube source = {0}, destination = {0};
    bool from = true, to = true;
    move->busy = true;
    move->done = move->atoms = move->read = 0;
    move->at = flow->now + flow->law[LAW_MOVE_BEGIN];
    if (unit == NVDLA_BDMA) {
        struct launch_block block;
        for (size_t i = 0; launch_block(config, launch, i, &block); i++) {
            move->atoms +=
                (uint64_t)block.source.width * (uint64_t)block.source.height * (uint64_t)cube_surfaces(&block.source);
            move->read = move->atoms;
            if (!i) {
                destination = block.destination;
                from = block.source_primary;
                to = block.destination_primary;
            }
        }
        flow_read(flow, process - 1, &nothing, from, move->launch);
        reader->more = next_descriptor;
    } else if (launch_input_cube(config, launch, &source, &from) &&
               launch_output_cube(config, launch, &destination, &to)) {
        struct flow_walk walk = cube_walk(&source);
        const uint64_t bytes = (uint64_t)source.atom * walk.atoms; /* planar lines are elements */
        walk.atoms = (uint32_t)((bytes + (uint64_t)config->mem_atom - 1) / (uint64_t)config->mem_atom);
        move->atoms = (uint64_t)walk.atoms * walk.count[0] * walk.count[1];
        move->read = move->atoms;
        const uint64_t written = launch_atoms(config, launch, NVDLA_WRITE_RUBIK);
        move->atoms = written > move->atoms ? written : move->atoms;
        flow_read(flow, process - 1, &walk, from, move->launch);
    }
    move->line = reader->walk.atoms ? reader->walk.atoms : 1;
    move->address = destination.base;
    flow_output_begin(&move->output, process, to);
}

double flow_move_read_step(struct flow *flow, enum flow_process process) {
    return flow->readers[process].busy ? flow_read_step(flow, &flow->readers[process]) : FLOW_NEVER;
}

/* Copies what has come. */
static double move_step(struct flow *flow, struct flow_move *move, struct flow_reader *reader) {
    enum { AHEAD = 8 };
    const uint32_t port = flow->ports[!reader->primary].bytes, atom = (uint32_t)flow->dev.config->mem_atom;
    const bool turns = reader->process == FLOW_RUBIK_READ; /* rows and columns, an atom a clock */
    const double clocks = port > atom && !turns ? (double)atom / port : 1;
    while (move->done < move->atoms) {
        const bool reads = move->done < move->read;
        const double come = reads ? flow_atom(flow, reader, 0) : 0, start = flow_later(come, move->at);
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        if (start > flow->now + AHEAD)
            return start;
        if (reads)
            flow_take(flow, reader, start);
        const double line = move->done % move->line == 0 ? flow->law[LAW_MOVE_LINE] : 0;
        const double end = start + clocks;
        const double taken = flow_write(flow, flow_output_writer(&move->output), move->address, end);
        move->launch->clocks[FLOW_INPUT] += start - move->at;
        move->launch->clocks[FLOW_PIPE] += clocks + line;
        move->launch->clocks[FLOW_OUTPUT] += taken - end;
        move->at = taken + line;
        move->address += (uint64_t)flow->dev.config->mem_atom;
        move->done++;
    }
    return flow->now;
}

static double mover_step(struct flow *flow, struct flow_move *move, enum flow_process process) {
    const double next = move_step(flow, move, &flow->readers[process - 1]);
    if (move->done < move->atoms)
        return next;
    if (move->at > flow->now)
        return move->at;
    move->busy = flow->readers[process - 1].busy = false;
    flow_output_end(flow, &move->output, move->ordinal);
    return flow->now + 1;
}

/* The next layer may begin: the one before is answered. */
static bool is_free(const struct flow_move *move) {
    return !move->output.ordinal[0] && !move->output.ordinal[1];
}

double flow_bdma_step(struct flow *flow) {
    struct flow_move *move = &flow->bdma;
    const double next = flow_output_step(flow, &move->output, NVDLA_BDMA);
    if (!move->busy) {
        if (!is_free(move) || !layer_tracker_find(flow->tracker, NVDLA_BDMA, move->next))
            return next;
        move->ordinal = move->next++;
        move->launch = flow->launches[NVDLA_BDMA].items[move->ordinal];
        begin_move(flow, move, NVDLA_BDMA, FLOW_BDMA);
    }
    return mover_step(flow, move, FLOW_BDMA);
}

double flow_rubik_step(struct flow *flow) {
    struct flow_move *move = &flow->rubik;
    const double answered = flow_output_step(flow, &move->output, NVDLA_RBK);
    if (!move->busy) {
        if (!is_free(move) || !register_group_running(&flow->units[NVDLA_RBK]))
            return answered;
        move->launch = flow_begin(flow, NVDLA_RBK, &move->ordinal);
        begin_move(flow, move, NVDLA_RBK, FLOW_RUBIK);
    }
    const double next = mover_step(flow, move, FLOW_RUBIK);
    if (!move->busy)
        flow_release(flow, NVDLA_RBK);
    return next;
}
