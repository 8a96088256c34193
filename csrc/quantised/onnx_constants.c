/* Constants of ONNX files: their types, their elements, where their bytes are. See onnx_reading.h. */
#include <inttypes.h>
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
    memcpy(tensor->dims, dims, rank * sizeof *dims);
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
    const int64_t zero = value->zero ? onnx_integer(value->zero, k) : 0;
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
