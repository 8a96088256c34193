/* A diagnosis of a log: how far the driver came, and what can have stopped it, likeliest first. Spec: 86-driver-log
 * sections 3 to 5. */
#ifndef DOCTOR_LOG_DIAGNOSIS_H
#define DOCTOR_LOG_DIAGNOSIS_H

#include <stdio.h>

#include "doctor/driver_log.h"
#include "loadable/loadable.h"
#include "nvdla/text.h"

enum verdict { VERDICT_HANG, VERDICT_DATA, VERDICT_GOOD, VERDICT_ERROR, VERDICT_UNKNOWN };
enum certainty { CERTAIN, LIKELY, POSSIBLE };

struct likely_cause {
    enum cause cause;
    enum certainty certainty;
    struct words evidence; /* lines of text */
};

struct log_diagnosis {
    enum verdict verdict;
    unsigned mixed_tasks; /* lines of so many cannot be told apart; 0: they can */
    int task;             /* number in the loadable, or of the log's tasks since the probe; LOG_NONE: unknown */
    int layer;            /* operation in its task, LOG_NONE */
    char *name;           /* of the layer; NULL: there is none */
    const char *engine;
    struct words armed, due, notes; /* "SDP 4"; events that must come; what else the log shows */
    uint64_t least_clocks;          /* of the layer; 0: unknown */
    uint64_t estimated_clocks;      /* of the layer on the RTL, with what it feeds on the fly; 0: unknown */
    size_t cause_count;
    struct likely_cause causes[CAUSE_COUNT];
};

/* Diagnoses a log. loadable, with placed memories: the network that ran; NULL: not known. config: of the hardware,
 * NULL: as the loadable shows. The log is completed from the loadable where its beginning is missing. False with a
 * message if the loadable cannot be read. */
bool log_diagnose(struct driver_log *log, struct loadable *loadable, const struct nvdla_config *config,
                  struct log_diagnosis *diagnosis, struct error *err);
void log_diagnosis_free(struct log_diagnosis *diagnosis);

/* Prints it as text, or as JSON. name: of the log. megahertz: NVDLA's clock on the board; 0: unknown, 100 is assumed.
 */
void log_diagnosis_print(FILE *out, const char *name, const struct driver_log *log,
                         const struct log_diagnosis *diagnosis, double megahertz);
void log_diagnosis_print_json(FILE *out, const struct driver_log *log, const struct log_diagnosis *diagnosis,
                              double megahertz);

#endif
