/* Types for all files of a split: options, layers and pieces. */
#pragma once

#include "device/device.h"
#include "trace/network.h"

struct layer_order;
struct cut_program;

struct split_options {
    size_t pieces;                /* wanted; 0: as many as possible */
    size_t workers;               /* that play them in parallel; 0: one per piece */
    bool idle_only;               /* cuts only where the trace itself leaves every unit idle */
    bool whole_memory;            /* all declared memory in each piece, not only what it touches */
    bool allow_undefined, errata; /* see model_options */
    uint64_t seed;                /* of random fills */
    size_t threads;               /* of the model */
    /* Called now and then while the model plays, see play_options; may be NULL. */
    void (*progress)(void *context, const struct device *model, size_t done, size_t total);
    void *progress_context;
};

/* A launch of the program: where it is armed, and its layer of a network ("0.5"; NULL: not named by the trace). */
struct split_launch {
    enum nvdla_unit unit;
    int ordinal; /* in the whole program */
    char *position, *network;
};

/* Launches that form one layer. */
struct split_layer {
    struct split_launch *launches;
    size_t launch_count;
    uint64_t clocks; /* expected */
    uint64_t work;   /* expected work of a simulator: clocks and beats (launch_work()) */
};

struct split_piece {
    size_t first, count; /* layers */
    uint64_t clocks;     /* expected */
    uint64_t work;       /* of its layers */
    bool deferred;       /* the trace arms layers of this piece before earlier ones are done */
};

struct split {
    char *name; /* of the trace */
    struct split_layer *layers;
    size_t layer_count;
    struct split_piece *pieces;
    size_t piece_count;
    size_t most;   /* possible pieces */
    size_t idle;   /* possible pieces with idle_only */
    size_t failed; /* checks of the whole program that fail on the model */
    struct network network;
    struct layer_order *order;
    struct cut_program *sequence;
};
