/* BDMA of a flow: what is read is written, line by line. See flow.h. Spec: 64-bdma. */
#include "estimate/flow.h"

/* BDMA: the source of the next descriptor. */
static bool next_descriptor(struct flow *flow, struct flow_reader *reader) {
    struct launch_block block;
    const struct launch *launch = layer_tracker_find(flow->tracker, NVDLA_BDMA, flow->bdma.ordinal);
    if (!launch_block(flow->dev.config, launch, reader->more_index++, &block))
        return false;
    reader->walk = flow_walk_of(block.source.base, (uint32_t)block.source.width);
    flow_walk_loop(&reader->walk, 0, (uint32_t)block.source.height, block.source.line_stride);
    flow_walk_loop(&reader->walk, 1, (uint32_t)cube_surfaces(&block.source), block.source.surface_stride);
    reader->next_primary = block.source_primary;
    return true;
}

double flow_move_read_step(struct flow *flow, enum flow_process process) {
    return flow->readers[process].busy ? flow_read_step(flow, &flow->readers[process]) : FLOW_NEVER;
}

/* The next descriptor is written. False: there is none. */
static bool begin_block(struct flow *flow) {
    struct flow_move *move = &flow->bdma;
    const struct launch *launch = layer_tracker_find(flow->tracker, NVDLA_BDMA, move->ordinal);
    move->column = move->line = move->surface = 0;
    return launch_block(flow->dev.config, launch, move->index++, &move->block);
}

/* To the atom after one. False: it was the last one of the launch. */
static bool next_atom(struct flow *flow) {
    struct flow_move *move = &flow->bdma;
    const struct cube *cube = &move->block.destination;
    if (++move->column < cube->width)
        return true;
    move->at += flow->law[LAW_MOVE_LINE];
    move->column = 0;
    if (++move->line < cube->height)
        return true;
    move->line = 0;
    return ++move->surface < (int)cube_surfaces(cube) || begin_block(flow);
}

/* Clocks of a line beyond its words, before its first atom. Words of two atoms: one that begins in the upper half of a
 * beat waits for the next beat; the end of one that goes to an upper half needs a beat of its own. */
static double line_clocks(const struct flow_move *move, int together) {
    const struct cube *source = &move->block.source, *destination = &move->block.destination;
    if (move->column || together != 2)
        return 0;
    const uint64_t atom = (uint64_t)source->atom;
    const bool upper_from = cube_atom_address(source, move->surface, move->line, 0) / atom % 2;
    const bool upper_to = cube_atom_address(destination, move->surface, move->line, 0) / atom % 2;
    return upper_from || (upper_to && destination->width % 2 == 0);
}

/* Copies what has come. *over: all of it. */
static double move_step(struct flow *flow, struct flow_reader *reader, bool *over) {
    enum { AHEAD = 8 };
    struct flow_move *move = &flow->bdma;
    const int together = (int)(flow->ports[!reader->primary].bytes / (uint32_t)flow->dev.config->mem_atom);
    for (;;) {
        const double memory = flow_write_to(flow, flow_output_writer(&move->output), move->block.destination_primary);
        if (memory > flow->now)
            return memory;
        const bool last = move->column + 1 == move->block.destination.width;
        const double clocks = last || together < 2 || move->column % together == together - 1 ? 1 : 0;
        const double come = flow_atom(flow, reader, 0),
                     start = flow_later(come, move->at) + line_clocks(move, together);
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        if (start > flow->now + AHEAD)
            return start;
        flow_take(flow, reader, start);
        const double end = start + clocks;
        if (move->column == 0)
            flow_command(flow, flow_output_writer(&move->output));
        const double taken =
            flow_write(flow, flow_output_writer(&move->output),
                       cube_atom_address(&move->block.destination, move->surface, move->line, move->column), end);
        move->launch->clocks[FLOW_INPUT] += start - move->at;
        move->launch->clocks[FLOW_PIPE] += clocks;
        move->launch->clocks[FLOW_OUTPUT] += taken - end;
        move->at = taken;
        if (!next_atom(flow)) {
            *over = true;
            return flow->now;
        }
    }
}

static bool begin_move(struct flow *flow) {
    struct flow_move *move = &flow->bdma;
    const struct flow_walk nothing = {.over = true};
    const bool answered = !move->output.ordinal[0] && !move->output.ordinal[1];
    if (!answered || !layer_tracker_find(flow->tracker, NVDLA_BDMA, move->next))
        return false;
    move->ordinal = move->next++;
    move->launch = flow->launches[NVDLA_BDMA].items[move->ordinal];
    move->at = flow->now + flow->law[LAW_MOVE_BEGIN];
    move->index = 0;
    move->busy = true;
    move->over = !begin_block(flow);
    flow_read(flow, FLOW_BDMA_READ, &nothing, move->block.source_primary, move->launch);
    flow->readers[FLOW_BDMA_READ].more = next_descriptor;
    flow_output_begin(&move->output, FLOW_BDMA, move->block.destination_primary);
    return true;
}

double flow_bdma_step(struct flow *flow) {
    struct flow_move *move = &flow->bdma;
    struct flow_reader *reader = &flow->readers[FLOW_BDMA_READ];
    const double next = flow_output_step(flow, &move->output, NVDLA_BDMA);
    if (!move->busy && !begin_move(flow))
        return next;
    const double more = move->over ? FLOW_NEVER : move_step(flow, reader, &move->over);
    if (!move->over)
        return more;
    if (move->at > flow->now)
        return move->at;
    move->busy = reader->busy = false;
    flow_output_end(flow, &move->output, move->ordinal);
    return flow->now + 1;
}
