/* WIDE before a function that is not inlined builds it for vectors of 512 or 256 bits, too; the program picks the
 * variant when it is loaded. With clang the names of such functions are global even if static. INLINED: a function that
 * they call, inlined into each variant. */
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#define INLINED static inline __attribute__((always_inline))
