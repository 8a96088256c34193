/* Checks a trace against the lists "Illegal or undefined programming" of the chapters. Nothing is computed or compared:
 * the register accesses are played on a model without arithmetic, so that what is armed, pending and done at each write
 * is the same as on the hardware. */
#pragma once

#include "device/device.h"
#include "trace/program.h"

/* A rule that the trace breaks. */
struct lint_finding {
    enum rule_effect effect;
    char *file; /* where the launch was armed, or the line itself; NULL: the trace as a whole */
    int line;   /* 0: none */
    int unit;   /* enum nvdla_unit, -1: none */
    int launch; /* of the unit, from 0 */
    struct warning_register registers[WARNING_REGISTERS]; /* those that break it */
    size_t register_count;
    char *rule;          /* what is wrong */
    const char *section; /* "50-sdp section 4"; NULL if it has no chapter */
    char *text;          /* registers, rule, section and effect on one line */
};

struct lint {
    struct lint_finding *findings; /* in the order of the trace */
    size_t count;
    uint64_t dropped; /* findings that were not kept */
    size_t errors;    /* findings that hang, or whose result is undefined */
};

/* Checks a program; seed: of random fills. */
void lint_program(const struct program *prog, uint64_t seed, struct lint *lint);
void lint_free(struct lint *lint);

/* "FILE:LINE: error: ..." or "warning: ..."; free() it. */
char *lint_text(const struct lint_finding *finding);

/* One line of JSON without the line end (docs/results.md); free() it. */
char *lint_json(const struct program *prog, const struct lint *lint);
