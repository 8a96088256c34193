/* Hexadecimal conversion without branches or tables, so that the compiler vectorises it. See hex.h. */
#include "trace/hex.h"

/* The value of a hexadecimal digit: '0' is 0x30, 'A' 0x41, 'a' 0x61. */
static inline uint8_t digit_of(uint8_t c) {
    return (uint8_t)((c & 15) + (c >> 6) * 9);
}

static inline uint8_t is_digit(uint8_t c) {
    return (uint8_t)((uint8_t)(c - '0') < 10) | (uint8_t)((uint8_t)((c | 0x20) - 'a') < 6);
}

bool hex_read(const char *digits, size_t n, uint8_t *bytes) {
    const uint8_t *text = (const uint8_t *)digits;
    uint8_t good = 1;
    for (size_t i = 0; i < n; i++)
        good &= is_digit(text[i]);
    for (size_t i = 0; i < n / 2; i++)
        bytes[i] = (uint8_t)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    return good;
}

static inline char character_of(uint8_t digit) {
    return (char)(digit + '0' + (digit > 9 ? 'a' - '0' - 10 : 0));
}

void hex_write(const uint8_t *bytes, size_t n, char *digits) {
    for (size_t i = 0; i < n; i++) {
        digits[2 * i] = character_of(bytes[i] >> 4);
        digits[2 * i + 1] = character_of(bytes[i] & 15);
    }
}
