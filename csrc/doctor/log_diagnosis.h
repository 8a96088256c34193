/* A diagnosis of a log: how far the driver came, and what can have stopped it, likeliest first. Spec: 86-driver-log
 * sections 3 to 5. */
#pragma once

#include <stdio.h>

#include "doctor/log_verdict.h"
#include "loadable/loadable.h"

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
