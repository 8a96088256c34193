/* The result of a trace, as data. The session that played the trace fills it (or the runner, if the session could not),
 * the simulator sends it to the runner as a line of JSON, and it is written to the file of --results and printed. It is
 * the only record of a run: no one needs to parse printed lines. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "device/device.h"
#include "device/named.h"
#include "nvdla/text.h"

enum verdict {
    VERDICT_PASS,
    VERDICT_FAIL,    /* mismatch, failed check, finding */
    VERDICT_HANG,    /* hang, time-out */
    VERDICT_REFUSED, /* the spec leaves the result of a setting open */
    VERDICT_CRASH,   /* the simulator ended without a verdict */
    VERDICT_ERROR,   /* not played: bad input, a device that cannot be opened, a report that cannot be written */
    VERDICT_COUNT,
};
extern const char *const verdict_names[VERDICT_COUNT]; /* "PASS", ... */

/* The verdict of that name; -1 if there is none, or name is NULL. */
int verdict_find(const char *name);

/* The exit status of a verdict (enum exit_status). */
int verdict_status(enum verdict verdict);

enum { RESULT_DEVICES = 2 };

/* One device that the trace was played on, the RTL before the model. For the numbers, see device.h, player.h. */
struct result_device {
    char *name, *outcome; /* outcome: as in report.json */
    char *details;        /* of a hang: lines to print; NULL: none */
    char *engine;         /* of a hang: folder under rtl/ of the engine at the end of the chain of waits; NULL: none */
    uint64_t stopped;     /* of a hang: clock of the last movement, 0 if not known */
    uint64_t checks, not_compared, volatile_mismatches, interrupts, failures, findings;
    bool clocked; /* it has clocks and a bus: the RTL */
    uint64_t cycles, op_start, op_cycles, outside;
    uint64_t read_beats[AXI_IDS], write_beats[AXI_IDS];
    uint64_t vpi_calls, quiet_cycles, most_vpi_per_cycle, wave_cycles;
    double cpu_seconds, eval_share; /* eval_share: 0 if not measured (--stats) */
    uint64_t table_hits, table_builds;
    char *memory; /* lines about the DRAM; NULL: there is none */
};

/* A finding of a device, with names instead of numbers. */
struct result_finding {
    char *device, *rule, *text;
    uint64_t cycle;
    char *unit, *instance; /* NULL: none */
    int launch;            /* of the unit, -1: none */
};

/* The first byte that differs, between two devices or from a golden. */
struct result_mismatch {
    char *space; /* NULL: nothing differs */
    bool golden; /* from a golden */
    uint64_t address, bytes;
    char *unit, *element; /* the layer that it belongs to, NULL: none; "surface 0, line 1, ..." */
    char *position;       /* FILE:LINE that armed that layer */
    int launch;
    uint64_t cycle; /* of the beat that wrote it, 0 if not known */
};

/* Who disagrees with whom, in the words of report/dissent.h; NULL: not known. */
struct result_dissent {
    char *who, *certainty, *suspect, *suspect_certainty, *position, *sentence;
};

struct result {
    char *trace, *path, *config, *dut;
    uint64_t seed;
    enum verdict verdict;
    char *reason;                /* "" for PASS */
    struct named_launches named; /* launches in the reason */
    char *sign;                  /* what came before the consequences: "rule:RULE", "check"; NULL: nothing */
    char *limit;                 /* HANG: the option whose limit was reached: "--still", "--max-seconds"; NULL: none */
    bool compared;               /* two devices, or at least one check */
    uint64_t operations, launches, layers, macs;
    /* With --stats, else 0: CPU time of the process before it played, while RTL and model played, and after that. */
    double load_seconds, rtl_seconds, model_seconds, compare_seconds;
    struct result_device devices[RESULT_DEVICES];
    int device_count;
    struct result_mismatch mismatch;
    struct result_dissent disagrees;
    struct result_finding *findings;
    size_t finding_count;
    struct words warnings; /* of settings against the rules, with their place in the trace */
    uint64_t warnings_dropped;
    struct words notes; /* further lines to print */
    char *report;       /* path of report.json, NULL: none was written */
    char *page;         /* path of report.html, NULL: none */
    char *histogram;    /* path of histogram.svg, NULL: none */
    /* Planted faults that would have changed the RTL's behaviour (struct rtl_statistics), in ascending order. */
    uint32_t *faults;
    size_t fault_count;
    char *coverage; /* functional bins that the trace exercises, coverage_bits() in hex digits; NULL: not requested */
    /* Filled in by the runner. */
    int exit_status;             /* of the simulator; 128 + N: ended by signal N */
    double seconds, cpu_seconds; /* wall and CPU time of the whole process */
    uint64_t memory_peak;        /* most bytes resident; 0: not known */
    char *command;               /* to repeat the run */
    char *wave_command;          /* to record waves around the failure; NULL: there is none */
    char *debug_command;         /* to find the engine to blame; NULL: there is none */
    char *output;                /* CRASH: last lines of the simulator's output; else NULL */
    json_t *same; /* that it was read from, if since then only process figures, command and coverage have changed:
                     result_json() has the rest from there. NULL: there is none */
};

void result_free(struct result *result);

void result_add_finding(struct result *result, const char *device, const struct finding *finding);

void result_add_fault(struct result *result, uint32_t fault);

/* One line of JSON without the line end; free() it. Described in docs/results.md. */
char *result_json(const struct result *result);

/* Reads such a line, or the JSON of one. False if it is not one, or has no verdict or no configuration. */
bool result_parse(const char *line, struct result *result);
bool result_read(const json_t *json, struct result *result);

/* How a result is printed. */
struct result_style {
    FILE *out;           /* for the line of the trace and its statistics; the rest goes to stderr */
    bool colour;         /* of the verdict */
    bool quiet;          /* only traces that do not pass */
    bool verbose;        /* findings of the checks, and every warning */
    bool stats;          /* statistics below the line */
    struct words *shown; /* NULL, or the lines that an earlier run printed: only others are, and are added */
};

/* Warnings of one kind are printed once: the one printed, and the number of others. Zero-initialise. */
struct warning_kinds {
    struct warning_kind {
        char *key, *first;
        uint64_t more; /* not printed */
    } *kinds;
    size_t count;
};
void warning_kinds_free(struct warning_kinds *kinds);

/* Prints a warning unless one of its kind was printed before, or always if verbose. */
void warning_print(struct warning_kinds *kinds, const char *text, bool verbose);

/* Prints how many of each kind were suppressed. */
void warning_kinds_print(const struct warning_kinds *kinds);

/* Prints a result: warnings, the line of the trace, and further lines. */
void result_print(const struct result *result, const struct result_style *style, struct warning_kinds *kinds);

/* The ledger of a night: a file to which the tests' own processes and their runner append each result at once, one a
 * line. What is in it survives any killed process. The database gets the results later, in batches.
 *
 *     {"test":12,"at":1767222000,"result":{...}}               by the process of test 12, before it ends
 *     {"test":12,"at":1767222000,"host":"a","result":{...}}    by its runner: the result is final
 *
 * test: number in the night; at: seconds since 1970; result: docs/results.md. Every line is appended in one write,
 * between two line ends, so a partial line of a killed process or from a full disk spoils no other. The runner and all
 * processes that it plays tests with share a lock on the file (flock): it is free when the last of them has ended.
 *
 * Notes a result, a line of JSON; host: NULL if the process of the test does so itself. False, with errno, if it was
 * not written completely. */
bool ledger_note(int file, size_t test, const char *host, const char *result);
