/* Input memories: places of elements, values, raw files. See input.h. */
#include "loadable/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/half.h"
#include "memory/file.h"
#include "nvdla/bytes.h"
#include "nvdla/random.h"
#include "nvdla/text.h"

const struct input_scale input_plain = {.norm = 1};

static uint64_t element_bytes(const struct input_tensor *tensor) {
    return tensor->half ? 2 : 1;
}

static bool has_atoms(unsigned pixel_format) {
    return pixel_format == PIXEL_FEATURE || pixel_format == PIXEL_FEATURE_8;
}

/* Channels of an atom; of pixels those of a pixel. */
static uint64_t lanes(const struct input_tensor *tensor) {
    switch (tensor->pixel_format) {
    case PIXEL_FEATURE:
        return tensor->half ? 16 : 32;
    case PIXEL_FEATURE_8:
        return 8;
    case PIXEL_R8:
        return 1;
    default:
        return 4;
    }
}

uint64_t input_place(const struct input_tensor *tensor, int picture, int x, int y, int z) {
    const uint64_t a = lanes(tensor), channel = (uint64_t)z;
    return (uint64_t)picture * (tensor->size / (uint64_t)tensor->n) + channel / a * tensor->surface_stride +
           (uint64_t)y * tensor->line_stride + ((uint64_t)x * a + channel % a) * element_bytes(tensor);
}

static bool known_format(const struct loadable_tensor *tensor) {
    const bool half = tensor->data_type == DATA_HALF, int8 = tensor->data_type == DATA_INT8;
    switch (tensor->pixel_format) {
    case PIXEL_FEATURE:
    case PIXEL_FEATURE_8:
        return half || int8;
    case PIXEL_A16B16G16R16_F:
        return half;
    case PIXEL_A8B8G8R8:
    case PIXEL_R8:
        return int8;
    default:
        return false;
    }
}

bool input_tensor_of(const struct loadable *loadable, const struct loadable_memory *memory, struct input_tensor *tensor,
                     struct error *err) {
    enum { SIDE = 1 << 16 };
    if (memory->tensor == LOADABLE_NONE)
        return error_set(err,
                         "%s: memory %u is an input without a tensor; give its content with --input raw:FILE or zero",
                         loadable->path, memory->id);
    const struct loadable_tensor *from = &loadable->tensors[memory->tensor];
    if (from->n < 1 || from->c < 1 || from->h < 1 || from->w < 1 || from->n > SIDE || from->c > SIDE ||
        from->h > SIDE || from->w > SIDE)
        return error_set(
            err, "%s: tensor %s: found %d x %d x %d x %d (pictures, channels, height, width), expected 1 to %d of each",
            loadable->path, from->name, from->n, from->c, from->h, from->w, SIDE);
    if (!known_format(from))
        return error_set(
            err,
            "%s: tensor %s: found pixel format %u of data type %u, expected features, A8B8G8R8 or R8 of INT8, or "
            "features or A16B16G16R16_F of FP16; give its content with --input raw:FILE",
            loadable->path, from->name, from->pixel_format, from->data_type);
    *tensor = (struct input_tensor){
        .name = from->name,
        .bind = memory->bind,
        .n = from->n,
        .c = from->c,
        .h = from->h,
        .w = from->w,
        .half = from->data_type == DATA_HALF,
        .pixel_format = from->pixel_format,
        .line_stride = from->stride[1],
        .surface_stride = from->stride[2],
        .size = memory->size,
    };
    if (!has_atoms(from->pixel_format) && (uint64_t)from->c > lanes(tensor))
        return error_set(err, "%s: tensor %s: found %d channels of pixels, expected at most %" PRIu64, loadable->path,
                         from->name, from->c, lanes(tensor));
    const uint64_t end =
        input_place(tensor, from->n - 1, from->w - 1, from->h - 1, from->c - 1) + element_bytes(tensor);
    if (end > memory->size || (uint64_t)from->c * (uint64_t)from->h * (uint64_t)from->w > memory->size)
        return error_set(
            err, "%s: tensor %s: it ends at byte 0x%" PRIx64 ", expected it inside the 0x%" PRIx64 " of memory %u",
            loadable->path, from->name, end, memory->size, memory->id);
    return true;
}

void input_put(const struct input_tensor *tensor, const struct input_scale *scale, int picture, int x, int y, int z,
               unsigned value, uint8_t *bytes) {
    uint8_t *at = bytes + input_place(tensor, picture, x, y, z);
    if (!tensor->half) {
        *at = (uint8_t)((value * 127 * 2 + 255) / (2 * 255)); /* floor(v * 127 / 255 + 0.5) */
        return;
    }
    const float mean = scale->mean[z < INPUT_CHANNELS ? z : INPUT_CHANNELS - 1];
    store_16(at, float_to_half(((float)value - mean) / scale->norm));
}

bool input_spec_read(const char *text, struct input_spec *spec, struct error *err) {
    if (strcmp(text, "zero") == 0) {
        *spec = (struct input_spec){.kind = INPUT_ZERO};
        return true;
    }
    if (strncmp(text, "random:", 7) == 0 && text_number(text + 7, UINT64_MAX, &spec->seed)) {
        spec->kind = INPUT_RANDOM;
        return true;
    }
    if (strncmp(text, "raw:", 4) == 0 && text[4]) {
        *spec = (struct input_spec){.kind = INPUT_RAW, .path = text + 4};
        return true;
    }
    return error_set(err, "--input: found '%s', expected zero, random:SEED or raw:FILE", text);
}

static bool fill_raw(const struct loadable *loadable, const struct loadable_memory *memory, const char *path,
                     uint8_t *bytes, struct error *err) {
    const uint64_t tensor = memory->tensor == LOADABLE_NONE ? memory->size : loadable->tensors[memory->tensor].size;
    char *content;
    size_t n;
    if (!file_read(path, &content, &n, err))
        return false;
    const bool fits = n == memory->size || (n == tensor && n <= memory->size);
    if (fits)
        memcpy(bytes, content, n);
    else
        error_set(err, "%s: found %zu bytes, expected the %" PRIu64 " of input memory %u of %s", path, n, memory->size,
                  memory->id, loadable->path);
    free(content);
    return fits;
}

static bool fill_random(const struct loadable *loadable, const struct loadable_memory *memory, uint64_t seed,
                        uint8_t *bytes, struct error *err) {
    struct input_tensor tensor;
    if (!input_tensor_of(loadable, memory, &tensor, err))
        return false;
    uint64_t state = seed;
    for (int n = 0; n < tensor.n; n++)
        for (int z = 0; z < tensor.c; z++)
            for (int y = 0; y < tensor.h; y++)
                for (int x = 0; x < tensor.w; x++)
                    input_put(&tensor, &input_plain, n, x, y, z, (unsigned)(random_next(&state) & 255), bytes);
    return true;
}

bool input_fill(const struct loadable *loadable, const struct loadable_memory *memory, const struct input_spec *spec,
                uint8_t *bytes, struct error *err) {
    switch (spec->kind) {
    case INPUT_ZERO:
        return true;
    case INPUT_RANDOM:
        return fill_random(loadable, memory, spec->seed, bytes, err);
    case INPUT_RAW:
        return fill_raw(loadable, memory, spec->path, bytes, err);
    }
    return true;
}
