/* From recorded streams to the engine that is to blame.
 *
 * Every stream between the engines was recorded from the RTL and from the model (observe/recorder.h). An engine that
 * does something wrong makes its own stream differ first; what lies behind it differs later. So the stream whose first
 * difference has the lowest cycle names the engine, wherever the wrong bytes came out. Where no element differs, what
 * stands still speaks: the engine at the end of the chain of waits, or the first stream of the data path that ends
 * early though nothing before it does. Then the checks inside the RTL, and the checks of the trace.
 */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include <stdbool.h>

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "report/diagnosis.h"
#include "triage/triage_input.h"

/* Lets the recorder of the model leave out the launches that the RTL's streams in that folder do not have, because they
 * began to be recorded later. */
struct recorder;
void triage_begin_with(const char *rtl, struct recorder *model);

/* Finds the engine. False with a message if a stream cannot be read. */
bool triage(const struct triage_input *input, struct diagnosis *diagnosis, struct error *err);

#endif
