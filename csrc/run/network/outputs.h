/* What a network has computed: the outputs that a trace of it names, as files and for people. */
#ifndef RUN_NETWORK_OUTPUTS_H
#define RUN_NETWORK_OUTPUTS_H

#include <stdio.h>

#include "memory/memory.h"
#include "trace/network.h"

/* Writes the bytes of each output into FOLDER/NAME.bin; the folder is made. False with a message. */
bool outputs_write(const struct program *prog, struct memory *const memory[SPACE_COUNT], const char *folder,
                   struct error *err);

/* How outputs are shown. */
struct outputs_style {
    const char *labels; /* file with a line for each channel; NULL: none */
    unsigned top;       /* how many of the greatest elements are printed */
    bool npy, dimg; /* also write NAME.npy (binary32, what the elements stand for), NAME.dimg (80-trace-formats 8) */
};

/* Whether the file of labels, if there is one, can be read: better before a run than after it. False with a message. */
bool outputs_can_be_shown(const struct outputs_style *style, struct error *err);

/* Reads what outputs_write has written to the folder for that program, prints each output's greatest elements, and
 * writes it in the other forms. Nothing is printed of a program that names no outputs. False with a message. */
bool outputs_show(FILE *out, const struct program *prog, const char *folder, const struct outputs_style *style,
                  struct error *err);

#endif
