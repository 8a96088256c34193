/* The memory that a launch reads, as address ranges. */
#pragma once

#include "layers/tracker.h"

struct memory_extent {
    bool primary;
    uint64_t start, size; /* bytes, from the first to the last one read, including gaps of strides */
};

enum { LAUNCH_EXTENTS = 32 };

/* Ranges of CDMA (input planes, weights, WMB, WGS; what the launch fetches), SDP_RDMA (input and operands), PDP_RDMA,
 * CDP_RDMA, RUBIK and BDMA (its descriptors' sources, the first LAUNCH_EXTENTS). Returns how many. Spec: 30-cdma-cbuf
 * sections 5 and 8, 50-sdp section 4. */
size_t launch_reads(const struct nvdla_config *config, const struct launch *launch,
                    struct memory_extent extents[LAUNCH_EXTENTS]);
