/* Options of `nvcosim run`. The simulator executables read the same ones: nvcosim passes its own on. */
#pragma once

#include <argp.h>

#include "device/rtl_options.h"
#include "nvdla/text.h"
#include "replay/player.h"
#include "run/network/outputs.h"
#include "run/options/arguments.h"
#include "run/simulators/simulators.h"

/* Exit statuses of every subcommand. */
enum exit_status {
    EXIT_OK = 0,
    EXIT_DIFFERENT = 1, /* mismatch, failed check, finding */
    EXIT_BAD_INPUT = 2, /* bad input or usage */
    EXIT_HUNG = 3,      /* hang, time-out */
    EXIT_CRASHED = 4,   /* the simulator ended without a verdict */
};

/* The exit status for several traces: the worst, in the order 2, 4, 3, 1, 0. */
int worse_status(int a, int b);

enum dut { DUT_MODEL, DUT_RTL, DUT_BOTH };

enum { SIM_THREADS_MOST = 99 };

#define REPORT_FOLDER "nvcosim-out" /* for reports where --out names no other */

struct run_options {
    const struct nvdla_config *config; /* NULL: as the trace says */
    enum dut dut;
    char rtl_name[RTL_NAME_MAX]; /* "" for the project's own */
    bool foreign;                /* the RTL of this simulator is neither rtl/ nor a copy of it */
    const char *out;             /* NULL: write a report only on failure, to nvcosim-out */
    const char *name;            /* name of the trace in the summary; NULL: from its file name */
    uint64_t seed;               /* of everything random: the player's fills, the RTL's memory */
    struct play_options play;
    struct rtl_options rtl;     /* rtl.pins points to `pins` after parsing */
    const char *outputs;        /* folder for the outputs of a network; for several traces, NAME in it; NULL: none */
    struct outputs_style style; /* how outputs are shown */
    const char *coverage;       /* FILE.dat of one trace, or a directory for TRACE.dat of each; NULL: none */
    enum simulator_variant coverage_kind; /* VARIANT_COVERAGE or VARIANT_TOGGLE as given; VARIANT_PLAIN: not given */
    bool latency_max_given, page_given;   /* --latency-max; --page-hit or --page-miss */
    struct words pins;
    struct words except; /* texts of run/options/exceptions.h */
    struct words dumps;  /* texts of run/options/dump.h */
    uint32_t *faults;    /* planted faults that are active; rtl.faults points to them after parsing */
    size_t fault_count;
    bool copies;              /* of a simulator: keep copies of itself while playing (replay/copies.h) */
    uint64_t copies_every;    /* clocks between two copies; 0: as many as possible */
    const char *wave_layer;   /* wave_layer.h; NULL: by cycle */
    struct words wave_scopes; /* rtl.wave.scopes points to them after parsing */
    struct words saif_waves;  /* the file of --saif without --wave; rtl.wave.path points to it after parsing */
    const char *simulators;   /* folder of ready simulators to use; NULL: those that are built */
    bool only_failed;         /* with out: reports only on traces that do not pass */
    bool no_golden, stats, verbose, quiet;
    bool no_report;       /* never write a report: the result says everything */
    const char *results;  /* file that gets a JSON line per trace, "-" for stdout; NULL: none */
    uint64_t max_seconds; /* wall time of one trace, 0: no limit */
    int result_fd;        /* of a simulator: where its result goes as data; -1: it is printed */
    /* Of a simulator: where it also notes its result, so that the result survives if another process ends (job.h). */
    struct run_ledger {
        int file;     /* 0: nowhere */
        size_t test;  /* number under which the result is noted */
        double start; /* process_clock() at the start of its process */
    } ledger;
    bool progress; /* of a simulator: send progress with the results */
    bool fresh;    /* start a simulator for every trace */
    /* Of a simulator: plays the traces that arrive over a socket (serve.h). */
    struct run_serve {
        int socket; /* -1: it plays the given trace */
        int runner; /* process that sends them */
    } serve;
    /* Serves a live driver instead of playing traces (nvcosim serve, live/server.h). */
    struct run_live {
        const char *socket; /* path; NULL: none */
        int connected;      /* a connected socket, whose client owns the clock; -1: none */
        bool once;          /* for one client */
        const char *record; /* trace that is written of a session; NULL: none */
        uint64_t last;      /* layers of the recording to keep; 0: all */
        bool judge;         /* the model follows */
        /* At the first wrong layer: nothing, the session ends, or the device stands still. */
        enum { STOP_NEVER, STOP_END, STOP_HOLD } stop;
        const char *debugger; /* this program, to debug recordings with wrong layers with; NULL: they are not */
    } live;
    /* Of a simulator: the trace is a random layer, to be written first if it does not exist. */
    struct run_layer {
        const char *generator; /* as gen_engines() reads it, then perhaps ";" and the name of a combination
                                  (gen/vary.h); NULL: not such a layer */
        uint64_t seed;
    } layer;
    int jobs;
    int threads;         /* of the model */
    int sim_threads;     /* of the design, up to SIM_THREADS_MOST; 0: as the simulator was built */
    bool debug;          /* find the engine to blame for a failure (nvcosim debug) */
    bool no_waves;       /* of debug: the verdict alone */
    bool background;     /* after a failure the simulator with waves is built, also without a terminal or a free core */
    bool no_background;  /* it is not built */
    struct words *shown; /* as of struct result_style */
    const char *timeline; /* file for trace events (report/events.h), NULL: none */
    bool html;            /* count a timeline, and write report.html of passing traces too */
    bool histogram;       /* of the streams, for the report */
    bool functional;      /* report the functional bins that the trace exercises (coverage/coverage.h) */
    uint32_t tap_units;   /* units whose element streams are recorded: bit enum nvdla_unit */
    bool errata;          /* the model computes NVIDIA's erratum E1 as its hardware does */
    bool allow_undefined; /* the model executes what the spec leaves undefined */
    const char *dram;     /* of a simulator: the line of --memory (dram/config.h) that nvcosim has; NULL: none */
    char *dram_line;      /* of --memory; NULL: it is not given */
    struct words traces;
    struct words given; /* the options as words */
};

void run_options_init(struct run_options *options);
void run_options_free(struct run_options *options);

/* These options, and their parser with traces as operands; its input is a struct run_options. */
extern const struct argument run_arguments[];
error_t run_option_parse(int key, char *arg, struct argp_state *state);

/* The options of all commands that compile (--input, --mean, ...); their input is a struct compile_options after
 * compile_options_init() (run/network/compile.h). */
extern const struct argument compile_arguments[];

/* Most layers of --last. */
enum { LIVE_LAST_MOST = 10000 };

/* True if a live driver is served. */
bool run_is_live(const struct run_options *options);

/* Other commands that play, as bits; each leaves options of a run out. */
enum run_command { BY_DEBUG = 1, BY_SERVE = 2, BY_SHRINK = 4, BY_OTHERS = 7 };

/* Reads the command line of such a command, with its own options in the input, and those of a run in `options`, which
 * is initialised; by: 0: all of those. Operands are traces. False with a message. */
bool run_command_read(const struct command *command, enum run_command by, struct run_options *options, int argc,
                      char **argv, void *input);

/* Reads options and traces from words, each option as --NAME or --NAME=VALUE (from a plan, or from run_options.given),
 * into initialised options. They refer to the words, which must outlive them. False with a message. */
bool run_options_read(struct run_options *options, const struct words *words, struct error *err);

/* The command to repeat a trace: the one given, or another (NULL: none), or with further words. free() it. */
char *run_options_command(const struct run_options *options, const char *trace, const char *other, const char *more);

/* Adds the options as words for a simulator, which reads them without Python. */
void run_options_pass(const struct run_options *options, struct words *words);

/* True if an option, a word as in run_options.given, matters for a device under test: the model has no memory latencies
 * and no pins, RTL alone has neither threads nor rules. */
bool run_option_applies(const char *word, enum dut dut);

/* True if the command does not take an option, a word as above. */
bool run_option_is_left_out(const char *word, enum run_command command);

/* The variant of the simulator that the options need. */
enum simulator_variant run_variant(const struct run_options *options, const char *config);

/* The folder of --outputs for a trace; free() it. */
char *outputs_folder(const struct run_options *options, const char *name);

/* True if the argument of --coverage is the file of one trace (FILE.dat), not a directory. */
bool coverage_is_file(const char *coverage);

/* Arguments of options that other commands have, too: `options` is a struct run_options, `config` a const struct
 * nvdla_config *, `traffic` a struct traffic_options. */
void dut_argument(void *options, const char *arg, struct argp_state *state);
void config_argument(void *config, const char *arg, struct argp_state *state);
void traffic_argument(void *traffic, const char *arg, struct argp_state *state);

/* The row of --config, by what is used without it. */
#define CONFIG_OPTION(offset, without)                                                                                 \
    OPTION("config", "NAME", "NVDLA configuration (" without "); an unknown NAME lists them",                          \
           TAKEN_AT(offset, config_argument))
#define CONFIG_SMALL(offset) CONFIG_OPTION(offset, "default small")
#define CONFIG_OF_TRACE(offset) CONFIG_OPTION(offset, "default: small for .cfg, full for .txn, the header's for .nvt")
#define CONFIG_OF_LOADABLE(offset)                                                                                     \
    CONFIG_OPTION(offset, "default: the one that the network was compiled for, if the file shows it")
