/* Bytes as hexadecimal digits, two per byte: most of the text of a trace with weights. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Converts n digits, n even, to n / 2 bytes. False if a character is not a digit; the bytes are then undefined. */
bool hex_read(const char *digits, size_t n, uint8_t *bytes);

/* Converts n bytes to 2n lower-case digits. */
void hex_write(const uint8_t *bytes, size_t n, char *digits);
