/* From accesses of a driver to a program that replays: polls, interrupt waits, checks, memory (80-trace-formats
 * sections 4.3, 6 and 9, 85-driver-sequences). Bounded memory beside the memory images, however long the capture.
 */
#ifndef IMPORT_LIFT_H
#define IMPORT_LIFT_H

#include "import/source.h"
#include "nvdla/text.h"

/* --map FROM:TO:SIZE: addresses of memory are moved, in memory accesses and in the registers that hold addresses. */
struct lift_map {
    uint64_t from, to, size;
};

/* --mem ADDR=FILE: what the memory holds before the first access; ADDR as captured, before --map. */
struct lift_image {
    enum memory_space space;
    uint64_t address;
    const char *path;
};

struct lift_options {
    const struct nvdla_config *config;
    const struct lift_map *maps;
    size_t map_count;
    const struct lift_image *images;
    size_t image_count;
    const char *accesses; /* file that gets the access list: "W 0x03010 0x00000001", "R ..." a line; NULL: none */
    const char *path;     /* of the .nvt or .nvt.gz to write; it is there only when all of it is */
    const char *title;    /* of the capture, for the trace's comments */
    void (*progress)(void *context); /* called now and then; NULL: nobody */
    void *context;
};

/* What was made, for the summary and the comments of the trace. */
struct lift_summary {
    uint64_t writes, reads, untils; /* of the capture */
    uint64_t polls, poll_reads, waits, checks, volatile_reads;
    uint64_t operations;                  /* launches that the driver counts as layers */
    uint64_t launches, tables;            /* armed groups; uploads of look-up tables */
    uint64_t memory_reads, memory_writes; /* accesses */
    uint64_t loaded_bytes, seeded_bytes, golden_bytes;
    struct words guessed;    /* lines for a person: what the capture does not say */
    struct words incomplete; /* the same: what the capture itself says is missing */
    struct words layers;     /* one line each: place in the capture, unit, group, cubes */
    uint64_t layers_dropped; /* not listed */
};

/* Lifts all of a source. False with a message; nothing is written then. */
bool lift(struct source *source, const struct lift_options *options, struct lift_summary *summary, struct error *err);
void lift_summary_free(struct lift_summary *summary);

#endif
