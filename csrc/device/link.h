/* A stream between two engines. */
#ifndef DEVICE_LINK_H
#define DEVICE_LINK_H

#include "nvdla/engines.h"

struct link_facts {
    const char *name; /* "CDMA to CBUF (data)" */
    enum nvdla_engine from, to;
};

#endif
