/* Shared by the files that read TFLite. See read.h. */
#pragma once

#include "loadable/flat.h"
#include "quantised/graph.h"

struct tflite_reading {
    struct flat flat;
    struct graph *graph;
    struct flat_vector codes, buffers;
    struct flat_table entry, options; /* of the node that is being read */
    uint64_t computed;                /* elements of tensors so far */
};

int tflite_number(struct tflite_reading *at, const struct flat_table *table, unsigned k, size_t bytes,
                  const char *field);
/* Inputs or outputs as indices of tensors, GRAPH_NONE for absent ones. False with a message. */
bool tflite_indices(struct tflite_reading *at, const struct flat_table *entry, unsigned k, const char *what, int *list,
                    size_t *count, size_t most);

/* Refuses a file with operators that are not supported, before anything else is judged: all of them, in one message. */
bool tflite_check_operators(struct tflite_reading *at, const struct flat_vector *subgraphs);
bool tflite_read_nodes(struct tflite_reading *at, const struct flat_table *subgraph);
