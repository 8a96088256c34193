/* Elements of two bytes in memory: little endian, wherever they stand. Copies, which become single instructions and
 * vectors, so only for hosts that are little endian too. */
#ifndef NVDLA_BYTES_H
#define NVDLA_BYTES_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the host keeps numbers as NVDLA's memory does");

static inline uint16_t load_16(const uint8_t *bytes) {
    uint16_t element;
    memcpy(&element, bytes, sizeof element);
    return element;
}

static inline void store_16(uint8_t *bytes, uint16_t element) {
    memcpy(bytes, &element, sizeof element);
}

#endif
