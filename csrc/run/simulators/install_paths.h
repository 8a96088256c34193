/* Where the program finds its simulators and the sources they are built from.
 *
 *                     sources              simulators
 * a checkout          DIR/..               DIR (build/, where nvcosim lies), made there
 * a checkout that     DIR/..               DIR; what is missing is made in the user's cache
 * can't be written
 * installed           PREFIX/share/nvcosim PREFIX/lib/nvcosim; what is missing is made in the user's cache
 *
 * DIR is the folder of the running program, PREFIX the one above it if it is called bin. The user's cache is
 * $XDG_CACHE_HOME/nvcosim/ID (default ~/.cache), ID a number for the path of the sources.
 */
#ifndef RUN_SIMULATORS_INSTALL_PATHS_H
#define RUN_SIMULATORS_INSTALL_PATHS_H

#include <stdbool.h>

#include "nvdla/error.h"

struct places {
    char *sources; /* folder with the Makefile; NULL if there is none */
    char *ready;   /* folder of the simulators that came with the program */
    char *build;   /* folder that simulators are built in; the same as ready where that can be written */
    bool cached;   /* build is the user's cache */
};

/* Fills *places; false with a message if the program cannot tell where it lies. Release it with places_free. */
bool places_find(struct places *places, struct error *err);
void places_free(struct places *places);

/* Makes the build folder. False with a message: no sources, or nowhere to write. */
bool places_prepare(const struct places *places, struct error *err);

#endif
