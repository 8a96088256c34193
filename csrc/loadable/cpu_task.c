/* Decodes and computes operations for the processor. See cpu_task.h. */
#include "loadable/cpu_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/elementary.h"
#include "loadable/half.h"
#include "nvdla/bytes.h"
#include "nvdla/xalloc.h"

enum {
    DESCRIPTOR_USED = 6, /* bytes; the rest is unused */
    OLD_OPERATION = 16,
    CPU_OPERATIONS_MAX = 1024,
};

const char *const cpu_type_names[CPU_TYPES] = {"power", "softmax", "logarithm", "logistic", "log-softmax", "arg-max"};

static unsigned u16(const uint8_t *bytes) {
    return load_16(bytes);
}

static uint32_t u32(const uint8_t *bytes) {
    return u16(bytes) | (uint32_t)u16(bytes + 2) << 16;
}

static float f32(const uint8_t *bytes) {
    const uint32_t bits = u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct cpu_reading {
    const struct loadable *loadable;
    const struct loadable_task *task;
    size_t number;
    struct error *err;
};

/* The memory and offset that a list position refers to. */
static bool locate(const struct cpu_reading *reading, int position, const char *what,
                   const struct loadable_memory **memory, uint64_t *offset) {
    if (position < 0 || (size_t)position >= reading->task->address_count)
        return error_set(reading->err,
                         "%s: task %zu: found the %s at position %d of its address list, expected 0 to %zu",
                         reading->loadable->path, reading->number, what, position, reading->task->address_count - 1);
    const struct loadable_address *address = &reading->loadable->addresses[reading->task->addresses[position]];
    *memory = &reading->loadable->memories[address->memory];
    *offset = address->offset;
    return true;
}

/* n bytes of a list, NULL with a message; *left: bytes of the memory from its start on. */
static uint8_t *list_bytes(const struct cpu_reading *reading, int position, uint64_t n, const char *what,
                           uint64_t *left) {
    const struct loadable_memory *memory;
    uint64_t offset;
    if (!locate(reading, position, what, &memory, &offset))
        return NULL;
    *left = memory->size - offset;
    if (*left < n) {
        error_set(reading->err, "%s: task %zu: found 0x%" PRIx64 " bytes for the %s, expected at least 0x%" PRIx64,
                  reading->loadable->path, reading->number, *left, what, n);
        return NULL;
    }
    uint8_t *bytes = xmalloc((size_t)n);
    loadable_content(reading->loadable, memory, offset, bytes, (size_t)n);
    return bytes;
}

uint64_t cpu_buffer_end(const struct cpu_buffer *buffer, const struct cpu_buffer *cube) {
    const uint64_t element = buffer->half ? 2 : 1, atom = buffer->lanes * element;
    const uint64_t surfaces = (cube->channel - 1) / buffer->lanes; /* before the last one */
    const uint64_t place = (uint64_t)(cube->height - 1) * buffer->line_stride + (uint64_t)(cube->width - 1) * atom;
    const uint64_t last =
        surfaces * buffer->surface_stride + place + ((cube->channel - 1) % buffer->lanes + 1) * element;
    const uint64_t whole = surfaces ? (surfaces - 1) * buffer->surface_stride + place + atom : 0;
    return last > whole ? last : whole;
}

static bool check_buffer(const struct cpu_reading *reading, size_t operation, const char *what,
                         struct cpu_buffer *buffer, uint64_t offset) {
    const uint64_t element = buffer->half ? 2 : 1;
    if (buffer->width == 0 || buffer->height == 0 || buffer->channel == 0)
        return error_set(reading->err,
                         "%s: task %zu, layer %zu: found its %s to be %u x %u x %u (width, height, channels), "
                         "expected 1 or more of each",
                         reading->loadable->path, reading->number, operation, what, buffer->width, buffer->height,
                         buffer->channel);
    const uint64_t line = buffer->channel * element; /* softmax takes its channels in one row */
    const uint64_t values = (uint64_t)buffer->width * buffer->height * buffer->channel * element;
    const uint64_t cube = cpu_buffer_end(buffer, buffer), end = cube > line ? cube : line;
    if (offset > buffer->memory->size || end > buffer->memory->size - offset || values > buffer->memory->size)
        return error_set(reading->err,
                         "%s: task %zu, layer %zu: found its %s to end at 0x%" PRIx64
                         " of memory %u, expected it inside the 0x%" PRIx64 " bytes",
                         reading->loadable->path, reading->number, operation, what, offset + end, buffer->memory->id,
                         buffer->memory->size);
    buffer->address = buffer->memory->base + offset;
    buffer->bytes = end;
    return true;
}

static bool read_buffer(const struct cpu_reading *reading, size_t operation, const char *what, const uint8_t *bytes,
                        bool old, struct cpu_buffer *buffer) {
    const uint8_t *rest = bytes + (old ? 2 : 6);
    const unsigned format = u16(rest + 4);
    const unsigned half_format = old ? 2 : 3;
    uint64_t offset;
    *buffer = (struct cpu_buffer){.width = u16(rest + 6),
                                  .height = u16(rest + 8),
                                  .channel = u16(rest + 10),
                                  .line_stride = u32(rest + 12),
                                  .surface_stride = u32(rest + 16),
                                  .half = format == half_format};
    if (format != 0 && format != half_format && (old || format != 1))
        return error_set(reading->err, "%s: task %zu, layer %zu: found format %u of its %s, expected %s",
                         reading->loadable->path, reading->number, operation, format, what,
                         old ? "0 (INT8) or 2 (FP16)" : "0, 1 (INT8) or 3 (FP16)");
    buffer->lanes = buffer->half ? 16 : format == 1 ? 8 : 32;
    if (!locate(reading, (int16_t)u16(bytes), what, &buffer->memory, &offset))
        return false;
    return check_buffer(reading, operation, what, buffer, offset + (old ? 0 : u32(bytes + 2)));
}

static bool read_operation(const struct cpu_reading *reading, size_t index, const uint8_t *bytes,
                           const uint8_t *buffers, bool old, struct cpu_operation *op) {
    const uint8_t *parameters = bytes + (old ? 1 : 12);
    const unsigned type = bytes[0];
    if (type >= CPU_TYPES)
        return error_set(
            reading->err,
            "%s: task %zu, layer %zu: found type %u of a CPU operation, expected 0 (power), 1 "
            "(softmax), 2 (logarithm), 3 (logistic), 4 (log-softmax) or 5 (arg-max); others are not supported",
            reading->loadable->path, reading->number, index, type);
    *op = (struct cpu_operation){.type = type, .in_scale = 1, .out_scale = 1};
    if (!old) {
        op->in_scale = f32(bytes + 4);
        op->out_scale = f32(bytes + 8);
    }
    if (type == CPU_POWER) {
        op->power = f32(parameters);
        op->scale = f32(parameters + 4);
        op->shift = f32(parameters + 8);
    }
    if (type == CPU_LOG_SOFTMAX)
        op->shift = old ? 0 : f32(parameters);
    if (type == CPU_LOGISTIC)
        op->zero = old ? 0 : f32(parameters);
    if (!read_buffer(reading, index, "source", buffers, old, &op->source) ||
        !read_buffer(reading, index, "destination", buffers + CPU_BUFFER_BYTES, old, &op->destination))
        return false;
    const struct cpu_buffer *from = &op->source, *to = &op->destination;
    if (from->half != to->half || from->lanes != to->lanes)
        return error_set(reading->err,
                         "%s: task %zu, layer %zu: found a source of %s with atoms of %u channels and a destination of "
                         "%s with %u, expected the same",
                         reading->loadable->path, reading->number, index, from->half ? "FP16" : "INT8", from->lanes,
                         to->half ? "FP16" : "INT8", to->lanes);
    const unsigned least = type != CPU_ARG_MAX ? from->channel : from->half ? 1 : 2;
    if (to->channel < least || (!cpu_takes_row(type) && (to->width < from->width || to->height < from->height)))
        return error_set(reading->err,
                         "%s: task %zu, layer %zu: found a destination of %u x %u x %u, expected at least the source's "
                         "%u x %u x %u",
                         reading->loadable->path, reading->number, index, to->width, to->height, to->channel,
                         from->width, from->height, from->channel);
    return true;
}

bool cpu_task_read(const struct loadable *loadable, size_t number, struct cpu_task *task, struct error *err) {
    const struct cpu_reading reading = {
        .loadable = loadable, .task = &loadable->tasks[loadable->order[number]], .number = number, .err = err};
    *task = (struct cpu_task){0};
    uint64_t left;
    autofree uint8_t *descriptor = list_bytes(&reading, 0, DESCRIPTOR_USED, "network descriptor", &left);
    if (!descriptor)
        return false;
    const int operations = (int16_t)u16(descriptor), buffers = (int16_t)u16(descriptor + 2);
    const size_t count = u16(descriptor + 4);
    if (count > CPU_OPERATIONS_MAX)
        return error_set(err, "%s: task %zu: found %zu CPU operations, expected at most %d", loadable->path, number,
                         count, CPU_OPERATIONS_MAX);
    if (count == 0)
        return true;
    autofree uint8_t *list =
        list_bytes(&reading, operations, (uint64_t)count * OLD_OPERATION, "list of operations", &left);
    const bool old = left < (uint64_t)count * CPU_OPERATION_BYTES;
    if (list && !old) {
        free(list);
        list = list_bytes(&reading, operations, (uint64_t)count * CPU_OPERATION_BYTES, "list of operations", &left);
    }
    autofree uint8_t *cubes =
        list ? list_bytes(&reading, buffers, (uint64_t)count * CPU_BUFFERS * CPU_BUFFER_BYTES, "list of buffers", &left)
             : NULL;
    bool good = cubes != NULL;
    if (good)
        task->operations = xcalloc(count, sizeof *task->operations);
    for (; good && task->count < count; task->count++)
        good =
            read_operation(&reading, task->count, list + task->count * (old ? OLD_OPERATION : CPU_OPERATION_BYTES),
                           cubes + task->count * CPU_BUFFERS * CPU_BUFFER_BYTES, old, &task->operations[task->count]);
    if (!good)
        cpu_task_free(task);
    return good;
}

void cpu_task_free(struct cpu_task *task) {
    free(task->operations);
    *task = (struct cpu_task){0};
}

/* ---- encoding ---- */

static void put(uint8_t *bytes, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void put_float(uint8_t *bytes, float value) {
    memcpy(bytes, &value, sizeof value);
}

void cpu_descriptor_encode(size_t operations, size_t buffers, size_t count, uint8_t *bytes) {
    put(bytes, operations, 2);
    put(bytes + 2, buffers, 2);
    put(bytes + 4, count, 2);
}

void cpu_operation_encode(const struct cpu_operation *op, uint8_t *bytes) {
    enum { ALONG_CHANNELS = 1 };
    bytes[0] = (uint8_t)op->type;
    put_float(bytes + 4, op->in_scale);
    put_float(bytes + 8, op->out_scale);
    if (op->type == CPU_SOFTMAX)
        bytes[12] = ALONG_CHANNELS;
    else
        put_float(bytes + 12, op->type == CPU_LOG_SOFTMAX ? op->shift : op->zero);
}

void cpu_buffer_encode(const struct cpu_buffer *buffer, int position, uint8_t *bytes) {
    put(bytes, (uint64_t)position, 2);
    put(bytes + 2, buffer->address, 4);
    put(bytes + 6, buffer->bytes, 4);
    put(bytes + 10, buffer->lanes == 8 ? 1 : 0, 2);
    put(bytes + 12, buffer->width, 2);
    put(bytes + 14, buffer->height, 2);
    put(bytes + 16, buffer->channel, 2);
    put(bytes + 18, buffer->line_stride, 4);
    put(bytes + 22, buffer->surface_stride, 4);
}

/* ---- computing ---- */

/* A result of INT8: clamped, then rounded toward zero; a NaN becomes 0. */
static uint8_t to_int8(float value) {
    if (isnan(value))
        return 0;
    return (uint8_t)(int8_t)(value < -128.0f ? -128.0f : value > 127.0f ? 127.0f : value);
}

static float load_value(const struct cpu_buffer *buffer, const uint8_t *at) {
    return buffer->half ? half_to_float(load_16(at)) : (float)(int8_t)*at;
}

static void store_value(const struct cpu_buffer *buffer, uint8_t *at, float value) {
    if (buffer->half)
        store_16(at, float_to_half(value));
    else
        *at = to_int8(value);
}

static size_t place(const struct cpu_buffer *buffer, unsigned channel, unsigned y, unsigned x) {
    const size_t element = buffer->half ? 2 : 1;
    return (size_t)(channel / buffer->lanes) * buffer->surface_stride + (size_t)y * buffer->line_stride +
           ((size_t)x * buffer->lanes + channel % buffer->lanes) * element;
}

static float element(const struct cpu_operation *op, float value) {
    const float x = op->source.half ? value : (value - op->zero) * op->in_scale;
    if (op->type == CPU_LOGISTIC) {
        const float share = 1 / (1 + elementary_exp(-x));
        return op->source.half ? share : floorf(share / op->out_scale + 0.5f);
    }
    const float y = op->type == CPU_POWER ? elementary_pow(op->shift + op->scale * x, op->power) : elementary_log(x);
    return op->source.half ? y : y / op->out_scale;
}

/* Power and logarithm: each element independently. */
static void run_elements(const struct cpu_operation *op, const uint8_t *from, uint8_t *to) {
    const struct cpu_buffer *source = &op->source, *destination = &op->destination;
    for (unsigned channel = 0; channel < source->channel; channel++)
        for (unsigned y = 0; y < source->height; y++)
            for (unsigned x = 0; x < source->width; x++)
                store_value(destination, to + place(destination, channel, y, x),
                            element(op, load_value(source, from + place(source, channel, y, x))));
}

static float rounded(float value) {
    return half_to_float(float_to_half(value));
}

static void run_softmax(const struct cpu_operation *op, const uint8_t *from, uint8_t *to) {
    const bool half = op->source.half;
    const size_t bytes = half ? 2 : 1, count = op->source.channel;
    autofree float *values = xmalloc(count * sizeof *values);
    float most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = load_value(&op->source, from + i * bytes);
        values[i] = half ? value : rounded(value * op->in_scale);
        most = values[i] > most ? values[i] : most;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = elementary_exp(values[i] - most);
        sum += values[i];
    }
    for (size_t i = 0; i < count; i++) {
        const float share = values[i] / sum;
        store_value(&op->destination, to + i * bytes, half ? share : rounded(share) / op->out_scale);
    }
}

/* In float32: no rounding on the way. */
static void run_log_softmax(const struct cpu_operation *op, const uint8_t *from, uint8_t *to) {
    const bool half = op->source.half;
    const size_t bytes = half ? 2 : 1, count = op->source.channel;
    float most = -INFINITY, sum = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, load_value(&op->source, from + i * bytes));
    for (size_t i = 0; i < count; i++)
        sum += elementary_exp((load_value(&op->source, from + i * bytes) - most) * op->in_scale);
    const float rest = elementary_log(sum);
    for (size_t i = 0; i < count; i++) {
        const float y = (load_value(&op->source, from + i * bytes) - most) * op->in_scale - rest;
        store_value(&op->destination, to + i * bytes, half ? y : floorf(y / op->out_scale + op->shift + 0.5f));
    }
}

/* The first of equals. */
static void run_arg_max(const struct cpu_operation *op, const uint8_t *from, uint8_t *to) {
    const size_t bytes = op->source.half ? 2 : 1;
    size_t best = 0;
    for (size_t i = 1; i < op->source.channel; i++)
        if (load_value(&op->source, from + i * bytes) > load_value(&op->source, from + best * bytes))
            best = i;
    store_16(to, (uint16_t)best);
}

void cpu_operation_run(const struct cpu_operation *op, struct memory *const memories[SPACE_COUNT]) {
    const struct cpu_buffer *source = &op->source, *destination = &op->destination;
    struct memory *target = memories[destination->memory->space];
    autofree uint8_t *from = xmalloc((size_t)source->bytes), *to = xmalloc((size_t)destination->bytes);
    memory_read(memories[source->memory->space], source->address, from, (size_t)source->bytes);
    memory_read(target, destination->address, to, (size_t)destination->bytes);
    if (op->type == CPU_SOFTMAX)
        run_softmax(op, from, to);
    else if (op->type == CPU_LOG_SOFTMAX)
        run_log_softmax(op, from, to);
    else if (op->type == CPU_ARG_MAX)
        run_arg_max(op, from, to);
    else
        run_elements(op, from, to);
    memory_write(target, destination->address, to, (size_t)destination->bytes, NULL, NULL);
}
