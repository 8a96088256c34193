/* A loadable: a network compiled for the runtime, as lists of memories, blobs, addresses, tensors and tasks. Spec:
 * 87-loadables sections 2 and 3. */
#pragma once

#include "memory/space.h"
#include "nvdla/config.h"
#include "nvdla/element_order.h"
#include "nvdla/error.h"

enum loadable_interface { INTERFACE_NONE, INTERFACE_DLA, INTERFACE_CPU };

/* Bits of loadable_memory.flags. */
enum { MEMORY_ALLOCATE = 1, MEMORY_CONTENT = 2, MEMORY_INPUT = 4, MEMORY_OUTPUT = 8 };

enum loadable_data_type { DATA_FLOAT = 1, DATA_HALF, DATA_INT16, DATA_INT8, DATA_UINT8, DATA_UINT16 };

/* loadable_tensor.pixel_format: below PIXEL_FEATURE the pixel formats of CDMA. */
enum {
    PIXEL_R8 = 0,
    PIXEL_R16_F = 5,
    PIXEL_A16B16G16R16_F = 8,
    PIXEL_A16Y16U16V16_F = 11,
    PIXEL_A8B8G8R8 = 12,
    PIXEL_A8R8G8B8,
    PIXEL_B8G8R8A8,
    PIXEL_R8G8B8A8,
    PIXEL_X8B8G8R8,
    PIXEL_X8R8G8B8,
    PIXEL_B8G8R8X8,
    PIXEL_R8G8B8X8,
    PIXEL_A8Y8U8V8 = 26,
    PIXEL_V8U8Y8A8,
    PIXEL_FEATURE = 36,
    PIXEL_FEATURE_8 = 37, /* atoms of 8 channels */
};

enum { LOADABLE_STRIDES = 8, LOADABLE_NONE = -1 };

/* Most bytes of all memories, and of one input or output: what a replay can hold. */
#define LOADABLE_MEMORY_MAX (UINT64_C(1) << 30)
#define LOADABLE_BOUND_MAX (UINT64_C(1) << 28)

struct loadable_blob {
    char *name; /* as it may be shown */
    const uint8_t *bytes;
    size_t n;
    unsigned interface, sub_interface;
    uint8_t version[3]; /* major, minor, sub */
};

struct loadable_content {
    int blob; /* index, LOADABLE_NONE: a name without a blob, no content */
    uint64_t offset;
};

struct loadable_memory {
    unsigned id, domain, flags, bind, tensor_id;
    uint64_t size;
    uint32_t alignment;
    struct loadable_content *contents;
    size_t content_count;
    int tensor; /* index of the tensor of an input or output, LOADABLE_NONE */
    /* Filled by loadable_place. */
    enum memory_space space;
    uint64_t base;
};

struct loadable_address {
    unsigned id;
    int memory; /* index */
    uint64_t offset, size;
};

struct loadable_tensor {
    char *name; /* as it may be shown */
    unsigned id, memory_id;
    uint64_t size, offset;
    unsigned data_format, data_type, category, pixel_format, pixel_mapping;
    int n, c, h, w;
    uint32_t stride[LOADABLE_STRIDES]; /* element, line, surface, ... in bytes */
    /* What files of this format do not say, of the network that one was compiled from. */
    unsigned atom;                     /* bytes; 0: as pixel_format has it */
    float scale;                       /* what 1 stands for; 0: not known */
    int zero;                          /* what stands for 0 */
    enum loadable_data_type file_type; /* of an input there: DATA_INT8, DATA_UINT8 (128 more than here) or DATA_FLOAT */
    struct element_order order;        /* of the elements there */
};

struct loadable_task {
    unsigned id;
    enum loadable_interface interface;
    int *addresses; /* the task's list: index of the address for each list position */
    size_t address_count;
};

struct loadable {
    char *path;
    uint8_t version[3];
    struct loadable_memory *memories;
    size_t memory_count;
    struct loadable_address *addresses;
    size_t address_count;
    struct loadable_blob *blobs;
    size_t blob_count;
    struct loadable_tensor *tensors;
    size_t tensor_count;
    struct loadable_task *tasks;
    size_t task_count;
    int *order; /* indices of tasks in the order of submission */
    size_t order_count;
    void *file; /* the file's bytes, if loadable_read made them */
};

/* Reads n bytes, which must outlive the loadable; path is for messages. NULL with a message. */
struct loadable *loadable_parse(const char *path, const void *bytes, size_t n, struct error *err);
/* Reads a file, gzip or not. NULL with a message. */
struct loadable *loadable_read(const char *path, struct error *err);
/* True if files can have the atoms of a configuration, 8 or 32 bytes; false with a message. */
bool loadable_has_atoms(const char *path, const struct nvdla_config *config, struct error *err);
void loadable_free(struct loadable *loadable);

/* Gives every memory its address: from `base` on in list order, each aligned to 4096 or its own alignment; memories of
 * the on-chip RAM likewise from `secondary` on. False with a message if they do not fit below 2^address_bits. */
bool loadable_place(struct loadable *loadable, uint64_t base, uint64_t secondary, int address_bits, struct error *err);

/* n initial bytes of a memory from an offset on: zeros, and the blobs. The range must be inside the memory. */
void loadable_content(const struct loadable *loadable, const struct loadable_memory *memory, uint64_t offset,
                      void *bytes, size_t n);

/* The first blob of a name; NULL if there is none. */
const struct loadable_blob *loadable_blob_named(const struct loadable *loadable, const char *name);

/* Declared bytes of a memory: its size rounded up to whole atoms. */
static inline uint64_t loadable_reserved(const struct loadable_memory *memory) {
    return (memory->size + 63) & ~UINT64_C(63);
}
