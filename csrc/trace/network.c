/* Writes and reads comments about a network. See network.h. */
#include "trace/network.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

const char *const network_type_names[NETWORK_TYPES] = {"int8", "int16", "half"};

unsigned network_type_bytes(enum network_type type) {
    return type == NETWORK_INT8 ? 1 : 2;
}

bool is_network(const char *path) {
    return text_ends_with(path, ".nvdla") || text_ends_with(path, ".nvdla.gz") || text_ends_with(path, ".tflite") ||
           text_ends_with(path, ".onnx");
}

void network_name(const char *name, char text[NETWORK_NAME]) {
    size_t n = 0;
    for (; n < NETWORK_NAME - 1 && name[n]; n++)
        text[n] = isalnum((unsigned char)name[n]) || name[n] == '-' || (name[n] == '.' && n > 0) ? name[n] : '_';
    if (n == 0)
        text[n++] = '_';
    text[n] = '\0';
}

uint64_t network_place(const struct network_output *output, unsigned n, unsigned c, unsigned y, unsigned x) {
    return n * (output->size / output->n) + (uint64_t)(c / output->atom) * output->surface +
           (uint64_t)y * output->line +
           ((uint64_t)x * output->atom + c % output->atom) * network_type_bytes(output->type);
}

static bool fits(unsigned value) {
    return value >= 1 && value <= NETWORK_SIZE_MAX;
}

bool network_output_valid(const struct network_output *output) {
    if (output->size < 1 || output->size > NETWORK_OUTPUT_MAX || !fits(output->atom) || !fits(output->n) ||
        !fits(output->c) || !fits(output->h) || !fits(output->w) || !isfinite(output->scale))
        return false;
    const unsigned widest = output->c < output->atom ? output->c : output->atom; /* of the channels of a surface */
    const uint64_t last = (uint64_t)((output->c - 1) / output->atom) * output->surface +
                          network_place(output, 0, widest - 1, output->h - 1, output->w - 1);
    return last + network_type_bytes(output->type) <= output->size / output->n &&
           (uint64_t)output->n * output->c * output->h * output->w <= output->size;
}

void network_note_output(struct program *prog, const struct network_output *output) {
    autofree char *where = xprintf("network output %s %s 0x%" PRIx64 " 0x%" PRIx64, output->name,
                                   memory_space_name(output->space), output->base, output->size);
    char real[64] = "", order[ELEMENT_ORDER_TEXT];
    if (output->real != 0)
        snprintf(real, sizeof real, " real %.9g %d", output->real, output->zero);
    if (output->tensor)
        program_note(prog,
                     "%s %s format %u atom %u nchw %u %u %u %u line %" PRIu32 " surface %" PRIu32 " scale %.9g%s%s%s",
                     where, network_type_names[output->type], output->format, output->atom, output->n, output->c,
                     output->h, output->w, output->line, output->surface, output->scale, real,
                     output->order.rank ? " order " : "", element_order_text(&output->order, order));
    else
        program_note(prog, "%s", where);
}

void network_note_layer(struct program *prog, const struct network_layer *layer) {
    program_note(prog, "network layer %u.%u %s %s#%d", layer->task, layer->operation, layer->type,
                 nvdla_unit_names[layer->unit], layer->ordinal);
}

bool network_layer_name(const char *comment, char name[NETWORK_LAYER]) {
    char layer[12], type[12];
    if (sscanf(comment, "network layer %11[0-9.] %11[A-Z]", layer, type) != 2)
        return false;
    snprintf(name, NETWORK_LAYER, "%s %s", layer, type);
    return true;
}

/* ---- reading ---- */

/* Cursor over the words of a comment. */
struct note_reading {
    const struct program *prog;
    const struct op *op;
    char *text, *rest;
    struct error *err;
};

static bool wrong(const struct note_reading *reading, const char *found, const char *expected) {
    char position[512], shown[80];
    return error_set(reading->err, "%s: found %s; expected %s of a network (traces/FORMAT.md)",
                     op_position(reading->prog, reading->op, position, sizeof position),
                     found ? text_shown_into(found, shown, sizeof shown) : "the end of the comment", expected);
}

static bool word(struct note_reading *reading, const char *expected, char **found) {
    *found = strtok_r(NULL, " \t", &reading->rest);
    return *found || wrong(reading, NULL, expected);
}

/* Expects a fixed word. */
static bool constant(struct note_reading *reading, const char *expected) {
    char *found;
    return word(reading, expected, &found) && (strcmp(found, expected) == 0 || wrong(reading, found, expected));
}

static bool number(struct note_reading *reading, uint64_t least, uint64_t most, const char *expected, uint64_t *value) {
    char *found;
    return word(reading, expected, &found) &&
           ((text_number(found, most, value) && *value >= least) || wrong(reading, found, expected));
}

static bool size(struct note_reading *reading, const char *expected, unsigned *value) {
    uint64_t found;
    if (!number(reading, 1, NETWORK_SIZE_MAX, expected, &found))
        return false;
    *value = (unsigned)found;
    return true;
}

static bool stride(struct note_reading *reading, const char *name, uint32_t *value) {
    uint64_t found;
    if (!constant(reading, name) || !number(reading, 0, UINT32_MAX, "a stride", &found))
        return false;
    *value = (uint32_t)found;
    return true;
}

/* What 1 and 0 stand for. */
static bool read_real(struct note_reading *reading, struct network_output *output) {
    uint64_t zero;
    char *found, *end;
    if (!word(reading, "a scale", &found))
        return false;
    output->real = strtod(found, &end);
    if (*end || !(isfinite(output->real) && output->real > 0))
        return wrong(reading, found, "a number above 0, what 1 stands for");
    if (!word(reading, "a zero point", &found))
        return false;
    const bool below = found[0] == '-';
    if (!text_number(found + below, 128, &zero))
        return wrong(reading, found, "a zero point of -128 to 127");
    output->zero = below ? -(int)zero : (int)zero;
    return true;
}

static bool read_tensor(struct note_reading *reading, const char *type, struct network_output *output) {
    char *found, *end;
    int t = 0;
    while (t < NETWORK_TYPES && strcmp(type, network_type_names[t]) != 0)
        t++;
    if (t == NETWORK_TYPES)
        return wrong(reading, type, "int8, int16 or half, the type of the output");
    output->tensor = true;
    output->type = (enum network_type)t;
    uint64_t format;
    if (!constant(reading, "format") ||
        !number(reading, NETWORK_FEATURE, NETWORK_FEATURE_8, "36 or 37, a format of features", &format) ||
        !constant(reading, "atom") || !size(reading, "the channels of an atom", &output->atom) ||
        !constant(reading, "nchw") || !size(reading, "how many pictures are in an output", &output->n) ||
        !size(reading, "the channels", &output->c) || !size(reading, "the height", &output->h) ||
        !size(reading, "the width", &output->w) || !stride(reading, "line", &output->line) ||
        !stride(reading, "surface", &output->surface) || !constant(reading, "scale") ||
        !word(reading, "a scale", &found))
        return false;
    output->format = (unsigned)format;
    output->scale = strtod(found, &end);
    if (*end || !isfinite(output->scale))
        return wrong(reading, found, "a number, the scale of the output");
    found = strtok_r(NULL, " \t", &reading->rest);
    if (found && strcmp(found, "real") == 0) {
        if (!read_real(reading, output))
            return false;
        found = strtok_r(NULL, " \t", &reading->rest);
    }
    if (found && strcmp(found, "order") == 0) {
        if (!word(reading, "an order of elements", &found))
            return false;
        if (!element_order_parse(found, &output->order) ||
            element_count(&output->order) != (size_t)output->n * output->c * output->h * output->w)
            return wrong(reading, found, "an order of all elements, such as n1h4w5c16");
    }
    if (!network_output_valid(output))
        return wrong(reading, "a tensor that is larger than its memory", "strides and sizes");
    return true;
}

static bool read_output(struct note_reading *reading, struct network *network) {
    struct network_output output = {0};
    char *name, *space, *type;
    if (!word(reading, "the name of an output", &name) || !word(reading, "the memory of an output", &space) ||
        (!memory_space_find(space, &output.space) && !wrong(reading, space, "primary or secondary, the memory")) ||
        !number(reading, 0, UINT64_MAX, "the address of an output", &output.base) ||
        !number(reading, 1, NETWORK_OUTPUT_MAX, "the size of an output in bytes", &output.size))
        return false;
    network_name(name, output.name);
    type = strtok_r(NULL, " \t", &reading->rest);
    if (type && !read_tensor(reading, type, &output))
        return false;
    *xadd(network->outputs, network->output_count) = output;
    return true;
}

static bool read_layer(struct note_reading *reading, struct network *network) {
    struct network_layer layer = {0};
    char *place, *type, *launch, *dot, *hash;
    uint64_t task, operation, ordinal;
    if (!word(reading, "TASK.LAYER", &place) || !word(reading, "the type of a layer", &type) ||
        !word(reading, "the launch of a layer", &launch))
        return false;
    dot = strchr(place, '.');
    hash = strchr(launch, '#');
    if (dot)
        *dot = '\0';
    if (!dot || !text_number(place, 65535, &task) || !text_number(dot + 1, 65535, &operation))
        return wrong(reading, place, "TASK.LAYER");
    if (hash)
        *hash = '\0';
    int unit = 0;
    while (unit < NVDLA_UNIT_COUNT && strcmp(launch, nvdla_unit_names[unit]) != 0)
        unit++;
    if (!hash || unit == NVDLA_UNIT_COUNT || !text_number(hash + 1, INT32_MAX, &ordinal))
        return wrong(reading, launch, "UNIT#LAUNCH");
    layer.task = (unsigned)task;
    layer.operation = (unsigned)operation;
    snprintf(layer.type, sizeof layer.type, "%s", type);
    layer.unit = (enum nvdla_unit)unit;
    layer.ordinal = (int)ordinal;
    *xadd(network->layers, network->layer_count) = layer;
    return true;
}

static bool read_note(struct note_reading *reading, struct network *network) {
    char *kind;
    strtok_r(reading->text, " \t", &reading->rest); /* "network" */
    if (!word(reading, "output or layer", &kind))
        return false;
    if (strcmp(kind, "output") == 0)
        return read_output(reading, network);
    if (strcmp(kind, "layer") == 0)
        return read_layer(reading, network);
    return true; /* an ordinary comment that mentions a network */
}

bool network_read(const struct program *prog, struct network *network, struct error *err) {
    *network = (struct network){0};
    bool fine = true;
    for (size_t i = 0; fine && i < prog->count; i++) {
        if (prog->ops[i].kind != OP_NOTE || strncmp(prog->ops[i].text, "network ", 8) != 0)
            continue;
        struct note_reading reading = {
            .prog = prog, .op = &prog->ops[i], .text = xstrdup(prog->ops[i].text), .err = err};
        fine = read_note(&reading, network);
        free(reading.text);
    }
    if (!fine)
        network_free(network);
    return fine;
}

void network_free(struct network *network) {
    free(network->outputs);
    free(network->layers);
    *network = (struct network){0};
}

/* CDMA, CSC, CMAC and CACC execute a convolution together. */
static enum nvdla_unit whole(enum nvdla_unit unit) {
    return unit == NVDLA_CDMA || unit == NVDLA_CSC || unit == NVDLA_CMAC_A || unit == NVDLA_CMAC_B ? NVDLA_CACC : unit;
}

const struct network_layer *network_layer_of(const struct network *network, enum nvdla_unit unit, int ordinal) {
    for (size_t i = 0; i < network->layer_count; i++)
        if (network->layers[i].unit == whole(unit) && network->layers[i].ordinal == ordinal)
            return &network->layers[i];
    return NULL;
}
