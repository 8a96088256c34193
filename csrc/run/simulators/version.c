/* The version, from a header that the Makefile writes (build/gen/version_number.h). */
#include "run/simulators/version.h"

#include "version_number.h"

const char *nvcosim_version(void) {
    return NVCOSIM_VERSION;
}
