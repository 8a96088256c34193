/* Splits a program into pieces: programs that begin with the state of the model at a point where every unit is idle,
 * and end with a check of everything they wrote. If each piece behaves on a device as on the model, so does the whole,
 * with the exceptions in docs/split.md.
 *
 *   layer_order.c  puts the streams in order, plays the program on the model for the order of its layers
 *   cuts.c         chooses the cuts
 *   cut_program.c  makes the program with its cuts: layers after a cut are armed after it
 *   split.c        plays that on the model
 *   piece.c        records memory and registers at each cut and makes the pieces
 *   exchange.c     exchanges the groups of units that begin a piece with group 1 */
#pragma once

#include "memory/space.h"
#include "nvdla/error.h"
#include "split/split_names.h"
#include "split/split_parts.h"
#include "trace/program.h"

/* Finds the layers and the cuts. Takes ownership of prog. NULL with a message if the program does not finish on the
 * model or arms a group that is still armed. There may be fewer pieces than wanted. */
struct split *split_new(struct program *prog, const char *name, const struct split_options *options, struct error *err);
void split_free(struct split *split);

/* Receives a piece and owns it. memory: of the model at the end of the piece. False with a message stops the
 * cutting. */
typedef bool split_taker(void *context, size_t index, struct program *piece, struct memory *const memory[SPACE_COUNT],
                         struct error *err);

/* Makes the pieces one by one and passes each to `take`. */
bool split_make(struct split *split, const struct split_options *options, split_taker *take, void *context,
                struct error *err);
