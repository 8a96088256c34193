/* Fits SDP's shifts and 16-bit multipliers to real factors. Spec: 88-quantised-networks section 3. */
#pragma once

#include "quantised/interpret.h"

/* What a kernel has to compute: low..high after zero + factor * (sum + bias), where sum is that of raw products. */
struct kernel_target {
    struct multiplier factor;
    int64_t bias;        /* with the input's zero point folded in */
    int64_t least, most; /* of sum */
    bool negative;       /* sum is that of negative products */
    bool dead;           /* one value for all inputs: its weights have to be 0. Set by kernels_fit_new() */
    int value;           /* of a dead one, without the zero point */
};

/* Numbers of a kernel, as SDP's stages X1 and X2 add and multiply by them. */
struct kernel_fit {
    union {
        struct {
            int16_t h, p, r, m;
        };
        struct {
            int16_t addend, factor;
        } stages[2];
    };
    int16_t nudge; /* part of r * 2^a: SDP rounds halves away from zero, TFLite up */
    int most;      /* of p */
    bool exact;    /* all results are */
};

struct kernels_fit {
    struct kernel_target *targets;
    struct kernel_fit *kernels;
    size_t count, dead;
    int zero; /* point of the results, and their limits */
    struct limits limits;
    unsigned s, a, n;
    double worst; /* largest deviation from the exact result before rounding, in steps of the output */
    /* Of kernels with one factor. */
    int p, m;
    int32_t offset;
    bool rests; /* an r is not 0 */
};

/* Begins to fit: finds the kernels with one result. Free with kernels_fit_free. */
struct kernels_fit kernels_fit_new(struct kernel_target *targets, size_t count, int zero, struct limits limits);
void kernels_fit_free(struct kernels_fit *fit);

/* X1: (sum + h * 2^s) * p; X2: (X1 + r * 2^a) * m / 2^n; then ReLU, and the zero point is added. False with a message
 * if the range of sums or factors is too large. */
bool fit_kernels(struct kernels_fit *fit, struct error *err);

/* Kernels that share a factor: (sum + h * 2^s + r) * p by SDP's stages, then ReLU, then (that - offset) * m / 2^n by
 * its convertor. Operands are five eighths as many bytes, or a quarter where all r are 0; r has 8 bits. False if the
 * factors differ, some are below 0, or no such numbers give TFLite's result for all sums. */
bool fit_uniform(struct kernels_fit *fit);

/* The result of a kernel between limits, zero included: TFLite's. */
int kernel_reference(const struct kernel_target *target, int64_t sum, int zero, struct limits limits);

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
