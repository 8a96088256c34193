/* Makes the program of a piece from the state of the model at its start and at its end. */
#pragma once

#include "device/device.h"
#include "replay/player.h"
#include "split/split_parts.h"

struct piece_maker;

/* Observes the memory of a model that plays the program with its cuts. */
struct piece_maker *piece_maker_new(struct device *model);
void piece_maker_free(struct piece_maker *maker);

/* Starts a piece: records memory and registers. */
void piece_begin(struct piece_maker *maker);

/* Ends the piece and makes its program. whole: results so far of the checks in the program with its cuts. A check of a
 * counter that holds there but not in the piece, because an earlier layer counted, becomes a comment. */
struct program *piece_end(struct piece_maker *maker, const struct split *split, size_t piece,
                          const struct split_options *options, const struct play_result *whole);
