/* The data path as a picture: where a wrong value went wrong (walk.h), and what stood still in a run that hung. Both
 * are lists of engines in the order of the data path, which styles make boxes with arrows between them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "replay/hang_triage.h"
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
    if (step->elements > 0)
        fprintf(out, "<small>%s elements equal</small>", html_count(step->elements, number));
    if (step->state != WALK_UNSEEN && step->cycle > 0)
        fprintf(out, "<small>cycle %s</small>", html_count(step->cycle, number));
    if (step->text[0]) {
        fputs("<span class=\"text\">", out);
        html_text(out, step->text);
        fputs("</span>", out);
    }
    fputs("</li>\n", out);
}

/* The element that is wrong first, and the arithmetic that should have made it. */
static void write_evidence(FILE *out, const struct diagnosis *diagnosis) {
    const struct {
        const char *name, *value;
    } facts[] = {{"engine", diagnosis->engine},
                 {diagnosis->or_before ? "or" : NULL, diagnosis->or_before ? "an engine before it" : NULL},
                 {diagnosis->check ? "check" : "stream", diagnosis->tap},
                 {diagnosis->check ? "instance" : "element", diagnosis->element},
                 {"expected", diagnosis->expected},
                 {"got", diagnosis->got}};
    char number[HTML_NUMBER];
    fputs("<dl class=\"facts\">", out);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (!facts[i].value)
            continue;
        fprintf(out, "<div><dt>%s</dt><dd>", facts[i].name);
        html_text(out, facts[i].value);
        fputs("</dd></div>", out);
    }
    if (diagnosis->cycle > 0)
        fprintf(out, "<div><dt>cycle</dt><dd>%s</dd></div>", html_count(diagnosis->cycle, number));
    fputs("</dl>\n", out);
    if (diagnosis->evidence.count == 0)
        return;
    fputs("<pre class=\"evidence\">", out);
    for (size_t i = 0; i < diagnosis->evidence.count; i++) {
        html_text(out, diagnosis->evidence.items[i]);
        fputc('\n', out);
    }
    fputs("</pre>\n", out);
}

void html_walk(const struct page *page) {
    const struct diagnosis *diagnosis = page->report->input.diagnosis;
    FILE *out = page->out;
    if (!diagnosis)
        return;
    const struct walk *walk = &diagnosis->walk;
    html_section(out, "path", "Where it went wrong", NULL);
    write_evidence(out, diagnosis);
    if (walk->count > 0)
        fputs("<p class=\"about\">The streams between the engines in the order of the data path, compared with the "
              "model. The engine whose stream is the first to differ made the error; what follows only passes it "
              "on.</p>\n<ol class=\"path\">\n",
              out);
    struct words unseen = {0};
    for (size_t i = 0; i < walk->count;) {
        const char *engine = walk->steps[i].engine;
        size_t end = i;
        bool guilty = false, seen = false;
        for (; end < walk->count && !strcmp(walk->steps[end].engine, engine); end++) {
            guilty = guilty || end == walk->first;
            seen = seen || walk->steps[end].state != WALK_UNSEEN;
        }
        if (!seen && !guilty) {
            size_t known = 0;
            while (known < unseen.count && strcmp(unseen.items[known], engine))
                known++;
            if (known == unseen.count)
                words_add(&unseen, "%s", engine);
            i = end;
            continue;
        }
        fprintf(out, "<li class=\"engine%s\"><h3>", guilty ? " guilty" : "");
        html_text(out, engine);
        fputs("</h3><ul>\n", out);
        for (; i < end; i++)
            write_step(out, &walk->steps[i], i == walk->first);
        fputs("</ul></li>\n", out);
    }
    if (walk->count > 0)
        fputs("</ol>\n", out);
    for (size_t i = 0; i < unseen.count; i++)
        fprintf(out, "%s%s%s", i ? ", " : "<p class=\"about\">No element was recorded of: ", unseen.items[i],
                i + 1 < unseen.count ? "" : ".</p>\n");
    words_free(&unseen);
    fputs("</section>\n", out);
}

/* ---- hangs ---- */

/* True if a unit's registers are an engine's: CMAC_A is CMAC, SDP_RDMA is SDP. */
static bool is_of(enum nvdla_unit unit, const struct nvdla_engine_facts *engine) {
    return strcmp(nvdla_unit_folder(unit), engine->folder) == 0;
}

static void write_armed(FILE *out, const struct hang *hang, const struct nvdla_engine_facts *engine) {
    for (size_t i = 0; i < hang->armed_count; i++)
        if (is_of(hang->armed[i].unit, engine)) {
            fputs("<li class=\"tap differs\"><b>", out);
            html_text(out, nvdla_unit_names[hang->armed[i].unit]);
            fprintf(out, "</b> <em>group %d %s</em></li>\n", hang->armed[i].group,
                    hang->armed[i].behind ? "armed, behind the other" : "armed, not done");
        }
}

static void write_links(FILE *out, const struct device_link *links, size_t count,
                        const struct nvdla_engine_facts *engine, uint64_t now) {
    char number[HTML_NUMBER], ago[HTML_NUMBER];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(nvdla_engines[links[i].link.from].folder, engine->folder) != 0)
            continue;
        fprintf(out, "<li class=\"tap %s\"><b>", links[i].moved ? "short" : "unseen");
        html_text(out, links[i].link.name + strlen(engine->lane) + 1);
        if (links[i].moved)
            fprintf(out, "</b> <em>moved last about cycle %s</em><small>%s clocks before the end</small></li>\n",
                    html_count(links[i].last, number), html_count(now > links[i].last ? now - links[i].last : 0, ago));
        else
            fputs("</b> <em>never moved</em></li>\n", out);
    }
}

static void write_hang(const struct page *page, const struct hang *hang) {
    FILE *out = page->out;
    size_t count = 0;
    const struct device_link *links =
        hang->dev->ops && hang->dev->ops->links ? hang->dev->ops->links((struct device *)hang->dev, &count) : NULL;
    fputs("<ol class=\"path\">\n", out);
    for (int e = 0; e < ENGINE_COUNT; e++) {
        const struct nvdla_engine_facts *engine = &nvdla_engines[e];
        if (!engine->lane)
            continue;
        bool armed = false, linked = false;
        for (size_t i = 0; i < hang->armed_count; i++)
            armed = armed || is_of(hang->armed[i].unit, engine);
        for (size_t i = 0; links && i < count; i++)
            linked =
                linked || (links[i].moved && strcmp(nvdla_engines[links[i].link.from].folder, engine->folder) == 0);
        if (!armed && !linked)
            continue;
        fprintf(out, "<li class=\"engine%s\"><h3>%s</h3><ul>\n", armed ? " waiting" : "", engine->lane);
        write_armed(out, hang, engine);
        if (links)
            write_links(out, links, count, engine, hang->now);
        fputs("</ul></li>\n", out);
    }
    fputs("</ol>\n", out);
}

/* From the engine whose end does not come to the one at the end of the chain: each box waits for the next. */
static void write_chain(FILE *out, const struct hang_triage *triage) {
    char number[HTML_NUMBER];
    if (triage->chain_count == 0)
        return;
    fputs("<h3>Who waits for whom</h3>\n<ol class=\"path chain\">\n", out);
    for (size_t i = 0; i < triage->chain_count; i++) {
        const struct hang_step *step = &triage->chain[i];
        const bool end = i + 1 == triage->chain_count;
        fprintf(out, "<li class=\"engine %s\"><h4>", end ? "guilty" : "waiting");
        html_text(out, step->engine->name);
        fputs("</h4><p>", out);
        html_text(out, step->text);
        if (step->since)
            fprintf(out, "<small>since cycle %s</small>", html_count(step->since, number));
        fputs(end ? "</p><strong>the waiting ends here</strong></li>\n" : "</p></li>\n", out);
    }
    fputs("</ol>\n", out);
}

/* A link out of an engine: how far it came, who of the two is not ready, and since when. */
static void write_triage_link(FILE *out, const struct hang_link *link) {
    const struct wait_pair *pair = link->pair;
    char number[HTML_NUMBER], of[HTML_NUMBER];
    fprintf(out, "<li class=\"tap %s\"><b><span aria-hidden=\"true\">%s</span> to ", link->stuck ? "differs" : "equal",
            link->stuck ? "&#9646;&#9646;" : "&#8594;");
    html_printf(out, "%s, %s", pair->to, pair->name);
    fputs("</b>", out);
    if (link->counted && link->required > 0) {
        const double share = (double)link->moved / (double)link->required;
        fprintf(out, "<span class=\"gauge\"><i style=\"width:%.1f%%\"></i></span> %s of %s",
                share < 1 ? 100 * share : 100, html_count(link->moved, number), html_count(link->required, of));
    }
    if (link->beyond > 0)
        fprintf(out, " <strong>%s too many</strong>", html_count((uint64_t)link->beyond, number));
    if (pair->seen)
        fprintf(out, "<small>valid %d, ready %d since cycle %s</small>", pair->valid, pair->ready,
                html_count(pair->since, number));
    if (pair->last)
        fprintf(out, "<small>moved last at cycle %s</small></li>\n", html_count(pair->last, number));
    else
        fputs(pair->counted && pair->moved == 0 ? "<small>never moved</small></li>\n" : "</li>\n", out);
}

static void write_triage_engine(FILE *out, const struct hang_triage *triage, const struct hang_engine *engine) {
    const bool guilty = triage->unit && strcmp(triage->unit, engine->name) == 0;
    fprintf(out, "<li class=\"engine%s\"><h4>", guilty ? " guilty" : engine->waits_for ? " waiting" : "");
    html_text(out, engine->name);
    fputs("</h4><p>", out);
    html_text(out, engine->text);
    if (engine->armed > 0)
        fprintf(out, "<small>%d armed and not done</small>", engine->armed);
    fputs("</p><ul>\n", out);
    for (int i = 0; triage->inside && i < WAIT_STATE_COUNT; i++) {
        const struct wait_state *state = &triage->waits->states[i];
        char number[HTML_NUMBER];
        if (strcmp(state->engine, engine->name) != 0)
            continue;
        fputs("<li class=\"tap\">", out);
        html_printf(out, "%s: ", state->name);
        fputs("<b>", out);
        html_text(out, state->value[0] ? state->value : "no legal state");
        fprintf(out, "</b> <em>since cycle %s</em></li>\n", html_count(state->since, number));
    }
    for (size_t i = 0; i < triage->link_count; i++)
        if (strcmp(triage->links[i].pair->from, engine->name) == 0)
            write_triage_link(out, &triage->links[i]);
    fputs("</ul></li>\n", out);
}

/* Credits, places and elements to come, and what the memory owes. */
static void write_rest(FILE *out, const struct device_waits *waits) {
    char number[HTML_NUMBER];
    fputs("<details><summary>credits and counters, bursts without answer</summary><div "
          "class=\"scroll\"><table><thead><tr><th>engine</th><th>counter</th><th>value</th></tr></thead><tbody>\n",
          out);
    for (int i = 0; waits->inside && i < WAIT_COUNTER_COUNT; i++)
        fprintf(out, "<tr><td>%s</td><td>%s</td><td>%" PRIu32 "</td></tr>\n", waits->counters[i].engine,
                waits->counters[i].name, waits->counters[i].value);
    fputs(
        "</tbody></table><table><thead><tr><th>burst</th><th>AXI ID</th><th>address</th><th>beats to come</th><th>age, "
        "clocks</th></tr></thead><tbody>\n",
        out);
    for (size_t i = 0; i < waits->burst_count; i++) {
        const struct wait_burst *burst = &waits->bursts[i];
        fprintf(out, "<tr><td>%s %s, %s port</td><td>%d</td><td>0x%08" PRIx64 "</td><td>%d</td><td>%s</td></tr>\n",
                nvdla_client_name(burst->id % AXI_IDS, burst->write), burst->write ? "writes" : "reads",
                memory_space_name(burst->port), burst->id, burst->address, burst->beats,
                html_count(waits->cycle - burst->since, number));
    }
    fputs("</tbody></table></div></details>\n", out);
}

static void write_triage(FILE *out, const struct hang_triage *triage) {
    fputs("<p class=\"reason\">", out);
    html_text(out, triage->sentence);
    fputs("</p>\n", out);
    write_chain(out, triage);
    fputs("<h3>The engines, along the data path</h3>\n<ol class=\"path\">\n", out);
    for (size_t i = 0; i < triage->engine_count; i++)
        if (triage->engines[i].seen)
            write_triage_engine(out, triage, &triage->engines[i]);
    fputs("</ol>\n", out);
    write_rest(out, triage->waits);
}

/* The hang to show: that of the device which shows the most of its inside. The same trace hangs for the same reason on
 * the others. */
void html_hang(const struct page *page) {
    const struct hang *hang = NULL;
    for (int i = 0; i < page->report->input.played_count; i++) {
        const struct hang *next = page->report->input.played[i].result->hang;
        if (next && (!hang || (next->triage && !hang->triage)))
            hang = next;
    }
    if (!hang)
        return;
    html_section(page->out, "hang", "Who stands still",
                 hang->triage ? NULL
                              : "The engines in the order of the data path: what is armed and not done, and when each "
                                "link between them moved last. Where a link that has moved is followed by one that has "
                                "not, the engine between them holds things up.");
    if (hang->triage)
        write_triage(page->out, hang->triage);
    else
        write_hang(page, hang);
    fputs("</section>\n", page->out);
}
