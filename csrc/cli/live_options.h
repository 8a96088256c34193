/* Rows of the options that `nvcosim serve` and `nvcosim linux` share. */
#ifndef CLI_LIVE_OPTIONS_H
#define CLI_LIVE_OPTIONS_H

#include "run/options/arguments.h"

enum { KEY_RECORD = 0x1100, KEY_LAST, KEY_JUDGE, KEY_STOP, KEY_DEBUG };

#define LIVE_OPTIONS                                                                                                   \
    OPTION("record", KEY_RECORD, "FILE", "Write each session as a trace that replays it, .nvt or .nvt.gz"),            \
        OPTION("last", KEY_LAST, "N", "With --record: keep only the last N layers, or a few more"),                    \
        OPTION("judge", KEY_JUDGE, NULL, "The model follows: tell each layer that the RTL computes otherwise"),        \
        {.name = "stop",                                                                                               \
         .key = KEY_STOP,                                                                                              \
         .arg = "hold",                                                                                                \
         .flags = OPTION_ARG_OPTIONAL,                                                                                 \
         .doc = "With --judge: end at the first wrong layer; hold: stand still there"},                                \
        OPTION("debug", KEY_DEBUG, NULL,                                                                               \
               "With --judge and --record: run nvcosim debug on a recording with a wrong layer")

#endif
