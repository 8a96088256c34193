/* Pieces for a person: their names, of what they carry out, and how many there could be.
 */
#ifndef SPLIT_SPLIT_NAMES_H
#define SPLIT_SPLIT_NAMES_H

#include <stdio.h>

#include "split/split_parts.h"

/* "NAME-007" for the seventh, and the suffix, with as many digits as the last piece needs. free() it. */
char *split_file_name(const struct split *split, size_t piece, const char *suffix);

/* The launch in a piece that is the ordinal-th of its unit there; NULL if there is none. */
const struct split_launch *split_launch(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* "SDP #3" and where: "SDP #3 (net.cfg:120, layer 0.5 of the network)" of the launch in a piece that is the
 * ordinal-th of its unit there; NULL if there is none. free() it. */
char *split_launch_name(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* What a piece carries out, for a person: "SDP #3 to PDP #1". free() it. */
char *split_piece_name(const struct split *split, size_t piece);

/* A line that says how many pieces there could be and how. */
void split_print_counts(FILE *out, const struct split *split);

#endif
