#include "report/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/tracker.h"
#include "memory/file.h"
#include "report/histograms.h"
#include "report/names.h"
#include "trace/launches.h"

enum {
    ROW = 16,            /* bytes in a line of a hex window */
    WINDOW_ROWS = 4,     /* lines of a hex window */
    POSITION = 512,      /* bytes of a "FILE:LINE" */
    LINE = 1024,         /* bytes of a line of text about one thing */
    DUMP_MAX = 1 << 26,  /* bytes of one dump at most */
    FAILURES_SHOWN = 50, /* failed checks in the text; the JSON has all */
};

/* Where a byte that differs belongs. */
enum area_kind { AREA_LAUNCH, AREA_REGION, AREA_OUTSIDE };

/* What a launch writes: one cube, BDMA one for every descriptor. */
struct output {
    size_t launch; /* index into the tracker's launches */
    int block;     /* descriptor of BDMA, else -1 */
    struct cube cube;
};

struct mismatch {
    enum memory_space space;
    enum area_kind kind;
    struct output output; /* AREA_LAUNCH */
    uint64_t base, size;  /* of the area */
    uint64_t count, first, last;
};

struct report {
    struct report_input input;
    struct layer_tracker *layers;
    struct mismatch *mismatches;
    size_t mismatch_count, mismatch_capacity;
    char reason[1024];
};

static struct memory *memory_of(const struct report *report, int played, enum memory_space space) {
    return report->input.played[played].dev->memory[space];
}

static const struct launch *launch_at(const struct report *report, const struct mismatch *mismatch) {
    return layer_tracker_launch(report->layers, mismatch->output.launch);
}

static const char *launch_name(const struct launch *launch, char *text, size_t size) {
    snprintf(text, size, "%s #%d", nvdla_unit_names[launch->unit], launch->ordinal);
    return text;
}

static const char *launch_position(const struct report *report, const struct launch *launch, char *text, size_t size) {
    return op_position(report->input.prog, &report->input.prog->ops[launch->tag], text, size);
}

/* What launch `index` writes where the byte lies, of BDMA the last descriptor that does; false if it writes none there.
 */
static bool find_output(const struct report *report, size_t index, enum memory_space space, uint64_t address,
                        struct output *output) {
    const struct nvdla_config *config = report->input.prog->config;
    const struct launch *launch = layer_tracker_launch(report->layers, index);
    struct cube_element element;
    struct launch_block block;
    bool primary;
    *output = (struct output){.launch = index, .block = -1};
    if (launch_output_cube(config, launch, &output->cube, &primary))
        return primary == (space == SPACE_PRIMARY) && cube_locate(&output->cube, address, &element);
    for (size_t i = launch->block_count; i-- > 0 && launch_block(config, launch, i, &block);) {
        output->block = (int)i;
        output->cube = block.destination;
        if (block.destination_primary == (space == SPACE_PRIMARY) && cube_locate(&block.destination, address, &element))
            return true;
    }
    return false;
}

/* The launch that a byte belongs to: the one that a device says wrote it, else the last that writes there. */
static bool find_launch(const struct report *report, enum memory_space space, uint64_t address, struct output *output) {
    size_t count = layer_tracker_count(report->layers);
    for (int i = 0; i < report->input.played_count; i++) {
        struct memory_origin origin;
        if (!memory_origin_of(memory_of(report, i, space), address, &origin) || origin.unit < 0 || origin.ordinal < 0)
            continue;
        for (size_t l = 0; l < count; l++) {
            const struct launch *launch = layer_tracker_launch(report->layers, l);
            if ((int)launch->unit == origin.unit && launch->ordinal == origin.ordinal &&
                find_output(report, l, space, address, output))
                return true;
        }
    }
    for (size_t l = count; l-- > 0;)
        if (find_output(report, l, space, address, output))
            return true;
    return false;
}

/* The declared region around a byte, over the regions of all devices; else the 4-KiB page. */
static enum area_kind find_region(const struct report *report, enum memory_space space, uint64_t address,
                                  uint64_t *base, uint64_t *size) {
    for (int i = 0; i < report->input.played_count; i++) {
        const struct memory *mem = memory_of(report, i, space);
        for (size_t r = 0; r < memory_region_count(mem); r++) {
            memory_region(mem, r, base, size);
            if (address < *base || address - *base >= *size)
                continue;
            /* Of a region that is too large for a dump, the part of that size around the byte. */
            uint64_t skipped = (address - *base) / DUMP_MAX * DUMP_MAX;
            *base += skipped;
            *size = *size - skipped < DUMP_MAX ? *size - skipped : DUMP_MAX;
            return AREA_REGION;
        }
    }
    *base = address & ~(uint64_t)(MEMORY_PAGE - 1);
    *size = MEMORY_PAGE;
    return AREA_OUTSIDE;
}

static bool same_area(const struct mismatch *a, const struct mismatch *b) {
    if (a->space != b->space || a->kind != b->kind)
        return false;
    if (a->kind == AREA_LAUNCH)
        return a->output.launch == b->output.launch && a->output.block == b->output.block;
    return a->base == b->base;
}

static bool add_difference(struct report *report, enum memory_space space, uint64_t address) {
    struct mismatch found = {.space = space, .count = 1, .first = address, .last = address};
    if (find_launch(report, space, address, &found.output)) {
        found.kind = AREA_LAUNCH;
        found.base = found.output.cube.base;
        found.size = cube_extent(&found.output.cube);
    } else {
        found.kind = find_region(report, space, address, &found.base, &found.size);
    }
    for (size_t i = report->mismatch_count; i-- > 0;) {
        struct mismatch *mismatch = &report->mismatches[i];
        if (same_area(mismatch, &found)) {
            mismatch->count++;
            mismatch->last = address;
            return true;
        }
    }
    if (report->mismatch_count == report->mismatch_capacity) {
        size_t capacity = report->mismatch_capacity ? 2 * report->mismatch_capacity : 8;
        struct mismatch *grown = realloc(report->mismatches, capacity * sizeof *grown);
        if (!grown)
            return false;
        report->mismatches = grown;
        report->mismatch_capacity = capacity;
    }
    report->mismatches[report->mismatch_count++] = found;
    return true;
}

static bool compare_memories(struct report *report) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        const struct memory *got = memory_of(report, 0, (enum memory_space)space);
        const struct memory *expected = memory_of(report, 1, (enum memory_space)space);
        if (!got || !expected)
            continue;
        uint64_t address = 0;
        bool more = memory_next_difference(got, expected, 0, &address);
        while (more) {
            if (!add_difference(report, (enum memory_space)space, address))
                return false;
            more = address != UINT64_MAX && memory_next_difference(got, expected, address + 1, &address);
        }
    }
    return true;
}

/* "batch 0, surface 0, line 1, column 2, channel 3", with what is special about the byte; of BDMA "descriptor 0,
 * surface 0, line 1, atom 2, byte 3". */
static void element_text(const struct output *output, uint64_t address, char *text, size_t size) {
    const struct cube *cube = &output->cube;
    struct cube_element element;
    char batch[24] = "", byte[16] = "";
    if (!cube_locate(cube, address, &element)) {
        snprintf(text, size, "elsewhere");
        return;
    }
    if (output->block >= 0) {
        snprintf(text, size, "descriptor %d, surface %d, line %d, atom %d, byte %d", output->block, element.surface,
                 element.line, element.column, element.channel % cube->atom);
        return;
    }
    if (cube->batches > 1)
        snprintf(batch, sizeof batch, "batch %d, ", element.batch);
    if (cube->element_bytes > 1)
        snprintf(byte, sizeof byte, ", byte %d", element.byte);
    snprintf(text, size, "%ssurface %d, line %d, column %d, channel %d%s%s", batch, element.surface, element.line,
             element.column, element.channel, byte,
             element.channel >= cube->channels ? " (padding of the last atom)"
             : element.column >= cube->width   ? " (behind the end of the line)"
                                               : "");
}

static void origin_text(const struct memory *mem, uint64_t address, char *text, size_t size) {
    struct memory_origin origin;
    if (!memory_origin_of(mem, address, &origin)) {
        snprintf(text, size, "never written");
        return;
    }
    if (origin.unit < 0) {
        snprintf(text, size, "loaded or filled by the trace, not written since");
        return;
    }
    char layer[64] = "", axi[64] = "", cycle[48] = "";
    if (origin.ordinal >= 0)
        snprintf(layer, sizeof layer, " #%d", origin.ordinal);
    if (origin.axi_id >= 0)
        snprintf(axi, sizeof axi, ", AXI ID %d", origin.axi_id);
    if (origin.cycle > 0)
        snprintf(cycle, sizeof cycle, " at cycle %" PRIu64, origin.cycle);
    snprintf(text, size, "written by %s%s%s%s", origin.unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[origin.unit] : "?",
             layer, cycle, axi);
}

static void set_reason(struct report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_reason(struct report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->reason, sizeof report->reason, format, arguments);
    va_end(arguments);
    char *end = strchr(report->reason, '\n');
    if (end)
        *end = '\0';
}

static uint64_t total_mismatches(const struct report *report) {
    uint64_t count = 0;
    for (size_t i = 0; i < report->mismatch_count; i++)
        count += report->mismatches[i].count;
    return count;
}

/* One line about a failed check of a device. */
static void failure_text(const struct report *report, const struct played *played, const struct play_failure *failure,
                         char *text, size_t size) {
    const struct program *prog = report->input.prog;
    const struct op *op = &prog->ops[failure->op];
    char position[POSITION], name[64], got[512], expected[512];
    op_position(prog, op, position, sizeof position);
    if (op->kind == OP_MEM_CRC) {
        snprintf(text, size,
                 "%s: CRC-32 of %s memory 0x%" PRIx64 ", 0x%" PRIx64 " bytes, is 0x%08x on the %s, expected 0x%08x",
                 position, memory_space_name(op->space), op->base, op->size, failure->got, played->dev->name,
                 failure->expected);
    } else if (op->kind == OP_MEM_CHECK) {
        snprintf(text, size, "%s: %" PRIu64 " bytes of %s memory differ from %s on the %s, first at 0x%" PRIx64,
                 position, failure->count, memory_space_name(op->space),
                 op->blob->name ? op->blob->name : "the golden bytes", played->dev->name, failure->first);
    } else {
        const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
        nvdla_register_name(prog->config, op->address, name, sizeof name);
        snprintf(text, size, "%s: %s is 0x%08x on the %s, expected 0x%08x", position, name, failure->got,
                 played->dev->name, failure->expected);
        size_t n = strlen(text);
        if (op->mask != UINT32_MAX && n < size)
            n += (size_t)snprintf(text + n, size - n, " under mask 0x%08x", op->mask);
        if (op->relation != RELATION_EQUAL && n < size)
            n += (size_t)snprintf(text + n, size - n, " (%s)",
                                  op->relation == RELATION_LESS_EQUAL ? "at most" : "at least");
        const uint32_t differing = (failure->got ^ failure->expected) & op->mask;
        if (reg && reg->field_count > 1 && n < size)
            snprintf(text + n, size - n, " (got %s; expected %s)",
                     nvdla_register_decode_bits(reg, failure->got, differing, got, sizeof got),
                     nvdla_register_decode_bits(reg, failure->expected, differing, expected, sizeof expected));
    }
}

char *report_warning(const struct report *report, const struct device_warning *warning, char *text, size_t size) {
    const struct launch *launch = layer_tracker_find(report->layers, warning->unit, warning->ordinal);
    char position[POSITION] = "";
    if (launch)
        launch_position(report, launch, position, sizeof position);
    snprintf(text, size, "%s%s%s launch %d: %s", position, launch ? ": " : "", nvdla_unit_names[warning->unit],
             warning->ordinal, warning->text);
    return text;
}

/* The worst of the outcomes that leave nothing to compare: refused, then hung or broken. NULL: all were played. */
static const struct played *not_played(const struct report *report) {
    const struct played *found = NULL;
    for (int i = 0; i < report->input.played_count; i++) {
        const struct played *played = &report->input.played[i];
        if (played->result->outcome == PLAY_REFUSED)
            return played;
        if (!found && (played->result->outcome == PLAY_HUNG || played->result->outcome == PLAY_BROKEN))
            found = played;
    }
    return found;
}

static void find_reason(struct report *report) {
    const struct report_input *in = &report->input;
    const struct played *stopped = not_played(report);
    if (stopped && stopped->dev->refused) {
        char text[LINE];
        set_reason(report, "%s: %s", stopped->dev->name,
                   report_warning(report, &stopped->dev->refusal, text, sizeof text));
        return;
    }
    if (stopped) {
        set_reason(report, "%s: %s", stopped->dev->name,
                   stopped->result->message ? stopped->result->message : "the device failed");
        return;
    }
    if (report->mismatch_count > 0) {
        const struct mismatch *first = &report->mismatches[0];
        char where[256] = "", origin[256];
        if (first->kind == AREA_LAUNCH) {
            char layer[64], text[160];
            element_text(&first->output, first->first, text, sizeof text);
            snprintf(where, sizeof where, ": %s %s", launch_name(launch_at(report, first), layer, sizeof layer), text);
        }
        origin_text(memory_of(report, 0, first->space), first->first, origin, sizeof origin);
        set_reason(report, "%" PRIu64 " bytes differ between %s and %s, first at %s 0x%" PRIx64 "%s; %s",
                   total_mismatches(report), in->played[0].dev->name, in->played[1].dev->name,
                   memory_space_name(first->space), first->first, where, origin);
        return;
    }
    for (int i = 0; i < in->played_count; i++) {
        if (in->played[i].result->failure_count > 0) {
            char text[1024];
            failure_text(report, &in->played[i], &in->played[i].result->failures[0], text, sizeof text);
            set_reason(report, "%s", text);
            return;
        }
    }
    for (int i = 0; i < in->played_count; i++) {
        const struct device *dev = in->played[i].dev;
        if (dev->finding_count > 0) {
            set_reason(report, "%s: %s at cycle %" PRIu64 ": %s", dev->name, dev->findings[0].rule,
                       dev->findings[0].cycle, dev->findings[0].text);
            return;
        }
    }
}

struct report *report_new(const struct report_input *input) {
    struct report *report = calloc(1, sizeof *report);
    if (!report)
        return NULL;
    report->input = *input;
    report->layers = program_launches(input->prog);
    if (!report->layers) {
        report_free(report);
        return NULL;
    }
    if (input->played_count > 1 && !compare_memories(report)) {
        report_free(report);
        return NULL;
    }
    find_reason(report);
    return report;
}

void report_free(struct report *report) {
    if (!report)
        return;
    layer_tracker_free(report->layers);
    free(report->mismatches);
    free(report);
}

enum report_status report_status(const struct report *report) {
    const struct played *stopped = not_played(report);
    if (stopped)
        return stopped->result->outcome == PLAY_REFUSED ? REPORT_REFUSED : REPORT_HUNG;
    return report->reason[0] ? REPORT_FAILED : REPORT_PASSED;
}

const char *report_reason(const struct report *report) {
    return report->reason;
}

/* Prints rows of both images around `first`, a mark under every byte that differs. */
static void print_window(FILE *out, const struct memory *expected, const char *expected_name, const struct memory *got,
                         const char *got_name, uint64_t first) {
    uint64_t base = first & ~(uint64_t)(ROW - 1);
    if (base >= ROW)
        base -= ROW;
    int width = (int)(strlen(expected_name) > strlen(got_name) ? strlen(expected_name) : strlen(got_name));
    for (int row = 0; row < WINDOW_ROWS; row++, base += ROW) {
        uint8_t a[ROW], b[ROW];
        memory_read(expected, base, a, ROW);
        memory_read(got, base, b, ROW);
        bool differs = memcmp(a, b, ROW) != 0;
        fprintf(out, "    0x%08" PRIx64 "  %-*s ", base, width, expected_name);
        for (int i = 0; i < ROW; i++)
            fprintf(out, " %02x", a[i]);
        fputc('\n', out);
        if (differs) {
            fprintf(out, "    %*s  %-*s ", 10, "", width, got_name);
            for (int i = 0; i < ROW; i++)
                fprintf(out, " %02x", b[i]);
            fprintf(out, "\n    %*s  %-*s ", 10, "", width, "");
            int last = ROW - 1;
            while (last > 0 && a[last] == b[last])
                last--;
            for (int i = 0; i <= last; i++)
                fputs(a[i] != b[i] ? " ^^" : "   ", out);
            fputc('\n', out);
        }
    }
}

static void print_output(FILE *out, const struct output *output) {
    const struct cube *cube = &output->cube;
    if (output->block >= 0) {
        fprintf(out, "descriptor %d: %dx%dx%d (atoms x lines x surfaces)", output->block, cube->width, cube->height,
                cube_surfaces(cube));
    } else {
        fprintf(out, "%dx%dx%d (width x height x channels), %d-byte elements in %d-byte atoms", cube->width,
                cube->height, cube->channels, cube->element_bytes, cube->atom);
    }
    fprintf(out, ", line stride 0x%x, surface stride 0x%x", cube->line_stride, cube->surface_stride);
    if (cube->batches > 1)
        fprintf(out, ", %d batches, batch stride 0x%x", cube->batches, cube->batch_stride);
}

/* Units whose launches may give a layer its input, from the output back. */
static const enum nvdla_unit feeders[] = {NVDLA_SDP,      NVDLA_CACC,     NVDLA_CSC,     NVDLA_CDMA,
                                          NVDLA_SDP_RDMA, NVDLA_PDP_RDMA, NVDLA_CDP_RDMA};
enum { FEEDER_COUNT = sizeof feeders / sizeof feeders[0] };

/* Calls back for every register of a launch that has a description; block: the descriptor of BDMA whose registers they
 * are, else -1. */
static void each_register(const struct report *report, const struct launch *launch, int block,
                          void (*visit)(void *context, const struct nvdla_register *reg, uint32_t value),
                          void *context) {
    const struct nvdla_register_map *map = &nvdla_register_maps[report->input.prog->config->map];
    uint32_t base = nvdla_unit_base(report->input.prog->config, launch->unit);
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const uint32_t offset = reg->address - base;
        if (reg->unit == launch->unit && offset / 4 < launch->word_count)
            visit(context, reg,
                  block < 0 ? launch_register(launch, offset) : launch_block_register(launch, (size_t)block, offset));
    }
}

static void print_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    FILE *out = context;
    char decoded[512];
    if (value != reg->reset)
        fprintf(out, "      %-32s 0x%08x  %s\n", reg->name, value,
                nvdla_register_decode(reg, value, decoded, sizeof decoded));
}

static void print_launch(FILE *out, const struct report *report, const struct launch *launch, int block) {
    char name[64], position[POSITION];
    fprintf(out, "    registers of %s, group %d, ", launch_name(launch, name, sizeof name), launch->group);
    if (block >= 0)
        fprintf(out, "descriptor %d, ", block);
    fprintf(out, "armed at %s (those at their reset value left out):\n",
            launch_position(report, launch, position, sizeof position));
    each_register(report, launch, block, print_register, out);
}

/* Registers of a launch and of those that give it its input. */
static void print_layer(FILE *out, const struct report *report, const struct output *output) {
    const struct launch *launch = layer_tracker_launch(report->layers, output->launch);
    print_launch(out, report, launch, output->block);
    for (int i = 0; i < FEEDER_COUNT; i++) {
        const struct launch *feeder = layer_tracker_feeder(report->layers, launch, feeders[i]);
        if (feeder)
            print_launch(out, report, feeder, -1);
    }
}

static void print_mismatch(FILE *out, const struct report *report, const struct mismatch *mismatch) {
    const struct memory *got = memory_of(report, 0, mismatch->space), *expected = memory_of(report, 1, mismatch->space);
    const char *got_name = report->input.played[0].dev->name, *expected_name = report->input.played[1].dev->name;
    char name[64], position[POSITION], text[256];
    fprintf(out, "%s memory, ", memory_space_name(mismatch->space));
    if (mismatch->kind == AREA_LAUNCH) {
        fprintf(out, "output of layer %s (armed at %s) at 0x%" PRIx64 ", ",
                launch_name(launch_at(report, mismatch), name, sizeof name),
                launch_position(report, launch_at(report, mismatch), position, sizeof position), mismatch->base);
        print_output(out, &mismatch->output);
        fputc('\n', out);
    } else {
        fprintf(out, "%s 0x%" PRIx64 ", 0x%" PRIx64 " bytes\n",
                mismatch->kind == AREA_REGION ? "region" : "outside every region, page", mismatch->base,
                mismatch->size);
    }
    fprintf(out, "    %" PRIu64 " bytes differ, first at 0x%" PRIx64 ", last at 0x%" PRIx64 "\n", mismatch->count,
            mismatch->first, mismatch->last);
    if (mismatch->kind == AREA_LAUNCH) {
        element_text(&mismatch->output, mismatch->first, text, sizeof text);
        fprintf(out, "    first: %s\n", text);
    }
    origin_text(got, mismatch->first, text, sizeof text);
    fprintf(out, "    first byte on the %s: %s\n", got_name, text);
    origin_text(expected, mismatch->first, text, sizeof text);
    fprintf(out, "    first byte on the %s: %s\n", expected_name, text);
    print_window(out, expected, expected_name, got, got_name, mismatch->first);
    if (mismatch->kind == AREA_LAUNCH)
        print_layer(out, report, &mismatch->output);
    fputc('\n', out);
}

/* Golden bytes of a check as an image; NULL if memory is exhausted. */
static struct memory *golden_image(const struct op *op) {
    struct memory *golden = memory_new();
    if (!golden)
        return NULL;
    for (size_t i = 0; i < op->blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &op->blob->chunks[i];
        if (chunk->size > 0)
            memory_write(golden, op->base + chunk->offset, op->blob->bytes + chunk->start, chunk->size, NULL, NULL);
    }
    return golden;
}

static void print_failure(FILE *out, const struct report *report, const struct played *played,
                          const struct play_failure *failure) {
    const struct op *op = &report->input.prog->ops[failure->op];
    char text[2048];
    failure_text(report, played, failure, text, sizeof text);
    fprintf(out, "%s\n", text);
    const struct memory *mem = op->kind == OP_MEM_CHECK ? played->dev->memory[op->space] : NULL;
    struct memory *golden = mem ? golden_image(op) : NULL;
    if (!golden)
        return;
    struct output output;
    const bool found = find_launch(report, op->space, failure->first, &output);
    if (found) {
        char name[64], position[POSITION];
        const struct launch *launch = layer_tracker_launch(report->layers, output.launch);
        element_text(&output, failure->first, text, sizeof text);
        fprintf(out, "    first: output of layer %s (armed at %s), %s\n", launch_name(launch, name, sizeof name),
                launch_position(report, launch, position, sizeof position), text);
    }
    origin_text(mem, failure->first, text, sizeof text);
    fprintf(out, "    first byte on the %s: %s\n", played->dev->name, text);
    print_window(out, golden, "golden", mem, played->dev->name, failure->first);
    if (found && report->mismatch_count == 0)
        print_layer(out, report, &output);
    memory_free(golden);
}

static const char *outcome_text(enum play_outcome outcome) {
    switch (outcome) {
    case PLAY_PASSED:
        return "passed";
    case PLAY_CHECK_FAILED:
        return "failed";
    case PLAY_HUNG:
        return "hung";
    case PLAY_REFUSED:
        return "refused";
    case PLAY_BROKEN:
        break;
    }
    return "broken";
}

static uint64_t sum(const uint64_t *values, int count) {
    uint64_t total = 0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

static void print_played(FILE *out, const struct report *report, const struct played *played) {
    const struct play_result *result = played->result;
    const struct device_statistics *statistics = &result->statistics;
    fprintf(out,
            "%s: %s, %zu checks done, %zu failed, %zu not compared (units not built), %zu volatile reads differ, "
            "%" PRIu64 " interrupts serviced\n",
            played->dev->name, outcome_text(result->outcome), result->checks_done, result->failure_count,
            result->checks_skipped, result->volatile_mismatches, result->interrupts);
    if (statistics->cycles > 0)
        fprintf(out,
                "    %" PRIu64 " cycles, %" PRIu64 " from the first D_OP_ENABLE to the last interrupt, %" PRIu64
                " beats read, %" PRIu64 " written\n",
                statistics->cycles, statistics->op_cycles, sum(statistics->read_beats, AXI_IDS),
                sum(statistics->write_beats, AXI_IDS));
    if (result->message)
        fprintf(out, "    %s\n", result->message);
    for (size_t i = 0; i < result->failure_count && i < FAILURES_SHOWN; i++) {
        fputs("  ", out);
        print_failure(out, report, played, &result->failures[i]);
    }
    if (result->failure_count > FAILURES_SHOWN)
        fprintf(out, "  and %zu more failed checks (report.json lists all)\n", result->failure_count - FAILURES_SHOWN);
    for (size_t i = 0; i < played->dev->finding_count; i++) {
        const struct finding *finding = &played->dev->findings[i];
        fprintf(out, "  cycle %" PRIu64 ", rule %s: %s\n", finding->cycle, finding->rule, finding->text);
    }
    if (played->dev->findings_dropped > 0)
        fprintf(out, "  and %" PRIu64 " more findings\n", played->dev->findings_dropped);
    for (size_t i = 0; i < played->dev->warning_count; i++) {
        char text[LINE];
        fprintf(out, "  warning: %s\n", report_warning(report, &played->dev->warnings[i], text, sizeof text));
    }
    if (played->dev->warnings_dropped > 0)
        fprintf(out, "  and %" PRIu64 " more warnings\n", played->dev->warnings_dropped);
    fputc('\n', out);
}

static const char *status_text(enum report_status status) {
    static const char *const texts[] = {"PASS", "FAIL", "HANG", "REFUSED"};
    return texts[status];
}

char *report_text(const struct report *report) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const struct report_input *in = &report->input;
    fprintf(out, "%s %s\n", status_text(report_status(report)), in->name);
    if (report->reason[0])
        fprintf(out, "%s\n", report->reason);
    fprintf(out, "\ntrace %s, configuration %s, %zu operations, %zu launches\n\n", in->prog->files[0],
            in->prog->config->name, in->prog->count, layer_tracker_count(report->layers));
    for (size_t i = 0; i < report->mismatch_count; i++) {
        fprintf(out, "mismatch %zu: ", i + 1);
        print_mismatch(out, report, &report->mismatches[i]);
    }
    if (in->played_count > 1 && report->mismatch_count == 0)
        fprintf(out, "memory of %s and %s is equal\n\n", in->played[0].dev->name, in->played[1].dev->name);
    for (int i = 0; i < in->played_count; i++)
        print_played(out, report, &in->played[i]);
    bool complete = !in->histograms || histograms_print(out, in->histograms);
    fclose(out);
    if (complete)
        return text;
    free(text);
    return NULL;
}

static json_t *json_u64(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *json_hex(uint64_t value) {
    return json_sprintf("0x%08" PRIx64, value);
}

/* Text that may hold a file name: bytes that are not UTF-8 become '?'. */
static json_t *json_text(const char *text) {
    json_t *json = json_string(text);
    char *ascii = json ? NULL : strdup(text);
    if (ascii) {
        for (char *c = ascii; *c; c++)
            if ((unsigned char)*c >= 0x80)
                *c = '?';
        json = json_string(ascii);
        free(ascii);
    }
    return json;
}

static json_t *json_bytes(const struct memory *mem, uint64_t address, size_t n) {
    uint8_t bytes[ROW * WINDOW_ROWS];
    char text[2 * sizeof bytes + 1] = "";
    memory_read(mem, address, bytes, n);
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

static void json_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    json_t *list = context, *fields = json_object();
    for (size_t i = 0; i < reg->field_count; i++) {
        const struct nvdla_field *field = &reg->fields[i];
        json_object_set_new(fields, field->name, json_integer(nvdla_field_value(field, value)));
    }
    json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:o}", "name", reg->name, "value", json_hex(value), "reset",
                                          value == reg->reset, "fields", fields));
}

static json_t *json_launch(const struct report *report, const struct launch *launch, int block) {
    char position[POSITION];
    json_t *registers = json_array();
    each_register(report, launch, block, json_register, registers);
    return json_pack("{s:s, s:i, s:i, s:o, s:o}", "unit", nvdla_unit_names[launch->unit], "ordinal", launch->ordinal,
                     "group", launch->group, "position",
                     json_text(launch_position(report, launch, position, sizeof position)), "registers", registers);
}

static json_t *json_origin(const struct memory *mem, uint64_t address) {
    struct memory_origin origin;
    if (!memory_origin_of(mem, address, &origin))
        return json_null();
    if (origin.unit < 0 || origin.unit >= NVDLA_UNIT_COUNT)
        return json_pack("{s:s}", "unit", "trace");
    return json_pack("{s:s, s:i, s:i, s:o}", "unit", nvdla_unit_names[origin.unit], "ordinal", (int)origin.ordinal,
                     "axi_id", (int)origin.axi_id, "cycle", json_u64(origin.cycle));
}

/* Of BDMA columns are atoms, channels bytes. */
static json_t *json_element(const struct output *output, uint64_t address) {
    struct cube_element element;
    if (!cube_locate(&output->cube, address, &element))
        return json_null();
    json_t *json = json_pack("{s:i, s:i, s:i, s:i, s:i}", "surface", element.surface, "line", element.line, "column",
                             element.column, "channel", element.channel, "byte", element.byte);
    if (output->cube.batches > 1)
        json_object_set_new(json, "batch", json_integer(element.batch));
    if (output->block >= 0)
        json_object_set_new(json, "descriptor", json_integer(output->block));
    return json;
}

static json_t *json_mismatch(const struct report *report, const struct mismatch *mismatch) {
    const struct memory *got = memory_of(report, 0, mismatch->space), *expected = memory_of(report, 1, mismatch->space);
    uint64_t window = mismatch->first & ~(uint64_t)(ROW - 1);
    if (window >= ROW)
        window -= ROW;
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "space", memory_space_name(mismatch->space), "kind",
                  mismatch->kind == AREA_LAUNCH   ? "layer output"
                  : mismatch->kind == AREA_REGION ? "region"
                                                  : "outside",
                  "base", json_hex(mismatch->base), "size", json_u64(mismatch->size), "count",
                  json_u64(mismatch->count), "first", json_hex(mismatch->first), "last", json_hex(mismatch->last));
    json_object_set_new(json, "window", json_hex(window));
    json_object_set_new(json, "expected", json_bytes(expected, window, (size_t)ROW * WINDOW_ROWS));
    json_object_set_new(json, "got", json_bytes(got, window, (size_t)ROW * WINDOW_ROWS));
    json_object_set_new(json, "got_origin", json_origin(got, mismatch->first));
    json_object_set_new(json, "expected_origin", json_origin(expected, mismatch->first));
    if (mismatch->kind == AREA_LAUNCH) {
        const struct cube *cube = &mismatch->output.cube;
        const struct launch *launch = launch_at(report, mismatch);
        json_t *inputs = json_array();
        for (int i = 0; i < FEEDER_COUNT; i++) {
            const struct launch *feeder = layer_tracker_feeder(report->layers, launch, feeders[i]);
            if (feeder)
                json_array_append_new(inputs, json_launch(report, feeder, -1));
        }
        json_object_set_new(json, "cube",
                            json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "width", cube->width, "height",
                                      cube->height, "channels", cube->channels, "atom", cube->atom, "element_bytes",
                                      cube->element_bytes, "line_stride", json_u64(cube->line_stride), "surface_stride",
                                      json_u64(cube->surface_stride)));
        json_object_set_new(json, "element", json_element(&mismatch->output, mismatch->first));
        json_object_set_new(json, "layer", json_launch(report, launch, mismatch->output.block));
        json_object_set_new(json, "input_layers", inputs);
    }
    return json;
}

static json_t *json_failure(const struct report *report, const struct played *played,
                            const struct play_failure *failure) {
    const struct program *prog = report->input.prog;
    const struct op *op = &prog->ops[failure->op];
    char position[POSITION], text[2048], name[64];
    failure_text(report, played, failure, text, sizeof text);
    json_t *json = json_pack("{s:o, s:o}", "position", json_text(op_position(prog, op, position, sizeof position)),
                             "text", json_text(text));
    if (op->kind == OP_MEM_CHECK) {
        json_object_set_new(json, "kind", json_string("memory"));
        json_object_set_new(json, "base", json_hex(op->base));
        json_object_set_new(json, "first", json_hex(failure->first));
        json_object_set_new(json, "count", json_u64(failure->count));
        json_object_set_new(json, "origin", json_origin(played->dev->memory[op->space], failure->first));
        struct output output;
        if (find_launch(report, op->space, failure->first, &output)) {
            json_object_set_new(json, "element", json_element(&output, failure->first));
            json_object_set_new(json, "layer",
                                json_launch(report, layer_tracker_launch(report->layers, output.launch), output.block));
        }
    } else {
        json_object_set_new(json, "got", json_hex(failure->got));
        json_object_set_new(json, "expected", json_hex(failure->expected));
        json_object_set_new(json, "kind", json_string(op->kind == OP_MEM_CRC ? "crc" : "register"));
        if (op->kind == OP_MEM_CRC) {
            json_object_set_new(json, "base", json_hex(op->base));
            json_object_set_new(json, "size", json_u64(op->size));
        } else {
            json_object_set_new(json, "mask", json_hex(op->mask));
            json_object_set_new(json, "register",
                                json_string(nvdla_register_name(prog->config, op->address, name, sizeof name)));
        }
    }
    return json;
}

static json_t *json_beats(const uint64_t *beats, bool write) {
    json_t *json = json_object();
    for (int id = 0; id < AXI_IDS; id++)
        if (beats[id] > 0)
            json_object_set_new(json, axi_client_name(id, write), json_u64(beats[id]));
    return json;
}

static json_t *json_played(const struct report *report, const struct played *played) {
    const struct play_result *result = played->result;
    const struct device_statistics *statistics = &result->statistics;
    json_t *failures = json_array(), *findings = json_array(), *warnings = json_array();
    for (size_t i = 0; i < result->failure_count; i++)
        json_array_append_new(failures, json_failure(report, played, &result->failures[i]));
    for (size_t i = 0; i < played->dev->finding_count; i++) {
        const struct finding *finding = &played->dev->findings[i];
        json_array_append_new(findings, json_pack("{s:o, s:s, s:s}", "cycle", json_u64(finding->cycle), "rule",
                                                  finding->rule, "text", finding->text));
    }
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "device", played->dev->name, "outcome",
                  outcome_text(result->outcome), "checks_done", json_u64(result->checks_done), "checks_not_compared",
                  json_u64(result->checks_skipped), "volatile_mismatches", json_u64(result->volatile_mismatches),
                  "interrupts", json_u64(result->interrupts), "failures", failures, "findings", findings,
                  "findings_dropped", json_u64(played->dev->findings_dropped));
    for (size_t i = 0; i < played->dev->warning_count; i++) {
        char text[LINE];
        report_warning(report, &played->dev->warnings[i], text, sizeof text);
        json_array_append_new(warnings, json_string(text));
    }
    json_object_set_new(json, "warnings", warnings);
    json_object_set_new(json, "cycles", json_u64(statistics->cycles));
    json_object_set_new(json, "op_cycles", json_u64(statistics->op_cycles));
    json_object_set_new(json, "accesses_outside", json_u64(statistics->outside));
    json_object_set_new(json, "read_beats", json_beats(statistics->read_beats, false));
    json_object_set_new(json, "write_beats", json_beats(statistics->write_beats, true));
    if (result->message)
        json_object_set_new(json, "message", json_text(result->message));
    return json;
}

char *report_json(const struct report *report) {
    const struct report_input *in = &report->input;
    json_t *played = json_array(), *mismatches = json_array();
    for (int i = 0; i < in->played_count; i++)
        json_array_append_new(played, json_played(report, &in->played[i]));
    for (size_t i = 0; i < report->mismatch_count; i++)
        json_array_append_new(mismatches, json_mismatch(report, &report->mismatches[i]));
    json_t *json = json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o}", "trace", json_text(in->name), "file",
                             json_text(in->prog->files[0]), "configuration", in->prog->config->name, "status",
                             status_text(report_status(report)), "reason", json_text(report->reason), "operations",
                             json_u64(in->prog->count), "devices", played, "mismatches", mismatches);
    char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;
    json_decref(json);
    return text;
}

/* Dumps [base, base + size) of a memory as SPACE_ADDRESS_OWNER.bin.gz, DUMP_MAX bytes at most. */
static bool dump(const struct memory *mem, enum memory_space space, uint64_t base, uint64_t size, const char *owner,
                 const char *directory, struct error *err) {
    char path[4096], file_owner[64];
    snprintf(file_owner, sizeof file_owner, "%s", owner);
    for (char *c = file_owner; *c; c++)
        if (*c == ':')
            *c = '-';
    int n = snprintf(path, sizeof path, "%s/%s_%08" PRIx64 "_%s.bin.gz", directory, memory_space_name(space), base,
                     file_owner);
    if (n < 0 || (size_t)n >= sizeof path)
        return error_set(err, "%s: the path is too long", directory);
    return memory_dump(mem, base, size < DUMP_MAX ? size : DUMP_MAX, path, err);
}

static bool dump_mismatch(const struct report *report, const struct mismatch *mismatch, const char *directory,
                          struct error *err) {
    for (int i = 0; i < report->input.played_count; i++)
        if (!dump(memory_of(report, i, mismatch->space), mismatch->space, mismatch->base, mismatch->size,
                  report->input.played[i].dev->name, directory, err))
            return false;
    return true;
}

/* The golden bytes of every failed memory check, and what the device has there. */
static bool dump_failures(const struct report *report, const struct played *played, const char *directory,
                          struct error *err) {
    for (size_t i = 0; i < played->result->failure_count; i++) {
        const struct op *op = &report->input.prog->ops[played->result->failures[i].op];
        if (op->kind != OP_MEM_CHECK)
            continue;
        struct memory *golden = golden_image(op);
        if (!golden)
            return error_set(err, "out of memory while writing the report");
        bool ok = dump(golden, op->space, op->base, op->blob->extent, "golden", directory, err) &&
                  dump(played->dev->memory[op->space], op->space, op->base, op->blob->extent, played->dev->name,
                       directory, err);
        memory_free(golden);
        if (!ok)
            return false;
    }
    return true;
}

static bool write_text(const char *directory, const char *file, char *text, struct error *err) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", directory, file);
    bool ok;
    if (!text)
        ok = error_set(err, "out of memory while writing the report");
    else if (n < 0 || (size_t)n >= sizeof path)
        ok = error_set(err, "%s: the path is too long", directory);
    else
        ok = file_write(path, text, strlen(text), err);
    free(text);
    return ok;
}

bool report_write(const struct report *report, const char *directory, struct error *err) {
    if (!directory_make(directory, err))
        return false;
    for (size_t i = 0; i < report->mismatch_count; i++)
        if (!dump_mismatch(report, &report->mismatches[i], directory, err))
            return false;
    for (int i = 0; i < report->input.played_count; i++)
        if (!dump_failures(report, &report->input.played[i], directory, err))
            return false;
    if (report->input.histograms && !histograms_write(report->input.histograms, report->input.name, directory, err))
        return false;
    return write_text(directory, "report.json", report_json(report), err) &&
           write_text(directory, "report.txt", report_text(report), err);
}
