/* How much there is to do in a run, and how far it is, for whoever started this process. */
#ifndef RUN_SESSION_RUN_PROGRESS_H
#define RUN_SESSION_RUN_PROGRESS_H

#include "device/device.h"
#include "device/rtl_options.h"
#include "layers/tracker.h"
#include "run/result/result.h"
#include "trace/network.h"
#include "trace/program.h"

struct run_progress {
    int fd;
    size_t *layers;                 /* the operations that arm what writes memory, in order */
    const struct launch **launches; /* those that they arm */
    struct network network;         /* that the trace was made of, if it says so */
    size_t layer_count;
    struct progress_layer {
        uint64_t bytes, clocks; /* that it moves over the memory ports, and takes at least, with all before it */
    } * sums;                   /* of each layer */
    uint64_t bytes;             /* that all launches move over the memory ports */
    double from, share;         /* of the whole: what was done before the device that plays, and what that one takes */
    double start, last;
};

/* Counts what there is to do: for the result, and to tell how far it is. The tracker must stay; end with
 * run_progress_free. */
void run_progress_measure(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                          struct run_progress *progress);

void run_progress_free(struct run_progress *progress);

/* Clocks without any operation done after which a run counts as endless, though something moves: a thousand times
 * what its longest layer takes at least, more with a slower memory. */
uint64_t endless_clocks(const struct run_progress *progress, const struct axi_options *axi);

/* Clocks that the layers of a program take at least. */
uint64_t program_clocks(const struct program *prog);

/* Tells the runner how far it is, a few times a second; as in struct play_options. context: the progress. */
void run_progress_send(void *context, const struct device *dev, size_t done, size_t total);

/* Prints the end of a layer of a network, which a comment tells, to stderr; as in struct play_options. */
void print_layer_end(void *context, struct device *dev, const char *text);

/* Writes a whole line to the runner. */
void send_line(int fd, const char *text);

#endif
