/* Judges a trace that was played. See judge.h. */
#include "run/session/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dram/system.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"
#include "report/events.h"
#include "report/json_text.h"
#include "report/verdict.h"
#include "run/options/foreign.h"
#include "run/session/errata.h"
#include "run/simulators/python_output.h"

static void fill_device(struct result *result, const struct played *played) {
    const struct play_result *from = played->result;
    const struct device_statistics *s = &from->statistics;
    struct result_device *device = &result->devices[result->device_count++];
    const char *details = from->message ? strchr(from->message, '\n') : NULL;
    const struct hang_triage *triage = from->hang ? from->hang->triage : NULL;
    const char *engine = triage ? nvdla_engine_folder(triage->engine) : NULL;
    *device = (struct result_device){
        .name = xstrdup(played->dev->name),
        .outcome = xstrdup(report_outcome_text(from->outcome)),
        .details = details && details[1] ? xstrdup(details + 1) : NULL,
        .engine = engine ? xstrdup(engine) : NULL,
        .stopped = triage ? triage->cycle : 0,
        .checks = from->checks_done,
        .not_compared = from->checks_skipped,
        .volatile_mismatches = from->volatile_mismatches,
        .interrupts = from->interrupts,
        .failures = from->failure_count,
        .findings = played->dev->finding_count + played->dev->findings_dropped,
        .clocked = s->cycles > 0,
        .cycles = s->cycles,
        .op_start = s->op_start,
        .op_cycles = s->op_cycles,
        .outside = s->outside,
        .cpu_seconds = s->cpu_seconds,
    };
    if (s->rtl) {
        device->vpi_calls = s->rtl->vpi_calls;
        device->quiet_cycles = s->rtl->quiet_cycles;
        device->most_vpi_per_cycle = s->rtl->most_vpi_per_cycle;
        device->eval_share = s->rtl->eval_share;
        device->wave_cycles = s->rtl->wave_cycles;
        struct text memory = {0};
        if (s->rtl->memory)
            memory_statistics_print(&memory, s->rtl->memory);
        device->memory = memory.text;
        for (uint32_t n = 1; n <= s->rtl->fault_count; n++)
            if (s->rtl->faults_met[n] & 1 || s->rtl->faults_met[n] == 4)
                result_add_fault(result, n);
    }
    if (s->model) {
        device->table_hits = s->model->table_hits;
        device->table_builds = s->model->table_builds;
    }
    memcpy(device->read_beats, s->read_beats, sizeof device->read_beats);
    memcpy(device->write_beats, s->write_beats, sizeof device->write_beats);
}

/* The option whose limit the first hanging device reached. */
static void fill_limit(struct result *result, const struct report_input *input) {
    static const char *const limits[] = {[HANG_STILL] = "--still",
                                         [HANG_TIMEOUT] = "--timeout",
                                         [HANG_MAX_CYCLES] = "--max-cycles",
                                         [HANG_AT_END] = NULL};
    for (int i = 0; i < input->played_count && !result->limit; i++) {
        const struct hang *hang = input->played[i].result->hang;
        const char *limit = hang ? limits[hang->reason] : NULL;
        result->limit = limit ? xstrdup(limit) : NULL;
    }
}

/* Space and address of the first byte that differs, and its launch. NULL: unknown. */
static void fill_place(struct result_mismatch *mismatch, const struct report *report, enum memory_space space,
                       uint64_t address, const struct launch_output *output, const struct launch *launch) {
    char text[REPORT_LINE];
    mismatch->space = xstrdup(memory_space_name(space));
    mismatch->address = address;
    if (launch) {
        mismatch->unit = xstrdup(nvdla_unit_names[launch->unit]);
        mismatch->launch = launch->ordinal;
        mismatch->position = xstrdup(report_launch_position(report, launch, text, sizeof text));
    }
    if (output)
        mismatch->element = xstrdup(report_element(output, address, text, sizeof text));
}

/* The same for a byte in the memory of a device, and its cycle. */
static void fill_byte(struct result_mismatch *mismatch, const struct report *report, int played,
                      enum memory_space space, uint64_t address) {
    const struct launch_output *output = report_output(report, space, address);
    fill_place(mismatch, report, space, address, output, output ? output->launch : NULL);
    mismatch->cycle = report_cycle(report, played, space, address, output);
}

/* The first wrong beat; else the first byte that differs between the devices; else the first that differs from a
 * golden. */
static void fill_mismatch(struct result_mismatch *mismatch, const struct report *report) {
    const struct wrong_beat *wrong = report->input.wrong;
    if (wrong) {
        mismatch->bytes = (uint64_t)__builtin_popcountll(wrong->wrong);
        mismatch->cycle = wrong->beat.cycle;
        fill_place(mismatch, report, (enum memory_space)wrong->beat.port, wrong->address, report->wrong_output,
                   report_wrong_launch(report));
        return;
    }
    for (size_t i = 0; i < report->mismatch_count; i++)
        mismatch->bytes += report->mismatches[i].count;
    if (report->mismatch_count > 0)
        fill_byte(mismatch, report, 0, report->mismatches[0].space, report->mismatches[0].first);
    int played;
    const struct play_failure *failure = report_first_failure(report, &played);
    const struct op *op = failure ? &report->input.prog->ops[failure->op] : NULL;
    if (op && op->kind == OP_MEM_CHECK && !mismatch->space) {
        mismatch->golden = true;
        mismatch->bytes = failure->count;
        fill_byte(mismatch, report, played, op->space, failure->first);
    }
}

static char *copy(const char *text) {
    return text && text[0] ? xstrdup(text) : NULL;
}

/* Who disagrees with whom, and what came first. nvcosim debug says it in its verdict. */
static void fill_dissent(struct result *result, const struct report *report) {
    const struct dissent *dissent = &report->dissent;
    if (report->sign == SIGN_FINDING)
        result->sign = xprintf("rule:%s", report->finding->rule);
    else if (report->sign != SIGN_NONE)
        result->sign = xstrdup(report->sign == SIGN_CHECK ? "check" : "read");
    if (dissent->kind == DISSENT_NONE)
        return;
    result->disagrees = (struct result_dissent){
        .who = xstrdup(dissent_names[dissent->kind]),
        .certainty = xstrdup(certainty_names[dissent->certainty]),
        .suspect = copy(dissent->what),
        .suspect_certainty = dissent->what ? xstrdup(certainty_names[dissent->what_certainty]) : NULL,
        .position = copy(dissent->position),
        .sentence = copy(dissent->sentence)};
    if (dissent->sentence[0] && !report->input.diagnosis)
        words_add(&result->notes, "%s", dissent->sentence);
}

static void fill_findings(struct result *result, const struct device *dev) {
    for (size_t i = 0; i < dev->finding_count; i++)
        result_add_finding(result, dev->name, &dev->findings[i]);
}

/* Programming that breaks rules of the spec. */
static void fill_warnings(struct result *result, const struct device *dev, const struct report *report) {
    for (size_t i = 0; i < dev->warning_count; i++) {
        char text[1024];
        if (dev->warnings[i].effect == RULE_ERRATUM)
            continue; /* legal; named if the run fails */
        words_add(&result->warnings, "%s", report_warning(report, &dev->warnings[i], text, sizeof text));
    }
    result->warnings_dropped += dev->warnings_dropped;
}

static void fill_notes(struct result *result, const struct run_options *options) {
    const struct result_device *rtl = &result->devices[0];
    if (options->rtl.wave.path && rtl->cycles <= options->rtl.wave.from)
        words_add(&result->notes,
                  "warning: %s had %" PRIu64 " cycles, so it was over before --wave-from %" PRIu64
                  ": %s does not show it",
                  result->trace, rtl->cycles, options->rtl.wave.from, options->rtl.wave.path);
    if (options->wave_layer && rtl->wave_cycles == 0)
        words_add(&result->notes, "warning: layer %s was never armed: %s does not show it", options->wave_layer,
                  options->rtl.wave.path);
    const char *gates = foreign_gates_note(options->foreign, &options->pins);
    if (result->verdict == VERDICT_HANG && gates)
        words_add(&result->notes, "%s", gates);
    if (!options->quiet && result->verdict == VERDICT_REFUSED)
        words_add(&result->notes, "--allow-undefined plays it anyway; was this trace made for configuration %s?",
                  result->config);
}

void result_not_played(struct result *result, const char *reason) {
    result->verdict = VERDICT_ERROR;
    free(result->reason);
    result->reason = xstrdup(reason);
    result->named.count = 0;
}

char *report_folder(const struct run_options *options, const char *name) {
    return xprintf("%s/%s", options->out ? options->out : REPORT_FOLDER, name);
}

/* Writes the report if wanted. */
static void write_report(const struct run_options *options, const struct report *report, struct result *result) {
    struct error err;
    if (options->no_report)
        return;
    if ((!options->out || options->only_failed) && result->verdict == VERDICT_PASS && !options->histogram &&
        !options->html)
        return;
    autofree char *folder = report_folder(options, result->trace);
    if (report_write(report, folder, &err)) {
        result->report = xprintf("%s/report.json", folder);
        result->page = report_has_page(report) ? xprintf("%s/report.html", folder) : NULL;
        result->histogram = options->histogram ? xprintf("%s/histogram.svg", folder) : NULL;
    } else
        result_not_played(result, err.text);
}

bool timeline_write(const struct report *report, const char *path, struct error *err) {
    json_t *value = events_value(report);
    if (!value)
        return error_set(err, "%s: nothing was counted: the RTL did not play", path);
    char *text = json_to_text(value, JSON_COMPACT), *events = NULL;
    autowords struct words arguments = {0};
    size_t n;
    const int file = memfd_create("timeline", MFD_CLOEXEC);
    words_add(&arguments, "/proc/%d/fd/%d", (int)getpid(), file);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        error_set(err, "%s: no memory: %m", path);
    else
        events = python_output("timeline", &arguments, &n, err);
    const bool good = events && file_write(path, events, n, err);
    if (file >= 0)
        close(file);
    free(events);
    free(text);
    return good;
}

/* Writes the trace events if wanted. */
static void write_timeline(const struct run_options *options, const struct report *report, struct result *result) {
    struct error err;
    if (!options->timeline)
        return;
    if (!timeline_write(report, options->timeline, &err)) {
        error_prefix(&err, "--timeline: ");
        result_not_played(result, err.text);
    } else if (!options->quiet)
        words_add(&result->notes, "timeline: %s; open it at https://ui.perfetto.dev", options->timeline);
}

struct named_launches judge(const struct run_options *options, struct report_input *input, struct result *result) {
    static const enum verdict verdicts[] = {[REPORT_PASSED] = VERDICT_PASS,
                                            [REPORT_FAILED] = VERDICT_FAIL,
                                            [REPORT_HUNG] = VERDICT_HANG,
                                            [REPORT_REFUSED] = VERDICT_REFUSED};
    struct text dut = {0};
    result->compared = input->played_count > 1;
    for (int i = 0; i < input->played_count; i++) {
        text_printf(&dut, "%s%s", i ? "+" : "", input->played[i].dev->name);
        fill_device(result, &input->played[i]);
        fill_findings(result, input->played[i].dev);
        result->compared = result->compared || result->devices[i].checks > 0;
    }
    free(result->dut);
    result->dut = dut.text;
    if (options->play.strict && !result->compared)
        input->objection = "nothing was compared: the trace has no check, and only one device played it (--strict)";
    char *again = options->layer.generator ? NULL : run_options_command(options, options->traces.items[0], NULL, "");
    input->again = again;
    struct report *report = report_new(input);
    result->verdict = verdicts[report_status(report)];
    autofree char *erratum = NULL;
    if ((result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG) &&
        errata_part(options, input, &erratum) != ERRATA_NO_PART)
        report_name_erratum(report, erratum);
    result->reason = xstrdup(report_reason(report));
    result->named = report->named;
    for (int i = 0; i < input->played_count; i++)
        fill_warnings(result, input->played[i].dev, report);
    fill_mismatch(&result->mismatch, report);
    fill_dissent(result, report);
    if (result->verdict == VERDICT_HANG)
        fill_limit(result, input);
    fill_notes(result, options);
    write_report(options, report, result);
    write_timeline(options, report, result);
    const struct named_launches named = report->wrong_data ? report->named : (struct named_launches){.count = 0};
    report_free(report);
    input->again = NULL;
    free(again);
    return named;
}

void name_recordings(const struct run_options *options, const char *wave, struct result *result) {
    const uint64_t cycles = result->devices[0].wave_cycles;
    if (cycles == 0 || options->quiet)
        return;
    autofree char *save = wave_save_path(wave);
    autofree char *word = text_quoted(save);
    words_add(&result->notes, "waves of %" PRIu64 " cycles: %s; open them with: gtkwave %s", cycles, wave, word);
    if (options->rtl.wave.saif)
        words_add(&result->notes, "their activity, for power tools: %s", options->rtl.wave.saif);
}
