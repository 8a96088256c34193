/* Serves a live driver with one device (nvcosim serve). */
#pragma once

#include "device/rtl_options.h"
#include "run/options/options.h"

/* Serves as options->live says. open and context provide the RTL; both NULL: the model. name: of the device in messages
 * ("rtl", "rtl:mine"). Returns the exit status. */
int live_one(const struct run_options *options, const char *name, rtl_open open, void *context);
