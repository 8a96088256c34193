/* Fits an addition of two tensors to SDP. See fit.h. */
#include <math.h>
#include <stdlib.h>

#include "nvdla/fixed.h"
#include "quantised/fit.h"

enum { VALUES = 256, SCALE_MAX = INT16_MAX, WEIGHT_MAX = 127, SHIFT_MAX = 22, RATIO_BITS = 29, RATIO_LOG_MAX = 21 };
enum { POWER_MAX = 7, BITS = 32 };

/* Share of elements that differ. In a small tensor 1 of 1,000 is soon passed by chance; in a larger one copies take too
 * many clocks. */
static double good_enough(size_t elements) {
    enum { SMALL = 4000, MIDDLE = 8000 };
    return elements <= SMALL ? 0.00005 : elements <= MIDDLE ? 0.0003 : 0.0005;
}

/* Values near the zero points are the rule, so a pair counts less in the share of all pairs. */
#define OF_ALL 0.6

/* TFLite's results for all pairs. */
struct table {
    int8_t result[2][VALUES][VALUES]; /* by first and second input + 128; by second and first */
    double chance[2][VALUES];         /* of a value of either input; 0: a constant does not have it */
    unsigned pairs;                   /* that may occur */
    bool same;                        /* the inputs are one tensor: only equal values meet */
};

/* Sets the chances of an input's values and returns how many may occur. Values near the zero point are frequent, and
 * after a ReLU half of all are exactly that. Those of a constant are known. */
static unsigned set_chances(double *chance, const struct tensor *input) {
    unsigned count = 0;
    double sum = 0;
    for (int i = 0; i < VALUES; i++)
        chance[i] = input->data ? 0 : (i - 128 == input->zero ? 32 : 1) + 4 * exp(-abs(i - 128 - input->zero) / 20.0);
    for (size_t i = 0; input->data && i < input->count; i++)
        chance[((const int8_t *)input->data)[i] + 128]++;
    for (int i = 0; i < VALUES; i++)
        sum += chance[i];
    for (int i = 0; i < VALUES; i++) {
        chance[i] /= sum;
        count += chance[i] > 0;
    }
    return count;
}

/* The operands of a fit that is tried, and the best so far. */
struct fit_trial {
    const struct tensor *main, *other, *out;
    const struct table *table;
    struct limits limits;
    struct addition_fit *best;
};

/* What reaches the convertor. */
static int64_t sum_of(const struct addition_fit *fit, int main, int other) {
    const int64_t shifted = (int64_t)other * (INT64_C(1) << fit->shift);
    if (!fit->power)
        return ((int64_t)main * fit->weight + (int64_t)other * fit->other_weight) * fit->m + shifted;
    return fixed_saturate(fixed_round_shift((main + shifted + fit->add) * fit->p, fit->first), BITS);
}

/* Counts the pairs that differ, and their share, until it passes `most`. False if it does, or one differs by more. */
static bool count_wrong(const struct table *table, struct addition_fit *fit, struct limits limits, double most) {
    const double *const of_main = table->chance[fit->swapped], *const of_other = table->chance[!fit->swapped];
    const struct fixed_rounding rounding = fixed_rounding(fit->n);
    int64_t others[VALUES]; /* their part of sums */
    double near = 0;
    for (int other = 0; other < VALUES; other++)
        others[other] = sum_of(fit, 0, other - 128) - fit->offset;
    fit->wrong = 0;
    fit->share = 0;
    fit->pairs = table->pairs;
    for (int main = 0; main < VALUES && fit->share < most; main++) {
        const int8_t *const results = table->result[fit->swapped][main];
        const int64_t part = fit->power ? 0 : sum_of(fit, main - 128, 0);
        for (int other = table->same ? main : 0; other < (table->same ? main + 1 : VALUES); other++) {
            const int64_t sum = fit->power ? sum_of(fit, main - 128, other - 128) - fit->offset : part + others[other];
            const int64_t value = fixed_round(rounding, sum * fit->scale);
            const int64_t found = value < limits.low ? limits.low : value > limits.high ? limits.high : value;
            if (found == results[other] || of_main[main] == 0 || of_other[other] == 0)
                continue;
            if (llabs(found - results[other]) > 1)
                return false;
            fit->wrong++;
            near += of_main[main] * (table->same ? 1 : of_other[other]);
            fit->share = fmax(near, OF_ALL * fit->wrong / table->pairs);
        }
    }
    return fit->share < most;
}

/* Main's factor by its ratio to the other tensor's, with the largest shift that has room, from `shift` down. */
static bool set_ratio(struct addition_fit *fit, double ratio, bool convolved, int shift) {
    const double most = convolved ? (double)SCALE_MAX * WEIGHT_MAX : SCALE_MAX;
    while (shift >= 0 && (ldexp(ratio, shift) > most || ldexp(ratio, shift + 8) > ldexp(1, RATIO_BITS + 1)))
        shift--;
    if (shift < 0)
        return false;
    fit->shift = (unsigned)shift;
    double best = INFINITY;
    for (int weight = convolved ? WEIGHT_MAX : 1; weight >= (convolved ? WEIGHT_MAX / 2 : 1); weight--) {
        const double m = round(ldexp(ratio, shift) / weight), error = fabs(m * weight - ldexp(ratio, shift));
        if (m > SCALE_MAX || error >= best)
            continue;
        best = error;
        fit->weight = weight;
        fit->m = (int)m;
    }
    return best < INFINITY && fit->m > 0;
}

static bool set_scale(struct addition_fit *fit, double step, const struct fit_trial *trial) {
    const int zero_main = trial->main->zero, zero_other = trial->other->zero, zero_out = trial->out->zero;
    int n = 63;
    while (n > 0 && round(ldexp(step, n)) > SCALE_MAX)
        n--;
    const double scale = round(ldexp(step, n));
    if (!(scale >= 1 && scale <= SCALE_MAX))
        return false;
    fit->n = (unsigned)n;
    fit->scale = (int)scale;
    const double offset = ((double)zero_main * fit->weight + (double)zero_other * fit->other_weight) * fit->m +
                          ldexp(zero_other, (int)fit->shift) - round(ldexp(zero_out, n) / fit->scale);
    if (fabs(offset) >= ldexp(1, 30))
        return false;
    fit->offset = (int32_t)offset;
    return true;
}

/* Tries factors and offsets nearby: errors of the factors can make up for each other. Keeps the best of all. */
static void improve(const struct fit_trial *trial, struct addition_fit start) {
    const int weighted = trial->main->zero * start.weight + trial->other->zero * start.other_weight;
    const double unit = ldexp(1, (int)start.n) / start.scale;
    for (int m = -1; m <= 1; m++)
        for (int scale = -1; scale <= 1; scale++)
            for (int step = -6; step <= 6; step++) {
                struct addition_fit other = start;
                other.m += m;
                other.scale += scale;
                if (other.m < 1 || other.m > SCALE_MAX || other.scale < 1 || other.scale > SCALE_MAX)
                    continue;
                other.offset += weighted * m + (int32_t)round(unit * step / 2048);
                if (count_wrong(trial->table, &other, trial->limits, trial->best->share))
                    *trial->best = other;
            }
}

static void try(const struct fit_trial *trial, bool swapped, bool convolved) {
    const double main = (double)trial->main->scales[0], other = (double)trial->other->scales[0];
    struct addition_fit fit = {.swapped = swapped, .weight = 1};
    /* An input whose steps are smaller than that changes nothing. */
    const double least = ldexp(main, -RATIO_LOG_MAX), step = other > least ? other : least;
    int shift = SHIFT_MAX + 1;
    do {
        if (!set_ratio(&fit, main / step, convolved, shift - 1))
            return;
        shift = (int)fit.shift;
    } while (!set_scale(&fit, ldexp(step / (double)trial->out->scales[0], -shift), trial));
    improve(trial, fit);
}

/* ---- a convolution of both ---- */

/* How far a number is from an integer, in parts of it. */
static double distance(double value) {
    return fabs(round(value) - value) / value;
}

/* Two weights and a factor that give the ratio of main's factor to the other tensor's, and leave a scale that is nearly
 * an integer: there are so many of them that both are far more exact than 16 bits. step: of main in the output's. */
static bool set_weights(struct addition_fit *fit, double ratio, double step) {
    enum { SHIFT_LEAST = 12 };
    double best = INFINITY;
    for (int shift = SHIFT_LEAST; shift <= SHIFT_MAX; shift++)
        for (int weight = 1; weight <= WEIGHT_MAX; weight++)
            for (int second = -WEIGHT_MAX; second <= WEIGHT_MAX; second++) {
                const double exact = ldexp(1, shift) / (weight / ratio - second), m = round(exact);
                if (!(m >= 1 && m <= SCALE_MAX && second * m + ldexp(1, shift) > 0))
                    continue;
                int bits;
                const double found = weight * m / (second * m + ldexp(1, shift)), of_scale = step / (weight * m);
                const double scale = ldexp(frexp(of_scale, &bits), 15), off = fabs(found / ratio - 1) + distance(scale);
                if (off >= best || round(scale) > SCALE_MAX)
                    continue;
                best = off;
                fit->shift = (unsigned)shift;
                fit->weight = weight;
                fit->other_weight = second;
                fit->m = (int)m;
            }
    return best < INFINITY;
}

static void try_both(const struct fit_trial *trial, bool swapped) {
    const double main = (double)trial->main->scales[0], step = main / (double)trial->out->scales[0];
    struct addition_fit fit = {.swapped = swapped};
    if (set_weights(&fit, main / (double)trial->other->scales[0], step) &&
        set_scale(&fit, step / fit.weight / fit.m, trial))
        improve(trial, fit);
}

/* ---- scales that differ by a power of two ---- */

/* Factors of X2 and of the convertor for a step of the main input in steps of the output: all by X2, whose halves go
 * away from the zero point as TFLite's, or more exactly by both. */
static bool set_power_factors(struct addition_fit *fit, double step, bool both, int zero_out) {
    enum { FIRST_MAX = 2047 };
    double best = INFINITY;
    int n = 63;
    while (n > 0 && ldexp(step, n) > (both ? (double)SCALE_MAX * FIRST_MAX : SCALE_MAX))
        n--;
    for (int p = 1; p <= (both ? FIRST_MAX : 1); p++) {
        const double scale = round(ldexp(step, n) / p), error = fabs(scale * p - ldexp(step, n));
        if (scale > SCALE_MAX || scale < 1 || error >= best)
            continue;
        best = error;
        fit->p = p;
        fit->scale = (int)scale;
    }
    fit->n = (unsigned)n;
    if (best == INFINITY)
        return false;
    const double zero = both ? round(ldexp(zero_out, n) / fit->scale) : zero_out;
    if (fabs(zero) >= ldexp(1, BITS - 2))
        return false;
    fit->offset = -(int32_t)zero;
    if (both)
        return true;
    fit->p = fit->scale;
    fit->first = fit->n;
    fit->scale = 1;
    fit->n = 0;
    return true;
}

static void try_power(const struct fit_trial *trial, bool swapped, bool both) {
    const double main = (double)trial->main->scales[0];
    int shift;
    const double fraction = frexp((double)trial->other->scales[0] / main, &shift);
    struct addition_fit fit = {.swapped = swapped, .power = true, .weight = 1};
    if (fraction != 0.5 || --shift < 0 || shift > POWER_MAX)
        return;
    fit.shift = (unsigned)shift;
    fit.add = -trial->main->zero - trial->other->zero * (1 << shift);
    if (set_power_factors(&fit, main / (double)trial->out->scales[0], both, trial->out->zero) &&
        count_wrong(trial->table, &fit, trial->limits, trial->best->share))
        *trial->best = fit;
}

bool fit_addition(const struct graph *graph, const struct node *node, struct addition_fit *fit) {
    const struct addition addition = addition_of(graph, node);
    struct table table;
    for (int a = 0; a < VALUES; a++)
        for (int b = 0; b < VALUES; b++)
            table.result[1][b][a] = table.result[0][a][b] = (int8_t)add_elements(&addition, a - 128, b - 128);
    const unsigned first = set_chances(table.chance[0], node_input(graph, node, 0)),
                   second = set_chances(table.chance[1], node_input(graph, node, 1));
    table.same = node->inputs[0] == node->inputs[1];
    table.pairs = table.same ? first : first * second;
    /* Inputs whose steps are too small for any other result: that of the first pair. */
    *fit = (struct addition_fit){
        .power = true, .weight = 1, .scale = 1, .offset = -table.result[0][0][0], .share = INFINITY};
    if (count_wrong(&table, fit, addition.limits, INFINITY) && fit->wrong == 0)
        return true;
    fit->share = INFINITY;
    const double most = good_enough(SIZE_MAX);
    const struct tensor *a = node_input(graph, node, 0), *b = node_input(graph, node, 1),
                        *out = node_output(graph, node);
    const struct fit_trial trials[] = {{a, b, out, &table, addition.limits, fit},
                                       {b, a, out, &table, addition.limits, fit}};
    for (int form = 0; form < 4; form++)
        try_power(&trials[form & 1], form & 1, form >> 1);
    for (int form = 0; form < 4 && fit->share > 0 && (form < 2 || fit->weight > 1 || fit->share > most); form++)
        try(&trials[form & 1], form & 1, form >> 1);
    const double enough = good_enough(out->count);
    for (int form = 0; form < 2 && enough < most && fit->share > enough; form++)
        try_both(&trials[form], form);
    return fit->share < INFINITY;
}
