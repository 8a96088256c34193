/* Launches of a convolution: their weights and operands, banks of CBUF, bands of rows. See lowering.h. Spec:
 * 88-quantised-networks section 3.1. */
#include "loadable/loadable.h"
#include "nvdla/buffer_sizes.h"
#include "quantised/lowering.h"

enum { KERNELS_MAX = 8192 };

/* ---- CBUF ---- */

size_t kernel_bytes(const struct convolution *c) {
    return (size_t)c->x.size * (size_t)c->y.size * (size_t)c->from.c;
}

/* Bytes to fetch for the weights of n kernels: whole entries. More would be read as weights by the next launch. */
static size_t weight_bytes(const struct lowering *at, const struct convolution *c, size_t n) {
    return ceil_div(n * kernel_bytes(c), cbuf_entry_bytes(at->config)) * cbuf_entry_bytes(at->config);
}

/* Banks that the weights of a launch need at least: a group of kernels at any place of an entry. */
static size_t least_weight_banks(const struct lowering *at, const struct convolution *c) {
    const size_t group = (size_t)at->config->atomic_k, kernels = (size_t)c->to.c < group ? (size_t)c->to.c : group;
    return ceil_div(weight_bytes(at, c, kernels) + 2 * cbuf_entry_bytes(at->config), cbuf_bank_bytes(at->config));
}

/* ---- weights ---- */

/* Weights of kernels first .. first + n - 1. Spec: 20-data-formats section 5.1. */
static uint32_t put_weights(struct lowering *at, const struct convolution *c, int first, int n) {
    const int group = at->config->atomic_k, block = at->config->atomic_c;
    uint32_t offset;
    int8_t *to = lowering_constant(at, weight_bytes(at, c, (size_t)n), &offset);
    for (int g = 0; g < n; g += group)
        for (int b = 0; b < c->from.c; b += block)
            for (int r = 0; r < c->y.size; r++)
                for (int s = 0; s < c->x.size; s++)
                    for (int k = g; k < n && k < g + group; k++)
                        for (int i = b; i < c->from.c && i < b + block; i++) {
                            const int kernel = first + k;
                            *to++ = c->targets && c->targets[c->first_kernel + kernel].dead
                                        ? 0
                                        : (int8_t)c->weight(c, kernel, (struct tap){r, s, i});
                        }
    return offset;
}

/* ---- launches ---- */

struct input_span span_of(const struct axis *axis, int size, int first, int n) {
    const int begin = first * axis->stride - axis->before;
    const int end = (first + n - 1) * axis->stride - axis->before + (axis->size - 1) * axis->dilation + 1;
    struct input_span span = {.begin = begin > 0 ? begin : 0, .before = begin < 0 ? -begin : 0};
    span.size = (end < size ? end : size) - span.begin;
    span.after = end > size ? end - size : 0;
    return span;
}

struct conv_part {
    const struct convolution *c;
    struct input_span rows;
    int first_row, row_count; /* of the output */
    int first_kernel, kernels;
    int lines; /* of the input, at most in launches of the same kernels: their banks stay the same */
    uint32_t weights;
};

/* Banks for data and weights. Data for two launches, if there are more of them and there is room, so that one is
 * fetched while the other is computed. */
static void set_banks(struct lowering *at, const struct conv_part *launch, struct conv_op *conv) {
    const struct convolution *c = launch->c;
    const size_t banks = (size_t)at->config->cbuf_banks, depth = cbuf_bank_entries(at->config);
    const size_t lines = (size_t)launch->lines * conv->entry_per_slice;
    const size_t all = weight_bytes(at, c, (size_t)launch->kernels);
    const size_t least = least_weight_banks(at, c);
    size_t data = ceil_div(lines, depth),
           weight = ceil_div(all + 2 * cbuf_entry_bytes(at->config), cbuf_bank_bytes(at->config));
    if (c->launches > 1 && ceil_div(2 * lines, depth) + least <= banks)
        data = ceil_div(2 * lines, depth);
    if (c->launches > 1 && 2 * weight + data <= banks)
        weight *= 2;
    if (weight > banks - data)
        weight = banks - data;
    at->out->ops[at->out->op_count - 1].least_banks = (unsigned)least;
    conv->data_bank = (unsigned)data;
    conv->weight_bank = (unsigned)weight;
}

static void launch_conv(struct lowering *at, const struct conv_part *launch) {
    const struct convolution *c = launch->c;
    const struct view from = view_part(at, c->from, 0, launch->rows.begin, c->from.w, launch->rows.size);
    struct operation *op = lowering_op(at, TYPE_CONV);
    struct conv_op *conv = &op->conv;
    const size_t bytes = weight_bytes(at, c, (size_t)launch->kernels);
    op->src = cube_of(at, &from);
    op->src.line_stride = from.line;
    op->dst = cube_flying(at, c->to.w, launch->row_count, launch->kernels);
    *conv = (struct conv_op){
        .entry_per_slice = (unsigned)cbuf_line_entries(at->config, (size_t)from.w, (size_t)view_surfaces(at, &from)),
        .data_format = PIXEL_FEATURE,
        .fetch_grain = 1,
        .batch = 1,
        .release = (unsigned)from.h,
        .w_csc = (unsigned)from.w,
        .h_csc = (unsigned)from.h,
        .c_csc = (unsigned)from.c,
        .kw_csc = (unsigned)c->x.size,
        .kh_csc = (unsigned)c->y.size,
        .kc_csc = (unsigned)from.c,
        .w_cmac = (unsigned)c->to.w,
        .h_cmac = (unsigned)launch->row_count,
        .bytes_per_kernel = (uint32_t)kernel_bytes(c),
        .stride_x = (unsigned)c->x.stride,
        .stride_y = (unsigned)c->y.stride,
        .pad_left = (unsigned)c->x.before,
        .pad_right = (unsigned)c->x.after,
        .pad_top = (unsigned)launch->rows.before,
        .pad_bottom = (unsigned)launch->rows.after,
        .dilation_x = (unsigned)c->x.dilation,
        .dilation_y = (unsigned)c->y.dilation,
        .pad_value = c->pad_value,
        .in_cvt = {.scale = 1},
        .out_cvt = {.scale = 1, .enable = true},
        .weight = cube_of_constant(launch->weights, (uint32_t)bytes),
    };
    conv->weight.width = (unsigned)c->x.size;
    conv->weight.height = (unsigned)c->y.size;
    conv->weight.channel = (unsigned)from.c;
    set_banks(at, launch, conv);
}

/* A stage of the whole layer for a launch of some kernels. */
static struct sdp_unit stage_from(const struct lowering *at, struct sdp_unit stage, int kernel, int kernels) {
    if (stage.enable && stage.mode == PER_KERNEL)
        stage.cube.offset += (uint32_t)(kernel / at->atom) * stage.cube.line_stride;
    stage.cube.channel = stage.enable ? (unsigned)kernels : 0;
    return stage;
}

static struct view view_of_launch(const struct lowering *at, const struct conv_part *launch, struct view view) {
    view = view_channels(at, view, launch->first_kernel, launch->kernels);
    return view_part(at, view, 0, launch->first_row, view.w, launch->row_count);
}

static void launch_stages(struct lowering *at, const struct conv_part *launch) {
    const struct convolution *c = launch->c;
    const struct view to = view_of_launch(at, launch, c->to);
    const int kernel = c->first_kernel + launch->first_kernel - c->first_operand;
    struct stages stages = c->stages;
    stages.x1 = stage_from(at, stages.x1, kernel, to.c);
    stages.x2 = stage_from(at, stages.x2, kernel, to.c);
    stages.operand = view_of_launch(at, launch, stages.operand);
    launch_sdp(at, cube_flying(at, to.w, to.h, to.c), &to, &stages);
}

int most_inputs(const struct axis *axis, int size, int results, int n) {
    int most = 0;
    for (int first = 0; first < results; first += n) {
        const int inputs = span_of(axis, size, first, least(n, results - first)).size;
        most = inputs > most ? inputs : most;
    }
    return most;
}

/* Most lines of input that a launch of that many rows of output reads. */
static int lines_of(const struct convolution *c, int rows) {
    return most_inputs(&c->y, c->from.h, c->to.h, rows);
}

int most_rows(const struct lowering *at, const struct convolution *c) {
    const size_t weights = least_weight_banks(at, c), banks = (size_t)at->config->cbuf_banks;
    if (weights >= banks)
        return 0;
    const size_t entries = cbuf_line_entries(at->config, (size_t)c->from.w, (size_t)view_surfaces(at, &c->from));
    const int lines = (int)((banks - weights) * cbuf_bank_entries(at->config) / entries);
    int rows = c->to.h;
    while (rows > 0 && lines_of(c, rows) > lines)
        rows = rows > 64 ? rows / 2 : rows - 1;
    return rows;
}

int64_t convolution_clocks(const struct lowering *at, const struct convolution *c) {
    const struct nvdla_config *config = at->config;
    const size_t groups = ceil_div((size_t)c->to.c, (size_t)config->atomic_k);
    const size_t taps = (size_t)c->x.size * (size_t)c->y.size * ceil_div((size_t)c->from.c, (size_t)config->atomic_c);
    const size_t write = (size_t)config->atomic_k / (size_t)nvdla_sdp_lanes(config);
    return (int64_t)c->to.w * c->to.h * (int64_t)(groups * (taps > write ? taps : write));
}

/* Rows of output of a launch whose input fits CBUF whole: a launch computes when all its input is there, so bands, each
 * fetched while the one before it is computed, take fewer clocks where the fetch is long. */
static int rows_of_launch(const struct lowering *at, const struct convolution *c) {
    enum { LAUNCH_CLOCKS = 300, BANDS_MAX = 8 };
    const int64_t bus = at->config->dbb_data_bits / 8, compute = convolution_clocks(at, c);
    const int64_t fetch = (int64_t)c->from.w * c->from.h * view_surfaces(at, &c->from) * at->atom / bus;
    const size_t weights = weight_bytes(at, c, (size_t)c->to.c), banks = (size_t)at->config->cbuf_banks;
    const size_t entries = cbuf_line_entries(at->config, (size_t)c->from.w, (size_t)view_surfaces(at, &c->from));
    int64_t least = fetch;
    int best = c->to.h;
    for (int bands = 2; bands <= BANDS_MAX && c->to.w > 1 && bands <= c->to.h; bands++) {
        const int rows = (c->to.h + bands - 1) / bands;
        const size_t data = ceil_div(2 * (size_t)lines_of(c, rows) * entries, cbuf_bank_entries(at->config));
        const bool hidden = compute / bands > fetch / bands + (int64_t)weights / bus + LAUNCH_CLOCKS;
        const bool fits =
            data + 2 * ceil_div(weights + 2 * cbuf_entry_bytes(at->config), cbuf_bank_bytes(at->config)) <= banks;
        const int64_t clocks = fetch / bands + (bands - 1) * LAUNCH_CLOCKS;
        if (hidden && fits && clocks < least) {
            least = clocks;
            best = rows;
        }
    }
    return best;
}

void lower_launches(struct lowering *at, struct convolution *c, int most) {
    const bool whole = most == c->to.h && c->launches == 1;
    const int rows = whole ? rows_of_launch(at, c) : most;
    if (whole)
        c->launches = (unsigned)((c->to.h + rows - 1) / rows);
    /* SDP writes columns of one pixel packed; where they are not, each atom of channels is a launch. */
    const struct view row = view_part(at, c->to, 0, 0, c->to.w, 1);
    const bool single = c->to.w == 1 && (rows == 1 || c->to.h % rows == 1) && view_spread(at, &row);
    const int kernels = single ? at->atom : KERNELS_MAX;
    for (int k = 0; k < c->to.c; k += kernels) {
        struct conv_part launch = {
            .c = c, .first_kernel = k, .kernels = least(kernels, c->to.c - k), .lines = lines_of(c, rows)};
        launch.weights = put_weights(at, c, k, launch.kernels);
        for (int y = 0; y < c->to.h; y += rows) {
            launch.first_row = y;
            launch.row_count = least(rows, c->to.h - y);
            launch.rows = span_of(&c->y, c->from.h, y, launch.row_count);
            launch_conv(at, &launch);
            launch_stages(at, &launch);
        }
    }
    if (rows < c->to.h)
        lowering_note(at, "in bands of %d lines: %s", rows,
                      whole ? "one is fetched while another is computed" : "its input does not fit CBUF");
}

/* ---- SDP's operands ---- */

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
    uint32_t offset;
    int16_t *numbers = lowering_constant(at, size, &offset);
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
    unit.cube = cube_of_constant(offset, size);
    unit.cube.width = unit.cube.height = 1;
    unit.cube.channel = (unsigned)fit->count;
    unit.cube.line_stride = unit.cube.surface_stride = bytes;
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
