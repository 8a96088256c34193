/* Entry point of every simulator executable (one per configuration, RTL and variant). nvcosim starts one for each trace
 * to play on RTL. The program plays the trace on its RTL and, unless only the RTL is wanted, on the model in the same
 * process, compares, writes the report, prints the summary line, and exits with nvcosim's status. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"

/* What an executable has. */
struct simulator_facts {
    const char *config, *rtl; /* names; "": this project's RTL */
    bool foreign;             /* the RTL is neither rtl/ nor a copy of it */
    const char *pins;         /* "NAME=VALUE,...", values of its static inputs unless --pin changes them */
    const char *made;         /* lines for --version, about the build of the executable */
    rtl_open open;
    void *context; /* of open */
};

/* Plays one trace as its arguments say (an internal command line, composed by nvcosim). Returns the exit status. */
int simulator_main(int argc, char **argv, const struct simulator_facts *facts);
