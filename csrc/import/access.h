/* The content of a capture: accesses, and remarks about it. */
#pragma once

#include <sys/types.h>

#include "memory/space.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/text.h"

enum access_kind {
    ACCESS_WRITE,        /* of a register: address, value */
    ACCESS_READ,         /* the same */
    ACCESS_UNTIL,        /* S_INTR_STATUS was read until it had these bits (80-trace-formats section 5.1): value */
    ACCESS_WAIT,         /* a wait for the interrupt line (input.txn) */
    ACCESS_INTERRUPT,    /* level of the interrupt line in the capture: value 0 or 1; not an edge (80 section 4.2) */
    ACCESS_MEMORY_READ,  /* bytes that the design read: space, address, size, bytes */
    ACCESS_MEMORY_WRITE, /* bytes that it wrote; enabled[i] == 0: byte i is left unchanged */
    ACCESS_MEMORY_LOAD,  /* bytes written by something other than the design (load_mem) */
    ACCESS_MEMORY_CHECK, /* expected content of memory at this point (dump_mem) */
    ACCESS_HOLE          /* accesses are missing around here: text says how many and why */
};

enum { ACCESS_BYTES = 4096 }; /* maximum of one access; longer ones are split */

struct access {
    enum access_kind kind;
    uint64_t line;    /* line of the file, from 1; in a wave dump the time */
    uint64_t address; /* registers: byte offset from the register base; memory: as captured */
    uint32_t value, mask;
    bool checked; /* ACCESS_READ: a poll of the capture, repeated until (value & mask) is as expected */
    enum memory_space space;
    uint32_t size;          /* bytes, at most ACCESS_BYTES */
    const uint8_t *bytes;   /* of memory accesses; valid until the next call */
    const uint8_t *enabled; /* NULL: all are */
    const char *text;       /* of a hole */
};

/* Starts nvcosim.MODULE with the arguments. Returns a descriptor from which to read what it prints, and its process, 0
 * if there is none to wait for; -1 with a message. */
typedef int source_start(const char *module, const struct words *arguments, pid_t *pid, struct error *err);

/* Options of the user; NULL or 0: not given. The members are named like the long options. */
struct source_options {
    const struct nvdla_config *config;
    source_start *start; /* python_start() */
    bool has_base;
    uint64_t base, size;   /* address of the register window in the capture */
    const char *scope;     /* wave dumps: hierarchical name of the module with the ports */
    const char *clock;     /* its clock */
    const char *columns;   /* CSV: "time:1,type:2,address:3,data:4" */
    const char *separator; /* CSV */
    const char *radix;     /* samples: "2", "10", "16" */
    const char *dialect;   /* txn: "until", "byte" */
    const char *pattern;   /* file of patterns for log lines (docs/import.md) */
    struct words signals;  /* wave dumps: "PORT=NAME" for ports of NVDLA with other names */
    bool force;            /* continue where the capture has holes */
};

/* Remarks about a capture, in order of appearance, each a line of text "FILE:LINE: ...". Only the first SOURCE_NOTES of
 * each kind are kept; all are counted. */
enum { SOURCE_NOTES = 20 };
struct source_notes {
    struct words dropped; /* content of the file that was dropped: the import is partial */
    struct words guessed; /* assumptions about what the file does not contain */
    uint64_t dropped_count, guessed_count;
    uint64_t outside;     /* accesses of other devices */
    uint64_t layers_done; /* number of finished layers that the driver reports last; 0: no report */
};
