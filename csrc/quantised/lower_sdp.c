/* Nodes that SDP computes from memory, those of the processor, and moves. See lowering.h. */
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/lowering.h"

struct stages stages_none(void) {
    return (struct stages){.out = {.scale = 1, .enable = true}};
}

struct sdp_unit stage_registers(int add, int multiply, unsigned shift) {
    return (struct sdp_unit){.enable = true,
                             .alu_type = ALU_SUM,
                             .type = add ? STAGE_BOTH : STAGE_MUL,
                             .truncate = shift,
                             .alu_operand = add,
                             .mul_operand = multiply};
}

struct sdp_unit stage_per_point(unsigned left) {
    return (struct sdp_unit){.enable = true, .alu_type = ALU_SUM, .type = STAGE_ADD, .mode = PER_POINT, .shift = left};
}

void launch_sdp(struct lowering *at, struct data_cube from, const struct view *to, const struct stages *stages) {
    struct operation *op = lowering_op(at, TYPE_SDP);
    op->src = from;
    op->dst = cube_of(at, to);
    op->sdp = (struct sdp_op){.lut = -1, .out_cvt = stages->out, .batch = 1};
    op->sdp.units[SDP_X1] = stages->x1;
    op->sdp.units[SDP_X2] = stages->x2;
    for (int i = SDP_X1; i <= SDP_X2; i++)
        if (op->sdp.units[i].mode == PER_POINT)
            op->sdp.units[i].cube = cube_of(at, &stages->operand);
}

/* SDP from one view to another of the same size. */
static void lower_sdp(struct lowering *at, struct view from, struct view to, const struct stages *stages) {
    const bool spread = view_spread(at, &from) || view_spread(at, &to) || view_spread(at, &stages->operand);
    const int step = spread ? at->atom : CHANNELS_MAX;
    for (int c = 0; c < from.c; c += step) {
        const int n = least(step, from.c - c);
        const struct view a = view_channels(at, from, c, n), b = view_channels(at, to, c, n);
        struct stages part = *stages;
        part.operand = view_channels(at, stages->operand, c, n);
        launch_sdp(at, cube_of(at, &a), &b, &part);
    }
}

static struct sdp_unit stage_limit(unsigned type, int limit) {
    return (struct sdp_unit){.enable = true, .type = STAGE_ADD, .alu_type = type, .alu_operand = limit};
}

void lower_limits(struct lowering *at, struct view view, struct limits limits, bool low_done) {
    struct stages stages = stages_none();
    const bool low = limits.low > INT8_MIN && !low_done, high = limits.high < INT8_MAX;
    if (!low && !high)
        return;
    if (low)
        stages.x1 = stage_limit(ALU_MAX, limits.low);
    if (high)
        stages.x2 = stage_limit(ALU_MIN, limits.high);
    lowering_note(at, "limits %d to %d in a pass of their own", limits.low, limits.high);
    lower_sdp(at, view, view, &stages);
}

/* (value - zero) * factor + zero, limits: to another scale. */
static void lower_rescale(struct lowering *at, struct view from, struct view to, int zero_in, int zero_out,
                          struct multiplier factor, struct limits limits) {
    struct stages stages = stages_none();
    const bool low = limits.low > INT8_MIN && limits.low == zero_out;
    if (zero_in != zero_out || low || multiplier_value(factor) != 1) {
        const struct rescale_fit fit = fit_rescale(factor, zero_in);
        stages.x1 = stage_registers(-zero_in, fit.p, 0);
        stages.x2 = stage_registers(fit.add, fit.m, fit.shift);
        stages.x2.act = low;
        stages.out.offset = -zero_out;
    }
    lower_sdp(at, from, to, &stages);
    lower_limits(at, to, limits, low);
}

void lower_copy(struct lowering *at, struct view from, struct view to) {
    const struct stages stages = stages_none();
    lower_sdp(at, from, to, &stages);
}

bool lower_rescale_node(struct lowering *at, const struct node *node, struct view from) {
    const struct tensor *in = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    lowering_note(at, "factor %g", (double)in->scales[0] / (double)out->scales[0]);
    lower_rescale(at, from, view_define(at, node->output), in->zero, out->zero,
                  multiplier_of((double)in->scales[0] / (double)out->scales[0]), node_limits(at->graph, node));
    return true;
}

static int whole_atoms(const struct lowering *at, int channels) {
    return (channels + at->atom - 1) / at->atom * at->atom;
}

/* ---- addition ---- */

static int weight_of_addition(const struct convolution *c, int k, struct tap tap) {
    return tap.c % c->atom != k ? 0 : tap.c < c->atom ? c->addition->weight : c->addition->other_weight;
}

/* The inputs of an addition by a convolution: main, or atoms of both in turn, which are copied there. */
static struct view addends_of(struct lowering *at, const struct addition_fit *fit, struct view main,
                              struct view other) {
    if (fit->other_weight == 0)
        return main;
    struct view both = view_new(at, MEMORY_OF_CUBES, main.w, main.h, 2 * whole_atoms(at, main.c)), first = both, second;
    first.c = main.c;
    first.surface = 2 * both.surface;
    second = first;
    second.offset += both.surface;
    lower_copy(at, main, first);
    lower_copy(at, other, second);
    both.c -= whole_atoms(at, main.c) - main.c;
    return both;
}

/* The inputs times their weights by a convolution, the rest in SDP after it; by atoms of channels. */
static bool lower_convolved_addition(struct lowering *at, const struct addition_fit *fit, struct view main,
                                     struct view to, struct stages stages) {
    const struct view addends = addends_of(at, fit, main, stages.operand);
    struct convolution c = convolution_of(at, addends, to, weight_of_addition);
    c.addition = fit;
    c.stages = stages;
    return lower_by_atoms(at, &c, fit->other_weight ? 2 * at->atom : at->atom, at->atom);
}

static void note_addition(struct lowering *at, const struct addition_fit *fit) {
    autotext struct text first = {0};
    if (fit->power)
        text_printf(&first, "input %d", fit->swapped);
    else if (fit->other_weight)
        text_printf(&first, "(input %d * %d + the other * %d), by a convolution, * %d", fit->swapped, fit->weight,
                    fit->other_weight, fit->m);
    else
        text_printf(&first, "input %d%s * %d * %d", fit->swapped, fit->weight > 1 ? ", by a convolution," : "",
                    fit->weight, fit->m);
    text_printf(&first, " + the other * 2^%u) *", fit->shift);
    if (fit->power)
        text_printf(&first, " %d *", fit->p);
    lowering_note(at, "(%s %d / 2^%u; %u of %u pairs differ by 1", first.text, fit->scale, fit->first + fit->n,
                  fit->wrong, fit->pairs);
}

bool lower_add_node(struct lowering *at, const struct node *node, struct view from) {
    struct addition_fit fit;
    struct view a = from, b;
    const struct tensor *out = node_output(at->graph, node);
    if (!view_use(at, node->inputs[1], &b) || !lower_repetition(at, &a, out->w, out->h, out->c) ||
        !lower_repetition(at, &b, out->w, out->h, out->c))
        return false;
    if (!fit_addition(at->graph, node, &fit))
        return lowering_refuse(at,
                               "found scales %g and %g of its inputs and %g of its output, whose factors SDP's "
                               "multipliers cannot have together",
                               (double)node_input(at->graph, node, 0)->scales[0],
                               (double)node_input(at->graph, node, 1)->scales[0], (double)out->scales[0]);
    struct stages stages = stages_none();
    const struct view main = fit.swapped ? b : a, to = view_define(at, node->output);
    stages.operand = fit.swapped ? a : b;
    stages.x1 = fit.power ? stage_per_point(fit.shift) : stage_registers(0, fit.m, 0);
    stages.x2 = fit.power ? stage_registers(fit.add, fit.p, fit.first) : stage_per_point(fit.shift);
    stages.out = (struct cvt_param){.scale = fit.scale, .truncate = fit.n, .enable = true, .offset = fit.offset};
    note_addition(at, &fit);
    if (fit.weight > 1 || fit.other_weight) {
        if (!lower_convolved_addition(at, &fit, main, to, stages))
            return false;
    } else {
        lower_sdp(at, main, to, &stages);
    }
    lower_limits(at, to, node_limits(at->graph, node), false);
    return true;
}

/* ---- moves ---- */

static void fill(struct lowering *at, struct view view, int value) {
    struct stages stages = stages_none();
    if (view.w < 1 || view.h < 1 || view.c < 1)
        return;
    stages.x1 = stage_registers(0, 0, 0);
    stages.out.offset = -value;
    lower_sdp(at, view, view, &stages);
}

/* Fills a cube around a rectangle. */
static void fill_around(struct lowering *at, struct view to, int x, int y, int w, int h, int value) {
    fill(at, view_part(at, to, 0, 0, to.w, y), value);
    fill(at, view_part(at, to, 0, y + h, to.w, to.h - y - h), value);
    fill(at, view_part(at, to, 0, y, x, h), value);
    fill(at, view_part(at, to, x + w, y, to.w - x - w, h), value);
}

void lower_padding(struct lowering *at, struct view from, struct view to, int x, int y, int value) {
    lower_copy(at, from, view_part(at, to, x, y, from.w, from.h));
    fill_around(at, to, x, y, from.w, from.h, value);
}

/* A cube with channels of the zero point before and after it. */
static bool pad_channels(struct lowering *at, const struct node *node, struct view from, struct view to) {
    const int channels[] = {node->c.before, from.c, node->c.after}, zero = node_output(at->graph, node)->zero;
    const int first = whole_atoms(at, channels[0]), last = first + whole_atoms(at, channels[1]);
    const struct view wide = view_new(at, MEMORY_OF_CUBES, from.w, from.h, last + whole_atoms(at, channels[2]));
    lower_copy(at, from, view_channels(at, wide, first, channels[1]));
    fill(at, view_channels(at, wide, 0, channels[0]), zero);
    fill(at, view_channels(at, wide, last, channels[2]), zero);
    return lower_joining(at, wide, channels, to);
}

bool lower_pad_node(struct lowering *at, const struct node *node, struct view from) {
    const int zero = node_output(at->graph, node)->zero;
    if (at->nodes[at->node].folded) {
        at->out->views[node->output] = from;
        lowering_note(at, "done by the convolution that follows");
        return true;
    }
    const struct view to = view_define(at, node->output),
                      inner = view_part(at, to, node->x.before, node->y.before, from.w, from.h);
    if (node->c.before == 0 && node->c.after == 0)
        lower_copy(at, from, inner);
    else if (!pad_channels(at, node, from, inner))
        return false;
    fill_around(at, to, node->x.before, node->y.before, from.w, from.h, zero);
    lowering_note(at, "a copy, and bands of the zero point");
    return true;
}

/* An input of a concatenation at its place, with the scale of the output. */
static void place_input(struct lowering *at, const struct node *node, const struct tensor *in, struct view from,
                        struct view to) {
    const struct tensor *out = node_output(at->graph, node);
    lower_rescale(at, from, to, in->zero, out->zero, multiplier_of((double)in->scales[0] / (double)out->scales[0]),
                  node_limits(at->graph, node));
}

bool concatenates_atoms(const struct lowering *at, const struct node *node) {
    for (size_t i = 0; node->axis == 3 && i + 1 < node->input_count; i++)
        if (node_input(at->graph, node, i)->c % at->atom)
            return false;
    return true;
}

/* Where inputs begin inside an atom of channels, each first gets atoms of its own. */
bool lower_concatenation_node(struct lowering *at, const struct node *node, struct view from) {
    const struct view to = view_define(at, node->output);
    const bool atoms = concatenates_atoms(at, node);
    int channels[NODE_INPUTS_MAX], wide = 0, place[AXES] = {0};
    size_t copied = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        channels[i] = node_input(at->graph, node, i)->c;
        wide += whole_atoms(at, channels[i]);
    }
    const struct view whole = atoms ? to : view_new(at, MEMORY_OF_CUBES, to.w, to.h, wide);
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *in = node_input(at->graph, node, i);
        const struct part *part = &at->parts[node->inputs[i]];
        if (!view_use(at, node->inputs[i], &from))
            return false;
        if (part->whole != node->output || memcmp(part->place, place, sizeof place) != 0) {
            const struct view rectangle = view_part(at, whole, place[WIDTH], place[HEIGHT], in->w, in->h);
            place_input(at, node, in, from, view_channels(at, rectangle, place[CHANNELS], in->c));
            copied++;
        }
        place[node->axis] += atoms ? in->sides[node->axis] : whole_atoms(at, in->c);
    }
    if (!atoms)
        lowering_note(at, "inputs begin inside an atom of %d channels: copied to atoms of their own, then joined",
                      at->atom);
    else
        lowering_note(at, "%zu of %zu inputs are copied, the others are computed in place", copied, node->input_count);
    return atoms || lower_joining(at, whole, channels, to);
}

/* ---- the processor ---- */

/* Atoms of channels of all pixels: one after the other, as cubes have them, or pixel by pixel, or back. */
static void lower_pixels(struct lowering *at, struct view cube, struct view rows, bool back) {
    const int pixels = rows.h, surfaces = rows.w;
    for (int s = 0; s < surfaces; s++) {
        const int n = least(at->atom, cube.c - s * at->atom);
        struct view atoms = view_channels(at, cube, s * at->atom, n), column = view_part(at, rows, s, 0, 1, pixels);
        atoms.w = 1;
        atoms.h = pixels;
        atoms.line = (uint32_t)at->atom;
        column.c = n;
        lower_copy(at, back ? column : atoms, back ? atoms : column);
    }
}

static struct lowered_step *cpu_step(struct lowering *at, struct view from, struct view to) {
    struct lowered *out = at->out;
    struct lowered_step *step = xadd(out->steps, out->step_count);
    *step = (struct lowered_step){
        .cpu = true, .first = out->op_count, .node = at->node, .from = from, .to = to, .pixels = 1};
    lowering_note(at, "on the processor");
    return step;
}

/* The processor's softmax and its like take the channels of one pixel in a row. */
static bool lower_rows(struct lowering *at, const struct node *node, struct view from, struct view to) {
    enum { PIXELS_MAX = 1024 };
    const int pixels = from.w * from.h, surfaces = view_surfaces(at, &from);
    const bool index = node->kind == NODE_ARG_MAX, moved = pixels > 1 && surfaces > 1, back = moved && !index;
    if (pixels > PIXELS_MAX)
        return lowering_refuse(at, "found a softmax over the channels of each of %d x %d pixels, expected at most %d",
                               from.h, from.w, PIXELS_MAX);
    struct view in = view_in_a_row(at, from, 0), out = to;
    if (moved) {
        const struct view cube = in;
        in = view_new(at, MEMORY_OF_CUBES, surfaces, pixels, at->atom);
        lower_pixels(at, cube, in, false);
    }
    if (back)
        out = view_new(at, MEMORY_OF_CUBES, surfaces, pixels, at->atom);
    const struct view rows = out;
    in.w = in.h = out.w = out.h = 1;
    in.c = from.c;
    out.c = index ? to.c : from.c;
    in.line = in.surface = out.line = out.surface = (uint32_t)at->atom;
    struct lowered_step *step = cpu_step(at, in, out);
    step->pixels = pixels;
    step->apart = (uint32_t)(surfaces * at->atom);
    step->to_apart = index ? (uint32_t)at->atom : step->apart;
    if (moved)
        lowering_note(at, "channels of each pixel put in a row before it%s", back ? ", and back" : "");
    if (back)
        lower_pixels(at, to, rows, true);
    return true;
}

bool lower_cpu_node(struct lowering *at, const struct node *node, struct view from) {
    const struct tensor *out = node_output(at->graph, node);
    const bool steps = node->kind == NODE_SOFTMAX || node->kind == NODE_LOGISTIC; /* of CPU_STEP_SCALE */
    const bool read = steps && lowered_result_read(at->graph, node->output);
    const struct view to = view_define(at, node->output);
    const struct view result = read ? view_new(at, MEMORY_OF_CUBES, to.w, to.h, to.c) : to;
    if (node->kind == NODE_LOGISTIC)
        cpu_step(at, from, result);
    else if (!lower_rows(at, node, from, result))
        return false;
    if (!read)
        return true;
    lowering_note(at, "then to its scale, as other nodes read it");
    lower_rescale(at, result, to, 0, out->zero, multiplier_of((double)CPU_STEP_SCALE / (double)out->scales[0]),
                  (struct limits){INT8_MIN, INT8_MAX});
    return true;
}
