/* Options for the location and compilation of an RTL, of every command that builds one. */
#ifndef RUN_OPTIONS_RTL_SOURCE_H
#define RUN_OPTIONS_RTL_SOURCE_H

#include <argp.h>

#include "nvdla/text.h"

struct rtl_source {
    const char *filelist; /* NULL: not given */
    const char *top;      /* module; default NV_nvdla */
    struct words verilator, pins;
};

/* --filelist, --top, --verilator-option, --pin as a parser, to be a child of a command's; input: struct rtl_source. */
extern const struct argp rtl_source_argp;

void rtl_source_free(struct rtl_source *source);

/* Adds the make variables TOP, VERILATOR_OPTIONS and PINS; more: pins to put before those of the source. */
void rtl_source_variables(const struct rtl_source *source, const struct words *more, struct words *variables);

#endif
