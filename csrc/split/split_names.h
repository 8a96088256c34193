/* Texts about pieces: names, contents, and how many are possible. */
#pragma once

#include <stdio.h>

#include "split/split_parts.h"

/* "NAME-007" for the seventh, plus the suffix, with as many digits as the last piece needs. malloc'd. */
char *split_file_name(const struct split *split, size_t piece, const char *suffix);

/* The ordinal-th launch of a unit in a piece, or NULL. */
const struct split_launch *split_launch(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* "SDP #3" and where: "SDP #3 (net.cfg:120, layer 0.5 of the network)" for the ordinal-th launch of a unit in a piece,
 * malloc'd, or NULL. */
char *split_launch_name(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* The contents of a piece: "SDP #3 to PDP #1". malloc'd. */
char *split_piece_name(const struct split *split, size_t piece);

/* A line that says how many pieces are possible. */
void split_print_counts(FILE *out, const struct split *split);
