/* Judges the layers of a live device: the model gets the same register writes, runs each launch when it is armed on a
 * copy-on-write image of the same memory, and what the device has written for a launch is compared with what the model
 * wrote, when the device ends it.
 *
 * Each layer is judged on its own: once it was compared, the image shows the device's bytes again. Compared are beats,
 * not memory, so that what the guest does to a result does not matter. A layer whose input has changed between its
 * launch and the device's reads is not blamed on the device. */
#pragma once

#include "device/device.h"
#include "layers/tracker.h"

enum { JUDGE_INTERRUPT_BITS = 32 };

enum judge_outcome {
    JUDGE_WRONG,     /* a byte has another value than the model's */
    JUDGE_LEFT_OUT,  /* the device did not write a byte that the model wrote */
    JUDGE_ELSEWHERE, /* the device wrote a byte that the model did not write */
    JUDGE_CHANGED,   /* it differs, but so did what it read, at `address`: not judged */
    JUDGE_NOT_RUN,   /* the model has not run it: not judged */
};

/* What is wrong with a layer. */
struct judge_finding {
    enum judge_outcome outcome;
    enum nvdla_unit unit;
    int ordinal;      /* -1: the beat belongs to no launch */
    uint64_t address; /* of the byte that is wrong, the first one that was written */
    uint64_t bytes;   /* that are wrong */
    uint64_t cycle;   /* of the device, of the beat that wrote it; 0: none did */
    uint8_t found, expected;
};

/* Hears of each layer that is wrong or was not judged, and why no more are (text); finding: NULL with a text. */
struct judge_listener {
    void (*heard)(void *context, const struct judge_finding *finding, const char *text);
    void *context;
};

struct judge_range {
    uint64_t address, size;
};

struct judge_ranges {
    struct judge_range *items;
    size_t count;
};

/* A launch that is at work. */
struct judge_launch {
    enum nvdla_unit unit;
    int ordinal;
    bool run;                          /* by the model */
    struct judge_ranges model, device; /* what they have written */
};

struct judge {
    struct device *model; /* its memory: the image */
    const struct device *dut;
    struct judge_listener listener;
    struct memory *image;
    struct memory *written; /* by the device; origins: launch and clock */
    struct memory *read;    /* by the model; origins: launch */
    struct judge_launch *launches;
    size_t count;
    struct owner armed[JUDGE_INTERRUPT_BITS]; /* the model's launch that the bit of S_INTR_STATUS will end */
    uint32_t glb;
    bool due;                         /* the model has something to run */
    bool lost;                        /* the model cannot follow until the next reset */
    bool strayed;                     /* the device has written what belongs to no launch */
    bool changed;                     /* a read of the device differed from the model's */
    uint64_t clock;                   /* of the last such read */
    uint64_t address;                 /* of it */
    uint64_t judged, wrong, unjudged; /* layers, since it was opened */
};

/* True for units whose launches write memory. */
bool judge_compares(enum nvdla_unit unit);

/* Takes a model, which judge_close() destroys. */
void judge_open(struct judge *judge, struct device *model, struct judge_listener listener);
void judge_close(struct judge *judge);
/* The device to be judged; both ports see the same memory. */
void judge_attach(struct judge *judge, const struct device *dut);

/* A beat of the device; context: struct judge. */
void judge_beat(void *context, const struct axi_beat *beat);

/* A register access, which the device gets next; launch: what it arms, NULL: nothing. */
void judge_write(struct judge *judge, uint32_t address, uint32_t value, const struct launch *launch);
void judge_read(struct judge *judge, uint32_t address);
/* Runs what was armed, unless the memory is still on its way. */
void judge_run(struct judge *judge);
/* The device has ended a launch. since: clock at which the first one was armed that was at work with it. */
void judge_done(struct judge *judge, enum nvdla_unit unit, int ordinal, uint64_t since);
/* Nothing is at work. */
void judge_rest(struct judge *judge);
/* The device was reset. */
void judge_reset(struct judge *judge);
