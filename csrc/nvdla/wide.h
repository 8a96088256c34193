/* WIDE in front of a function that is not inlined: vectors of 256 bits where the machine has them; WIDEST: of 512 bits.
 * The library picks the variant when it is loaded. clang does not take functions of such vectors that are called from
 * several variants; what it builds looks for faults (the sanitizers) and needs no speed. */
#ifndef NVDLA_WIDE_H
#define NVDLA_WIDE_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#define WIDEST
#endif

#endif
