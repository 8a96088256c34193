/* The table of pixel formats. See pixel.h. */
#include "nvdla/pixel.h"

static const struct nvdla_pixel_format formats[] = {
    [0x00] = {"R8", NVDLA_INT8, 8, 1, 1, {1, 0}, {0}},
    [0x01] = {"R10", NVDLA_INT16, 16, 1, 1, {2, 0}, {0}},
    [0x02] = {"R12", NVDLA_INT16, 16, 1, 1, {2, 0}, {0}},
    [0x03] = {"R16", NVDLA_INT16, 16, 1, 1, {2, 0}, {0}},
    [0x04] = {"R16_I", NVDLA_INT16, 16, 1, 1, {2, 0}, {0}},
    [0x05] = {"R16_F", NVDLA_FP16, 16, 1, 1, {2, 0}, {0}},
    [0x06] = {"A16B16G16R16", NVDLA_INT16, 16, 4, 1, {8, 0}, {0, 16, 32, 48}},
    [0x07] = {"X16B16G16R16", NVDLA_INT16, 16, 4, 1, {8, 0}, {0, 16, 32, 48}},
    [0x08] = {"A16B16G16R16_F", NVDLA_FP16, 16, 4, 1, {8, 0}, {0, 16, 32, 48}},
    [0x09] = {"A16Y16U16V16", NVDLA_INT16, 16, 4, 1, {8, 0}, {32, 16, 0, 48}},
    [0x0a] = {"V16U16Y16A16", NVDLA_INT16, 16, 4, 1, {8, 0}, {16, 32, 48, 0}},
    [0x0b] = {"A16Y16U16V16_F", NVDLA_FP16, 16, 4, 1, {8, 0}, {32, 16, 0, 48}},
    [0x0c] = {"A8B8G8R8", NVDLA_INT8, 8, 4, 1, {4, 0}, {0, 8, 16, 24}},
    [0x0d] = {"A8R8G8B8", NVDLA_INT8, 8, 4, 1, {4, 0}, {16, 8, 0, 24}},
    [0x0e] = {"B8G8R8A8", NVDLA_INT8, 8, 4, 1, {4, 0}, {8, 16, 24, 0}},
    [0x0f] = {"R8G8B8A8", NVDLA_INT8, 8, 4, 1, {4, 0}, {24, 16, 8, 0}},
    [0x10] = {"X8B8G8R8", NVDLA_INT8, 8, 4, 1, {4, 0}, {0, 8, 16, 24}},
    [0x11] = {"X8R8G8B8", NVDLA_INT8, 8, 4, 1, {4, 0}, {16, 8, 0, 24}},
    [0x12] = {"B8G8R8X8", NVDLA_INT8, 8, 4, 1, {4, 0}, {8, 16, 24, 0}},
    [0x13] = {"R8G8B8X8", NVDLA_INT8, 8, 4, 1, {4, 0}, {24, 16, 8, 0}},
    [0x14] = {"A2B10G10R10", NVDLA_INT16, 10, 4, 1, {4, 0}, {0, 10, 20, 30}},
    [0x15] = {"A2R10G10B10", NVDLA_INT16, 10, 4, 1, {4, 0}, {20, 10, 0, 30}},
    [0x16] = {"B10G10R10A2", NVDLA_INT16, 10, 4, 1, {4, 0}, {2, 12, 22, 0}},
    [0x17] = {"R10G10B10A2", NVDLA_INT16, 10, 4, 1, {4, 0}, {22, 12, 2, 0}},
    [0x18] = {"A2Y10U10V10", NVDLA_INT16, 10, 4, 1, {4, 0}, {20, 10, 0, 30}},
    [0x19] = {"V10U10Y10A2", NVDLA_INT16, 10, 4, 1, {4, 0}, {2, 12, 22, 0}},
    [0x1a] = {"A8Y8U8V8", NVDLA_INT8, 8, 4, 1, {4, 0}, {16, 8, 0, 24}},
    [0x1b] = {"V8U8Y8A8", NVDLA_INT8, 8, 4, 1, {4, 0}, {8, 16, 24, 0}},
    [0x1c] = {"Y8___U8V8_N444", NVDLA_INT8, 8, 3, 2, {1, 2}, {0, 8, 0}},
    [0x1d] = {"Y8___V8U8_N444", NVDLA_INT8, 8, 3, 2, {1, 2}, {0, 0, 8}},
    [0x1e] = {"Y10___U10V10_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 16, 0}},
    [0x1f] = {"Y10___V10U10_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 0, 16}},
    [0x20] = {"Y12___U12V12_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 16, 0}},
    [0x21] = {"Y12___V12U12_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 0, 16}},
    [0x22] = {"Y16___U16V16_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 16, 0}},
    [0x23] = {"Y16___V16U16_N444", NVDLA_INT16, 16, 3, 2, {2, 4}, {0, 0, 16}},
};

const struct nvdla_pixel_format *nvdla_pixel_format(const struct nvdla_config *config, uint32_t id) {
    if (id >= sizeof formats / sizeof formats[0])
        return NULL;
    return nvdla_has_precision(config, formats[id].precision) ? &formats[id] : NULL;
}
