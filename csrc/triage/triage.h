/* Finds the engine to blame from recorded streams.
 *
 * Every stream between the engines was recorded from the RTL and from the model (observe/recorder.h). A faulty engine
 * makes its own stream differ first; later streams of the data path differ later. So the stream with the earliest first
 * difference names the engine, wherever the wrong bytes came out. If no element differs, a hang decides: the engine at
 * the end of the chain of waits, or the first stream of the data path that ends early although no earlier one does.
 * Next come the checks inside the RTL, and then those of the trace. */
#pragma once

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "report/diagnosis.h"
#include "triage/triage_input.h"

/* Finds the engine. False with a message if a stream cannot be read. */
bool triage(const struct triage_input *input, struct diagnosis *diagnosis, struct error *err);
