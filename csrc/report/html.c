/* The page of a report: a short frame around data and script. See html.h. */
#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "device/rtl_options.h"
#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/escape.h"
#include "report/json_text.h"
#include "report/pages.embed.h"
#include "report/report.embed.h"
#include "report/text.h"

enum {
    LINES_SHOWN = 100, /* maximum checks, findings and warnings of a device; report.json has all */
    LAYERS_SHOWN = 2000
};

/* ---- the frame ---- */

/* Text with its line ends, which escape_text would show. */
static void write_lines(FILE *out, const char *text) {
    char *lines = xstrdup(text), *rest = lines;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        escape_text(out, line);
        fputs(rest ? "\n" : "", out);
    }
    free(lines);
}

/* JSON inside <script>: nothing in it can end the element, or begin a comment. */
static void write_json(FILE *out, const char *json) {
    for (const char *c = json; *c; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
}

static void write_page(FILE *out, const char *title, const char *text, const char *json) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    escape_text(out, title);
    fprintf(out,
            "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<button id=\"theme\" type=\"button\" hidden>light / "
            "dark</button>\n<noscript><pre>",
            base_css, report_css);
    write_lines(out, text);
    fputs("</pre></noscript>\n<script type=\"application/json\" id=\"data\">", out);
    write_json(out, json);
    fprintf(out, "</script>\n<script>\n%s%s%s</script>\n</body>\n</html>\n", base_js, timeline_js, report_js);
}

/* ---- the data ---- */

/* The first members of a list; at most `most`. */
static void cut(json_t *list, size_t most) {
    while (json_array_size(list) > most)
        json_array_remove(list, json_array_size(list) - 1);
}

/* Leaves out what the page does not draw, above all the registers of failures, which may be many. */
static void cut_value(json_t *value) {
    static const char *const lists[] = {"failures", "findings", "warnings"};
    static const char *const series[] = {"beats", "pending", "outstanding", "refused", "untaken"};
    json_t *timeline = json_object_get(value, "timeline"), *item, *failure;
    size_t i, f;
    json_array_foreach(json_object_get(value, "devices"), i, item) {
        for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
            cut(json_object_get(item, lists[list]), LINES_SHOWN);
        json_array_foreach(json_object_get(item, "failures"), f, failure) json_object_del(failure, "layer");
    }
    cut(json_object_get(value, "layers"), LAYERS_SHOWN);
    json_object_del(value, "mismatches"); /* the maps have what is drawn of them */
    json_object_del(value, "first_wrong");
    json_object_del(timeline, "links");
    json_object_del(timeline, "launches");
    json_array_foreach(json_object_get(timeline, "clients"), i,
                       item) for (size_t member = 0; member < sizeof series / sizeof *series; member++)
        json_object_del(item, series[member]);
}

/* Of each device, how many checks failed, and how many lines its lists would have in all. */
static json_t *page_devices(const struct report *report) {
    json_t *devices = json_array();
    for (int i = 0; i < report->input.played_count; i++) {
        const struct device *dev = report->input.played[i].dev;
        const size_t failures = report->input.played[i].result->failure_count;
        const uint64_t lines =
            failures + dev->finding_count + dev->findings_dropped + dev->warning_count + dev->warnings_dropped;
        json_array_append_new(devices,
                              json_pack("{s:I, s:I}", "failures", (json_int_t)failures, "lines", (json_int_t)lines));
    }
    return devices;
}

/* When it went wrong, as far as that is known: inside, and at the memory. */
static json_t *page_marks(const struct report *report) {
    const struct report_input *in = &report->input;
    const struct mismatch *first = report->mismatch_count > 0 ? &report->mismatches[0] : NULL;
    json_t *marks = json_array();
    if (in->diagnosis)
        json_array_append_new(marks,
                              json_pack("{s:s, s:I}", "name", "first sign", "cycle", (json_int_t)in->diagnosis->cycle));
    if (in->wrong)
        json_array_append_new(
            marks, json_pack("{s:s, s:I}", "name", "first wrong beat", "cycle", (json_int_t)in->wrong->beat.cycle));
    else if (first)
        json_array_append_new(
            marks, json_pack("{s:s, s:I}", "name", "first wrong byte", "cycle",
                             (json_int_t)report_cycle(report, 0, first->space, first->first, first->output)));
    return marks;
}

/* What the page needs beyond report.json. */
static json_t *page_value(const struct report *report, size_t layers) {
    const struct report_input *in = &report->input;
    const struct nvdla_config *config = in->prog->config;
    json_t *engines = json_array();
    for (int e = 0; e < ENGINE_COUNT; e++)
        if (nvdla_engines[e].lane)
            json_array_append_new(
                engines, json_pack("{s:s, s:s}", "name", nvdla_engines[e].lane, "folder", nvdla_engines[e].folder));
    json_t *page = json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:I, s:I, s:b, s:b}", "devices", page_devices(report),
                             "engines", engines, "marks", page_marks(report), "dbb_data_bits", config->dbb_data_bits,
                             "macs", config->atomic_c * config->atomic_k, "port_bytes", config->dbb_data_bits / 8,
                             "layers", (json_int_t)layers, "launches", (json_int_t)layer_tracker_count(in->launches),
                             "rtl", in->played[0].result->statistics.rtl != NULL, "stopped_at_beat", in->wrong != NULL);
    json_t *maps = html_maps(report);
    if (maps)
        json_object_set_new(page, "maps", maps);
    if (in->again)
        json_object_set_new(page, "again", json_text(in->again));
    if (in->wave) {
        char *save = wave_save_path(in->wave), *word = text_quoted(save);
        json_object_set_new(page, "wave", json_text(in->wave));
        json_object_set_new(page, "wave_save", json_text(word));
        free(word);
        free(save);
    }
    return page;
}

char *report_html(const struct report *report, json_t *value) {
    char *page = NULL, *text = report_text(report);
    size_t size;
    autofree char *title = xprintf("%s %s", report_status_text(report->status), report->input.name);
    FILE *out = xmemstream(&page, &size);
    json_object_set_new(value, "page", page_value(report, json_array_size(json_object_get(value, "layers"))));
    cut_value(value);
    autofree char *json = json_to_text(value, JSON_COMPACT);
    write_page(out, title, text, json);
    xmemstream_close(out);
    free(text);
    return page;
}
