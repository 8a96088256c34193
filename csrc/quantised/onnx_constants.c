/* Constants of ONNX files: their types, their elements, where their bytes are; and operators on them, which are
 * computed when they are read. See onnx_reading.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

/* Types of elements by their number; bytes: of those that are read. */
static const struct {
    const char *name;
    size_t bytes;
} types[] = {{"nothing", 0}, {"float32", 4}, {"uint8", 1},   {"int8", 1},       {"uint16", 0},  {"int16", 0},
             {"int32", 4},   {"int64", 8},   {"text", 0},    {"bool", 0},       {"float16", 0}, {"float64", 0},
             {"uint32", 0},  {"uint64", 0},  {"complex", 0}, {"complex128", 0}, {"bfloat16", 0}};
enum { TYPES = sizeof types / sizeof types[0] };

size_t onnx_element_bytes(int type) {
    return type > 0 && type < TYPES ? types[type].bytes : 0;
}

const char *onnx_type_name(int type) {
    return type >= 0 && type < TYPES ? types[type].name : "a type of fewer than 8 bits";
}

size_t onnx_count(const Onnx__Tensor *tensor) {
    size_t count = 1;
    for (size_t i = 0; i < tensor->n_dims; i++)
        count *= (size_t)tensor->dims[i];
    return count;
}

/* Elements that the sides of a constant say; false with a message. */
static bool check_sides(struct onnx_reading *at, const int64_t *dims, size_t rank, uint64_t *count) {
    uint64_t all = 1; /* sides of 0 left out */
    *count = 1;
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0 || dims[i] > TENSOR_ELEMENTS_MAX ||
            (all *= dims[i] ? (uint64_t)dims[i] : 1) > TENSOR_ELEMENTS_MAX)
            return onnx_refuse(at, "found a constant with a size of %" PRId64 ", expected at most %d elements", dims[i],
                               TENSOR_ELEMENTS_MAX);
        *count *= (uint64_t)dims[i];
    }
    return true;
}

static bool add_bytes(struct onnx_reading *at, uint64_t n) {
    enum { BYTES_MAX = 1 << 29 };
    at->bytes += n;
    return at->bytes <= BYTES_MAX ||
           onnx_refuse(at, "found %" PRIu64 " bytes of constants, expected at most %d", at->bytes, BYTES_MAX);
}

Onnx__Tensor *onnx_make(struct onnx_reading *at, int type, const int64_t *dims, size_t rank) {
    uint64_t count;
    if (!check_sides(at, dims, rank, &count))
        return NULL;
    if (!add_bytes(at, count * onnx_element_bytes(type)))
        return NULL;
    Onnx__Tensor *tensor = xcalloc(1, sizeof *tensor);
    onnx__tensor__init(tensor);
    tensor->data_type = type;
    tensor->n_dims = rank;
    tensor->dims = xcalloc(rank + 1, sizeof *tensor->dims);
    for (size_t d = 0; d < rank; d++)
        tensor->dims[d] = dims[d];
    tensor->raw_data.len = (size_t)count * onnx_element_bytes(type);
    tensor->raw_data.data = xcalloc(tensor->raw_data.len + 1, 1);
    at->made = xgrow(at->made, at->made_count, sizeof(Onnx__Tensor *));
    at->made[at->made_count++] = tensor;
    return tensor;
}

/* Elements that are listed as numbers become bytes. */
static void pack(Onnx__Tensor *tensor, size_t count) {
    const size_t bytes = onnx_element_bytes(tensor->data_type);
    tensor->raw_data.len = count * bytes;
    tensor->raw_data.data = xcalloc(count + 1, bytes);
    for (size_t i = 0; i < count; i++)
        memcpy(tensor->raw_data.data + i * bytes,
               tensor->data_type == ONNX_FLOAT   ? (const void *)&tensor->float_data[i]
               : tensor->data_type == ONNX_INT64 ? (const void *)&tensor->int64_data[i]
                                                 : (const void *)&tensor->int32_data[i],
               bytes);
    tensor->has_raw_data = true;
}

/* A number of the list that says where a constant is; false with a message. */
static bool external_number(struct onnx_reading *at, const Onnx__Entry *entry, uint64_t *number) {
    char *end;
    *number = strtoull(entry->value, &end, 10);
    return (entry->value[0] >= '0' && entry->value[0] <= '9' && !*end && *number <= INT64_MAX) ||
           onnx_refuse(at, "found \"%.20s\" as the %s of a constant in a file of its own, expected a number",
                       entry->value, entry->key);
}

/* The bytes of a constant that are in another file of the same folder. */
static bool read_external(struct onnx_reading *at, Onnx__Tensor *tensor, uint64_t n) {
    const char *location = "", *slash = strrchr(at->path, '/');
    uint64_t offset = 0, length = n;
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        const Onnx__Entry *entry = tensor->external_data[i];
        if (!entry->key || !entry->value)
            continue;
        if (strcmp(entry->key, "location") == 0)
            location = entry->value;
        else if ((strcmp(entry->key, "offset") == 0 && !external_number(at, entry, &offset)) ||
                 (strcmp(entry->key, "length") == 0 && !external_number(at, entry, &length)))
            return false;
    }
    if (!*location || strchr(location, '/') || strchr(location, '\\') || strstr(location, ".."))
        return onnx_refuse(at, "found a constant in file \"%.64s\", expected a name in the network's folder", location);
    if (length != n)
        return onnx_refuse(at, "found a constant with %" PRIu64 " bytes in \"%s\", expected %" PRIu64, length, location,
                           n);
    if (!add_bytes(at, n))
        return false;
    char *path = xprintf("%.*s%s", slash ? (int)(slash - at->path + 1) : 0, at->path, location);
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    uint8_t *bytes = xcalloc(n + 1, 1);
    const uint64_t size = file ? (uint64_t)about.st_size : 0;
    const bool whole = file && offset <= size && n <= size - offset && fseeko(file, (off_t)offset, SEEK_SET) == 0 &&
                       fread(bytes, 1, n, file) == n;
    if (file)
        fclose(file);
    free(path);
    free(tensor->raw_data.data);
    tensor->raw_data.data = bytes;
    tensor->raw_data.len = n;
    tensor->has_raw_data = true;
    tensor->data_location = 0;
    return whole || onnx_refuse(at,
                                "found %s \"%s\" with %" PRIu64 " bytes, expected %" PRIu64 " from byte %" PRIu64
                                " on: the constants of this network",
                                file ? "a file" : "no file", location, size, n, offset);
}

bool onnx_check_constant(struct onnx_reading *at, Onnx__Tensor *tensor) {
    uint64_t count;
    const int type = tensor->data_type;
    if (!onnx_element_bytes(type))
        return onnx_refuse(at, "found a constant of %s, expected float32, uint8, int8, int32 or int64",
                           onnx_type_name(type));
    if (!check_sides(at, tensor->dims, tensor->n_dims, &count))
        return false;
    if (tensor->data_location != 0 && !read_external(at, tensor, count * onnx_element_bytes(type)))
        return false;
    const size_t listed = type == ONNX_FLOAT   ? tensor->n_float_data
                          : type == ONNX_INT64 ? tensor->n_int64_data
                                               : tensor->n_int32_data;
    const size_t found = tensor->has_raw_data ? tensor->raw_data.len : listed;
    const size_t wanted = tensor->has_raw_data ? (size_t)count * onnx_element_bytes(type) : (size_t)count;
    if (found != wanted)
        return onnx_refuse(at, "found a constant with %zu %s, expected %zu", found,
                           tensor->has_raw_data ? "bytes" : "elements", wanted);
    if (!tensor->has_raw_data)
        pack(tensor, found);
    return true;
}

int64_t onnx_integer(const Onnx__Tensor *tensor, size_t i) {
    const uint8_t *raw = tensor->raw_data.data;
    int32_t word;
    int64_t wide;
    switch (tensor->data_type) {
    case ONNX_INT64:
        memcpy(&wide, raw + 8 * i, sizeof wide);
        return wide;
    case ONNX_INT32:
        memcpy(&word, raw + 4 * i, sizeof word);
        return word;
    case ONNX_INT8:
        return (int8_t)raw[i];
    default:
        return raw[i];
    }
}

float onnx_float(const Onnx__Tensor *tensor, size_t i) {
    float value;
    memcpy(&value, tensor->raw_data.data + 4 * i, sizeof value);
    return value;
}

double onnx_real(const struct onnx_value *value, size_t i) {
    const Onnx__Tensor *constant = value->constant;
    if (constant->data_type == ONNX_FLOAT)
        return (double)onnx_float(constant, i);
    if (!value->scale)
        return (double)onnx_integer(constant, i);
    size_t k = i;
    for (size_t d = constant->n_dims; d-- > (size_t)value->axis + 1;)
        k /= (size_t)constant->dims[d];
    k = onnx_count(value->scale) == 1 ? 0 : k % onnx_count(value->scale);
    const int64_t zero = value->zero ? onnx_integer(value->zero, onnx_count(value->zero) == 1 ? 0 : k) : 0;
    return (double)onnx_float(value->scale, k) * (double)(onnx_integer(constant, i) - zero);
}

const Onnx__Tensor *onnx_constant(struct onnx_reading *at, size_t i, bool optional) {
    const struct onnx_value *value = onnx_input(at, i);
    if (value && value->constant)
        return value->constant;
    if (!optional || value)
        onnx_refuse(at, "found its input %zu not to be a constant, expected one", i);
    return NULL;
}

/* ---- operators ---- */

/* A dequantised constant stays integers with their scales as long as its elements are only moved. */
bool onnx_define_as(struct onnx_reading *at, const struct onnx_value *as) {
    struct onnx_value *value = onnx_result(at);
    if (!value)
        return false;
    const char *name = value->name;
    *value = *as;
    value->name = name;
    return true;
}

bool onnx_define_plain(struct onnx_reading *at, const Onnx__Tensor *tensor) {
    const struct onnx_value as = {.constant = tensor, .real = tensor->data_type == ONNX_FLOAT, .tensor = GRAPH_NONE};
    return onnx_define_as(at, &as);
}

static void put(Onnx__Tensor *to, size_t i, double value) {
    uint8_t *at = to->raw_data.data + i * onnx_element_bytes(to->data_type);
    const float real = (float)value;
    const int64_t whole = to->data_type == ONNX_FLOAT ? 0 : (int64_t)value;
    memcpy(at, to->data_type == ONNX_FLOAT ? (const void *)&real : (const void *)&whole,
           onnx_element_bytes(to->data_type));
}

static int64_t zero_of(const struct onnx_value *value, size_t slice) {
    return value->zero ? onnx_integer(value->zero, slice) : 0;
}

/* A number in the range of a type; not a number becomes the least one. */
static double in_range(int type, double value) {
    const double limits[][2] = {[ONNX_UINT8] = {0, UINT8_MAX},
                                [ONNX_INT8] = {INT8_MIN, INT8_MAX},
                                [ONNX_INT32] = {INT32_MIN, INT32_MAX},
                                [ONNX_INT64] = {-0x1p62, 0x1p62}};
    return type == ONNX_FLOAT ? value : fmin(fmax(value, limits[type][0]), limits[type][1]);
}

/* A constant of as many elements; moved ones keep their scales. */
bool onnx_fold_quantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed)
        return false;
    const size_t rank = in->constant->n_dims, scales = onnx_count(scale);
    const int64_t axis = onnx_axis(at, 1, rank);
    const int type = zero ? zero->data_type : (int)onnx_attribute_or(at, "output_dtype", ONNX_UINT8);
    if (scale->data_type != ONNX_FLOAT || (type != ONNX_INT8 && type != ONNX_UINT8 && type != ONNX_INT32) ||
        (zero && onnx_count(zero) != scales) || onnx_attribute_or(at, "block_size", 0) != 0 ||
        (scales != 1 && (axis < 0 || axis >= (int64_t)rank || in->constant->dims[axis] != (int64_t)scales)))
        return onnx_refuse(at,
                           "found %zu scales of %s along dimension %" PRId64 " of a constant with %zu, expected "
                           "one, or one for each element along it",
                           scales, onnx_type_name(type), axis, rank);
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, rank);
    if (!out)
        return false;
    size_t inner = 1;
    for (size_t i = (size_t)axis + 1; scales > 1 && i < rank; i++)
        inner *= (size_t)in->constant->dims[i];
    for (size_t i = 0; i < onnx_count(out); i++) {
        const size_t k = scales == 1 ? 0 : i / inner % scales;
        const float steps = nearbyintf((float)onnx_real(in, i) / onnx_float(scale, k));
        put(out, i, in_range(type, (double)steps + (double)(zero ? onnx_integer(zero, k) : 0)));
    }
    return onnx_define_plain(at, out);
}

bool onnx_fold_dequantize(struct onnx_reading *at) {
    struct onnx_value as = *onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed || as.scale || as.constant->data_type == ONNX_FLOAT || scale->data_type != ONNX_FLOAT ||
        onnx_attribute_or(at, "block_size", 0) != 0)
        return onnx_refuse(at, "found no constant of integers with scales of float32, expected one");
    as.scale = scale;
    as.zero = zero;
    as.axis = (int)onnx_axis(at, 1, as.constant->n_dims);
    as.real = true;
    const size_t scales = onnx_count(scale), rank = as.constant->n_dims;
    if ((zero && onnx_count(zero) != scales) ||
        (scales != 1 && (as.axis < 0 || as.axis >= (int)rank || as.constant->dims[as.axis] != (int64_t)scales)))
        return onnx_refuse(at,
                           "found %zu scales along dimension %d of a constant with %zu, expected one, or one for "
                           "each element along it",
                           scales, as.axis, rank);
    return onnx_define_as(at, &as);
}

bool onnx_fold_identity(struct onnx_reading *at) {
    return onnx_define_as(at, onnx_input(at, 0));
}

bool onnx_fold_cast(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const int type = (int)onnx_attribute_or(at, "to", 0);
    if (!onnx_element_bytes(type))
        return onnx_refuse(at, "found a constant made %s, expected float32, uint8, int8, int32 or int64",
                           onnx_type_name(type));
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, type == ONNX_FLOAT ? onnx_real(in, i) : in_range(type, trunc(onnx_real(in, i))));
    return out && onnx_define_plain(at, out);
}

bool onnx_fold_clip(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const int type = in->scale ? ONNX_FLOAT : in->constant->data_type;
    double low, high;
    if (!onnx_limits(at, &low, &high))
        return false;
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, in_range(type, fmin(fmax(onnx_real(in, i), low), high)));
    return out && onnx_define_plain(at, out);
}

/* The scales of dequantised constants side by side: the one that all have, or one for each element along the axis.
 * False: they have others, and become real numbers. */
static bool join_scales(struct onnx_reading *at, int64_t axis, int64_t side, struct onnx_value *as) {
    bool one = true;
    *as = *onnx_input(at, 0);
    for (size_t i = 0; i < at->operand_count; i++) {
        const struct onnx_value *in = &at->operands[i];
        if (!in->scale || in->constant->data_type != as->constant->data_type ||
            (onnx_count(in->scale) > 1 && in->axis != axis))
            return false;
        one = one && onnx_count(in->scale) == 1 && onnx_float(in->scale, 0) == onnx_float(as->scale, 0) &&
              zero_of(in, 0) == zero_of(as, 0);
    }
    Onnx__Tensor *scales = one ? NULL : onnx_make(at, ONNX_FLOAT, &side, 1);
    Onnx__Tensor *zeros = scales ? onnx_make(at, as->constant->data_type, &side, 1) : NULL;
    size_t place = 0;
    for (size_t i = 0; zeros && i < at->operand_count; i++)
        for (int64_t k = 0; k < at->operands[i].constant->dims[axis]; k++, place++) {
            const struct onnx_value *in = &at->operands[i];
            const size_t slice = onnx_count(in->scale) == 1 ? 0 : (size_t)k;
            put(scales, place, (double)onnx_float(in->scale, slice));
            put(zeros, place, (double)zero_of(in, slice));
        }
    if (zeros)
        *as =
            (struct onnx_value){.scale = scales, .zero = zeros, .axis = (int)axis, .real = true, .tensor = GRAPH_NONE};
    return one || zeros;
}

bool onnx_fold_concat(struct onnx_reading *at) {
    const struct onnx_value *first = onnx_input(at, 0);
    const size_t rank = first->constant->n_dims;
    const int64_t axis = onnx_axis(at, 1, rank);
    const int type = first->scale ? ONNX_FLOAT : first->constant->data_type;
    int64_t dims[ONNX_DIMS_MAX], outer = 1;
    if (rank > ONNX_DIMS_MAX || axis < 0 || axis >= (int64_t)rank)
        return onnx_refuse(at, "found axis %" PRId64 " of %zu, expected one of them", axis, rank);
    memcpy(dims, first->constant->dims, rank * sizeof *dims);
    for (size_t i = 1; i < at->operand_count; i++) {
        const struct onnx_value *in = onnx_input(at, i);
        bool same = in && in->constant->n_dims == rank && (in->scale ? ONNX_FLOAT : in->constant->data_type) == type;
        for (size_t d = 0; same && d < rank; d++)
            same = (int64_t)d == axis || in->constant->dims[d] == dims[d];
        if (!same)
            return onnx_refuse(at, "found constants of other sides or types, expected the same except along its axis");
        dims[axis] += in->constant->dims[axis];
    }
    struct onnx_value as = {.scale = NULL};
    const bool integers = first->scale && join_scales(at, axis, dims[axis], &as);
    Onnx__Tensor *out = onnx_make(at, integers ? first->constant->data_type : type, dims, rank);
    if (!out)
        return false;
    for (int64_t d = 0; d < axis; d++)
        outer *= dims[d];
    size_t place = 0;
    for (size_t o = 0; o < (size_t)outer; o++)
        for (size_t i = 0; i < at->operand_count; i++) {
            const size_t n = onnx_count(at->operands[i].constant) / (size_t)outer;
            for (size_t k = 0; k < n; k++)
                put(out, place++,
                    integers ? (double)onnx_integer(at->operands[i].constant, o * n + k)
                             : onnx_real(&at->operands[i], o * n + k));
        }
    as.constant = out;
    return integers ? onnx_define_as(at, &as) : onnx_define_plain(at, out);
}
