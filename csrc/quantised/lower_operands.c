/* SDP's stages behind a convolution: the operands of its kernels. See lowering.h. Spec: 88-quantised-networks section
 * 3.1. */
#include <stdlib.h>

#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "quantised/lowering.h"

/* The numbers that the kernels have for stage 0 (X1) or 1 as operands, of 8 or 16 bits: an addend, which is shifted to
 * the left, or also a factor, whose products are shifted to the right. */
struct form {
    bool wide, factors;
    unsigned left, right;
};

static struct sdp_unit stage_of_kernels(struct lowering *at, const struct kernels_fit *fit, int stage,
                                        struct form form) {
    const size_t atoms = ceil_div(fit->count, (size_t)at->atom), step = form.factors ? 2 : 1;
    const uint32_t bytes = (uint32_t)at->atom << form.wide << form.factors, size = (uint32_t)atoms * bytes;
    struct sdp_unit unit = {.enable = true,
                            .alu_type = ALU_SUM,
                            .type = form.factors ? STAGE_BOTH : STAGE_ADD,
                            .mode = PER_KERNEL,
                            .shift = form.left,
                            .truncate = form.right,
                            .precision = form.wide};
    int16_t *numbers = xcalloc(atoms, bytes);
    for (size_t k = 0; k < fit->count; k++) {
        const struct kernel_fit *kernel = &fit->kernels[k];
        const int sign = stage == 0 && fit->targets[k].negative ? -1 : 1; /* (-sum + h) * p = (sum - h) * -p */
        const int addend = sign * kernel->stages[stage].addend;
        if (form.wide)
            numbers[step * k] = (int16_t)addend;
        else
            ((int8_t *)numbers)[k] = (int8_t)addend;
        if (form.factors)
            numbers[step * k + 1] = (int16_t)(sign * kernel->stages[stage].factor);
    }
    unit.cube = cube_of_constant(lowering_constant(at, numbers, size), size);
    unit.cube.width = unit.cube.height = 1;
    unit.cube.channel = (unsigned)fit->count;
    unit.cube.line_stride = unit.cube.surface_stride = bytes;
    free(numbers);
    return unit;
}

/* A factor for each kernel. */
static bool fit_each(struct lowering *at, struct kernels_fit *fit, struct stages *stages) {
    struct error why;
    int least = INT16_MAX, most = 0;
    if (!fit_kernels(fit, &why))
        return lowering_refuse(at, "%s", why.text);
    stages->x1 = stage_of_kernels(at, fit, 0, (struct form){.wide = true, .factors = true, .left = fit->s});
    stages->x2 = stage_of_kernels(at, fit, 1, (struct form){true, true, fit->a, fit->n});
    stages->out.offset = -fit->zero;
    for (size_t k = 0; k < fit->count; k++) {
        const int p = fit->kernels[k].p;
        least = !fit->targets[k].dead && p < least ? p : least;
        most = !fit->targets[k].dead && p > most ? p : most;
    }
    lowering_note(at,
                  "bias * 2^%u, its rest * 2^%u; first factor %d to %d, second / 2^%u; off by at most %.5f before "
                  "rounding; %zu of %zu kernels have one result",
                  fit->s, fit->a, least > most ? 0 : least, most, fit->n, fit->worst, fit->dead, fit->count);
    return true;
}

/* One factor. X1 adds h, X2 multiplies by a register; or with rests X1 adds r, X2 adds h and multiplies: a stage that
 * takes addends from memory takes its factors from there too. False without a message if the kernels need factors of
 * their own. */
static bool fit_together(struct lowering *at, struct kernels_fit *fit, struct stages *stages) {
    if (!fit_uniform(fit))
        return false;
    for (size_t k = 0; fit->rests && k < fit->count; k++) {
        struct kernel_fit *kernel = &fit->kernels[k];
        *kernel = (struct kernel_fit){.stages = {{.addend = kernel->r}, {kernel->h, (int16_t)fit->p}}};
    }
    stages->x1 = stage_of_kernels(at, fit, 0, (struct form){.wide = !fit->rests, .left = fit->rests ? 0 : fit->s});
    stages->x2 = fit->rests ? stage_of_kernels(at, fit, 1, (struct form){.wide = true, .factors = true, .left = fit->s})
                            : stage_registers(0, fit->p, 0);
    stages->out = (struct cvt_param){.scale = fit->m, .truncate = fit->n, .enable = true, .offset = fit->offset};
    lowering_note(at, "bias * 2^%u%s; one factor, %d * %d / 2^%u, exact; %zu of %zu kernels have one result", fit->s,
                  fit->rests ? " and its rest" : "", fit->p, fit->m, fit->n, fit->dead, fit->count);
    return true;
}

bool fit_stages(struct lowering *at, const struct node *node, struct kernel_target *targets, struct convolution *c) {
    const struct tensor *out = node_output(at->graph, node);
    const struct limits limits = node_limits(at->graph, node);
    struct kernels_fit fit = kernels_fit_new(targets, (size_t)out->c, out->zero, limits);
    const bool fine = fit_together(at, &fit, &c->stages) || fit_each(at, &fit, &c->stages);
    kernels_fit_free(&fit);
    c->targets = targets;
    c->stages.x2.act = limits.low > INT8_MIN && limits.low == out->zero;
    return fine;
}
