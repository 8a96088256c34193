/* The results of a network: the outputs that its trace names, as files and in print. */
#pragma once

#include <stdio.h>

#include "memory/memory.h"
#include "trace/network.h"

/* Writes the bytes of each output to FOLDER/NAME.bin, and creates the folder. False with a message. */
bool outputs_write(const struct program *prog, struct memory *const memory[SPACE_COUNT], const char *folder,
                   struct error *err);

/* The values of all elements of a tensor in the order n, c, y, x, from the bytes of its memory. free() them. */
float *outputs_values(const struct network_output *output, const uint8_t *bytes, size_t *count);

/* How outputs are shown. */
struct outputs_style {
    const char *labels; /* file with a line for each channel; NULL: none */
    unsigned top;       /* number of largest elements to print */
    bool npy, dimg;     /* also write NAME.npy (binary32, the elements' values), NAME.dimg (80-trace-formats 8) */
};

/* Checks that the file of labels, if any, can be read: call it before a run. False with a message. */
bool outputs_can_be_shown(const struct outputs_style *style, struct error *err);

/* Reads what outputs_write() wrote to the folder for that program, prints the largest elements of each output, and
 * writes the other forms. Prints nothing if the program names no outputs. False with a message. */
bool outputs_show(FILE *out, const struct program *prog, const char *folder, const struct outputs_style *style,
                  struct error *err);
