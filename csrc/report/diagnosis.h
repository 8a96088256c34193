/* The result of `nvcosim debug`: the engine to blame, and the evidence. Plain data, made by csrc/triage and shown by
 * the reports. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/text.h"
#include "report/beat_rows.h"
#include "report/dissent.h"
#include "report/walk.h"

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
