/* For nvcosim doctor LOG: how many clocks the layer that does not end takes on the RTL, by the estimate. */
#pragma once

#include "doctor/log_diagnosis.h"

/* Sets diagnosis->estimated_clocks, if a layer is known and the network at the path can be compiled for the
 * configuration. */
void doctor_clocks(struct log_diagnosis *diagnosis, const struct driver_log *log, const char *path,
                   const struct nvdla_config *config);
