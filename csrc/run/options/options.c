/* The options of a run: their table, their parser, and which of them can be combined. */
#include "run/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

int worse_status(int a, int b) {
    static const int rank[] = {
        [EXIT_OK] = 0, [EXIT_DIFFERENT] = 1, [EXIT_HUNG] = 2, [EXIT_CRASHED] = 3, [EXIT_BAD_INPUT] = 4};
    return rank[a] >= rank[b] ? a : b;
}

void run_options_init(struct run_options *options) {
    *options = (struct run_options){.dut = DUT_BOTH,
                                    .jobs = 1,
                                    .threads = 1,
                                    .seed = 1,
                                    .result_fd = -1,
                                    .serve = {.socket = -1},
                                    .live = {.connected = -1},
                                    .style = {.top = 5}};
    play_options_default(&options->play);
    axi_options_default(&options->rtl.axi);
}

void run_options_free(struct run_options *options) {
    free(options->faults);
    free(options->dram_line);
    words_free(&options->pins);
    words_free(&options->except);
    words_free(&options->dumps);
    words_free(&options->wave_scopes);
    words_free(&options->saif_waves);
    words_free(&options->traces);
    words_free(&options->given);
}

enum simulator_variant run_variant(const struct run_options *options, const char *config) {
    const bool internal = options->tap_units && simulator_has_taps(config, options->rtl_name); /* else its ports */
    if (options->debug && options->no_waves) /* a run before that with waves */
        return simulator_has_taps(config, options->rtl_name) ? VARIANT_TAPS : VARIANT_PLAIN;
    if (options->rtl.wave.path || (internal && options->rtl.checks) || options->debug)
        return VARIANT_WAVES;
    if (internal)
        return VARIANT_TAPS;
    if (!options->coverage)
        return options->rtl.checks ? VARIANT_CHECKS : VARIANT_PLAIN;
    return options->coverage_kind == VARIANT_TOGGLE ? VARIANT_TOGGLE : VARIANT_COVERAGE;
}

char *outputs_folder(const struct run_options *options, const char *name) {
    return options->traces.count > 1 ? xprintf("%s/%s", options->outputs, name) : xstrdup(options->outputs);
}

bool coverage_is_file(const char *coverage) {
    size_t n = strlen(coverage);
    return n > 4 && strcmp(coverage + n - 4, ".dat") == 0;
}

/* True if an option of the memory with latencies was given. */
static bool memory_is_slowed(const struct run_options *options) {
    struct axi_options usual;
    const struct axi_options *axi = &options->rtl.axi;
    axi_options_default(&usual);
    return axi->read_latency != usual.read_latency || axi->write_latency != usual.write_latency ||
           axi->latency_kind != usual.latency_kind || axi->bandwidth != usual.bandwidth || axi->reorder;
}

/* False, with an error, if options of the memory contradict each other. */
static bool memory_fits(const struct run_options *options, struct argp_state *state) {
    const struct axi_options *axi = &options->rtl.axi;
    if (axi->latency_kind != LATENCY_UNIFORM && options->latency_max_given)
        argp_error(state, "--latency-max: needs --latency-kind uniform");
    else if (axi->latency_kind != LATENCY_PAGE && options->page_given)
        argp_error(state, "--page-hit and --page-miss need --latency-kind page");
    else if (axi->latency_kind == LATENCY_UNIFORM && axi->latency_max < axi->read_latency)
        argp_error(state, "--latency-max: kind uniform needs a value of at least the read latency, %u",
                   axi->read_latency);
    else if (axi->latency_kind == LATENCY_PAGE && axi->page_miss < axi->page_hit)
        argp_error(state, "--page-miss: expected at least the value of --page-hit, %u", axi->page_hit);
    else if (axi->traffic.count && !axi->dram.name[0])
        argp_error(state, "--traffic: needs --memory, whose DRAM the masters share");
    else if (axi->dram.name[0] && memory_is_slowed(options))
        argp_error(state,
                   "--memory excludes --latency, --write-latency, --latency-kind, --bandwidth and --reorder: the "
                   "DRAM and its interconnect decide");
    else if (axi->fault.kind && options->dut == DUT_MODEL)
        argp_error(state, "--bus-fault: the model has no bus; use --dut rtl or --dut both");
    else if (axi->fault.kind == BUS_FAULT_EARLY && axi->dram.name[0])
        argp_error(state, "--bus-fault=early-response: found --memory, whose DRAM decides when writes are answered");
    else
        return true;
    return false;
}

static void check_options(struct run_options *options, struct argp_state *state) {
    if (options->rtl.wave.path && options->dut == DUT_MODEL)
        argp_error(state, "--wave: the model has no waves; use --dut rtl or --dut both");
    else if (options->rtl.wave.path && options->traces.count > 1)
        argp_error(state, "--wave: found %zu traces, expected one", options->traces.count);
    else if (options->timeline && options->dut == DUT_MODEL)
        argp_error(state, "--timeline: the model has no clock; use --dut rtl or --dut both");
    else if (options->timeline && options->traces.count > 1)
        argp_error(state, "--timeline: found %zu traces, expected one", options->traces.count);
    else if (options->dumps.count && options->traces.count > 1)
        argp_error(state, "--dump: found %zu traces, expected one", options->traces.count);
    else if (!options->rtl.wave.path &&
             (options->rtl.wave.from || options->rtl.wave.to || options->wave_layer || options->wave_scopes.count))
        argp_error(state,
                   "--wave-from, --wave-to, --wave-layer and --wave-scope need --wave FILE.fst or --saif FILE.saif");
    else if (options->wave_layer && (options->rtl.wave.from || options->rtl.wave.to))
        argp_error(state, "--wave-layer and --wave-from or --wave-to exclude each other");
    else if (options->rtl.wave.to && options->rtl.wave.to < options->rtl.wave.from)
        argp_error(state, "--wave-to: %llu is before --wave-from %llu", (unsigned long long)options->rtl.wave.to,
                   (unsigned long long)options->rtl.wave.from);
    else if (options->play.stop_at_first && options->dut == DUT_MODEL)
        argp_error(state, "--stop-at-first: the model writes no beats; use --dut rtl or --dut both");
    else if (options->copies && (options->tap_units || options->coverage))
        argp_error(state, "--copies excludes --tap and --coverage: copies would write to the same files");
    else if (options->rtl.checks && options->dut == DUT_MODEL)
        argp_error(state, "--checks: the model has none; use --dut rtl or --dut both");
    else if (options->rtl.checks && options->coverage)
        argp_error(state, "--checks and --coverage exclude each other: the checks themselves would be counted");
    else if (!options->coverage && options->coverage_kind)
        argp_error(state, "--coverage-kind needs --coverage FILE.dat or DIR");
    else if (options->coverage && options->dut == DUT_MODEL)
        argp_error(state, "--coverage: the model has no line coverage; use --dut rtl or --dut both");
    else if (options->coverage && options->rtl.wave.path)
        argp_error(state, "--coverage and --wave exclude each other: each needs its own simulator");
    else if (options->coverage && coverage_is_file(options->coverage) && options->traces.count > 1)
        argp_error(state, "--coverage: found '%s', expected a directory for the files of %zu traces", options->coverage,
                   options->traces.count);
    else if (!memory_fits(options, state))
        return;
    else if (options->histogram && options->dut == DUT_RTL && !options->tap_units)
        argp_error(state, "--histogram: the streams are those of the model; use --dut model, --dut both, or --tap UNIT "
                          "for those of the RTL");
    else if (options->verbose && options->quiet)
        argp_error(state, "-v and -q exclude each other");
}

/* Activity is counted from waves. */
static void add_waves_of_saif(struct run_options *options) {
    if (!options->rtl.wave.saif || options->rtl.wave.path)
        return;
    words_add(&options->saif_waves, "%.*s.fst", (int)(strlen(options->rtl.wave.saif) - strlen(".saif")),
              options->rtl.wave.saif);
    options->rtl.wave.path = options->saif_waves.items[0];
}

bool run_is_live(const struct run_options *options) {
    return options->live.socket || options->live.connected >= 0;
}

/* Keeps an option for simulators that are started. row: NULL if there is none. */
static void add_given(struct run_options *options, const struct argument *row, const char *arg) {
    if (row && !row->own)
        words_add(&options->given, "--%s%s%s", row->name, arg ? "=" : "", arg ? arg : "");
}

error_t run_option_parse(int key, char *arg, struct argp_state *state) {
    struct run_options *options = state->input;
    if (key == ARGP_KEY_ARG) {
        words_put(&options->traces, arg);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        if (options->traces.count == 0 && options->serve.socket < 0 && !run_is_live(options))
            argp_error(state, "no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, or a "
                              "directory that has one");
        add_waves_of_saif(options);
        check_options(options, state);
        options->rtl.pins = (const char *const *)options->pins.items;
        options->rtl.faults = options->faults;
        options->rtl.fault_count = options->fault_count;
        options->rtl.wave.scopes = (const char *const *)options->wave_scopes.items;
        return 0;
    }
    const struct argument *row = argument_take(run_arguments, ARGUMENT_KEYS, options, key, arg, state);
    add_given(options, row, arg);
    return row ? 0 : ARGP_ERR_UNKNOWN;
}

/* ---- a command that plays ---- */

enum { OWN_KEYS = 0x400 };

struct playing {
    const struct command *command;
    void *input;
    struct run_options *run;
};

static error_t parse_playing(int key, char *arg, struct argp_state *state) {
    struct playing *playing = state->input;
    const struct command *command = playing->command;
    const struct argument *row = argument_take(command->options, OWN_KEYS, playing->input, key, arg, state);
    add_given(playing->run, row, arg);
    if (row)
        return 0;
    if (key == ARGP_KEY_ARG && !operand_fits(&command->operands, arg, state))
        return ARGP_ERR_UNKNOWN;
    if (key == ARGP_KEY_END && command->check)
        command->check(playing->input, state);
    state->input = playing->run;
    const error_t error = run_option_parse(key, arg, state);
    state->input = playing;
    return error;
}

bool run_command_read(const struct command *command, enum run_command by, struct run_options *options, int argc,
                      char **argv, void *input) {
    struct playing playing = {.command = command, .input = input, .run = options};
    struct argp_option *table = NULL;
    size_t n = 0;
    arguments_add(&table, &n, command->options, OWN_KEYS, 1, by);
    arguments_add(&table, &n, run_arguments, ARGUMENT_KEYS, by ? 2 : 0, by);
    const struct argp argp = {
        .options = table, .parser = parse_playing, .args_doc = command->usage, .doc = command->doc};
    const bool good = arguments_parse(&argp, argc, argv, &playing) == 0;
    free(table);
    return good;
}

/* ---- options from words ---- */

/* The parser of words: the parser of options, with its complaints collected in a text instead of ending the program. */
struct words_reading {
    struct run_options *options;
    FILE *complaints;
};

static error_t read_parse(int key, char *arg, struct argp_state *state) {
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    const struct words_reading *reading = state->input;
    state->child_inputs[0] = reading->options;
    state->err_stream = reading->complaints;
    return 0;
}

/* Checks what getopt would complain about on stderr. */
static bool check_word(const char *word, struct error *err) {
    struct guess guess = {.word = word + 2, .n = strcspn(word + 2, "=")};
    char hint[96];
    if (word[0] != '-')
        return true;
    if (strncmp(word, "--", 2) != 0 || guess.n == 0)
        return error_set(err, "found '%s', expected an option as --NAME or --NAME=VALUE", word);
    for (const struct argument *option = run_arguments; option->name || option->doc; option++) {
        if (!option->name)
            continue;
        if (strlen(option->name) == guess.n && memcmp(option->name, guess.word, guess.n) == 0) {
            const bool has_value = guess.word[guess.n] == '=';
            if (option->arg && !has_value)
                return error_set(err, "found '%s', expected --%s=%s", word, option->name, option->arg);
            if (!option->arg && has_value)
                return error_set(err, "found '%s', expected --%s without a value", word, option->name);
            return true;
        }
        if (!option->hidden)
            guess_try(&guess, option->name);
    }
    return error_set(err, "found '%s', expected an option of nvcosim run%s", word, guess_hint(&guess, hint));
}

bool run_options_read(struct run_options *options, const struct words *words, struct error *err) {
    for (size_t i = 0; i < words->count; i++)
        if (!check_word(words->items[i], err))
            return false;
    struct argp_option *table = NULL;
    size_t options_count = 0;
    arguments_add(&table, &options_count, run_arguments, ARGUMENT_KEYS, 0, 0);
    const struct argp parser = {.options = table, .parser = run_option_parse};
    const struct argp_child children[] = {{.argp = &parser}, {0}};
    const struct argp argp = {.children = children, .parser = read_parse};
    static char name[] = "nvcosim";
    struct words_reading reading = {.options = options};
    char *complaints = NULL;
    size_t n = 0;
    autofree char **argv = xcalloc(words->count + 2, sizeof *argv);
    argv[0] = name;
    for (size_t i = 0; i < words->count; i++)
        argv[i + 1] = words->items[i];
    reading.complaints = xmemstream(&complaints, &n);
    const error_t failed = argp_parse(&argp, (int)words->count + 1, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &reading);
    xmemstream_close(reading.complaints);
    free(table);
    bool fine = n == 0 && failed == 0;
    if (!fine) { /* "nvcosim: WHAT", then a line that points to --help */
        const char *what = strncmp(complaints, "nvcosim: ", 9) == 0 ? complaints + 9 : complaints;
        error_set(err, "%.*s", (int)strcspn(what, "\n"), n ? what : strerror(failed));
    }
    free(complaints);
    return fine;
}

void run_options_pass(const struct run_options *options, struct words *words) {
    if (options->dram_line)
        words_add(words, "--dram=%s", options->dram_line);
    for (size_t i = 0; i < options->given.count; i++)
        words_put(words, options->given.items[i]);
}

/* True for words that other commands handle in their own way. */
static bool is_recording(const char *word) {
    static const char *const beginnings[] = {"--wave",          "--tap",    "--histogram",   "--html", "--timeline",
                                             "--stop-at-first", "--copies", "--only-failed", "--dump"};
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

char *run_options_command(const struct run_options *options, const char *trace, const char *other, const char *more) {
    struct text text = {0};
    text_printf(&text, "nvcosim %s", other ? other : options->debug ? "debug" : "run");
    for (size_t i = 0; i < options->given.count; i++) {
        const char *word = options->given.items[i];
        if (strcmp(word, "--quiet") == 0 || strcmp(word, "--debug") == 0 || strcmp(word, "--no-waves") == 0 ||
            strcmp(word, "--functional-coverage") == 0 ||
            ((other || more[0]) && (other ? is_recording(word) : strncmp(word, "--wave", strlen("--wave")) == 0)))
            continue;
        autofree char *quoted = text_quoted(word);
        text_put(&text, " ");
        text_put(&text, quoted);
    }
    autofree char *path = text_quoted(trace);
    text_put(&text, more);
    text_put(&text, " ");
    text_put(&text, path);
    return text.text;
}
