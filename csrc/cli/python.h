/* The commands that are written in Python: nvcosim runs them as it runs its own. */
#pragma once

/* Replaces this process by Python, which runs the command (python/nvcosim/commands) with the arguments argv[1], ...
 * Returns an exit status, after a message, only if it cannot. */
int python_command(const char *name, char **argv);
