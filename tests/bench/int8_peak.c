/* The INT8 multiply-accumulate peak of one core of this machine, as the model's convolution kernel can use it: pairs of
 * products of sign-extended bytes added into 32 bits (pmaddwd), from registers alone, ten independent sums in flight.
 * Prints GMAC/s.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { SUMS = 10, ROUNDS = 20000000 };

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static double run_avx2(int rounds) {
    __m256i sums[SUMS], a = _mm256_set1_epi16(3), b = _mm256_set1_epi16(-5);
    for (int i = 0; i < SUMS; i++)
        sums[i] = _mm256_setzero_si256();
    for (int r = 0; r < rounds; r++) {
#pragma GCC unroll 10
        for (int i = 0; i < SUMS; i++) {
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(a, b));
            __asm__ volatile("" : "+x"(a)); /* each product is computed anew */
        }
    }
    int32_t out[8];
    for (int i = 1; i < SUMS; i++)
        sums[0] = _mm256_add_epi32(sums[0], sums[i]);
    _mm256_storeu_si256((__m256i *)(void *)out, sums[0]);
    __asm__ volatile("" : : "r"(out[0]));
    return (double)rounds * SUMS * 16;
}
#endif

int main(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        const clock_t start = clock();
        const double macs = run_avx2(ROUNDS);
        printf("%.1f\n", macs / ((double)(clock() - start) / CLOCKS_PER_SEC) * 1e-9);
        return 0;
    }
#endif
    printf("0\n");
    return 0;
}
