/* A sequence of operations as streams, for formats that know nothing else. */
#ifndef EXPORT_STREAMS_H
#define EXPORT_STREAMS_H

#include "trace/program.h"

/* A sequential program with one stream per unit. Operations keep their order as far as the trace waits: behind every
 * poll and every wait for an interrupt, all streams wait for the same event before they go on. A wait, the checks of
 * S_INTR_STATUS behind it and the write that clears it become intr_notify: whoever plays streams services interrupts
 * himself. Of an interrupt that S_INTR_MASK holds back nobody is notified: where it is checked together with one that
 * comes through it is left out, *changed counts those checks; by itself it cannot be said. A program that has streams
 * comes back as it is. Like program_in_order it takes blobs and texts over, and of prog nothing but the release is left
 * to do. NULL with FILE:LINE of what cannot be said. */
struct program *program_in_streams(struct program *prog, size_t *changed, struct error *err);

#endif
