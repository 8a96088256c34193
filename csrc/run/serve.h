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
 */
#ifndef RUN_SERVE_H
#define RUN_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/text.h"
#include "run/process.h"

/* An order is one message: this, then the words, each with its 0, and the files beside it. */
struct serve_order {
    uint32_t words, file_count;
    uint64_t data_limit;
    bool own_group, no_core;
};

enum { SERVE_FILES = 8, SERVE_WORDS = 64 << 10 /* bytes of all words */ };

/* What comes back, one message each: that the server is ready, the ID of a copy, or that there is none. */
enum { SERVE_READY = 0, SERVE_FAILED = -1 };

/* The descriptor that a server finds its socket at. */
enum { SERVE_SOCKET = 3 };

/* Why copies of this process are not what simulators would be that the runner (its process ID) starts: the design has
 * threads or files of its own or has printed, or this process is no child of the runner. NULL: they are. */
const char *serve_obstacle(int runner);

/* Obeys orders. Returns true in a copy that is to play, with its words, which the caller owns; false in the server when
 * nobody is there to give orders any more. */
bool serve(int socket, struct words *words);

#endif
