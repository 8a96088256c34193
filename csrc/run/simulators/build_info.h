/* How the simulators in the build folder were made: nvcosim info --build. */
#pragma once

#include <stdio.h>

#include "nvdla/error.h"

/* Prints each simulator with its build settings (compiler, options, profile, ...), as text or JSON. False with a
 * message if there is no folder to search. */
bool build_info_print(FILE *out, bool json, struct error *err);
