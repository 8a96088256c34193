/* Two-byte elements in memory, little endian at any alignment. They are plain copies, which compilers turn into vector
 * code, so the host must be little endian. */
#pragma once

#include <assert.h>
#include <stdint.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the host keeps numbers as NVDLA's memory does");

static inline uint16_t load_16(const uint8_t *bytes) {
    uint16_t element;
    memcpy(&element, bytes, sizeof element);
    return element;
}

static inline void store_16(uint8_t *bytes, uint16_t element) {
    memcpy(bytes, &element, sizeof element);
}
