/* Plays programs on the model for its values. See model_plays.h. */
#include "run/session/model_plays.h"

#include <stdlib.h>

#include "model/model.h"
#include "nvdla/xalloc.h"
#include "replay/player.h"

/* corners: NULL, or receives those of the values. Release the result. */
static enum play_outcome play_on_model(const struct program *prog, struct corners *corners,
                                       struct play_result *result) {
    struct model_options model_options = {.threads = 1};
    struct play_options options;
    if (corners)
        tap_listen(&model_options.taps, corners_listener(corners));
    play_options_default(&options);
    struct device *model = model_new(prog->config, &model_options);
    const enum play_outcome outcome = play(prog, model, &options, result);
    model->ops->destroy(model);
    return outcome;
}

struct corners *model_corners(const struct program *prog, const struct layer_tracker *launches) {
    struct corners *corners = corners_new(launches);
    struct play_result result;
    play_on_model(prog, corners, &result);
    play_result_free(&result);
    return corners;
}

/* Each read becomes a check for zero; those that fail on the model show the value. */
void random_checks_add(struct program *prog) {
    struct play_result result;
    autofree bool *read = xcalloc(prog->count + 1, sizeof *read);
    for (size_t i = 0; i < prog->count; i++) {
        read[i] = prog->ops[i].kind == OP_READ;
        if (read[i])
            prog->ops[i].kind = OP_READ_CHECK;
    }
    const enum play_outcome outcome = play_on_model(prog, NULL, &result);
    const bool ended = outcome == PLAY_PASSED || outcome == PLAY_CHECK_FAILED;
    for (size_t i = 0; ended && i < result.failure_count; i++)
        if (read[result.failures[i].op])
            prog->ops[result.failures[i].op].value = result.failures[i].got;
    for (size_t i = 0; !ended && i < prog->count; i++)
        if (read[i])
            prog->ops[i].kind = OP_READ;
    play_result_free(&result);
}
