/* The layers of a program in the order in which the model finishes them, and the boundaries where it can be cut. */
#pragma once

#include "layers/tracker.h"
#include "replay/player.h"
#include "split/split_parts.h"
#include "trace/program.h"

/* A layer of the program. */
struct order_layer {
    size_t *launches; /* indices in the tracker, as armed */
    size_t launch_count;
    size_t waits; /* operation at which the program waits for its last launch; layer_order.end: none */
};

/* The boundary between layers i and i + 1. */
struct boundary {
    size_t at;       /* operation before which the cut is */
    bool idle;       /* no later layer has been armed before it */
    char *forbidden; /* why it cannot be a cut, or NULL */
};

struct layer_order {
    struct program *prog;          /* sequential */
    size_t end;                    /* operations before those with `end` */
    size_t begin;                  /* earlier ones only fill memory */
    bool needs_data;               /* it waits for numbers that depend on its data */
    struct layer_tracker *tracker; /* its launches, tagged with their operations */
    struct order_layer *layers;
    size_t layer_count;
    size_t *layer_of;            /* by launch of the tracker */
    struct boundary *boundaries; /* layer_count - 1 */
};

/* Takes ownership of prog. NULL with a message. */
struct layer_order *layer_order_new(struct program *prog, const struct split_options *options, struct error *err);
void layer_order_free(struct layer_order *order);

/* Plays a program on a new model, with or without data, to observe its registers. Without data, operations that fill or
 * check memory are left out, unless layers read sizes from it (compressed weights). Operations keep their indices. */
enum play_outcome layer_order_play(const struct program *prog, const struct split_options *options, bool needs_data,
                                   struct device *model, struct play_options *play_options, struct play_result *result);

/* A new model to play the program on. */
struct device *layer_order_model(const struct layer_order *order, const struct split_options *options,
                                 bool registers_only);

/* The layer of a launch of the tracker. */
size_t layer_order_layer_of(const struct layer_order *order, const struct launch *launch);

/* Forbids a cut, with a reason (printf text); the first reason is kept. */
void layer_order_forbid(struct layer_order *order, size_t boundary, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
