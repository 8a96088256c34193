/* Memory contents derived from a capture: initial content, output of each launch, and assumptions.
 *
 * The first access to a byte decides. If it is read before it is written, it is initial content, or, inside the output
 * of a launch whose writes were not recorded, the result of that launch (80-trace-formats section 4.3). */
#pragma once

#include "import/lift_summary.h"
#include "layers/tracker.h"
#include "trace/program.h"

struct lift_memory;

struct lift_memory *lift_memory_new(const struct nvdla_config *config);
void lift_memory_free(struct lift_memory *memory);

/* A group has been armed. *load, *check: numbers of the places in the program, before the arming and after the
 * interrupt of the launch, where content may have to be loaded and compared (lift_memory_slot); check is -1 for
 * launches that write no memory. */
void lift_memory_armed(struct lift_memory *memory, const struct launch *launch, int *load, int *check);

/* A unit's group raised its interrupt. Returns the number of the place of the launch that it ends, -1: none. */
int lift_memory_completed(struct lift_memory *memory, enum nvdla_unit unit, int group);

/* The design has read or written bytes; enabled: NULL, or 0 for unchanged bytes. */
void lift_memory_read(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                      size_t n);
void lift_memory_write(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       const uint8_t *enabled, size_t n);

/* The capture loads or checks memory at this point. Returns the number of the place. */
int lift_memory_put(struct lift_memory *memory, enum op_kind kind, enum memory_space space, uint64_t address,
                    const uint8_t *bytes, size_t n);

/* An image that is in memory from the start, or golden: that must be there at the end. */
void lift_memory_image(struct lift_memory *memory, enum memory_space space, uint64_t address, const uint8_t *bytes,
                       size_t n, bool golden);

/* Finishes: moves the blobs to the program and appends the operations of the start of the trace (reservations, fills,
 * loads). Fills in the figures and guesses of the summary. */
void lift_memory_finish(struct lift_memory *memory, struct program *head, struct lift_summary *summary);

/* The operations of a place, after lift_memory_finish(): up to 2. Returns their number. */
size_t lift_memory_slot(const struct lift_memory *memory, int slot, struct op ops[2]);

/* The operations for the end of the program: of launches without an interrupt, and of bytes that no launch writes. */
size_t lift_memory_rest(const struct lift_memory *memory, struct op **ops);
