/* The page: frame, verdict, messages of the devices. See html.h. */
#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/rtl_options.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/html_parts.h"
#include "report/page.embed.h"
#include "report/walk.h"

enum { LINES_SHOWN = 100 }; /* maximum checks, findings and warnings of a device; report.json has all */

/* ---- the verdict ---- */

/* Each status has its own sign, so that colour is not needed. */
static const char *const status_signs[] = {[REPORT_PASSED] = "&#10003;",
                                           [REPORT_FAILED] = "&#10007;",
                                           [REPORT_HUNG] = "&#9646;&#9646;",
                                           [REPORT_REFUSED] = "&#8856;"};
static const char *const status_classes[] = {
    [REPORT_PASSED] = "pass", [REPORT_FAILED] = "fail", [REPORT_HUNG] = "hang", [REPORT_REFUSED] = "refused"};

static void tile(FILE *out, const char *name, const char *value, const char *more) {
    fprintf(out, "<div><dt>%s</dt><dd>%s", name, value);
    if (more[0])
        fprintf(out, " <small>%s</small>", more);
    fputs("</dd></div>\n", out);
}

/* The key figures of a run. */
static void write_tiles(const struct page *page) {
    FILE *out = page->out;
    const struct report_input *in = &page->report->input;
    char value[HTML_NUMBER], more[96];
    uint64_t macs = 0, clocks = 0;
    fputs("<dl class=\"tiles\">\n", out);
    for (int i = 0; i < in->played_count; i++) {
        const struct device_statistics *s = &in->played[i].result->statistics;
        if (s->cycles == 0)
            continue;
        char ops[HTML_NUMBER];
        snprintf(more, sizeof more, s->op_cycles ? "clocks, %s from first start to last interrupt" : "clocks%s",
                 s->op_cycles ? html_count(s->op_cycles, ops) : "");
        tile(out, "Run", html_count(s->cycles, value), more);
        const uint64_t bytes[] = {device_beats(s->read_beats), device_beats(s->write_beats)};
        for (int write = 0; write < 2; write++) {
            snprintf(more, sizeof more, "beats, %.2f a clock",
                     (double)bytes[write] / (double)(s->op_cycles ? s->op_cycles : s->cycles));
            tile(out, write ? "Written" : "Read", html_count(bytes[write], value), more);
        }
        break;
    }
    for (size_t i = 0; i < page->layers.count; i++) {
        if (page->layers.items[i].macs == 0 || page->layers.items[i].clocks == 0)
            continue;
        macs += page->layers.items[i].macs;
        clocks += page->layers.items[i].clocks;
    }
    if (clocks > 0) {
        const struct nvdla_config *config = in->prog->config;
        snprintf(value, sizeof value, "%.1f %%",
                 100 * (double)macs / ((double)clocks * config->atomic_c * config->atomic_k));
        snprintf(more, sizeof more, "of %d a clock while convolutions ran", config->atomic_c * config->atomic_k);
        tile(out, "Multipliers used", value, more);
    }
    snprintf(more, sizeof more, layer_tracker_count(in->launches) == 1 ? "%zu launch" : "%zu launches",
             layer_tracker_count(in->launches));
    tile(out, "Layers", html_count(page->layers.count, value), more);
    size_t checks = 0, failures = 0;
    for (int i = 0; i < in->played_count; i++) {
        checks += in->played[i].result->checks_done;
        failures += in->played[i].result->failure_count;
    }
    snprintf(more, sizeof more, failures ? "done, %zu failed" : "done, none failed", failures);
    tile(out, "Checks", html_count(checks, value), more);
    fputs("</dl>\n", out);
}

/* The commands that play it again and that show its waves. */
static void write_commands(const struct page *page) {
    const struct report_input *in = &page->report->input;
    if (in->again) {
        fputs("<p class=\"what\">again: <code>", page->out);
        html_text(page->out, in->again);
        fputs("</code></p>\n", page->out);
    }
    if (in->wave) {
        char *save = wave_save_path(in->wave), *word = text_quoted(save);
        fputs("<p class=\"what\">waves: <code>", page->out);
        html_text(page->out, in->wave);
        fputs("</code>, opened by <code>gtkwave ", page->out);
        html_text(page->out, word);
        fputs("</code></p>\n", page->out);
        free(word);
        free(save);
    }
}

static void write_verdict(const struct page *page) {
    FILE *out = page->out;
    const struct report *report = page->report;
    const struct report_input *in = &report->input;
    fprintf(out, "<header class=\"%s\">\n<p class=\"status\"><span aria-hidden=\"true\">%s</span> %s</p>\n<h1>",
            status_classes[report->status], status_signs[report->status], report_status_text(report->status));
    html_text(out, in->name);
    fputs("</h1>\n<p class=\"verdict\">", out);
    if (in->diagnosis)
        html_text(out, in->diagnosis->walk.sentence);
    else if (report->reason[0])
        html_text(out, report->reason);
    else if (in->played_count > 1)
        html_printf(out, "%s and %s leave the same memory, and every check of the trace passed.",
                    in->played[0].dev->name, in->played[1].dev->name);
    else
        fputs("Every check of the trace passed.", out);
    fputs("</p>\n", out);
    if (in->diagnosis && report->reason[0]) {
        fputs("<p class=\"reason\">", out);
        html_text(out, report->reason);
        fputs("</p>\n", out);
    }
    fputs("<p class=\"what\">trace <code>", out);
    html_text(out, in->prog->files[0]);
    fputs("</code>, configuration ", out);
    html_printf(out, "%s (memory port of %d bits)", in->prog->config->name, in->prog->config->dbb_data_bits);
    fputs(", played on ", out);
    for (int i = 0; i < in->played_count; i++) {
        fputs(i ? " and " : "", out);
        html_text(out, in->played[i].dev->name);
    }
    fputs("</p>\n", out);
    write_commands(page);
    write_tiles(page);
    fputs("</header>\n", out);
}

/* ---- messages of the devices ---- */

struct list {
    FILE *out;
    size_t shown;
};

static void list_item(struct list *list, const char *kind, const char *text) {
    if (list->shown++ < LINES_SHOWN) {
        fprintf(list->out, "<li><span class=\"kind\">%s</span> ", kind);
        html_text(list->out, text);
        fputs("</li>\n", list->out);
    }
}

static void write_device(const struct page *page, int index) {
    const struct report *report = page->report;
    const struct played *played = &report->input.played[index];
    const struct play_result *result = played->result;
    const struct device *dev = played->dev;
    struct list list = {.out = page->out};
    char text[REPORT_LINE];
    fputs("<h3>", page->out);
    html_text(page->out, dev->name);
    fputs("</h3><p>", page->out);
    html_printf(page->out,
                "%s; %zu checks done, %zu failed, %zu not compared; %zu volatile reads differ; %" PRIu64
                " interrupts serviced.",
                report_outcome_text(result->outcome), result->checks_done, result->failure_count,
                result->checks_skipped, result->volatile_mismatches, result->interrupts);
    fputs("</p>", page->out);
    if (result->message) {
        fputs("<pre>", page->out);
        /* Keeps its line ends, which text_shown would escape. */
        char *message = xstrdup(result->message), *rest = message;
        for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
            html_text(page->out, line);
            fputc('\n', page->out);
        }
        free(message);
        fputs("</pre>", page->out);
    }
    fputs("<ul class=\"findings\">\n", page->out);
    for (size_t i = 0; i < result->failure_count; i++)
        list_item(&list, "check", report_failure(report, played, &result->failures[i], text, sizeof text));
    for (size_t i = 0; i < dev->finding_count; i++) {
        snprintf(text, sizeof text, "cycle %" PRIu64 ", rule %s: %s", dev->findings[i].cycle, dev->findings[i].rule,
                 dev->findings[i].text);
        list_item(&list, "finding", text);
    }
    for (size_t i = 0; i < dev->warning_count; i++)
        list_item(&list, "warning", report_warning(report, &dev->warnings[i], text, sizeof text));
    const uint64_t more = dev->findings_dropped + dev->warnings_dropped +
                          (list.shown > LINES_SHOWN ? (uint64_t)list.shown - LINES_SHOWN : 0);
    if (more > 0)
        fprintf(page->out, "<li>and %" PRIu64 " more</li>\n", more);
    fputs("</ul>\n", page->out);
}

static void write_devices(const struct page *page) {
    html_section(page->out, "devices", "Checks, findings, warnings", NULL);
    for (int i = 0; i < page->report->input.played_count; i++)
        write_device(page, i);
    fputs("</section>\n", page->out);
}

char *report_html(const struct report *report) {
    char *text = NULL;
    size_t size;
    struct page page = {.out = xmemstream(&text, &size), .report = report, .layers = report_layers(report)};
    html_begin(page.out, report_status_text(report->status), report->input.name, page_css);
    write_verdict(&page);
    fputs("<main>\n", page.out);
    html_walk(&page);
    html_hang(&page);
    html_maps(&page);
    html_timeline(&page);
    html_activity(&page);
    html_layers(&page);
    write_devices(&page);
    fputs("</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n", page.out);
    html_end(page.out, page_js);
    xmemstream_close(page.out);
    report_layers_free(&page.layers);
    return text;
}
