/* Maps of what differs, drawn over the output cube of a layer: a picture for each surface (and batch), a cell for each
 * atom of it, or for a square of atoms where there would be too many. See html.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/html_parts.h"

enum {
    MAPS = 6,        /* drawn; more are listed */
    CELLS = 4000,    /* of one map */
    PANELS = 32,     /* pictures of one map */
    ATOMS = 1 << 22, /* taken in of one map */
    ELEMENTS = 16,   /* listed in words */
    PICTURE = 300,   /* pixels across at most, */
    CELL_MIN = 2,    /* of a cell at least */
    CELL_MAX = 18,   /* and at most */
    GRID_CELLS = 64  /* lines between cells up to so many across */
};

/* Two memories that should be the same over an output. */
struct pair {
    enum memory_space space;
    const struct memory *expected, *got;
    const char *expected_name, *got_name;
    const struct output *output;  /* NULL: of no layer */
    uint64_t cycle;               /* of the first wrong beat */
    const struct memory *reached; /* of that run: where what the launch had written can be seen; else NULL */
    uint64_t base, end;           /* what is compared */
    uint64_t count, first;        /* bytes that differ, as the report counts them, and the first of them */
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
                cells.items = xgrow(cells.items, cells.count, sizeof *cells.items);
                cells.items[cells.count++] = (struct cell){.batch = element.batch,
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

static int ceil_share(int value, int part) {
    return (value + part - 1) / part;
}

static unsigned byte_at(const struct memory *mem, uint64_t address) {
    uint8_t byte;
    memory_read(mem, address, &byte, 1);
    return byte;
}

/* A cell: how much of it differs (of the atoms that are inside the cube), and for the script its place and its first
 * byte. */
static void write_cell(FILE *out, const struct pair *pair, const struct cells *cells, const struct cell *cell,
                       uint64_t first) {
    const struct cube *cube = &pair->output->cube;
    struct cube_element element = {0};
    cube_locate(cube, cell->first, &element);
    int columns = cube_columns(cube) - cell->column * cells->step, lines = cube->height - cell->line * cells->step;
    columns = columns < cells->step ? columns : cells->step;
    lines = lines < cells->step ? lines : cells->step;
    const uint64_t all = (uint64_t)columns * (uint64_t)lines * (uint64_t)cube->atom;
    const double share = (double)cell->count / (double)all;
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"1\" height=\"1\" class=\"c%d%s\" data-n=\"%" PRIu32 "/%" PRIu64
            "\" data-b=\"%d,%d,%d,%02x,%02x\"/>\n",
            cell->column, cell->line,
            share < 0.34   ? 1
            : share < 0.67 ? 2
                           : 3,
            cell->first == first ? " first" : "", cell->count, all, element.line, element.column, element.channel,
            byte_at(pair->expected, cell->first), byte_at(pair->got, cell->first));
}

/* The atoms of a surface that the launch had written before the first wrong beat. */
static void write_reached(FILE *out, const struct pair *pair, const struct cells *cells, const struct cell *cell) {
    const struct cube *cube = &pair->output->cube;
    if (!pair->reached || cells->step > 1 || (uint64_t)cube->height * (uint64_t)cube_columns(cube) > CELLS)
        return;
    fputs("<path class=\"reached\" d=\"", out);
    for (int line = 0; line < cube->height; line++)
        for (int column = 0; column < cube_columns(cube); column++) {
            struct memory_origin origin;
            const uint64_t address =
                cube_atom_address(cube, cell->surface, line, column) + (uint64_t)cell->batch * cube->batch_stride;
            if (memory_origin_of(pair->reached, address, &origin) && origin.unit == (int)pair->output->launch->unit &&
                origin.ordinal == pair->output->launch->ordinal && origin.cycle < pair->cycle)
                fprintf(out, "M%d %dh1v1h-1z", column, line);
        }
    fputs("\"/>\n", out);
}

/* A surface: cells [from, to) are its. */
static void write_panel(FILE *out, const struct pair *pair, const struct cells *cells, size_t from, size_t to) {
    const struct cube *cube = &pair->output->cube;
    const struct cell *cell = &cells->items[from];
    const int width = ceil_share(cube_columns(cube), cells->step), height = ceil_share(cube->height, cells->step);
    const int longest = width > height ? width : height;
    const int atom = cube->atom / cube->element_bytes;
    int pixels = PICTURE / longest;
    pixels = pixels < CELL_MIN ? CELL_MIN : pixels > CELL_MAX ? CELL_MAX : pixels;
    uint64_t count = 0;
    const int last = (cell->surface + 1) * atom <= cube->channels ? (cell->surface + 1) * atom - 1 : cube->channels - 1;
    char title[128], number[HTML_NUMBER], batch[32] = "";
    bool has_first = false;
    for (size_t i = from; i < to; i++) {
        count += cells->items[i].count;
        has_first = has_first || cells->items[i].first == pair->first;
    }
    if (cube->batches > 1)
        snprintf(batch, sizeof batch, "batch %d, ", cell->batch);
    const int channel = cell->surface * atom;
    if (pair->output->block >= 0)
        snprintf(title, sizeof title, "surface %d", cell->surface);
    else if (last > channel)
        snprintf(title, sizeof title, "%ssurface %d, channels %d to %d", batch, cell->surface, channel, last);
    else
        snprintf(title, sizeof title, "%ssurface %d, channel %d", batch, cell->surface, channel);
    const char *differ = text_plural(count, "byte differs", "bytes differ");
    fprintf(out,
            "<figure%s><svg role=\"img\" preserveAspectRatio=\"xMinYMin\" aria-label=\"%s: %s %s\" "
            "viewBox=\"-0.1 -0.1 %d.2 %d.2\" width=\"%d\" height=\"%d\" data-step=\"%d\" data-surface=\"%d\" "
            "data-batch=\"%d\">\n<rect class=\"field\" width=\"%d\" height=\"%d\"/>\n",
            has_first ? " class=\"has-first\"" : "", title, html_count(count, number), differ, width, height,
            width * pixels, height * pixels, cells->step, cell->surface, cell->batch, width, height);
    write_reached(out, pair, cells, cell);
    size_t first = to;
    for (size_t i = from; i < to; i++)
        if (cells->items[i].first == pair->first)
            first = i;
        else
            write_cell(out, pair, cells, &cells->items[i], pair->first);
    if (longest <= GRID_CELLS) {
        fputs("<path class=\"grid\" d=\"", out);
        for (int x = 1; x < width; x++)
            fprintf(out, "M%d 0V%d", x, height);
        for (int y = 1; y < height; y++)
            fprintf(out, "M0 %dH%d", y, width);
        fputs("\"/>\n", out);
    }
    if (first < to) /* its frame lies over its neighbours */
        write_cell(out, pair, cells, &cells->items[first], pair->first);
    fprintf(out, "</svg><figcaption>%s<br><small>%s %s%s</small></figcaption></figure>\n", title, number, differ,
            has_first ? ", the first among them" : "");
}

static void write_panels(FILE *out, const struct pair *pair) {
    const struct cube *cube = &pair->output->cube;
    struct cells cells = collect(pair);
    size_t panels = 0, from = 0, to;
    coarsen(&cells);
    fputs("<p class=\"legend\"><span class=\"key c1\"></span> up to a third of the bytes of a cell differ <span "
          "class=\"key c2\"></span> up to two thirds <span class=\"key c3\"></span> more <span class=\"key first\">"
          "</span> the first that differs. ",
          out);
    if (pair->reached)
        fputs("<span class=\"key reached\"></span> written before it, and right. ", out);
    if (cells.step > 1)
        fprintf(out, "A cell is %d columns by %d lines. ", cells.step, cells.step);
    else
        fputs("A cell is an atom: a column of a line, with the channels of its surface. ", out);
    if (cells.cut)
        fputs("The map ends where there were too many to draw. ", out);
    fputs("Columns go to the right, lines down.</p>\n<div class=\"maps\">\n", out);
    for (; from < cells.count; from = to) {
        for (to = from; to < cells.count && cells.items[to].batch == cells.items[from].batch &&
                        cells.items[to].surface == cells.items[from].surface;)
            to++;
        if (panels++ < PANELS)
            write_panel(out, pair, &cells, from, to);
    }
    const size_t all = (size_t)cube_surfaces(cube) * (size_t)(cube->batches > 1 ? cube->batches : 1);
    fputs("</div>\n", out);
    if (panels > PANELS)
        fprintf(out, "<p>%zu more surfaces with differences are not drawn.</p>\n", panels - PANELS);
    if (all > panels && !pair->reached)
        fprintf(out, "<p>%zu of %zu surfaces are equal.</p>\n", all - panels, all);
    free(cells.items);
}

/* The first elements that differ, in words: what the map shows, for those who do not see it. */
static void write_elements(FILE *out, const struct pair *pair) {
    uint64_t address = pair->base;
    char place[REPORT_LINE];
    fputs("<details><summary>the first bytes that differ, as a list</summary><div class=\"scroll\"><table>"
          "<thead><tr><th>address</th><th>element</th><th>expected</th><th>got</th></tr></thead><tbody>\n",
          out);
    for (int i = 0;
         i < ELEMENTS && memory_next_difference(pair->got, pair->expected, address, &address) && address < pair->end;
         i++, address++) {
        fprintf(out, "<tr><td><code>0x%08" PRIx64 "</code></td><td>", address);
        if (pair->output)
            html_text(out, report_element(pair->output, address, place, sizeof place));
        fprintf(out, "</td><td><code>%02x</code></td><td><code>%02x</code></td></tr>\n",
                byte_at(pair->expected, address), byte_at(pair->got, address));
    }
    fputs("</tbody></table></div></details>\n", out);
}

/* A line of a hex window; bytes that differ are marked. */
static void write_row(FILE *out, const char *name, uint64_t address, const uint8_t *bytes, const uint8_t *other) {
    fprintf(out, "<tr><td>0x%08" PRIx64 "</td><th scope=\"row\">", address);
    html_text(out, name);
    fputs("</th>", out);
    for (int i = 0; i < REPORT_ROW; i++)
        fprintf(out, bytes[i] != other[i] ? "<td><mark>%02x</mark></td>" : "<td>%02x</td>", bytes[i]);
    fputs("</tr>\n", out);
}

static void write_window(FILE *out, const struct pair *pair) {
    const uint64_t base = report_window(pair->first), end = base + REPORT_WINDOW;
    fputs("<details><summary>bytes around the first that differs</summary><div class=\"scroll\"><table "
          "class=\"hex\"><tbody>\n",
          out);
    for (uint64_t row = base; row != end; row += REPORT_ROW) {
        uint8_t expected[REPORT_ROW], got[REPORT_ROW];
        memory_read(pair->expected, row, expected, REPORT_ROW);
        memory_read(pair->got, row, got, REPORT_ROW);
        write_row(out, pair->expected_name, row, expected, got);
        if (memcmp(expected, got, REPORT_ROW) != 0)
            write_row(out, pair->got_name, row, got, expected);
    }
    fputs("</tbody></table></div></details>\n", out);
}

static void write_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    FILE *out = context;
    char decoded[512];
    if (value == reg->reset)
        return;
    fprintf(out, "<tr><td>%s</td><td>0x%08" PRIx32 "</td><td>", reg->name, value);
    html_text(out, nvdla_register_decode(reg, value, decoded, sizeof decoded));
    fputs("</td></tr>\n", out);
}

/* The registers of the layer and of what gave it its input. */
static void write_registers(const struct page *page, const struct output *output) {
    const struct launch *launches[REPORT_FEEDERS + 1] = {output->launch};
    const int count = 1 + report_feeders(page->report, output->launch, launches + 1);
    FILE *out = page->out;
    fputs("<details><summary>registers of the layer</summary>\n", out);
    for (int i = 0; i < count; i++) {
        char name[64], position[REPORT_POSITION];
        fputs("<div class=\"scroll\"><table class=\"registers\"><caption>", out);
        html_printf(out, "%s, group %d, armed at %s", report_launch_name(launches[i], name, sizeof name),
                    launches[i]->group, report_launch_position(page->report, launches[i], position, sizeof position));
        fputs("; those at their reset value left out</caption><tbody>\n", out);
        report_each_register(page->report, launches[i], i ? -1 : output->block, write_register, out);
        fputs("</tbody></table></div>\n", out);
    }
    fputs("</details>\n", out);
}

static void write_map(const struct page *page, const struct pair *pair, int played) {
    FILE *out = page->out;
    char text[REPORT_LINE], position[REPORT_POSITION], number[HTML_NUMBER];
    fputs("<article><h3>", out);
    if (pair->output)
        html_printf(out, "%s, armed at %s", report_launch_name(pair->output->launch, text, sizeof text),
                    report_launch_position(page->report, pair->output->launch, position, sizeof position));
    else
        html_printf(out, "%s memory at 0x%08" PRIx64 ", of no layer", memory_space_name(pair->space), pair->base);
    fprintf(out, "</h3><p>%s %s between ", html_count(pair->count, number),
            text_plural(pair->count, "byte differs", "bytes differ"));
    html_text(out, pair->got_name);
    fputs(" and ", out);
    html_text(out, pair->expected_name);
    html_printf(out, "; the first lies at %s 0x%08" PRIx64, memory_space_name(pair->space), pair->first);
    if (pair->output)
        html_printf(out, ", %s", report_element(pair->output, pair->first, text, sizeof text));
    html_printf(out, ": expected 0x%02x, got 0x%02x; ", byte_at(pair->expected, pair->first),
                byte_at(pair->got, pair->first));
    html_text(out, report_origin(page->report, played, pair->space, pair->first, pair->output, text, sizeof text));
    fputs(".</p>\n", out);
    if (pair->output) {
        const struct cube *cube = &pair->output->cube;
        fprintf(out, "<p class=\"about\">Output: %d %s, %d %s, %d %s, %d %s at 0x%08" PRIx64 ".</p>\n", cube->width,
                text_plural((uint64_t)cube->width, "column", "columns"), cube->height,
                text_plural((uint64_t)cube->height, "line", "lines"), cube->channels,
                text_plural((uint64_t)cube->channels, "channel", "channels"), cube_surfaces(cube),
                text_plural((uint64_t)cube_surfaces(cube), "surface", "surfaces"), cube->base);
        write_panels(out, pair);
    }
    write_elements(out, pair);
    write_window(out, pair);
    if (pair->output)
        write_registers(page, pair->output);
    fputs("</article>\n", out);
}

/* The first wrong beat, at which the run was stopped: only its bytes are compared. */
static void write_wrong(const struct page *page) {
    const struct report *report = page->report;
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
    write_map(page, &pair, 0);
    memory_free(images[0]);
    memory_free(images[1]);
}

static const char what_differs[] = "What differs";

/* Golden bytes that a device did not leave. Returns whether there are any. */
static bool write_golden(const struct page *page) {
    const struct report *report = page->report;
    const struct report_input *in = &report->input;
    bool open = false;
    int maps = 0;
    for (int p = 0; p < in->played_count; p++) {
        const struct play_result *result = in->played[p].result;
        for (size_t i = 0; i < result->failure_count && maps < MAPS; i++) {
            const struct op *op = &in->prog->ops[result->failures[i].op];
            if (op->kind != OP_MEM_CHECK)
                continue;
            if (!open)
                html_section(page->out, "map", what_differs, NULL);
            open = true;
            maps++;
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
            write_map(page, &pair, p);
            memory_free(golden);
        }
    }
    return open;
}

/* What differs between the devices; where nothing does, what differs from golden bytes. */
void html_maps(const struct page *page) {
    const struct report *report = page->report;
    const struct report_input *in = &report->input;
    bool open = false;
    if (in->wrong) {
        html_section(page->out, "map", "The first wrong beat",
                     "The first beat in time that is wrong. What was to come after it is not compared.");
        write_wrong(page);
        open = true;
    }
    for (size_t i = 0; i < report->mismatch_count; i++) {
        const struct mismatch *mismatch = &report->mismatches[i];
        if (!open)
            html_section(page->out, "map", what_differs, NULL);
        open = true;
        if (i == MAPS) {
            fprintf(page->out, "<p>%zu more areas differ; report.txt lists them.</p>\n", report->mismatch_count - i);
            break;
        }
        const struct pair pair = {.space = mismatch->space,
                                  .expected = report_memory(report, 1, mismatch->space),
                                  .got = report_memory(report, 0, mismatch->space),
                                  .expected_name = in->played[1].dev->name,
                                  .got_name = in->played[0].dev->name,
                                  .output = mismatch->output,
                                  .base = mismatch->base,
                                  .end = mismatch->last + 1,
                                  .count = mismatch->count,
                                  .first = mismatch->first};
        write_map(page, &pair, 0);
    }
    if (report->mismatch_count == 0 && !in->wrong)
        open = write_golden(page);
    if (open)
        fputs("</section>\n", page->out);
}
