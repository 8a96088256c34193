/* What `nvcosim debug` found out: the engine that is to blame, and what speaks for it. Plain data, which the reports
 * show; csrc/triage makes it.
 */
#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/text.h"
#include "report/walk.h"

enum diagnosis_kind {
    DIAGNOSIS_NONE,  /* nobody could be named */
    DIAGNOSIS_VALUE, /* an element is wrong */
    DIAGNOSIS_HANG,  /* nothing moves any more */
    DIAGNOSIS_CHECK, /* a check of the RTL or of the trace failed, and no element differs */
};
extern const char *const diagnosis_kind_names[]; /* "none", "value", "hang", "check" */

struct diagnosis {
    enum diagnosis_kind kind;
    const char *engine;    /* folder under rtl/; NULL: none */
    bool or_before;        /* or an engine before it, as no stream between them is known */
    char *tap;             /* "CACC_SAT", name of a check or of a passage; NULL: none */
    bool check;            /* `tap` is a check inside the RTL, which failed before anything else was wrong */
    char *element;         /* where it stands: "launch 0, channel 3, y 1, x 2"; NULL: not known */
    char *expected, *got;  /* NULL: not known */
    uint64_t cycle;        /* of the first sign of it, 0: not known */
    struct words evidence; /* the arithmetic of the element step by step, what fed it, registers: lines for a person */
    size_t first_register; /* the line of the evidence that registers begin with; beyond its end: none do */
    struct walk walk;
};

void diagnosis_free(struct diagnosis *diagnosis);

#endif
