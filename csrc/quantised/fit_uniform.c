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
    bool relu;
    int zero;
};

static int64_t greater(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What SDP makes of a sum with its bias, before the result is limited. */
static int64_t result_of(const struct uniform_fit *fit, const struct union_of_kernels *all, int64_t sum) {
    const int64_t first = sum * fit->p;
    return fixed_round_shift(((all->relu && first < 0 ? 0 : first) - fit->offset) * fit->m, fit->n);
}

/* The bias of each kernel; of a dead one, whose sums are 0, one that gives its result. Sets `all`. False if the factors
 * differ or all kernels are dead. */
static bool unite(const struct kernel_target *targets, struct limits limits, const struct uniform_fit *fit,
                  struct union_of_kernels *all, int64_t *biases) {
    bool any = false;
    for (size_t k = 0; k < fit->count; k++) {
        const struct kernel_target *target = &targets[k];
        const int64_t low = target->least + target->bias, high = target->most + target->bias;
        biases[k] = target->bias;
        if (targets[k].dead)
            continue;
        if (any && (target->factor.mantissa != all->target.factor.mantissa ||
                    target->factor.exponent != all->target.factor.exponent))
            return false;
        all->target.factor = target->factor;
        all->target.least = any && all->target.least < low ? all->target.least : low;
        all->target.most = any ? greater(all->target.most, high) : high;
        all->greatest = greater(all->greatest, greater(llabs(low), llabs(high)));
        any = true;
    }
    for (size_t k = 0; any && k < fit->count; k++)
        if (targets[k].dead) {
            const int value = kernel_reference(&targets[k], targets[k].least, all->zero, limits) - all->zero;
            biases[k] = llround(value / multiplier_value(all->target.factor));
            all->greatest = greater(all->greatest, llabs(biases[k]));
        }
    return any;
}

/* The biases as 16 bits with a common shift, and 8 bits. */
static bool split_biases(const int64_t *biases, struct uniform_fit *fit) {
    for (size_t k = 0; k < fit->count; k++)
        while (llabs(fixed_round_shift(biases[k], fit->s)) > INT16_MAX)
            fit->s++;
    for (size_t k = 0; k < fit->count; k++) {
        const int64_t h = fixed_round_shift(biases[k], fit->s), r = biases[k] - h * (INT64_C(1) << fit->s);
        if (r < INT8_MIN || r > INT8_MAX)
            return false;
        fit->kernels[k].h = (int16_t)h;
        fit->kernels[k].r = (int8_t)r;
        fit->rests = fit->rests || r != 0;
    }
    return true;
}

/* The offset with which all results are exact: the middle of what does. False if nothing does. */
static bool set_offset(const struct thresholds *exact, const struct union_of_kernels *all, struct uniform_fit *fit) {
    int64_t least = INT32_MIN, most = INT32_MAX;
    for (int i = 0; i < exact->count && least <= most; i++) {
        const int64_t last = exact->sums[i] * fit->p - least_product(fit->m, fit->n, exact->first + i + all->zero);
        most = last < most ? last : most;
        least = greater(least, last - fit->p + 1);
    }
    if (least > most)
        return false;
    fit->offset = (int32_t)((least + most) / 2);
    return !all->relu || result_of(fit, all, 0) == all->zero;
}

static bool set_factors(const struct thresholds *exact, const struct union_of_kernels *all, struct uniform_fit *fit) {
    enum { SHIFTS = 4, TRIED = 512 };
    const double factor = multiplier_value(all->target.factor);
    const int64_t room = all->greatest ? INT32_MAX / all->greatest : FIRST_MAX;
    const int first = room < FIRST_MAX ? (int)room : FIRST_MAX;
    int shift = SHIFT_MOST;
    while (shift > 0 && ldexp(factor, shift) > (double)SECOND_MAX * first)
        shift--;
    for (int n = shift; n > 0 && n > shift - SHIFTS; n--)
        for (int p = first; p > 0 && p > first - TRIED; p--) {
            const double m = round(ldexp(factor, n) / p);
            if (m < 1 || m > SECOND_MAX)
                continue;
            fit->n = (unsigned)n;
            fit->p = p;
            fit->m = (int)m;
            if (set_offset(exact, all, fit))
                return true;
        }
    return false;
}

static bool constants_right(const struct kernel_target *targets, const int64_t *biases, struct limits limits,
                            const struct union_of_kernels *all, const struct uniform_fit *fit) {
    for (size_t k = 0; k < fit->count; k++)
        if (targets[k].dead && fixed_saturate(result_of(fit, all, biases[k]), 8) !=
                                   kernel_reference(&targets[k], targets[k].least, all->zero, limits))
            return false;
    return true;
}

bool fit_uniform(struct kernel_target *targets, size_t count, int zero, struct limits limits, struct uniform_fit *fit) {
    struct union_of_kernels all = {.zero = zero, .relu = limits.low > INT8_MIN && limits.low == zero};
    int64_t *biases = xcalloc(count + 1, sizeof *biases);
    *fit = (struct uniform_fit){.count = count, .kernels = xcalloc(count + 1, sizeof *fit->kernels)};
    fit->dead = find_dead(targets, count, zero, limits);
    bool fine = true;
    for (size_t k = 0; k < count; k++)
        fine = fine && !targets[k].negative;
    fine = fine && unite(targets, limits, fit, &all, biases) && split_biases(biases, fit);
    if (fine) {
        const struct thresholds exact = thresholds_of(&all.target, zero, limits);
        fine = exact.count > 0 && set_factors(&exact, &all, fit) && constants_right(targets, biases, limits, &all, fit);
    }
    free(biases);
    return fine;
}

void uniform_fit_free(struct uniform_fit *fit) {
    free(fit->kernels);
    *fit = (struct uniform_fit){0};
}
