/* The end of a live recording: where it can begin other than at a reset, so that only the last layers of a long session
 * are kept.
 *
 * A cut is a moment in which nothing is at work and CBUF holds nothing that a layer could reuse. A recording that
 * begins there starts with register writes that bring a device from reset to the same registers; a model that computes
 * no convolutions follows the session for that. What the layers before it left in memory is initial content then. */
#pragma once

#include <stdio.h>

#include "live/recording.h"

struct recording_end;

/* Keeps at least the last `layers` layers that write memory. NULL with a message. */
struct recording_end *recording_end_new(const struct nvdla_config *config, uint64_t layers, struct error *err);
void recording_end_free(struct recording_end *end);

/* What a recording calls. */
struct recording_keeper recording_end_keeper(struct recording_end *end);

/* Writes the recording from the cut on that keeps enough layers to a temporary file, which the caller closes. log: the
 * recording's. *kept, *all: layers in it, and since the reset. NULL with a message. */
FILE *recording_end_log(const struct recording_end *end, FILE *log, uint64_t *kept, uint64_t *all, struct error *err);
