/* nvcosim run: validates every trace, then starts what plays them: a simulator executable, or this program for the
 * model alone. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "memory/file.h"
#include "nvdla/registers.h"
#include "run/session.h"
#include "run/simulators.h"
#include "trace/program.h"

static const char doc[] =
    "Plays traces on the RTL and on the model and compares the memory they leave behind, every check of the trace "
    "included.\v"
    "All traces are read before the first is played: an error in one of them is reported with its line, and nothing "
    "runs.\n"
    "A line per trace goes to stdout (with --stats, statistics below it; behind several traces, a line that counts "
    "them), everything else goes to stderr. Failed traces leave a report: OUT/TRACE/report.txt.\n"
    "SIGINT and SIGTERM end the simulators too; the exit status is then 128 + the signal's number.\n"
    "\n"
    "Examples:\n"
    "  nvcosim run t.cfg\n"
    "  nvcosim run --dut model -j 2 conformance/small/sdp_*/*.cfg\n"
    "  nvcosim run --latency 200 t.cfg\n"
    "  nvcosim run --latency-kind uniform --latency-max 300 --stall 300 --reorder --seed 7 t.cfg\n"
    "  nvcosim run --dut rtl:mine --pin tmc2slcg_disable_clock_gating=1 t.cfg\n"
    "  nvcosim run --wave t.fst --wave-from 5000 t.cfg\n"
    "  nvcosim run --coverage counts -j 2 traces/*.nvt.gz && verilator_coverage --annotate annotated counts/*.dat\n"
    "\n"
    "REFUSED: the spec leaves the result of a setting open, so the model does not play the trace (see "
    "--allow-undefined). Other settings against the rules are warned of.\n"
    "\n"
    "Exit status: 0 all equal and every check passed; 1 mismatch or failed check; 2 bad input or usage, refused; 3 "
    "hang or time-out (or a simulator that broke down). Of several traces the worst counts, in the order 2, 3, 1, 0.";

struct job {
    const char *path;
    char *name;
    const struct nvdla_config *config;
    pid_t pid;
    FILE *out, *err; /* captured output while it runs, NULL if it is not captured */
    char *out_text, *err_text;
    bool done;
    int status;
};

static void print_warnings(const struct run_options *options, const struct program *prog) {
    for (size_t i = 0; i < prog->warning_count && !options->quiet; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", prog->warnings[i]);
}

/* Name for the trace that no earlier job has. */
static bool name_job(struct job *jobs, size_t index) {
    char base[400], name[440];
    trace_name(jobs[index].path, base, sizeof base);
    snprintf(name, sizeof name, "%s", base);
    for (int copy = 2;; copy++) {
        bool taken = false;
        for (size_t i = 0; i < index; i++)
            taken = taken || strcmp(jobs[i].name, name) == 0;
        if (!taken)
            break;
        snprintf(name, sizeof name, "%s-%d", base, copy);
    }
    jobs[index].name = strdup(name);
    return jobs[index].name != NULL;
}

/* Every configuration has a model, not every one has RTL. */
static bool check_config(const struct run_options *options, const struct nvdla_config *config) {
    char names[256];
    if (options->dut == DUT_MODEL || !config || config->rtl)
        return true;
    fprintf(stderr,
            "nvcosim: configuration %s has no RTL: play it on the model alone with --dut model; there is RTL for %s\n",
            config->name, config_names(true, names, sizeof names));
    return false;
}

/* Reads every trace; false if any can not be run. */
static bool validate(const struct run_options *options, struct job *jobs) {
    bool ok = true;
    for (size_t i = 0; i < options->traces.count; i++) {
        struct error err;
        struct program *prog = read_trace(options, jobs[i].path, &err);
        if (!prog) {
            fprintf(stderr, "%s\n", err.text);
            ok = false;
            continue;
        }
        jobs[i].config = prog->config;
        if (check_config(options, prog->config))
            print_warnings(options, prog);
        else
            ok = false;
        program_free(prog);
    }
    return ok;
}

/* The options given that the device under test has no use for. */
static void warn_of_idle_options(const struct run_options *options) {
    for (size_t i = 0; i < options->given.count && !options->quiet; i++) {
        const char *word = options->given.items[i];
        if (!run_option_applies(word, options->dut))
            fprintf(stderr, "nvcosim: warning: %s has no effect with --dut %s\n", word,
                    options->dut == DUT_MODEL ? "model" : "rtl");
    }
}

/* Makes the folder of the reports, if it is named; false if nothing can be written there. */
static bool prepare_reports(const struct run_options *options) {
    struct error err;
    bool ok = !options->out || directory_make(options->out, &err);
    if (!ok)
        fprintf(stderr, "nvcosim: --out: %s\n", err.text);
    else if (options->out && access(options->out, W_OK) != 0) {
        fprintf(stderr, "nvcosim: --out: %s: %s\n", options->out, strerror(errno));
        ok = false;
    }
    return ok;
}

/* Makes the folder of a wave file; false if the file can not be written there. */
static bool prepare_waves(const char *path, struct error *err) {
    char *folder = strdup(path);
    if (!folder)
        return error_set(err, "out of memory");
    char *slash = strrchr(folder, '/');
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    struct error reason;
    struct stat info;
    bool ok = !slash || directory_make(folder, &reason) || error_set(err, "--wave: %s: %s", path, reason.text);
    if (ok && stat(path, &info) == 0 ? S_ISDIR(info.st_mode) || access(path, W_OK) != 0
                                     : ok && access(slash ? folder : ".", W_OK) != 0)
        ok = error_set(err, "--wave: %s: cannot be written", path);
    free(folder);
    return ok;
}

/* Simulators and what they need to run: the folders of the waves and of the coverage data. */
static bool prepare_simulators(const struct run_options *options, const struct job *jobs) {
    struct error err;
    if (options->rtl.wave_path && !prepare_waves(options->rtl.wave_path, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return false;
    }
    for (size_t i = 0; i < options->traces.count; i++) {
        if (!ensure_simulator(jobs[i].config->name, options->rtl_name, run_variant(options), &err)) {
            fprintf(stderr, "nvcosim: %s\n", err.text);
            return false;
        }
    }
    if (options->coverage && !coverage_is_file(options->coverage) && !directory_make(options->coverage, &err)) {
        fprintf(stderr, "nvcosim: --coverage: %s\n", err.text);
        return false;
    }
    return true;
}

/* The command line of the simulator for one trace. */
static bool command_line(const struct run_options *options, const struct job *job, const char *path, bool captured,
                         struct words *line) {
    bool ok = words_add(line, "%s", path);
    for (size_t i = 0; ok && i < options->given.count; i++)
        ok = words_add(line, "%s", options->given.items[i]);
    if (options->coverage && coverage_is_file(options->coverage))
        ok = ok && words_add(line, "--coverage=%s", options->coverage);
    else if (options->coverage)
        ok = ok && words_add(line, "--coverage=%s/%s.dat", options->coverage, job->name);
    ok = ok && words_add(line, "--name=%s", job->name) && (!captured || words_add(line, "--no-progress"));
    return ok && words_add(line, "--") && words_add(line, "%s", job->path);
}

/* Plays the trace in this process, on the model alone. */
static int play_here(const struct run_options *options, const struct job *job, bool captured) {
    char *trace[] = {(char *)job->path, NULL};
    struct run_options one = *options;
    one.traces = (struct words){.items = trace, .count = 1, .capacity = 2};
    one.name = job->name;
    one.no_progress = captured;
    return play_one(&one, NULL, NULL, NULL);
}

/* The child's side of start(): becomes the simulator or plays on the model. */
static int child(const struct run_options *options, const struct job *job, const char *simulator) {
    bool captured = job->out != NULL;
    if (captured) {
        dup2(fileno(job->out), STDOUT_FILENO);
        dup2(fileno(job->err), STDERR_FILENO);
    }
    if (options->dut == DUT_MODEL)
        return play_here(options, job, captured);
    struct words line = {0};
    if (!command_line(options, job, simulator, captured, &line)) {
        fprintf(stderr, "nvcosim: out of memory\n");
        return EXIT_BAD_INPUT;
    }
    execv(simulator, line.items);
    fprintf(stderr, "nvcosim: %s: %s\n", simulator, strerror(errno));
    return EXIT_BAD_INPUT;
}

/* The signals that play_all() waits for: a child has ended, or the run is to end. */
static void awaited_signals(sigset_t *set) {
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
}

/* mask: the signals that the job has blocked. */
static bool start(const struct run_options *options, struct job *job, bool capture, const sigset_t *mask,
                  struct error *err) {
    char simulator[SIMULATOR_PATH] = "";
    if (options->dut != DUT_MODEL &&
        !simulator_path(job->config->name, options->rtl_name, run_variant(options), simulator, sizeof simulator, err))
        return false;
    if (capture) {
        job->out = tmpfile();
        job->err = tmpfile();
        if (!job->out || !job->err)
            return error_set(err, "no temporary file: %s", strerror(errno));
    }
    fflush(NULL);
    const pid_t parent = getpid();
    job->pid = fork();
    if (job->pid < 0)
        return error_set(err, "fork: %s", strerror(errno));
    if (job->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) /* it ended before it could be watched */
            _exit(EXIT_HUNG);
        sigprocmask(SIG_SETMASK, mask, NULL);
        int status = child(options, job, simulator);
        fflush(NULL);
        _exit(status);
    }
    return true;
}

static char *read_back(FILE **file) {
    char *text = NULL;
    if (*file && fseek(*file, 0, SEEK_END) == 0) {
        long n = ftell(*file);
        rewind(*file);
        text = n >= 0 ? calloc(1, (size_t)n + 1) : NULL;
        if (text && fread(text, 1, (size_t)n, *file) != (size_t)n)
            text[0] = '\0';
    }
    if (*file)
        fclose(*file);
    *file = NULL;
    return text;
}

static void finish(struct job *job, int wait_status) {
    job->done = true;
    job->out_text = read_back(&job->out);
    job->err_text = read_back(&job->err);
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) <= EXIT_HUNG) {
        job->status = WEXITSTATUS(wait_status);
        return;
    }
    job->status = EXIT_HUNG;
    if (job->out_text) /* not the line of a trace that ended well */
        fputs(job->out_text, stderr);
    free(job->out_text);
    job->out_text = NULL;
    int n = WIFSIGNALED(wait_status) ? asprintf(&job->out_text, "HANG %s: the simulator was ended by signal %d (%s)\n",
                                                job->name, WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)))
                                     : asprintf(&job->out_text, "HANG %s: the simulator ended with status %d\n",
                                                job->name, WEXITSTATUS(wait_status));
    if (n < 0)
        job->out_text = NULL;
}

static void print_job(const struct job *job) {
    if (job->err_text)
        fputs(job->err_text, stderr);
    if (job->out_text)
        fputs(job->out_text, stdout);
    fflush(stdout);
}

/* Waits until a job may have ended and takes in those that have. Returns the signal that asks to end the run, 0 if
 * none does. */
static int await(struct job *jobs, size_t started) {
    sigset_t set;
    awaited_signals(&set);
    int number = sigwaitinfo(&set, NULL), status;
    for (size_t i = 0; i < started; i++)
        if (!jobs[i].done && waitpid(jobs[i].pid, &status, WNOHANG) == jobs[i].pid)
            finish(&jobs[i], status);
    if (number != SIGTERM && number != SIGINT) { /* a job may have ended by a signal that this program got too */
        sigdelset(&set, SIGCHLD);
        number = sigtimedwait(&set, NULL, &(struct timespec){0});
    }
    return number > 0 ? number : 0;
}

/* Ends the running jobs by that signal and waits until they are gone; those that write a report finish it. Returns the
 * exit status. */
static int end_all(struct job *jobs, size_t started, int number) {
    size_t ended = 0;
    int status;
    for (size_t i = 0; i < started; i++)
        if (!jobs[i].done)
            kill(jobs[i].pid, number);
    for (size_t i = 0; i < started; i++) {
        if (jobs[i].done)
            continue;
        while (waitpid(jobs[i].pid, &status, 0) < 0 && errno == EINTR)
            continue;
        ended++;
        jobs[i].done = true;
        free(read_back(&jobs[i].out));
        free(read_back(&jobs[i].err));
    }
    fprintf(stderr, "nvcosim: %s: ended with %zu trace%s running\n", strsignal(number), ended, ended == 1 ? "" : "s");
    return 128 + number;
}

/* mask: the signals that jobs have blocked; those of awaited_signals() are blocked here. */
static int play_all(const struct run_options *options, struct job *jobs, const sigset_t *mask) {
    size_t count = options->traces.count, started = 0, printed = 0, passed = 0, failed = 0, hung = 0, refused = 0;
    size_t parallel = (size_t)options->jobs;
    bool capture = parallel > 1 && count > 1;
    int worst = EXIT_OK, to_end = 0;
    while (printed < count) {
        size_t running = 0;
        for (size_t i = 0; i < started; i++)
            running += !jobs[i].done;
        if (started < count && running < parallel) {
            struct job *job = &jobs[started++];
            struct error err;
            if (!start(options, job, capture, mask, &err)) {
                fprintf(stderr, "nvcosim: %s\n", err.text);
                job->status = EXIT_BAD_INPUT;
                job->done = true;
            }
        } else if ((to_end = await(jobs, started)) != 0)
            return end_all(jobs, started, to_end);
        for (; printed < count && jobs[printed].done; printed++) {
            print_job(&jobs[printed]);
            worst = worse_status(worst, jobs[printed].status);
            passed += jobs[printed].status == EXIT_OK;
            hung += jobs[printed].status == EXIT_HUNG;
            failed += jobs[printed].status == EXIT_DIFFERENT || jobs[printed].status == EXIT_BAD_INPUT;
            refused += jobs[printed].status == EXIT_BAD_INPUT;
        }
    }
    if (count > 1) {
        printf("%zu passed, %zu failed, %zu hung", passed, failed, hung);
        if (refused > 0)
            printf("; %zu of the failed refused or not played", refused);
        putchar('\n');
    }
    return worst;
}

static int run(const struct run_options *options) {
    size_t count = options->traces.count;
    struct job *jobs = calloc(count, sizeof *jobs);
    bool ok = jobs != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        jobs[i].path = options->traces.items[i];
        ok = name_job(jobs, i);
    }
    int status = EXIT_BAD_INPUT;
    if (!ok)
        fprintf(stderr, "nvcosim: out of memory\n");
    else if (check_config(options, options->config) && validate(options, jobs) && prepare_reports(options) &&
             (options->dut == DUT_MODEL || prepare_simulators(options, jobs))) {
        sigset_t set, mask;
        warn_of_idle_options(options);
        awaited_signals(&set);
        signal(SIGCHLD, SIG_DFL);
        sigprocmask(SIG_BLOCK, &set, &mask);
        status = play_all(options, jobs, &mask);
        sigprocmask(SIG_SETMASK, &mask, NULL);
    }
    for (size_t i = 0; jobs && i < count; i++) {
        free(jobs[i].name);
        free(jobs[i].out_text);
        free(jobs[i].err_text);
    }
    free(jobs);
    return status;
}

int run_main(int argc, char **argv) {
    static const struct argp argp = {
        .options = run_option_table, .parser = run_option_parse, .args_doc = "TRACE...", .doc = doc};
    struct run_options options;
    run_options_init(&options);
    int status = argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 ? run(&options) : EXIT_BAD_INPUT;
    run_options_free(&options);
    return status;
}
