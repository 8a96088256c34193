/* What a capture holds: accesses, and what is reported about it beside them.
 */
#ifndef IMPORT_ACCESS_H
#define IMPORT_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/space.h"
#include "nvdla/config.h"
#include "nvdla/text.h"

enum access_kind {
    ACCESS_WRITE,        /* of a register: address, value */
    ACCESS_READ,         /* the same */
    ACCESS_UNTIL,        /* S_INTR_STATUS was read until it held these bits (80-trace-formats section 5.1): value */
    ACCESS_WAIT,         /* the interrupt line was waited for (input.txn) */
    ACCESS_INTERRUPT,    /* the interrupt line as the capture shows it: value 0 or 1; not an edge (80 section 4.2) */
    ACCESS_MEMORY_READ,  /* bytes that the design read: space, address, size, bytes */
    ACCESS_MEMORY_WRITE, /* bytes that it wrote; enabled[i] == 0: byte i is left unchanged */
    ACCESS_MEMORY_LOAD,  /* bytes that somebody else put there (load_mem) */
    ACCESS_MEMORY_CHECK, /* bytes that have to be there now (dump_mem) */
    ACCESS_HOLE          /* accesses are missing about here: text says how many and why */
};

enum { ACCESS_BYTES = 4096 }; /* the most of one access; longer ones come in pieces */

struct access {
    enum access_kind kind;
    uint64_t line;    /* of the file, from 1; of a wave dump its time */
    uint64_t address; /* registers: byte offset from the register base; memory: as captured */
    uint32_t value, mask;
    bool checked; /* ACCESS_READ: the capture says what it compares: (value & mask), again and again until it holds */
    enum memory_space space;
    uint32_t size;          /* bytes, at most ACCESS_BYTES */
    const uint8_t *bytes;   /* of memory accesses; valid until the next call */
    const uint8_t *enabled; /* NULL: all are */
    const char *text;       /* of a hole */
};

/* What a person asked for; NULL or 0: not given. The names are those of the long options. */
struct source_options {
    const struct nvdla_config *config;
    bool has_base;
    uint64_t base, size;   /* of the register window in the addresses of the capture */
    const char *scope;     /* wave dumps: hierarchical name of the module that has the ports */
    const char *clock;     /* its clock */
    const char *columns;   /* CSV: "time:1,type:2,address:3,data:4" */
    const char *separator; /* CSV */
    const char *dialect;   /* txn: "until", "byte" */
    const char *pattern;   /* file of patterns for log lines (docs/import.md) */
    struct words signals;  /* wave dumps: "PORT=NAME" where a port of NVDLA has another name */
    bool force;            /* go on where the capture has holes */
};

/* What is told about a capture beside its accesses, in order of appearance. Each is a line for a person,
 * "FILE:LINE: ...". Of the same kind only the first SOURCE_NOTES are kept, all are counted. */
enum { SOURCE_NOTES = 20 };
struct source_notes {
    struct words dropped; /* what was in the file and is not in the stream: the import is partial */
    struct words guessed; /* what the file does not say and was taken for granted */
    uint64_t dropped_count, guessed_count;
    uint64_t outside;     /* accesses of other devices */
    uint64_t layers_done; /* layers that the driver says are done, by its last word; 0: it says nothing */
};

#endif
