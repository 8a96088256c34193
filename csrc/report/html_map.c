/* Maps of what differs over the output cube of a layer: a picture for each surface (and batch), a cell for each atom of
 * it, or for a square of atoms where there would be too many. See html.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "report/html.h"
#include "report/json_text.h"

enum {
    MAPS = 6,        /* drawn; more are listed */
    CELLS = 4000,    /* of one map */
    PANELS = 32,     /* pictures of one map */
    ATOMS = 1 << 22, /* taken in of one map */
    ELEMENTS = 16    /* listed in words */
};

/* Two memories that should be the same over an output. */
struct pair {
    enum memory_space space;
    const struct memory *expected, *got;
    const char *expected_name, *got_name;
    const struct launch_output *output; /* NULL: of no layer */
    uint64_t cycle;                     /* of the first wrong beat */
    const struct memory *reached;       /* of that run: where what the launch had written can be seen; else NULL */
    uint64_t base, end;                 /* what is compared */
    uint64_t count, first;              /* bytes that differ, as the report counts them, and the first of them */
};

/* An atom, or a square of them, with bytes that differ. */
struct cell {
    int batch, surface, line, column;
    uint32_t count;
    uint64_t first; /* address */
};

struct cells {
    struct cell *items;
    size_t count;
    int step; /* atoms along the side of a cell */
    bool cut; /* there were more than ATOMS */
};

static struct cells collect(const struct pair *pair) {
    struct cells cells = {.step = 1};
    uint64_t address = pair->base;
    while (address < pair->end && memory_next_difference(pair->got, pair->expected, address, &address) &&
           address < pair->end) {
        struct cube_element element;
        if (cube_locate(&pair->output->cube, address, &element)) {
            struct cell *last = cells.count ? &cells.items[cells.count - 1] : NULL;
            if (last && last->batch == element.batch && last->surface == element.surface &&
                last->line == element.line && last->column == element.column) {
                last->count++;
            } else if (cells.count == ATOMS) {
                cells.cut = true;
                break;
            } else {
                *xadd(cells.items, cells.count) = (struct cell){.batch = element.batch,
                                                                .surface = element.surface,
                                                                .line = element.line,
                                                                .column = element.column,
                                                                .count = 1,
                                                                .first = address};
            }
        }
        address++;
    }
    return cells;
}

static int cell_order(const void *left, const void *right) {
    const struct cell *a = left, *b = right;
    if (a->batch != b->batch)
        return a->batch < b->batch ? -1 : 1;
    if (a->surface != b->surface)
        return a->surface < b->surface ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Sorts the cells, and makes each twice as long and wide until there are few enough. Line and column become those of
 * the cell, in cells. */
static void coarsen(struct cells *cells) {
    for (bool again = true; again;) {
        if (cells->count > 0)
            qsort(cells->items, cells->count, sizeof *cells->items, cell_order);
        size_t kept = 0;
        for (size_t i = 0; i < cells->count; i++) {
            struct cell *last = kept ? &cells->items[kept - 1] : NULL;
            const struct cell *cell = &cells->items[i];
            if (last && last->batch == cell->batch && last->surface == cell->surface && last->line == cell->line &&
                last->column == cell->column) {
                last->count += cell->count;
                last->first = cell->first < last->first ? cell->first : last->first;
            } else
                cells->items[kept++] = *cell;
        }
        cells->count = kept;
        again = kept > CELLS;
        for (size_t i = 0; again && i < kept; i++) {
            cells->items[i].line /= 2;
            cells->items[i].column /= 2;
        }
        cells->step *= again ? 2 : 1;
    }
}

static unsigned byte_at(const struct memory *mem, uint64_t address) {
    uint8_t byte;
    memory_read(mem, address, &byte, 1);
    return byte;
}

/* A cell: [column, line] in cells, how many bytes of it differ, of how many inside the cube, then of the first that
 * differs its line, column and channel, the byte that was expected and the one that was got; and 1 if it is the first
 * of the map. */
static json_t *json_cell(const struct pair *pair, const struct cells *cells, const struct cell *cell) {
    const struct cube *cube = &pair->output->cube;
    struct cube_element element = {0};
    cube_locate(cube, cell->first, &element);
    int columns = cube_columns(cube) - cell->column * cells->step, lines = cube->height - cell->line * cells->step;
    columns = columns < cells->step ? columns : cells->step;
    lines = lines < cells->step ? lines : cells->step;
    return json_pack("[i, i, I, I, i, i, i, i, i, i]", cell->column, cell->line, (json_int_t)cell->count,
                     (json_int_t)columns * lines * cube->atom, element.line, element.column, element.channel,
                     (int)byte_at(pair->expected, cell->first), (int)byte_at(pair->got, cell->first),
                     cell->first == pair->first);
}

/* Column and line of the atoms of a surface that the launch had written before the first wrong beat. */
static json_t *json_reached(const struct pair *pair, const struct cells *cells, const struct cell *cell) {
    const struct cube *cube = &pair->output->cube;
    json_t *reached = json_array();
    if (!pair->reached || cells->step > 1 || (uint64_t)cube->height * (uint64_t)cube_columns(cube) > CELLS)
        return reached;
    for (int line = 0; line < cube->height; line++)
        for (int column = 0; column < cube_columns(cube); column++) {
            struct memory_origin origin;
            const uint64_t address =
                cube_atom_address(cube, cell->surface, line, column) + (uint64_t)cell->batch * cube->batch_stride;
            if (memory_origin_of(pair->reached, address, &origin) && origin.unit == (int)pair->output->launch->unit &&
                origin.ordinal == pair->output->launch->ordinal && origin.cycle < pair->cycle)
                json_array_append_new(reached, json_pack("[i, i]", column, line));
        }
    return reached;
}

/* The surfaces with differences, each with its cells. */
static void add_panels(json_t *json, const struct pair *pair) {
    struct cells cells = collect(pair);
    json_t *panels = json_array();
    size_t count = 0;
    coarsen(&cells);
    for (size_t from = 0, to; from < cells.count; from = to) {
        const struct cell *first = &cells.items[from];
        json_t *list = json_array();
        const bool drawn = count++ < PANELS;
        for (to = from;
             to < cells.count && cells.items[to].batch == first->batch && cells.items[to].surface == first->surface;
             to++)
            if (drawn)
                json_array_append_new(list, json_cell(pair, &cells, &cells.items[to]));
        if (drawn)
            json_array_append_new(panels,
                                  json_pack("{s:i, s:i, s:O, s:o}", "batch", first->batch, "surface", first->surface,
                                            "cells", list, "reached", json_reached(pair, &cells, first)));
        json_decref(list);
    }
    json_object_update_new(json, json_pack("{s:i, s:b, s:b, s:o, s:I}", "step", cells.step, "cut", cells.cut, "reaches",
                                           pair->reached != NULL, "panels", panels, "panel_count", (json_int_t)count));
    free(cells.items);
}

/* The first bytes that differ: address, element, expected, got. */
static json_t *json_elements(const struct pair *pair) {
    uint64_t address = pair->base;
    char place[REPORT_LINE] = "";
    json_t *list = json_array();
    for (int i = 0;
         i < ELEMENTS && memory_next_difference(pair->got, pair->expected, address, &address) && address < pair->end;
         i++, address++) {
        if (pair->output)
            report_element(pair->output, address, place, sizeof place);
        json_array_append_new(list, json_pack("[o, s, i, i]", json_sprintf("0x%08" PRIx64, address), place,
                                              (int)byte_at(pair->expected, address), (int)byte_at(pair->got, address)));
    }
    return list;
}

static json_t *json_line(const struct memory *mem, uint64_t address) {
    json_t *bytes = json_array();
    for (uint64_t i = 0; i < REPORT_ROW; i++)
        json_array_append_new(bytes, json_integer(byte_at(mem, address + i)));
    return bytes;
}

/* Lines of the bytes around the first that differs: address, expected, got. */
static json_t *json_window(const struct pair *pair) {
    const uint64_t base = report_window(pair->first);
    json_t *lines = json_array();
    for (uint64_t row = base; row != base + REPORT_WINDOW; row += REPORT_ROW)
        json_array_append_new(lines, json_pack("[o, o, o]", json_sprintf("0x%08" PRIx64, row),
                                               json_line(pair->expected, row), json_line(pair->got, row)));
    return lines;
}

static void add_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    char decoded[512];
    if (value != reg->reset)
        json_array_append_new(context, json_pack("[s, o, s]", reg->name, json_sprintf("0x%08" PRIx32, value),
                                                 nvdla_register_decode(reg, value, decoded, sizeof decoded)));
}

/* The registers of the layer and of what gave it its input, those at their reset value left out. */
static json_t *json_registers(const struct report *report, const struct launch_output *output) {
    const struct launch *launches[REPORT_FEEDERS + 1] = {output->launch};
    const int count = 1 + report_feeders(report, output->launch, launches + 1);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        char name[64], position[REPORT_POSITION];
        json_t *registers = json_array();
        report_each_register(report, launches[i], i ? -1 : output->block, add_register, registers);
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:o, s:o}", "launch", report_launch_name(launches[i], name, sizeof name),
                            "group", launches[i]->group, "position",
                            json_text(report_launch_position(report, launches[i], position, sizeof position)),
                            "registers", registers));
    }
    return list;
}

static json_t *json_map(const struct report *report, const struct pair *pair, int played) {
    char text[REPORT_LINE], position[REPORT_POSITION];
    json_t *json = json_pack("{s:s, s:o, s:I, s:o, s:i, s:i, s:s, s:s}", "space", memory_space_name(pair->space),
                             "base", json_sprintf("0x%08" PRIx64, pair->base), "count", (json_int_t)pair->count,
                             "first", json_sprintf("0x%08" PRIx64, pair->first), "expected",
                             (int)byte_at(pair->expected, pair->first), "got", (int)byte_at(pair->got, pair->first),
                             "expected_name", pair->expected_name, "got_name", pair->got_name);
    json_object_set_new(
        json, "origin",
        json_text(report_origin(report, played, pair->space, pair->first, pair->output, text, sizeof text)));
    json_object_set_new(json, "elements", json_elements(pair));
    json_object_set_new(json, "window", json_window(pair));
    if (!pair->output)
        return json;
    const struct cube *cube = &pair->output->cube;
    json_object_update_new(
        json,
        json_pack("{s:s, s:o, s:o}", "launch", report_launch_name(pair->output->launch, text, sizeof text), "position",
                  json_text(report_launch_position(report, pair->output->launch, position, sizeof position)),
                  "registers", json_registers(report, pair->output)));
    json_object_set_new(json, "element", json_string(report_element(pair->output, pair->first, text, sizeof text)));
    json_object_set_new(json, "cube",
                        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:o}", "width", cube->width, "columns",
                                  cube_columns(cube), "height", cube->height, "channels", cube->channels, "atom",
                                  cube->atom / cube->element_bytes, "surfaces", cube_surfaces(cube), "batches",
                                  cube->batches > 1 ? cube->batches : 1, "descriptor", pair->output->block >= 0, "base",
                                  json_sprintf("0x%08" PRIx64, cube->base)));
    add_panels(json, pair);
    return json;
}

/* The first wrong beat, at which the run was stopped: only its bytes are compared. */
static json_t *json_wrong(const struct report *report) {
    const struct wrong_beat *wrong = report->input.wrong;
    const struct axi_beat *beat = &wrong->beat;
    struct memory *images[2] = {memory_new(), memory_new()};
    uint64_t count = 0;
    for (int i = 0; i < beat->bytes; i++) {
        const bool is_wrong = wrong->wrong >> i & 1, known = wrong->known >> i & 1;
        /* For a byte of unknown value, one that it should not have. */
        const uint8_t expected = known ? wrong->expected[i] : (uint8_t)~wrong->got[i], got = wrong->got[i];
        count += is_wrong;
        memory_write(images[0], beat->address + (uint64_t)i, is_wrong ? &expected : &got, 1, NULL, NULL);
        memory_write(images[1], beat->address + (uint64_t)i, &got, 1, NULL, NULL);
    }
    const struct pair pair = {.space = (enum memory_space)beat->port,
                              .expected = images[0],
                              .got = images[1],
                              .expected_name = "the model",
                              .got_name = report->input.played[0].dev->name,
                              .output = report->wrong_output,
                              .cycle = beat->cycle,
                              .reached = report_memory(report, 0, (enum memory_space)beat->port),
                              .base = beat->address,
                              .end = beat->address + (uint64_t)beat->bytes,
                              .count = count,
                              .first = wrong->address};
    json_t *json = json_map(report, &pair, 0);
    memory_free(images[0]);
    memory_free(images[1]);
    return json;
}

/* Golden bytes that a device did not leave. */
static void add_golden(json_t *items, const struct report *report) {
    const struct report_input *in = &report->input;
    for (int p = 0; p < in->played_count; p++) {
        const struct play_result *result = in->played[p].result;
        for (size_t i = 0; i < result->failure_count && json_array_size(items) < MAPS; i++) {
            const struct op *op = &in->prog->ops[result->failures[i].op];
            if (op->kind != OP_MEM_CHECK)
                continue;
            struct memory *golden = report_golden(op);
            const uint64_t first = result->failures[i].first;
            const struct pair pair = {.space = op->space,
                                      .expected = golden,
                                      .got = in->played[p].dev->memory[op->space],
                                      .expected_name = "golden",
                                      .got_name = in->played[p].dev->name,
                                      .output = report_output(report, op->space, first),
                                      .base = first,
                                      .end = op->base + op->blob->extent,
                                      .count = result->failures[i].count,
                                      .first = first};
            json_array_append_new(items, json_map(report, &pair, p));
            memory_free(golden);
        }
    }
}

static json_t *json_mismatch(const struct report *report, const struct mismatch *mismatch) {
    const struct played *played = report->input.played;
    const struct pair pair = {.space = mismatch->space,
                              .expected = report_memory(report, 1, mismatch->space),
                              .got = report_memory(report, 0, mismatch->space),
                              .expected_name = played[1].dev->name,
                              .got_name = played[0].dev->name,
                              .output = mismatch->output,
                              .base = mismatch->base,
                              .end = mismatch->last + 1,
                              .count = mismatch->count,
                              .first = mismatch->first};
    return json_map(report, &pair, 0);
}

/* What differs between the devices; where nothing does, what differs from golden bytes. */
json_t *html_maps(const struct report *report) {
    const bool wrong = report->input.wrong != NULL;
    json_t *items = json_array();
    if (wrong)
        json_array_append_new(items, json_wrong(report));
    for (size_t i = 0; i < report->mismatch_count && i < MAPS; i++)
        json_array_append_new(items, json_mismatch(report, &report->mismatches[i]));
    if (report->mismatch_count == 0 && !wrong)
        add_golden(items, report);
    if (json_array_size(items) == 0) {
        json_decref(items);
        return NULL;
    }
    return json_pack("{s:b, s:o, s:I}", "first_wrong_beat", wrong, "items", items, "more",
                     (json_int_t)(report->mismatch_count > MAPS ? report->mismatch_count - MAPS : 0));
}
