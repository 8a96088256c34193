/* Simulators that a night needs: built, or brought up to date, before anything runs, each once; then copied, so that
 * a night ends with those it began with, whoever builds new ones meanwhile.
 */
#ifndef REGRESS_ENGINE_BUILDS_H
#define REGRESS_ENGINE_BUILDS_H

#include "nvdla/error.h"
#include "regress/plan/plan.h"
#include "run/result/result.h"

/* Folder of the copies inside that of the night. */
#define BUILDS_FOLDER "simulators"

struct builds;

/* Builds what the tests need that are not done (done: NULL: none is), but what the folder of the night has already
 * (NULL: it is a new one). Where the durations that the tests are expected to have say that a profile pays, it is
 * built with one. A build that fails is told and does not end anything. */
struct builds *builds_make(const struct test_list *tests, const bool *done, const char *folder,
                           void (*report)(const char *line));
void builds_free(struct builds *builds);

/* Whether the simulators that the tests need are there or can be built; each that is not is reported. */
bool builds_possible(const struct test_list *tests, const bool *done, void (*report)(const char *line));

/* The folder of the file list if everything on RTL plays on foreign ones of one folder; NULL: it does not, or that is
 * not known. free() it. */
char *builds_directory(const struct builds *builds);

/* Copies what was built into the folder of the night, which is known from then on. False with a message. */
bool builds_keep(struct builds *builds, const char *folder, struct error *err);

/* Builds the simulator that `nvcosim debug` needs for a test, once, and copies it. NULL if it is there, else why not;
 * that was told when it was tried. */
const char *builds_debug(struct builds *builds, const struct test *test);

/* Removes the copies of a night that is done. */
void builds_remove(const char *folder);

/* True if the test's simulator is not there: *result says so (ERROR, the end of the build's log), the caller frees it.
 */
bool builds_failed(struct builds *builds, const struct test *test, const char *folder, struct result *result);

/* False with a message if the copy that a test plays on is not in the folder of the night. */
bool builds_check(const struct test *test, const char *folder, struct error *err);

#endif
