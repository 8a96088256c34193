#include "model/cmac.h"

/* Wider vectors where the machine has them; the library picks the variant when it is loaded. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* Two positions by four kernels: each loaded vector serves two or four products. Compilers turn each of the eight sums
 * into a vector of sums of pairs of products. */
static inline void block(const int16_t *restrict windows, const int16_t *restrict weights, size_t stride, size_t n,
                         int32_t *restrict sums, size_t kernels) {
    const int16_t *a = windows, *b = windows + stride;
    const int16_t *w0 = weights, *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
    int32_t a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
    for (size_t i = 0; i < n; i++) {
        a0 += a[i] * w0[i];
        a1 += a[i] * w1[i];
        a2 += a[i] * w2[i];
        a3 += a[i] * w3[i];
        b0 += b[i] * w0[i];
        b1 += b[i] * w1[i];
        b2 += b[i] * w2[i];
        b3 += b[i] * w3[i];
    }
    sums[0] = a0;
    sums[1] = a1;
    sums[2] = a2;
    sums[3] = a3;
    sums += kernels;
    sums[0] = b0;
    sums[1] = b1;
    sums[2] = b2;
    sums[3] = b3;
}

WIDE static void multiply(const int16_t *windows, size_t positions, const int16_t *weights, size_t kernels,
                          size_t stride, size_t n, int32_t *sums) {
    for (size_t p = 0; p < positions; p += CMAC_POSITIONS) {
        for (size_t k = 0; k < kernels; k += CMAC_KERNELS) {
            block(windows + p * stride, weights + k * stride, stride, n, sums + p * kernels + k, kernels);
        }
    }
}

void cmac_multiply(const int16_t *windows, size_t positions, const int16_t *weights, size_t kernels, size_t stride,
                   size_t n, int32_t *sums) {
    multiply(windows, positions, weights, kernels, stride, n, sums);
}
