/* What a capture tells of memory: what was there before, what each launch leaves, what must be supposed.
 *
 * For each byte the first access decides: read before anybody wrote it, it was there from the start, or, where it lies
 * in the output of a launch whose writes were not recorded, it is what that launch has left (80-trace-formats section
 * 4.3).
 */
#ifndef IMPORT_LIFT_MEMORY_H
#define IMPORT_LIFT_MEMORY_H

#include "import/lift_summary.h"
#include "layers/tracker.h"
#include "trace/program.h"

struct lift_memory;

struct lift_memory *lift_memory_new(const struct nvdla_config *config);
void lift_memory_free(struct lift_memory *memory);

/* A group has been armed. *load, *check: numbers of the places in the program, before the arming and behind the
 * interrupt of the launch, where content may have to be put and compared (lift_memory_slot); check is -1 for launches
 * that write no memory. */
void lift_memory_armed(struct lift_memory *memory, const struct launch *launch, int *load, int *check);

/* The interrupt of a unit's group has come. Returns the number of the place of the launch that it ends, -1: none. */
int lift_memory_completed(struct lift_memory *memory, enum nvdla_unit unit, int group);

/* The design has read or written bytes; enabled: NULL, or 0 for bytes that it left as they were. */
void lift_memory_read(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                      size_t n);
void lift_memory_write(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       const uint8_t *enabled, size_t n);

/* Somebody else puts bytes there, or says what is there, now. Returns the number of the place. */
int lift_memory_put(struct lift_memory *memory, enum op_kind kind, enum memory_space space, uint64_t address,
                    const uint8_t *bytes, size_t n);

/* An image that was there from the start. */
void lift_memory_image(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       size_t n);

/* Ends it: the blobs go to the program, and what stands before its first operation is appended to it (reservations,
 * fills, loads), so that it is the head of the trace. Fills the figures of the summary and what was guessed. */
void lift_memory_finish(struct lift_memory *memory, struct program *head, struct lift_summary *summary);

/* The operations of a place, after lift_memory_finish(): up to 2. Returns how many. */
size_t lift_memory_slot(const struct lift_memory *memory, int slot, struct op ops[2]);

/* Those of launches whose interrupt has never come, and of bytes that no launch writes, for the end of the program. */
size_t lift_memory_rest(const struct lift_memory *memory, struct op **ops);

#endif
