/* Engines, memory and register bus over time, and bandwidth over time: lanes under one axis, drawn of the timeline's
 * buckets. See html.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "report/html_parts.h"
#include "report/occupancy.h"

enum { LANES = 64, CAUSES = 16, TICKS = 6, BARS = 600 /* of one lane */ };

/* A lane: a part that is busy and one that waits, as shares of the height, in each bucket. */
struct lane {
    double busy[TIMELINE_BUCKETS], wait[TIMELINE_BUCKETS];
    uint8_t cause[TIMELINE_BUCKETS]; /* for whom it waits: index of causes */
};

struct lanes {
    const struct page *page;
    const struct timeline *timeline;
    int count;                  /* written */
    const char *causes[CAUSES]; /* "" is the first */
    int cause_count;
};

/* Clocks that the lanes show. */
static uint64_t span(const struct timeline *timeline) {
    return (timeline->count - 1) * timeline->bucket + timeline_clocks(timeline, timeline->count - 1);
}

/* Where a clock stands, in per cent of the width of a lane: all buckets have the same width, an incomplete one too. */
static double place(const struct timeline *timeline, uint64_t cycle) {
    const double share = cycle > timeline->origin ? (double)(cycle - timeline->origin) : 0;
    const double all = (double)(timeline->count * timeline->bucket);
    return share < all ? 100 * share / all : 100;
}

/* ---- one lane ---- */

static void write_steps(FILE *out, const char *class, size_t count, const double *from, const double *height) {
    fprintf(out, "<path class=\"%s\" d=\"", class);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        const int low = (int)(100 - 100 * (from ? from[i] : 0) + 0.5);
        int high = (int)(100 - 100 * ((from ? from[i] : 0) + height[i]) + 0.5);
        if (height[i] > 0 && high == low) /* what there is can be seen */
            high = low - 1;
        while (end < count && height[end] == height[i] && (!from || from[end] == from[i]))
            end++;
        if (height[i] > 0)
            fprintf(out, "M%zu %dV%dH%zuV%dz", i, low, high, end, low);
        i = end;
    }
    fputs("\"/>", out);
}

/* Writes a lane with its name, a sentence for screen readers, and the figure after it. */
static void write_lane(struct lanes *lanes, const char *name, const char *class, const struct lane *lane,
                       const char *summary, const char *value) {
    FILE *out = lanes->page->out;
    fprintf(out, "<div class=\"lane %s\" data-lane=\"%d\"><span class=\"name\">", class, lanes->count++);
    html_text(out, name);
    fprintf(out,
            "</span><span class=\"value\" data-all=\"%s\">%s</span><div class=\"plot\"><svg role=\"img\" "
            "preserveAspectRatio=\"none\" viewBox=\"0 0 %zu 100\" aria-label=\"",
            value, value, lanes->timeline->count);
    html_printf(out, "%s: %s", name, summary);
    fputs("\">", out);
    write_steps(out, "busy", lanes->timeline->count, NULL, lane->busy);
    write_steps(out, "wait", lanes->timeline->count, lane->busy, lane->wait);
    fputs("</svg></div></div>\n", out);
}

/* ---- the figures of the lanes, for the script ---- */

struct figures {
    char *text;
    size_t size;
    FILE *out;
    int count;
};

/* unit: what a lane's height of 1 means: "%" or bytes a clock, scale of them. */
static void add_figures(struct figures *figures, const struct lanes *lanes, const struct lane *lane, const char *unit,
                        double scale) {
    const size_t count = lanes->timeline->count;
    fprintf(figures->out, "%s\n{\"u\":\"%s\",\"v\":[", figures->count++ ? "," : "", unit);
    for (size_t i = 0; i < count; i++)
        fprintf(figures->out, "%s%.4g", i ? "," : "", lane->busy[i] * scale);
    bool waits = false;
    for (size_t i = 0; i < count; i++)
        waits = waits || lane->wait[i] > 0;
    if (waits) {
        fputs("],\"w\":[", figures->out);
        for (size_t i = 0; i < count; i++)
            fprintf(figures->out, "%s%.3g", i ? "," : "", lane->wait[i] * scale);
        fputs("],\"c\":[", figures->out);
        for (size_t i = 0; i < count; i++)
            fprintf(figures->out, "%s%d", i ? "," : "", lane->cause[i]);
    }
    fputs("]}", figures->out);
}

/* ---- engines ---- */

static uint8_t cause_index(struct lanes *lanes, const char *name) {
    for (int i = 0; i < lanes->cause_count; i++)
        if (strcmp(lanes->causes[i], name) == 0)
            return (uint8_t)i;
    if (lanes->cause_count < CAUSES)
        lanes->causes[lanes->cause_count++] = name;
    return (uint8_t)(lanes->cause_count - 1);
}

/* What an engine does in each bucket; false if nothing can be seen of it. */
static bool look_at_engine(struct lanes *lanes, enum nvdla_engine engine, struct lane *lane) {
    struct occupancy *occupancy = xcalloc(1, sizeof *occupancy);
    const bool seen = occupancy_of(&lanes->page->layers, lanes->page->report, engine, occupancy);
    for (size_t b = 0; b < lanes->timeline->count; b++) {
        lane->busy[b] = occupancy->busy[b];
        lane->wait[b] = occupancy->wait[b];
        lane->cause[b] = cause_index(lanes, occupancy->cause[b]);
    }
    free(occupancy);
    return seen;
}

/* Means of a lane over all clocks. */
static void mean(const struct timeline *timeline, const struct lane *lane, double *busy, double *wait) {
    *busy = *wait = 0;
    for (size_t b = 0; b < timeline->count; b++) {
        *busy += lane->busy[b] * (double)timeline_clocks(timeline, b);
        *wait += lane->wait[b] * (double)timeline_clocks(timeline, b);
    }
    *busy /= (double)span(timeline);
    *wait /= (double)span(timeline);
}

static void write_engine(struct lanes *lanes, struct figures *figures, enum nvdla_engine engine) {
    struct lane *lane = xcalloc(1, sizeof *lane);
    double busy, wait;
    char summary[128], value[32];
    if (look_at_engine(lanes, engine, lane)) {
        mean(lanes->timeline, lane, &busy, &wait);
        snprintf(summary, sizeof summary, "busy in %.1f %% of the clocks, waits in %.1f %%", 100 * busy, 100 * wait);
        snprintf(value, sizeof value, "%.0f %%, waits %.0f %%", 100 * busy, 100 * wait);
        write_lane(lanes, nvdla_engines[engine].lane, "unit", lane, summary, value);
        add_figures(figures, lanes, lane, "%", 100);
    }
    free(lane);
}

/* A lane of a flag or a count of the buckets. */
static void write_bus(struct lanes *lanes, struct figures *figures, const char *name, size_t offset) {
    const struct timeline *timeline = lanes->timeline;
    struct lane *lane = xcalloc(1, sizeof *lane);
    double busy, wait;
    char summary[96], value[32];
    for (size_t b = 0; b < timeline->count; b++) {
        uint32_t count;
        memcpy(&count, (const char *)&timeline->buckets[b] + offset, sizeof count);
        lane->busy[b] = (double)count / (double)timeline_clocks(timeline, b);
        lane->busy[b] = lane->busy[b] < 1 ? lane->busy[b] : 1;
    }
    mean(timeline, lane, &busy, &wait);
    snprintf(summary, sizeof summary, "in %.1f %% of the clocks", 100 * busy);
    snprintf(value, sizeof value, "%.1f %%", 100 * busy);
    write_lane(lanes, name, "bus", lane, summary, value);
    add_figures(figures, lanes, lane, "%", 100);
    free(lane);
}

/* ---- layers ---- */

/* The layers that a unit ends, as bars. What is too narrow to be told from the one before it is hidden. */
static void write_bars(struct lanes *lanes, enum nvdla_unit unit) {
    const struct report_layers *layers = &lanes->page->layers;
    FILE *out = lanes->page->out;
    bool open = false;
    double last = -1;
    for (size_t i = 0; i < layers->count; i++) {
        const struct report_layer *layer = &layers->items[i];
        if (layer->launch->unit != unit || !layer->counted)
            continue;
        if (!open)
            fprintf(out,
                    "<div class=\"lane layers\"><span class=\"name\">%s layers</span><span class=\"value\"></span><div "
                    "class=\"plot\">\n",
                    nvdla_unit_names[unit]);
        open = true;
        const uint64_t end = layer->end ? layer->end : lanes->timeline->cycles;
        const double left = place(lanes->timeline, layer->start), right = place(lanes->timeline, end);
        const bool narrow = right - last < 100.0 / BARS; /* the script shows it when there is room */
        last = narrow ? last : right;
        char name[64], number[HTML_NUMBER], from[HTML_NUMBER];
        report_launch_name(layer->launch, name, sizeof name);
        fprintf(out,
                "<a class=\"layer%s%s\" href=\"#layer-%zu\" style=\"left:%.3f%%;width:%.3f%%\" title=\"%s: %s%s clocks "
                "from cycle %s on%s\">%s</a>\n",
                layer->wrong ? " wrong"
                : layer->end ? ""
                             : " endless",
                narrow ? " narrow" : "", i, left, right > left ? right - left : 0, name, layer->end ? "" : "not done, ",
                html_count(end > layer->start ? end - layer->start : 0, number), html_count(layer->start, from),
                layer->wrong ? ", its output differs" : "", name);
    }
    if (open)
        fputs("</div></div>\n", out);
}

/* ---- bandwidth ---- */

/* Bytes a clock of a client; of all readers or all writers: client NVDLA_CLIENT_COUNT. */
static void fill_bandwidth(const struct timeline *timeline, int client, bool write, double scale, struct lane *lane) {
    for (size_t b = 0; b < timeline->count; b++) {
        double bytes = 0;
        const double clocks = (double)timeline_clocks(timeline, b);
        for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
            if (client != NVDLA_CLIENT_COUNT ? c != client : nvdla_clients[c].write != write)
                continue;
            bytes += timeline->buckets[b].bytes[c];
        }
        lane->busy[b] = bytes / clocks / scale;
    }
}

static void write_bandwidth(struct lanes *lanes, struct figures *figures, const char *name, int client, bool write,
                            double scale) {
    const struct timeline *timeline = lanes->timeline;
    struct lane *lane = xcalloc(1, sizeof *lane);
    double busy, wait, most = 0;
    char summary[160], value[64];
    fill_bandwidth(timeline, client, write, scale, lane);
    for (size_t b = 0; b < timeline->count; b++)
        most = lane->busy[b] > most ? lane->busy[b] : most;
    mean(timeline, lane, &busy, &wait);
    if (most > 0) {
        snprintf(summary, sizeof summary, "%.3g bytes a clock over the run, %.3g at most", busy * scale, most * scale);
        snprintf(value, sizeof value, "%.3g B/clk", busy * scale);
        write_lane(lanes, name,
                   client == NVDLA_CLIENT_COUNT ? (write ? "sum writes" : "sum reads")
                   : write                      ? "writes"
                                                : "reads",
                   lane, summary, value);
        add_figures(figures, lanes, lane, " B/clk", scale);
    }
    free(lane);
}

/* The most bytes a clock that readers or writers together move in any bucket. */
static double peak(const struct timeline *timeline) {
    double most = 0;
    struct lane *lane = xcalloc(1, sizeof *lane);
    for (int write = 0; write < 2; write++) {
        fill_bandwidth(timeline, NVDLA_CLIENT_COUNT, write != 0, 1, lane);
        for (size_t b = 0; b < timeline->count; b++)
            most = lane->busy[b] > most ? lane->busy[b] : most;
    }
    free(lane);
    return most > 0 ? most : 1;
}

/* ---- the sections ---- */

static void write_axis(const struct lanes *lanes) {
    const uint64_t first = lanes->timeline->origin, end = first + lanes->timeline->count * lanes->timeline->bucket;
    const uint64_t step = (uint64_t)fmax(html_step((double)(end - first), TICKS), 1);
    char number[HTML_NUMBER];
    FILE *out = lanes->page->out;
    fputs("<div class=\"lane axis\" aria-hidden=\"true\"><span class=\"name\">cycle</span><span "
          "class=\"value\"></span><div class=\"plot\">",
          out);
    for (uint64_t at = (first + step - 1) / step * step; at < end; at += step)
        fprintf(out, "<span style=\"left:%.3f%%\">%s</span>", place(lanes->timeline, at), html_count(at, number));
    fputs("</div></div>\n", out);
}

static void write_mark(const struct lanes *lanes, const char *name, uint64_t cycle) {
    char number[HTML_NUMBER];
    if (cycle >= lanes->timeline->origin && cycle < lanes->timeline->cycles)
        fprintf(lanes->page->out,
                "<div class=\"lane mark\"><span class=\"name\">%s</span><span class=\"value\">%s</span><div "
                "class=\"plot\"><i style=\"left:%.3f%%\"></i></div></div>\n",
                name, html_count(cycle, number), place(lanes->timeline, cycle));
}

/* When it went wrong, as far as that is known: inside, and at the memory. */
static void write_marks(const struct lanes *lanes) {
    const struct report *report = lanes->page->report;
    const struct mismatch *first = report->mismatch_count > 0 ? &report->mismatches[0] : NULL;
    if (report->input.diagnosis)
        write_mark(lanes, "first sign", report->input.diagnosis->cycle);
    if (report->input.wrong)
        write_mark(lanes, "first wrong beat", report->input.wrong->beat.cycle);
    else if (first)
        write_mark(lanes, "first wrong byte", report_cycle(report, 0, first->space, first->first, first->output));
}

static void open_chart(FILE *out, const char *label) {
    fprintf(
        out,
        "<div class=\"chart\" tabindex=\"0\" role=\"group\" aria-label=\"%s; left and right arrow keys read out the "
        "figures\">\n<output class=\"now\">&nbsp;</output>\n",
        label);
}

static void write_engines(struct lanes *lanes, struct figures *figures) {
    FILE *out = lanes->page->out;
    const struct timeline *timeline = lanes->timeline;
    char number[HTML_NUMBER], after[HTML_NUMBER];
    html_section(
        out, "timeline", "Who was busy, who waited",
        timeline->link_count
            ? "An engine is busy while it hands something on, to the next engine or to memory. It waits while it "
              "has a layer to work on and neither takes nor gives."
            : "Of this RTL only the ports are seen: an engine is busy while it writes memory, CDMA while it "
              "reads.");
    fputs("<p class=\"legend\"><span class=\"key busy\"></span> busy <span class=\"key wait\"></span> waits <span "
          "class=\"key layer\"></span> a layer, from its start to its end</p>\n",
          out);
    open_chart(out, "Engines over time");
    write_marks(lanes);
    write_bars(lanes, NVDLA_SDP);
    write_bars(lanes, NVDLA_PDP);
    write_bars(lanes, NVDLA_CDP);
    write_bars(lanes, NVDLA_BDMA);
    write_bars(lanes, NVDLA_RBK);
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        if (nvdla_engines[engine].lane)
            write_engine(lanes, figures, (enum nvdla_engine)engine);
    write_bus(lanes, figures, "register bus", offsetof(struct timeline_bucket, accesses));
    write_bus(lanes, figures, "interrupt", offsetof(struct timeline_bucket, interrupt));
    write_axis(lanes);
    fputs("</div>\n", out);
    const uint64_t shown = timeline->origin + span(timeline);
    if (timeline->cycles > shown)
        fprintf(out,
                "<p class=\"about\">From the first start of a layer, cycle %s, to the last movement; for the %s clocks "
                "after it nothing moved but registers.</p>\n",
                html_count(timeline->origin, number), html_count(timeline->cycles - shown, after));
    fputs("</section>\n", out);
}

static void write_bandwidths(struct lanes *lanes, struct figures *figures) {
    FILE *out = lanes->page->out;
    const struct timeline *timeline = lanes->timeline;
    char number[HTML_NUMBER];
    const double scale = peak(timeline);
    html_section(out, "bandwidth", "Bandwidth over time", NULL);
    fprintf(
        out,
        "<p class=\"about\">Bytes that each client of the memory moves. All lanes have the same scale: full height is "
        "%.3g bytes a clock%s; the port takes %d. A step is %s clocks.</p>\n",
        scale, ", the most that was reached", timeline->port_bytes[0] + timeline->port_bytes[1],
        html_count(timeline->bucket, number));
    open_chart(out, "Bandwidth over time");
    write_bandwidth(lanes, figures, "all reads", NVDLA_CLIENT_COUNT, false, scale);
    write_bandwidth(lanes, figures, "all writes", NVDLA_CLIENT_COUNT, true, scale);
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", nvdla_clients[c].name, nvdla_clients[c].write ? "writes" : "reads");
        write_bandwidth(lanes, figures, name, c, nvdla_clients[c].write, scale);
    }
    write_axis(lanes);
    fputs("</div></section>\n", out);
}

/* The figures behind the lanes, for the page's script. */
static void write_figures(const struct lanes *lanes, const char *text) {
    FILE *out = lanes->page->out;
    const struct timeline *timeline = lanes->timeline;
    fprintf(out,
            "<script type=\"application/json\" id=\"figures\">{\"cycles\":%" PRIu64 ",\"origin\":%" PRIu64
            ",\"bucket\":%" PRIu64 ",\"count\":%zu,\"causes\":[",
            timeline->cycles, timeline->origin, timeline->bucket, timeline->count);
    for (int i = 0; i < lanes->cause_count; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", lanes->causes[i]);
    fprintf(out, "],\"lanes\":[%s]}</script>\n", text);
}

void html_timeline(const struct page *page) {
    FILE *out = page->out;
    const struct timeline *timeline = page->layers.timeline;
    if (!timeline || timeline->count == 0 || timeline->cycles == 0) {
        if (page->report->input.played[0].result->statistics.rtl) {
            html_section(out, "timeline", "Over time", NULL);
            fputs("<p>Nothing was counted while this trace played. <code>nvcosim run --html</code> counts what the "
                  "engines and the memory do, and when.</p></section>\n",
                  out);
        }
        return;
    }
    struct lanes lanes = {.page = page, .timeline = timeline, .causes = {""}, .cause_count = 1};
    struct figures figures = {0};
    figures.out = xmemstream(&figures.text, &figures.size);

    write_engines(&lanes, &figures);
    write_bandwidths(&lanes, &figures);
    xmemstream_close(figures.out);
    write_figures(&lanes, figures.text);
    free(figures.text);
}
