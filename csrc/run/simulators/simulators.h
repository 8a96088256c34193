/* Simulator executables: where they are, and how they are built when they are not there. */
#ifndef RUN_SIMULATORS_SIMULATORS_H
#define RUN_SIMULATORS_SIMULATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Variants of a simulator. Each is an executable of its own, since what is compiled in costs speed even when it is not
 * used: waves (with checks), line coverage, toggle coverage (which is slower than line coverage by another order of
 * magnitude), checks inside the RTL. */
enum simulator_variant {
    VARIANT_PLAIN,
    VARIANT_WAVES,
    VARIANT_COVERAGE,
    VARIANT_TOGGLE,
    VARIANT_CHECKS,
    VARIANT_TAPS,
    VARIANT_COUNT
};

/* Name in file names and make variables: "" for the plain one, "waves", "coverage", "toggle", "checks". */
extern const char *const simulator_variant_names[VARIANT_COUNT];

enum { RTL_NAME_MAX = 32 };

/* True for names that may follow rtl: (a-z, 0-9 and _; not that of a variant). */
bool rtl_name_valid(const char *name);

enum { SIMULATOR_PATH = 4096 };

/* nvcosim-CONFIG[-RTL][-VARIANT]. free() it. */
char *simulator_name(const char *config, const char *rtl_name, enum simulator_variant variant);

/* FOLDER/nvcosim-CONFIG[-RTL][-VARIANT], where it is or where it is going to be built (run/simulators/install_paths.h).
 */
bool simulator_path(const char *config, const char *rtl_name, enum simulator_variant variant, char *path, size_t size,
                    struct error *err);

/* FOLDER/NAME: a file beside the simulators that are built here. */
bool simulator_side_path(const char *name, char *path, size_t size, struct error *err);

/* False with a message if there are no sources to build simulators from, or nowhere to write. */
bool simulators_can_be_built(struct error *err);

/* Runs `make simulator` with these variables in the source tree. What it prints
 * goes to a log that is shown on stderr if it fails. */
bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err);

/* The same for one whose RTL is known: this project's, or another one that was built before. variables: what is to be
 * different from then on. */
bool remake_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                      const struct words *variables, struct error *err);

/* Makes sure that the simulator is there: builds the project's own, and the variants of a foreign one that was built
 * before (with the settings that `nvcosim build` kept). */
bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err);

/* The same, and brings it up to date with its sources where it was built from them, with a profile if that is asked
 * for. What make prints when it fails is not shown: its end becomes *log ("" if there is none), which the caller
 * frees. */
bool update_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, bool profile,
                      char **log, struct error *err);

/* Processor seconds that a profile adds to a build, about, by the size of the code that is compiled; negative: not
 * known, it was not built here. */
double simulator_profile_cost(const char *config, const char *rtl_name, enum simulator_variant variant);

/* Whether a simulator is there, or can be built: the project's own, or of a foreign RTL that was built before. False
 * with a message. */
bool simulator_known(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err);

/* File that keeps the make variables of a foreign RTL, FOLDER/CONFIG-RTL.variables, one NAME=VALUE a line. */
bool variables_path(const char *config, const char *rtl_name, char *path, size_t size, struct error *err);

/* The file list that a foreign RTL was built from; NULL if it is not known. free() it. */
char *simulator_filelist(const char *config, const char *rtl_name);

/* True if the simulators with taps and with waves show streams inside the RTL: this project's, copies of it, and those
 * that were built with a table of taps. */
bool simulator_has_taps(const char *config, const char *rtl_name);

#endif
