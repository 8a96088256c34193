/* Options of `nvcosim run` in a plan: which are allowed, and whether their values are right before anything runs. */
#ifndef REGRESS_PLAN_PLAN_OPTIONS_H
#define REGRESS_PLAN_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"

/* Is the word an option that a plan may give: "--NAME" or "--NAME=VALUE", and not one that regress sets itself? */
bool plan_option_allowed(const char *word, struct error *err);

/* Are the values right, and may the options be combined, for that argument of --dut? *culprit: index of the one that
 * the message is about. The words are allowed ones. */
bool plan_options_fit(const char *dut, char *const *words, size_t count, size_t *culprit, struct error *err);

/* The dut, as enum dut knows it, that an argument of --dut stands for. */
int plan_dut(const char *dut);

#endif
