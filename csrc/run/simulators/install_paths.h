/* Where the program finds its simulators and the sources they are built from.
 *
 *                     sources              simulators
 * a checkout          DIR/..               DIR (build/, where nvcosim is), built there
 * a checkout that     DIR/..               DIR; others are built in the user's cache
 * can't be written
 * installed           PREFIX/share/nvcosim PREFIX/lib/nvcosim; others are built in the user's cache
 *
 * DIR is the folder of the running program, PREFIX the one above it if it is named bin. The user's cache is
 * $XDG_CACHE_HOME/nvcosim/ID (default ~/.cache), ID a hash of the path of the sources. */
#pragma once

#include "nvdla/error.h"

struct install_paths {
    char *sources; /* folder with the Makefile; NULL if there is none */
    char *ready;   /* folder of the simulators that came with the program */
    char *build;   /* where simulators are built; the same as `ready` if that is writable */
    bool cached;   /* build is the user's cache */
};

/* Fills *paths. False with a message if the program cannot find its own location. Release with install_paths_free(). */
bool install_paths_find(struct install_paths *paths, struct error *err);
void install_paths_free(struct install_paths *paths);

/* Creates the build folder. False with a message: no sources, or no writable folder. */
bool install_paths_prepare(const struct install_paths *paths, struct error *err);
