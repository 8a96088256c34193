/* WIDE in front of a function that is not inlined: vectors of 512 or 256 bits where the machine has them; the program
 * picks the variant when it is loaded. Names of such functions are the program's, static or not, with clang. INLINED: a
 * function that such ones call, which becomes part of each variant. */
#ifndef NVDLA_WIDE_H
#define NVDLA_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#define INLINED static inline __attribute__((always_inline))

#endif
