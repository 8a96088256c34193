/* From a failure that a woken copy has played again with its streams recorded to the engine that is to blame: plays the
 * same launches on the model, and lets the triage compare.
 */
#ifndef RUN_SESSION_DIAGNOSE_H
#define RUN_SESSION_DIAGNOSE_H

#include "model/model.h"
#include "report/diagnosis.h"
#include "report/outcome.h"
#include "run/options/options.h"
#include "run/result/result.h"
#include "run/session/taps.h"

/* The options of the model that a run has, without listeners. */
struct model_options model_options_of(const struct run_options *options);

/* Ends the recording of the RTL's streams, records those of the model, and finds the engine. False with a message if
 * something could not be written or read. */
bool diagnose(const struct run_options *options, const struct report_input *input, struct taps *taps,
              struct diagnosis *diagnosis, struct error *err);

/* Lets the save file of the waves show the place: the first wrong element, the first wrong write, the launches in
 * flight. False with a message if it cannot be written. */
bool point_at(const struct report_input *input, const struct diagnosis *diagnosis, const char *wave, struct error *err);

/* Adds the verdict and the arithmetic of the element to the notes of the result. */
void name_diagnosis(const struct diagnosis *diagnosis, struct result *result);

#endif
