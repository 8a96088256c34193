/* The conditions under which the driver programs a layer and the configuration can execute it. Spec: 87-loadables
 * sections 4.1, 6, 11 and 12. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "loadable/dla_task.h"

enum { PRECISION_FP16 = 2, CUBE_SIDE_MAX = 8192, MODE_CONTRACT = 0, MODE_SPLIT = 1, MODE_MERGE = 2 };

struct dla_check {
    const struct dla_task *task;
    const struct operation *op;
    const struct nvdla_config *config;
    size_t operation;
    struct error *err;
};

/* Sets the message for a layer. Returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(const struct dla_check *check, const char *format, ...) {
    char name[LAYER_NAME], text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(check->err, "%s: %s", dla_layer_name(check->task, check->operation, name), text);
}

static bool lacks(const struct dla_check *check, const char *what) {
    return refuse(check, "it needs %s, which configuration %s does not have", what, check->config->name);
}

static bool in_range(const struct dla_check *check, const char *name, uint32_t value, uint32_t least, uint32_t most) {
    return (value >= least && value <= most) ||
           refuse(check, "found %s = %" PRIu32 ", expected %" PRIu32 " to %" PRIu32, name, value, least, most);
}

static bool check_cube(const struct dla_check *check, const struct data_cube *cube, const char *name) {
    const unsigned sides[] = {cube->width, cube->height, cube->channel};
    for (int i = 0; i < 3; i++)
        if (sides[i] == 0 || sides[i] > CUBE_SIDE_MAX)
            return refuse(check, "found its %s to be %u x %u x %u (width, height, channels), expected 1 to %d of each",
                          name, cube->width, cube->height, cube->channel, CUBE_SIDE_MAX);
    return true;
}

/* Whether a cube of atoms is inside its memory (at least its last atom begins there) and its lines do not overlap.
 * Detects a file for another atom size. */
static bool check_place(const struct dla_check *check, const struct data_cube *cube, unsigned precision,
                        const char *name) {
    const uint64_t atom = (uint64_t)check->config->mem_atom;
    const uint64_t bytes = (uint64_t)cube->channel * (unsigned)nvdla_element_bytes((enum nvdla_precision)precision);
    const uint64_t last = ((bytes + atom - 1) / atom - 1) * cube->surface_stride +
                          (uint64_t)(cube->height - 1) * cube->line_stride + (cube->width - 1) * atom;
    static const char *const hint = "was the network compiled for another configuration?";
    if (cube->type == CUBE_ON_THE_FLY)
        return true;
    if (cube->height > 1 && cube->line_stride < cube->width * atom)
        return refuse(check,
                      "found a line stride of 0x%" PRIx32
                      " bytes of its %s, expected at least the %u atoms of %d bytes of a line "
                      "for configuration %s; %s",
                      cube->line_stride, name, cube->width, check->config->mem_atom, check->config->name, hint);
    if (last >= cube->room)
        return refuse(check,
                      "found its %s to end at byte 0x%" PRIx64 " or later, by strides of 0x%" PRIx32 " and 0x%" PRIx32
                      " bytes and the atoms of configuration %s, expected it inside the 0x%" PRIx64
                      " that its memory has left; %s",
                      name, last + 1, cube->line_stride, cube->surface_stride, check->config->name, cube->room, hint);
    return true;
}

static bool check_precision(const struct dla_check *check, const char *name, unsigned precision) {
    static const enum nvdla_feature features[] = {[NVDLA_INT16] = FEATURE_INT16, [NVDLA_FP16] = FEATURE_FP16};
    if (precision > PRECISION_FP16)
        return refuse(check, "found %s = %u, expected 0 (INT8), 1 (INT16) or 2 (FP16)", name, precision);
    if (precision == NVDLA_INT8 || nvdla_has(check->config, features[precision]))
        return true;
    return lacks(check, precision == NVDLA_INT16 ? "INT16" : "FP16");
}

static bool check_table(const struct dla_check *check, int lut) {
    return (lut >= -1 && lut < (int)check->task->table_count) ||
           refuse(check, "found table %d, expected -1 (none) or one of the task's %zu", lut, check->task->table_count);
}

static bool check_batch(const struct dla_check *check, unsigned batch) {
    if (batch > 1 && !nvdla_has(check->config, FEATURE_BATCHES))
        return lacks(check, "batches inside a layer");
    return in_range(check, "batch", batch, 0, (uint32_t)check->config->batch_max);
}

static bool check_conv(const struct dla_check *check) {
    const struct conv_op *conv = &check->op->conv;
    const struct data_cube *dst = &check->op->dst;
    if (conv->out_cvt.scale != 1 || conv->out_cvt.offset != 0)
        return refuse(check,
                      "found an output convertor with scale %d and offset %" PRId32 ", expected 1 and 0: CACC has none",
                      conv->out_cvt.scale, conv->out_cvt.offset);
    if (dst->width == 1 && dst->height == 1 && dst->line_stride != (uint32_t)check->config->mem_atom)
        return refuse(check,
                      "found an output of 1 x 1 with a line stride of %" PRIu32 " bytes, expected the %d of an atom of "
                      "configuration %s",
                      dst->line_stride, check->config->mem_atom, check->config->name);
    if (conv->weight_format && !nvdla_has(check->config, FEATURE_COMPRESSION))
        return lacks(check, "compressed weights");
    if (conv->mode && !nvdla_has(check->config, FEATURE_WINOGRAD))
        return lacks(check, "Winograd convolutions");
    /* The mask bits of compressed weights use the last bank. */
    const unsigned banks = (unsigned)check->config->cbuf_banks - (conv->weight_format != 0);
    if (conv->data_bank == 0 || conv->weight_bank == 0 || conv->data_bank + conv->weight_bank > banks)
        return refuse(
            check,
            "found %u banks of CBUF for data and %u for weights, expected 1 or more of each and at most the %u of "
            "configuration %s%s",
            conv->data_bank, conv->weight_bank, banks, check->config->name,
            conv->weight_format ? " that compressed weights leave" : "");
    return in_range(check, "conv mode", conv->mode, 0, 1) && check_batch(check, conv->batch) &&
           in_range(check, "x stride", conv->stride_x, 1, 8) && in_range(check, "y stride", conv->stride_y, 1, 8) &&
           check_precision(check, "input precision", conv->in_precision) &&
           check_precision(check, "output precision", conv->out_precision);
}

static bool check_sdp(const struct dla_check *check) {
    const struct sdp_op *sdp = &check->op->sdp;
    if (sdp->lut >= 0 && !nvdla_has(check->config, FEATURE_SDP_LUT))
        return lacks(check, "SDP's table");
    if (sdp->units[SDP_X1].enable && !nvdla_has(check->config, FEATURE_BS))
        return lacks(check, "SDP's first stage (BS)");
    if (sdp->units[SDP_X2].enable && !nvdla_has(check->config, FEATURE_BN))
        return lacks(check, "SDP's second stage (BN)");
    if (sdp->units[SDP_Y].enable && !nvdla_has(check->config, FEATURE_EW))
        return lacks(check, "SDP's third stage (EW)");
    for (int i = 0; i < SDP_UNITS; i++)
        if (!in_range(check, "operand type", sdp->units[i].type, 0, 3) ||
            !in_range(check, "operand mode", sdp->units[i].mode, 0, 2) ||
            !in_range(check, "activation", sdp->units[i].act, 0, 3) ||
            !in_range(check, "ALU type", sdp->units[i].alu_type, 0, 3))
            return false;
    return in_range(check, "mode", sdp->mode, 0, 1) && check_batch(check, sdp->batch) && check_table(check, sdp->lut) &&
           check_precision(check, "source precision", sdp->src_precision) &&
           check_precision(check, "destination precision", sdp->dst_precision);
}

static bool check_pdp(const struct dla_check *check) {
    const struct pdp_op *pdp = &check->op->pdp;
    if (!nvdla_has(check->config, FEATURE_PDP))
        return lacks(check, "PDP (pooling)");
    if (check->op->dst.type == CUBE_ON_THE_FLY)
        return refuse(check, "found a destination that is not in memory, expected it there");
    if (check->op->src.type == CUBE_ON_THE_FLY && pdp->split != 1)
        return refuse(check, "found %u parts of a cube that comes from SDP, expected 1", pdp->split);
    for (int i = 0; pdp->precision == PRECISION_FP16 && i < 7; i++)
        if (pdp->padding_value[i] != 0)
            return refuse(check, "found padding value %" PRId32 " with FP16, expected 0", pdp->padding_value[i]);
    return in_range(check, "x stride", pdp->stride_x, 1, 8) && in_range(check, "y stride", pdp->stride_y, 1, 8) &&
           in_range(check, "pool width - 1", pdp->pool_width, 0, 7) &&
           in_range(check, "pool height - 1", pdp->pool_height, 0, 7) && in_range(check, "split", pdp->split, 0, 64) &&
           in_range(check, "pool mode", pdp->mode, 0, 2) && check_precision(check, "precision", pdp->precision);
}

static bool check_cdp(const struct dla_check *check) {
    const struct cdp_op *cdp = &check->op->cdp;
    if (!nvdla_has(check->config, FEATURE_CDP))
        return lacks(check, "CDP (normalisation across channels)");
    if (check->op->src.type == CUBE_ON_THE_FLY || check->op->dst.type == CUBE_ON_THE_FLY)
        return refuse(check, "found a source or destination that is not in memory, expected both there");
    if (cdp->in_precision != cdp->out_precision)
        return refuse(check, "found input precision %u and output precision %u, expected the same", cdp->in_precision,
                      cdp->out_precision);
    return in_range(check, "local size", cdp->local_size, 3, 9) && check_table(check, cdp->lut) &&
           check_precision(check, "precision", cdp->in_precision);
}

static bool check_rubik(const struct dla_check *check) {
    const struct rubik_op *rubik = &check->op->rubik;
    if (!nvdla_has(check->config, FEATURE_RUBIK))
        return lacks(check, "RUBIK (deconvolution, rearranging)");
    if (check->op->src.type == CUBE_ON_THE_FLY || check->op->dst.type == CUBE_ON_THE_FLY)
        return refuse(check, "found a source or destination that is not in memory, expected both there");
    const uint32_t plane = rubik->mode == MODE_MERGE ? check->op->src.plane_stride : check->op->dst.plane_stride;
    if (rubik->mode != MODE_CONTRACT && (plane == 0 || plane % 32))
        return refuse(check, "found a plane stride of %" PRIu32 " bytes, expected a multiple of 32 that is not 0",
                      plane);
    if (rubik->mode == MODE_CONTRACT &&
        (!in_range(check, "x stride", rubik->stride_x, 1, 32) || !in_range(check, "y stride", rubik->stride_y, 1, 32)))
        return false;
    return in_range(check, "mode", rubik->mode, 0, 2) && check_precision(check, "precision", rubik->precision);
}

static bool check_transfer(const struct dla_check *check, const struct bdma_transfer *transfer) {
    enum { REPEATS = 8192, ATOM = 32 };
    if (transfer->line == 0 || transfer->line % ATOM)
        return refuse(check, "found a line of %" PRIu32 " bytes, expected a multiple of %d", transfer->line, ATOM);
    if (!in_range(check, "line repeat", transfer->line_repeat, 1, REPEATS) ||
        !in_range(check, "surface repeat", transfer->surface_repeat, 1, REPEATS))
        return false;
    if (transfer->source_line < transfer->line || transfer->destination_line < transfer->line)
        return refuse(check,
                      "found line strides of %" PRIu32 " and %" PRIu32 " bytes, expected at least the line's %" PRIu32,
                      transfer->source_line, transfer->destination_line, transfer->line);
    if (transfer->source_surface < (uint64_t)transfer->source_line * transfer->line_repeat ||
        transfer->destination_surface < (uint64_t)transfer->destination_line * transfer->line_repeat)
        return refuse(check,
                      "found surface strides of %" PRIu32 " and %" PRIu32 " bytes, expected at least the %" PRIu32
                      " lines of a surface",
                      transfer->source_surface, transfer->destination_surface, transfer->line_repeat);
    return true;
}

static bool check_bdma(const struct dla_check *check) {
    const struct bdma_op *bdma = &check->op->bdma;
    if (!nvdla_has(check->config, FEATURE_BDMA))
        return lacks(check, "BDMA (copying)");
    if (!in_range(check, "transfers", bdma->transfer_count, 0, BDMA_TRANSFERS) ||
        !in_range(check, "source type", bdma->source_type, 0, 1) ||
        !in_range(check, "destination type", bdma->destination_type, 0, 1))
        return false;
    for (unsigned i = 0; i < bdma->transfer_count; i++)
        if (!check_transfer(check, &bdma->transfers[i]))
            return false;
    return true;
}

/* Input and output precision of an operation. */
static void precisions(const struct operation *op, unsigned *in, unsigned *out) {
    *in = *out = NVDLA_INT8;
    switch ((enum op_type)op->type) {
    case TYPE_CONV:
        *in = op->conv.in_precision;
        *out = op->conv.out_precision;
        break;
    case TYPE_SDP:
        *in = op->sdp.src_precision;
        *out = op->sdp.dst_precision;
        break;
    case TYPE_PDP:
        *in = *out = op->pdp.precision;
        break;
    case TYPE_CDP:
        *in = *out = op->cdp.in_precision;
        break;
    case TYPE_RUBIK:
        *in = *out = op->rubik.precision;
        break;
    case TYPE_BDMA:
    case TYPE_COUNT:
        break;
    }
}

/* True if its source is a cube of atoms, not pixels or planes. */
static bool reads_atoms(const struct operation *op) {
    return op->type == TYPE_CONV ? op->conv.data_format >= PIXEL_FEATURE
                                 : op->type != TYPE_BDMA && !(op->type == TYPE_RUBIK && op->rubik.mode == MODE_MERGE);
}

static bool writes_atoms(const struct operation *op) {
    return op->type != TYPE_BDMA && !(op->type == TYPE_RUBIK && op->rubik.mode == MODE_SPLIT);
}

static bool check_cubes(const struct dla_check *check) {
    const struct operation *op = check->op;
    unsigned in, out;
    if (op->type == TYPE_BDMA)
        return true;
    precisions(op, &in, &out);
    return check_cube(check, &op->src, "source") && check_cube(check, &op->dst, "destination") &&
           (!reads_atoms(op) || check_place(check, &op->src, in, "source")) &&
           (!writes_atoms(op) || check_place(check, &op->dst, out, "destination"));
}

bool dla_task_check(const struct dla_task *task, const struct nvdla_config *config, struct error *err) {
    static bool (*const checks[TYPE_COUNT])(const struct dla_check *) = {
        [TYPE_BDMA] = check_bdma, [TYPE_CONV] = check_conv, [TYPE_SDP] = check_sdp,
        [TYPE_PDP] = check_pdp,   [TYPE_CDP] = check_cdp,   [TYPE_RUBIK] = check_rubik,
    };
    for (size_t i = 0; i < task->count; i++) {
        const struct dla_check check = {
            .task = task, .op = &task->operations[i], .config = config, .operation = i, .err = err};
        if (!checks[check.op->type](&check) || !check_cubes(&check))
            return false;
    }
    return true;
}

/* ---- which configuration ---- */

/* The stride of packed lines gives the atom size. */
static void cube_needs(const struct data_cube *cube, unsigned precision, struct dla_needs *needs) {
    if (cube->type == CUBE_ON_THE_FLY)
        return;
    needs->atom_8 = needs->atom_8 || (cube->line_stride == 8 * cube->width && precision == NVDLA_INT8);
    needs->atom_32 = needs->atom_32 || cube->line_stride == 32 * cube->width;
}

void dla_task_needs(const struct dla_task *task, struct dla_needs *needs) {
    for (size_t i = 0; i < task->count; i++) {
        const struct operation *op = &task->operations[i];
        unsigned in, out;
        precisions(op, &in, &out);
        needs->full = needs->full || in != NVDLA_INT8 || out != NVDLA_INT8 || op->type == TYPE_BDMA ||
                      op->type == TYPE_RUBIK || op->src.type == CUBE_SRAM || op->dst.type == CUBE_SRAM;
        if (reads_atoms(op))
            cube_needs(&op->src, in, needs);
        if (op->type == TYPE_CONV && op->dst.width == 1 && op->dst.height == 1) {
            needs->atom_8 = needs->atom_8 || op->dst.line_stride == 8;
            needs->atom_32 = needs->atom_32 || op->dst.line_stride == 32;
        } else if (writes_atoms(op)) {
            cube_needs(&op->dst, out, needs);
        }
    }
}
