/* The data path as a picture: where a wrong value went wrong (walk.h), and what stood still in a run that hung. Both
 * are lists of engines in the order of the data path, which styles make boxes with arrows between them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_parts.h"
#include "report/walk.h"

/* ---- the walk ---- */

static const char *const state_classes[] = {
    [WALK_EQUAL] = "equal", [WALK_DIFFERS] = "differs", [WALK_SHORT] = "short", [WALK_UNSEEN] = "unseen"};
static const char *const state_words[] = {
    [WALK_EQUAL] = "equal", [WALK_DIFFERS] = "differs", [WALK_SHORT] = "ends early", [WALK_UNSEEN] = "not recorded"};
static const char *const state_signs[] = {
    [WALK_EQUAL] = "&#10003;", [WALK_DIFFERS] = "&#10007;", [WALK_SHORT] = "&#8614;", [WALK_UNSEEN] = "?"};

static void write_step(FILE *out, const struct walk_step *step, bool first) {
    char number[HTML_NUMBER];
    fprintf(out, "<li class=\"tap %s%s\"><b><span aria-hidden=\"true\">%s</span> ", state_classes[step->state],
            first ? " first" : "", state_signs[step->state]);
    html_text(out, step->stream);
    fprintf(out, "</b> <em>%s</em>", state_words[step->state]);
    if (first)
        fputs(" <strong>first wrong here</strong>", out);
    if (step->state != WALK_UNSEEN)
        fprintf(out, "<small>%s elements compared", html_count(step->elements, number));
    if (step->state != WALK_UNSEEN && step->cycle > 0)
        fprintf(out, ", cycle %s", html_count(step->cycle, number));
    if (step->state != WALK_UNSEEN)
        fputs("</small>", out);
    if (step->text[0]) {
        fputs("<span class=\"text\">", out);
        html_text(out, step->text);
        fputs("</span>", out);
    }
    fputs("</li>\n", out);
}

void html_walk(const struct page *page) {
    const struct diagnosis *diagnosis = page->report->input.diagnosis;
    const struct walk *walk = diagnosis ? &diagnosis->walk : NULL;
    FILE *out = page->out;
    if (!walk || walk->count == 0)
        return;
    html_section(out, "path", "Where it went wrong",
                 "The streams between the engines in the order of the data path, compared with the model. The engine "
                 "before the first one that differs made the error; what follows only passes it on.");
    fputs("<ol class=\"path\">\n", out);
    for (size_t i = 0; i < walk->count;) {
        const char *engine = walk->steps[i].engine;
        size_t end = i;
        bool guilty = false;
        for (; end < walk->count && !strcmp(walk->steps[end].engine, engine); end++)
            guilty = guilty || end == walk->first;
        fprintf(out, "<li class=\"engine%s\"><h3>", guilty ? " guilty" : "");
        html_text(out, engine);
        fputs("</h3><ul>\n", out);
        for (; i < end; i++)
            write_step(out, &walk->steps[i], i == walk->first);
        fputs("</ul></li>\n", out);
    }
    fputs("</ol></section>\n", out);
}

/* ---- hangs ---- */

/* Everything that a link's name says: "A to B (what)". False if it says something else. */
static bool ends_of(const char *name, char from[16], char to[16]) {
    return sscanf(name, "%15[A-Z] to %15[A-Z]", from, to) == 2;
}

/* The units of a group of registers are engines too: CMAC_A is CMAC, SDP_RDMA is SDP. */
static bool is_of(enum nvdla_unit unit, const char *engine) {
    const char *name = nvdla_unit_names[unit];
    const size_t n = strlen(engine);
    return strncmp(name, engine, n) == 0 && (name[n] == '\0' || name[n] == '_');
}

static void write_armed(FILE *out, const struct hang *hang, const char *engine) {
    for (size_t i = 0; i < hang->armed_count; i++)
        if (is_of(hang->armed[i].unit, engine)) {
            fputs("<li class=\"tap differs\"><b>", out);
            html_text(out, nvdla_unit_names[hang->armed[i].unit]);
            fprintf(out, "</b> <em>group %d %s</em></li>\n", hang->armed[i].group,
                    hang->armed[i].behind ? "armed, behind the other" : "armed, not done");
        }
}

static void write_links(FILE *out, const struct device_link *links, size_t count, const char *engine, uint64_t now) {
    char from[16], to[16], number[HTML_NUMBER], ago[HTML_NUMBER];
    for (size_t i = 0; i < count; i++) {
        if (!ends_of(links[i].name, from, to) || strcmp(from, engine) != 0)
            continue;
        fprintf(out, "<li class=\"tap %s\"><b>", links[i].moved ? "short" : "unseen");
        html_text(out, links[i].name + strlen(from) + 1);
        if (links[i].moved)
            fprintf(out, "</b> <em>moved last about cycle %s</em><small>%s clocks before the end</small></li>\n",
                    html_count(links[i].last, number), html_count(now > links[i].last ? now - links[i].last : 0, ago));
        else
            fputs("</b> <em>never moved</em></li>\n", out);
    }
}

static void write_hang(const struct page *page, const struct hang *hang) {
    static const char *const engines[] = {"CDMA", "CBUF", "CSC", "CMAC", "CACC", "SDP", "PDP", "CDP", "BDMA", "RBK"};
    FILE *out = page->out;
    size_t count = 0;
    const struct device_link *links =
        hang->dev->ops && hang->dev->ops->links ? hang->dev->ops->links((struct device *)hang->dev, &count) : NULL;
    fputs("<ol class=\"path\">\n", out);
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        bool armed = false, linked = false;
        char from[16], to[16];
        for (size_t i = 0; i < hang->armed_count; i++)
            armed = armed || is_of(hang->armed[i].unit, engines[e]);
        for (size_t i = 0; links && i < count; i++)
            linked = linked || (links[i].moved && ends_of(links[i].name, from, to) && strcmp(from, engines[e]) == 0);
        if (!armed && !linked)
            continue;
        fprintf(out, "<li class=\"engine%s\"><h3>%s</h3><ul>\n", armed ? " waiting" : "", engines[e]);
        write_armed(out, hang, engines[e]);
        if (links)
            write_links(out, links, count, engines[e], hang->now);
        fputs("</ul></li>\n", out);
    }
    fputs("</ol>\n", out);
}

void html_hang(const struct page *page) {
    for (int i = 0; i < page->report->input.played_count; i++) {
        const struct played *played = &page->report->input.played[i];
        const struct hang *hang = played->result->hang;
        if (!hang)
            continue;
        html_section(
            page->out, "hang", "Who stands still",
            "The engines in the order of the data path: what is armed and not done, and when each link between "
            "them moved last. Where a link that has moved is followed by one that has not, the engine between "
            "them holds things up.");
        write_hang(page, hang);
        fputs("</section>\n", page->out);
        return; /* the same trace hangs for the same reason on the other device */
    }
}
