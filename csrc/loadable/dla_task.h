/* A task for the engines: its operations with their addresses, its tables, and how they depend on each other. Spec:
 * 87-loadables sections 4, 5.6, 11 and 12. */
#pragma once

#include "loadable/descriptors.h"
#include "loadable/loadable.h"
#include "nvdla/config.h"

/* Most operations of a task, and of all tasks of a loadable: far more than networks have, but few enough that a damaged
 * file costs little. */
enum { OPERATIONS_MAX = 16384 };

struct dla_task {
    const struct loadable *loadable;
    const struct loadable_task *task;
    size_t number; /* position in the order of submission, from 0 */
    bool old_cubes;
    bool repaired; /* links that led into the next task were removed (section 5.6) */
    struct network_descriptor network;
    struct operation *operations;
    size_t count;
    struct lut_param *tables;
    size_t table_count;
};

/* Decodes the number-th submitted task, one for the engines; memories must have been placed. False with a message. */
bool dla_task_read(const struct loadable *loadable, size_t number, struct dla_task *task, struct error *err);
void dla_task_free(struct dla_task *task);

/* "PATH: task 0, layer 3 (SDP)": name of an operation in messages. Returns text. */
enum { LAYER_NAME = 640 };
char *dla_layer_name(const struct dla_task *task, size_t operation, char text[LAYER_NAME]);

/* Whether the configuration can execute every operation, and the driver would program it. False with a message that
 * names the first that fails. */
bool dla_task_check(const struct dla_task *task, const struct nvdla_config *config, struct error *err);

/* What the task needs of a configuration, as far as the file shows. */
struct dla_needs {
    bool full;            /* 16-bit types, BDMA, RUBIK or on-chip RAM */
    bool atom_8, atom_32; /* cubes packed with atoms of that many bytes */
};
void dla_task_needs(const struct dla_task *task, struct dla_needs *needs);

/* Whether an operation of SDP or PDP reads through its RDMA; CDP always does, the others have no RDMA. */
bool operation_needs_rdma(const struct operation *op);

/* Whether a unit of SDP fetches operands. */
static inline bool sdp_unit_reads(const struct sdp_unit *unit) {
    return unit->enable && unit->type != 0 && unit->mode != 0;
}
