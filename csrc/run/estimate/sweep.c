/* Estimates of many points. See sweep.h. */
#include "run/estimate/sweep.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/estimate/point.h"
#include "run/process/process.h"
#include "trace/network.h"

struct sweep {
    const struct sweep_options *options;
    struct sweep_point *points;
    size_t count;
};

/* The limit of the layers that together take most of the clocks. */
static void find_limit(const struct estimate *estimate, struct sweep_point *point) {
    double clocks[ESTIMATE_LIMITS] = {0}, all = 0;
    int most = 0;
    for (size_t i = 0; i < estimate->count; i++) {
        clocks[estimate->layers[i].limit] += estimate->layers[i].clocks;
        all += estimate->layers[i].clocks;
    }
    for (int i = 1; i < ESTIMATE_LIMITS; i++)
        if (clocks[i] > clocks[most])
            most = i;
    snprintf(point->limit, sizeof point->limit, "%s", estimate_limit_names[most]);
    point->share = all > 0 ? 100 * clocks[most] / all : 0;
}

static bool estimate_point(struct sweep *sweep, const struct point *of, const char *config, const char *name,
                           struct error *err) {
    struct point_memory memory;
    struct estimate estimate = {0};
    const double mhz = sweep->options->mhz;
    if (!point_memory_read(name, &memory, err))
        return false;
    const bool good = point_estimate(of, &memory, &sweep->options->laws, NULL, mhz, &estimate, err);
    if (good) {
        sweep->points = xgrow(sweep->points, sweep->count, sizeof *sweep->points);
        struct sweep_point *point = &sweep->points[sweep->count++];
        *point = (struct sweep_point){.network = of->path,
                                      .config = config,
                                      .memory = name,
                                      .clocks = estimate.clocks,
                                      .mhz = point_mhz(&memory, mhz),
                                      .use = estimate_use(of->config, estimate.macs, estimate.clocks),
                                      .macs = estimate.macs,
                                      .read_bytes = estimate.read_bytes,
                                      .write_bytes = estimate.write_bytes};
        snprintf(point->own, sizeof point->own, "%s", of->config->name);
        find_limit(&estimate, point);
    } else
        error_prefix(err, "%s, %s: ", config ? config : of->config->name, name);
    estimate_free(&estimate);
    return good;
}

/* All memories of a network on a configuration. */
static bool estimate_config(struct sweep *sweep, const char *network, const char *config, struct error *err) {
    struct point point;
    bool good = point_open(network, config, sweep->options->plan, NULL, &point, err);
    for (size_t m = 0; good && m < sweep->options->memories.count; m++)
        good = estimate_point(sweep, &point, config, sweep->options->memories.items[m], err);
    point_close(&point);
    return good;
}

static bool estimate_all(struct sweep *sweep, struct error *err) {
    const struct sweep_options *options = sweep->options;
    for (size_t n = 0; n < options->networks.count; n++) {
        const size_t configs = options->configs.count ? options->configs.count : 1;
        for (size_t c = 0; c < configs; c++)
            if (!estimate_config(sweep, options->networks.items[n],
                                 options->configs.count ? options->configs.items[c] : NULL, err))
                return false;
    }
    return true;
}

/* ---- measurements ---- */

/* The words of `nvcosim run` for a point. False with a message: this point has no RTL, or its memory is only estimated.
 */
static bool run_words(const struct sweep_point *point, const char *folder, struct words *words, struct error *err) {
    struct point_memory memory;
    struct config_variant variant;
    if (!config_variant_read(point->config ? point->config : point->own, &variant, err) ||
        !point_memory_read(point->memory, &memory, err))
        return false;
    if (strchr(variant.name, ','))
        return error_set(err, "--measure: %s has no RTL", variant.name);
    if (memory.gigabytes > 0 || memory.reads)
        return error_set(err, "--measure: %s: expected latency=N, bandwidth=PERMILLE or a DRAM, which the RTL can have",
                         point->memory);
    words_add(words, "/proc/self/exe");
    words_add(words, "run");
    words_add(words, "--dut=rtl");
    words_add(words, "--html");
    words_add(words, "--out=%s", folder);
    words_add(words, "--config=%s", variant.name);
    if (memory.dram.name[0])
        words_add(words, "--memory=%s", point->memory);
    else {
        words_add(words, "--latency=%.0f", memory.latency);
        words_add(words, "--bandwidth=%.0f", 1000 * memory.bandwidth);
    }
    words_add(words, "%s", point->network);
    return true;
}

/* Clocks from the first start to the last end of the layers in the report.json of the only trace in a folder; 0 if
 * there are none. */
static double reported_clocks(const char *folder) {
    char *pattern = xprintf("%s/*/report.json", folder), *text = NULL;
    double first = 0, last = 0, value;
    size_t size;
    struct error err;
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0 && file_read(found.gl_pathv[0], &text, &size, &err)) {
        char *end = strstr(text, "\"timeline\":");
        if (end)
            *end = '\0';
        for (const char *at = text; (at = strstr(at, "\"start\":")) && sscanf(at, "\"start\":%lf", &value) == 1; at++)
            first = first == 0 || value < first ? value : first;
        for (const char *at = text; (at = strstr(at, "\"end\":")) && sscanf(at, "\"end\":%lf", &value) == 1; at++)
            last = value > last ? value : last;
    }
    globfree(&found);
    free(text);
    free(pattern);
    return last - first;
}

static bool measure(struct sweep_point *point, struct error *err) {
    struct words words = {0};
    char folder[PATH_MAX], *output = NULL;
    int status = 0;
    if (!directory_temporary(folder, sizeof folder, err))
        return false;
    if (run_words(point, folder, &words, err)) {
        if (is_network(point->network))
            words_add(&words, "--input=zero");
        output = process_output(words.items, &status, err);
    }
    words_free(&words);
    if (output)
        point->measured = reported_clocks(folder);
    const bool good = output && point->measured > 0;
    if (output && !good) {
        char *last = text_last_line(output, strlen(output));
        error_set(err, "--measure: %s on %s, %s: nvcosim run ended with %d: %s", point->network,
                  point->config ? point->config : point->own, point->memory, status, last);
        free(last);
    }
    free(output);
    directory_remove(folder);
    return good;
}

static bool measure_all(const struct sweep *sweep, struct error *err) {
    for (size_t i = 0; i < sweep->options->measure.count; i++) {
        const char *const text = sweep->options->measure.items[i];
        uint64_t number = 0;
        const bool all = strcmp(text, "all") == 0;
        if (!all && (!text_number(text, sweep->count, &number) || !number))
            return error_set(err, "--measure: found '%s', expected a point from 1 to %zu, or all", text, sweep->count);
        for (size_t p = all ? 0 : number - 1; p < (all ? sweep->count : number); p++)
            if (!measure(&sweep->points[p], err))
                return false;
    }
    return true;
}

/* ---- results ---- */

static double error_of(const struct sweep_point *point) {
    return 100 * (point->clocks / point->measured - 1);
}

static void print_table(const struct sweep *sweep) {
    printf("%4s  %-28s %-28s %-24s %12s %9s %6s %9s %-14s %12s %8s\n", "", "network", "configuration", "memory",
           "clocks", "frames/s", "MAC %", "MB/frame", "limit", "measured", "error %");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        const char *const slash = strrchr(point->network, '/');
        printf("%4zu  %-28s %-28s %-24s %12.0f %9.2f %6.1f %9.3f %-8s %4.0f%%", i + 1,
               slash ? slash + 1 : point->network, point->config ? point->config : point->own, point->memory,
               point->clocks, point->clocks > 0 ? point->mhz * 1e6 / point->clocks : 0, point->use,
               (double)(point->read_bytes + point->write_bytes) / 1e6, point->limit, point->share);
        if (point->measured > 0)
            printf(" %13.0f %8.1f", point->measured, error_of(point));
        printf("\n");
    }
}

static void write_csv(FILE *out, const struct sweep *sweep) {
    fprintf(out,
            "point,network,config,memory,mhz,clocks,frames_per_second,mac_percent,macs,bytes_read,bytes_written,limit,"
            "limit_percent,measured_clocks,error_percent\n");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_point *point = &sweep->points[i];
        fprintf(out, "%zu,\"%s\",\"%s\",\"%s\",%.3f,%.0f,%.4f,%.2f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%.1f,", i + 1,
                point->network, point->config ? point->config : point->own, point->memory, point->mhz, point->clocks,
                point->clocks > 0 ? point->mhz * 1e6 / point->clocks : 0, point->use, point->macs, point->read_bytes,
                point->write_bytes, point->limit, point->share);
        if (point->measured > 0)
            fprintf(out, "%.0f,%.2f\n", point->measured, error_of(point));
        else
            fprintf(out, ",\n");
    }
}

static bool write_file(const char *path, const struct sweep *sweep, bool page, struct error *err) {
    FILE *out = fopen(path, "w");
    if (!out)
        return error_set(err, "%s: cannot be written", path);
    if (page)
        sweep_page(out, sweep->points, sweep->count);
    else
        write_csv(out, sweep);
    const bool good = !ferror(out);
    return (fclose(out) == 0 && good) || error_set(err, "%s: cannot be written", path);
}

bool sweep_run(const struct sweep_options *options, struct error *err) {
    struct sweep sweep = {.options = options};
    bool good = estimate_all(&sweep, err) && measure_all(&sweep, err);
    if (good)
        print_table(&sweep);
    good = good && (!options->csv || write_file(options->csv, &sweep, false, err));
    good = good && (!options->html || write_file(options->html, &sweep, true, err));
    free(sweep.points);
    return good;
}
