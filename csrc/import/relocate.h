/* --map: moves memory to other addresses. Changes only registers that hold addresses, never other values that look like
 * one (80-trace-formats section 4.3). */
#pragma once

#include "nvdla/config.h"
#include "nvdla/error.h"

/* --map FROM:TO:SIZE: addresses of memory are moved, in memory accesses and in the registers that hold addresses. */
struct lift_map {
    uint64_t from, to, size;
};

struct relocate;

/* NULL with a message if a map crosses a boundary of 4 GiB or leaves the address bits of the configuration, or two
 * overlap. The maps must outlive it. */
struct relocate *relocate_new(const struct nvdla_config *config, const struct lift_map *maps, size_t count,
                              struct error *err);
void relocate_free(struct relocate *relocate);

/* The new address of a memory address; *run: the next *run bytes, at least, move by the same distance. */
uint64_t relocate_address(const struct relocate *relocate, uint64_t address, uint64_t *run);

/* The new value of a register write. Must see every write, in order, because addresses of more than 32 bits are in two
 * registers. */
uint32_t relocate_write(struct relocate *relocate, uint32_t address, uint32_t value);
