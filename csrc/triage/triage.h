/* From recorded streams to the engine that is to blame.
 *
 * Every stream between the engines was recorded from the RTL and from the model (observe/recorder.h). An engine that
 * does something wrong makes its own stream differ first; what lies behind it differs later. So the stream whose first
 * difference has the lowest cycle names the engine, wherever the wrong bytes came out. Where no element differs, what
 * stands still speaks: the engine at the end of the chain of waits, or the first stream of the data path that ends
 * early though nothing before it does. Then the checks inside the RTL, and the checks of the trace.
 */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/tracker.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "report/diagnosis.h"

/* A passage that was compared inside the testbench, without a model: what comes out must be what went in. */
struct triage_passage {
    const char *engine, *name; /* folder under rtl/; "CBUF", "memory interface, reads of CDMA" */
    enum nvdla_unit before;    /* it stands before the streams of that unit; NVDLA_UNIT_COUNT: behind all */
    uint64_t compared;         /* elements; 0: not counted */
    bool differs;              /* the members below count */
    uint64_t cycle, address;
    char expected[64], got[64];
    char text[256]; /* what is wrong, where it is not that other bytes came out; else "" */
};

/* A sign from elsewhere: a failing check inside the RTL, a broken rule of AXI, a register that reads wrong. */
struct triage_sign {
    const char *engine; /* NULL: it names none */
    char name[96];
    uint64_t cycle;
    char text[400];
};

struct triage_input {
    const struct nvdla_config *config;
    const struct layer_tracker *launches; /* of the program */
    const char *rtl, *model;              /* folders of the streams */
    const struct triage_passage *passages;
    size_t passage_count;
    bool stopped; /* the run was ended at its failure, so that streams may end early for that reason */
    const struct triage_sign *hang;  /* NULL: the run did not hang */
    const struct triage_sign *wrong; /* the client that writes wrong first; NULL: no beat is wrong */
    const struct triage_sign *signs;
    size_t sign_count; /* the strongest first */
};

/* The folder under rtl/ of a unit's engine. */
const char *triage_engine(enum nvdla_unit unit);

/* The same of a text that begins with a unit or with the instance of a module: "SDP launch 3: ...",
 * "u_cdma.u_dat_read: ..."; NULL if it names none. */
const char *triage_engine_named(const char *text);

/* Lets the recorder of the model leave out the launches that the RTL's streams in that folder do not have, because they
 * began to be recorded later. */
struct recorder;
void triage_begin_with(const char *rtl, struct recorder *model);

/* Finds the engine. False with a message if a stream cannot be read. */
bool triage(const struct triage_input *input, struct diagnosis *diagnosis, struct error *err);

#endif
