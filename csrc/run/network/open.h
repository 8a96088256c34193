/* Opens a network: a loadable, or a quantised network that is compiled to one. */
#pragma once

#include <stdio.h>

#include "nvdla/text.h"
#include "quantised/lower.h"
#include "run/network/compile.h"

/* Reads NAME.tflite or NAME.onnx by python/nvcosim/networks. NULL with a message. */
struct graph *graph_read(const char *path, struct error *err);

/* The loadable at a path. A quantised network is compiled for *config, which becomes `small` if it is NULL. NULL with a
 * message. */
struct loadable *network_open(const char *path, const struct nvdla_config **config, struct error *err);

/* A quantised network on its way. */
struct quantised {
    struct graph *graph;
    struct lowered *lowered;
    struct text file; /* the loadable's bytes */
};
/* Compiles it; *config as above. False with a message. Free with quantised_free in any case. */
bool quantised_compile(const char *path, const struct nvdla_config **config, struct quantised *quantised,
                       struct error *err);
void quantised_free(struct quantised *quantised);
/* Its loadable, whose bytes are quantised->file; NULL with a message. */
struct loadable *quantised_loadable(const struct quantised *quantised, struct error *err);

/* The input of quantised networks by default: red first, pixel - 128, where the options do not say otherwise. */
void quantised_input(const char *path, struct compile_options *options);

/* Prints for each node what it became and the error that its integers cost. */
void quantised_explain(FILE *out, const struct quantised *quantised);

/* Plays the network on the model and compares each node with the reference interpreter on the same input. Prints a line
 * for each node. False with a message if it cannot be played or a node differs by more than chapter 88 allows. */
bool quantised_check(FILE *out, const struct quantised *quantised, const struct compile_options *options,
                     struct error *err);
