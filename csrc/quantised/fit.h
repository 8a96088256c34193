/* Fits SDP's shifts and 16-bit multipliers to real factors. Spec: 88-quantised-networks section 3. */
#pragma once

#include "quantised/interpret.h"

/* What a kernel has to compute: low..high after zero + factor * (sum + bias), where sum is that of raw products. */
struct kernel_target {
    struct multiplier factor;
    int64_t bias;        /* with the input's zero point folded in */
    int64_t least, most; /* of sum */
    bool negative;       /* sum is that of negative products */
    bool dead; /* one value for all inputs: its weights have to be 0. Set by fit_kernels() and fit_uniform() */
};

/* X1: (sum + h * 2^s) * p; X2: (X1 + r * 2^a) * m / 2^n; then ReLU, and the zero point is added. */
struct kernel_fit {
    int16_t h, p, r, m;
    int16_t nudge; /* part of r * 2^a: SDP rounds halves away from zero, TFLite up */
};

struct kernels_fit {
    unsigned s, a, n;
    struct kernel_fit *kernels;
    size_t count, dead;
    double worst; /* largest deviation from the exact result before rounding, in steps of the output */
};

/* False with a message if the range of sums or factors is too large. Free with kernels_fit_free. */
bool fit_kernels(struct kernel_target *targets, size_t count, int zero, struct limits limits, struct kernels_fit *fit,
                 struct error *err);
void kernels_fit_free(struct kernels_fit *fit);

/* Kernels that share a factor: (sum + h * 2^s + r) * p by SDP's stages, then ReLU, then (that - offset) * m / 2^n by
 * its convertor. Operands are five eighths as many bytes, or a quarter where all r are 0. */
struct uniform_kernel {
    int16_t h;
    int8_t r;
};
struct uniform_fit {
    unsigned s, n;
    int p, m;
    int32_t offset;
    struct uniform_kernel *kernels;
    size_t count, dead;
    bool rests; /* an r is not 0 */
};

/* False if the factors differ, some are below 0, or no such numbers give TFLite's result for all sums. Free with
 * uniform_fit_free. */
bool fit_uniform(struct kernel_target *targets, size_t count, int zero, struct limits limits, struct uniform_fit *fit);
void uniform_fit_free(struct uniform_fit *fit);

/* The result of a kernel between limits, zero included: TFLite's. */
int kernel_reference(const struct kernel_target *target, int64_t sum, int zero, struct limits limits);

/* Finds the kernels with one result; returns how many. */
size_t find_dead(struct kernel_target *targets, size_t count, int zero, struct limits limits);

/* The sums with their bias at which a kernel's exact result, without its zero, grows to `first` and further. */
struct thresholds {
    int first, count;
    int64_t sums[INT8_MAX - INT8_MIN];
};

/* Those between the limits that the kernel's sums reach, and the next one on either side, which they must not reach.
 * None for factors so small that few sums lie at one, or above 2^30. */
struct thresholds thresholds_of(const struct kernel_target *target, int zero, struct limits limits);

/* The least x for which x * m / 2^n, halves away from zero, is at least v. */
int64_t least_product(int m, unsigned n, int v);

/* An average of n elements: rnd(sum * p * m / 2^shift) equals average_of() for all sums. p = 1: one stage suffices.
 * False if none was found. */
struct average_fit {
    int p, m;
    unsigned shift;
};
bool fit_average(int n, struct average_fit *fit);

/* Copies to another scale: ((value - zero) * p + add) * m / 2^shift, for values of 8 bits. */
struct rescale_fit {
    int p, add, m;
    unsigned shift;
    int wrong; /* of the 256 values, how many differ */
};
struct rescale_fit fit_rescale(struct multiplier factor, int zero);

/* An addition of tensors: ((main * weight + other * other_weight) * m + other * 2^shift - offset) * scale / 2^n. Where
 * their scales differ by a power of two: ((main + other * 2^shift + add) * p / 2^first - offset) * scale / 2^n. */
struct addition_fit {
    bool swapped;     /* main is the second input */
    bool power;       /* the second form */
    int weight;       /* 1: SDP alone; otherwise of a convolution in front */
    int other_weight; /* of the same convolution, which then reads both tensors */
    int m;
    int add, p;
    unsigned first;
    unsigned shift;
    int32_t offset;
    int scale;
    unsigned n;
    unsigned pairs; /* of values that may meet: fewer if the inputs are the same tensor, or one is a constant */
    unsigned wrong; /* how many of them differ by 1 */
    double share;   /* of elements that differ, if values near the zero points are frequent; or of the pairs, counted
                     * less, if that is more */
};
bool fit_addition(const struct graph *graph, const struct node *node, struct addition_fit *fit);
