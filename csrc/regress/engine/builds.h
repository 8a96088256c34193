/* Simulators that a night needs: built, or brought up to date, before anything runs, each once; then copied, so that
 * a night ends with the ones it began with, even if others are built meanwhile. */
#ifndef REGRESS_ENGINE_BUILDS_H
#define REGRESS_ENGINE_BUILDS_H

#include "nvdla/error.h"
#include "regress/plan/plan.h"
#include "run/result/result.h"

/* Folder of the copies inside that of the night. */
#define BUILDS_FOLDER "simulators"

struct builds;

/* Builds what the open tests need (done: those that are not; NULL: all are open), except what the folder of the night
 * already has (NULL: it is a new night). A simulator is built with a profile if the expected durations of its tests say
 * that this pays. A build that fails is reported, and the night continues. */
struct builds *builds_make(const struct test_list *tests, const bool *done, const char *folder,
                           void (*report)(const char *line));
void builds_free(struct builds *builds);

/* Whether the simulators that the tests need are there or can be built; each that is not is reported. */
bool builds_possible(const struct test_list *tests, const bool *done, void (*report)(const char *line));

/* The folder of the file lists if every test on RTL plays a foreign one, from one folder; else NULL. free() it. */
char *builds_directory(const struct builds *builds);

/* Copies what was built into the folder of the night, which is known from then on. False with a message. */
bool builds_keep(struct builds *builds, const char *folder, struct error *err);

/* Builds the simulator that `nvcosim debug` needs for a test, once, and copies it. NULL if it is there, else why not,
 * which was reported when it was tried. */
const char *builds_debug(struct builds *builds, const struct test *test);

/* Removes the copies of a night that is done. */
void builds_remove(const char *folder);

/* True if the test's simulator could not be built: *result says so (ERROR, the end of the build's log), the caller
 * frees it. */
bool builds_failed(struct builds *builds, const struct test *test, const char *folder, struct result *result);

/* False with a message if the copy that a test plays on is not in the folder of the night. */
bool builds_check(const struct test *test, const char *folder, struct error *err);

#endif
