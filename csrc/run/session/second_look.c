/* Detects a failure as it happens, and repeats it. See second_look.h. */
#include "run/session/second_look.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/verdict.h"

/* Minimum clocks from a copy's start to a failure, clocks that it continues after it, and the most that it records. */
enum { COPY_BEFORE = 1000, COPY_BEYOND = 200, WAVES_MOST = 200000 };

/* Ends a copy that cannot record. */
static void give_up(const struct error *err) {
    fprintf(stderr, "nvcosim: %s\n", err->text);
    copies_leave(EXIT_BAD_INPUT);
}

/* In a copy that wakes up: continues to the given cycle, whatever fails on the way. */
static void wake_up(void *context, const struct wake *wake) {
    struct second_look *look = context;
    struct device *rtl = look->first.dev;
    struct error err;
    look->first.goes_on = true;
    look->play->stop_at_first = false;
    if (look->options->debug) {
        if (!taps_open(look->taps, look->options, look->trace, &err))
            give_up(&err);
        look->wave.from = wake->failure > WAVES_MOST && wake->failure - WAVES_MOST > wake->from
                              ? wake->failure - WAVES_MOST
                              : wake->from;
        look->wave.to = wake->failure + COPY_BEYOND;
    }
    if (wake->taps && rtl->ops->record_taps)
        rtl->ops->record_taps(rtl);
    if (wake->waves && look->wave.path && !rtl->ops->record_waves(rtl, &look->wave, &err))
        give_up(&err);
}

void second_look_open(struct second_look *look, const struct run_options *options, const struct nvdla_config *config) {
    look->options = options;
    if (options->play.stop_at_first && options->dut == DUT_BOTH) {
        look->journal = journal_new();
        look->first = (struct first_wrong){.config = config, .journal = look->journal};
        look->beats = first_wrong_listener(&look->first);
    }
    if (options->copies && options->dut != DUT_MODEL) {
        struct copies_options copies = {.every = options->copies_every, .woken = wake_up, .context = look};
        if (options->result_fd >= 0)
            copies.descriptors[copies.descriptor_count++] = options->result_fd;
        if (options->ledger.file)
            copies.descriptors[copies.descriptor_count++] = options->ledger.file;
        look->copies = copies_new(&copies);
    }
}

void second_look_close(struct second_look *look) {
    first_wrong_close(&look->first);
    journal_free(look->journal);
    copies_free(look->copies);
}

bool second_look_is_copy(const struct second_look *look) {
    return look->copies && copies_woken(look->copies);
}

void second_look_leave(const struct second_look *look, const struct played *rtl) {
    struct error err;
    const bool there = rtl->result->statistics.cycles >= copies_woken(look->copies)->failure;
    const bool written = rtl->dev->ops->finish(rtl->dev, &err);
    if (!written)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    copies_leave(there && written ? EXIT_OK : EXIT_DIFFERENT);
}

/* Where the copy has to begin and end. False if nothing failed, or there is no copy. */
static bool choose(const struct second_look *look, const struct report_input *input, struct wake *wake) {
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t starts[DEVICE_LAUNCHES] = {0};
    struct copies_statistics figures;
    struct device *rtl = input->played[0].dev;
    const struct play_result *result = input->played[0].result;
    wake->failure = result->statistics.cycles;
    wake->stop = wake->failure + COPY_BEYOND;
    switch (result->outcome) {
    case PLAY_HUNG: {
        const uint64_t still = rtl->ops->still ? rtl->ops->still(rtl) : 0;
        wake->failure -= still < wake->failure ? still : wake->failure;
        if (look->options->debug) /* it hangs again, to be diagnosed */
            wake->stop = UINT64_MAX;
        else
            wake->stop = wake->failure + COPY_BEYOND;
        break;
    }
    case PLAY_STOPPED:
    case PLAY_CHECK_FAILED:
        break;
    case PLAY_PASSED: { /* a byte that was never written may be wrong in its memory, at an unknown time */
        if (!look->options->debug)
            return false;
        struct report *report = report_new(input);
        const bool passed = report_status(report) == REPORT_PASSED;
        report_free(report);
        copies_statistics(look->copies, &figures);
        wake->made = figures.cycles[0];
        wake->stop = UINT64_MAX;
        return !passed && figures.asleep > 0;
    }
    case PLAY_BROKEN: /* an access to a register has no answer, again */
        if (!look->options->debug)
            return false;
        wake->stop = UINT64_MAX;
        break;
    case PLAY_REFUSED:
        return false;
    }
    const size_t count = rtl->ops->in_flight ? rtl->ops->in_flight(rtl, wake->failure, running, DEVICE_LAUNCHES) : 0;
    wake->from = wake->failure > COPY_BEFORE ? wake->failure - COPY_BEFORE : 0;
    for (size_t i = 0; i < count; i++) {
        starts[i] = running[i].start;
        wake->from = starts[i] < wake->from ? starts[i] : wake->from;
    }
    return copies_choose(look->copies, wake->failure, COPY_BEFORE, starts, count, &wake->made);
}

bool second_look(struct second_look *look, const struct report_input *input, struct words *notes, int *status) {
    const bool debug = look->options->debug;
    struct copies_statistics figures;
    struct wake wake = {.waves = true, .taps = true};
    struct error err;
    if (!look->copies)
        return false;
    copies_statistics(look->copies, &figures);
    if (!debug)
        words_add(notes, "copies: %" PRIu64 " made, %.1f ms for forks, %.1f ms with their own%s%s", figures.made,
                  1e3 * figures.fork_seconds, 1e3 * figures.cost_seconds,
                  copies_trouble(look->copies) ? "; no more, because " : "",
                  copies_trouble(look->copies) ? copies_trouble(look->copies) : "");
    if (!choose(look, input, &wake))
        return false;
    if (!copies_wake(look->copies, &wake, status, &err))
        words_add(notes, "warning: %s", err.text);
    else if (!debug)
        words_add(notes,
                  "copy of cycle %" PRIu64 " continued to the failure at cycle %" PRIu64 ": %" PRIu64
                  " cycles simulated again, status %d",
                  wake.made, wake.failure, wake.failure - wake.made, *status);
    else if (*status == EXIT_DIFFERENT || *status == EXIT_HUNG || *status == EXIT_BAD_INPUT)
        return true;
    else
        words_add(notes, "warning: the copy that repeated the failure ended with status %d", *status);
    return false;
}
