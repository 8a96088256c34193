/* The command of --notify, which gets the summary of a night. */
#ifndef REGRESS_NIGHT_NOTIFY_H
#define REGRESS_NIGHT_NOTIFY_H

#include <stdbool.h>

#include "nvdla/error.h"

/* Runs a command of the shell with the text on its standard input; it has NOTIFY_SECONDS. False with a message if it
 * cannot be started, fails, or takes longer. */
enum { NOTIFY_SECONDS = 120 };
bool notify_run(const char *command, const char *text, struct error *err);

#endif
