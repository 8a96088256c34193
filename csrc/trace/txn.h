/* Facts about input.txn that its reader (txn.c) and its writer share. */
#pragma once

#include "memory/space.h"
#include "nvdla/config.h"

enum { TXN_ATTEMPTS = 100 }; /* default attempts of a poll, without a number in the poll or in plusargs.txt */

/* Address windows of the memories (80-trace-formats section 1.5). */
struct txn_window {
    enum memory_space space;
    uint64_t base, size;
    const char *text;
};

/* The window of a memory, NULL if the configuration has no such memory. */
const struct txn_window *txn_window(const struct nvdla_config *config, enum memory_space space);
