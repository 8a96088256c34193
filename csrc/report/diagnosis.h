/* The result of `nvcosim debug`: the engine to blame, and the evidence. Plain data, made by csrc/triage and shown by
 * the reports. */
#pragma once

#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "report/dissent.h"

enum walk_state {
    WALK_EQUAL,
    WALK_PASSED, /* passed on unchanged; whether it was right is not compared here */
    WALK_DIFFERS,
    WALK_SHORT, /* one side ended before the other; equal up to there */
    WALK_UNSEEN /* nothing was recorded there */
};

struct walk_step {
    enum nvdla_engine engine;
    const char *stream; /* name of the tap */
    enum walk_state state;
    uint64_t elements; /* compared elements */
    uint64_t cycle;    /* clock of the first element that differs or is missing, in the RTL; 0: unknown */
    char text[256];    /* the result as text */
};

/* The path of a wrong value along the data path: streams in order, the result of comparing both sides in each, and the
 * step where the error began. */
struct walk {
    struct walk_step *steps; /* in the order of the data path */
    size_t count;
    size_t first;        /* the guilty step; count: none */
    char sentence[1024]; /* the verdict */
};

/* One of the elements that moved in a clock: the first that is wrong, else the first. */
struct moved_element {
    uint64_t cycle;
    char *value;    /* of the RTL */
    char *expected; /* NULL: it is right, or not known */
    char *place;
};

struct beat_row {
    enum nvdla_engine engine;
    const char *stream;
    struct moved_element *beats;
    size_t count;
};

/* What moved around the first wrong element, stream by stream: a small view of waves. */
struct beat_rows {
    uint64_t from, to; /* clocks */
    struct beat_row *rows;
    size_t count;
};

enum diagnosis_kind {
    DIAGNOSIS_NONE,  /* no engine could be named */
    DIAGNOSIS_VALUE, /* an element differs */
    DIAGNOSIS_HANG,  /* the run hangs */
    DIAGNOSIS_CHECK, /* a check of the RTL or of the trace failed, but no element differs */
};
extern const char *const diagnosis_kind_names[]; /* "none", "value", "hang", "check" */

struct diagnosis {
    enum diagnosis_kind kind;
    enum nvdla_engine engine; /* ENGINE_COUNT: none */
    enum certainty certainty; /* that it is to blame */
    bool or_before;           /* or an engine before it, because no stream between them is known */
    char *tap;                /* "CACC_SAT", name of a check or of a passage; NULL: none */
    bool check;               /* `tap` is a check inside the RTL that failed before any other error */
    char *element;            /* place: "launch 0, channel 3, y 1, x 2"; NULL: unknown */
    char *expected, *got;     /* NULL: unknown */
    uint64_t cycle;           /* cycle of its first sign, 0: unknown */
    struct words evidence;    /* lines of text: arithmetic of the element step by step, its inputs, registers */
    size_t first_register;    /* first line of the registers in the evidence, or the number of lines */
    struct walk walk;
    struct beat_rows beats; /* around the first sign */
};

void diagnosis_free(struct diagnosis *diagnosis);
