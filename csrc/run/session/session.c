/* One trace: opens the devices, plays, has the outcome judged, and delivers the result. */
#include "run/session/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "coverage/coverage.h"
#include "layers/tracker.h"
#include "loadable/cpu_note.h"
#include "model/model.h"
#include "nvdla/xalloc.h"
#include "report/hang_text.h"
#include "run/network/outputs.h"
#include "run/options/dump.h"
#include "run/options/exceptions.h"
#include "run/options/wave_layer.h"
#include "run/process/process.h"
#include "run/result/result.h"
#include "run/session/diagnose.h"
#include "run/session/errata.h"
#include "run/session/judge.h"
#include "run/session/layer.h"
#include "run/session/run_progress.h"
#include "run/session/second_look.h"
#include "run/session/taps.h"
#include "trace/formats.h"
#include "trace/launches.h"

struct program *read_trace(const struct run_options *options, const char *path, struct error *err) {
    struct trace_options trace = {.config = options->config, .no_golden = options->no_golden};
    return trace_read(path, &trace, err);
}

void print_warnings(const struct program *prog) {
    for (size_t i = 0; prog && i < prog->warning_count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", prog->warnings[i].text);
}

/* Approximate share of the RTL in the time of a run. */
#define RTL_SHARE 0.95

enum { RUNAWAY_BEATS = 10000 /* bytes that a run may move beyond twice the need of its layers */ };

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

/* This process's own costs. If the runner still exists, it knows them better. */
static void measure_process(const struct run_options *options, struct result *result) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    result->exit_status = verdict_status(result->verdict);
    result->seconds = options->ledger.file ? process_clock() - options->ledger.start : 0;
    result->cpu_seconds = process_cpu_seconds(&usage);
    result->memory_peak = (uint64_t)usage.ru_maxrss * 1024;
}

/* Delivers the result to the runner as data and to its ledger, or prints it. Returns the exit status. */
static int deliver(const struct run_options *options, const struct result *result) {
    if (options->result_fd >= 0) {
        struct result whole = *result;
        measure_process(options, &whole);
        autofree char *text = result_json(&whole);
        if (options->ledger.file)
            ledger_note(options->ledger.file, options->ledger.test, NULL, text);
        send_line(options->result_fd, text);
        return verdict_status(result->verdict);
    }
    struct warning_kinds kinds = {0};
    const struct result_style style = {
        .out = stdout, .quiet = options->quiet, .verbose = options->verbose, .stats = options->stats};
    result_print(result, &style, &kinds);
    warning_kinds_free(&kinds);
    return verdict_status(result->verdict);
}

/* The state of a run. */
struct session {
    const struct run_options *options;
    struct report_input input;
    struct device *devices[PLAYED_MAX];
    struct play_result results[PLAYED_MAX];
    struct result *result;
    struct histogram_set histograms;
    struct corners *corners; /* of the model's values, for functional coverage; NULL: not requested */
    struct taps taps;
    struct second_look look;
    struct run_progress progress;
    struct play_options play;
    struct exceptions exceptions; /* of play */
    struct wave_launch *launches; /* of --wave-layer */
    char *wave_path;              /* of nvcosim debug */
    double seconds[2];            /* CPU time of the model, and of the RTL */
};

/* nvcosim debug ends a run that reads or writes for ever: it never counts as a hang. */
static void stop_runaway(void *context, const struct device *dev, size_t done, size_t total) {
    struct session *session = context;
    struct device_statistics statistics = {0};
    struct device *device = (struct device *)dev;
    const uint64_t bus = (uint64_t)dev->config->dbb_data_bits / 8;
    dev->ops->statistics(device, &statistics);
    if (statistics.rtl && device_beats(statistics.read_beats) + device_beats(statistics.write_beats) >
                              2 * session->progress.bytes / bus + RUNAWAY_BEATS) {
        session->input.objection = "the RTL has moved more than twice the beats that its layers need, and does not end";
        device->stop = true;
    }
    if (session->options->progress)
        run_progress_send(&session->progress, dev, done, total);
}

/* A comment of the trace: results of the CPU are those of what this device has, not the constants of the trace. */
static void take_note(void *context, struct device *dev, const char *text) {
    const struct session *session = context;
    cpu_note_run(text, dev->memory);
    if (session->options->verbose)
        print_layer_end(NULL, dev, text);
}

static bool open_rtl(struct session *session, const char *name, rtl_open open, void *context, struct error *err) {
    const struct run_options *options = session->options;
    struct rtl_options rtl = options->rtl;
    rtl.beats = session->look.journal ? &session->look.beats : NULL;
    rtl.copies = session->look.copies;
    rtl.axi.seed = options->seed;
    rtl.wave = session->look.wave;
    if (session->look.copies) /* only a copy that wakes up records */
        rtl.wave.path = NULL;
    rtl.coverage_path = options->coverage;
    rtl.taps = options->tap_units || options->debug ? &session->taps.listeners[TAPS_RTL] : NULL;
    rtl.taps_later = options->debug;
    rtl.cbuf = rtl.taps ? &session->taps.cbuf : NULL;
    rtl.account = rtl.taps ? &session->taps.account : NULL;
    struct device *device = open(context, session->input.prog->config, &rtl, err);
    if (!device)
        return false;
    device->name = name;
    session->devices[session->input.played_count++] = device;
    return true;
}

static void open_model(struct session *session) {
    const struct run_options *options = session->options;
    struct model_options model = model_options_of(options);
    if (options->tap_units)
        model.taps = session->taps.listeners[TAPS_MODEL];
    model.specified_stripes = session->input.played_count > 0 && session->devices[0]->specified_stripes;
    if (options->histogram)
        tap_listen(&model.taps, histogram_listener(&session->histograms));
    if (options->functional) {
        session->corners = corners_new(session->input.launches);
        tap_listen(&model.taps, corners_listener(session->corners));
    }
    if (session->look.journal)
        tap_listen(&model.taps, journal_listener(session->look.journal));
    struct device *device = model_new(session->input.prog->config, &model);
    if (session->look.journal)
        journal_watch(session->look.journal, device);
    session->devices[session->input.played_count++] = device;
}

/* Opens what the run needs, the RTL before the model. False with a message if something cannot be opened. */
static bool session_open(struct session *session, const char *rtl_name, rtl_open open, void *context,
                         struct error *err) {
    const struct run_options *options = session->options;
    struct second_look *look = &session->look;
    session->play = options->play;
    session->play.seed = options->seed;
    exceptions_open(&session->exceptions, &options->except, session->input.prog->config, options->foreign);
    session->play.exceptions = session->exceptions.list;
    session->play.exception_count = session->exceptions.count;
    session->progress.fd = options->result_fd;
    if (options->debug) {
        session->play.progress = stop_runaway;
        session->play.progress_context = session;
    } else if (options->progress) {
        session->play.progress = run_progress_send;
        session->play.progress_context = &session->progress;
    }
    if (!cpu_notes_check(session->input.prog, err))
        return false;
    session->play.note = take_note;
    session->play.note_context = session;
    *look = (struct second_look){
        .wave = options->rtl.wave, .play = &session->play, .taps = &session->taps, .trace = session->input.name};
    if (options->wave_layer) {
        session->launches =
            wave_layer_launches(session->input.launches, options->wave_layer, &look->wave.launch_count, err);
        look->wave.launches = session->launches;
        if (!session->launches)
            return false;
    }
    if (options->debug && !options->no_waves) {
        autofree char *folder = report_folder(options, session->input.name);
        look->wave.path = session->wave_path = xprintf("%s/wave.fst", folder);
    }
    second_look_open(look, options, session->input.prog->config);
    if (options->tap_units && !taps_open(&session->taps, options, session->input.name, err))
        return false;
    if (options->dut != DUT_MODEL && !open_rtl(session, rtl_name, open, context, err))
        return false;
    if (options->dut != DUT_RTL)
        open_model(session);
    look->first.dev = session->devices[0];
    return true;
}

static void session_close(struct session *session) {
    for (int i = 0; i < session->input.played_count; i++) {
        play_result_free(&session->results[i]);
        session->devices[i]->ops->destroy(session->devices[i]);
    }
    exceptions_free(&session->exceptions);
    histogram_set_free(&session->histograms);
    corners_free(session->corners);
    taps_free(&session->taps);
    second_look_close(&session->look);
    run_progress_free(&session->progress);
    free(session->launches);
    free(session->wave_path);
}

/* Holds signals back, so that none separates a report from its result. */
static void hold_signals(bool hold) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/* Names the layers of the network to which the launches in the reason of a failure belong. */
static void name_network_layers(const struct program *prog, const struct named_launches *named, struct result *result) {
    struct network network;
    struct error err;
    if (!network_read(prog, &network, &err)) {
        words_add(&result->notes, "%s", err.text);
        return;
    }
    for (size_t i = 0; i < network.layer_count; i++) {
        const struct network_layer *layer = &network.layers[i];
        for (size_t n = 0; n < named->count; n++)
            if (named->items[n].launch.unit == (int)layer->unit && named->items[n].launch.ordinal == layer->ordinal) {
                words_add(&result->notes, "%s #%d is layer %u.%u of the network, %s", nvdla_unit_names[layer->unit],
                          layer->ordinal, layer->task, layer->operation, layer->type);
                break;
            }
    }
    network_free(&network);
}

/* Names the layer whose end a hanging trace of a network awaits: that of the next comment after the place. */
static void name_awaited_layer(const struct report_input *input, struct result *result) {
    const struct hang *hang = input->played_count ? input->played[0].result->hang : NULL;
    char layer[NETWORK_LAYER];
    if (!hang || hang->stream_count == 0)
        return;
    for (size_t i = hang->streams[0].op; i < hang->prog->count; i++) {
        const struct op *op = &hang->prog->ops[i];
        if (op->kind != OP_NOTE || !network_layer_name(op->text, layer))
            continue;
        words_add(&result->notes, "it waits for the end of layer %s of the network", layer);
        return;
    }
}

/* Compares and reports; closed: the recordings are written, else err says why not. False with a message if something
 * could not be written. */
static bool judge_run(struct session *session, bool closed, struct error *err) {
    const struct run_options *options = session->options;
    struct result *result = session->result;
    const struct rtl_statistics *rtl = session->results[0].statistics.rtl;
    session->input.wave = rtl && rtl->wave_cycles > 0 && !options->rtl.wave.plain ? session->look.wave.path : NULL;
    const struct named_launches named = judge(options, &session->input, result);
    for (int i = 0; i < session->input.played_count; i++)
        if (session->results[i].excepted > 0 && !options->quiet) {
            autofree char *note = exceptions_note(&session->exceptions, session->input.prog->config,
                                                  session->devices[i]->name, session->results[i].excepted);
            words_add(&result->notes, "%s", note);
        }
    const struct wrong_read *read = report_first_wrong_read(&session->input);
    if (read) {
        char text[REPORT_LINE];
        report_wrong_read(&session->input, read, text, sizeof text);
        if (!session->input.diagnosis || !strstr(session->input.diagnosis->walk.sentence, text))
            words_add(&result->notes, "cycle %" PRIu64 ": %s", read->beat.cycle, text);
    }
    if (closed && options->outputs)
        closed = outputs_write(session->input.prog, session->devices[0]->memory, options->outputs, err);
    if (closed)
        closed = dumps_write(&options->dumps, session->devices[0]->memory, err);
    name_network_layers(session->input.prog, &named, result);
    name_awaited_layer(&session->input, result);
    if (!closed)
        result_not_played(result, err->text);
    return closed;
}

/* Judges a finished run and delivers its result. Returns the exit status. */
static int end_run(struct session *session, double loaded) {
    struct result *result = session->result;
    const double played = process_cpu_clock();
    struct error err;
    hold_signals(true);
    const bool closed = close_files(&session->input, &err) && taps_close(&session->taps, &err);
    if (judge_run(session, closed, &err)) {
        taps_compare(&session->taps, session->input.played_count > 1 ? session->input.histograms : NULL,
                     &result->notes);
        name_recordings(session->options, session->look.wave.path, result);
    }
    if (session->options->stats) {
        result->load_seconds = loaded;
        result->rtl_seconds = session->seconds[true];
        result->model_seconds = session->seconds[false];
        result->compare_seconds = process_cpu_clock() - played;
    }
    return deliver(session->options, result);
}

/* Last part of a copy that has woken up (second_look.h), after its run on the RTL. For nvcosim debug it finds the
 * engine to blame, judges, and delivers the result instead of its original, which waits for it in second_look(). */
static _Noreturn void copy_main(struct session *session) {
    struct report_input *input = &session->input;
    struct diagnosis diagnosis = {.kind = DIAGNOSIS_NONE, .engine = ENGINE_COUNT};
    struct error err;
    if (!session->options->debug)
        second_look_leave(&session->look, &input->played[0]);
    hold_signals(true);
    bool good = close_files(input, &err);
    char *erratum;
    const bool known = errata_part(session->options, input, &erratum) >= ERRATA_LIKELY;
    free(erratum);
    if (good && !known) {
        good = diagnose(session->options, input, &session->taps, &diagnosis, &err) && point_at(input, &diagnosis, &err);
        input->diagnosis = &diagnosis;
    }
    if (judge_run(session, good, &err)) {
        if (!known)
            name_diagnosis(&diagnosis, session->result);
        name_recordings(session->options, session->look.wave.path, session->result);
    }
    copies_leave(deliver(session->options, session->result));
}

static bool has_ended(void *context, enum nvdla_unit unit, int ordinal) {
    const struct session *session = context;
    const struct launch *launch = layer_tracker_find(session->input.launches, unit, ordinal);
    bool armed;
    return launch && player_group_armed(session->devices[0], unit, launch->group, &armed) && !armed;
}

/* What the RTL should have read by now. Its reads of a hang wait for what hangs. */
static void judge_missing_reads(struct session *session) {
    const enum play_outcome outcome = session->results[0].outcome;
    struct read_judge *reads = &session->look.first.reads;
    if (outcome == PLAY_PASSED || outcome == PLAY_CHECK_FAILED || outcome == PLAY_STOPPED)
        read_judge_end(reads, outcome == PLAY_PASSED && reads->complete, has_ended, session);
    session->input.reads = reads;
}

/* Plays on all devices: the RTL first, or the model if the RTL's writes are judged by the model's. */
static void play_devices(struct session *session) {
    struct report_input *input = &session->input;
    const bool judged = session->look.journal != NULL;
    const int count = input->played_count;
    session->progress.from = 0;
    for (int n = 0; n < count; n++) {
        const double begin = process_cpu_clock();
        const int i = judged ? count - 1 - n : n;
        struct device *device = session->devices[i];
        struct play_result *result = &session->results[i];
        struct play_options model_options = session->play;
        model_options.stop_at_first = false;
        session->progress.start = session->progress.last = process_clock();
        session->progress.share = count == 1 ? 1 : i == 0 ? RTL_SHARE : 1 - RTL_SHARE;
        play(input->prog, device, i == 0 ? &session->play : &model_options, result);
        hang_explain(result);
        if (judged && i > 0 && device->ops->finish)
            device->ops->finish(device, NULL); /* threads end, so that copies can be made */
        if (i > 0)
            session->look.first.complete = session->look.first.reads.complete =
                result->outcome == PLAY_PASSED || result->outcome == PLAY_CHECK_FAILED;
        session->seconds[result->statistics.rtl != NULL] += process_cpu_clock() - begin;
        input->played[i] = (struct played){.dev = device, .result = result};
        session->progress.from += session->progress.share;
        if (i == 0 && session->look.first.found.kind != WRONG_NONE)
            input->wrong = &session->look.first.found;
        if (i == 0 && judged)
            judge_missing_reads(session);
        if (i == 0 && second_look_is_copy(&session->look))
            copy_main(session);
    }
}

/* The functional bins that a trace exercises, in hex digits. free() it. */
static char *functional_bins(const struct program *prog, const struct layer_tracker *launches,
                             const struct corners *corners) {
    size_t n;
    unsigned char *bits = coverage_bits(prog, launches, corners, &n);
    char *digits = xmalloc(2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        digits[2 * i] = "0123456789abcdef"[bits[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[bits[i] & 15];
    }
    digits[2 * n] = '\0';
    free(bits);
    return digits;
}

/* Plays, judges and delivers. Returns the exit status. */
static int play_program(const struct run_options *options, const struct program *prog, const char *rtl_name,
                        rtl_open open, void *context, struct result *result) {
    struct layer_tracker *tracker = program_launches(prog);
    struct session session = {
        .options = options,
        .result = result,
        .input = {.name = result->trace, .prog = prog, .launches = tracker, .html = options->html}};
    if (options->rtl.axi.fault.kind)
        session.input.bus_fault = bus_fault_infos[options->rtl.axi.fault.kind].name;
    struct error err;
    int status;
    if (options->histogram)
        session.input.histograms = options->dut == DUT_RTL ? &session.taps.counts : &session.histograms;
    if (session_open(&session, rtl_name, open, context, &err)) {
        run_progress_measure(prog, tracker, result, &session.progress);
        if (!session.play.timeout)
            session.play.timeout = endless_clocks(&session.progress, &options->rtl.axi);
        const double loaded = process_cpu_clock();
        play_devices(&session);
        if (options->functional)
            result->coverage = functional_bins(prog, tracker, session.corners);
        if (!second_look(&session.look, &session.input, &result->notes, &status))
            status = end_run(&session, loaded);
    } else {
        result_not_played(result, err.text);
        status = deliver(options, result);
    }
    session_close(&session);
    layer_tracker_free(tracker);
    return status;
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
    const char *path = options->traces.items[0];
    const bool there = !options->layer.generator ||
                       layer_write(&options->layer, options->config, !options->foreign || options->errata, path, &err);
    struct program *prog = there ? read_trace(options, path, &err) : NULL;
    int status;
    if (prog) {
        free(result.config);
        result.config = xstrdup(prog->config->name);
        status = play_program(options, prog, rtl_name, open, context, &result);
        program_free(prog);
    } else {
        result_not_played(&result, err.text);
        status = deliver(options, &result);
    }
    if (options->result_fd < 0) /* a process that has delivered its verdict must not end by a signal */
        hold_signals(false);
    result_free(&result);
    return status;
}

int play_none(const struct run_options *options, const char *dut, const char *format, ...) {
    struct result result = new_result(options, dut);
    va_list arguments;
    va_start(arguments, format);
    autofree char *reason = xvprintf(format, arguments);
    va_end(arguments);
    result_not_played(&result, reason);
    const int status = deliver(options, &result);
    result_free(&result);
    return status;
}
