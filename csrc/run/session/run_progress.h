/* The amount of work in a run, and its progress, for the process that started this one. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"
#include "layers/tracker.h"
#include "run/result/result.h"
#include "trace/network.h"
#include "trace/program.h"

struct run_progress {
    int fd;
    size_t *layers;                 /* the operations that arm launches that write memory, in order */
    const struct launch **launches; /* the launches that they arm */
    struct network network;         /* that the trace was made from, if it says so */
    size_t layer_count;
    struct progress_layer {
        uint64_t bytes, clocks; /* moved over the memory ports; minimum */
    } *sums;                    /* of each layer, including all before it */
    uint64_t bytes;             /* moved over the memory ports by all launches */
    double from, share; /* of the whole: share done before the current device started, and share of that device */
    double start, last;
};

/* Measures the work: for the result, and for progress. The tracker must outlive it; end with run_progress_free(). */
void run_progress_measure(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                          struct run_progress *progress);

void run_progress_free(struct run_progress *progress);

/* Clocks without a completed operation after which a run counts as endless, even if data still moves: a thousand times
 * the minimum of its longest layer, more with a slower memory. */
uint64_t endless_clocks(const struct run_progress *progress, const struct axi_options *axi);

/* Minimum clocks of the layers of a program. */
uint64_t program_clocks(const struct program *prog);

/* Sends progress to the runner, a few times a second; as in struct play_options. context: the progress. */
void run_progress_send(void *context, const struct device *dev, size_t done, size_t total);

/* Prints to stderr that a layer of a network ended, from a comment of the trace; as in struct play_options. */
void print_layer_end(void *context, struct device *dev, const char *text);

/* Writes a whole line to the runner. */
void send_line(int fd, const char *text);
