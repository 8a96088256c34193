/* Preparations before the first trace plays. See prepare.h. */
#include "run/jobs/prepare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/options/foreign.h"
#include "run/session/run_progress.h"
#include "run/session/session.h"
#include "run/simulators/simulators.h"
#include "trace/formats.h"
#include "trace/program.h"

/* Names the trace differently from all earlier jobs. */
static void name_job(struct job *jobs, size_t index) {
    char base[400];
    trace_name(jobs[index].path, base, sizeof base);
    char *name = xstrdup(base);
    for (int copy = 2;; copy++) {
        bool taken = false;
        for (size_t i = 0; i < index && !taken; i++)
            taken = strcmp(jobs[i].name, name) == 0;
        if (!taken)
            break;
        free(name);
        name = xprintf("%s-%d", base, copy);
    }
    jobs[index].name = name;
}

/* Reads every trace whose configuration is not known; false if any cannot be run. */
static bool read_all(const struct run_options *options, struct job *jobs, size_t count,
                     struct warning_kinds *warnings) {
    struct progress progress = progress_start();
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        struct error err;
        if (jobs[i].config) /* already read */
            continue;
        progress_count(&progress, "reading", i, count, "traces");
        autoprogram struct program *prog = read_trace(options, jobs[i].path, &err);
        if (!prog) {
            progress_clear(&progress);
            fprintf(stderr, "%s\n", err.text);
            ok = false;
            continue;
        }
        jobs[i].config = prog->config;
        if (progress.terminal && count > 1)
            jobs[i].work = (double)program_clocks(prog);
        for (size_t w = 0; w < prog->warning_count && !options->quiet; w++) {
            progress_clear(&progress);
            warning_print(warnings, prog->warnings[w].text, options->verbose);
        }
    }
    progress_clear(&progress);
    return ok;
}

/* Warns of given options that do not matter for the device under test. */
static void warn_of_idle_options(const struct run_options *options) {
    for (size_t i = 0; i < options->given.count && !options->quiet; i++) {
        const char *word = options->given.items[i];
        if (!run_option_applies(word, options->dut))
            fprintf(stderr, "nvcosim: warning: %s has no effect with --dut %s\n", word,
                    options->dut == DUT_MODEL ? "model" : "rtl");
    }
}

/* Makes the folder of the reports, if named; false if it cannot be written, or the file of labels cannot be read. */
static bool prepare_reports(const struct run_options *options) {
    struct error err;
    if (!outputs_can_be_shown(&options->style, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return false;
    }
    bool ok = !options->out || directory_make(options->out, &err);
    if (!ok)
        fprintf(stderr, "nvcosim: --out: %s\n", err.text);
    else if (options->out && access(options->out, W_OK) != 0) {
        fprintf(stderr, "nvcosim: --out: %s: %m\n", options->out);
        ok = false;
    }
    return ok;
}

/* Makes the folder of an option's file; false if the file cannot be written there. */
static bool prepare_file(const char *option, const char *path, struct error *err) {
    char *folder = xstrdup(path), *slash = strrchr(folder, '/');
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    struct error reason;
    struct stat info;
    bool ok = !slash || directory_make(folder, &reason) || error_set(err, "%s: %s: %s", option, path, reason.text);
    if (ok && stat(path, &info) == 0 ? S_ISDIR(info.st_mode) || access(path, W_OK) != 0
                                     : ok && access(slash ? folder : ".", W_OK) != 0)
        ok = error_set(err, "%s: %s: cannot be written", option, path);
    free(folder);
    return ok;
}

/* Builds the simulator with as many threads as requested. */
static bool set_threads(const struct run_options *options, const char *config, struct error *err) {
    autowords struct words variables = {0};
    words_add(&variables, "SIM_THREADS=%d", options->sim_threads);
    return remake_simulator(config, options->rtl_name, run_variant(options, config), &variables, err);
}

static bool prepare_simulator(const struct run_options *options, const char *config, struct error *err) {
    char path[SIMULATOR_PATH];
    if (!options->simulators)
        return ensure_simulator(config, options->rtl_name, run_variant(options, config), err);
    return job_simulator(options, config, path, sizeof path, err) &&
           (access(path, X_OK) == 0 || error_set(err, "%s: %m", path));
}

/* Makes the simulators, and the folders for waves, timeline and coverage data. */
static bool prepare_simulators(const struct run_options *options, const struct job *jobs, size_t count,
                               struct error *err) {
    if ((options->rtl.wave.path && !prepare_file("--wave", options->rtl.wave.path, err)) ||
        (options->rtl.wave.saif && !prepare_file("--saif", options->rtl.wave.saif, err)) ||
        (options->timeline && !prepare_file("--timeline", options->timeline, err)))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *config = jobs[i].config->name;
        const bool other = i == 0 || jobs[i - 1].config != jobs[i].config;
        if (!foreign_can_play(options, config, err))
            return false;
        if (other)
            foreign_announce_coverage(options, config);
        if ((options->sim_threads && !options->simulators && other && !set_threads(options, config, err)) ||
            !prepare_simulator(options, config, err))
            return false;
    }
    return !options->coverage || coverage_is_file(options->coverage) || directory_make(options->coverage, err) ||
           error_prefix(err, "--coverage: ");
}

void prepare_names(struct job *jobs, size_t count) {
    for (size_t i = 0; i < count; i++)
        name_job(jobs, i);
}

bool prepare_jobs(const struct run_options *options, struct job *jobs, size_t count, struct warning_kinds *warnings) {
    struct error err;
    prepare_names(jobs, count);
    if (!read_all(options, jobs, count, warnings) || !prepare_reports(options))
        return false;
    if (options->dut != DUT_MODEL && !prepare_simulators(options, jobs, count, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return false;
    }
    warn_of_idle_options(options);
    return true;
}
