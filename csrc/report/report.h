/* Comparison and triage: what is wrong after a trace was played, where, and who wrote it. For people as text, for
 * machines as JSON.
 *
 * A report borrows everything it is made of (program, devices, results): those must outlive it.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>

#include "device/device.h"
#include "nvdla/error.h"
#include "observe/histogram.h"
#include "replay/player.h"

enum { PLAYED_MAX = 2 };

/* One device that the trace was played on. */
struct played {
    struct device *dev;
    const struct play_result *result;
};

struct report_input {
    const char *name; /* of the trace */
    const struct program *prog;
    /* The RTL before the model. With two of them their memories are compared: the last is what is expected, the first
     * is what is got. */
    struct played played[PLAYED_MAX];
    int played_count;
    const struct histogram_set *histograms; /* of the model's streams; NULL: none */
    const char *objection; /* why the run fails even if nothing is wrong with what was played; NULL: it does not */
};

enum report_status { REPORT_PASSED, REPORT_FAILED, REPORT_HUNG, REPORT_REFUSED };

struct report;

/* Compares all memory of both spaces and gathers what the checks found. NULL only when memory is exhausted. */
struct report *report_new(const struct report_input *input);
void report_free(struct report *report);

enum report_status report_status(const struct report *report);

/* A warning or a refusal of a device with the place in the trace it came from, for a person. Returns text. */
char *report_warning(const struct report *report, const struct device_warning *warning, char *text, size_t size);

/* One line: the first reason why the trace did not pass; "" if it passed. Order: refused, hang, memory that differs,
 * checks, findings. */
const char *report_reason(const struct report *report);

/* The whole report; free() it. NULL only when memory is exhausted. */
char *report_text(const struct report *report);
char *report_json(const struct report *report);

/* Writes report.txt, report.json, histogram.json and histogram.svg where there are histograms, and the raw dumps of the
 * regions that differ (SPACE_ADDRESS_DEVICE.bin.gz) to a directory, which is made if it does not exist. */
bool report_write(const struct report *report, const char *directory, struct error *err);

/* Removes what report_write() left in a directory earlier, and the directory if nothing else is in it. What cannot be
 * removed stays. */
void report_clear(const char *directory);

#endif
