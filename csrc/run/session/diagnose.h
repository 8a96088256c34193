/* Finds the engine to blame, after a woken copy has repeated the failure with its streams recorded: plays the same
 * launches on the model and lets the triage compare. */
#pragma once

#include "model/model.h"
#include "report/diagnosis.h"
#include "report/outcome.h"
#include "run/options/options.h"
#include "run/result/result.h"
#include "run/session/taps.h"

/* The model's options for a run, without listeners. */
struct model_options model_options_of(const struct run_options *options);

/* Ends the recording of the RTL's streams, records the model's, and finds the engine. False with a message on a read or
 * write error. */
bool diagnose(const struct run_options *options, const struct report_input *input, struct taps *taps,
              struct diagnosis *diagnosis, struct error *err);

/* Writes a save file of the waves that shows the failure: its signals first, with markers at the first wrong element,
 * the first failed check, the first wrong write, and where the launches in flight were armed. False with a message if
 * it cannot be written. */
bool point_at(const struct report_input *input, const struct diagnosis *diagnosis, struct error *err);

/* Adds the verdict and the arithmetic of the element to the notes of the result. */
void name_diagnosis(const struct diagnosis *diagnosis, struct result *result);
