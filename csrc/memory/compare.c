/* Compares memories, and sums one up. See memory.h. */
#include <string.h>

#include <zlib.h>

#include "memory/image.h"

uint32_t memory_crc32(const struct memory *mem, uint64_t address, uint64_t n) {
    uLong crc = crc32(0, NULL, 0);
    n = clamp_length(address, n);
    while (n > 0) {
        const size_t piece = piece_length(address, n);
        const uint64_t number = page_number(address);
        crc = crc32(crc, page_bytes(mem, number, find_page(mem, number)) + address % PAGE, (uInt)piece);
        address += piece;
        n -= piece;
    }
    return (uint32_t)crc;
}

/* The first page number >= *number that either memory has; false if there is none. Bytes of a missing page are 0. */
static bool next_page_pair(const struct memory *a, const struct memory *b, uint64_t *number, const uint8_t **bytes_a,
                           const uint8_t **bytes_b) {
    uint64_t number_a = *number, number_b = *number;
    const struct page *page_a = next_page(a, &number_a);
    const struct page *page_b = next_page(b, &number_b);
    if (!page_a && !page_b)
        return false;
    *number = !page_b || (page_a && number_a < number_b) ? number_a : number_b;
    *bytes_a = page_bytes(a, *number, number_a == *number ? page_a : NULL);
    *bytes_b = page_bytes(b, *number, number_b == *number ? page_b : NULL);
    return true;
}

bool memory_compare(const struct memory *a, const struct memory *b, uint64_t address, uint64_t n,
                    struct memory_difference *diff) {
    *diff = (struct memory_difference){0};
    n = clamp_length(address, n);
    if (n == 0)
        return true;
    const uint64_t last = address + (n - 1);
    uint64_t number = page_number(address);
    const uint8_t *bytes_a, *bytes_b;
    for (; next_page_pair(a, b, &number, &bytes_a, &bytes_b) && number <= page_number(last); number++) {
        const size_t from = number == page_number(address) ? (size_t)(address % PAGE) : 0;
        const size_t to = number == page_number(last) ? (size_t)(last % PAGE) + 1 : PAGE;
        if (memcmp(bytes_a + from, bytes_b + from, to - from) == 0)
            continue;
        for (size_t i = from; i < to; i++)
            if (bytes_a[i] != bytes_b[i]) {
                diff->last = number * PAGE + i;
                if (diff->count++ == 0)
                    diff->first = diff->last;
            }
    }
    return diff->count == 0;
}

bool memory_next_difference(const struct memory *a, const struct memory *b, uint64_t from, uint64_t *address) {
    uint64_t number = page_number(from);
    const uint8_t *bytes_a, *bytes_b;
    for (; next_page_pair(a, b, &number, &bytes_a, &bytes_b); number++) {
        size_t i = number == page_number(from) ? (size_t)(from % PAGE) : 0;
        if (memcmp(bytes_a + i, bytes_b + i, PAGE - i) == 0)
            continue;
        while (bytes_a[i] == bytes_b[i])
            i++;
        *address = number * PAGE + i;
        return true;
    }
    return false;
}
