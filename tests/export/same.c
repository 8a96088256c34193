/* Is a trace that was exported and read again the one that it was made from, as far as the format can say it?
 *
 * usage: same_program ORIGINAL EXPORTED CONFIG...      groups of three
 * Both are brought into the form that docs/export.md describes, compared operation by operation, and played on the
 * model: verdict and memory must be equal. Ends with counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/bytes.h"
#include "export/cfg.h"
#include "export/order.h"
#include "export/same.h"
#include "export/streams.h"
#include "export/txn.h"
#include "model/model.h"
#include "replay/player.h"
#include "trace/formats.h"

static struct error error;

static struct device *model_of(const struct program *prog) {
    const struct model_options options = {.allow_outside = true};
    return model_new(prog->config, &options);
}

static enum play_outcome play_on(struct device *dev, const struct program *prog) {
    struct play_options options;
    struct play_result result;
    play_options_default(&options);
    const enum play_outcome outcome = play(prog, dev, &options, &result);
    play_result_free(&result);
    return outcome;
}

static bool same_play(const struct program *a, const struct program *b) {
    struct device *left = model_of(a), *right = model_of(b);
    const enum play_outcome one = play_on(left, a), other = play_on(right, b);
    bool same = one == other || error_set(&error, "verdicts differ: %d and %d", one, other);
    for (int space = 0; same && space < SPACE_COUNT; space++) {
        uint64_t address = 0;
        if (left->memory[space] && memory_next_difference(left->memory[space], right->memory[space], 0, &address))
            same = error_set(&error, "%s memory differs at 0x%llx", memory_space_name((enum memory_space)space),
                             (unsigned long long)address);
    }
    left->ops->destroy(left);
    right->ops->destroy(right);
    return same;
}

/* The form of a trace; the program is freed. */
static struct program *form_of_txn(struct program *prog) {
    size_t changed;
    struct program *ordered = program_in_order(prog, &error), *form = NULL;
    struct device *model = ordered ? model_of(ordered) : NULL;
    if (ordered && crc_to_bytes(ordered, model, 1, &error))
        form = txn_form(ordered, 1, &changed, &error);
    if (model)
        model->ops->destroy(model);
    program_free(ordered);
    return form;
}

static struct program *form_of_cfg(struct program *prog) {
    size_t changed, masked;
    autoprogram struct program *streams = program_in_streams(prog, &masked, &error);
    struct program *form = streams ? cfg_form(streams, &changed, &error) : NULL;
    if (form) { /* it names the blobs of what it was made of */
        for (size_t i = 0; i < streams->blob_count; i++)
            program_blob(form, streams->blobs[i]);
        streams->blob_count = 0;
    }
    return form;
}

static bool same(const char *original, const char *exported, const char *config) {
    const struct trace_options options = {.config = nvdla_config_find(config)};
    struct program *first = trace_read(original, &options, &error), *again = NULL, *kept = NULL, *form = NULL;
    bool good = first != NULL && (again = trace_read(exported, &options, &error)) != NULL;
    good = good && (kept = trace_read(original, &options, &error)) != NULL;
    good = good && same_play(kept, again) &&
           (form = again->sequential ? form_of_txn(first) : form_of_cfg(first)) != NULL &&
           program_same(form, again, again->sequential, &error);
    program_free(first);
    program_free(again);
    program_free(kept);
    program_free(form);
    return good;
}

int main(int argc, char **argv) {
    unsigned passed = 0, failed = 0;
    for (int i = 1; i + 2 < argc; i += 3) {
        if (same(argv[i], argv[i + 1], argv[i + 2])) {
            passed++;
        } else {
            failed++;
            printf("FAIL %s: %s\n", argv[i], error.text);
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
