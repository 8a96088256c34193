#include "nvdla/config.h"

#include <stddef.h>
#include <string.h>

const struct nvdla_config *nvdla_config_find(const char *name) {
    for (int i = 0; i < nvdla_config_count; i++)
        if (strcmp(nvdla_configs[i].name, name) == 0)
            return &nvdla_configs[i];
    return NULL;
}
