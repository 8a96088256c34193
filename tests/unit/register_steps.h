/* Steps (steps.h) that write registers: UNIT.REGISTER=VALUE ..., VALUE as in legal_layers.txt. */
#pragma once

#include "legal_layers.h"
#include "tests/unit/steps.h"

/* Does this with `write_` of each write of the step. */
#define FOR_WRITES(config, step, statement)                                                                            \
    for (size_t word_ = 0; word_ < (step)->count; word_++) {                                                           \
        const struct legal_write write_ = legal_write_of(config, (step)->word[word_]);                                 \
        statement;                                                                                                     \
    }

static inline bool step_is_writes(const struct step *step) {
    return strchr(step->word[0], '.') != NULL;
}

/* The configuration that a title begins with. */
static inline const struct nvdla_config *title_config(const char *title) {
    const struct nvdla_config *config = nvdla_config_find(kept(xprintf("%.*s", (int)strcspn(title, ", "), title)));
    if (!config)
        fail_msg("'%s' does not begin with a configuration", title);
    return config;
}
