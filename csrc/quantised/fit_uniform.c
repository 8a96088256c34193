/* Kernels that share a factor, as those of weights with one scale. See fit.h. */
#include <math.h>
#include <stdlib.h>

#include "nvdla/fixed.h"
#include "nvdla/xalloc.h"
#include "quantised/fit.h"

enum { FIRST_MAX = 2047, SECOND_MAX = INT16_MAX, SHIFT_MOST = 51 };

/* All kernels as one: the range of their sums with bias. */
struct union_of_kernels {
    struct kernel_target target;
    int64_t greatest; /* of sums with bias, those of dead kernels too */
    int64_t *biases;  /* of each; of a dead one, whose sums are 0, one that gives its result */
    bool relu;
};

static int64_t greater(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What SDP makes of a sum with its bias, before the result is limited. */
static int64_t result_of(const struct kernels_fit *fit, const struct union_of_kernels *all, int64_t sum) {
    const int64_t first = sum * fit->p;
    return fixed_round_shift(((all->relu && first < 0 ? 0 : first) - fit->offset) * fit->m, fit->n);
}

/* False if the factors differ, one is below 0, or all kernels are dead. */
static bool unite(const struct kernels_fit *fit, struct union_of_kernels *all) {
    struct kernel_target *target = &all->target;
    for (size_t k = 0; k < fit->count; k++) {
        const struct kernel_target *one = &fit->targets[k];
        const int64_t low = one->least + one->bias, high = one->most + one->bias;
        if (one->negative)
            return false;
        if (one->dead)
            continue;
        if (!target->factor.mantissa)
            *target = (struct kernel_target){.factor = one->factor, .least = low, .most = high};
        if (one->factor.mantissa != target->factor.mantissa || one->factor.exponent != target->factor.exponent)
            return false;
        target->least = -greater(-target->least, -low);
        target->most = greater(target->most, high);
        all->biases[k] = one->bias;
        all->greatest = greater(all->greatest, greater(llabs(low), llabs(high)));
    }
    for (size_t k = 0; target->factor.mantissa && k < fit->count; k++)
        if (fit->targets[k].dead) {
            all->biases[k] = llround(fit->targets[k].value / multiplier_value(target->factor));
            all->greatest = greater(all->greatest, llabs(all->biases[k]));
        }
    return target->factor.mantissa;
}

/* The biases as 16 bits with a common shift, and 8 bits. */
static bool split_biases(const int64_t *biases, struct kernels_fit *fit) {
    for (size_t k = 0; k < fit->count; k++)
        fit->s = shift_of_bias(biases[k], fit->s);
    for (size_t k = 0; k < fit->count; k++) {
        const int64_t h = fixed_round_shift(biases[k], fit->s), r = biases[k] - h * (INT64_C(1) << fit->s);
        if (r < INT8_MIN || r > INT8_MAX)
            return false;
        fit->kernels[k].h = (int16_t)h;
        fit->kernels[k].r = (int16_t)r;
        fit->rests = fit->rests || r != 0;
    }
    return true;
}

/* The offset with which all results are exact: the middle of what does. False if nothing does. */
static bool set_offset(const struct thresholds *exact, const struct union_of_kernels *all, struct kernels_fit *fit) {
    int64_t least = INT32_MIN, most = INT32_MAX;
    for (int i = 0; i < exact->count && least <= most; i++) {
        const int64_t last = exact->sums[i] * fit->p - least_product(fit->m, fit->n, exact->first + i + fit->zero);
        most = last < most ? last : most;
        least = greater(least, last - fit->p + 1);
    }
    if (least > most)
        return false;
    fit->offset = (int32_t)((least + most) / 2);
    return !all->relu || result_of(fit, all, 0) == fit->zero;
}

static bool set_factors(const struct union_of_kernels *all, struct kernels_fit *fit) {
    enum { SHIFTS = 4, TRIED = 512 };
    const struct thresholds exact = thresholds_of(fit, &all->target);
    const double factor = multiplier_value(all->target.factor);
    const int64_t room = all->greatest ? INT32_MAX / all->greatest : FIRST_MAX;
    const int first = room < FIRST_MAX ? (int)room : FIRST_MAX;
    int shift = SHIFT_MOST;
    while (shift > 0 && ldexp(factor, shift) > (double)SECOND_MAX * first)
        shift--;
    for (int n = shift; exact.count > 0 && n > 0 && n > shift - SHIFTS; n--)
        for (int p = first; p > 0 && p > first - TRIED; p--) {
            const double m = round(ldexp(factor, n) / p);
            if (m < 1 || m > SECOND_MAX)
                continue;
            fit->n = (unsigned)n;
            fit->p = p;
            fit->m = (int)m;
            if (set_offset(&exact, all, fit))
                return true;
        }
    return false;
}

static bool constants_right(const struct union_of_kernels *all, const struct kernels_fit *fit) {
    for (size_t k = 0; k < fit->count; k++)
        if (fit->targets[k].dead &&
            fixed_saturate(result_of(fit, all, all->biases[k]), 8) != fit->targets[k].value + fit->zero)
            return false;
    return true;
}

bool fit_uniform(struct kernels_fit *fit) {
    struct union_of_kernels all = {.relu = fit->limits.low > INT8_MIN && fit->limits.low == fit->zero};
    all.biases = xcalloc(fit->count + 1, sizeof *all.biases);
    const bool fine =
        unite(fit, &all) && split_biases(all.biases, fit) && set_factors(&all, fit) && constants_right(&all, fit);
    free(all.biases);
    return fine;
}
