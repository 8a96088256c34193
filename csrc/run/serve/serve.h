/* A simulator that resets its design once and plays every trace that it is given in a copy of itself (fork): what the
 * reset leaves is the same for all traces, and takes longer than a small layer does.
 *
 *   runner (servers.h)                          server: the simulator, with --serve
 *     starts it, goes on with others ............  opens the design, resets it
 *     ... hears that it is ready ................  "ready", waits
 *     an order: words, files, limits ............  copies itself
 *     has the copy's process ID .................  the copy: "I am ID", then what the words say, as main() would
 *
 * The copy is a child of the runner like any simulator (CLONE_PARENT): limits, signals, exit status, CPU time and what
 * it says are those of the trace alone, and it neither needs the server any more nor does the server wait for it.
 * A server that dies takes nobody along; the runner starts simulators as usual then.
 *
 * Where there are many traces a copy can be a lane instead, which spares the runner to wake for each of them: it takes
 * one test after the other out of a queue that it shares with the other lanes of the server, plays each in a copy of
 * its own, waits for that and ends whatever it has left running, and ends when the queue is empty.
 *
 *   runner (lanes.h)                            lane
 *     puts tests into the queue .................  takes one, tells that it starts, copies itself
 *     ... reads a few times a second ............  the copy says what every simulator says
 *     a signal for a test that is over a limit ..  hands it on to that test, if it still runs
 *                                                  tells how it has ended and what it took; the next one
 *     ... and at once (SIGCHLD) .................  unless its status is 0
 *
 * A lane that dies is to blame for no test: the one that it played (which ends with it) is played again without it, the
 * rest is still in the queue.
 */
#ifndef RUN_SERVE_SERVE_H
#define RUN_SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/text.h"
#include "run/process/process.h"

/* An order is one message: this, then the words, each with its 0, and the files beside it. */
struct serve_order {
    uint32_t words, file_count;
    uint64_t data_limit;
    bool own_group, no_core;
    bool lane; /* it has no words */
};

enum { SERVE_FILES = 8, SERVE_WORDS = 64 << 10 /* bytes of all words */ };

/* What comes back, one message each: that the server is ready, the ID of a copy, or that there is none. */
enum { SERVE_READY = 0, SERVE_FAILED = -1 };

/* The descriptor that a server finds its socket at. */
enum { SERVE_SOCKET = 3 };

/* The descriptors of a lane: those of simulators (0 to 4, the last one of the ledger), the end of the queue that tests
 * come out of (SOCK_SEQPACKET), and that of a pipe of struct serve_signal. */
enum { LANE_LEDGER = 4, LANE_TEST_FILES, LANE_QUEUE = LANE_TEST_FILES, LANE_SIGNALS, LANE_FILES };

/* A test in the queue is one message: this, then the words. */
struct serve_test {
    uint64_t id;         /* by which runner and lane call it */
    uint64_t number;     /* that it is noted for in the ledger */
    uint64_t data_limit; /* bytes; 0: none */
    uint32_t words;
    bool ledger, no_core;
};

struct serve_signal {
    uint64_t id; /* of the test that it is for */
    int32_t number;
};

/* What a lane says among the lines of its tests over the pipe of results: ID and clock (process_clock()) of a start;
 * ID, wait status, seconds, CPU seconds and most bytes resident of an end. And the ID that it prints before a test
 * does. */
#define LANE_START "\n#start %" PRIu64 " %.6f\n"
#define LANE_END "\n#end %" PRIu64 " %d %.6f %.6f %" PRIu64 "\n"
#define LANE_PRINTS "\036%" PRIu64 "\036"

/* Why copies of this process are not what simulators would be that the runner (its process ID) starts: the design has
 * threads or files of its own or has printed, or this process is no child of the runner. NULL: they are. */
const char *serve_obstacle(int runner);

/* Obeys orders. Returns true in a copy that is to play, with its words, which the caller owns; false in the server when
 * nobody is there to give orders any more. */
bool serve(int socket, struct words *words);

#endif
