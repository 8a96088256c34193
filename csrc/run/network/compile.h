/* From a loadable to a trace: the driver's accesses, played on the model on the way, so that the trace carries what
 * each layer must leave behind. Spec: 87-loadables sections 1, 3, 10 and 11.
 */
#ifndef RUN_NETWORK_COMPILE_H
#define RUN_NETWORK_COMPILE_H

#include <argp.h>

#include "loadable/input.h"
#include "loadable/loadable.h"
#include "nvdla/config.h"
#include "trace/program.h"

struct compile_options {
    const struct nvdla_config *config; /* NULL: what the file decides */
    uint64_t base, secondary_base;     /* of the memories */
    struct input_options input;
    bool layer_checks; /* the trace checks what each layer writes; else the outputs alone */
    size_t threads;    /* of the model */
};

/* The options of it that all commands share which compile (--input, --mean, ...), as a parser to be a child of theirs;
 * input: struct compile_options, after compile_options_init. */
extern const struct argp compile_argp;
void compile_options_init(struct compile_options *options);
void compile_options_free(struct compile_options *options);

#define COMPILE_BASE UINT64_C(0x80000000)
#define COMPILE_SECONDARY_BASE UINT64_C(0x50000000)

/* The configuration that a loadable, whose memories are placed, was compiled for, where the file decides it; else NULL
 * with a message. */
const struct nvdla_config *compile_config(struct loadable *loadable, struct error *err);

/* The program of a loadable, whose memories are placed. Its warnings are for the caller to print. NULL with a message.
 */
struct program *compile_loadable(struct loadable *loadable, const struct compile_options *options, struct error *err);

/* The accesses of a program as lines "W UNIT.REGISTER VALUE" and "P UNIT.REGISTER MASK", into a file, gzip by name. */
bool compile_list_writes(const struct program *prog, const char *path, struct error *err);

#endif
