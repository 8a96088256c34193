/* Makes the program of a piece from what the model holds where it begins and where it ends. */
#ifndef SPLIT_PIECE_H
#define SPLIT_PIECE_H

#include "device/device.h"
#include "replay/player.h"
#include "split/split_parts.h"

struct piece_maker;

/* Listens to the memory of a model, which plays the program with its cuts. */
struct piece_maker *piece_maker_new(struct device *model);
void piece_maker_free(struct piece_maker *maker);

/* A piece begins: takes memory and registers. */
void piece_begin(struct piece_maker *maker);

/* The piece is over: makes its program. whole: what the checks of the program with its cuts found so far; a check of a
 * counter that holds there and not in the piece, because it shows what an earlier layer has counted, is left out of the
 * piece, with a comment. */
struct program *piece_end(struct piece_maker *maker, const struct split *split, size_t piece,
                          const struct split_options *options, const struct play_result *whole);

#endif
