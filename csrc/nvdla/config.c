/* What configurations have. See config.h. */
#include "nvdla/config.h"

#include <string.h>

bool nvdla_config_meets(const struct nvdla_config *config, size_t condition) {
    int value = 1;
    if (condition != NVDLA_ALWAYS)
        memcpy(&value, (const char *)config + condition, sizeof value);
    return value != 0;
}

bool nvdla_has(const struct nvdla_config *config, enum nvdla_feature feature) {
    switch (feature) {
    case FEATURE_INT16:
        return config->int16 != 0;
    case FEATURE_FP16:
        return config->fp16 != 0;
    case FEATURE_COMPRESSION:
        return config->weight_compression != 0;
    case FEATURE_WINOGRAD:
        return config->winograd != 0;
    case FEATURE_BATCHES:
        return config->batch_max > 1;
    case FEATURE_BS:
        return config->sdp_bs_throughput > 0;
    case FEATURE_BN:
        return config->sdp_bn_throughput > 0;
    case FEATURE_EW:
        return config->sdp_ew_throughput > 0;
    case FEATURE_SDP_LUT:
        return config->sdp_ew_throughput > 0 && config->sdp_lut != 0;
    case FEATURE_PDP:
        return config->pdp_throughput > 0;
    case FEATURE_CDP:
        return config->cdp_throughput > 0;
    case FEATURE_BDMA:
        return config->bdma != 0;
    case FEATURE_RUBIK:
        return config->rubik != 0;
    case FEATURE_SECONDARY_MEMORY:
        return config->secondary_memory != 0;
    case FEATURE_COUNT:
        break;
    }
    return false;
}
