/* What another program asks before it plays (docs/results.md): facts of this program as JSON, whether options of a run
 * can be used, which configuration a trace is for, what is known about a simulator, what tests have covered. */
#pragma once

#include <stdio.h>

#include "nvdla/config.h"
#include "nvdla/text.h"
#include "run/simulators/simulators.h"

/* Prints version, folders, configurations, engines, generators of layers and options of a run; registers too unless
 * brief. chosen: a configuration by values that comes too, or NULL. */
void facts_print(FILE *out, const struct nvdla_config *chosen, bool brief);

/* Prints the values of a configuration, for the user, and what the row that it was made of has instead. */
void facts_of_config(FILE *out, const struct nvdla_config *config);

/* Prints a line for each trace: its name and configuration, or the error. */
void facts_of_traces(FILE *out, const struct words *traces);

/* Prints what options of nvcosim run ask for. False with a message if they cannot be used. */
bool facts_of_options(FILE *out, const struct words *options, struct error *err);

/* The same for lists of words, one a line of JSON, each answered by a line. False with a message, that begins with the
 * number of the line, if one is something else. */
bool facts_of_lists(FILE *in, FILE *out, struct error *err);

struct coverage;

struct facts_simulator {
    const char *config, *rtl_name; /* rtl_name: "" for the project's own */
    enum simulator_variant variant;
};

/* Prints whether a simulator exists or can be built, where it is, the file list of its RTL, and what a profile costs.
 */
void facts_of_simulator(FILE *out, const struct facts_simulator *simulator);

/* Brings it up to date (update_simulator), and prints where it is or why it cannot be built. */
void facts_update_simulator(FILE *out, const struct facts_simulator *simulator, bool profile);

/* Prints the bins of functional coverage (features, configurations, aspects and crosses of each engine, and what they
 * need) and their counts, for python/nvcosim/coverage.py. */
void facts_of_coverage(FILE *out, const struct coverage *coverage);
