/* A simulator that resets its design once and plays every trace in a copy of itself (fork). The state after the reset
 * is the same for all traces, and the reset takes longer than a small layer.
 *
 *       runner (servers.h)                          server: the simulator, with --serve
 *         starts it, continues with others ..........  opens the design, resets it
 *         ... notices that it is ready ..............  "ready", waits
 *         an order: words, files, limits ............  copies itself
 *         has the copy's process ID .................  the copy: "I am ID", then what the words say, as main() would
 *
 * The copy is a child of the runner like any simulator (CLONE_PARENT): limits, signals, exit status, CPU time and
 * output are those of one trace, and neither it nor the server depends on the other any longer. If a server dies, no
 * copy dies with it; the runner then starts simulators as usual.
 *
 * For many traces, a copy can be a lane instead, so that the runner need not wake up for each of them. A lane takes one
 * test after another from a queue that the lanes of the server share, plays each in its own copy, waits for it, ends
 * any processes it leaves running, and ends when the queue is empty.
 *
 *       runner (lanes.h)                            lane
 *         puts tests into the queue .................  takes one, reports its start, copies itself
 *         ... reads a few times a second ............  the copy writes what every simulator writes
 *         a signal for a test that is over a limit ..  passes it on to that test, if it still runs
 *                                                      reports its exit and what it used; the next one
 *         ... and at once (SIGCHLD) .................  unless its status is 0
 *
 * No test is blamed for the death of a lane: the one that it played (which ends with it) is repeated outside of lanes,
 * and the rest is still in the queue. */
#ifndef RUN_SERVE_SERVE_H
#define RUN_SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/text.h"
#include "run/process/process.h"

/* An order is one message: this, then the words, each with its 0, and the files attached. */
struct serve_order {
    uint32_t words, file_count;
    uint64_t data_limit;
    bool own_group, no_core;
    bool lane; /* no words follow */
};

enum { SERVE_FILES = 8, SERVE_WORDS = 64 << 10 /* bytes of all words */ };

/* Answers, one message each: the server is ready, the ID of a copy, or there is no copy. */
enum { SERVE_READY = 0, SERVE_FAILED = -1 };

/* The descriptor of a server's socket. */
enum { SERVE_SOCKET = 3 };

/* The descriptors of a lane: those of simulators (0 to 4, the last one for the ledger), the end of the queue to take
 * tests from (SOCK_SEQPACKET), and the read end of a pipe of struct serve_signal. */
enum { LANE_LEDGER = 4, LANE_TEST_FILES, LANE_QUEUE = LANE_TEST_FILES, LANE_SIGNALS, LANE_FILES };

/* A test in the queue is one message: this, then the words. */
struct serve_test {
    uint64_t id;         /* shared by runner and lane */
    uint64_t number;     /* under which its result is noted in the ledger */
    uint64_t data_limit; /* bytes; 0: none */
    uint32_t words;
    bool ledger, no_core;
};

struct serve_signal {
    uint64_t id; /* of the test to signal */
    int32_t number;
};

/* Lines of a lane between those of its tests on the pipe of results: for a start, the ID and clock (process_clock());
 * for an end, the ID, wait status, seconds, CPU seconds and most resident bytes. And the line with the ID that it
 * prints before a test's output. */
#define LANE_START "\n#start %" PRIu64 " %.6f\n"
#define LANE_END "\n#end %" PRIu64 " %d %.6f %.6f %" PRIu64 "\n"
#define LANE_PRINTS "\036%" PRIu64 "\036"

/* Why copies of this process would not behave like simulators started by the runner (its process ID): the design has
 * threads or open files or has printed something, or this process is not a child of the runner. NULL: they would. */
const char *serve_obstacle(int runner);

/* Serves orders. Returns true in a copy that is to play, with its words, which the caller owns; false in the server
 * when the socket is closed. */
bool serve(int socket, struct words *words);

#endif
