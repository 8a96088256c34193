/* Prints a result: the line of the trace on stdout, explanations on stderr. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/result/result.h"

/* ---- warnings, one of each kind ---- */

/* What warnings of one kind have in common: the text without the place in the trace, numbers, and the decoded fields of
 * a register's value. */
static char *warning_key(const char *text) {
    struct text key = {0};
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        const size_t digits = strspn(colon + 1, "0123456789");
        if (digits > 0 && strncmp(colon + 1 + digits, ": ", 2) == 0) {
            text = colon + digits + 3;
            break;
        }
    }
    text_add(&key, "", 0);
    for (const char *c = text; *c;) {
        if (strncmp(c, " = 0x", 5) == 0) {
            c += 5 + strspn(c + 5, "0123456789abcdef");
            if (strncmp(c, " (", 2) == 0 && strchr(c, ')'))
                c = strchr(c, ')') + 1;
        } else if (*c >= '0' && *c <= '9')
            c++;
        else
            text_add(&key, c++, 1);
    }
    return key.text;
}

void warning_print(struct warning_kinds *kinds, const char *text, bool verbose) {
    char *key = warning_key(text);
    for (size_t i = 0; i < kinds->count; i++) {
        struct warning_kind *kind = &kinds->kinds[i];
        if (strcmp(kind->key, key) != 0)
            continue;
        kind->more += !verbose;
        free(key);
        if (verbose)
            fprintf(stderr, "nvcosim: warning: %s\n", text);
        return;
    }
    *xadd(kinds->kinds, kinds->count) = (struct warning_kind){.key = key, .first = xstrdup(text)};
    fprintf(stderr, "nvcosim: warning: %s\n", text);
}

void warning_kinds_print(const struct warning_kinds *kinds) {
    enum { SHOWN = 100 };
    for (size_t i = 0; i < kinds->count; i++) {
        const struct warning_kind *kind = &kinds->kinds[i];
        if (kind->more > 0)
            fprintf(stderr, "nvcosim: %" PRIu64 " more warning%s like: %.*s%s (-v shows all)\n", kind->more,
                    kind->more == 1 ? "" : "s", SHOWN, kind->first, strlen(kind->first) > SHOWN ? " ..." : "");
    }
}

void warning_kinds_free(struct warning_kinds *kinds) {
    for (size_t i = 0; i < kinds->count; i++) {
        free(kinds->kinds[i].key);
        free(kinds->kinds[i].first);
    }
    free(kinds->kinds);
    *kinds = (struct warning_kinds){0};
}

/* ---- statistics ---- */

static void print_model(FILE *out, const struct result *result, const struct result_device *device) {
    fprintf(out, "  %s: %.3f ms CPU in its layers", device->name, 1e3 * device->cpu_seconds);
    if (result->macs > 0 && device->cpu_seconds > 0)
        fprintf(out, ", %.2f GMAC/s", 1e-9 * (double)result->macs / device->cpu_seconds);
    if (device->table_hits + device->table_builds > 0)
        fprintf(out, "; convolution tables: %" PRIu64 " built, %" PRIu64 " found again", device->table_builds,
                device->table_hits);
    fputc('\n', out);
}

static void print_beats(FILE *out, const struct result_device *device, bool write) {
    const uint64_t *beats = write ? device->write_beats : device->read_beats, total = device_beats(beats);
    fprintf(out, "  %s: %" PRIu64 " beats", write ? "write" : "read", total);
    if (device->op_cycles > 0)
        fprintf(out, ", %.1f %% of op_cycles", 100.0 * (double)total / (double)device->op_cycles);
    const char *separator = "; ";
    for (int id = 0; id < AXI_IDS; id++) {
        if (beats[id] > 0) {
            fprintf(out, "%s%s %" PRIu64, separator, nvdla_client_name(id, write), beats[id]);
            separator = ", ";
        }
    }
    fputc('\n', out);
}

static void print_rtl(FILE *out, const struct result *result, const struct result_device *device) {
    const struct nvdla_config *config = nvdla_config_find(result->config);
    fprintf(out, "  %s: %" PRIu64 " cycles, op_cycles %" PRIu64 "\n", device->name, device->cycles, device->op_cycles);
    if (config && result->macs > 0 && device->op_cycles > 0)
        fprintf(out, "  MAC array: %" PRIu64 " multiplications, %.1f %% of its peak over op_cycles\n", result->macs,
                100.0 * (double)result->macs / ((double)device->op_cycles * config->atomic_c * config->atomic_k));
    print_beats(out, device, false);
    print_beats(out, device, true);
    if (device->memory)
        fputs(device->memory, out);
    if (device->outside > 0)
        fprintf(out, "  accesses outside the regions: %" PRIu64 "\n", device->outside);
    fprintf(out, "  testbench: %.3f accesses a cycle, at most %" PRIu64 ", %" PRIu64 " quiet cycles\n",
            (double)device->vpi_calls / (double)device->cycles, device->most_vpi_per_cycle, device->quiet_cycles);
    if (device->cpu_seconds > 0) {
        const double outside = 1.0 - device->eval_share;
        fprintf(out, "  speed: %.3f CPU seconds, %.0f cycles/s", device->cpu_seconds,
                (double)device->cycles / device->cpu_seconds);
        if (device->eval_share > 0)
            fprintf(out, ", %.1f %% outside the design's evaluation (%.0f ns a cycle)", 100.0 * outside,
                    1e9 * outside * device->cpu_seconds / (double)device->cycles);
        else
            fprintf(out, ", time outside the design's evaluation not measured");
        fputc('\n', out);
    }
}

static void print_share(FILE *out, const char *what, double seconds, double total) {
    fprintf(out, "%s %.3f (%.1f %%)", what, seconds, 100 * seconds / total);
}

/* Prints the use of CPU time in a run, from the start of playing to the verdict. */
static void print_time(FILE *out, const struct result *result) {
    const double total = result->load_seconds + result->rtl_seconds + result->model_seconds + result->compare_seconds;
    const double share = result->device_count > 0 ? result->devices[0].eval_share : 0;
    if (total <= 0)
        return;
    fprintf(out, "  time: %.3f CPU seconds: ", total);
    print_share(out, "load", result->load_seconds, total);
    if (result->rtl_seconds > 0 && share > 0) {
        print_share(out, ", design", share * result->rtl_seconds, total);
        print_share(out, ", bench", (1 - share) * result->rtl_seconds, total);
    } else if (result->rtl_seconds > 0)
        print_share(out, ", design and bench", result->rtl_seconds, total);
    if (result->model_seconds > 0)
        print_share(out, ", model", result->model_seconds, total);
    print_share(out, ", compare", result->compare_seconds, total);
    fputc('\n', out);
}

/* ---- the line of a trace ---- */

static void print_figures(FILE *out, const struct result *result) {
    const struct result_device *first = &result->devices[0];
    if (first->clocked)
        fprintf(out, " cycles=%" PRIu64, first->cycles);
    fprintf(out, " ops=%" PRIu64 " checks=%" PRIu64, result->operations, first->checks);
    if (first->not_compared > 0)
        fprintf(out, " not_compared=%" PRIu64, first->not_compared);
    if (first->clocked)
        fprintf(out, " beats=%" PRIu64 "/%" PRIu64 " op_cycles=%" PRIu64, device_beats(first->read_beats),
                device_beats(first->write_beats), first->op_cycles);
    fprintf(out, " (%s, %s)", result->config, result->dut);
    if (!result->compared)
        fputs(": nothing was compared", out);
}

/* PASS name  cycles=... ops=... (small, rtl+model) or FAIL name: reason. */
static void print_line(const struct result *result, const struct result_style *style) {
    static const char *const colours[VERDICT_COUNT] = {
        [VERDICT_PASS] = "\033[32m",    [VERDICT_FAIL] = "\033[31m",    [VERDICT_HANG] = "\033[35m",
        [VERDICT_REFUSED] = "\033[33m", [VERDICT_CRASH] = "\033[1;31m", [VERDICT_ERROR] = "\033[33m"};
    autofree char *name = text_shown(result->trace);
    fprintf(style->out, "%s%s%s %s", style->colour ? colours[result->verdict] : "", verdict_names[result->verdict],
            style->colour ? "\033[0m" : "", name);
    if (result->verdict == VERDICT_PASS) {
        fputs(" ", style->out);
        if (result->device_count > 0)
            print_figures(style->out, result);
    } else {
        autofree char *reason = text_shown(result->reason ? result->reason : "");
        fprintf(style->out, ": %s", reason);
    }
    fputc('\n', style->out);
}

static void print_checks(const struct result_device *device) {
    fprintf(stderr,
            "  %s: %" PRIu64 " checks done, %" PRIu64 " not compared (not built), %" PRIu64
            " volatile reads differ, %" PRIu64 " interrupts serviced, %" PRIu64 " %s\n",
            device->name, device->checks, device->not_compared, device->volatile_mismatches, device->interrupts,
            device->findings, text_plural(device->findings, "finding", "findings"));
}

/* True if a line was not printed before. */
static bool is_new(const struct result_style *style, const char *line) {
    for (size_t i = 0; style->shown && i < style->shown->count; i++)
        if (strcmp(style->shown->items[i], line) == 0)
            return false;
    if (style->shown)
        words_put(style->shown, line);
    return true;
}

void result_print(const struct result *result, const struct result_style *style, struct warning_kinds *kinds) {
    const bool passed = result->verdict == VERDICT_PASS;
    if (!style->quiet || !passed) {
        for (size_t i = 0; i < result->warnings.count; i++)
            if (is_new(style, result->warnings.items[i]))
                warning_print(kinds, result->warnings.items[i], style->verbose);
        if (result->warnings_dropped > 0)
            fprintf(stderr, "nvcosim: warning: and %" PRIu64 " more\n", result->warnings_dropped);
        if (is_new(style, result->reason ? result->reason : ""))
            print_line(result, style);
    }
    for (int i = 0; style->stats && i < result->device_count; i++) {
        const struct result_device *device = &result->devices[i];
        if (device->clocked)
            print_rtl(style->out, result, device);
        else
            print_model(style->out, result, device);
    }
    if (style->stats)
        print_time(style->out, result);
    fflush(style->out); /* stderr may be the same file: the line comes first */
    for (size_t i = 0; i < result->notes.count; i++) {
        autofree char *note = text_shown(result->notes.items[i]);
        if (is_new(style, note))
            fprintf(stderr, "  %s\n", note);
    }
    for (int i = 0; i < result->device_count; i++) {
        const struct result_device *device = &result->devices[i];
        if (device->details && is_new(style, device->details))
            fprintf(stderr, "  %s:\n%s", device->name, device->details);
        if (style->verbose)
            print_checks(device);
    }
    if (result->report && (!style->quiet || !passed) && is_new(style, result->report)) {
        autofree char *report = text_shown(result->report);
        const int n = (int)(strlen(report) - (text_ends_with(report, "report.json") ? strlen("json") : 0));
        fprintf(stderr, "  report: %.*stxt%s%s\n", n, report, result->page ? " (open report.html in a browser)" : "",
                result->histogram ? ", pictures of the histograms in histogram.svg, counts in histogram.json" : "");
    }
    if (result->wave_command && !passed)
        fprintf(stderr, "  to record waves: %s\n", result->wave_command);
    if (result->debug_command && !passed)
        fprintf(stderr, "  to find the cause: %s\n", result->debug_command);
}
