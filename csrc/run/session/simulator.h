/* Entry point of every simulator executable (one per configuration, RTL and variant). nvcosim starts one for each trace
 * to play on RTL. The program plays the trace on its RTL and, unless only the RTL is wanted, on the model in the same
 * process, compares, writes the report, prints the summary line, and exits with nvcosim's status. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"

/* Plays one trace as its arguments say (an internal command line, composed by nvcosim). foreign: the RTL is neither
 * rtl/ nor a copy of it. pins: "NAME=VALUE,...", values of static inputs of this RTL unless --pin changes them. made: a
 * string constant of lines for --version, about the build of the executable. Returns the exit status. */
int simulator_main(int argc, char **argv, const char *config_name, const char *rtl_name, bool foreign, const char *pins,
                   const char *made, rtl_open open, void *context);
