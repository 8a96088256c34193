/* --map: memory moved to other addresses. Only registers that hold addresses are changed, never a value that looks like
 * one (80-trace-formats section 4.3).
 */
#ifndef IMPORT_RELOCATE_H
#define IMPORT_RELOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

/* --map FROM:TO:SIZE: addresses of memory are moved, in memory accesses and in the registers that hold addresses. */
struct lift_map {
    uint64_t from, to, size;
};

struct relocate;

/* NULL with a message if a map crosses a boundary of 4 GiB or leaves the address bits of the configuration, or two
 * overlap. The maps outlive it. */
struct relocate *relocate_new(const struct nvdla_config *config, const struct lift_map *maps, size_t count,
                              struct error *err);
void relocate_free(struct relocate *relocate);

/* Where an address of memory has gone; *run: for how many bytes from there on, at least, the distance is the same. */
uint64_t relocate_address(const struct relocate *relocate, uint64_t address, uint64_t *run);

/* The value that a register write gets. Sees every write, in order: halves of addresses of more than 32 bits belong
 * together. */
uint32_t relocate_write(struct relocate *relocate, uint32_t address, uint32_t value);

#endif
