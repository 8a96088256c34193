/* Looks at an RTL before Verilator reads it, and when it is built. */
#pragma once

#include <stdbool.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* What python/nvcosim/rtl/prepare.py takes. */
struct prepare {
    const char *option; /* --vmod or --nvidia: path is a tree, whose list it writes to OUT/vmod.f; --filelist: a list */
    const char *config, *path, *out;
    const char *top, *rams; /* NULL: NV_nvdla, those of the tree */
    bool print;             /* the list itself is what it says */
    const char *adapter;    /* register bus of the top, "apb" or "axi4lite"; NULL: NVDLA's */
    const char *port_map;   /* file with other names of its ports, NULL: none */
    const struct words *pins;
};

/* Writes the list of a tree, and OUT/adapter.f if the top needs an adapter (else there is none); checks that there is
 * memory for the build. Returns what the user should know, in lines (malloc'd), or NULL with a message that says what
 * is missing and how to make it. */
char *prepare_rtl(const struct prepare *prepare, struct error *err);

/* Reads CFGROM of the simulator of rtl:NAME. Returns a warning in a line if it has other values than the configuration,
 * else "" (malloc'd), or NULL with a message. */
char *compare_cfgrom(const char *config, const char *name, struct error *err);
