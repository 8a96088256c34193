/* SDP's stages behind a convolution: the operands of its kernels. See lowering.h. Spec: 88-quantised-networks section
 * 3.1. */
#include <stdlib.h>

#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "quantised/lowering.h"

static size_t padded_count(const struct lowering *at, size_t count) {
    return ceil_div(count, (size_t)at->atom) * (size_t)at->atom;
}

/* ---- a factor for each kernel ---- */

static void put_operands(struct lowering *at, const struct kernel_target *targets, const struct kernels_fit *fit,
                         struct stages *stages) {
    const size_t padded = padded_count(at, fit->count);
    struct stage_operands operands = {.kernels = (int)fit->count, .wide = true, .factors = true, .left = fit->s};
    int16_t *x1 = xcalloc(padded, 2 * sizeof *x1), *x2 = xcalloc(padded, 2 * sizeof *x2);
    for (size_t k = 0; k < fit->count; k++) {
        const int sign = targets[k].negative ? -1 : 1; /* (-sum + h) * p = (sum - h) * -p */
        x1[2 * k] = (int16_t)(sign * fit->kernels[k].h);
        x1[2 * k + 1] = (int16_t)(sign * fit->kernels[k].p);
        x2[2 * k] = fit->kernels[k].r;
        x2[2 * k + 1] = fit->kernels[k].m;
    }
    operands.offset = lowering_constant(at, x1, padded * 2 * sizeof *x1);
    stages->x1 = stage_per_kernel(at, &operands);
    operands.offset = lowering_constant(at, x2, padded * 2 * sizeof *x2);
    operands.left = fit->a;
    operands.right = fit->n;
    stages->x2 = stage_per_kernel(at, &operands);
    free(x1);
    free(x2);
}

static bool fit_each(struct lowering *at, const struct node *node, struct kernel_target *targets,
                     struct stages *stages) {
    const struct tensor *out = node_output(at->graph, node);
    struct kernels_fit fit;
    struct error why;
    int least = INT16_MAX, most = 0;
    if (!fit_kernels(targets, (size_t)out->c, out->zero, node_limits(at->graph, node), &fit, &why)) {
        kernels_fit_free(&fit);
        return lowering_refuse(at, "%s", why.text);
    }
    put_operands(at, targets, &fit, stages);
    stages->out.offset = -out->zero;
    for (size_t k = 0; k < fit.count; k++) {
        const int p = fit.kernels[k].p;
        least = !targets[k].dead && p < least ? p : least;
        most = !targets[k].dead && p > most ? p : most;
    }
    lowering_note(at,
                  "bias * 2^%u, its rest * 2^%u; first factor %d to %d, second / 2^%u; off by at most %.5f before "
                  "rounding; %zu of %zu kernels have one result",
                  fit.s, fit.a, least > most ? 0 : least, most, fit.n, fit.worst, fit.dead, fit.count);
    kernels_fit_free(&fit);
    return true;
}

/* ---- one factor ---- */

/* X1 adds h, X2 multiplies by a register. */
static void put_biases(struct lowering *at, const struct uniform_fit *fit, struct stages *stages) {
    int16_t *h = xcalloc(padded_count(at, fit->count), sizeof *h);
    for (size_t k = 0; k < fit->count; k++)
        h[k] = fit->kernels[k].h;
    const struct stage_operands operands = {
        .kernels = (int)fit->count,
        .wide = true,
        .left = fit->s,
        .offset = lowering_constant(at, h, padded_count(at, fit->count) * sizeof *h),
    };
    stages->x1 = stage_per_kernel(at, &operands);
    stages->x2 = stage_registers(0, fit->p, 0);
    free(h);
}

/* X1 adds r; X2 adds h and multiplies. A stage that takes addends from memory takes its factors from there too. */
static void put_biases_and_rests(struct lowering *at, const struct uniform_fit *fit, struct stages *stages) {
    const size_t padded = padded_count(at, fit->count);
    struct stage_operands operands = {.kernels = (int)fit->count};
    int16_t *pairs = xcalloc(padded, 2 * sizeof *pairs);
    int8_t *rests = xcalloc(padded, sizeof *rests);
    for (size_t k = 0; k < fit->count; k++) {
        rests[k] = fit->kernels[k].r;
        pairs[2 * k] = fit->kernels[k].h;
        pairs[2 * k + 1] = (int16_t)fit->p;
    }
    operands.offset = lowering_constant(at, rests, padded * sizeof *rests);
    stages->x1 = stage_per_kernel(at, &operands);
    operands.offset = lowering_constant(at, pairs, padded * 2 * sizeof *pairs);
    operands.wide = operands.factors = true;
    operands.left = fit->s;
    stages->x2 = stage_per_kernel(at, &operands);
    free(pairs);
    free(rests);
}

/* False without a message if the kernels need factors of their own. */
static bool fit_together(struct lowering *at, const struct node *node, struct kernel_target *targets,
                         struct stages *stages) {
    const struct tensor *out = node_output(at->graph, node);
    struct uniform_fit fit;
    const bool fine = fit_uniform(targets, (size_t)out->c, out->zero, node_limits(at->graph, node), &fit);
    if (fine) {
        if (fit.rests)
            put_biases_and_rests(at, &fit, stages);
        else
            put_biases(at, &fit, stages);
        stages->out = (struct cvt_param){.scale = fit.m, .truncate = fit.n, .enable = true, .offset = fit.offset};
        lowering_note(at, "bias * 2^%u%s; one factor, %d * %d / 2^%u, exact; %zu of %zu kernels have one result", fit.s,
                      fit.rests ? " and its rest" : "", fit.p, fit.m, fit.n, fit.dead, fit.count);
    }
    uniform_fit_free(&fit);
    return fine;
}

bool fit_stages(struct lowering *at, const struct node *node, struct kernel_target *targets, struct convolution *c) {
    const struct limits limits = node_limits(at->graph, node);
    if (!fit_together(at, node, targets, &c->stages) && !fit_each(at, node, targets, &c->stages))
        return false;
    c->targets = targets;
    c->stages.x2.act = limits.low > INT8_MIN && limits.low == node_output(at->graph, node)->zero;
    return true;
}
