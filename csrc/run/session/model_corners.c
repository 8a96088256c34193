/* Plays a program for its values alone. See model_corners.h. */
#include "run/session/model_corners.h"

#include "model/model.h"
#include "replay/player.h"

struct corners *model_corners(const struct program *prog, const struct layer_tracker *launches) {
    struct corners *corners = corners_new(launches);
    struct model_options model_options = {.threads = 1};
    struct play_options options;
    struct play_result result;
    tap_listen(&model_options.taps, corners_listener(corners));
    play_options_default(&options);
    struct device *model = model_new(prog->config, &model_options);
    play(prog, model, &options, &result);
    play_result_free(&result);
    model->ops->destroy(model);
    return corners;
}
