/* Shows a compiled network: a table of its layers, memories and tensors, a graph for Graphviz, or JSON. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "loadable/loadable.h"
#include "nvdla/config.h"

struct network_info_options {
    const struct nvdla_config *config; /* NULL: as the file determines */
    const char *report;                /* report.json of a run of the network: clocks of each layer; NULL: none */
    bool dot, json;                    /* graph or JSON; else the table */
};

/* Prints it. False with a message. */
bool network_info(FILE *out, struct loadable *loadable, const struct network_info_options *options, struct error *err);
