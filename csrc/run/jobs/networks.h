/* Networks among the traces of a run: each is compiled to a trace in the folder of reports. */
#pragma once

#include "run/network/compile.h"
#include "run/options/options.h"

/* Compiles the networks among run->traces and replaces their paths by those of their traces. Without --outputs sets
 * run->outputs to *outputs, which the caller frees. False with a message. */
bool networks_compile(struct run_options *run, struct compile_options *compile, char **outputs, struct error *err);
