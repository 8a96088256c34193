/* Entry of every simulator executable (one per configuration, RTL and variant). nvcosim starts one for each trace that
 * is to be played on RTL; the program plays the trace on its RTL and, unless only the RTL is wanted, on the model in
 * the same process, compares, writes the report, prints the summary line, and exits with nvcosim's status.
 */
#ifndef RUN_SESSION_SIMULATOR_H
#define RUN_SESSION_SIMULATOR_H

#include "device/device.h"
#include "device/rtl_options.h"

/* Plays one trace as the arguments say (the internal command line that nvcosim composes). foreign: the RTL is neither
 * that of rtl/ nor a copy of it. pins: "NAME=VALUE,...", what static inputs of this RTL are unless --pin says
 * otherwise. made: lines that --version prints too, about how the executable was made; a string constant. Returns the
 * exit status. */
int simulator_main(int argc, char **argv, const char *config_name, const char *rtl_name, bool foreign, const char *pins,
                   const char *made, rtl_open open, void *context);

#endif
