/* What the triage goes by: streams, passages, signs.
 */
#ifndef TRIAGE_TRIAGE_INPUT_H
#define TRIAGE_TRIAGE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layers/tracker.h"
#include "nvdla/config.h"

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
    /* Of a failing check inside the RTL, else NULL: its instance, and the engine that this is a part of. */
    const char *instance, *in;
    char name[96];
    uint64_t cycle;
    char text[400];
};

/* The client that writes wrong first. */
struct triage_write {
    const char *engine, *client; /* "pdp", "PDP" */
    const char *feeder;          /* the engine that feeds its launch; NULL: it has its data from memory */
    uint64_t cycle, address;
};

struct triage_input {
    const struct nvdla_config *config;
    const struct layer_tracker *launches; /* of the program */
    const char *rtl, *model;              /* folders of the streams */
    const struct triage_passage *passages;
    size_t passage_count;
    bool stopped; /* the run was ended at its failure, so that streams may end early for that reason */
    const struct triage_sign *hang; /* NULL: the run did not hang */
    uint64_t owed; /* of a hang: atoms that its engine has not given to its write DMA; 0: none, or not known */
    const struct triage_write *wrong; /* NULL: no beat is wrong */
    const struct triage_sign *signs;
    size_t sign_count; /* the strongest first */
};

#endif
