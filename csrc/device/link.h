/* A stream between two engines. */
#pragma once

#include "nvdla/engines.h"

struct link_facts {
    const char *name; /* "CDMA to CBUF (data)" */
    enum nvdla_engine from, to;
};
