/* A program in pieces: programs of their own that begin with what the model has at a point where every unit is idle,
 * and end with a check of all that they have written. If each piece does on a device what it does on the model, so does
 * the whole, but for what docs/split.md names.
 *
 *   layer_order.c  puts the streams in order, plays the program on the model for the order of its layers
 *   cuts.c         chooses the cuts
 *   cut_program.c  the program with its cuts: layers behind a cut are armed behind it
 *   split.c        plays that
 *   piece.c        takes memory and registers at each cut and makes a program of them
 *   exchange.c     a piece in which a unit begins with group 1 has its groups exchanged
 *   touched.c      the memory that a piece touches
 */
#ifndef SPLIT_SPLIT_H
#define SPLIT_SPLIT_H

#include <stdbool.h>

#include "memory/space.h"
#include "nvdla/error.h"
#include "split/split_names.h"
#include "split/split_parts.h"
#include "trace/program.h"

/* Finds the layers and the cuts. prog is taken over. NULL with a message: the program does not come to its end on the
 * model, or arms what is still armed. Pieces may be fewer than wanted. */
struct split *split_new(struct program *prog, const char *name, const struct split_options *options, struct error *err);
void split_free(struct split *split);

/* Takes a piece over. memory: as the model has it at the end of the piece. False with a message ends the cutting. */
typedef bool split_taker(void *context, size_t index, struct program *piece, struct memory *const memory[SPACE_COUNT],
                         struct error *err);

/* Makes the pieces, one after the other, each handed to `take`. */
bool split_make(struct split *split, const struct split_options *options, split_taker *take, void *context,
                struct error *err);

#endif
