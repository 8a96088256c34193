/* The commands that are written in Python: nvcosim runs them as it runs its own. */
#ifndef CLI_PYTHON_H
#define CLI_PYTHON_H

/* Replaces this process by Python, which runs the command (python/nvcosim/commands) with the arguments argv[1], ...
 * Returns an exit status, after a message, only if it cannot. */
int python_command(const char *name, char **argv);

#endif
