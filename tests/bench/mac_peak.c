/* The multiply-accumulate peaks of one core of this machine, with the instructions of the model's convolution kernel
 * but from registers alone: pairs of products of 16-bit numbers added into 32 bits (pmaddwd, paddd), twelve independent
 * sums in flight. INT8 operands take one such step, INT16 operands two, one for each byte of the weight.
 *
 * Prints GMAC/s of INT8 and of INT16, the best of several runs; 0 on machines without those instructions. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SUMS = 12, ROUNDS = 10000000, RUNS = 5, LANES = 16 };

/* CPU seconds. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* One step: the empty statement keeps the compiler from computing the product once for all rounds. */
#define STEP(sum)                                                                                                      \
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));                                                              \
    __asm__ volatile("" : "+x"(a))

/* Sums that are variables of their own: in an array some of them end up in memory. */
__attribute__((target("avx2"))) static double run_avx2(void) {
    __m256i a = _mm256_set1_epi16(3), b = _mm256_set1_epi16(-5), zero = _mm256_setzero_si256();
    __m256i s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero;
    __m256i s6 = zero, s7 = zero, s8 = zero, s9 = zero, s10 = zero, s11 = zero;
    double start = now();
    for (int r = 0; r < ROUNDS; r++) {
        STEP(s0);
        STEP(s1);
        STEP(s2);
        STEP(s3);
        STEP(s4);
        STEP(s5);
        STEP(s6);
        STEP(s7);
        STEP(s8);
        STEP(s9);
        STEP(s10);
        STEP(s11);
    }
    double seconds = now() - start;
    __asm__ volatile("" : : "x"(s0), "x"(s1), "x"(s2), "x"(s3), "x"(s4), "x"(s5));
    __asm__ volatile("" : : "x"(s6), "x"(s7), "x"(s8), "x"(s9), "x"(s10), "x"(s11));
    return 1e-9 * ROUNDS * SUMS * LANES / seconds;
}
#endif

int main(void) {
    double best = 0;
#if defined(__x86_64__)
    for (int i = 0; i < RUNS && __builtin_cpu_supports("avx2"); i++) {
        double rate = run_avx2();
        best = rate > best ? rate : best;
    }
#endif
    printf("%.2f %.2f\n", best, best / 2);
    return 0;
}
