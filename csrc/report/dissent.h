/* Who disagrees with whom: the RTL, the model, or the trace with its golden bytes, checks and programming. Only what
 * the RTL alone does accuses an engine of the RTL.
 *
 * dissent_decide() knows only facts; report/suspect.h gathers them. */
#pragma once

#include <stdbool.h>

/* How sure a statement is, defined in docs/debug.md. */
enum certainty {
    CERTAIN,  /* it cannot be otherwise by the facts shown */
    LIKELY,   /* the facts speak for it, something else would explain them too */
    POSSIBLE, /* one of several explanations between which the facts do not decide */
};
extern const char *const certainty_names[]; /* "certain", ... */

enum dissent_kind {
    DISSENT_NONE,  /* the trace passed */
    DISSENT_OPEN,  /* nothing was compared: one of them did not play, or the specification leaves the result open */
    DISSENT_TRACE, /* RTL and model agree, or make different things of a rule that the trace breaks */
    DISSENT_MODEL, /* the model alone differs */
    DISSENT_RTL,   /* the RTL alone differs, or from the model where no check of the trace looks */
    DISSENT_ALL    /* RTL, model and trace all differ */
};
extern const char *const dissent_names[]; /* "none", "nothing", "trace", "model", "rtl", "all" */

struct dissent_facts {
    bool rtl, model;             /* it has played, not refused */
    bool rtl_waits, model_waits; /* it hangs */
    bool bytes_differ;           /* between RTL and model */
    bool rtl_fails, model_fails; /* a check of the trace that the other passes or fails with another value, or an access
                                    outside regions that only it makes; of golden bytes: it alone differs from them */
    bool rtl_breaks;             /* a rule of the bus or a check inside the RTL */
    bool both_fail;              /* the same check with the same value, or the same access outside regions */
    bool rule_broken;            /* the trace breaks a rule after which a layer, or the next one, hangs or is wrong, or
                                    both make the same access outside regions */
    bool checked;                /* the trace has checks, and the model was compared with them */
};

struct dissent {
    enum dissent_kind kind;
    enum certainty certainty;
    bool disputed;    /* DISSENT_TRACE for a broken rule: RTL and model do not agree */
    const char *what; /* of DISSENT_TRACE, the suspect: "golden", "check", "programming"; else NULL */
    enum certainty what_certainty;
    char position[512];  /* its FILE:LINE; "": none */
    char sentence[1024]; /* all of it; "": none */
};

/* Fills kind and certainty. failed: the trace did not pass. */
struct dissent dissent_decide(const struct dissent_facts *facts, bool failed);

/* True if an engine of the RTL may be accused: it differs, or it is not known who does. */
bool dissent_accuses_rtl(enum dissent_kind kind);
