/* Compression in the block format of LZ4 (github.com/lz4/lz4, doc/lz4_Block_format.md): recorded streams are packed
 * while a simulation runs, and what cannot be made smaller, such as sums of noise, must cost hardly more than copying
 * it. deflate takes ten times as long for that.
 */
#ifndef OBSERVE_LZ4_H
#define OBSERVE_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that `size` bytes take at most. */
static inline size_t lz4_bound(size_t size) {
    return size + size / 255 + 16;
}

/* Compresses up to 2 GiB. to: room for lz4_bound(size) bytes. Returns the bytes written, the same for the same input on
 * any machine. */
size_t lz4_compress(uint8_t *to, const uint8_t *from, size_t size);

/* The opposite. False if `from` is not what lz4_compress makes of `size` bytes; nothing is read or written outside. */
bool lz4_decompress(uint8_t *to, size_t size, const uint8_t *from, size_t packed);

#endif
