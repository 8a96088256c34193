#include "run/session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "model/model.h"
#include "report/names.h"
#include "report/report.h"
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

/* The line "cycles, cycles/s, operations, layer" on a terminal. */
struct progress {
    const char *name;
    const struct layer_tracker *layers;
    bool enabled;
    struct timespec start, shown;
};

static double seconds_between(const struct timespec *from, const struct timespec *to) {
    return (double)(to->tv_sec - from->tv_sec) + 1e-9 * (double)(to->tv_nsec - from->tv_nsec);
}

/* The last layer armed among the first `done` operations of the file. */
static const struct launch *running_layer(const struct layer_tracker *layers, size_t done) {
    const struct launch *last = NULL;
    for (size_t i = 0; i < layer_tracker_count(layers); i++) {
        const struct launch *launch = layer_tracker_launch(layers, i);
        if (launch->tag < done)
            last = launch;
    }
    return last;
}

static void show_progress(void *context, const struct device *dev, size_t done, size_t total) {
    struct progress *progress = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!progress->enabled || seconds_between(&progress->shown, &now) < 0.2)
        return;
    progress->shown = now;
    uint64_t cycles = dev->ops->time((struct device *)dev);
    double elapsed = seconds_between(&progress->start, &now);
    const struct launch *layer = running_layer(progress->layers, done);
    char layer_text[64] = "";
    if (layer)
        snprintf(layer_text, sizeof layer_text, ", layer %s #%d", nvdla_unit_names[layer->unit], layer->ordinal);
    fprintf(stderr, "\r%s on %s: %" PRIu64 " cycles, %.0f cycles/s, %zu of %zu operations%s\033[K", progress->name,
            dev->name, cycles, elapsed > 0 ? (double)cycles / elapsed : 0, done, total, layer_text);
    fflush(stderr);
}

static void clear_progress(const struct progress *progress) {
    if (progress->enabled) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

static uint64_t sum(const uint64_t *values) {
    uint64_t total = 0;
    for (int i = 0; i < AXI_IDS; i++)
        total += values[i];
    return total;
}

/* Multiplications of all convolutions of the program. */
static uint64_t program_macs(const struct layer_tracker *launches) {
    uint64_t macs = 0;
    for (size_t i = 0; i < layer_tracker_count(launches); i++)
        macs += launch_macs(layer_tracker_launch(launches, i));
    return macs;
}

static void print_stats(const struct device *dev, const struct play_result *result, uint64_t macs) {
    const struct device_statistics *s = &result->statistics;
    if (s->cycles == 0) {
        printf("  %s: %.3f ms CPU in its layers", dev->name, 1e3 * s->cpu_seconds);
        if (macs > 0 && s->cpu_seconds > 0)
            printf(", %.2f GMAC/s", 1e-9 * (double)macs / s->cpu_seconds);
        if (s->model && s->model->table_hits + s->model->table_builds > 0)
            printf("; convolution tables: %" PRIu64 " built, %" PRIu64 " found again", s->model->table_builds,
                   s->model->table_hits);
        putchar('\n');
        return;
    }
    printf("  %s: %" PRIu64 " cycles, op_cycles %" PRIu64 "\n", dev->name, s->cycles, s->op_cycles);
    if (macs > 0 && s->op_cycles > 0) {
        const double peak = (double)s->op_cycles * dev->config->atomic_c * dev->config->atomic_k;
        printf("  MAC array: %" PRIu64 " multiplications, %.1f %% of its peak over op_cycles\n", macs,
               100.0 * (double)macs / peak);
    }
    for (int write = 0; write < 2; write++) {
        const uint64_t *beats = write ? s->write_beats : s->read_beats;
        uint64_t total = sum(beats);
        printf("  %s: %" PRIu64 " beats", write ? "write" : "read", total);
        if (s->op_cycles > 0)
            printf(", %.1f %% of op_cycles", 100.0 * (double)total / (double)s->op_cycles);
        for (int id = 0; id < AXI_IDS; id++)
            if (beats[id] > 0)
                printf("%s%s %" PRIu64, id ? ", " : "; ", axi_client_name(id, write != 0), beats[id]);
        putchar('\n');
    }
    if (s->outside > 0)
        printf("  accesses outside the regions: %" PRIu64 "\n", s->outside);
    if (s->rtl)
        printf("  VPI: %.3f calls a cycle, at most %" PRIu64 ", %" PRIu64 " quiet cycles\n",
               (double)s->rtl->vpi_calls / (double)s->cycles, s->rtl->most_vpi_per_cycle, s->rtl->quiet_cycles);
    if (s->cpu_seconds > 0) {
        double share = s->rtl ? s->rtl->eval_share : 0, outside = 1.0 - share;
        printf("  speed: %.3f CPU seconds, %.0f cycles/s", s->cpu_seconds, (double)s->cycles / s->cpu_seconds);
        if (share > 0)
            printf(", %.1f %% outside the design's evaluation (%.0f ns a cycle)", 100.0 * outside,
                   1e9 * outside * s->cpu_seconds / (double)s->cycles);
        else
            printf(", time outside the design's evaluation not measured");
        putchar('\n');
    }
}

static void print_checks(const struct device *dev, const struct play_result *result) {
    fprintf(stderr,
            "  %s: %zu checks done, %zu not compared (units not built), %zu volatile reads differ, %" PRIu64
            " interrupts serviced, %zu findings\n",
            dev->name, result->checks_done, result->checks_skipped, result->volatile_mismatches, result->interrupts,
            dev->finding_count);
}

/* PASS name  cycles=... ops=... (small, rtl+model) or FAIL name: reason. */
static void print_summary(const char *name, const struct report_input *input, const struct report *report) {
    enum report_status status = report_status(report);
    const struct play_result *first = input->played[0].result;
    const struct device_statistics *statistics = &first->statistics;
    if (status != REPORT_PASSED) {
        const char *verdict = status == REPORT_REFUSED ? "REFUSED" : status == REPORT_HUNG ? "HANG" : "FAIL";
        printf("%s %s: %s\n", verdict, name, report_reason(report));
        return;
    }
    printf("PASS %s ", name);
    if (statistics->cycles > 0)
        printf(" cycles=%" PRIu64, statistics->cycles);
    printf(" ops=%zu checks=%zu", input->prog->count, first->checks_done);
    if (first->checks_skipped > 0)
        printf(" not_compared=%zu", first->checks_skipped);
    if (statistics->cycles > 0)
        printf(" beats=%" PRIu64 "/%" PRIu64 " op_cycles=%" PRIu64, sum(statistics->read_beats),
               sum(statistics->write_beats), statistics->op_cycles);
    printf(" (%s, %s", input->prog->config->name, input->played[0].dev->name);
    if (input->played_count > 1)
        printf("+%s", input->played[1].dev->name);
    printf(")\n");
}

static int write_report(const struct run_options *options, const char *name, const struct report *report) {
    bool failed = report_status(report) != REPORT_PASSED;
    const bool wanted = options->out || failed || options->histogram;
    char directory[4096];
    struct error err;
    int n = snprintf(directory, sizeof directory, "%s/%s", options->out ? options->out : "nvcosim-out", name);
    if (n < 0 || (size_t)n >= sizeof directory) {
        fprintf(stderr, "nvcosim: --out: the path is too long\n");
        return EXIT_BAD_INPUT;
    }
    if (!(wanted ? report_write(report, directory, &err) : report_clean(directory, &err))) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (wanted && (!options->quiet || failed))
        fprintf(stderr, "  report: %s/report.txt%s\n", directory,
                options->histogram ? ", pictures of the histograms in histogram.svg, counts in histogram.json" : "");
    return EXIT_OK;
}

/* Warns of waves asked for from a cycle on that the run never reached. */
static void check_window(const struct run_options *options, const char *name, const struct device_statistics *rtl) {
    if (options->rtl.wave_path && rtl->cycles <= options->rtl.wave_from)
        fprintf(stderr,
                "nvcosim: warning: %s had %" PRIu64 " cycles, so it was over before --wave-from %" PRIu64
                ": %s shows nothing of it\n",
                name, rtl->cycles, options->rtl.wave_from, options->rtl.wave_path);
}

/* Programming that breaks rules of the spec. */
static void print_warnings(const struct report_input *input, const struct report *report) {
    for (int i = 0; i < input->played_count; i++) {
        const struct device *dev = input->played[i].dev;
        for (size_t w = 0; w < dev->warning_count; w++) {
            char text[1024];
            fprintf(stderr, "nvcosim: warning: %s\n", report_warning(report, &dev->warnings[w], text, sizeof text));
        }
        if (dev->warnings_dropped > 0)
            fprintf(stderr, "nvcosim: warning: and %" PRIu64 " more\n", dev->warnings_dropped);
    }
}

static int summarize(const struct run_options *options, const char *name, const struct report_input *input) {
    struct report *report = report_new(input);
    enum report_status status = report_status(report);
    if (!options->quiet || status != REPORT_PASSED) {
        print_warnings(input, report);
        print_summary(name, input, report);
    }
    fflush(stdout);
    check_window(options, name, &input->played[0].result->statistics);
    if (!options->quiet && status == REPORT_REFUSED)
        fprintf(stderr, "  --allow-undefined plays it all the same; is %s the configuration this trace was made for?\n",
                input->prog->config->name);
    for (int i = 0; i < input->played_count; i++) {
        const struct played *played = &input->played[i];
        const char *details = played->result->message ? strchr(played->result->message, '\n') : NULL;
        if (details && details[1])
            fprintf(stderr, "  %s:\n%s", played->dev->name, details + 1);
        if (options->verbose)
            print_checks(played->dev, played->result);
        if (options->stats)
            print_stats(played->dev, played->result, program_macs(input->launches));
    }
    int written = write_report(options, name, report);
    report_free(report);
    return worse_status(written, status == REPORT_PASSED    ? EXIT_OK
                                 : status == REPORT_FAILED  ? EXIT_DIFFERENT
                                 : status == REPORT_REFUSED ? EXIT_BAD_INPUT
                                                            : EXIT_HUNG);
}

/* Opens the devices of the run, the RTL first. Returns their number, 0 with a message if one can not be opened. */
static int open_devices(const struct run_options *options, const struct program *prog, const char *rtl_name,
                        rtl_open open, void *context, struct histogram_set *histograms, struct device **devices,
                        struct error *err) {
    int count = 0;
    if (options->dut != DUT_MODEL) {
        devices[count] = open(context, prog->config, &options->rtl, err);
        if (!devices[count])
            return 0;
        devices[count]->name = rtl_name;
        count++;
    }
    if (options->dut != DUT_RTL) {
        struct model_options model = {.allow_outside = options->rtl.axi.allow_outside,
                                      .allow_undefined = options->allow_undefined,
                                      .histograms = histograms,
                                      .threads = (size_t)options->threads};
        devices[count] = model_new(prog->config, &model, err);
        if (!devices[count]) {
            if (count > 0)
                devices[0]->ops->destroy(devices[0]);
            return 0;
        }
        count++;
    }
    return count;
}

static int play_program(const struct run_options *options, const char *name, const struct program *prog,
                        const char *rtl_name, rtl_open open, void *context) {
    struct device *devices[PLAYED_MAX];
    struct play_result results[PLAYED_MAX];
    struct layer_tracker *layers = program_launches(prog);
    struct report_input input = {.name = name, .prog = prog, .launches = layers};
    struct error err;
    struct histogram_set histograms = {0};
    input.histograms = options->histogram ? &histograms : NULL;
    input.played_count =
        open_devices(options, prog, rtl_name, open, context, options->histogram ? &histograms : NULL, devices, &err);
    if (input.played_count == 0) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        layer_tracker_free(layers);
        return EXIT_BAD_INPUT;
    }
    struct progress progress = {.name = name, .layers = layers, .enabled = !options->no_progress && !options->quiet};
    progress.enabled = progress.enabled && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
    struct play_options play_options = options->play;
    play_options.progress = show_progress;
    play_options.progress_context = &progress;
    for (int i = 0; i < input.played_count; i++) {
        clock_gettime(CLOCK_MONOTONIC, &progress.start);
        progress.shown = progress.start;
        play(prog, devices[i], &play_options, &results[i]);
        input.played[i] = (struct played){.dev = devices[i], .result = &results[i]};
    }
    clear_progress(&progress);
    sigset_t to_end, before;
    sigemptyset(&to_end);
    sigaddset(&to_end, SIGTERM);
    sigaddset(&to_end, SIGINT);
    sigprocmask(SIG_BLOCK, &to_end, &before);
    int status = summarize(options, name, &input);
    fflush(stdout);
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < input.played_count; i++) {
        play_result_free(&results[i]);
        devices[i]->ops->destroy(devices[i]);
    }
    histogram_set_free(&histograms);
    layer_tracker_free(layers);
    return status;
}

int play_one(const struct run_options *options, const char *rtl_name, rtl_open open, void *context) {
    const char *path = options->traces.items[0];
    char name[512];
    struct error err;
    struct program *prog = read_trace(options, path, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (options->name)
        snprintf(name, sizeof name, "%s", options->name);
    else
        trace_name(path, name, sizeof name);
    int status = play_program(options, name, prog, rtl_name, open, context);
    program_free(prog);
    fflush(stdout);
    return status;
}
