/* Programs that break no rule of the model. */
#pragma once

#include "model/model.h"
#include "replay/player.h"
#include "tests/unit/test.h"

/* Plays a program that checks nothing: no setting is refused, nothing hangs, and no access leaves its memory. */
static inline void assert_legal(const struct program *prog, uint64_t seed) {
    const struct model_options registers_only = {.registers_only = true};
    struct device *dev = model_new(prog->config, &registers_only);
    struct play_options options;
    struct play_result result = {0};
    play_options_default(&options);
    const enum play_outcome outcome = play(prog, dev, &options, &result);
    if (outcome != PLAY_PASSED)
        fail_msg("%s seed %d: outcome %d, %s", prog->config->name, (int)seed, (int)outcome,
                 result.message            ? result.message
                 : dev->finding_count > 0  ? dev->findings[0].text
                 : outcome == PLAY_REFUSED ? result.refusal.text
                                           : "");
    play_result_free(&result);
    dev->ops->destroy(dev);
}
