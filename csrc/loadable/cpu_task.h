/* Tasks for the processor: power, softmax, logarithm and others, computed on a memory. Spec: 87-loadables section 8.
 * The logistic function, the logarithm of softmax and the place of the greatest are extensions of our own, for
 * quantised networks. */
#pragma once

#include "loadable/loadable.h"
#include "memory/memory.h"

enum cpu_type { CPU_POWER, CPU_SOFTMAX, CPU_LOGARITHM, CPU_LOGISTIC, CPU_LOG_SOFTMAX, CPU_ARG_MAX, CPU_TYPES };

extern const char *const cpu_type_names[CPU_TYPES]; /* "power", ... */

/* Where the values of an operation are. */
struct cpu_buffer {
    const struct loadable_memory *memory;
    uint64_t address; /* of the first value */
    uint64_t bytes;   /* bytes from there on that contain all values */
    unsigned width, height, channel;
    uint32_t line_stride, surface_stride;
    unsigned lanes; /* channels of an atom */
    bool half;      /* FP16; otherwise INT8 */
};

struct cpu_operation {
    enum cpu_type type;
    float in_scale, out_scale; /* for INT8 */
    float power, scale, shift; /* for CPU_POWER; shift, for CPU_LOG_SOFTMAX: what 0 is in the result */
    float zero;                /* for CPU_LOGISTIC: what 0 is in the source */
    struct cpu_buffer source, destination;
};

struct cpu_task {
    struct cpu_operation *operations;
    size_t count;
};

/* Decodes the number-th submitted task, one for the processor; memories must have been placed. False with a message. */
bool cpu_task_read(const struct loadable *loadable, size_t number, struct cpu_task *task, struct error *err);
void cpu_task_free(struct cpu_task *task);

/* Bytes of an operation and of each of its two buffers in the lists of a task, and of the task's descriptor. */
enum { CPU_OPERATION_BYTES = 24, CPU_BUFFER_BYTES = 256, CPU_BUFFERS = 2, CPU_DESCRIPTOR_BYTES = 256 };

/* The inverse of decoding, into bytes that are 0. Positions: of the lists, or of the buffer's memory, in the address
 * list; the buffer's address is its offset in the memory. */
void cpu_descriptor_encode(size_t operations, size_t buffers, size_t count, uint8_t *bytes);
void cpu_operation_encode(const struct cpu_operation *op, uint8_t *bytes);
void cpu_buffer_encode(const struct cpu_buffer *buffer, int position, uint8_t *bytes);

/* Whether an operation takes channels in one row, of one pixel. CPU_ARG_MAX makes an index of 16 bits of it. */
static inline bool cpu_takes_row(enum cpu_type type) {
    return type == CPU_SOFTMAX || type >= CPU_LOG_SOFTMAX;
}

/* Bytes from a buffer's start on that contain all elements of a cube of these sides. */
uint64_t cpu_buffer_end(const struct cpu_buffer *buffer, const struct cpu_buffer *cube);

/* Computes an operation: reads the source, writes the destination. */
void cpu_operation_run(const struct cpu_operation *op, struct memory *const memories[SPACE_COUNT]);
