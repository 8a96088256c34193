/* One trace: opens the devices, plays, has the outcome judged, and delivers the result. */
#include "run/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "model/model.h"
#include "nvdla/xalloc.h"
#include "replay/copies.h"
#include "replay/first_wrong.h"
#include "replay/journal.h"
#include "report/hang_text.h"
#include "report/report.h"
#include "run/judge.h"
#include "run/process.h"
#include "run/result.h"
#include "run/taps.h"
#include "run/wave_layer.h"
#include "trace/formats.h"
#include "trace/launches.h"

char *trace_name(const char *path, char *text, size_t size) {
    static const char *const suffixes[] = {".nvt.gz", ".nvt", ".cfg.gz", ".cfg", ".txn.gz", ".txn"};
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    if (end - start == strlen("input.txn") && memcmp(path + start, "input.txn", end - start) == 0 && start > 1) {
        end = start - 1;
        start = end;
        while (start > 0 && path[start - 1] != '/')
            start--;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t n = strlen(suffixes[i]);
        if (end - start > n && memcmp(path + end - n, suffixes[i], n) == 0) {
            end -= n;
            break;
        }
    }
    bool dots = end - start <= 2 && strspn(path + start, ".") >= end - start;
    if (dots || end == start)
        snprintf(text, size, "trace");
    else
        snprintf(text, size, "%.*s", (int)(end - start), path + start);
    return text;
}

struct program *read_trace(const struct run_options *options, const char *path, struct error *err) {
    struct trace_options trace = {.config = options->config, .no_golden = options->no_golden};
    return trace_read(path, &trace, err);
}

/* ---- how far it is, for whoever started this process ---- */

struct watch {
    int fd;
    size_t *layers; /* the operations that arm what writes memory, in order */
    size_t layer_count;
    uint64_t bytes;     /* that all launches move over the memory ports */
    double from, share; /* of the whole: what was done before the device that plays, and what that one takes */
    double start, last;
};

/* Clocks that a copy begins before a failure at least, and that it goes on behind it. */
enum { COPY_BEFORE = 1000, COPY_BEYOND = 200 };

/* Share of the time of a run that the RTL takes, roughly. */
#define RTL_SHARE 0.95

/* Writes a whole line to the runner. */
static void send_line(int fd, const char *text) {
    struct text line = {0};
    text_printf(&line, "%s\n", text);
    for (size_t n = 0; n < line.n;) {
        const ssize_t written = write(fd, line.text + n, line.n - n);
        if (written <= 0)
            break;
        n += (size_t)written;
    }
    free(line.text);
}

/* The part of a device's work that is done: of the RTL's, by the memory traffic that the launches need; of the model's,
 * which is done a layer at a time, by layers. */
static double part_done(const struct watch *watch, struct device *dev, size_t layer) {
    struct device_statistics statistics = {0};
    dev->ops->statistics(dev, &statistics);
    if (!statistics.rtl || watch->bytes == 0)
        return watch->layer_count > 0 && layer > 0 ? (double)(layer - 1) / (double)watch->layer_count : 0;
    uint64_t beats = 0;
    for (int id = 0; id < AXI_IDS; id++)
        beats += statistics.read_beats[id] + statistics.write_beats[id];
    const double part = (double)beats * dev->config->dbb_data_bits / 8 / (double)watch->bytes;
    return part < 1 ? part : 1;
}

static void send_progress(void *context, const struct device *dev, size_t done, size_t total) {
    struct watch *watch = context;
    const double now = process_clock();
    if (now - watch->last < 0.2)
        return;
    watch->last = now;
    struct device *device = (struct device *)dev;
    const uint64_t cycles = dev->ops->time(device);
    size_t layer = 0;
    while (layer < watch->layer_count && watch->layers[layer] < done)
        layer++;
    double part = part_done(watch, device, layer);
    part = watch->from + watch->share * part;
    char *text = xprintf("{\"device\":\"%s\",\"layer\":%zu,\"layers\":%zu,\"cycles\":%" PRIu64
                         ",\"rate\":%.0f,\"part\":%.4f,\"done\":%zu,\"operations\":%zu}",
                         dev->name, layer, watch->layer_count, cycles,
                         now > watch->start ? (double)cycles / (now - watch->start) : 0, part, done, total);
    send_line(watch->fd, text);
    free(text);
}

/* The operations of a program that arm a layer: a launch whose output goes to memory. Returns their number; free()
 * the list. */
static size_t find_layers(const struct nvdla_config *config, const struct layer_tracker *tracker, size_t **layers) {
    const size_t count = layer_tracker_count(tracker);
    size_t found = 0;
    *layers = xcalloc(count + 1, sizeof **layers);
    for (size_t i = 0; i < count; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        if (launch_is_layer(config, launch))
            (*layers)[found++] = launch->tag;
    }
    return found;
}

/* ---- playing ---- */

/* Closes waves and coverage; false with a message if they could not be written. */
static bool close_files(const struct report_input *input, struct error *err) {
    for (int i = 0; i < input->played_count; i++) {
        struct device *dev = input->played[i].dev;
        if (dev->ops->finish && !dev->ops->finish(dev, err))
            return false;
    }
    return true;
}

/* What the RTL is judged by while it plays (--stop-at-first), and the copies of the process (--copies). */
struct judged {
    struct journal *journal; /* NULL: beats are not judged */
    struct first_wrong first;
    struct axi_listener beats;
    struct copies *copies; /* NULL: none are made */
    const struct wave_options *wave;
    struct play_options *play;
};

/* In a copy that wakes: it goes on to the cycle that it was told, whatever fails on the way. */
static void wake_up(void *context, const struct wake *wake) {
    struct judged *judged = context;
    struct device *rtl = judged->first.dev;
    judged->first.journal = NULL;
    judged->play->stop_at_first = false;
    if (wake->taps && rtl->ops->record_taps)
        rtl->ops->record_taps(rtl);
    struct error err;
    if (wake->waves && judged->wave->path && !rtl->ops->record_waves(rtl, judged->wave, &err))
        fprintf(stderr, "nvcosim: %s\n", err.text);
}

static void judged_open(struct judged *judged, const struct run_options *options, const struct wave_options *wave,
                        const struct layer_tracker *launches, struct play_options *play) {
    *judged = (struct judged){.wave = wave, .play = play};
    if (options->play.stop_at_first && options->dut == DUT_BOTH) {
        judged->journal = journal_new(launches);
        judged->first = (struct first_wrong){.config = layer_tracker_config(launches), .journal = judged->journal};
        judged->beats = first_wrong_listener(&judged->first);
    }
    if (options->copies && options->dut != DUT_MODEL) {
        struct copies_options copies = {.woken = wake_up, .context = judged};
        if (options->result_fd >= 0)
            copies.descriptors[copies.descriptor_count++] = options->result_fd;
        judged->copies = copies_new(&copies);
    }
}

static void judged_close(struct judged *judged) {
    journal_free(judged->journal);
    copies_free(judged->copies);
}

/* Opens the devices of the run, the RTL first. Returns their number, 0 with a message if one cannot be opened. */
static int open_devices(const struct run_options *options, const struct program *prog, const char *rtl_name,
                        rtl_open open, void *context, const struct wave_options *wave, struct histogram_set *histograms,
                        struct taps *taps, struct judged *judged, struct device **devices, struct error *err) {
    int count = 0;
    if (options->dut != DUT_MODEL) {
        struct rtl_options rtl = options->rtl;
        rtl.beats = judged->journal ? &judged->beats : NULL;
        rtl.copies = judged->copies;
        rtl.axi.seed = options->seed;
        if (!judged->copies) /* else a copy that wakes records, and no other */
            rtl.wave = *wave;
        else
            rtl.wave.path = NULL;
        rtl.coverage_path = options->coverage;
        rtl.taps = options->taps ? &taps->listeners[TAPS_RTL] : NULL;
        rtl.cbuf = options->taps ? &taps->cbuf : NULL;
        devices[count] = open(context, prog->config, &rtl, err);
        if (!devices[count])
            return 0;
        devices[count]->name = rtl_name;
        count++;
    }
    if (options->dut != DUT_RTL) {
        struct model_options model = {.allow_outside = options->rtl.axi.allow_outside,
                                      .allow_undefined = options->allow_undefined,
                                      .threads = (size_t)options->threads};
        model.taps = taps->listeners[TAPS_MODEL];
        if (histograms)
            tap_listen(&model.taps, histogram_listener(histograms));
        if (judged->journal)
            tap_listen(&model.taps, journal_listener(judged->journal));
        devices[count++] = model_new(prog->config, &model);
        if (judged->journal)
            journal_watch(judged->journal, devices[count - 1]);
    }
    judged->first.dev = devices[0];
    return count;
}

static struct play_options play_options_of(const struct run_options *options, struct watch *watch) {
    struct play_options play_options = options->play;
    play_options.seed = options->seed;
    if (options->progress) {
        play_options.progress = send_progress;
        play_options.progress_context = watch;
    }
    return play_options;
}

/* Plays on all devices: the RTL first, or the model where the RTL is judged by what it leaves. */
static void play_devices(const struct program *prog, const struct play_options *options, const struct judged *judged,
                         struct watch *watch, struct report_input *input, struct device **devices,
                         struct play_result *results) {
    const int count = input->played_count;
    watch->from = 0;
    for (int n = 0; n < count; n++) {
        const int i = judged->journal ? count - 1 - n : n;
        struct play_options model_options = *options;
        model_options.stop_at_first = false;
        watch->start = watch->last = process_clock();
        watch->share = count == 1 ? 1 : i == 0 ? RTL_SHARE : 1 - RTL_SHARE;
        play(prog, devices[i], i == 0 ? options : &model_options, &results[i]);
        hang_explain(&results[i]);
        if (judged->journal && i > 0 && devices[i]->ops->finish)
            devices[i]->ops->finish(devices[i], NULL); /* threads end, so that copies can be made */
        input->played[i] = (struct played){.dev = devices[i], .result = &results[i]};
        watch->from += watch->share;
    }
    if (judged->first.found.kind != WRONG_NONE)
        input->wrong = &judged->first.found;
}

/* The cycle in which a run on the RTL failed, false if it did not. */
static bool failed_at(const struct played *rtl, uint64_t *cycle) {
    const struct play_result *result = rtl->result;
    *cycle = result->statistics.cycles;
    if (result->outcome == PLAY_HUNG) {
        const uint64_t still = rtl->dev->ops->still ? rtl->dev->ops->still(rtl->dev) : 0;
        *cycle -= still < *cycle ? still : *cycle;
    }
    return result->outcome == PLAY_HUNG || result->outcome == PLAY_STOPPED || result->outcome == PLAY_CHECK_FAILED;
}

/* A copy that has come to its end: it says so by its status, 0 if it got where it was told and its waves are written.
 */
static void end_of_copy(const struct judged *judged, const struct played *rtl) {
    struct error err;
    const bool there = rtl->result->statistics.cycles >= copies_woken(judged->copies)->failure;
    const bool written = rtl->dev->ops->finish(rtl->dev, &err);
    if (!written)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    copies_leave(there && written ? EXIT_OK : EXIT_DIFFERENT);
}

/* Where a run on the RTL has failed, and there are copies: plays it again from the right one to the failure. */
static void look_again(const struct judged *judged, const struct report_input *input, struct words *notes) {
    struct copies_statistics figures;
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t starts[DEVICE_LAUNCHES];
    struct wake wake = {.waves = true, .taps = true};
    struct error err;
    int status;
    if (!judged->copies)
        return;
    const struct played *rtl = &input->played[0];
    if (copies_woken(judged->copies))
        end_of_copy(judged, rtl);
    copies_statistics(judged->copies, &figures);
    words_add(notes, "copies: %" PRIu64 " made, %.1f ms for forks, %.1f ms with the pages that they cost%s%s",
              figures.made, 1e3 * figures.fork_seconds, 1e3 * figures.cost_seconds,
              copies_trouble(judged->copies) ? "; no more, because " : "",
              copies_trouble(judged->copies) ? copies_trouble(judged->copies) : "");
    if (!failed_at(rtl, &wake.failure))
        return;
    const size_t count =
        rtl->dev->ops->in_flight ? rtl->dev->ops->in_flight(rtl->dev, wake.failure, running, DEVICE_LAUNCHES) : 0;
    for (size_t i = 0; i < count; i++)
        starts[i] = running[i].start;
    wake.stop = wake.failure + COPY_BEYOND;
    if (!copies_choose(judged->copies, wake.failure, COPY_BEFORE, starts, count, &wake.made))
        return;
    if (!copies_wake(judged->copies, &wake, &status, &err))
        words_add(notes, "warning: %s", err.text);
    else
        words_add(notes,
                  "copy of cycle %" PRIu64 " went on to the failure at cycle %" PRIu64 ": %" PRIu64
                  " cycles simulated again, status %d",
                  wake.made, wake.failure, wake.failure - wake.made, status);
}

/* A signal to end does not come between a report and the word of it. */
static void hold_signals(bool hold) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* How much there is to do: for the result, and to tell how far it is. */
static void measure_work(const struct program *prog, const struct layer_tracker *tracker, struct result *result,
                         struct watch *watch) {
    result->operations = prog->count;
    result->launches = layer_tracker_count(tracker);
    result->layers = watch->layer_count = find_layers(prog->config, tracker, &watch->layers);
    for (size_t i = 0; i < result->launches; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        result->macs += launch_macs(launch);
        for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
            watch->bytes +=
                launch_atoms(prog->config, launch, (enum nvdla_client)client) * (uint64_t)prog->config->mem_atom;
    }
}

static void play_program(const struct run_options *options, const struct program *prog, const char *rtl_name,
                         rtl_open open, void *context, struct result *result) {
    struct device *devices[PLAYED_MAX] = {NULL};
    struct play_result results[PLAYED_MAX];
    struct report_input input = {.name = result->trace, .prog = prog};
    struct error err;
    struct histogram_set histograms = {0};
    input.html = options->html;
    input.histograms = options->histogram ? &histograms : NULL;
    struct taps taps;
    struct layer_tracker *tracker = program_launches(prog);
    struct wave_options wave = options->rtl.wave;
    struct wave_launch *launches = NULL;
    if (options->wave_layer)
        wave.launches = launches = wave_layer_launches(tracker, options->wave_layer, &wave.launch_count, &err);
    struct watch watch = {.fd = options->result_fd};
    struct play_options play_options = play_options_of(options, &watch);
    struct judged judged;
    judged_open(&judged, options, &wave, tracker, &play_options);
    if (taps_open(&taps, options->taps, result->trace, &err) && (!options->wave_layer || launches))
        input.played_count = open_devices(options, prog, rtl_name, open, context, &wave,
                                          options->histogram ? &histograms : NULL, &taps, &judged, devices, &err);
    if (input.played_count == 0) {
        result_not_played(result, err.text);
        taps_free(&taps);
        judged_close(&judged);
        layer_tracker_free(tracker);
        free(launches);
        return;
    }
    measure_work(prog, tracker, result, &watch);
    input.launches = tracker;
    play_devices(prog, &play_options, &judged, &watch, &input, devices, results);
    look_again(&judged, &input, &result->notes);
    free(watch.layers);
    hold_signals(true);
    const bool closed = close_files(&input, &err) && taps_close(&taps, &err);
    judge(options, &input, result);
    if (closed) {
        name_recordings(options, result);
        taps_compare(&taps, &result->notes);
    } else
        result_not_played(result, err.text);
    for (int i = 0; i < input.played_count; i++) {
        struct device *dev = input.played[i].dev;
        play_result_free(&results[i]);
        dev->ops->destroy(dev);
    }
    histogram_set_free(&histograms);
    taps_free(&taps);
    judged_close(&judged);
    layer_tracker_free(tracker);
    free(launches);
}

/* To the runner as data, else to a person. */
static void deliver(const struct run_options *options, const struct result *result) {
    if (options->result_fd >= 0) {
        char *text = result_json(result);
        send_line(options->result_fd, text);
        free(text);
        return;
    }
    struct warning_kinds kinds = {0};
    const struct result_style style = {
        .out = stdout, .quiet = options->quiet, .verbose = options->verbose, .stats = options->stats};
    result_print(result, &style, &kinds);
    warning_kinds_free(&kinds);
}

static struct result new_result(const struct run_options *options, const char *dut) {
    const char *path = options->traces.items[0];
    char name[512];
    return (struct result){
        .trace = xstrdup(options->name ? options->name : trace_name(path, name, sizeof name)),
        .path = xstrdup(path),
        .config = xstrdup(options->config ? options->config->name : ""),
        .dut = xstrdup(dut),
        .seed = options->seed,
    };
}

int play_one(const struct run_options *options, const char *rtl_name, rtl_open open, void *context) {
    struct error err;
    struct result result = new_result(options, rtl_name ? rtl_name : "model");
    struct program *prog = read_trace(options, options->traces.items[0], &err);
    if (prog) {
        free(result.config);
        result.config = xstrdup(prog->config->name);
        play_program(options, prog, rtl_name, open, context, &result);
        program_free(prog);
    } else
        result_not_played(&result, err.text);
    deliver(options, &result);
    if (options->result_fd < 0) /* a process that has told its verdict does not end by a signal any more */
        hold_signals(false);
    const int status = verdict_status(result.verdict);
    result_free(&result);
    return status;
}

int play_none(const struct run_options *options, const char *dut, const char *format, ...) {
    struct result result = new_result(options, dut);
    va_list arguments;
    va_start(arguments, format);
    char *reason = xvprintf(format, arguments);
    va_end(arguments);
    result_not_played(&result, reason);
    free(reason);
    deliver(options, &result);
    result_free(&result);
    return EXIT_BAD_INPUT;
}
