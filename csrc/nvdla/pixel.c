#include "nvdla/pixel.h"

#include <stddef.h>

static const struct nvdla_pixel_format formats[] = {
    [0x00] = {"R8", 1, 1, {1, 0}, {0}},
    [0x0c] = {"A8B8G8R8", 4, 1, {4, 0}, {0, 1, 2, 3}},
    [0x0d] = {"A8R8G8B8", 4, 1, {4, 0}, {2, 1, 0, 3}},
    [0x0e] = {"B8G8R8A8", 4, 1, {4, 0}, {1, 2, 3, 0}},
    [0x0f] = {"R8G8B8A8", 4, 1, {4, 0}, {3, 2, 1, 0}},
    [0x10] = {"X8B8G8R8", 4, 1, {4, 0}, {0, 1, 2, 3}},
    [0x11] = {"X8R8G8B8", 4, 1, {4, 0}, {2, 1, 0, 3}},
    [0x12] = {"B8G8R8X8", 4, 1, {4, 0}, {1, 2, 3, 0}},
    [0x13] = {"R8G8B8X8", 4, 1, {4, 0}, {3, 2, 1, 0}},
    [0x1a] = {"A8Y8U8V8", 4, 1, {4, 0}, {2, 1, 0, 3}},
    [0x1b] = {"V8U8Y8A8", 4, 1, {4, 0}, {1, 2, 3, 0}},
    [0x1c] = {"Y8___U8V8_N444", 3, 2, {1, 2}, {0, 1, 0}},
    [0x1d] = {"Y8___V8U8_N444", 3, 2, {1, 2}, {0, 0, 1}},
};

const struct nvdla_pixel_format *nvdla_pixel_format(uint32_t id) {
    return id < sizeof formats / sizeof formats[0] && formats[id].name ? &formats[id] : NULL;
}
