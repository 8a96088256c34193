/* Inputs of the triage: streams, passages, signs. */
#pragma once

#include "layers/tracker.h"
#include "nvdla/config.h"
#include "nvdla/engines.h"

/* A passage compared inside the testbench, without a model: its output must equal its input. */
struct triage_passage {
    enum nvdla_engine engine;
    const char *name;       /* "CBUF", "memory interface, reads of CDMA" */
    enum nvdla_unit before; /* it is before the streams of that unit; NVDLA_UNIT_COUNT: after all */
    uint64_t compared;      /* elements; 0: not counted */
    bool passes;            /* it passes on what it gets, right or wrong */
    bool sure;              /* nothing else can be the cause */
    bool differs;           /* the members below count */
    uint64_t cycle, address;
    char expected[64], got[64];
    char text[256]; /* the error, if it is other than wrong bytes; else "" */
};

/* Another sign of an error: a failing check inside the RTL, a violated AXI rule, a register with a wrong value. */
struct triage_sign {
    enum nvdla_engine engine; /* ENGINE_COUNT: none */
    const char *instance;     /* of a failing check inside the RTL; else NULL */
    enum nvdla_engine in;     /* of such a check: the engine that contains it; ENGINE_COUNT: none */
    char name[96];
    uint64_t cycle;
    char text[400];
};

/* The client with the first wrong write. */
struct triage_write {
    enum nvdla_engine engine;
    const char *client;       /* "PDP" */
    enum nvdla_engine feeder; /* the engine that feeds its launch; ENGINE_COUNT: memory */
    uint64_t cycle, address;
    bool padding; /* the byte is beyond the channels, in the last atom: in no stream */
};

struct triage_input {
    const struct nvdla_config *config;
    const struct layer_tracker *launches; /* of the program */
    const char *rtl, *model;              /* folders of the streams */
    const struct triage_passage *passages;
    size_t passage_count;
    const char *agrees; /* RTL and model agree, or the model is the suspect: says so; NULL: an engine is to blame */
    bool open;          /* whether the RTL is wrong at all is not known */
    bool stopped;       /* the run stopped at its failure, so streams may end early */
    const struct triage_sign *strange; /* a register read that cannot be right, before all else; NULL: none */
    const struct triage_sign *hang;    /* NULL: the run did not hang */
    uint64_t owed; /* of a hang: atoms that its engine has not passed to its write DMA; 0: none or unknown */
    const struct triage_write *wrong; /* NULL: no beat is wrong */
    const struct triage_sign *signs;
    size_t sign_count; /* the strongest first */
};
