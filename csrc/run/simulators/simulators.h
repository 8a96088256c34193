/* Simulator executables: where they are, and how missing ones are built. */
#pragma once

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Variants of a simulator. Each is a separate executable, because code that is compiled in costs speed even if unused:
 * waves (with checks), line coverage, toggle coverage (ten times slower than line coverage), checks inside the RTL. */
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

/* True for names that may follow rtl: (a-z, 0-9 and _; not the name of a variant). */
bool rtl_name_valid(const char *name);

enum { SIMULATOR_PATH = 4096 };

/* nvcosim-CONFIG[-RTL][-VARIANT]. free() it. */
char *simulator_name(const char *config, const char *rtl_name, enum simulator_variant variant);

/* FOLDER/nvcosim-CONFIG[-RTL][-VARIANT]: where it is, or where it would be built (run/simulators/install_paths.h). */
bool simulator_path(const char *config, const char *rtl_name, enum simulator_variant variant, char *path, size_t size,
                    struct error *err);

/* FOLDER/NAME: a file beside the simulators that are built here. */
bool simulator_side_path(const char *name, char *path, size_t size, struct error *err);

/* False with a message if there are no sources to build from, or no writable folder. */
bool simulators_can_be_built(struct error *err);

/* Runs `make simulator` with these variables in the source tree. Its output goes to a log, shown on stderr if it fails.
 */
bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err);

/* The same for a known RTL: this project's, or another one built earlier. variables: those to change permanently. */
bool remake_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                      const struct words *variables, struct error *err);

/* Makes sure that the simulator exists: builds the project's own, or variants of a foreign one that was built earlier,
 * with the settings that `nvcosim build` kept. */
bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err);

/* The same, and rebuilds it if its sources here have changed, with a profile if `profile`. If make fails, its output is
 * not shown: its last lines go to *log ("" if there is no output), which the caller frees. */
bool update_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, bool profile,
                      char **log, struct error *err);

/* How long a build will take, from earlier ones: "40 seconds", "a minute". Returns text. */
const char *simulator_build_time(const char *config, const char *rtl_name, enum simulator_variant variant, char *text,
                                 size_t size);

/* CPU seconds that a profile adds to a build, estimated from the size of the compiled code; negative if not known,
 * because it was not built here. */
double simulator_profile_cost(const char *config, const char *rtl_name, enum simulator_variant variant);

/* Whether a simulator exists or can be built: the project's own, or of a foreign RTL that was built earlier. False with
 * a message. */
bool simulator_known(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err);

/* True if the simulator exists and its sources have not changed. */
bool simulator_is_current(const char *config, const char *rtl_name, enum simulator_variant variant);

/* The file of make variables of a foreign RTL, FOLDER/CONFIG-RTL.variables, one NAME=VALUE a line. */
bool variables_path(const char *config, const char *rtl_name, char *path, size_t size, struct error *err);

/* What a foreign RTL was built with, FILELIST for example; NULL if it is empty or not known. free() it. */
char *simulator_variable(const char *config, const char *rtl_name, const char *name);

/* True if it is known that the RTL is neither this project's nor a copy of it. */
bool simulator_is_foreign(const char *config, const char *rtl_name);

/* True if the variants with taps and waves show streams inside the RTL: this project's RTL, copies of it, and any RTL
 * built with a table of taps. */
bool simulator_has_taps(const char *config, const char *rtl_name);

/* False with a message if it is known that the sources of the RTL have no checks. */
bool simulator_can_check(const char *config, const char *rtl_name, struct error *err);
