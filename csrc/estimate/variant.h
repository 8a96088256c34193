/* Configurations that differ from those of csrc/nvdla/configurations.csv, for estimates: "NAME[,KEY=VALUE...]". No RTL
 * exists for them.
 *
 *   macs=N        32, 64, 128, 256, 512, 1024 or 2048 INT8 multipliers, with the array, the atoms, the throughputs and
 *                 the port of the configuration that has them; 32 and 128 lie between those
 *   cbuf=N        bytes of CBUF, with K or M: the banks get another depth
 *   port=BITS     width of the primary port
 *   latency=N     beats that the large read clients may have on their way
 *   sdp=N, pdp=N  elements a clock */
#ifndef ESTIMATE_VARIANT_H
#define ESTIMATE_VARIANT_H

#include <stdbool.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

enum { VARIANT_NAME = 96 };

struct config_variant {
    struct nvdla_config config;
    char name[VARIANT_NAME]; /* as given, also config.name */
    bool other_atoms;        /* programs of configuration NAME do not fit it */
};

/* False with a message. The variant must not move: its configuration points to its name. */
bool config_variant_read(const char *text, struct config_variant *variant, struct error *err);

#endif
