/* Input sources to bytes of memory. See input.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/half.h"
#include "loadable/input.h"
#include "memory/file.h"
#include "nvdla/bytes.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"

bool input_mean_parse(const char *text, const char *option, struct input_options *options, struct error *err) {
    options->mean_count = 0;
    for (const char *p = text;; p++) {
        char *end;
        errno = 0;
        const float value = strtof(p, &end);
        if (end == p || errno || !isfinite(value) || (*end && *end != ',') || options->mean_count >= INPUT_CHANNELS_MAX)
            return error_set(err, "%s: found %s; expected a number, or one for each channel with commas between them",
                             option, text);
        *xadd(options->mean, options->mean_count) = value;
        if (!*end)
            return true;
        p = end;
    }
}

void input_options_free(struct input_options *options) {
    words_free(&options->sources);
    free(options->mean);
    *options = (struct input_options){0};
}

/* Layout of a tensor in its memory. */
struct placing {
    const struct loadable_tensor *tensor;
    unsigned bytes;       /* of an element */
    unsigned atom;        /* contiguous channels */
    const uint8_t *order; /* for pixels: which of them each channel is; NULL: in order */
    uint64_t surface;     /* from one atom of channels to the next */
    uint64_t start, end;  /* of this picture of a batch in the memory */
};

/* Pixels of four components, whose name has the last component in memory first (20-data-formats section 4): the places
 * of the channels that the first layer gets. NULL: not such a format. */
static const uint8_t *component_order(unsigned format, bool half) {
    static const uint8_t rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, argb[] = {1, 2, 3, 0}, abgr[] = {3, 2, 1, 0};
    switch (format) {
    case PIXEL_A16B16G16R16_F:
        return half ? rgba : NULL;
    case PIXEL_A16Y16U16V16_F:
        return half ? bgra : NULL;
    case PIXEL_A8B8G8R8:
    case PIXEL_X8B8G8R8:
        return half ? NULL : rgba;
    case PIXEL_A8R8G8B8:
    case PIXEL_X8R8G8B8:
    case PIXEL_A8Y8U8V8:
        return half ? NULL : bgra;
    case PIXEL_B8G8R8A8:
    case PIXEL_B8G8R8X8:
    case PIXEL_V8U8Y8A8:
        return half ? NULL : argb;
    case PIXEL_R8G8B8A8:
    case PIXEL_R8G8B8X8:
        return half ? NULL : abgr;
    default:
        return NULL;
    }
}

/* Checks the tensor (section 9's table, and the other orders of pixels); false with a message. */
static bool placing_of(const struct loadable_tensor *tensor, unsigned index, uint64_t size, struct placing *placing,
                       struct error *err) {
    const bool half = tensor->data_type == DATA_HALF;
    const unsigned format = tensor->pixel_format;
    if (tensor->n < 1 || tensor->c < 1 || tensor->h < 1 || tensor->w < 1 || tensor->c > INPUT_CHANNELS_MAX ||
        tensor->h > PICTURE_SIZE_MAX || tensor->w > PICTURE_SIZE_MAX || (uint64_t)tensor->n > size)
        return error_set(
            err,
            "input \"%s\": found a tensor of n %d, channels %d, height %d, width %d in %llu bytes; expected "
            "1 to %d each",
            tensor->name, tensor->n, tensor->c, tensor->h, tensor->w, (unsigned long long)size, PICTURE_SIZE_MAX);
    unsigned most = INPUT_CHANNELS_MAX;
    bool known = half || tensor->data_type == DATA_INT8;
    *placing = (struct placing){.tensor = tensor, .bytes = half ? 2 : 1};
    if (format == PIXEL_FEATURE || format == PIXEL_FEATURE_8) {
        placing->atom = tensor->atom ? tensor->atom / placing->bytes : format == PIXEL_FEATURE_8 ? 8 : half ? 16 : 32;
        placing->surface = tensor->stride[2];
    } else if (component_order(format, half)) {
        placing->order = component_order(format, half);
        placing->atom = most = 4;
    } else if (format == (half ? PIXEL_R16_F : PIXEL_R8)) {
        placing->atom = most = 1;
    } else {
        known = false;
    }
    if (!known || (unsigned)tensor->c > most)
        return error_set(err,
                         "input \"%s\": found data type %u, pixel format %u, %d channels; expected int8 (4) in feature "
                         "format 36 or 37, pixels of 8 bits in one plane (12 to 19, 26, 27) or R8 (0), or half (2) in "
                         "feature format 36 or pixels (8, 11, 5); give the memory's bytes with raw:FILE",
                         tensor->name, tensor->data_type, format, tensor->c);
    placing->start = index * (size / (uint64_t)tensor->n);
    placing->end = placing->start + size / (uint64_t)tensor->n;
    const uint64_t last = placing->start + (uint64_t)((unsigned)(tensor->c - 1) / placing->atom) * placing->surface +
                          (uint64_t)(tensor->h - 1) * tensor->stride[1] +
                          (uint64_t)tensor->w * placing->atom * placing->bytes;
    if (last > placing->end)
        return error_set(
            err,
            "input \"%s\": found strides %u, %u and %d x %d pixels of %d channels, which end at byte %llu; "
            "expected at most %llu, the size of the memory",
            tensor->name, tensor->stride[1], tensor->stride[2], tensor->w, tensor->h, tensor->c,
            (unsigned long long)(last - placing->start), (unsigned long long)(placing->end - placing->start));
    return true;
}

static uint64_t place_of(const struct placing *placing, unsigned x, unsigned y, unsigned z) {
    return placing->start + z / placing->atom * placing->surface + (uint64_t)y * placing->tensor->stride[1] +
           ((uint64_t)x * placing->atom + (placing->order ? placing->order[z] : z % placing->atom)) * placing->bytes;
}

static float mean_of(const struct input_options *options, unsigned channel) {
    const size_t i = options->mean_count == 1 ? 0 : channel;
    return i < options->mean_count ? options->mean[i] : 0;
}

static float norm_of(const struct input_options *options) {
    return options->norm == 0 ? 1 : options->norm;
}

static bool has_mean(const struct input_options *options) {
    for (size_t i = 0; i < options->mean_count; i++)
        if (options->mean[i] != 0)
            return true;
    return false;
}

/* Checks mean, norm and scale against the tensor; false with a message. */
static bool options_suit(const struct loadable_tensor *tensor, const struct input_options *options, struct error *err) {
    enum { COLOURS = 3, WITH_ALPHA = 4 };
    const bool colours = options->mean_count == COLOURS && tensor->c == WITH_ALPHA;
    if (options->mean_count > 1 && options->mean_count != (size_t)tensor->c && !colours)
        return error_set(err, "input \"%s\": found %zu means; expected one, or one for each of %d channels",
                         tensor->name, options->mean_count, tensor->c);
    return options->scale == 0 || tensor->data_type == DATA_INT8 ||
           error_set(err, "input \"%s\": found a scale for a tensor of FP16; expected none: its values are not scaled",
                     tensor->name);
}

/* What 1 of an INT8 input represents: as given, or such that the darkest or the lightest value becomes -127 or 127. */
static double scale_of(const struct input_options *options) {
    if (options->scale != 0)
        return (double)options->scale;
    double most = options->mean_count == 0 ? 255 : 0;
    for (size_t i = 0; i < options->mean_count; i++) {
        const double mean = (double)options->mean[i];
        most = fmax(most, fmax(fabs(mean), fabs(255 - mean)));
    }
    return most / fabs((double)norm_of(options)) / 127;
}

/* A picture's value in an INT8 tensor. Without mean and scale it is the driver's, in whole numbers: 0 to 127. */
static uint8_t int8_of(const struct input_options *options, unsigned z, unsigned sample, unsigned maximum) {
    if (options->scale == 0 && !has_mean(options) && norm_of(options) > 0)
        return (uint8_t)((2 * 127 * (uint64_t)sample + maximum) / (2 * (uint64_t)maximum));
    const double value = (double)sample * 255 / maximum - (double)mean_of(options, z);
    const double steps = floor(value / (double)norm_of(options) / scale_of(options) + 0.5);
    return (uint8_t)(int8_t)(steps < -128 ? -128 : steps > 127 ? 127 : steps);
}

/* Stores the value v of 0 ... 255 that sample / maximum represents. */
static void put(const struct placing *placing, const struct input_options *options, unsigned x, unsigned y, unsigned z,
                unsigned sample, unsigned maximum, uint8_t *memory) {
    uint8_t *to = memory + place_of(placing, x, y, z);
    if (placing->bytes == 1) {
        *to = int8_of(options, z, sample, maximum);
    } else {
        const float value = (float)((double)sample * 255 / maximum);
        store_16(to, float_to_half((value - mean_of(options, z)) / norm_of(options)));
    }
}

/* Puts a picture in its place, number `index` of the tensor's n, in the size bytes of the input memory. The picture
 * must have the tensor's width and height. path is for messages. False with a message. */
static bool input_place(const char *path, const struct picture *picture, const struct loadable_tensor *tensor,
                        unsigned index, const struct input_options *options, uint8_t *memory, uint64_t size,
                        struct error *err) {
    struct placing placing;
    if (!placing_of(tensor, index, size, &placing, err) || !options_suit(tensor, options, err))
        return false;
    const unsigned channels = tensor->c == 1 && picture_is_grey(picture) ? 1 : picture->channels;
    if (channels > (unsigned)tensor->c)
        return error_set(err,
                         "%s: found a picture in colour; expected a grey one, as the input \"%s\" has %d %s; "
                         "ImageMagick makes one: convert %s -colorspace Gray grey.png",
                         path, tensor->name, tensor->c, tensor->c == 1 ? "channel" : "channels", path);
    if (picture->width != (unsigned)tensor->w || picture->height != (unsigned)tensor->h)
        return error_set(err, "%s: found a picture of %u x %u pixels; expected %d x %d", path, picture->width,
                         picture->height, tensor->w, tensor->h);
    const uint16_t *sample = picture->samples;
    for (unsigned y = 0; y < picture->height; y++)
        for (unsigned x = 0; x < picture->width; x++, sample += picture->channels)
            for (unsigned c = 0; c < channels; c++)
                put(&placing, options, x, y, options->rgb ? c : channels - 1 - c, sample[c], picture->maximum, memory);
    return true;
}

static bool place_file(const char *path, const struct loadable_tensor *tensor, unsigned index,
                       const struct input_options *options, uint8_t *memory, uint64_t size, struct error *err) {
    struct picture picture;
    struct placing placing; /* an invalid tensor is not compared with pictures */
    if (!placing_of(tensor, index, size, &placing, err) ||
        !picture_read(path, (unsigned)tensor->w, (unsigned)tensor->h, &picture, err))
        return false;
    const bool fine = input_place(path, &picture, tensor, index, options, memory, size, err);
    picture_free(&picture);
    return fine;
}

/* An element of a network's file as an INT8 code; false for a NaN. */
static bool code_of(const struct loadable_tensor *tensor, enum loadable_data_type type, const uint8_t *element,
                    uint8_t *code) {
    float value;
    *code = type == DATA_UINT8 ? *element ^ 0x80 : *element;
    if (type != DATA_FLOAT)
        return true;
    memcpy(&value, element, sizeof value);
    const float steps = nearbyintf(value / tensor->scale) + (float)tensor->zero;
    *code = (uint8_t)(int8_t)fminf(fmaxf(steps, INT8_MIN), INT8_MAX);
    return !isnan(value);
}

/* The elements of a network's file, in the order and the type that they have there. */
static bool place_elements(const char *path, const uint8_t *elements, enum loadable_data_type type,
                           const struct loadable_tensor *tensor, uint8_t *memory, uint64_t size, struct error *err) {
    struct placing placing;
    if (!placing_of(tensor, 0, size, &placing, err))
        return false;
    const unsigned c = (unsigned)tensor->c, w = (unsigned)tensor->w;
    const size_t bytes = type == DATA_FLOAT ? sizeof(float) : 1;
    for (size_t i = 0; i < element_count(&tensor->order); i++) {
        const size_t place = element_place(&tensor->order, i), pixel = place / c;
        if (!code_of(tensor, type, elements + i * bytes,
                     &memory[place_of(&placing, (unsigned)(pixel % w), (unsigned)(pixel / w), (unsigned)(place % c))]))
            return error_set(err, "%s: found no number as element %zu, expected numbers of float32", path, i);
    }
    return true;
}

/* The elements of an input in the type of a network's file or, with `codes`, as INT8; or the bytes of the memory. */
static bool place_raw(const char *path, bool codes, const struct loadable_tensor *tensor, uint8_t *memory,
                      uint64_t size, struct error *err) {
    const size_t elements = tensor && tensor->order.rank ? element_count(&tensor->order) : 0;
    const enum loadable_data_type type = codes || !elements ? DATA_INT8 : tensor->file_type;
    const bool real = type == DATA_FLOAT;
    const size_t expected = real ? elements * sizeof(float) : elements;
    autofree char *bytes = NULL;
    size_t n;
    if (!file_read(path, &bytes, &n, err))
        return false;
    bool fine = true;
    if (elements && n == expected)
        fine = place_elements(path, (const uint8_t *)bytes, type, tensor, memory, size, err);
    else if (elements && n == elements)
        fine = place_elements(path, (const uint8_t *)bytes, DATA_INT8, tensor, memory, size, err);
    else if (n == size)
        memcpy(memory, bytes, n);
    else if (elements)
        fine = error_set(err,
                         "%s: found %zu bytes; expected %zu, the elements of the input%s in the file's order, or %llu, "
                         "the size of the input memory",
                         path, n, expected,
                         real                 ? " as float32"
                         : type == DATA_UINT8 ? " as uint8"
                                              : "",
                         (unsigned long long)size);
    else
        fine = error_set(err, "%s: found %zu bytes; expected %llu, the size of the input memory", path, n,
                         (unsigned long long)size);
    return fine;
}

/* One seed serves several inputs, with other values in each. */
#define SEEDS_APART UINT64_C(0x9e3779b97f4a7c15)

/* int8: all values; half: values of a picture of random samples. */
static bool place_random(uint64_t seed, const struct loadable_tensor *tensor, const struct input_options *options,
                         uint8_t *memory, uint64_t size, struct error *err) {
    if (!options_suit(tensor, options, err))
        return false;
    for (unsigned i = 0; i == 0 || i < (unsigned)tensor->n; i++) {
        struct placing placing;
        if (!placing_of(tensor, i, size, &placing, err))
            return false;
        for (unsigned z = 0; z < (unsigned)tensor->c; z++)
            for (unsigned y = 0; y < (unsigned)tensor->h; y++)
                for (unsigned x = 0; x < (unsigned)tensor->w; x++) {
                    const unsigned value = (unsigned)(random_next(&seed) >> 56);
                    if (placing.bytes == 1)
                        memory[place_of(&placing, x, y, z)] = (uint8_t)value;
                    else
                        put(&placing, options, x, y, z, value, 255, memory);
                }
    }
    return true;
}

/* Fills one input memory with sources from *next on. */
static bool fill(const struct loadable *loadable, const struct loadable_memory *memory,
                 const struct input_options *options, size_t *next, uint8_t *bytes, struct error *err) {
    const struct loadable_tensor *tensor = memory->tensor == LOADABLE_NONE ? NULL : &loadable->tensors[memory->tensor];
    const char *name = tensor ? tensor->name : "?";
    if (*next >= options->sources.count)
        return error_set(err,
                         "%s: nothing for input %u, \"%s\"; expected --input with a picture, raw:FILE, random:SEED or "
                         "zero",
                         loadable->path, memory->bind, name);
    const char *source = options->sources.items[*next];
    if (strcmp(source, "random") == 0 || strcmp(source, "raw") == 0)
        return error_set(err, "--input %s: expected %s", source,
                         source[2] == 'w' ? "raw:FILE" : "random:SEED, a number");
    const bool made = strcmp(source, "zero") == 0 || strncmp(source, "random:", 7) == 0;
    const bool serves_all = made && options->sources.count == 1;
    uint64_t seed;
    if (!serves_all)
        ++*next;
    if (strcmp(source, "zero") == 0)
        return true;
    if (strncmp(source, "raw:", 4) == 0 || strncmp(source, "int8:", 5) == 0)
        return place_raw(strchr(source, ':') + 1, *source == 'i', tensor, bytes, memory->size, err);
    if (!tensor)
        return error_set(err,
                         "%s: input %u has no tensor that says how a picture lies in it; expected raw:FILE or zero",
                         loadable->path, memory->bind);
    if (strncmp(source, "random:", 7) == 0)
        return text_number(source + 7, UINT64_MAX, &seed)
                   ? place_random(seed + (serves_all ? SEEDS_APART * memory->bind : 0), tensor, options, bytes,
                                  memory->size, err)
                   : error_set(err, "--input %s: expected a number after random:", source);
    for (unsigned i = 0;; source = options->sources.items[(*next)++]) {
        if (!place_file(source, tensor, i, options, bytes, memory->size, err))
            return false;
        if (++i >= (unsigned)tensor->n)
            return true;
        if (*next >= options->sources.count)
            return error_set(err, "%s: found %u picture%s for input %u, \"%s\"; expected %d, a batch", loadable->path,
                             i, i == 1 ? "" : "s", memory->bind, name, tensor->n);
    }
}

uint8_t **input_fill(const struct loadable *loadable, const struct input_options *options, struct error *err) {
    uint8_t **inputs = xcalloc(loadable->memory_count, sizeof *inputs);
    size_t next = 0, inputs_found = 0;
    bool fine = true;
    for (size_t m = 0; m < loadable->memory_count; m++)
        if (loadable->memories[m].flags & MEMORY_INPUT) {
            inputs[m] = xcalloc(1, loadable->memories[m].size);
            inputs_found++;
        }
    /* In the order of bind ids; few networks have more than one. */
    for (size_t turn = 0, done = 0; fine && done < inputs_found && turn <= 0xffff; turn++)
        for (size_t m = 0; fine && m < loadable->memory_count; m++)
            if (inputs[m] && loadable->memories[m].bind == turn) {
                fine = fill(loadable, &loadable->memories[m], options, &next, inputs[m], err);
                done++;
            }
    if (fine && next < options->sources.count && options->sources.count > 1)
        fine = error_set(err, "%s: found %zu times --input; expected %zu: the network has %zu input%s", loadable->path,
                         options->sources.count, next, inputs_found, inputs_found == 1 ? "" : "s");
    if (fine)
        return inputs;
    input_free(loadable, inputs);
    return NULL;
}

void input_free(const struct loadable *loadable, uint8_t **inputs) {
    if (!inputs)
        return;
    for (size_t m = 0; m < loadable->memory_count; m++)
        free(inputs[m]);
    free(inputs);
}
