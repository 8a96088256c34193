/* Describes the contents of a trace. See explain.h. */
#include "report/explain.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "layers/cubes.h"
#include "layers/tracker.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "trace/launches.h"
#include "trace/verify.h"

enum { POSITION = 512 };

enum section { NO_SECTION, MEMORY, CHECKS, WAITS };

static const struct {
    const char *name;
    enum section section;
} kinds[] = {
    [OP_NOTE] = {"note", NO_SECTION},
    [OP_WRITE] = {"register write", NO_SECTION},
    [OP_READ] = {"register read", NO_SECTION},
    [OP_READ_CHECK] = {"register check", CHECKS},
    [OP_POLL] = {"poll", WAITS},
    [OP_WAIT] = {"wait", WAITS},
    [OP_INTR_NOTIFY] = {"interrupt notification", WAITS},
    [OP_SYNC_NOTIFY] = {"sync notify", WAITS},
    [OP_SYNC_WAIT] = {"sync wait", WAITS},
    [OP_MEM_LOAD] = {"memory load", MEMORY},
    [OP_MEM_FILL] = {"memory fill", MEMORY},
    [OP_MEM_RESERVE] = {"memory reservation", MEMORY},
    [OP_MEM_RELEASE] = {"memory release", MEMORY},
    [OP_MEM_CHECK] = {"memory check", CHECKS},
    [OP_MEM_CRC] = {"CRC check", CHECKS},
    [OP_CHECK_EVENT] = {"event check", CHECKS},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

/* "FILE:LINE" without the directory. */
static const char *short_position(const struct program *prog, const struct op *op, char *text, size_t size) {
    const char *slash = strrchr(op_position(prog, op, text, size), '/');
    return slash ? slash + 1 : text;
}

static void describe_register(const struct program *prog, const struct op *op, char *text, size_t size) {
    char name[64], mask[64] = "";
    nvdla_register_name(prog->config, op->address, name, sizeof name);
    if (op->kind == OP_WRITE || op->kind == OP_READ) {
        snprintf(text, size, "%s %s", kinds[op->kind].name, name);
        return;
    }
    if (op->mask != UINT32_MAX)
        snprintf(mask, sizeof mask, " & 0x%08x", op->mask);
    snprintf(text, size, "%s%s %s%s %s 0x%08x", op->volatile_read ? "volatile " : "", kinds[op->kind].name, name, mask,
             relation_text(op->relation), op->value);
}

static void describe_event(const struct program *prog, const struct op *op, char *text, size_t size) {
    if (op->kind == OP_INTR_NOTIFY) {
        const char *interrupt = op->bit < 0 ? "any interrupt" : nvdla_interrupt_name(op->bit);
        snprintf(text, size, "%s raises event %s", interrupt ? interrupt : "?", prog->events[op->event]);
    } else {
        snprintf(text, size, "stream %s %s event %s", prog->streams[op->stream],
                 op->kind == OP_SYNC_NOTIFY ? "raises" : "waits for", prog->events[op->event]);
    }
}

static void describe_memory(const struct op *op, char *text, size_t size) {
    static const char *const verbs[] = {
        [OP_MEM_LOAD] = "load",       [OP_MEM_CHECK] = "compare",   [OP_MEM_FILL] = "fill",
        [OP_MEM_RESERVE] = "reserve", [OP_MEM_RELEASE] = "release", [OP_MEM_CRC] = "CRC-32 of"};
    size_t n =
        (size_t)snprintf(text, size, "%s %s 0x%08" PRIx64, verbs[op->kind], memory_space_name(op->space), op->base);
    if (op->kind != OP_MEM_RELEASE)
        n += (size_t)snprintf(text + n, size - n, ", 0x%" PRIx64 " bytes", op->blob ? op->blob->extent : op->size);
    text += n;
    size -= n;
    if (op->blob)
        snprintf(text, size, "%s %s", op->kind == OP_MEM_LOAD ? " from" : ", with",
                 op->blob->name ? op->blob->name : "the trace");
    else if (op->kind == OP_MEM_CRC)
        snprintf(text, size, " == 0x%08x", op->value);
    else if (op->kind == OP_MEM_FILL && op->pattern == PATTERN_BYTE)
        snprintf(text, size, " with byte 0x%02x", op->fill);
    else if (op->kind == OP_MEM_FILL)
        snprintf(text, size, " with %s", op->pattern == PATTERN_ADDRESS ? "low byte of the address" : "random");
}

/* One operation without its position, escaped by text_shown. */
static void describe(const struct program *prog, const struct op *op, char *shown, size_t size) {
    char text[1024];
    if (op->kind == OP_NOTE)
        snprintf(text, sizeof text, "%s", op->text);
    else if (op->kind == OP_WAIT)
        snprintf(text, sizeof text, "wait for dla_intr = %d", op->level);
    else if (op->kind == OP_CHECK_EVENT)
        snprintf(text, sizeof text, "the trace is not over before its event");
    else if (op_is_register(op->kind))
        describe_register(prog, op, text, sizeof text);
    else if (op->event >= 0)
        describe_event(prog, op, text, sizeof text);
    else
        describe_memory(op, text, sizeof text);
    size_t n = strlen(text);
    if (op->after >= 0 && n < sizeof text)
        n += (size_t)snprintf(text + n, sizeof text - n, ", after event %s", prog->events[op->after]);
    if (op->at_end && n < sizeof text)
        snprintf(text + n, sizeof text - n, ", at the end");
    text_shown_into(text, shown, size);
}

static void print_head(FILE *out, const struct program *prog) {
    size_t counts[KIND_COUNT] = {0};
    const char *separator = ": ";
    for (size_t i = 0; i < prog->count; i++)
        counts[prog->ops[i].kind]++;
    char name[POSITION];
    fprintf(out, "%s: configuration %s, ", text_shown_into(prog->files[0], name, sizeof name), prog->config->name);
    if (prog->sequential)
        fprintf(out, "sequential, ");
    else
        fprintf(out, "%zu streams, ", prog->stream_count);
    fprintf(out, "%zu operations", prog->count);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (counts[kind] == 0)
            continue;
        fprintf(out, "%s%s %zu", separator, kinds[kind].name, counts[kind]);
        separator = ", ";
    }
    fputc('\n', out);
}

static void print_writes(FILE *out, const struct program *prog, enum nvdla_unit unit) {
    size_t count = 0;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        char position[POSITION], name[64], decoded[1024];
        if (op->kind != OP_WRITE || nvdla_unit_at(prog->config, op->address) != unit)
            continue;
        if (count++ == 0)
            fprintf(out, "\nregister writes of %s\n", unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[unit] : "no unit");
        const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
        nvdla_register_name(prog->config, op->address, name, sizeof name);
        const char *dot = reg ? strchr(name, '.') : NULL;
        decoded[0] = '\0';
        if (reg)
            nvdla_register_decode(reg, op->value, decoded, sizeof decoded);
        fprintf(out, "  %-32s 0x%08x  %s%s[%s]\n", dot ? dot + 1 : name, op->value, decoded, decoded[0] ? "  " : "",
                short_position(prog, op, position, sizeof position));
    }
}

static void print_section(FILE *out, const struct program *prog, const char *title, enum section section) {
    size_t count = 0;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        char position[POSITION], text[1024];
        if (kinds[op->kind].section != section)
            continue;
        if (count++ == 0)
            fprintf(out, "\n%s\n", title);
        describe(prog, op, text, sizeof text);
        fprintf(out, "  %s  [%s]\n", text, short_position(prog, op, position, sizeof position));
    }
}

/* "primary 0x80000000 (line 0x20, surface 0x80)" */
static void print_place(FILE *out, const struct cube *cube, bool primary) {
    fprintf(out, "%s 0x%08" PRIx64 " (line 0x%x, surface 0x%x)",
            memory_space_name(primary ? SPACE_PRIMARY : SPACE_SECONDARY), cube->base, cube->line_stride,
            cube->surface_stride);
}

static void print_cube(FILE *out, const char *what, const struct cube *cube, bool primary) {
    fprintf(out, ", %s %dx%dx%d at ", what, cube->width, cube->height, cube->channels);
    print_place(out, cube, primary);
    if (cube->batches > 1)
        fprintf(out, " in %d batches (stride 0x%x)", cube->batches, cube->batch_stride);
}

/* One line per descriptor of BDMA. */
static void print_blocks(FILE *out, const struct program *prog, const struct launch *launch) {
    struct launch_block block;
    for (size_t i = 0; launch_block(prog->config, launch, i, &block); i++) {
        fprintf(out, "    descriptor %zu, %dx%dx%d atoms from ", i, block.source.width, block.source.height,
                cube_surfaces(&block.source));
        print_place(out, &block.source, block.source_primary);
        fputs(" to ", out);
        print_place(out, &block.destination, block.destination_primary);
        fputc('\n', out);
    }
}

static void print_layers(FILE *out, const struct program *prog, const struct layer_tracker *layers) {
    if (layer_tracker_count(layers) > 0)
        fprintf(out, "\nlayers, in order of arming (width x height x channels)\n");
    for (size_t i = 0; i < layer_tracker_count(layers); i++) {
        const struct launch *launch = layer_tracker_launch(layers, i);
        struct cube cube;
        bool primary;
        char position[POSITION];
        fprintf(out, "  %s #%d, group %d", nvdla_unit_names[launch->unit], launch->ordinal, launch->group);
        if (launch_input_cube(prog->config, launch, &cube, &primary))
            print_cube(out, "reads", &cube, primary);
        if (launch_output_cube(prog->config, launch, &cube, &primary))
            print_cube(out, "writes", &cube, primary);
        fprintf(out, "  [%s]\n", short_position(prog, &prog->ops[launch->tag], position, sizeof position));
        print_blocks(out, prog, launch);
    }
}

char *explain_text(const struct program *prog) {
    struct layer_tracker *layers = program_launches(prog);
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    print_head(out, prog);
    for (int unit = 0; unit <= NVDLA_UNIT_COUNT; unit++)
        print_writes(out, prog, (enum nvdla_unit)unit);
    print_section(out, prog, "memory", MEMORY);
    print_layers(out, prog, layers);
    print_section(out, prog, "checks", CHECKS);
    print_section(out, prog, "waits and events", WAITS);
    layer_tracker_free(layers);
    xmemstream_close(out);
    return text;
}

static json_t *json_cube(const struct cube *cube, bool primary) {
    json_t *json = json_pack("{s:s, s:o, s:i, s:i, s:i, s:I, s:I}", "space",
                             memory_space_name(primary ? SPACE_PRIMARY : SPACE_SECONDARY), "base",
                             json_sprintf("0x%08" PRIx64, cube->base), "width", cube->width, "height", cube->height,
                             "channels", cube->channels, "line_stride", (json_int_t)cube->line_stride, "surface_stride",
                             (json_int_t)cube->surface_stride);
    if (cube->batches > 1)
        json_object_update_new(
            json, json_pack("{s:i, s:I}", "batches", cube->batches, "batch_stride", (json_int_t)cube->batch_stride));
    return json;
}

/* The descriptors of a launch of BDMA; channels are bytes of an atom, times surfaces. */
static json_t *json_blocks(const struct program *prog, const struct launch *launch) {
    json_t *blocks = json_array();
    struct launch_block block;
    for (size_t i = 0; launch_block(prog->config, launch, i, &block); i++)
        json_array_append_new(blocks, json_pack("{s:o, s:o}", "reads", json_cube(&block.source, block.source_primary),
                                                "writes", json_cube(&block.destination, block.destination_primary)));
    return blocks;
}

static json_t *json_op(const struct program *prog, const struct op *op) {
    char position[POSITION], text[1024], name[64], decoded[1024];
    describe(prog, op, text, sizeof text);
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o}", "kind", kinds[op->kind].name, "stream", json_text(prog->streams[op->stream]),
                  "position", json_text(op_position(prog, op, position, sizeof position)), "text", json_text(text));
    const struct nvdla_register *reg = op->kind == OP_WRITE ? nvdla_register_at(prog->config, op->address) : NULL;
    if (reg) {
        json_object_set_new(json, "register",
                            json_string(nvdla_register_name(prog->config, op->address, name, sizeof name)));
        json_object_set_new(json, "value", json_sprintf("0x%08x", op->value));
        json_object_set_new(json, "decoded",
                            json_string(nvdla_register_decode(reg, op->value, decoded, sizeof decoded)));
    }
    return json;
}

char *explain_json(const struct program *prog) {
    struct layer_tracker *layers = program_launches(prog);
    json_t *ops = json_array(), *launches = json_array();
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind != OP_NOTE)
            json_array_append_new(ops, json_op(prog, &prog->ops[i]));
    for (size_t i = 0; i < layer_tracker_count(layers); i++) {
        const struct launch *launch = layer_tracker_launch(layers, i);
        char position[POSITION];
        struct cube cube;
        bool primary;
        json_t *json = json_pack("{s:s, s:i, s:i, s:o}", "unit", nvdla_unit_names[launch->unit], "ordinal",
                                 launch->ordinal, "group", launch->group, "position",
                                 json_text(op_position(prog, &prog->ops[launch->tag], position, sizeof position)));
        if (launch_input_cube(prog->config, launch, &cube, &primary))
            json_object_set_new(json, "reads", json_cube(&cube, primary));
        if (launch_output_cube(prog->config, launch, &cube, &primary))
            json_object_set_new(json, "writes", json_cube(&cube, primary));
        if (launch->block_count > 0)
            json_object_set_new(json, "descriptors", json_blocks(prog, launch));
        json_array_append_new(launches, json);
    }
    layer_tracker_free(layers);
    json_t *json =
        json_pack("{s:o, s:s, s:b, s:o, s:o}", "file", json_text(prog->files[0]), "configuration", prog->config->name,
                  "sequential", (int)prog->sequential, "layers", launches, "operations", ops);
    return json_to_text(json, JSON_INDENT(1));
}
