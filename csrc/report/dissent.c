/* Decides who disagrees with whom. See dissent.h. */
#include "report/dissent.h"

const char *const certainty_names[] = {[CERTAIN] = "certain", [LIKELY] = "likely", [POSSIBLE] = "possible"};

const char *const dissent_names[] = {[DISSENT_NONE] = "none",   [DISSENT_OPEN] = "nothing", [DISSENT_TRACE] = "trace",
                                     [DISSENT_MODEL] = "model", [DISSENT_RTL] = "rtl",      [DISSENT_ALL] = "all"};

static struct dissent verdict(enum dissent_kind kind, enum certainty certainty) {
    return (struct dissent){.kind = kind, .certainty = certainty};
}

/* One of them waits for ever, or both. */
static struct dissent decide_hang(const struct dissent_facts *facts) {
    if (facts->rtl_waits && facts->model_waits)
        return verdict(facts->rtl_breaks ? DISSENT_ALL : DISSENT_TRACE, CERTAIN);
    if (facts->rtl_waits)
        return verdict(facts->model_fails || facts->both_fail ? DISSENT_ALL : DISSENT_RTL,
                       facts->checked ? CERTAIN : LIKELY);
    const bool rtl_wrong = facts->rtl_fails || facts->rtl_breaks || facts->both_fail;
    return verdict(rtl_wrong ? DISSENT_ALL : DISSENT_MODEL, facts->checked ? CERTAIN : LIKELY);
}

static struct dissent decide(const struct dissent_facts *facts, bool failed) {
    if (!failed)
        return verdict(DISSENT_NONE, CERTAIN);
    if (!facts->rtl || !facts->model)
        return verdict(DISSENT_OPEN, CERTAIN);
    if (facts->rtl_waits || facts->model_waits)
        return decide_hang(facts);
    const bool rtl_wrong = facts->rtl_fails || facts->rtl_breaks;
    if (!rtl_wrong && !facts->model_fails && !facts->bytes_differ)
        return verdict(facts->both_fail ? DISSENT_TRACE : DISSENT_OPEN, CERTAIN);
    if (facts->both_fail || (rtl_wrong && facts->model_fails))
        return verdict(DISSENT_ALL, CERTAIN);
    if (facts->model_fails)
        return verdict(DISSENT_MODEL, CERTAIN);
    return verdict(DISSENT_RTL, rtl_wrong ? CERTAIN : LIKELY);
}

struct dissent dissent_decide(const struct dissent_facts *facts, bool failed) {
    const struct dissent found = decide(facts, failed);
    /* If the model passes all checks of the trace, what follows from the rule is known. */
    const bool known = facts->checked && !facts->model_fails && !facts->both_fail && !facts->model_waits;
    const bool differ = found.kind == DISSENT_RTL || found.kind == DISSENT_MODEL || found.kind == DISSENT_ALL;
    if (!differ || !facts->rule_broken || facts->rtl_breaks || known)
        return found;
    return (struct dissent){.kind = DISSENT_TRACE, .certainty = LIKELY, .disputed = true};
}

bool dissent_accuses_rtl(enum dissent_kind kind) {
    return kind != DISSENT_TRACE && kind != DISSENT_MODEL;
}
