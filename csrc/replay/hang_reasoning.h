/* Internals of the chain of waits, shared by hang_links.c (required elements and progress of each link), hang_answers.c
 * (answers), hang_memory.c (the memory interface and its readers and writers), hang_conv.c and hang_engines.c (what
 * stops each engine) and hang_triage.c (the chain). */
#pragma once

#include <string.h>

#include "device/waits.h"
#include "layers/view.h"
#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "nvdla/engines.h"
#include "replay/hang_facts.h"

/* Evidence against an engine, weakest first. */
enum strength {
    IDLE,     /* it is idle although nothing blocks it */
    COMPLETE, /* it has all its input, and owes output */
    LOST,     /* it owes output for elements that it took */
    EXCESS,   /* it produced more than its registers require */
    STOPPED,  /* it has a layer, but its clock is stopped */
};

/* The state of an engine. */
struct hang_answer {
    enum { NOTHING, WAITS, GUILTY } kind;
    enum nvdla_engine on; /* WAITS */
    enum strength strength;
    uint64_t since;
    int ordinal;
    char text[200];
};

/* A link, compared with the registers of the armed launches. */
struct link_flow {
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

/* Transfers of a memory client, from the engine to the port. */
struct client_links {
    enum nvdla_client client;
    enum nvdla_engine engine;
    enum wait_index ask, take;                           /* atoms; of writers: commands and atoms given */
    enum wait_index due;                                 /* beats of requests, of atoms with their commands */
    enum wait_index request, data;                       /* after the DMA client, in beats: pieces, data */
    enum wait_index last, acknowledged, done, interrupt; /* of readers: WAIT_COUNT */
};

extern const struct client_links hang_client_links[HANG_CLIENTS];

struct reasoning {
    const struct hang *hang;
    const struct device_waits *waits;
    const struct nvdla_config *config;
    struct link_flow flows[WAIT_COUNT];
    bool moving; /* elements may be in transit between two engines: given by one and not received by the next does not
                    mean lost */
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

static inline const struct link_flow *flow(const struct reasoning *r, enum wait_index index) {
    return &r->flows[index];
}

static inline const struct wait_pair *pair(const struct reasoning *r, enum wait_index index) {
    return &r->waits->pairs[index];
}

/* The receiver does not accept the offered element. */
static inline bool refused(const struct reasoning *r, enum wait_index index) {
    const struct wait_pair *p = pair(r, index);
    return p->seen && p->valid && !p->ready;
}

/* A count of an AXI ID on both ports. */
static inline uint64_t on_ports(const uint64_t counts[2][16], int id) {
    return counts[0][id] + counts[1][id];
}

static inline uint32_t counter(const struct reasoning *r, enum wait_counter_index index) {
    return r->waits->counters[index].value;
}

static inline bool in_state(const struct reasoning *r, enum wait_state_index index, const char *value) {
    return r->waits->inside && !strcmp(r->waits->states[index].value, value);
}

/* ---- hang_links.c ---- */

/* Atoms of a beat of the memory interfaces, beats of an atom: 1 or more; one of them is 1. */
uint64_t hang_beat_atoms(const struct nvdla_config *config);
uint64_t hang_atom_beats(const struct nvdla_config *config);

/* Whether a beat is an atom. */
bool hang_beat_is_atom(const struct nvdla_config *config);

/* Results of a row of CACC. */
uint64_t hang_row_results(const struct nvdla_config *config);

/* NULL: the unit has had no such launch. */
const struct launch *hang_launch(const struct reasoning *r, enum nvdla_unit unit, int ordinal);

int hang_launch_count(const struct reasoning *r, enum nvdla_unit unit);

/* Launches of a unit that are armed and have not ended. */
int hang_jobs(const struct reasoning *r, enum nvdla_unit unit);

/* The current launch of a unit, -1 if all have ended. */
int hang_current(const struct reasoning *r, enum nvdla_unit unit);

/* Rows of results of the first `atoms` atoms that complete rows. */
uint64_t hang_rows(const struct reasoning *r, uint64_t atoms);

/* The current convolution of CSC, or the last one. */
struct conv_shape hang_conv_now(const struct reasoning *r);

/* What has moved on a link, against all launches armed. */
struct link_flow hang_flow_find(const struct reasoning *r, enum wait_index index);

/* Elements of the current launch of the link's unit are missing; later launches do not count yet. */
bool hang_owed(const struct reasoning *r, enum wait_index index);

/* Input elements of the current launch of a unit are missing. If the unit at the other end had different launches, so
 * that their numbers do not match: of any launch. */
bool hang_missing(const struct reasoning *r, enum wait_index index, enum nvdla_unit unit);

/* ---- hang_answers.c ---- */

/* An answer with its text: format, .... */
struct hang_answer hang_answer(struct hang_answer f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The engine has nothing to do, or waits for nothing; ...: text about its state. */
#define hang_nothing(...) hang_answer((struct hang_answer){.on = ENGINE_COUNT, .ordinal = -1}, __VA_ARGS__)
/* The same without text: what was asked explains nothing. */
#define hang_none() hang_nothing("%s", "")

/* clock: start of the wait; 0: unknown. */
#define hang_waits_for(engine, clock, ...)                                                                             \
    hang_answer((struct hang_answer){.kind = WAITS, .on = (engine), .since = (clock), .ordinal = -1}, __VA_ARGS__)

/* evidence: enum strength. launch: the one that does not end; -1: none. */
#define hang_guilty(evidence, launch, ...)                                                                             \
    hang_answer((struct hang_answer){.kind = GUILTY, .on = ENGINE_COUNT, .strength = (evidence), .ordinal = (launch)}, \
                __VA_ARGS__)

/* The start of a receiver's wait on a link: the clock of its last element. */
uint64_t hang_waited(const struct reasoning *r, enum wait_index index);

/* Elements of a link are missing: the engine waits for the one before it, or, if that is not armed, for the program. */
struct hang_answer hang_waits_for_input(const struct reasoning *r, enum nvdla_engine from, enum wait_index index);

struct hang_answer hang_waits_for_output(const struct reasoning *r, enum nvdla_engine to, enum wait_index index);

/* All input has arrived, but an output is missing. */
struct hang_answer hang_owes(const struct reasoning *r, enum wait_index index);

/* The layer ended before the link had all its elements; the link had more; all is done and the layer does not end. */
struct hang_answer hang_ended_early(const struct reasoning *r, enum wait_index index);
struct hang_answer hang_too_many(const struct reasoning *r, enum wait_index index);
struct hang_answer hang_does_not_end(const struct reasoning *r, enum nvdla_unit unit);

/* ---- hang_memory.c ---- */

/* The register of an arbiter weight of 0 that stops a client, or NULL. */
const struct hang_blocked *hang_blocked(const struct reasoning *r, enum nvdla_client client);

/* The state of the memory interface for the clients of an engine (ENGINE_COUNT: of all): the strongest evidence, or
 * else `best`. */
struct hang_answer hang_of_clients(const struct reasoning *r, enum nvdla_engine engine, struct hang_answer best);

struct hang_answer hang_judge_mcif(const struct reasoning *r);

/* The following answer hang_none() if they do not explain why the engine stops. */

/* A reader of memory: its requests and responses. */
struct hang_answer hang_judge_asking(const struct reasoning *r, enum wait_index ask, enum wait_index take,
                                     enum nvdla_unit unit);

/* A reader with only its port visible and with missing data: it is always explained. */
struct hang_answer hang_judge_reading(const struct reasoning *r, const struct client_links *c);

/* A writer without responses because the program has set its arbiter weight to 0. */
struct hang_answer hang_judge_silenced(const struct reasoning *r, const struct client_links *out);

/* An engine with only its ports visible that writes one atom for each it reads: it holds more than a memory interface
 * without buffers would leave in it, so the stop is in it or after it. */
struct hang_answer hang_judge_holding(const struct reasoning *r, enum wait_index input, const struct client_links *out);

/* The end of an engine that writes: its commands and atoms, its interrupt. */
struct hang_answer hang_judge_writing(const struct reasoning *r, size_t client, bool input_complete);

/* ---- hang_borders.c ---- */

/* If the borders between engines are visible, but nothing inside: the state of the memory interface for one client, and
 * what stops an engine. */
struct hang_answer hang_border_client(const struct reasoning *r, const struct client_links *c);
struct hang_answer hang_border_judge(const struct reasoning *r, enum nvdla_engine engine);

/* ---- hang_conv.c ---- */

/* CDMA has room in CBUF for its reads, so a layer ends once it has read everything. Spec:
 * 30-cdma-cbuf section 3. */
bool hang_cdma_does_not_end(const struct reasoning *r);

struct hang_answer hang_judge_cdma_data(const struct reasoning *r);
struct hang_answer hang_judge_cdma_weights(const struct reasoning *r);
struct hang_answer hang_judge_csc(const struct reasoning *r);
struct hang_answer hang_judge_cmac(const struct reasoning *r);
struct hang_answer hang_judge_cacc(const struct reasoning *r);

/* What CACC, whose account with its neighbours is right, waits for. complete: it should have given the results of
 * `rows`, of which it has all sums. */
struct hang_answer hang_cacc_gives(const struct reasoning *r, uint64_t rows, bool complete);

/* ---- hang_engines.c ---- */

struct hang_answer hang_judge_glb(const struct reasoning *r);

/* What stops an engine, judged from its own links. */
struct hang_answer hang_judge(const struct reasoning *r, enum nvdla_engine engine);
