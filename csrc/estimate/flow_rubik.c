/* RUBIK of a flow: blocks of up to 64 atoms fill one half of a buffer while the other half leaves with rows and columns
 * exchanged. See flow.h. Spec: 66-rubik sections 3 to 6. */
#include <math.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

enum { HALVES = 2, PHASES = 8, COLUMNS = 64 };

/* ---- blocks ---- */

static int block_columns(const struct rubik_cubes *cubes) {
    return cubes->mode == RUBIK_CONTRACT ? PHASES : COLUMNS;
}

/* Columns, and rows: phases or planes, of the walk's block. */
static int columns_of(const struct rubik_cubes *cubes, const struct flow_blocks *walk) {
    return (int)lesser((size_t)block_columns(cubes), (size_t)(cubes->width - walk->column));
}

static int rows_of(const struct rubik_cubes *cubes, const struct flow_blocks *walk) {
    if (cubes->mode == RUBIK_CONTRACT)
        return (int)lesser(PHASES, (size_t)(cubes->x_stride - walk->phase));
    const int lanes = (int)cubes->lanes, before = walk->surface * lanes;
    const int rest = cubes->in_channels - before;
    return rest < 1 ? lanes : (int)lesser((size_t)lanes, (size_t)rest);
}

/* To the next block: phases in x, columns, phases in y, lines, surfaces. */
static void next_block(const struct rubik_cubes *cubes, struct flow_blocks *walk) {
    walk->row = 0;
    if ((walk->phase += PHASES) < cubes->x_stride)
        return;
    walk->phase = 0;
    if ((walk->column += block_columns(cubes)) < cubes->width)
        return;
    walk->column = 0;
    if (++walk->line_phase < cubes->y_stride)
        return;
    walk->line_phase = 0;
    if (++walk->line < cubes->height)
        return;
    walk->line = 0;
    walk->over = ++walk->surface == cubes->surfaces;
}

/* Atoms of so many elements of planes. */
static uint32_t plane_atoms(const struct rubik_cubes *cubes, int columns) {
    return (uint32_t)ceil_div((size_t)columns, cubes->lanes);
}

/* Atoms of a row of a block as it is read. */
static uint32_t row_atoms(const struct rubik_cubes *cubes, const struct flow_blocks *walk) {
    const int columns = columns_of(cubes, walk);
    return cubes->mode == RUBIK_MERGE ? plane_atoms(cubes, columns) : (uint32_t)columns;
}

/* Requests of a block: a row each, but split reads all at once. */
static int row_count(const struct rubik_cubes *cubes, const struct flow_blocks *walk) {
    return cubes->mode == RUBIK_SPLIT ? 1 : rows_of(cubes, walk);
}

/* ---- reading ---- */

/* Address of the walk's row. */
static uint64_t row_address(const struct rubik_cubes *cubes, const struct flow_blocks *walk, uint64_t atom) {
    const struct cube *cube = &cubes->source.cube;
    const bool merge = cubes->mode == RUBIK_MERGE;
    const uint64_t surface = cube->surface_stride * (uint64_t)walk->surface * (merge ? cubes->lanes : 1);
    const uint64_t phase = (uint64_t)(walk->line_phase * cubes->x_stride + walk->phase + walk->row);
    const uint64_t row = merge ? (uint64_t)walk->row * cube->surface_stride : phase * cubes->phase;
    const uint64_t column = atom * (merge ? plane_atoms(cubes, walk->column) : (uint64_t)walk->column);
    return cube->base + surface + cube->line_stride * (uint64_t)walk->line + (cubes->mode == RUBIK_SPLIT ? 0 : row) +
           column;
}

static bool next_row(struct flow *flow, struct flow_reader *reader) {
    const struct rubik_cubes *cubes = &flow->rubik.cubes;
    struct flow_blocks *walk = &flow->rubik.asked;
    if (walk->over)
        return false;
    reader->walk = flow_walk_of(row_address(cubes, walk, (uint64_t)flow->dev.config->mem_atom), row_atoms(cubes, walk));
    if (++walk->row == row_count(cubes, walk))
        next_block(cubes, walk);
    return true;
}

/* Takes what has come, a beat a clock; words of two atoms of a row that begins in the upper half of a beat wait for the
 * next one. Returns when there is more. */
static double fill(struct flow *flow, struct flow_reader *reader) {
    struct flow_rubik *rubik = &flow->rubik;
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom, port = flow->ports[!reader->primary].bytes;
    const uint32_t together = port > atom ? port / atom : 1;
    while (!rubik->in.over && rubik->full < HALVES) {
        const uint32_t left = row_atoms(&rubik->cubes, &rubik->in) - rubik->in_atoms;
        const uint32_t atoms = (uint32_t)lesser(together, left);
        const bool upper = together == 2 && !rubik->in_atoms && row_address(&rubik->cubes, &rubik->in, atom) / atom % 2;
        const double come = flow_later(flow_atom(flow, reader, atoms - 1), rubik->in_at) + upper;
        if (come > flow->now)
            return come;
        for (uint32_t i = 0; i < atoms; i++)
            flow_take(flow, reader, flow->now);
        rubik->launch->clocks[FLOW_INPUT] += flow->now - rubik->in_at;
        rubik->in_at = flow->now + 1;
        rubik->in_atoms += atoms;
        if (atoms < left)
            continue;
        rubik->in_atoms = 0;
        if (++rubik->in.row == row_count(&rubik->cubes, &rubik->in)) {
            next_block(&rubik->cubes, &rubik->in);
            rubik->full++;
            rubik->out_at = flow_later(rubik->out_at, rubik->full == 1 ? rubik->in_at : 0);
        }
    }
    return FLOW_NEVER;
}

/* ---- writing ---- */

/* Writes atoms that follow each other, a beat a clock; of words of two atoms to an upper half the end needs one more.
 */
static void write_atoms(struct flow *flow, uint64_t address, uint32_t atoms) {
    struct flow_rubik *rubik = &flow->rubik;
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    const uint32_t port = flow->ports[!rubik->cubes.destination.primary].bytes,
                   together = port > atom ? port / atom : 1;
    flow_command(flow, flow_output_writer(&rubik->output));
    if (together == 2 && atoms % 2 == 0 && address / atom % 2)
        rubik->out_at += 1;
    for (uint32_t i = 0; i < atoms; i++) {
        const double end = rubik->out_at + 1;
        const double taken = flow_write(flow, flow_output_writer(&rubik->output), address + i * atom, end);
        rubik->launch->clocks[FLOW_OUTPUT] += taken - end;
        if ((i + 1) % together == 0 || i + 1 == atoms) {
            rubik->launch->clocks[FLOW_PIPE] += 1;
            rubik->out_at = taken;
        }
    }
}

/* A full half leaves. */
static void empty(struct flow *flow) {
    struct flow_rubik *rubik = &flow->rubik;
    const struct rubik_cubes *cubes = &rubik->cubes;
    const struct cube *cube = &cubes->destination.cube;
    const struct flow_blocks *walk = &rubik->out;
    const uint64_t atom = (uint64_t)flow->dev.config->mem_atom;
    const int columns = columns_of(cubes, walk), rows = rows_of(cubes, walk);
    const bool split = cubes->mode == RUBIK_SPLIT, contract = cubes->mode == RUBIK_CONTRACT;
    const uint64_t line = cube->base + cube->surface_stride * (uint64_t)walk->surface * (split ? cubes->lanes : 1) +
                          cube->line_stride * (uint64_t)(walk->line * cubes->y_stride + walk->line_phase);
    if (contract && cubes->x_stride <= PHASES)
        write_atoms(flow, line + atom * (uint64_t)(walk->column * cubes->x_stride), (uint32_t)(columns * rows));
    for (int c = 0; contract && cubes->x_stride > PHASES && c < columns; c++)
        write_atoms(flow, line + atom * (uint64_t)((walk->column + c) * cubes->x_stride + walk->phase), (uint32_t)rows);
    for (int r = 0; split && r < rows; r++)
        write_atoms(flow, line + (uint64_t)r * cube->surface_stride + atom * plane_atoms(cubes, walk->column),
                    plane_atoms(cubes, columns));
    if (!contract && !split)
        write_atoms(flow, line + atom * (uint64_t)walk->column, (uint32_t)columns);
    next_block(cubes, &rubik->out);
}

/* ---- life ---- */

static bool begin(struct flow *flow) {
    struct flow_rubik *rubik = &flow->rubik;
    struct flow_reader *reader = &flow->readers[FLOW_RUBIK_READ];
    const struct flow_walk nothing = {.over = true};
    if (rubik->output.ordinal[0] || rubik->output.ordinal[1]) /* the layer before is not answered */
        return false;
    rubik->launch = flow_begin(flow, NVDLA_RBK, &rubik->ordinal);
    const struct registers_view view = flow_view(flow, NVDLA_RBK, rubik->ordinal);
    rubik->cubes = rubik_cubes(&view);
    rubik->asked = rubik->in = rubik->out = (struct flow_blocks){.over = rubik->cubes.mode == RUBIK_UNDEFINED};
    rubik->in_at = rubik->out_at = flow->now + flow->law[LAW_MOVE_BEGIN];
    rubik->in_atoms = 0;
    rubik->full = 0;
    rubik->busy = true;
    flow_output_begin(&rubik->output, FLOW_RUBIK, rubik->cubes.destination.primary);
    flow_read(flow, FLOW_RUBIK_READ, &nothing, rubik->cubes.source.primary, rubik->launch);
    reader->more = next_row;
    return true;
}

double flow_rubik_step(struct flow *flow) {
    struct flow_rubik *rubik = &flow->rubik;
    const double answered = flow_output_step(flow, &rubik->output, NVDLA_RBK);
    if (!rubik->busy && flow_armed(flow, NVDLA_RBK) > flow->now)
        return fmin(answered, flow_armed(flow, NVDLA_RBK));
    if (!rubik->busy && !begin(flow))
        return answered;
    for (;;) {
        const double more = fill(flow, &flow->readers[FLOW_RUBIK_READ]);
        if (rubik->out_at > flow->now)
            return more < rubik->out_at ? more : rubik->out_at;
        if (rubik->leaves) {
            rubik->leaves = false;
            rubik->full--;
            continue;
        }
        if (rubik->out.over)
            break;
        if (!rubik->full)
            return more;
        empty(flow);
        rubik->leaves = true;
    }
    rubik->busy = flow->readers[FLOW_RUBIK_READ].busy = false;
    flow_output_end(flow, &rubik->output, rubik->ordinal);
    flow_release(flow, NVDLA_RBK);
    return flow->now + 1;
}
