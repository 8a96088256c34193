/* Opens the device of a live session; see live.h. */
#include "run/session/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/lift.h"
#include "live/server.h"
#include "memory/file.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/session/diagnose.h"

/* rtl: must outlive the device. */
static struct device *open_device(const struct run_options *options, const struct rtl_options *rtl, const char *name,
                                  rtl_open open, void *context, struct error *err) {
    if (!open) {
        const struct model_options model = model_options_of(options);
        return model_new(options->config, &model);
    }
    struct device *dev = open(context, options->config, rtl, err);
    if (dev)
        dev->name = name;
    return dev;
}

/* FILE.nvt.gz of the first part, FILE.2.nvt.gz of the second. free() it. */
static char *part_path(const char *path, int part) {
    const size_t stem = strlen(path) - strlen(text_ends_with(path, ".gz") ? ".nvt.gz" : ".nvt");
    return part == 1 ? xstrdup(path) : xprintf("%.*s.%d%s", (int)stem, path, part, path + stem);
}

/* As in struct recording; context: struct run_options. */
static bool write_trace(void *context, const struct recording *recording, struct error *err) {
    const struct run_options *run = context;
    char *log = xprintf("/proc/self/fd/%d", fileno(recording->log));
    char *path = part_path(run->live.record, recording->part);
    const struct source_options options = {.config = recording->config};
    const struct lift_options lift_options = {.config = recording->config, .path = path, .title = "a live session"};
    struct lift_summary summary = {0};
    struct source *source = source_open((const char *const[]){log}, 1, "vp", &options, err);
    const bool good = source && lift(source, &lift_options, &summary, err);
    if (good) {
        if (!run->quiet)
            text_print_line(stdout, "recorded: %s: launches=%" PRIu64 " writes=%" PRIu64 " reads=%" PRIu64, path,
                            summary.launches, summary.writes, summary.reads);
        fflush(stdout);
        if (recording->skipped > 0)
            text_print_line(stderr,
                            "nvcosim: --record: left out %" PRIu64 " %s to addresses where configuration %s has no "
                            "register",
                            recording->skipped, text_plural(recording->skipped, "access", "accesses"),
                            recording->config->name);
    } else
        error_prefix(err, "--record: ");
    lift_summary_free(&summary);
    source_close(source);
    free(path);
    free(log);
    return good;
}

/* Begins a recording, if one is wanted, at a path that can be written. False with a message. */
static bool open_recording(const struct run_options *options, struct recording *recording, struct error *err) {
    *recording = (struct recording){.config = options->config, .finish = write_trace, .context = (void *)options};
    if (!options->live.record)
        return true;
    struct file_writer *writer = file_writer_open(options->live.record, err);
    if (!writer)
        return error_prefix(err, "--record: ");
    file_writer_close(writer, false, &(struct error){0});
    return recording_open(recording, err);
}

int live_one(const struct run_options *options, const char *name, rtl_open open, void *context) {
    const struct server_options server = {.path = options->live.socket,
                                          .connected = options->live.connected,
                                          .once = options->live.once,
                                          .quiet = options->quiet || !options->live.socket};
    struct error err;
    struct live_device live;
    bool found = false;
    struct rtl_options rtl = options->rtl;
    rtl.axi.seed = options->seed;
    struct recording recording;
    bool good = open_recording(options, &recording, &err);
    const struct axi_listener beats = recording_beats(&recording);
    rtl.beats = options->live.record ? &beats : NULL;
    struct device *dev = good ? open_device(options, &rtl, name, open, context, &err) : NULL;
    good = dev != NULL;
    if (good) {
        good = live_device_open(&live, dev, options->verbose ? stdout : NULL, options->live.record ? &recording : NULL,
                                &err) &&
               server_run(&server, &live, &found, &err);
        struct error late;
        if (options->live.record && !recording_end(&recording, &late)) {
            if (good)
                err = late;
            else
                text_print_line(stderr, "nvcosim serve: %s", late.text);
            good = false;
        }
        live_device_close(&live);
    }
    recording_close(&recording);
    if (!good)
        text_print_line(stderr, "nvcosim serve: %s", err.text);
    return !good ? EXIT_BAD_INPUT : found ? EXIT_DIFFERENT : EXIT_OK;
}
