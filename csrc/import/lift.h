/* Converts accesses of a driver to a program that can be replayed: polls, interrupt waits, checks, memory
 * (80-trace-formats sections 4.3, 6 and 9, 85-driver-sequences). Apart from memory images it uses bounded memory, for
 * captures of any length. */
#pragma once

#include "import/lift_summary.h"
#include "import/relocate.h"
#include "import/source.h"

/* --mem, --golden ADDR=FILE: content of memory before the first access, or at the end; ADDR as captured, before --map.
 */
struct lift_image {
    bool golden;
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
    const char *path;     /* the .nvt or .nvt.gz to write; it appears only when complete */
    const char *title;    /* of the capture, for the trace's comments */
    void (*progress)(void *context); /* called now and then for progress, or NULL */
    void *context;
};

/* Converts all of a source. False with a message; then nothing is written. */
bool lift(struct source *source, const struct lift_options *options, struct lift_summary *summary, struct error *err);
void lift_summary_free(struct lift_summary *summary);
