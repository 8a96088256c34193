/* Each read becomes a check for zero; those that fail on the model show the value. See random_checks.h. */
#include "run/session/random_checks.h"

#include <stdlib.h>

#include "model/model.h"
#include "nvdla/xalloc.h"
#include "replay/player.h"

void random_checks_add(struct program *prog) {
    const struct model_options model_options = {.threads = 1};
    struct play_options options;
    struct play_result result;
    bool *read = xcalloc(prog->count + 1, sizeof *read);
    for (size_t i = 0; i < prog->count; i++) {
        read[i] = prog->ops[i].kind == OP_READ;
        if (read[i])
            prog->ops[i].kind = OP_READ_CHECK;
    }
    play_options_default(&options);
    struct device *model = model_new(prog->config, &model_options);
    const enum play_outcome outcome = play(prog, model, &options, &result);
    const bool ended = outcome == PLAY_PASSED || outcome == PLAY_CHECK_FAILED;
    for (size_t i = 0; ended && i < result.failure_count; i++)
        if (read[result.failures[i].op])
            prog->ops[result.failures[i].op].value = result.failures[i].got;
    for (size_t i = 0; !ended && i < prog->count; i++)
        if (read[i])
            prog->ops[i].kind = OP_READ;
    play_result_free(&result);
    model->ops->destroy(model);
    free(read);
}
