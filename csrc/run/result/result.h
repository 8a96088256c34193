/* What came of a trace, as data: filled by the session that played it (or by the runner, where there was none to ask),
 * handed from the simulator to the runner as a line of JSON, written to the file of --results, printed for people.
 * Nothing else says how a run went, and nobody needs to read lines that are made for people.
 */
#ifndef RUN_RESULT_RESULT_H
#define RUN_RESULT_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device/device.h"
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

/* The verdict of that name; -1: there is none, or name is NULL. */
int verdict_find(const char *name);

/* The exit status of a verdict (enum exit_status). */
int verdict_status(enum verdict verdict);

enum { RESULT_DEVICES = 2 };

/* One device that the trace was played on, the RTL before the model. Figures: device.h, player.h. */
struct result_device {
    char *name, *outcome; /* outcome: as in report.json */
    char *details;        /* of a hang: lines for a person; NULL: none */
    char *engine;         /* of a hang: folder under rtl/ of the engine at the end of the chain of waits; NULL: none */
    uint64_t stopped;     /* of a hang: clock of the last movement, 0 if not known */
    uint64_t checks, not_compared, volatile_mismatches, interrupts, failures, findings;
    bool clocked; /* it has clocks and a bus: the RTL */
    uint64_t cycles, op_start, op_cycles, outside;
    uint64_t read_beats[AXI_IDS], write_beats[AXI_IDS];
    uint64_t vpi_calls, quiet_cycles, most_vpi_per_cycle, wave_cycles;
    double cpu_seconds, eval_share; /* eval_share: 0 if not measured (--stats) */
    uint64_t table_hits, table_builds;
};

/* A finding of a device, with names in place of numbers. */
struct result_finding {
    char *device, *rule, *text;
    uint64_t cycle;
    char *unit, *instance; /* NULL: none */
    int launch;            /* of the unit, -1: none */
};

/* The first byte that differs, of two devices or from a golden. */
struct result_mismatch {
    char *space; /* NULL: nothing differs */
    bool golden; /* from a golden */
    uint64_t address, bytes;
    char *unit, *element; /* the layer that it belongs to, NULL if to none; "surface 0, line 1, ..." */
    char *position;       /* FILE:LINE that armed that layer */
    int launch;
    uint64_t cycle; /* of the beat that wrote it, 0 if not known */
};

struct result {
    char *trace, *path, *config, *dut;
    uint64_t seed;
    enum verdict verdict;
    char *reason;  /* "" for PASS */
    char *limit;   /* HANG: the option whose limit was reached: "--still", "--max-seconds"; NULL: none */
    bool compared; /* two devices, or at least one check */
    uint64_t operations, launches, layers, macs;
    /* Of --stats, else 0, CPU time of the process: before it played, while RTL and model played, and after that. */
    double load_seconds, rtl_seconds, model_seconds, compare_seconds;
    struct result_device devices[RESULT_DEVICES];
    int device_count;
    struct result_mismatch mismatch;
    struct result_finding *findings;
    size_t finding_count;
    struct words warnings; /* of settings against the rules: with the place in the trace */
    uint64_t warnings_dropped;
    struct words notes; /* further lines for a person */
    char *report;       /* path of report.json, NULL: none was written */
    char *page;         /* path of report.html, NULL: none */
    char *histogram;    /* path of histogram.svg, NULL: none */
    /* Planted faults that would have changed something on the RTL (struct rtl_statistics), in ascending order. */
    uint32_t *faults;
    size_t fault_count;
    char *coverage; /* functional bins that the trace exercises, coverage_bits() in hex digits; NULL: not asked for */
    /* What the runner knows. */
    int exit_status;             /* of the simulator; 128 + N: ended by signal N */
    double seconds, cpu_seconds; /* wall and CPU time of the whole process */
    uint64_t memory_peak;        /* bytes that it had resident at most; 0: not known */
    char *command;               /* that does it again */
    char *wave_command;          /* that records waves around the place where it went wrong; NULL: there is none */
    char *debug_command;         /* that finds the engine to blame; NULL: there is none */
    char *output;                /* CRASH: the end of what the simulator printed; else NULL */
    char *line; /* of JSON that it was read from, if nothing has changed since but figures of the process, command and
                   coverage: result_json() takes the rest from it. NULL: there is none */
};

void result_free(struct result *result);

void result_add_finding(struct result *result, const char *device, const struct finding *finding);

void result_add_fault(struct result *result, uint32_t fault);

/* One line of JSON, without the line end; free() it. docs/results.md describes it. */
char *result_json(const struct result *result);

/* Reads such a line. False if it is none, or names neither a verdict nor a configuration. */
bool result_parse(const char *line, struct result *result);

/* What a person sees of a result. */
struct result_style {
    FILE *out;    /* the line of the trace and its statistics; all else goes to stderr */
    bool colour;  /* of the verdict */
    bool quiet;   /* only of what does not pass */
    bool verbose; /* what the checks found, and every warning */
    bool stats;   /* statistics below the line */
};

/* Warnings of one kind are printed once: what was printed, and how many were not. Zero-initialise. */
struct warning_kinds {
    struct warning_kind {
        char *key, *first;
        uint64_t more; /* not printed */
    } * kinds;
    size_t count;
};
void warning_kinds_free(struct warning_kinds *kinds);

/* Prints a warning unless one of its kind was printed before; all of them if verbose. */
void warning_print(struct warning_kinds *kinds, const char *text, bool verbose);

/* Says how many of each kind were not printed. */
void warning_kinds_print(const struct warning_kinds *kinds);

/* Prints a result: warnings, the line of the trace, what a person should know beyond it. */
void result_print(const struct result *result, const struct result_style *style, struct warning_kinds *kinds);

#endif
