/* Cuts a trace, plays its pieces with the runner of traces, and makes one result from theirs. See pieces.h. */
#include "run/jobs/pieces.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/jobs/jobs.h"
#include "run/network/outputs.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/result/result.h"
#include "run/session/session.h"
#include "split/split.h"
#include "trace/formats.h"

/* A piece, played or not. */
struct piece {
    char *path;
    bool chosen, done;
    size_t place; /* among the pieces that are played, the longest first */
    struct result result;
};

struct pieces {
    const struct run_options *options;
    const struct pieces_options *wanted;
    const char *path;
    char name[256], *folder;
    struct split *split;
    struct piece *pieces;
    struct run_options played; /* how the pieces are played */
    struct jobs_listener listener;
    struct jobs *jobs;        /* NULL: not open yet */
    struct progress progress; /* of the cutting */
    double start;             /* process_clock() when the first piece could play */
    struct result whole;
    struct warning_kinds warnings;
    struct result_style style;
    char *outputs; /* folder of a network's outputs; NULL: not requested */
};

/* ---- cutting ---- */

static void clean(const struct pieces *pieces);

/* Pieces play while the next ones are cut. A signal ends both. */
static void look_at_jobs(struct pieces *pieces) {
    const int status = pieces->jobs ? jobs_look(pieces->jobs) : 0;
    if (status == 0)
        return;
    clean(pieces);
    exit(status);
}

static bool take_piece(void *context, size_t index, struct program *piece, struct memory *const memory[SPACE_COUNT],
                       struct error *err) {
    struct pieces *pieces = context;
    const bool last = index + 1 == pieces->split->piece_count;
    const struct piece *mine = &pieces->pieces[index];
    bool fine = !mine->chosen || trace_write(piece, mine->path, err);
    if (fine && mine->chosen)
        jobs_there(pieces->jobs, mine->place);
    look_at_jobs(pieces);
    /* A device that passes has the same outputs as the model. */
    if (fine && last && pieces->outputs)
        fine = outputs_write(piece, memory, pieces->outputs, err) &&
               outputs_show(pieces->options->quiet ? NULL : pieces->style.out, piece, pieces->outputs,
                            &pieces->options->style, err);
    program_free(piece);
    return fine;
}

/* Chooses the sample: pieces with more expected clocks are more likely, and none is chosen twice. */
static void choose(struct pieces *pieces) {
    const struct split *split = pieces->split;
    const size_t count = split->piece_count, wanted = pieces->wanted->sample;
    uint64_t state = pieces->options->seed, left = 0;
    for (size_t i = 0; i < count; i++) {
        pieces->pieces[i].chosen = wanted == 0 || wanted >= count;
        left += split->pieces[i].clocks;
    }
    for (size_t chosen = 0; wanted < count && chosen < wanted; chosen++) {
        uint64_t at = random_next(&state) % left;
        size_t i = 0;
        while (pieces->pieces[i].chosen || at >= split->pieces[i].clocks) {
            at -= pieces->pieces[i].chosen ? 0 : split->pieces[i].clocks;
            i++;
        }
        pieces->pieces[i].chosen = true;
        left -= split->pieces[i].clocks;
    }
}

/* Removes the results of an earlier run from the folder. */
static void clear_folder(const struct pieces *pieces) {
    DIR *folder = opendir(pieces->folder);
    const size_t n = strlen(pieces->name);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)) != NULL) {
        const bool piece = strncmp(entry->d_name, pieces->name, n) == 0 && entry->d_name[n] == '-' &&
                           text_ends_with(entry->d_name, ".nvt");
        if (piece || strcmp(entry->d_name, "report.json") == 0 || strcmp(entry->d_name, "report.txt") == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

static void show_progress(void *context, const struct device *model, size_t done, size_t total) {
    struct pieces *pieces = context;
    (void)model;
    look_at_jobs(pieces);
    progress_count(&pieces->progress, "cutting", done, total, "operations");
}

/* Prepares to play pieces, which takes a while: the trace is read and cut meanwhile. */
static bool open_jobs(struct pieces *pieces, const struct nvdla_config *config) {
    pieces->played = *pieces->options;
    pieces->played.traces = (struct words){0};
    pieces->played.results = pieces->played.outputs = pieces->played.name = NULL;
    pieces->listener.config = config;
    pieces->jobs = jobs_open(&pieces->played, &pieces->listener);
    return pieces->jobs != NULL;
}

/* Announces the chosen pieces, the longest first. */
static void expect_jobs(struct pieces *pieces) {
    const size_t count = pieces->split->piece_count;
    autofree bool *queued = xcalloc(count, sizeof *queued);
    for (size_t place = 0; place < count; place++) {
        size_t longest = SIZE_MAX;
        for (size_t i = 0; i < count; i++)
            if (pieces->pieces[i].chosen && !queued[i] &&
                (longest == SIZE_MAX || pieces->split->pieces[i].work > pieces->split->pieces[longest].work))
                longest = i;
        if (longest == SIZE_MAX)
            break;
        queued[longest] = true;
        pieces->pieces[longest].place = place;
        words_add(&pieces->played.traces, "%s", pieces->pieces[longest].path);
    }
    pieces->start = process_clock();
    jobs_expect(pieces->jobs, &pieces->played.traces);
}

static bool make_pieces(struct pieces *pieces, const struct split_options *split, struct error *err) {
    clear_folder(pieces);
    pieces->pieces = xcalloc(pieces->split->piece_count, sizeof *pieces->pieces);
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        autofree char *file = split_file_name(pieces->split, i, ".nvt");
        pieces->pieces[i].path = xprintf("%s/%s", pieces->folder, file);
    }
    choose(pieces);
    expect_jobs(pieces);
    return split_make(pieces->split, split, take_piece, pieces, err);
}

/* Cuts, and plays the first pieces meanwhile. False with a message, which is empty if it has been printed. */
static bool cut(struct pieces *pieces, struct error *err) {
    const struct run_options *options = pieces->options;
    pieces->progress = progress_start();
    const struct split_options split = {.pieces = pieces->wanted->pieces,
                                        .workers = (size_t)options->jobs,
                                        .allow_undefined = options->allow_undefined,
                                        .errata = options->errata,
                                        .seed = options->seed,
                                        .threads = (size_t)options->threads,
                                        .progress = show_progress,
                                        .progress_context = pieces};
    bool named;
    const struct nvdla_config *config = options->config ? options->config : trace_config(pieces->path, &named, err);
    if (!config)
        return false;
    pieces->whole.config = xstrdup(config->name);
    if (!open_jobs(pieces, config))
        return error_set(err, "%s", "");
    struct program *prog = read_trace(options, pieces->path, err);
    for (size_t i = 0; prog && i < prog->warning_count && !options->quiet; i++)
        warning_print(&pieces->warnings, prog->warnings[i].text, options->verbose);
    pieces->split = prog ? split_new(prog, pieces->name, &split, err) : NULL;
    const bool fine = pieces->split && directory_make(pieces->folder, err) && make_pieces(pieces, &split, err);
    progress_clear(&pieces->progress);
    if (!fine)
        jobs_abandon(pieces->jobs);
    return fine;
}

/* ---- results of the pieces ---- */

/* The reason of a piece with the numbers that its launches have in the whole. free() it. */
static char *reason_in_the_whole(const struct pieces *pieces, size_t index) {
    const struct result *result = &pieces->pieces[index].result;
    const char *reason = result->reason ? result->reason : "";
    struct text text = {0};
    size_t done = 0;
    text_add(&text, "", 0);
    for (size_t i = 0; i < result->named.count; i++) {
        const struct named_launch *named = &result->named.items[i];
        const struct split_launch *launch =
            split_launch(pieces->split, index, (enum nvdla_unit)named->launch.unit, named->launch.ordinal);
        const size_t digits = (size_t)snprintf(NULL, 0, "%d", (int)named->launch.ordinal);
        if (!launch || named->at < done || named->at + digits > strlen(reason))
            continue;
        text_add(&text, reason + done, named->at - done);
        text_printf(&text, "%d", launch->ordinal);
        done = named->at + digits;
    }
    text_add(&text, reason + done, strlen(reason + done));
    return text.text;
}

/* The place of a piece's failure: the launch, if the result names it; else the whole piece. */
static char *place_of(const struct pieces *pieces, size_t index) {
    const struct result_mismatch *mismatch = &pieces->pieces[index].result.mismatch;
    const enum nvdla_unit unit = mismatch->unit ? nvdla_unit_find(mismatch->unit) : NVDLA_UNIT_COUNT;
    char *launch = unit < NVDLA_UNIT_COUNT ? split_launch_name(pieces->split, index, unit, mismatch->launch) : NULL;
    return launch ? launch : split_piece_name(pieces->split, index);
}

static void take_result(void *context, struct result *result) {
    struct pieces *pieces = context;
    progress_clear(&pieces->progress);
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        struct piece *piece = &pieces->pieces[i];
        if (piece->done || !piece->chosen || strcmp(piece->path, result->path) != 0)
            continue;
        piece->done = true;
        piece->result = *result;
        *result = (struct result){0};
        if (piece->result.verdict == VERDICT_PASS)
            unlink(piece->path);
        if (piece->result.verdict != VERDICT_PASS || pieces->options->verbose)
            result_print(&piece->result, &pieces->style, &pieces->warnings);
        return;
    }
    result_free(result);
}

/* Clocks from the first D_OP_ENABLE to the last interrupt. If an interrupt that the trace has not cleared yet hides the
 * last one: to the clock when the RTL had come to rest. */
static uint64_t device_cycles(const struct result_device *device) {
    enum { REST = 300 /* most clocks that a run continues after its last interrupt */ };
    const uint64_t last = device->op_start + device->op_cycles + REST;
    return device->clocked && device->op_start > 0 && device->cycles > last ? device->cycles - device->op_start - REST
                                                                            : device->op_cycles;
}

static void add_device(struct result *whole, const struct result_device *from, int index) {
    struct result_device *to = &whole->devices[index];
    if (index >= whole->device_count) {
        *to =
            (struct result_device){.name = xstrdup(from->name), .outcome = xstrdup(from->outcome ? from->outcome : "")};
        whole->device_count = index + 1;
    }
    to->clocked |= from->clocked;
    to->checks += from->checks;
    to->not_compared += from->not_compared;
    to->volatile_mismatches += from->volatile_mismatches;
    to->interrupts += from->interrupts;
    to->failures += from->failures;
    to->findings += from->findings;
    to->eval_share += from->eval_share * from->cpu_seconds; /* divided at the end */
    to->cycles += from->cycles;
    to->op_cycles += device_cycles(from);
    to->outside += from->outside;
    to->vpi_calls += from->vpi_calls;
    to->quiet_cycles += from->quiet_cycles;
    if (from->most_vpi_per_cycle > to->most_vpi_per_cycle)
        to->most_vpi_per_cycle = from->most_vpi_per_cycle;
    to->cpu_seconds += from->cpu_seconds;
    to->table_hits += from->table_hits;
    to->table_builds += from->table_builds;
    for (int id = 0; id < AXI_IDS; id++) {
        to->read_beats[id] += from->read_beats[id];
        to->write_beats[id] += from->write_beats[id];
    }
}

static void add_piece(struct result *whole, const struct result *from) {
    if (!whole->dut && from->dut)
        whole->dut = xstrdup(from->dut);
    whole->compared |= from->compared;
    whole->operations += from->operations;
    whole->launches += from->launches;
    whole->layers += from->layers;
    whole->macs += from->macs;
    whole->cpu_seconds += from->cpu_seconds;
    if (from->memory_peak > whole->memory_peak)
        whole->memory_peak = from->memory_peak;
    for (int i = 0; i < from->device_count; i++)
        add_device(whole, &from->devices[i], i);
    for (size_t i = 0; i < from->warnings.count; i++)
        words_add(&whole->warnings, "%s", from->warnings.items[i]);
    whole->warnings_dropped += from->warnings_dropped;
    if (worse_status(verdict_status(whole->verdict), verdict_status(from->verdict)) != verdict_status(whole->verdict))
        whole->verdict = from->verdict;
}

/* Pieces that do not pass, and those not played. */
static size_t count_bad(const struct pieces *pieces, size_t *missing) {
    size_t bad = 0;
    *missing = 0;
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        const struct piece *piece = &pieces->pieces[i];
        bad += piece->done && piece->result.verdict != VERDICT_PASS;
        *missing += piece->chosen && !piece->done;
    }
    return bad;
}

/* Takes the reason from the first piece that is as bad as the whole. */
static void set_reason(struct pieces *pieces, size_t bad) {
    struct result *whole = &pieces->whole;
    const size_t count = pieces->split->piece_count;
    for (size_t i = 0; bad > 0 && i < count; i++) {
        const struct piece *piece = &pieces->pieces[i];
        if (!piece->done || piece->result.verdict != whole->verdict)
            continue;
        autofree char *place = place_of(pieces, i), *why = reason_in_the_whole(pieces, i);
        whole->reason =
            bad == 1 ? xprintf("piece %zu of %zu, %s: %s", i + 1, count, place, why)
                     : xprintf("%zu of %zu pieces; the first is piece %zu, %s: %s", bad, count, i + 1, place, why);
        whole->limit = piece->result.limit ? xstrdup(piece->result.limit) : NULL;
        return;
    }
    whole->reason = xstrdup("");
}

/* ---- the estimate ---- */

/* The measured clocks of the RTL for a piece; 0: none. */
static uint64_t cycles_of(const struct result *result) {
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].clocked)
            return device_cycles(&result->devices[i]);
    return 0;
}

/* Pieces were chosen in proportion to their expected clocks, so the mean of measured over expected clocks, times all
 * expected clocks, estimates the whole. The part of its variance that was played is known. */
static void estimate(struct pieces *pieces) {
    double sum = 0, squares = 0;
    size_t n = 0, played = 0;
    uint64_t expected = 0, chosen = 0; /* clocks of all pieces, of the chosen ones */
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        expected += pieces->split->pieces[i].clocks;
        chosen += pieces->pieces[i].chosen ? pieces->split->pieces[i].clocks : 0;
        played += pieces->pieces[i].done;
        const uint64_t cycles = pieces->pieces[i].chosen ? cycles_of(&pieces->pieces[i].result) : 0;
        if (cycles == 0)
            continue;
        const double ratio = (double)cycles / (double)pieces->split->pieces[i].clocks;
        sum += ratio;
        squares += ratio * ratio;
        n++;
    }
    const double all = (double)expected, part = (double)chosen / all;
    words_add(&pieces->whole.notes,
              "a sample: %zu of %zu pieces were played, %.0f %% of the expected clocks (seed %" PRIu64 ")", played,
              pieces->split->piece_count, 100 * part, pieces->options->seed);
    if (n == 0)
        return;
    const double mean = sum / (double)n;
    const double variance = n > 1 ? fmax(0, squares - (double)n * mean * mean) / (double)(n - 1) : 0;
    const double error = all * sqrt(variance / (double)n * (1 - part));
    if (n > 1)
        words_add(&pieces->whole.notes, "estimate of the whole: %.0f op_cycles, standard error %.0f (%.1f %%)",
                  all * mean, error, 100 * error / (all * mean));
    else
        words_add(&pieces->whole.notes, "estimate of the whole: %.0f op_cycles; one piece has no standard error",
                  all * mean);
}

/* ---- the report ---- */

static json_t *piece_json(const struct pieces *pieces, size_t index) {
    const struct split_piece *of = &pieces->split->pieces[index];
    const struct piece *piece = &pieces->pieces[index];
    json_t *launches = json_array();
    autofree char *name = split_piece_name(pieces->split, index);
    json_t *json = json_pack("{s:I, s:o, s:I, s:I, s:s?}", "piece", (json_int_t)index + 1, "layers", json_text(name),
                             "layer_count", (json_int_t)of->count, "expected_clocks", (json_int_t)of->clocks, "verdict",
                             piece->done ? verdict_names[piece->result.verdict] : NULL);
    if (piece->done) {
        autofree char *reason = reason_in_the_whole(pieces, index);
        json_object_set_new(json, "reason", json_text(reason));
        json_object_set_new(json, "op_cycles", json_integer((json_int_t)cycles_of(&piece->result)));
        json_object_set_new(json, "cpu_seconds", json_real(piece->result.cpu_seconds));
    }
    for (size_t l = of->first; l < of->first + of->count; l++)
        for (size_t i = 0; i < pieces->split->layers[l].launch_count; i++) {
            const struct split_launch *launch = &pieces->split->layers[l].launches[i];
            json_t *entry = json_pack("{s:s, s:i}", "unit", nvdla_unit_names[launch->unit], "launch", launch->ordinal);
            json_object_set_new(entry, "position", json_text(launch->position));
            if (launch->network)
                json_object_set_new(entry, "network_layer", json_string(launch->network));
            json_array_append_new(launches, entry);
        }
    json_object_set_new(json, "launches", launches);
    return json;
}

static bool write_json(const struct pieces *pieces, struct error *err) {
    autofree char *line = result_json(&pieces->whole);
    json_t *json = json_loads(line, 0, NULL), *list = json_array();
    for (size_t i = 0; i < pieces->split->piece_count; i++)
        json_array_append_new(list, piece_json(pieces, i));
    json_object_set_new(json, "pieces", list);
    autofree char *text = json_dumps(json, JSON_INDENT(1) | JSON_SORT_KEYS);
    const bool fine = text && file_write_in(pieces->folder, "report.json", text, strlen(text), err);
    json_decref(json);
    return fine;
}

static bool write_text(const struct pieces *pieces, struct error *err) {
    autotext struct text text = {0};
    text_printf(&text, "%s %s%s%s\n\npiece  verdict  op_cycles   expected  layers\n",
                verdict_names[pieces->whole.verdict], pieces->name, pieces->whole.reason[0] ? ": " : "",
                pieces->whole.reason);
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        const struct piece *piece = &pieces->pieces[i];
        autofree char *name = split_piece_name(pieces->split, i);
        text_printf(&text, "%5zu  %-7s %10" PRIu64 " %10" PRIu64 "  %s\n", i + 1,
                    piece->done ? verdict_names[piece->result.verdict] : "-", cycles_of(&piece->result),
                    pieces->split->pieces[i].clocks, name);
    }
    for (size_t i = 0; i < pieces->split->piece_count; i++) {
        const struct piece *piece = &pieces->pieces[i];
        if (!piece->done || piece->result.verdict == VERDICT_PASS)
            continue;
        autofree char *place = place_of(pieces, i), *why = reason_in_the_whole(pieces, i);
        text_printf(&text, "\npiece %zu, %s:\n  %s\n  the piece: %s\n", i + 1, place, why, piece->path);
        if (piece->result.report)
            text_printf(&text, "  its report: %s\n", piece->result.report);
    }
    for (size_t i = 0; i < pieces->whole.notes.count; i++)
        text_printf(&text, "\n%s\n", pieces->whole.notes.items[i]);
    return file_write_in(pieces->folder, "report.txt", text.text, text.n, err);
}

/* Removes pieces that were not played; those that passed are gone already. Removes the folder if it is empty then. */
static void clean(const struct pieces *pieces) {
    for (size_t i = 0; pieces->pieces && i < pieces->split->piece_count; i++)
        if (pieces->pieces[i].path && !pieces->pieces[i].done)
            unlink(pieces->pieces[i].path);
    rmdir(pieces->folder);
}

/* ---- the whole run ---- */

static int play_pieces(struct pieces *pieces) {
    struct error err;
    size_t missing;
    const int status = jobs_close(pieces->jobs);
    struct result *whole = &pieces->whole;
    for (size_t i = 0; i < pieces->split->piece_count; i++)
        if (pieces->pieces[i].done)
            add_piece(whole, &pieces->pieces[i].result);
    for (int i = 0; i < whole->device_count; i++)
        if (whole->devices[i].cpu_seconds > 0)
            whole->devices[i].eval_share /= whole->devices[i].cpu_seconds;
    const size_t bad = count_bad(pieces, &missing);
    if (missing > 0) /* a signal, or no simulator: already reported */
        return status;
    whole->seconds = process_clock() - pieces->start;
    whole->exit_status = verdict_status(whole->verdict);
    set_reason(pieces, bad);
    if (pieces->wanted->sample > 0)
        estimate(pieces);
    const bool reports = (bad > 0 || pieces->options->out) && !pieces->options->no_report;
    if (reports && (!write_text(pieces, &err) || !write_json(pieces, &err))) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (reports)
        whole->report = xprintf("%s/report.json", pieces->folder);
    return status;
}

/* Plays one trace. Its result goes to `results`, unless that is NULL. */
static int run_one(const struct run_options *options, const struct pieces_options *wanted, const char *path,
                   FILE *results) {
    const bool lines_to_stderr = options->results && strcmp(options->results, "-") == 0;
    FILE *out = lines_to_stderr ? stderr : stdout;
    struct pieces pieces = {.options = options,
                            .wanted = wanted,
                            .path = path,
                            .style = {.out = out,
                                      .colour = terminal_has_colour(fileno(out)),
                                      .quiet = options->quiet,
                                      .verbose = options->verbose,
                                      .stats = options->stats}};
    struct error err;
    trace_name(path, pieces.name, sizeof pieces.name);
    pieces.folder = xprintf("%s/%s.pieces", options->out ? options->out : REPORT_FOLDER, pieces.name);
    pieces.outputs = options->outputs ? outputs_folder(options, pieces.name) : NULL;
    pieces.listener = (struct jobs_listener){.ended = take_result, .context = &pieces, .to_come = true};
    pieces.whole = (struct result){.trace = xstrdup(pieces.name), .path = xstrdup(path), .seed = options->seed};
    int status = EXIT_BAD_INPUT;
    if (cut(&pieces, &err)) {
        status = play_pieces(&pieces);
        if (pieces.whole.reason) {
            result_print(&pieces.whole, &pieces.style, &pieces.warnings);
            if (!options->quiet)
                split_print_counts(stderr, pieces.split);
            autofree char *json = results ? result_json(&pieces.whole) : NULL;
            if (results && (fprintf(results, "%s\n", json) < 0 || fflush(results) != 0)) {
                fprintf(stderr, "nvcosim: --results: %s: cannot be written\n", options->results);
                status = EXIT_BAD_INPUT;
            }
        }
    } else if (err.text[0])
        fprintf(stderr, "%s\n", err.text);
    words_free(&pieces.played.traces);
    clean(&pieces);
    for (size_t i = 0; pieces.pieces && i < pieces.split->piece_count; i++) {
        result_free(&pieces.pieces[i].result);
        free(pieces.pieces[i].path);
    }
    free(pieces.pieces);
    split_free(pieces.split);
    result_free(&pieces.whole);
    warning_kinds_print(&pieces.warnings);
    warning_kinds_free(&pieces.warnings);
    free(pieces.folder);
    free(pieces.outputs);
    return status;
}

int pieces_run(const struct run_options *options, const struct pieces_options *wanted) {
    FILE *results = NULL;
    int worst = EXIT_OK;
    if (options->results && strcmp(options->results, "-") == 0)
        results = stdout;
    else if (options->results && !(results = fopen(options->results, "w"))) {
        fprintf(stderr, "nvcosim: --results: %s: %m\n", options->results);
        return EXIT_BAD_INPUT;
    }
    for (size_t i = 0; i < options->traces.count && worst < 128; i++) {
        const int status = run_one(options, wanted, options->traces.items[i], results);
        worst = status >= 128 ? status : worse_status(worst, status);
    }
    if (results && results != stdout && fclose(results) != 0) {
        fprintf(stderr, "nvcosim: --results: %s: %m\n", options->results);
        worst = EXIT_BAD_INPUT;
    }
    return worst;
}
