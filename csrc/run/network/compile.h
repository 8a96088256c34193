/* From a loadable to a trace: the driver's accesses. They are played on the model meanwhile, so the trace has the
 * result of each layer to check. Spec: 87-loadables sections 1, 3, 10 and 11. */
#pragma once

#include "loadable/input.h"
#include "loadable/loadable.h"
#include "memory/memory.h"
#include "nvdla/config.h"
#include "trace/program.h"

struct compile_options {
    const struct nvdla_config *config; /* NULL: as the file determines */
    uint64_t base, secondary_base;     /* of the memories */
    struct input_options input;
    bool no_layer_checks; /* check only the outputs, not what each layer writes */
    size_t threads;       /* of the model */
    bool order_given;     /* --channels */
    const char *given;    /* the last of these options on the command line, without its dashes; NULL: none */
    /* Called when the model, or the processor, has computed a layer, with the memories it has then. May be NULL. */
    void (*completed)(void *context, size_t task, size_t operation, struct memory *const memory[SPACE_COUNT]);
    void *context;
};

void compile_options_init(struct compile_options *options);
void compile_options_free(struct compile_options *options);

#define COMPILE_BASE UINT64_C(0x80000000)
#define COMPILE_SECONDARY_BASE UINT64_C(0x50000000)

/* The configuration that a loadable with placed memories was compiled for, if the file determines it; else NULL with a
 * message. */
const struct nvdla_config *compile_config(struct loadable *loadable, struct error *err);

/* The program of a loadable with placed memories. The caller prints its warnings. NULL with a message. */
struct program *compile_loadable(struct loadable *loadable, const struct compile_options *options, struct error *err);

/* Writes the accesses of a program as lines "W UNIT.REGISTER VALUE" and "P UNIT.REGISTER MASK" to a file; gzip if it is
 * named so. */
bool compile_list_writes(const struct program *prog, const char *path, struct error *err);
