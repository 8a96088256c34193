/* Other masters at the memory: --traffic KEY=VALUE,... once for each.
 *
 * A stream asks for `bytes` at a time within `size` bytes from `base`, `rate` megabytes a second on average; with burst
 * N, N requests come one after the other and then a pause. At most `outstanding` are in flight; what cannot be asked
 * for in time is not made up for. A recorded list is played instead with list=FILE: lines "CLOCK r|w ADDRESS BYTES", in
 * core clocks since reset, repeated from its start with loop=yes. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

enum { TRAFFIC_MOST = 8, TRAFFIC_NAME = 24, TRAFFIC_PATH = 256, TRAFFIC_OUTSTANDING = 256 };

enum traffic_pattern { TRAFFIC_SEQUENTIAL, TRAFFIC_RANDOM };

struct traffic_stream {
    char name[TRAFFIC_NAME];
    enum traffic_pattern pattern;
    uint64_t base, size;
    uint32_t bytes;  /* of a request */
    double rate;     /* MB/s */
    uint32_t burst;  /* requests one after the other */
    uint32_t writes; /* per mille */
    uint32_t outstanding;
    uint32_t weight, priority;
    char list[TRAFFIC_PATH];
    bool loop;
};

struct traffic_options {
    struct traffic_stream streams[TRAFFIC_MOST];
    uint32_t count;
};

/* Adds the stream that a text describes. False with a message. */
bool traffic_read(const char *argument, struct traffic_options *options, struct error *err);

/* A request of a stream. */
struct traffic_request {
    uint64_t cycle; /* core clocks since reset */
    uint64_t address;
    uint32_t bytes;
    bool write;
};

/* What a stream asks for, one request after the other. */
struct traffic_source;

/* NULL with a message: the list cannot be read. core_khz: frequency of the core. */
struct traffic_source *traffic_source_new(const struct traffic_stream *stream, uint32_t core_khz, uint64_t seed,
                                          struct error *err);
void traffic_source_free(struct traffic_source *source);

/* The next request, which is due at request->cycle. False: there are no more. */
bool traffic_source_next(struct traffic_source *source, struct traffic_request *request);
