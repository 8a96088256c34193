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
 * copy dies with it; the runner then starts simulators as usual. */
#pragma once

#include "nvdla/text.h"
#include "run/process/process.h"

/* An order is one message: this, then the words, each with its 0, and the files attached. */
struct serve_order {
    uint32_t words, file_count;
    uint64_t data_limit;
    bool own_group, no_core;
};

enum { SERVE_FILES = 8, SERVE_WORDS = 64 << 10 /* bytes of all words */ };

/* Answers, one message each: the server is ready, the ID of a copy, or there is no copy. */
enum { SERVE_READY = 0, SERVE_FAILED = -1 };

/* The descriptor of a server's socket. */
enum { SERVE_SOCKET = 3 };

/* Why copies of this process would not behave like simulators started by the runner (its process ID): the design has
 * threads or open files or has printed something, or this process is not a child of the runner. NULL: they would. */
const char *serve_obstacle(int runner);

/* Serves orders. Returns true in a copy that is to play, with its words, which the caller owns; false in the server
 * when the socket is closed. */
bool serve(int socket, struct words *words);
