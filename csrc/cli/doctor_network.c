/* nvcosim doctor-network: the schedule of a compiled network as JSON, for the diagnosis of logs and outputs, which is
 * written in Python (python/nvcosim/doctor). */
#include <stdlib.h>

#include <jansson.h>

#include "cli/commands.h"
#include "loadable/describe.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/network/compile.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

struct network_options {
    const char *path;
    const struct nvdla_config *config; /* NULL: as the network shows */
};

#define OF(member) offsetof(struct network_options, member)

static const struct argument option_table[] = {
    CONFIG_OF_LOADABLE(OF(config)),
    {0},
};

static void print_line(json_t *json) {
    autofree char *text = json_to_text(json, JSON_COMPACT);
    puts(text);
}

/* "CONV 1x1, stride 1, 8x8x16 to 8x8x8" */
static char *name_of(const struct operation *op) {
    char *what = operation_description(op),
         *name = op->type == TYPE_BDMA ? xprintf("%s %s", op_type_names[op->type], what)
                                       : xprintf("%s %s%s%ux%ux%u to %ux%ux%u", op_type_names[op->type], what,
                                                 *what ? ", " : "", op->src.width, op->src.height, op->src.channel,
                                                 op->dst.width, op->dst.height, op->dst.channel);
    free(what);
    return name;
}

static json_t *edge(struct op_edge edge) {
    return json_pack("[i, i]", edge.operation, (int)edge.event);
}

/* Bytes of an integer that an operation writes; 0: it writes FP16, or nothing by itself. */
static int element_of(const struct operation *op) {
    const unsigned precision = op->type == TYPE_SDP   ? op->sdp.dst_precision
                               : op->type == TYPE_PDP ? op->pdp.precision
                               : op->type == TYPE_CDP ? op->cdp.out_precision
                                                      : 2;
    return precision == 0 ? 1 : precision == 1 ? 2 : 0;
}

/* One operation, and the edges that it releases: those of its consumers by unit, then its fused parent. */
static json_t *operation(const struct operation *op, const struct nvdla_config *config) {
    json_t *edges = json_array();
    for (int type = 0; type < TYPE_COUNT; type++)
        json_array_append_new(edges, edge(op->consumers[type]));
    json_array_append_new(edges, edge(op->fused_parent));
    autofree char *name = name_of(op);
    return json_pack("{s:i, s:o, s:b, s:o, s:I, s:i, s:I, s:I}", "type", (int)op->type, "edges", edges, "rdma",
                     operation_needs_rdma(op), "name", json_text(name), "least_clocks",
                     config ? (json_int_t)operation_least_clocks(op, config) : 0, "element", element_of(op), "line",
                     (json_int_t)op->dst.line_stride, "surface", (json_int_t)op->dst.surface_stride);
}

/* The number-th submitted task; with a member "error" if it cannot be read. */
static json_t *task(const struct loadable *loadable, size_t number, const struct nvdla_config *config) {
    struct dla_task task;
    struct dla_needs needs = {0};
    struct error err;
    if (!dla_task_read(loadable, number, &task, &err))
        return json_pack("{s:o}", "error", json_text(err.text));
    json_t *heads = json_array(), *operations = json_array();
    dla_task_needs(&task, &needs);
    for (int type = 0; type < TYPE_COUNT; type++)
        json_array_append_new(heads, json_integer(task.network.heads[type]));
    for (size_t i = 0; i < task.count; i++)
        json_array_append_new(operations, operation(&task.operations[i], config));
    dla_task_free(&task);
    return json_pack("{s:I, s:b, s:o, s:o}", "number", (json_int_t)number, "small", needs.atom_8 && !needs.atom_32,
                     "heads", heads, "operations", operations);
}

static bool print_network(const struct network_options *options, struct error *err) {
    struct error undecided;
    const struct nvdla_config *config = options->config;
    struct loadable *loadable = network_open(options->path, &config, err);
    const bool fine =
        loadable && loadable_place(loadable, COMPILE_BASE, COMPILE_SECONDARY_BASE, sizeof(uint64_t) * 8, err);
    if (fine) {
        if (!config)
            config = compile_config(loadable, &undecided);
        json_t *tasks = json_array();
        for (size_t i = 0; i < loadable->order_count; i++)
            if (loadable->tasks[loadable->order[i]].interface == INTERFACE_DLA)
                json_array_append_new(tasks, task(loadable, i, config));
        print_line(json_pack("{s:s?, s:o}", "config", config ? config->name : NULL, "tasks", tasks));
    }
    loadable_free(loadable);
    return fine;
}

int doctor_network_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "NET",
                                           .doc = "Prints the schedule of a compiled network as JSON.",
                                           .operands = OPERAND_AT(OF(path), "one network")};
    struct network_options options = {0};
    struct error err;
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    if (!print_network(&options, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    return EXIT_OK;
}
