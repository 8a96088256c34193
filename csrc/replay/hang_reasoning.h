/* What the files of the chain of waits share, none of anybody else: hang_links.c (what the registers require of each
 * link, and how far it came), hang_answers.c (answers), hang_memory.c (the memory interface and those that read and
 * write there), hang_conv.c, hang_engines.c (what stops each engine), hang_triage.c (the chain). */
#ifndef REPLAY_HANG_REASONING_H
#define REPLAY_HANG_REASONING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device/waits.h"
#include "layers/view.h"
#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "nvdla/engines.h"
#include "replay/hang_facts.h"

/* How sure it is that an engine is the guilty one. */
enum strength {
    IDLE,     /* it stands still though nothing is in its way */
    COMPLETE, /* it has all its input, and owes output */
    LOST,     /* it owes what the elements that it took make due */
    EXCESS,   /* it gave more than its registers say */
};

/* What became of an engine. */
struct hang_answer {
    enum { NOTHING, WAITS, GUILTY } kind;
    enum nvdla_engine on; /* WAITS */
    enum strength strength;
    uint64_t since;
    int ordinal;
    char text[200];
};

/* A link against the registers of the launches that were armed. */
struct flow {
    bool known;
    uint64_t moved, owed, beyond;
    int ordinal;                    /* of the launch that the next element belongs to, or the last one; -1: no launch */
    uint64_t moved_of, required_of; /* of that launch */
};

/* Places in hang_client_links: readers, then writers, in the order of the data path. */
enum client_place {
#define READER_PLACE(c, u, e) L_##c,
#define WRITER_PLACE(c, u, e) L_##c##_W,
    FOR_READ_CLIENTS(READER_PLACE) FOR_WRITE_CLIENTS(WRITER_PLACE) HANG_CLIENTS
#undef READER_PLACE
#undef WRITER_PLACE
};

/* What a memory client moves, from the engine's side to the port. */
struct client_links {
    enum nvdla_client client;
    enum nvdla_engine engine;
    enum wait_index ask, take;                           /* atoms; of writers: commands and atoms given */
    enum wait_index due;                                 /* beats of that: of requests, of atoms with their commands */
    enum wait_index request, data;                       /* behind the DMA client, beats: pieces, data */
    enum wait_index last, acknowledged, done, interrupt; /* of readers: WAIT_COUNT */
};

extern const struct client_links hang_client_links[HANG_CLIENTS];

struct reasoning {
    const struct hang *hang;
    const struct device_waits *waits;
    const struct nvdla_config *config;
    struct flow flows[WAIT_COUNT];
    bool moving; /* elements may be on their way between two engines: what one has given and the next not got is not
                    lost */
};

/* A convolution as CSC's registers describe it. Spec: 40-convolution-core section 4. */
struct conv_shape {
    uint64_t group;      /* kernels of a group */
    uint64_t rows;       /* atoms that complete rows of results */
    uint64_t operations; /* atoms that go into one of these: blocks of channels, columns and lines of a kernel */
    uint64_t results;    /* rows of results of one of these */
    uint64_t batches;
};

/* ---- questions about links ---- */

static inline const struct flow *flow(const struct reasoning *r, enum wait_index index) {
    return &r->flows[index];
}

static inline const struct wait_pair *pair(const struct reasoning *r, enum wait_index index) {
    return &r->waits->pairs[index];
}

/* The receiver does not take what is offered. */
static inline bool refused(const struct reasoning *r, enum wait_index index) {
    const struct wait_pair *p = pair(r, index);
    return p->seen && p->valid && !p->ready;
}

static inline uint32_t counter(const struct reasoning *r, enum wait_counter_index index) {
    return r->waits->counters[index].value;
}

static inline bool in_state(const struct reasoning *r, enum wait_state_index index, const char *value) {
    return r->waits->inside && !strcmp(r->waits->states[index].value, value);
}

/* ---- hang_links.c ---- */

/* Atoms of a beat of the memory interfaces. */
uint64_t hang_beat_atoms(const struct nvdla_config *config);

/* Results of a row of CACC. */
uint64_t hang_row_results(const struct nvdla_config *config);

/* NULL: the unit has had no such launch. */
const struct launch *hang_launch(const struct reasoning *r, enum nvdla_unit unit, int ordinal);

int hang_launch_count(const struct reasoning *r, enum nvdla_unit unit);

/* Launches of a unit that were armed and have not ended. */
int hang_jobs(const struct reasoning *r, enum nvdla_unit unit);

/* The launch that a unit works on, -1 if it has ended all. */
int hang_current(const struct reasoning *r, enum nvdla_unit unit);

/* Rows of results of the first `atoms` atoms that complete rows. */
uint64_t hang_rows(const struct reasoning *r, uint64_t atoms);

/* The convolution that CSC works on, or the last one. */
struct conv_shape hang_conv_now(const struct reasoning *r);

/* Credits that CSC begins with: rows of the delivery buffer. */
uint64_t hang_all_credits(const struct nvdla_config *config);

/* What has moved on a link, against all launches armed. */
struct flow hang_flow_find(const struct reasoning *r, enum wait_index index);

/* Elements are missing of the launch that the link's unit works on; what launches behind it need does not count yet. */
bool hang_owed(const struct reasoning *r, enum wait_index index);

/* Elements are missing that the launch which a unit works on takes in. Where the unit at the other end had other
 * launches, so that their numbers say nothing: that any launch takes in. */
bool hang_missing(const struct reasoning *r, enum wait_index index, enum nvdla_unit unit);

/* ---- hang_answers.c ---- */

/* It has nothing to do, or waits for nothing; `format` and what follows: what it does, for a person. */
struct hang_answer hang_nothing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* since: the clock since which it has waited; 0: not known. */
struct hang_answer hang_waits_for(enum nvdla_engine on, uint64_t since, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ordinal: the launch that does not end; -1: none. */
struct hang_answer hang_guilty(enum strength strength, int ordinal, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Since when a receiver has waited on a link: since its last element. */
uint64_t hang_waited(const struct reasoning *r, enum wait_index index);

/* The elements of a link have not all come: the engine waits for the one before it, or, where that one has not been
 * armed, for the program. */
struct hang_answer hang_waits_for_input(const struct reasoning *r, enum nvdla_engine from, enum wait_index index);

struct hang_answer hang_waits_for_output(const struct reasoning *r, enum nvdla_engine to, enum wait_index index);

/* All input is there and an output is not. */
struct hang_answer hang_owes(const struct reasoning *r, enum wait_index index);

/* The layer ended before the link had all its elements; the link had more; all is done and the layer does not end. */
struct hang_answer hang_ended_early(const struct reasoning *r, enum wait_index index);
struct hang_answer hang_too_many(const struct reasoning *r, enum wait_index index);
struct hang_answer hang_does_not_end(const struct reasoning *r, enum nvdla_unit unit);

/* ---- hang_memory.c ---- */

/* The interface as one client sees it. */
struct hang_answer hang_judge_client(const struct reasoning *r, const struct client_links *c);

/* The client that explains most. */
struct hang_answer hang_judge_mcif(const struct reasoning *r);

/* A reader of memory: what it asked for and got. True if that explains its stop. */
bool hang_judge_asking(const struct reasoning *r, enum wait_index ask, enum wait_index take, enum nvdla_unit unit,
                       struct hang_answer *f);

/* A reader of which only the port is seen, whose data has not all come. */
bool hang_judge_reading(const struct reasoning *r, const struct client_links *c, struct hang_answer *f);

/* A writer that is not answered since the program has set its arbiter weight to 0. */
bool hang_judge_silenced(const struct reasoning *r, const struct client_links *out, struct hang_answer *f);

/* An engine of which only the ports are seen, which writes an atom for each that it reads: it holds more than what a
 * memory interface without buffers would leave in it, so the stop is in it or behind it. */
bool hang_judge_holding(const struct reasoning *r, enum wait_index input, const struct client_links *out,
                        struct hang_answer *f);

/* The end of an engine that writes: its commands and atoms, its interrupt. True if that explains its stop. */
bool hang_judge_writing(const struct reasoning *r, size_t client, bool input_complete, struct hang_answer *f);

/* ---- hang_conv.c ---- */

/* CDMA has room in CBUF for what it reads, so a layer of which it has read everything ends by itself. Spec:
 * 30-cdma-cbuf section 3. */
bool hang_cdma_does_not_end(const struct reasoning *r);

struct hang_answer hang_judge_cdma_data(const struct reasoning *r);
struct hang_answer hang_judge_cdma_weights(const struct reasoning *r);
struct hang_answer hang_judge_csc(const struct reasoning *r);
struct hang_answer hang_judge_cmac(const struct reasoning *r);
struct hang_answer hang_judge_cacc(const struct reasoning *r);

/* ---- hang_engines.c ---- */

struct hang_answer hang_judge_glb(const struct reasoning *r);

/* What stops an engine, by itself. */
struct hang_answer hang_judge(const struct reasoning *r, enum nvdla_engine engine);

#endif
