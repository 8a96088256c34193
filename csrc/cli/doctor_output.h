/* For nvcosim doctor --output: the output of a board against that of the model. */
#pragma once

#include "run/network/compile.h"

struct doctor_output {
    const char *found;    /* file with the bytes of the output memory, or of the cube of `layer` */
    const char *loadable; /* the network */
    const char *name;     /* of the output; NULL: the only one */
    const char *layer;    /* "TASK.OPERATION" whose cube the file is; NULL: an output */
    const char *before;   /* file with the bytes before the run; NULL: unknown */
    uint64_t clocks;      /* that runs on the RTL may take, to rank the faults of a bus; 0: no runs */
    bool json;
    struct compile_options compile;
};

/* Compares, and prints what differs and its patterns. Returns the exit status: 0 equal, 1 different, 2 bad input. */
int doctor_output(struct doctor_output *options);
