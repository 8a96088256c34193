/* Facts about input.txn that its readers (txn.c, import/txn.c) and its writer share. */
#pragma once

#include "memory/space.h"
#include "nvdla/config.h"
#include "trace/lex.h"

enum { TXN_ATTEMPTS = 100 }; /* default attempts of a poll, without a number in the poll or in plusargs.txt */

/* Address windows of the memories (80-trace-formats section 1.5). */
struct txn_window {
    enum memory_space space;
    uint64_t base, size;
    const char *text;
};

/* The window of a memory, NULL if the configuration has no such memory. */
const struct txn_window *txn_window(const struct nvdla_config *config, enum memory_space space);

enum { TXN_QUAD = 16 /* bytes of write_mem and read_mem */ };

/* A hexadecimal or decimal number of up to 128 bits, the least significant byte first. False: it is none. */
bool txn_quad(struct span token, uint8_t bytes[TXN_QUAD]);
