/* Searches for factors of SDP's stages. See fit.h. */
#include "quantised/fit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "nvdla/fixed.h"
#include "nvdla/xalloc.h"

enum { OPERAND_MAX = INT16_MAX, FIRST_MAX = 2047, SHIFT_MAX = 63, EXACT_SHIFT_MAX = 51 };

int kernel_reference(const struct kernel_target *target, int64_t sum, int zero, struct limits limits) {
    const int64_t value = zero + (int64_t)multiplier_apply(target->factor, sum + target->bias, RULE_CPU);
    return value < limits.low ? limits.low : value > limits.high ? limits.high : (int)value;
}

struct kernels_fit kernels_fit_new(struct kernel_target *targets, size_t count, int zero, struct limits limits) {
    struct kernels_fit fit = {.targets = targets, .count = count, .zero = zero, .limits = limits};
    fit.kernels = xcalloc(count + 1, sizeof *fit.kernels);
    for (size_t k = 0; k < count; k++) {
        const int least = kernel_reference(&targets[k], targets[k].least, zero, limits);
        targets[k].dead = least == kernel_reference(&targets[k], targets[k].most, zero, limits);
        targets[k].value = least - zero;
        fit.dead += targets[k].dead;
    }
    return fit;
}

void kernels_fit_free(struct kernels_fit *fit) {
    free(fit->kernels);
    *fit = (struct kernels_fit){0};
}

/* ---- bias ---- */

static bool fits_16(int64_t value) {
    return value >= -OPERAND_MAX && value <= OPERAND_MAX;
}

/* The least shift, `shift` or more, by which a bias has 16 bits. */
static unsigned shift_of_bias(int64_t bias, unsigned shift) {
    while (!fits_16(fixed_round_shift(bias, shift)))
        shift++;
    return shift;
}

/* ---- thresholds ---- */

/* The sums with their bias at which a kernel's exact result, without its zero, grows to `first` and further. */
struct thresholds {
    int first, count;
    int64_t sums[INT8_MAX - INT8_MIN];
};

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* The least sum with its bias whose exact result is at least v. */
static int64_t exact_threshold(struct multiplier factor, int shift, int v) {
    return -floor_div(-(2 * v - 1) * (INT64_C(1) << (shift - 1)), factor.mantissa);
}

/* The least x for which x * m / 2^n, halves away from zero, is at least v. */
static int64_t least_product(int m, unsigned n, int v) {
    const int64_t half = (2 * v - 1) * (INT64_C(1) << n) / 2;
    return v > 0 ? -floor_div(-half, m) : floor_div(half, m) + 1;
}

/* Those between the limits that the kernel's sums reach, and the next one on either side, which they must not reach.
 * None for factors so small that few sums lie at one, or above 2^30. */
static struct thresholds thresholds_of(const struct kernels_fit *fit, const struct kernel_target *target) {
    enum { MANTISSA_BITS = 31 };
    const int shift = MANTISSA_BITS - target->factor.exponent;
    struct thresholds all = {0};
    const int last = shift > 0 && shift <= EXACT_SHIFT_MAX ? fit->limits.high - fit->zero : INT_MIN;
    for (int v = fit->limits.low + 1 - fit->zero; v <= last; v++) {
        const int64_t sum = exact_threshold(target->factor, shift, v);
        if (sum <= target->least + target->bias)
            all.count = 0;
        all.first = all.count ? all.first : v;
        all.sums[all.count++] = sum;
        if (sum > target->most + target->bias)
            break;
    }
    return all;
}

/* What to add to sums * p so that all results are exact: the middle of what does. False if nothing does. */
static bool find_nudge(const struct thresholds *exact, unsigned n, struct kernel_fit *kernel) {
    int64_t least = -kernel->p, most = kernel->p;
    kernel->nudge = 0;
    for (int i = 0; n > 0 && n <= EXACT_SHIFT_MAX && kernel->m > 0 && i < exact->count && least <= most; i++) {
        const int64_t found = least_product(kernel->m, n, exact->first + i);
        const int64_t from = found - exact->sums[i] * kernel->p, to = from - 1 + kernel->p;
        least = from > least ? from : least;
        most = to < most ? to : most;
    }
    if (least <= most)
        kernel->nudge = (int16_t)((least + most) / 2);
    return least <= most;
}

/* Other factors of a kernel, nearly as good, with which all results are exact, if there are such. Many results lie half
 * way between two integers, or nearly, if scales are decimal fractions or powers of two. */
static void fit_thresholds(const struct kernels_fit *fit, size_t k) {
    enum { TRIED = 512 };
    struct kernel_fit *kernel = &fit->kernels[k], other = *kernel;
    const struct thresholds exact = thresholds_of(fit, &fit->targets[k]);
    const double factor = multiplier_value(fit->targets[k].factor);
    const double often = 0x1p-12; /* smaller ones seldom meet a threshold */
    kernel->exact = find_nudge(&exact, fit->n, kernel);
    for (int p = kernel->most; !kernel->exact && factor >= often && p > 0 && p > kernel->most - TRIED; p--) {
        const double m = round(ldexp(factor, (int)fit->n) / p);
        if (m < 1 || m > OPERAND_MAX)
            continue;
        other.p = (int16_t)p;
        other.m = (int16_t)m;
        if (find_nudge(&exact, fit->n, &other)) {
            *kernel = other;
            kernel->exact = true;
        }
    }
}

/* Second part of a bias, times the first factor. */
static int64_t rest_of(const struct kernels_fit *fit, size_t k) {
    const struct kernel_fit *kernel = &fit->kernels[k];
    return (fit->targets[k].bias - kernel->h * (INT64_C(1) << fit->s)) * kernel->p + kernel->nudge;
}

/* The second parts as 16 bits with a common shift. */
static void fit_rest(struct kernels_fit *fit) {
    int64_t most = 0;
    for (size_t k = 0; k < fit->count; k++)
        if (!fit->targets[k].dead)
            most = llabs(rest_of(fit, k)) > most ? llabs(rest_of(fit, k)) : most;
    fit->a = shift_of_bias(most, 0);
    for (size_t k = 0; k < fit->count; k++)
        if (!fit->targets[k].dead)
            fit->kernels[k].r = (int16_t)fixed_round_shift(rest_of(fit, k), fit->a);
}

/* ---- factors ---- */

/* The first part of a bias, and the largest first factor: its products stay in 32 bits, or are saturated where the
 * result is limited anyway. False if the sums have more than 31 bits. */
static bool fit_bias(struct kernels_fit *fit, size_t k) {
    enum { RESULT_MAX = 300 };
    const struct kernel_target *target = &fit->targets[k];
    const int64_t h = fixed_round_shift(target->bias, fit->s), added = h * (INT64_C(1) << fit->s);
    const int64_t low = llabs(target->least + added), high = llabs(target->most + added), sum = low > high ? low : high;
    const int64_t most = sum ? INT32_MAX / sum : FIRST_MAX;
    const double useful = INT32_MAX * multiplier_value(target->factor) / RESULT_MAX;
    fit->kernels[k].h = (int16_t)h;
    fit->kernels[k].most = (int)fmin(fmax((double)most, useful), FIRST_MAX);
    return most > 0;
}

/* The greatest of the first factors that are equally good: nudges need room. */
static void fit_factors(double factor, struct kernel_fit *kernel) {
    double best = INFINITY;
    int first = (int)ceil(factor / OPERAND_MAX);
    for (int p = first < 1 ? 1 : first; p <= kernel->most; p++) {
        const double m = round(factor / p), error = fabs(p * m - factor);
        if (m > OPERAND_MAX || error > best)
            continue;
        best = error;
        kernel->p = (int16_t)p;
        kernel->m = (int16_t)m;
    }
}

/* The value of X2 before rounding and without its nudge, minus the exact one, for a sum. */
static double deviation(const struct kernels_fit *fit, size_t k, double sum) {
    const struct kernel_fit *kernel = &fit->kernels[k];
    const double first = (sum + ldexp(kernel->h, (int)fit->s)) * kernel->p;
    const double second = ldexp((first + ldexp(kernel->r, (int)fit->a) - kernel->nudge) * kernel->m, -(int)fit->n);
    return fabs(second - multiplier_value(fit->targets[k].factor) * (sum + (double)fit->targets[k].bias));
}

static double worst_deviation(const struct kernels_fit *fit, size_t k) {
    const struct kernel_target *target = &fit->targets[k];
    const double factor = multiplier_value(target->factor), bias = (double)target->bias;
    const double low = fmax((double)target->least, (INT8_MIN - fit->zero - 1) / factor - bias);
    const double high = fmin((double)target->most, (INT8_MAX - fit->zero + 1) / factor - bias);
    return low > high ? 0 : fmax(deviation(fit, k, low), deviation(fit, k, high));
}

/* ---- kernels with one result ---- */

/* Operands with which a sum of 0 and these factors give exactly `value`. */
static bool try_constant(const struct kernels_fit *fit, int value, int p, int m, struct kernel_fit *kernel) {
    const double wanted = ldexp(value, (int)fit->n) / m;
    if (fabs(wanted) >= ldexp(1, 31))
        return false;
    const int64_t whole = (int64_t)llround(wanted), step = p * (INT64_C(1) << fit->s);
    const int64_t h = whole / step, r = fixed_round_shift(whole - h * step, fit->a);
    if (!fits_16(h) || !fits_16(r) || fixed_round_shift((h * step + r * (INT64_C(1) << fit->a)) * m, fit->n) != value)
        return false;
    *kernel = (struct kernel_fit){.h = (int16_t)h, .p = (int16_t)p, .r = (int16_t)r, .m = (int16_t)m};
    return true;
}

static bool fit_constant(const struct kernels_fit *fit, int value, struct kernel_fit *kernel) {
    for (int m = OPERAND_MAX; m > 0; m /= 2)
        for (int p = 1; p <= OPERAND_MAX; p = 2 * p + 1)
            if (try_constant(fit, value, p, m, kernel))
                return true;
    return false;
}

/* ---- all kernels ---- */

/* Largest shift by which all factors fit; -1: none does. */
static int common_shift(const struct kernels_fit *fit) {
    int shift = fit->dead < fit->count ? SHIFT_MAX : 0;
    for (size_t k = 0; k < fit->count; k++) {
        const double most = (double)OPERAND_MAX * fit->kernels[k].most;
        while (!fit->targets[k].dead && shift >= 0 && ldexp(multiplier_value(fit->targets[k].factor), shift) > most)
            shift--;
    }
    return shift;
}

/* Fits all kernels with a shift. Returns how far off they are in all, 0 if each result is exact; INFINITY if the shift
 * does not do. */
static double fit_shift(struct kernels_fit *fit, unsigned shift) {
    double off = 0;
    fit->n = shift;
    fit->worst = 0;
    for (size_t k = 0; k < fit->count; k++)
        if (!fit->targets[k].dead) {
            fit_factors(ldexp(multiplier_value(fit->targets[k].factor), (int)shift), &fit->kernels[k]);
            fit_thresholds(fit, k);
        }
    fit_rest(fit);
    for (size_t k = 0; k < fit->count; k++) {
        struct kernel_fit *kernel = &fit->kernels[k];
        if (fit->targets[k].dead) {
            if (!fit_constant(fit, fit->targets[k].value, kernel))
                return INFINITY;
            continue;
        }
        const double worst = worst_deviation(fit, k);
        fit->worst = fmax(fit->worst, worst);
        off += kernel->exact ? 0 : worst;
    }
    return off;
}

bool fit_kernels(struct kernels_fit *fit, struct error *err) {
    enum { SHIFTS = 4 }; /* near the greatest shift there may be few pairs of factors */
    fit->s = 0;
    for (size_t k = 0; k < fit->count; k++)
        if (!fit->targets[k].dead)
            fit->s = shift_of_bias(fit->targets[k].bias, fit->s);
    for (size_t k = 0; k < fit->count; k++)
        if (!fit->targets[k].dead && !fit_bias(fit, k))
            return error_set(err, "found sums of more than 31 bits in kernel %zu, expected fewer", k);
    const int most = common_shift(fit);
    double least = INFINITY;
    unsigned best = 0;
    for (int shift = most; shift >= 0 && least > 0 && (shift > most - SHIFTS || least == INFINITY); shift--) {
        const double off = fit_shift(fit, (unsigned)shift);
        if (off < least) {
            least = off;
            best = (unsigned)shift;
        }
    }
    if (least == INFINITY)
        return error_set(err,
                         "found factors from sums to results that SDP's multipliers cannot have together, expected "
                         "less than 32767");
    if (fit->n != best)
        fit_shift(fit, best);
    return true;
}

/* ---- one factor ---- */

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
    int shift = EXACT_SHIFT_MAX;
    while (shift > 0 && ldexp(factor, shift) > (double)OPERAND_MAX * first)
        shift--;
    for (int n = shift; exact.count > 0 && n > 0 && n > shift - SHIFTS; n--)
        for (int p = first; p > 0 && p > first - TRIED; p--) {
            const double m = round(ldexp(factor, n) / p);
            if (m < 1 || m > OPERAND_MAX)
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

/* ---- averages ---- */

/* Both results grow with the sum, so they are equal if they are at both ends of each of the exact result's steps. */
static bool averages_right(int n, const struct average_fit *fit) {
    const int64_t factor = (int64_t)fit->p * fit->m;
    for (int value = INT8_MIN; value <= INT8_MAX; value++)
        for (int around = -2; around <= 2; around++) {
            const int64_t sum = (int64_t)n * value + n / 2 + around;
            if (sum >= (int64_t)n * INT8_MIN && sum <= (int64_t)n * INT8_MAX &&
                fixed_round_shift(sum * factor, fit->shift) != average_of(sum, n))
                return false;
        }
    return true;
}

bool fit_average(int n, struct average_fit *fit) {
    for (int p = 1; p <= FIRST_MAX; p++) {
        int shift = 0;
        while (shift < SHIFT_MAX && ceil(ldexp(1, shift + 1) / ((double)n * p)) <= OPERAND_MAX)
            shift++;
        *fit = (struct average_fit){p, (int)ceil(ldexp(1, shift) / ((double)n * p)), (unsigned)shift};
        if ((int64_t)n * 128 * p <= INT32_MAX && averages_right(n, fit))
            return true;
    }
    return false;
}

/* ---- copies ---- */

static int count_wrong(struct multiplier factor, int zero, const struct rescale_fit *fit) {
    enum { FAR = 4 * INT8_MAX };
    int wrong = 0;
    for (int value = INT8_MIN; value <= INT8_MAX; value++) {
        const int64_t sum = (int64_t)(value - zero) * fit->p + fit->add;
        const int64_t found = fixed_round_shift(sum * fit->m, fit->shift);
        const int64_t expected = (int64_t)multiplier_apply(factor, value - zero, RULE_CPU);
        /* Beyond that, both are limited. */
        wrong += found != expected && !(llabs(found) > FAR && llabs(expected) > FAR);
    }
    return wrong;
}

struct rescale_fit fit_rescale(struct multiplier factor, int zero) {
    enum { ADD_MAX = 1024, TRIED = 128 };
    const double value = multiplier_value(factor);
    struct rescale_fit best = {.p = 1, .wrong = INT_MAX};
    int shift = SHIFT_MAX;
    while (shift > 0 && ldexp(value, shift) > (double)OPERAND_MAX * FIRST_MAX)
        shift--;
    for (int p = FIRST_MAX; p > FIRST_MAX - TRIED && best.wrong > 0; p--)
        for (int add = 0; add <= ADD_MAX && best.wrong > 0; add = add ? 4 * add : 1) {
            const double m = fmin(round(ldexp(value, shift) / p), OPERAND_MAX);
            struct rescale_fit fit = {p, add, (int)m, (unsigned)shift, 0};
            fit.wrong = count_wrong(factor, zero, &fit);
            if (fit.wrong < best.wrong)
                best = fit;
        }
    return best;
}
