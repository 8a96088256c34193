/* Names of the engines that cases are drawn from, and the engines of a configuration. See gen.h. */
#include <stdio.h>
#include <string.h>

#include "gen/gen.h"
#include "nvdla/registers.h"

static const char *const engine_names[GEN_ENGINE_COUNT] = {"conv", "img",  "sdp",   "pdp",
                                                           "cdp",  "bdma", "rubik", "deconv"};

uint32_t gen_engines(const char *name) {
    uint32_t engines = 0;
    const char *corners = strstr(name, ",corners"), *end = corners ? corners : name + strlen(name);
    const uint32_t flag = corners ? GEN_CORNERS : 0;
    if (corners && corners[strlen(",corners")])
        return 0;
    if (end - name == 3 && memcmp(name, "mix", 3) == 0)
        return GEN_ENGINES_ALL | flag;
    for (;;) {
        size_t n = strcspn(name, ",");
        int engine = 0;
        while (engine < GEN_ENGINE_COUNT &&
               (strlen(engine_names[engine]) != n || memcmp(engine_names[engine], name, n) != 0))
            engine++;
        if (engine == GEN_ENGINE_COUNT || engines >> engine & 1u)
            return 0;
        engines |= 1u << engine;
        if (name + n == end)
            return engines | flag;
        name += n + 1;
    }
}

uint32_t gen_config_engines(const struct nvdla_config *config) {
    uint32_t lacks = 0;
    if (!nvdla_has_unit(config, NVDLA_PDP))
        lacks |= 1u << GEN_ENGINE_PDP;
    if (!nvdla_has_unit(config, NVDLA_CDP))
        lacks |= 1u << GEN_ENGINE_CDP;
    if (!nvdla_has_unit(config, NVDLA_BDMA))
        lacks |= 1u << GEN_ENGINE_BDMA;
    if (!nvdla_has_unit(config, NVDLA_RBK))
        lacks |= 1u << GEN_ENGINE_RUBIK | 1u << GEN_ENGINE_DECONV;
    return GEN_ENGINES_ALL & ~lacks;
}

char *gen_engines_name(uint32_t engines, char *text, size_t size) {
    size_t n = 0;
    text[0] = '\0';
    const bool all = (engines & GEN_ENGINES_ALL) == GEN_ENGINES_ALL;
    if (all)
        n += (size_t)snprintf(text, size, "mix");
    for (int i = 0; !all && i < GEN_ENGINE_COUNT; i++)
        if (engines >> i & 1u && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "-" : "", engine_names[i]);
    if (engines & GEN_CORNERS && n < size)
        snprintf(text + n, size - n, "-corners");
    return text;
}
