/* Opens the device of a live session; see live.h. */
#include "run/session/live.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/timeline.h"
#include "import/lift.h"
#include "layers/cubes.h"
#include "live/live_device.h"
#include "live/recording_end.h"
#include "live/server.h"
#include "memory/file.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "replay/hang.h"
#include "replay/hang_triage.h"
#include "replay/stream.h"
#include "report/outcome.h"
#include "run/process/process.h"
#include "run/session/diagnose.h"
#include "run/session/judge.h"
#include "run/session/taps.h"
#include "run/simulators/python_output.h"
#include "trace/formats.h"
#include "trace/program.h"

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

/* FILE.nvt.gz of the first part, FILE.2.nvt.gz of the second; suffix: ".nvt". free() it. */
static char *part_path(const char *path, const char *suffix, int part) {
    const size_t stem = strlen(path) - strlen(suffix) - (text_ends_with(path, ".gz") ? strlen(".gz") : 0);
    return part == 1 ? xstrdup(path) : xprintf("%.*s.%d%s", (int)stem, path, part, path + stem);
}

/* What hears the beats, the verdicts, and the ends of recordings. */
struct live_verdicts {
    const struct run_options *options;
    struct live_device *live;
    struct judge judge;
    struct recording *recording; /* NULL: none */
    struct recording_end *end;   /* NULL: all of it is kept */
    struct taps taps;            /* of --tap */
    int sessions;                /* that have ended */
    bool judged;
    uint64_t debugged; /* wrong layers that are in recordings that were debugged */
};

/* ---- recordings ---- */

/* True for an option that `nvcosim debug` takes, and has no value of its own for: it compares with the model, and its
 * timeline is that of the recording. */
static bool is_for_debug(const char *word) {
    return !run_option_is_left_out(word, BY_DEBUG) && strcmp(word, "--dut=rtl") != 0 &&
           strncmp(word, "--timeline", strlen("--timeline")) != 0;
}

/* Runs `nvcosim debug` on a recording with a wrong layer, with the options of the device. */
static void debug_recording(const struct run_options *options, const char *path) {
    struct words words = {0};
    struct error err;
    words_put(&words, options->live.debugger);
    words_put(&words, "debug");
    for (size_t i = 0; i < options->given.count; i++)
        if (is_for_debug(options->given.items[i]))
            words_put(&words, options->given.items[i]);
    words_put(&words, path);
    fflush(NULL);
    const int files[] = {open("/dev/null", O_RDONLY | O_CLOEXEC), fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3),
                         fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)};
    const pid_t pid =
        process_spawn(&(struct process_program){.words = words.items, .files = files, .file_count = 3}, &err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        close(files[i]);
    if (pid < 0)
        text_print_line(stderr, "nvcosim: --debug: %s", err.text);
    else if (process_wait(pid, NULL, NULL) > EXIT_HUNG)
        text_print_line(stderr, "nvcosim: --debug: nvcosim debug failed on %s", path);
    words_free(&words);
}

static void print_recorded(const struct recording *recording, const char *path, const struct lift_summary *summary,
                           uint64_t kept, uint64_t all) {
    autofree char *of = kept < all ? xprintf(" (the last %" PRIu64 " of %" PRIu64 " layers)", kept, all) : xstrdup("");
    text_print_line(stdout, "recorded: %s: launches=%" PRIu64 " writes=%" PRIu64 " reads=%" PRIu64 "%s", path,
                    summary->launches, summary->writes, summary->reads, of);
    fflush(stdout);
    if (recording->skipped > 0)
        text_print_line(
            stderr, "nvcosim: --record: left out %" PRIu64 " %s to addresses where configuration %s has no register",
            recording->skipped, text_plural(recording->skipped, "access", "accesses"), recording->config->name);
}

/* As in struct recording; context: struct live_verdicts. */
static bool write_trace(void *context, const struct recording *recording, int part, struct error *err) {
    struct live_verdicts *verdicts = context;
    const struct run_options *run = verdicts->options;
    uint64_t kept = 0, all = 0;
    FILE *last = verdicts->end ? recording_end_log(verdicts->end, recording->log, &kept, &all, err) : NULL;
    if (verdicts->end && !last)
        return false;
    autofree char *log = xprintf("/proc/self/fd/%d", fileno(last ? last : recording->log));
    char *path = part_path(run->live.record, ".nvt", part);
    const struct source_options options = {.config = recording->config, .start = python_start};
    const struct lift_options lift_options = {.config = recording->config, .path = path, .title = RECORDING_TITLE};
    struct lift_summary summary = {0};
    struct source *source = source_open((const char *const[]){log}, 1, "vp", &options, err);
    const bool good = source && lift(source, &lift_options, &summary, err);
    if (!good)
        error_prefix(err, "--record: ");
    else if (!run->quiet)
        print_recorded(recording, path, &summary, kept, all);
    if (good && run->live.debugger && verdicts->judge.wrong > verdicts->debugged) {
        verdicts->debugged = verdicts->judge.wrong;
        debug_recording(run, path);
    }
    lift_summary_free(&summary);
    source_close(source);
    free(path);
    if (last)
        fclose(last);
    return good;
}

/* Begins a recording, if one is wanted, at a path that can be written. False with a message. */
static bool open_recording(const struct run_options *options, struct live_verdicts *verdicts,
                           struct recording *recording, struct error *err) {
    *recording = (struct recording){.config = options->config, .finish = write_trace, .context = verdicts};
    if (!options->live.record)
        return true;
    struct file_writer *writer = file_writer_open(options->live.record, err);
    if (!writer)
        return error_prefix(err, "--record: ");
    file_writer_close(writer, false, &(struct error){0});
    verdicts->recording = recording;
    if (options->live.last) {
        verdicts->end = recording_end_new(options->config, options->live.last, err);
        if (!verdicts->end)
            return false;
        recording->keeper = recording_end_keeper(verdicts->end);
    }
    return recording_open(recording, err);
}

/* Writes the timeline of a session; part: its number. */
static bool write_timeline(const struct live_verdicts *verdicts, int part, struct error *err) {
    const struct run_options *options = verdicts->options;
    struct device *dev = verdicts->live->dev;
    struct play_result result = {.outcome = PLAY_PASSED};
    dev->ops->statistics(dev, &result.statistics);
    const struct timeline *timeline = result.statistics.rtl ? result.statistics.rtl->timeline : NULL;
    if (!timeline || timeline->cycles == 0)
        return true;
    const struct program prog = {.config = dev->config};
    struct report report = {.input = {.name = "a live session",
                                      .prog = &prog,
                                      .launches = timeline->tracker,
                                      .played = {{.dev = dev, .result = &result}},
                                      .played_count = 1},
                            .writers = writers_new(timeline->tracker),
                            .status = dev->finding_count > 0 ? REPORT_FAILED : REPORT_PASSED};
    autofree char *path = part_path(options->timeline, ".json", part);
    const bool good = timeline_write(&report, path, err) || error_prefix(err, "--timeline: ");
    if (good && !options->quiet) {
        text_print_line(stdout, "timeline: %s; open it at https://ui.perfetto.dev", path);
        fflush(stdout);
    }
    writers_free(report.writers);
    return good;
}

/* ---- the judge ---- */

enum { BEAT_MOST = 64 /* bytes */ };

/* A read of the RTL. With --bus-fault its data are not what memory has. */
static void record_read(const struct live_verdicts *verdicts, const struct axi_beat *beat) {
    uint8_t bytes[BEAT_MOST];
    const uint8_t *data = beat->data;
    if (verdicts->options->rtl.axi.fault.kind != BUS_FAULT_NONE) {
        memory_read(verdicts->live->dev->memory[beat->port], beat->address, bytes, (size_t)beat->bytes);
        data = bytes;
    }
    recording_memory(verdicts->recording, false, (enum memory_space)beat->port, beat->address, data,
                     (size_t)beat->bytes);
}

static void take_beat(void *context, const struct axi_beat *beat) {
    struct live_verdicts *verdicts = context;
    if (verdicts->recording && !beat->write)
        record_read(verdicts, beat);
    if (verdicts->judged)
        judge_beat(&verdicts->judge, beat);
}

/* The place of a byte in the output of a launch, as report_element() words it. */
static char *element_of(const struct live_device *live, const struct judge_finding *finding, char *text, size_t size) {
    const struct nvdla_config *config = live->dev->config;
    const struct launch *launch = layer_tracker_find(live->tracker, finding->unit, finding->ordinal);
    struct launch_output output = {.launch = launch, .block = -1};
    struct cube_element element;
    struct launch_block block;
    bool primary;
    if (!launch || launch->word_count == 0)
        return snprintf(text, size, "elsewhere"), text;
    if (launch_output_cube(config, launch, &output.cube, &primary))
        return report_element(&output, finding->address, text, size);
    for (size_t i = launch->block_count; i-- > 0;)
        if (launch_block(config, launch, i, &block) && cube_locate(&block.destination, finding->address, &element)) {
            output.block = (int)i;
            output.cube = block.destination;
            return report_element(&output, finding->address, text, size);
        }
    return snprintf(text, size, "elsewhere"), text;
}

static void print_wrong(const struct live_verdicts *verdicts, const struct judge_finding *finding) {
    char element[REPORT_LINE], name[32] = "no launch", expected[32] = "", cycle[64] = "";
    if (finding->ordinal >= 0)
        snprintf(name, sizeof name, "%s #%d", nvdla_unit_names[finding->unit], finding->ordinal);
    if (finding->outcome != JUDGE_ELSEWHERE)
        snprintf(expected, sizeof expected, ", expected 0x%02x", finding->expected);
    if (finding->cycle)
        snprintf(cycle, sizeof cycle, " by the beat at clock %" PRIu64, finding->cycle);
    text_print_line(
        stderr,
        "nvcosim: wrong layer: %s: %" PRIu64 " %s, first 0x%" PRIx64 " (%s)%s: %s 0x%02x%s; RTL and model differ", name,
        finding->bytes, text_plural(finding->bytes, "byte differs", "bytes differ"), finding->address,
        finding->ordinal < 0 ? "elsewhere" : element_of(verdicts->live, finding, element, sizeof element), cycle,
        finding->outcome == JUDGE_LEFT_OUT    ? "not written, left"
        : finding->outcome == JUDGE_ELSEWHERE ? "the model does not write there; got"
                                              : "got",
        finding->found, expected);
}

/* The device stands still, and the guest waits for it, until someone lets it run on. */
static void hold(const struct live_verdicts *verdicts) {
    struct error err;
    if (verdicts->live->stop || !verdicts->live->holder.hold)
        return;
    if (verdicts->recording && !recording_show(verdicts->recording, &err))
        text_print_line(stderr, "nvcosim: %s", err.text);
    text_print_line(stderr,
                    "nvcosim: --stop=hold: the device is stopped; `kill -USR1 %d` resumes it, Ctrl-C ends the session",
                    (int)getpid());
    verdicts->live->holder.hold(verdicts->live->holder.context);
}

/* As in struct judge_listener. */
static void hear(void *context, const struct judge_finding *finding, const char *text) {
    struct live_verdicts *verdicts = context;
    if (text) {
        text_print_line(stderr, "nvcosim: --judge: the model cannot follow until the next reset: %s", text);
        return;
    }
    if (finding->outcome == JUDGE_NOT_RUN) {
        text_print_line(stderr, "nvcosim: --judge: %s #%d was not judged: the model has not run it",
                        nvdla_unit_names[finding->unit], finding->ordinal);
        return;
    }
    if (finding->outcome == JUDGE_CHANGED) {
        text_print_line(stderr,
                        "nvcosim: --judge: %s #%d was not judged: the byte at 0x%" PRIx64
                        " changed between the launch and its read",
                        nvdla_unit_names[finding->unit], finding->ordinal, finding->address);
        return;
    }
    print_wrong(verdicts, finding);
    if (verdicts->options->live.stop == STOP_END && !verdicts->live->stop) {
        text_print_line(stderr, "nvcosim: --stop: the session ends at the first wrong layer");
        verdicts->live->stop = true;
    } else if (verdicts->options->live.stop == STOP_HOLD)
        hold(verdicts);
}

static void open_judge(const struct run_options *options, struct live_verdicts *verdicts) {
    struct model_options model = model_options_of(options);
    verdicts->judged = options->live.judge;
    if (options->tap_units)
        model.taps = verdicts->taps.listeners[TAPS_MODEL];
    if (verdicts->judged)
        judge_open(&verdicts->judge, model_new(options->config, &model), (struct judge_listener){hear, verdicts});
}

/* ---- streams ---- */

/* Begins to record the streams of --tap. False with a message. */
static bool open_taps(struct live_verdicts *verdicts, struct rtl_options *rtl, struct error *err) {
    if (!verdicts->options->tap_units)
        return true;
    rtl->taps = &verdicts->taps.listeners[TAPS_RTL];
    rtl->cbuf = &verdicts->taps.cbuf;
    rtl->account = &verdicts->taps.account;
    return taps_open(&verdicts->taps, verdicts->options, "live", err);
}

/* Ends those of a session; part: its number. With a judge, prints which elements differ. */
static bool write_taps(struct live_verdicts *verdicts, int part, struct error *err) {
    autowords struct words lines = {0};
    const bool good = taps_part(&verdicts->taps, part, &lines, err);
    for (size_t i = 0; i < lines.count; i++)
        text_print_line(stdout, "%s", lines.items[i]);
    if (good)
        text_print_line(stdout, "streams: %s.%d", verdicts->taps.parent, part);
    fflush(stdout);
    return good;
}

/* As in struct live_owner. */
static bool end_session(void *context, struct error *err) {
    struct live_verdicts *verdicts = context;
    const int part = ++verdicts->sessions;
    return (!verdicts->options->timeline || write_timeline(verdicts, part, err)) &&
           (!verdicts->options->tap_units || write_taps(verdicts, part, err));
}

/* ---- a launch that never ends ---- */

static void print_armed(const struct live_device *live, uint64_t moved) {
    char since[64] = "";
    if (moved)
        snprintf(since, sizeof since, " since clock %" PRIu64, moved);
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS; bit++) {
        const struct live_launch *launch = &live->launches[bit];
        if (launch->armed)
            text_print_line(stderr,
                            "nvcosim: hang: %s #%d, armed at clock %" PRIu64
                            ", does not end; nothing has moved%s, and the driver is silent",
                            nvdla_unit_names[launch->unit], launch->ordinal, launch->clock, since);
    }
}

/* The triage speaks of a trace; here it is the driver that does not continue. */
static const char *without_trace(const char *text, const char **driver) {
    static const char trace[] = "trace";
    const bool begins = strncmp(text, trace, sizeof trace - 1) == 0;
    *driver = begins ? "the driver" : "";
    return begins ? text + sizeof trace - 1 : text;
}

static void print_chain(const struct hang_triage *triage) {
    const char *driver, *rest = without_trace(triage->sentence, &driver);
    text_print_line(stderr, "nvcosim: hang: %s%s", driver, rest);
    for (size_t i = 0; i < triage->chain_count; i++) {
        rest = without_trace(triage->chain[i].engine->name, &driver);
        if (triage->chain[i].text[0])
            text_print_line(stderr, "  %s%s %s", driver, rest, triage->chain[i].text);
    }
}

/* Prints to stderr which launches are armed, since when nothing moves, and what they wait for, as `run` does for a
 * trace. */
static void print_hang(const struct live_device *live) {
    struct device *dev = live->dev;
    const uint32_t glb = live->glb;
    struct program *prog = program_new(dev->config, "a live session");
    const struct player player = {
        .prog = prog, .dev = dev, .glb_status = glb + GLB_S_INTR_STATUS, .glb_mask = glb + GLB_S_INTR_MASK};
    const size_t warned = dev->warning_count;
    struct hang *hang = hang_new(&player, HANG_STILL, dev->still_limit);
    print_armed(live, hang->waits ? hang->waits->moved : dev->ops->time(dev));
    if (hang->triage)
        print_chain(hang->triage);
    for (size_t i = warned; i < dev->warning_count; i++)
        text_print_line(stderr, "  %s", dev->warnings[i].text);
    hang_free(hang);
    program_free(prog);
}

/* As in struct live_owner. */
static void tell_hang(void *context) {
    struct live_verdicts *verdicts = context;
    print_hang(verdicts->live);
    if (verdicts->options->live.stop == STOP_END) {
        text_print_line(stderr, "nvcosim: --stop: the session ends at a layer that does not end");
        verdicts->live->stop = true;
    }
}

/* ---- the session ---- */

/* Keeps the first message. */
static bool also(bool good, bool last, const struct error *late, struct error *err) {
    if (good && !last)
        *err = *late;
    else if (!last)
        text_print_line(stderr, "nvcosim serve: %s", late->text);
    return good && last;
}

/* Serves clients with an opened device, and closes it. *found: as for server_run(). False with a message. */
static bool serve_device(const struct run_options *options, struct live_verdicts *verdicts, struct device *dev,
                         bool *found, struct error *err) {
    const struct server_options server = {.path = options->live.socket,
                                          .connected = options->live.connected,
                                          .once = options->live.once,
                                          .quiet = options->quiet || !options->live.socket};
    struct live_device *live = verdicts->live;
    struct error late;
    bool good = live_device_open(live, dev, options->verbose ? stdout : NULL, verdicts->recording, err);
    if (verdicts->judged) {
        judge_attach(&verdicts->judge, dev);
        live->judge = &verdicts->judge;
    }
    live->owner = (struct live_owner){end_session, tell_hang, verdicts};
    good = good && server_run(&server, live, found, err);
    if (verdicts->recording)
        good = also(good, recording_end(verdicts->recording, &late), &late, err);
    good = also(good, live_device_end(live, &late), &late, err);
    live_device_close(live);
    return good;
}

int live_one(const struct run_options *options, const char *name, rtl_open open, void *context) {
    struct error err;
    struct live_device live = {0};
    bool found = false;
    struct rtl_options rtl = options->rtl;
    rtl.axi.seed = options->seed;
    struct recording recording;
    struct live_verdicts verdicts = {.options = options, .live = &live};
    bool good = open_recording(options, &verdicts, &recording, &err) && open_taps(&verdicts, &rtl, &err);
    const struct axi_listener beats = {take_beat, &verdicts};
    open_judge(options, &verdicts);
    rtl.beats = options->live.record || options->live.judge ? &beats : NULL;
    struct device *dev = good ? open_device(options, &rtl, name, open, context, &err) : NULL;
    good = dev && serve_device(options, &verdicts, dev, &found, &err);
    if (verdicts.judged)
        judge_close(&verdicts.judge);
    if (options->tap_units) {
        struct error late;
        good = also(good, taps_close_parts(&verdicts.taps, &late), &late, &err);
        taps_free(&verdicts.taps);
    }
    recording_close(&recording);
    recording_end_free(verdicts.end);
    if (!good)
        text_print_line(stderr, "nvcosim serve: %s", err.text);
    return !good || live.failures > 0 ? EXIT_BAD_INPUT : live.hangs > 0 ? EXIT_HUNG : found ? EXIT_DIFFERENT : EXIT_OK;
}
