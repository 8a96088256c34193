/* How often the bits of the design's parts changed. See html.h. */
#include <string.h>

#include "nvdla/engines.h"
#include "report/html_parts.h"

/* Name of the engine that is this instance; "" if it is none. */
static const char *engine_of(const char *instance) {
    for (size_t i = 0; i < nvdla_instance_count; i++)
        if (strcmp(nvdla_instances[i].name, instance) == 0)
            return nvdla_engines[nvdla_instances[i].engine].name;
    return "";
}

static void write_part(const struct page *page, const struct activity_part *part, uint64_t all) {
    FILE *out = page->out;
    char number[HTML_NUMBER];
    const double clocks = (double)page->layers.activity_clocks, toggles = (double)part->toggles;
    fputs("<tr><th scope=\"row\">", out);
    html_text(out, engine_of(part->instance));
    fputs("</th><td>", out);
    html_text(out, part->instance[0] ? part->instance : "wires between them");
    fprintf(out, "</td><td>%s</td>", html_count(part->bits, number));
    fprintf(out, "<td>%s</td>", html_count(part->toggles, number));
    fprintf(out, "<td>%.4f</td><td>%.1f %%</td></tr>\n",
            part->bits > 0 && clocks > 0 ? toggles / ((double)part->bits * clocks) : 0,
            all > 0 ? 100 * toggles / (double)all : 0);
}

void html_activity(const struct page *page) {
    FILE *out = page->out;
    const struct activity *activity = page->layers.activity;
    char number[HTML_NUMBER];
    if (!activity)
        return;
    uint64_t all = 0;
    for (size_t i = 0; i < activity->count; i++)
        all += activity->parts[i].toggles;
    html_section(out, "activity", "Toggles by engine", NULL);
    fprintf(out,
            "<p class=\"about\">Changes of bits in the %s recorded clocks, those of clocks and resets too; the same "
            "counts as in the SAIF file. A wire that leads through several instances counts in each of them.</p>\n"
            "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">engine</th><th scope=\"col\">instance</th><th "
            "scope=\"col\">bits</th><th scope=\"col\">toggles</th><th scope=\"col\">of a bit in a clock</th><th "
            "scope=\"col\">share</th></tr></thead><tbody>\n",
            html_count(page->layers.activity_clocks, number));
    for (size_t i = 0; i < activity->count; i++)
        write_part(page, &activity->parts[i], all);
    fputs("</tbody></table></div></section>\n", out);
}
