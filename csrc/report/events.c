/* Frame of the trace events; see events.h. */
#include "report/events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/events_parts.h"
#include "report/json_text.h"

void events_begin(struct events *events, char phase, enum events_process process, int track, uint64_t clock) {
    fprintf(events->out, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"ts\":%" PRIu64, phase, (int)process, track, clock);
}

void events_slice(struct events *events, enum events_process process, int track, uint64_t start, uint64_t end,
                  const char *category, const char *name) {
    const uint64_t clocks = end > start ? end - start : 0;
    events_begin(events, 'X', process, track, start);
    fprintf(events->out,
            ",\"dur\":%" PRIu64 ",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{\"cycle\":%" PRIu64 ",\"clocks\":%" PRIu64,
            clocks, category, name, start, clocks);
}

void events_track(struct events *events, enum events_process process, int track, const char *name) {
    fprintf(events->out,
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}"
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
            (int)process, track, name, (int)process, track, track);
}

void events_flow(struct events *events, const char *name, enum events_process from, int from_track,
                 enum events_process to, int to_track, uint64_t from_clock, uint64_t to_clock) {
    const unsigned id = ++events->flows;
    events_begin(events, 's', from, from_track, from_clock);
    fprintf(events->out, ",\"id\":%u,\"cat\":\"flow\",\"name\":\"%s\"}", id, name);
    events_begin(events, 'f', to, to_track, to_clock);
    fprintf(events->out, ",\"bp\":\"e\",\"id\":%u,\"cat\":\"flow\",\"name\":\"%s\"}", id, name);
}

void events_text(struct events *events, const char *text) {
    char *quoted = json_to_text(json_text(text), JSON_ENCODE_ANY);
    fputs(quoted, events->out);
    free(quoted);
}

/* What the file is about, then the names of the groups of tracks. */
static void write_head(struct events *events) {
    static const char *const names[] = {
        [EVENTS_FINDINGS] = "Findings",          [EVENTS_LAYERS] = "Layers",
        [EVENTS_ENGINES] = "Launches by engine", [EVENTS_OCCUPANCY] = "Busy and waiting",
        [EVENTS_GROUPS] = "Register groups",     [EVENTS_HOST] = "Register bus and interrupt",
        [EVENTS_MEMORY] = "Memory and MACs"};
    const struct report_input *in = &events->report->input;
    FILE *out = events->out;
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"trace\":", out);
    events_text(events, in->name);
    fprintf(out, ",\"configuration\":\"%s\",\"device\":", in->prog->config->name);
    events_text(events, in->played[0].dev->name);
    fprintf(out, ",\"status\":\"%s\",\"unit of ts and dur\":\"core clock\",\"cycles\":%" PRIu64 "},\n\"traceEvents\":[",
            report_status_text(report_status(events->report)), events->timeline->cycles);
    for (int process = EVENTS_FINDINGS; process <= EVENTS_MEMORY; process++)
        fprintf(out,
                "%s\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}"
                ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}",
                process == EVENTS_FINDINGS ? "" : ",", process, names[process], process, process);
}

bool events_write(const struct report *report, const char *path, struct error *err) {
    struct events events = {.report = report, .layers = report_layers(report)};
    struct error unnamed;
    char *text = NULL;
    size_t size = 0;
    events.timeline = events.layers.timeline;
    if (!events.timeline) {
        report_layers_free(&events.layers);
        return error_set(err, "%s: nothing was counted: the RTL did not play", path);
    }
    if (!network_read(report->input.prog, &events.network, &unnamed)) /* reported where the trace is judged */
        events.network = (struct network){0};
    events.out = xmemstream(&text, &size);
    write_head(&events);
    events_findings(&events);
    events_layers(&events);
    events_occupancy(&events);
    events_host(&events);
    fputs("\n]}\n", events.out);
    xmemstream_close(events.out);
    const bool good = file_write(path, text, size, err);
    free(text);
    network_free(&events.network);
    report_layers_free(&events.layers);
    return good;
}
