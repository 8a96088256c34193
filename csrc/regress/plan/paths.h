/* Paths in a plan: with variables of the environment, relative to the plan's folder, with patterns. */
#ifndef REGRESS_PLAN_PATHS_H
#define REGRESS_PLAN_PATHS_H

#include <stdbool.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* The text with ${NAME} and ${NAME:-TEXT} replaced: the value of that variable of the environment; TEXT, as it stands,
 * where it is not set or empty. free() it. NULL with a message: no such variable, no closing brace, no name. */
char *paths_variables(const char *text, struct error *err);

/* The path as an absolute one, otherwise as it is. free() it. */
char *paths_absolute(const char *path);

/* The folder that holds a file, as an absolute path without links. free() it. */
char *paths_folder(const char *file);

/* A path as it is seen from a folder, which is absolute: absolute, without "." and leading "..". free() it. */
char *paths_from(const char *folder, const char *path);

/* The files that a pattern matches ("*", "?", "[...]", never a leading dot; "{A,B}": A or B), each once, in the order
 * of their bytes, as absolute paths, added to paths. A path without these characters matches itself if it is there.
 * False with a message if a folder cannot be read. */
bool paths_match(const char *folder, const char *pattern, struct words *paths, struct error *err);

#endif
