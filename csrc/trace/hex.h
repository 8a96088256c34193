/* Bytes as hexadecimal digits, two a byte: most of the text of a trace with weights in it. */
#ifndef TRACE_HEX_H
#define TRACE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that n digits stand for, n even; room for n / 2. False if one of them is no digit; bytes then hold
 * anything. */
bool hex_read(const char *digits, size_t n, uint8_t *bytes);

/* Two digits for each of n bytes, in lower case. */
void hex_write(const uint8_t *bytes, size_t n, char *digits);

#endif
