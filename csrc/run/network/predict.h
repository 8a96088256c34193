/* A network that is prepared once and then computed on the model for one picture after the other: its memories stay as
 * they are, and only the input and what the layers write is new. */
#pragma once

#include <stdio.h>

#include "run/network/compile.h"

/* Computes the network for each picture whose file is a line of `in`. It must have one input and one output, each a
 * tensor for one picture. Prints lines of JSON: first {"classes": number of elements of the output, "config": name,
 * "warnings": of the compiler}, then for each picture {"values": [...]}, in the order channel, line, column, null: not
 * a number; or {"error": "..."}. False with a message: the network cannot be computed. */
bool predict_lines(FILE *in, FILE *out, struct loadable *loadable, const struct compile_options *options,
                   struct error *err);
