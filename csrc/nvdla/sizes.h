/* Arithmetic with sizes, which are never negative. */
#pragma once

#include <stddef.h>

static inline size_t lesser(size_t a, size_t b) {
    return a < b ? a : b;
}

/* a / b rounded up; a + b does not overflow. */
static inline size_t ceil_div(size_t a, size_t b) {
    return (a + b - 1) / b;
}
