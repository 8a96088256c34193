/* The table of layers, each with the clients of the memory below it. See html.h. */
#include <inttypes.h>
#include <string.h>

#include "nvdla/text.h"
#include "report/html_parts.h"

enum { ROWS = 2000 /* report.json has all */ };

static void write_client(FILE *out, const struct report_layer *layer, enum nvdla_client client, int port_bytes) {
    const struct timeline_traffic *traffic = &layer->traffic[client];
    const uint64_t bytes = layer->counted ? traffic->bytes : layer->expected[client];
    char number[HTML_NUMBER];
    if (bytes == 0 && layer->expected[client] == 0)
        return;
    fprintf(out, "<tr><th scope=\"row\">%s %s</th><td>%s</td>", nvdla_clients[client].name,
            nvdla_clients[client].write ? "writes" : "reads", html_bytes(bytes, number));
    if (layer->counted && layer->clocks) {
        const double rate = (double)bytes / (double)layer->clocks;
        fprintf(out, "<td>%s</td><td>%.2f</td><td>%.1f %%</td>", html_count(traffic->beats, number), rate,
                100 * rate / port_bytes);
    } else
        fputs("<td></td><td></td><td></td>", out);
    if (layer->counted) {
        fprintf(out, "<td>%s</td>",
                html_count(traffic->pending > traffic->beats ? traffic->pending - traffic->beats : 0, number));
        fprintf(out, "<td>%s</td>", html_count(traffic->refused, number));
        fprintf(out, "<td>%s</td>", html_count(traffic->untaken, number));
    } else
        fputs("<td></td><td></td><td></td>", out);
    fputs("</tr>\n", out);
}

static void write_clients(const struct page *page, const struct report_layer *layer) {
    FILE *out = page->out;
    fputs("<table class=\"clients\"><thead><tr><th>client</th><th>bytes</th><th>beats</th><th>bytes a clock</th><th>of "
          "the port</th><th title=\"clocks in which it had asked and nothing came or went\">waits for answers</th><th "
          "title=\"clocks in which its address or data was valid and the memory not ready\">refused by memory</th><th "
          "title=\"clocks in which an answer was valid and the design not ready\">answer not "
          "taken</th></tr></thead><tbody>\n",
          out);
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        write_client(out, layer, (enum nvdla_client)client, page->report->input.prog->config->dbb_data_bits / 8);
    fputs("</tbody></table>\n", out);
}

/* A number to be sorted by, and what is shown of it. */
static void cell(FILE *out, double key, const char *shown) {
    fprintf(out, "<td data-key=\"%.6g\">%s</td>", key, shown);
}

static void write_layer(const struct page *page, size_t index) {
    const struct report_layer *layer = &page->layers.items[index];
    FILE *out = page->out;
    char name[64], kind[64], number[HTML_NUMBER], more[96], position[REPORT_POSITION];
    uint64_t read = layer->read_bytes, write = layer->write_bytes, waits = 0, refused = 0;
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++) {
        const struct timeline_traffic *traffic = &layer->traffic[c];
        if (!layer->counted && nvdla_clients[c].write)
            write += layer->expected[c];
        else if (!layer->counted)
            read += layer->expected[c];
        waits += traffic->pending > traffic->beats ? traffic->pending - traffic->beats : 0;
        refused += traffic->refused + traffic->untaken;
    }
    fprintf(
        out,
        "<tbody id=\"layer-%zu\"%s>\n<tr><th scope=\"row\" data-key=\"%zu\"><button type=\"button\" class=\"more\" "
        "aria-expanded=\"false\"><span class=\"sign\" aria-hidden=\"true\"></span>%s</button> <small>%s</small></th>",
        index, layer->wrong ? " class=\"wrong\"" : "", index, report_launch_name(layer->launch, name, sizeof name),
        report_layer_kind(layer, kind, sizeof kind));
    if (layer->counted) {
        snprintf(more, sizeof more, layer->end ? "%s" : "%s, no end", html_count(layer->start, number));
        cell(out, (double)layer->start, more);
        cell(out, (double)layer->clocks, layer->clocks ? html_count(layer->clocks, number) : "&ndash;");
    } else {
        cell(out, 0, "&ndash;");
        cell(out, 0, "&ndash;");
    }
    const double used = report_layer_utilisation(page->report, layer);
    if (layer->macs && layer->clocks) {
        snprintf(more, sizeof more, "<span class=\"gauge\"><i style=\"width:%.1f%%\"></i></span> %.1f %%",
                 used < 1 ? 100 * used : 100, 100 * used);
        cell(out, used, more);
    } else {
        snprintf(more, sizeof more, "%s <small>to do</small>", html_count(layer->macs, number));
        cell(out, 0, layer->macs ? more : "&ndash;");
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t bytes = i ? write : read;
        if (layer->clocks)
            snprintf(more, sizeof more, "%s <small>%.2f/clk</small>", html_bytes(bytes, number),
                     (double)bytes / (double)layer->clocks);
        else
            snprintf(more, sizeof more, "%s", html_bytes(bytes, number));
        cell(out, (double)bytes, more);
    }
    cell(out, (double)waits, layer->counted ? html_count(waits, number) : "&ndash;");
    cell(out, (double)refused, layer->counted ? html_count(refused, number) : "&ndash;");
    snprintf(more, sizeof more, "<strong>%s %s</strong>%s", html_count(layer->wrong, number),
             text_plural(layer->wrong, "byte", "bytes"),
             page->report->input.wrong ? " <small>of its first wrong beat</small>" : "");
    cell(out, (double)layer->wrong, layer->wrong ? more : "&ndash;");
    fputs("</tr>\n<tr class=\"detail\"><td colspan=\"9\"><p>armed at ", out);
    html_text(out, report_launch_position(page->report, layer->launch, position, sizeof position));
    if (layer->macs)
        fprintf(out, "; %s multiplications", html_count(layer->macs, number));
    fputs("</p>\n", out);
    write_clients(page, layer);
    fputs("</td></tr></tbody>\n", out);
}

void html_layers(const struct page *page) {
    FILE *out = page->out;
    if (page->layers.count == 0)
        return;
    html_section(
        out, "layers", "Layers",
        page->layers.timeline
            ? "Clocks from the start of a layer (its arming, or the end of the one before it on the same engine) to "
              "its end. Waits and refusals are clocks, added up over the clients of the memory."
            : "What the registers ask for; bytes are those that the layers need.");
    fputs("<div class=\"scroll\"><table class=\"sortable\"><thead><tr>", out);
    static const char *const titles[] = {"layer",  "start",   "clocks",           "MACs used",
                                         "read",   "written", "waits for memory", "held up on the bus",
                                         "differs"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        fprintf(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>",
                i == 0 ? " aria-sort=\"ascending\"" : "", titles[i]);
    fputs("</tr></thead>\n", out);
    for (size_t i = 0; i < page->layers.count && i < ROWS; i++)
        write_layer(page, i);
    fputs("</table></div>\n", out);
    if (page->layers.count > ROWS)
        fprintf(out, "<p>%zu more layers are in report.json.</p>\n", page->layers.count - ROWS);
    fputs("</section>\n", out);
}
