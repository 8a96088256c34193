/* Seeing a failure as it happens, and looking at it again; see again.h. */
#include "run/session/second_look.h"

#include <inttypes.h>
#include <stdio.h>

/* Clocks that a copy begins before a failure at least, and that it goes on behind it; the most that it records. */
enum { COPY_BEFORE = 1000, COPY_BEYOND = 200, WAVES_MOST = 200000 };

/* A copy that cannot record is of no use. */
static void give_up(const struct error *err) {
    fprintf(stderr, "nvcosim: %s\n", err->text);
    copies_leave(EXIT_BAD_INPUT);
}

/* In a copy that wakes: it goes on to the cycle that it was told, whatever fails on the way. */
static void wake_up(void *context, const struct wake *wake) {
    struct again *again = context;
    struct device *rtl = again->first.dev;
    struct error err;
    again->first.goes_on = true;
    again->play->stop_at_first = false;
    if (again->options->debug) {
        if (!taps_open(again->taps, again->options, again->trace, &err))
            give_up(&err);
        again->wave.from = wake->failure > WAVES_MOST && wake->failure - WAVES_MOST > wake->from
                               ? wake->failure - WAVES_MOST
                               : wake->from;
        again->wave.to = wake->failure + COPY_BEYOND;
    }
    if (wake->taps && rtl->ops->record_taps)
        rtl->ops->record_taps(rtl);
    if (wake->waves && again->wave.path && !rtl->ops->record_waves(rtl, &again->wave, &err))
        give_up(&err);
}

void again_open(struct again *again, const struct run_options *options, const struct nvdla_config *config) {
    again->options = options;
    again->status = -1;
    if (options->play.stop_at_first && options->dut == DUT_BOTH) {
        again->journal = journal_new();
        again->first = (struct first_wrong){.config = config, .journal = again->journal};
        again->beats = first_wrong_listener(&again->first);
    }
    if (options->copies && options->dut != DUT_MODEL) {
        struct copies_options copies = {.every = options->copies_every, .woken = wake_up, .context = again};
        if (options->result_fd >= 0)
            copies.descriptors[copies.descriptor_count++] = options->result_fd;
        if (options->ledger.file)
            copies.descriptors[copies.descriptor_count++] = options->ledger.file;
        again->copies = copies_new(&copies);
    }
}

void again_close(struct again *again) {
    first_wrong_close(&again->first);
    journal_free(again->journal);
    copies_free(again->copies);
}

const struct wake *again_woken(const struct again *again) {
    return again->copies ? copies_woken(again->copies) : NULL;
}

/* A copy that has come to its end: it says so by its status, 0 if it got where it was told and its waves are written.
 */
static void end_of_copy(const struct again *again, const struct played *rtl) {
    struct error err;
    const bool there = rtl->result->statistics.cycles >= copies_woken(again->copies)->failure;
    const bool written = rtl->dev->ops->finish(rtl->dev, &err);
    if (!written)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    copies_leave(there && written ? EXIT_OK : EXIT_DIFFERENT);
}

/* Where the copy is to begin and to end: false if nothing failed, or there is no copy. */
static bool choose(const struct again *again, const struct report_input *input, struct wake *wake) {
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t starts[DEVICE_LAUNCHES];
    struct copies_statistics figures;
    struct device *rtl = input->played[0].dev;
    const struct play_result *result = input->played[0].result;
    wake->failure = result->statistics.cycles;
    wake->stop = wake->failure + COPY_BEYOND;
    switch (result->outcome) {
    case PLAY_HUNG: {
        const uint64_t still = rtl->ops->still ? rtl->ops->still(rtl) : 0;
        wake->failure -= still < wake->failure ? still : wake->failure;
        if (again->options->debug) /* it hangs again, so that this can be looked at */
            wake->stop = UINT64_MAX;
        else
            wake->stop = wake->failure + COPY_BEYOND;
        break;
    }
    case PLAY_STOPPED:
    case PLAY_CHECK_FAILED:
        break;
    case PLAY_PASSED: { /* what it leaves may still be wrong: a byte that nobody wrote. Nothing tells when that was. */
        if (!again->options->debug)
            return false;
        struct report *report = report_new(input);
        const bool passed = report_status(report) == REPORT_PASSED;
        report_free(report);
        copies_statistics(again->copies, &figures);
        wake->made = figures.cycles[0];
        wake->stop = UINT64_MAX;
        return !passed && figures.asleep > 0;
    }
    case PLAY_BROKEN:
    case PLAY_REFUSED:
        return false;
    }
    const size_t count = rtl->ops->in_flight ? rtl->ops->in_flight(rtl, wake->failure, running, DEVICE_LAUNCHES) : 0;
    wake->from = wake->failure > COPY_BEFORE ? wake->failure - COPY_BEFORE : 0;
    for (size_t i = 0; i < count; i++) {
        starts[i] = running[i].start;
        wake->from = starts[i] < wake->from ? starts[i] : wake->from;
    }
    return copies_choose(again->copies, wake->failure, COPY_BEFORE, starts, count, &wake->made);
}

void again_look(struct again *again, const struct report_input *input, struct words *notes) {
    struct copies_statistics figures;
    struct wake wake = {.waves = true, .taps = true};
    struct error err;
    int status;
    if (!again->copies || (again_woken(again) && again->options->debug))
        return;
    if (again_woken(again))
        end_of_copy(again, &input->played[0]);
    copies_statistics(again->copies, &figures);
    if (!again->options->debug)
        words_add(notes, "copies: %" PRIu64 " made, %.1f ms for forks, %.1f ms with their own%s%s", figures.made,
                  1e3 * figures.fork_seconds, 1e3 * figures.cost_seconds,
                  copies_trouble(again->copies) ? "; no more, because " : "",
                  copies_trouble(again->copies) ? copies_trouble(again->copies) : "");
    if (!choose(again, input, &wake))
        return;
    if (!copies_wake(again->copies, &wake, &status, &err))
        words_add(notes, "warning: %s", err.text);
    else if (!again->options->debug)
        words_add(notes,
                  "copy of cycle %" PRIu64 " went on to the failure at cycle %" PRIu64 ": %" PRIu64
                  " cycles simulated again, status %d",
                  wake.made, wake.failure, wake.failure - wake.made, status);
    else if (status == EXIT_DIFFERENT || status == EXIT_HUNG || status == EXIT_BAD_INPUT)
        again->status = status; /* it has said the result */
    else
        words_add(notes, "warning: the copy that looked at the failure again ended with status %d", status);
}
