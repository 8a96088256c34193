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
    static const struct {
        size_t member; /* of struct nvdla_config, at least `least` */
        int least;
    } features[FEATURE_COUNT] = {[FEATURE_INT16] = {offsetof(struct nvdla_config, int16), 1},
                                 [FEATURE_FP16] = {offsetof(struct nvdla_config, fp16), 1},
                                 [FEATURE_COMPRESSION] = {offsetof(struct nvdla_config, weight_compression), 1},
                                 [FEATURE_WINOGRAD] = {offsetof(struct nvdla_config, winograd), 1},
                                 [FEATURE_BATCHES] = {offsetof(struct nvdla_config, batch_max), 2},
                                 [FEATURE_BS] = {offsetof(struct nvdla_config, sdp_bs_throughput), 1},
                                 [FEATURE_BN] = {offsetof(struct nvdla_config, sdp_bn_throughput), 1},
                                 [FEATURE_EW] = {offsetof(struct nvdla_config, sdp_ew_throughput), 1},
                                 [FEATURE_SDP_LUT] = {offsetof(struct nvdla_config, sdp_lut), 1},
                                 [FEATURE_PDP] = {offsetof(struct nvdla_config, pdp_throughput), 1},
                                 [FEATURE_CDP] = {offsetof(struct nvdla_config, cdp_throughput), 1},
                                 [FEATURE_BDMA] = {offsetof(struct nvdla_config, bdma), 1},
                                 [FEATURE_RUBIK] = {offsetof(struct nvdla_config, rubik), 1},
                                 [FEATURE_SECONDARY_MEMORY] = {offsetof(struct nvdla_config, secondary_memory), 1}};
    int value;
    memcpy(&value, (const char *)config + features[feature].member, sizeof value);
    return value >= features[feature].least && (feature != FEATURE_SDP_LUT || nvdla_has(config, FEATURE_EW));
}
