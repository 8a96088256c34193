/* A program in pieces: programs of their own that begin with what the model has at a point where every unit is idle,
 * and end with a check of all that they have written. If each piece does on a device what it does on the model, so does
 * the whole, but for what docs/split.md names.
 *
 *   course.c    puts the streams in order, plays the program on the model for the order of its layers
 *   cuts.c      chooses the cuts
 *   line.c      the program with its cuts: layers behind a cut are armed behind it
 *   split.c     plays that
 *   piece.c     takes memory and registers at each cut and makes a program of them
 *   exchange.c  a piece in which a unit begins with group 1 has its groups exchanged
 *   touched.c   the memory that a piece touches
 */
#ifndef SPLIT_SPLIT_H
#define SPLIT_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "device/device.h"
#include "nvdla/error.h"
#include "trace/network.h"
#include "trace/program.h"

struct course;
struct line;

struct split_options {
    size_t pieces;        /* wanted; 0: as many as there can be */
    size_t workers;       /* that play them side by side; 0: one for each */
    bool idle_only;       /* cuts only where the trace itself leaves every unit idle */
    bool whole_memory;    /* all declared memory in each piece, not only what it touches */
    bool allow_undefined; /* see model_options */
    uint64_t seed;        /* of random fills */
    size_t threads;       /* of the model */
    /* Called now and then while the model plays, see play_options; may be NULL. */
    void (*progress)(void *context, const struct device *model, size_t done, size_t total);
    void *progress_context;
};

/* A launch of the program: where it is armed, and its layer of a network ("0.5"; NULL: none that the trace names). */
struct split_launch {
    enum nvdla_unit unit;
    int ordinal; /* in the whole program */
    char *position, *network;
};

/* Launches that make one layer. */
struct split_layer {
    struct split_launch *launches;
    size_t launch_count;
    uint64_t clocks; /* expected */
    uint64_t work;   /* what a simulator is expected to have to do for it: clocks, and beats (launch_work()) */
};

struct split_piece {
    size_t first, count; /* layers */
    uint64_t clocks;     /* expected */
    uint64_t work;       /* of its layers */
    bool deferred;       /* the trace arms layers behind its begin before those before it are done */
};

struct split {
    char *name; /* of the trace */
    struct split_layer *layers;
    size_t layer_count;
    struct split_piece *pieces;
    size_t piece_count;
    size_t most;   /* pieces that there can be */
    size_t idle;   /* pieces that there can be with idle_only */
    size_t failed; /* checks of the whole program that fail on the model */
    struct network network;
    struct course *course;
    struct line *line;
};

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

/* "NAME-007" for the seventh, and the suffix, with as many digits as the last piece needs. free() it. */
char *split_file_name(const struct split *split, size_t piece, const char *suffix);

/* A line that says how many pieces there could be and how. */
void split_print_counts(FILE *out, const struct split *split);

/* The launch in a piece that is the ordinal-th of its unit there; NULL if there is none. */
const struct split_launch *split_launch(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* "SDP #3" and where: "SDP #3 (net.cfg:120, layer 0.5 of the network)" of the launch in a piece that is the
 * ordinal-th of its unit there; NULL if there is none. free() it. */
char *split_launch_name(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal);

/* What a piece carries out, for a person: "SDP #3 to PDP #1". free() it. */
char *split_piece_name(const struct split *split, size_t piece);

#endif
