/* Decodes the driver's structures byte by byte. See descriptors.h. */
#include "loadable/descriptors.h"

#include <string.h>

const char *const op_type_names[TYPE_COUNT] = {"BDMA", "CONV", "SDP", "PDP", "CDP", "RUBIK"};
const enum nvdla_unit op_type_units[TYPE_COUNT] = {NVDLA_BDMA, NVDLA_CACC, NVDLA_SDP, NVDLA_PDP, NVDLA_CDP, NVDLA_RBK};

static unsigned u16(const uint8_t *bytes) {
    return (unsigned)(bytes[0] | bytes[1] << 8);
}

static int i16(const uint8_t *bytes) {
    return (int16_t)u16(bytes);
}

static uint32_t u32(const uint8_t *bytes) {
    return u16(bytes) | (uint32_t)u16(bytes + 2) << 16;
}

static uint64_t u64(const uint8_t *bytes) {
    return u32(bytes) | (uint64_t)u32(bytes + 4) << 32;
}

struct network_descriptor network_decode(const uint8_t *b) {
    struct network_descriptor network = {
        .operations = i16(b),
        .surfaces = i16(b + 2),
        .dependencies = i16(b + 4),
        .tables = i16(b + 6),
        .roi_array = i16(b + 8),
        .roi_surface = i16(b + 10),
        .statistics = i16(b + 12),
        .roi_count = u16(b + 28),
        .operation_count = u16(b + 30),
        .table_count = u16(b + 32),
        .address_count = u16(b + 34),
        .input_layer = i16(b + 36),
        .dynamic_roi = b[38] != 0,
    };
    for (int type = 0; type < TYPE_COUNT; type++)
        network.heads[type] = i16(b + 16 + 2 * type);
    return network;
}

static struct op_edge edge(const uint8_t *b) {
    return (struct op_edge){.operation = i16(b), .event = b[2]};
}

void dependency_decode(const uint8_t *b, struct operation *op) {
    op->type = b[3];
    op->counter = b[4];
    for (int type = 0; type < TYPE_COUNT; type++)
        op->consumers[type] = edge(b + 8 + 4 * type);
    op->fused_parent = edge(b + 32);
}

static struct cvt_param cvt(const uint8_t *b) {
    return (struct cvt_param){.scale = i16(b), .truncate = b[2], .enable = b[3] != 0, .offset = (int32_t)u32(b + 4)};
}

/* The index-th cube of a container. */
static struct data_cube cube(const uint8_t *surface, int index, bool old) {
    const uint8_t *b = surface + index * (old ? 28 : 32);
    const uint8_t *rest = b + (old ? 4 : 8);
    return (struct data_cube){.type = u16(b),
                              .position = i16(b + 2),
                              .offset = old ? 0 : u32(b + 4),
                              .size = u32(rest),
                              .width = u16(rest + 4),
                              .height = u16(rest + 6),
                              .channel = u16(rest + 8),
                              .line_stride = u32(rest + 12),
                              .surface_stride = u32(rest + 16),
                              .plane_stride = u32(rest + 20)};
}

static void conv_decode(const uint8_t *b, const uint8_t *surface, bool old, struct operation *op) {
    const uint8_t *behind = surface + 5 * (old ? 28 : 32);
    op->conv = (struct conv_op){
        .mode = b[0],
        .data_reuse = b[1],
        .weight_reuse = b[2],
        .skip_data_rls = b[3],
        .skip_weight_rls = b[4],
        .entry_per_slice = u16(b + 6),
        .data_format = b[8],
        .pixel_mapping = b[9],
        .fetch_grain = u16(b + 10),
        .batch = b[20],
        .weight_format = b[21],
        .data_bank = b[22],
        .weight_bank = b[23],
        .batch_stride = u32(b + 24),
        .post_extension = b[28],
        .pixel_override = b[29],
        .release = u16(b + 30),
        .w_csc = u16(b + 32),
        .h_csc = u16(b + 34),
        .c_csc = u16(b + 36),
        .kw_csc = u16(b + 38),
        .kh_csc = u16(b + 40),
        .kc_csc = u16(b + 42),
        .w_cmac = u16(b + 44),
        .h_cmac = u16(b + 46),
        .bytes_per_kernel = u32(b + 48),
        .mean_ry = i16(b + 52),
        .mean_gu = i16(b + 54),
        .mean_bv = i16(b + 56),
        .mean_ax = i16(b + 58),
        .mean_format = b[60],
        .stride_x = b[61],
        .stride_y = b[62],
        .pad_left = b[63],
        .pad_right = b[64],
        .pad_top = b[65],
        .pad_bottom = b[66],
        .dilation_x = b[67],
        .dilation_y = b[68],
        .pra_truncate = b[71],
        .in_precision = b[72],
        .out_precision = b[73],
        .pad_value = i16(b + 74),
        .in_cvt = cvt(b + 76),
        .out_cvt = cvt(b + 84),
        .weight = cube(surface, 0, old),
        .wmb = cube(surface, 1, old),
        .wgs = cube(surface, 2, old),
        .u_offset = (int64_t)u64(behind),
        .uv_line_stride = u32(behind + 8),
    };
    op->src = cube(surface, 3, old);
    op->dst = cube(surface, 4, old);
}

static struct sdp_unit unit(const uint8_t *b, struct data_cube operands) {
    return (struct sdp_unit){
        .enable = b[0] != 0,
        .alu_type = b[1],
        .type = b[2],
        .mode = b[3],
        .act = b[4],
        .shift = b[5],
        .truncate = b[6],
        .precision = b[7],
        .alu_operand = (int32_t)u32(b + 8),
        .mul_operand = (int32_t)u32(b + 12),
        .alu_cvt = cvt(b + 16),
        .mul_cvt = cvt(b + 24),
        .cube = operands,
    };
}

static void sdp_decode(const uint8_t *b, const uint8_t *surface, bool old, struct operation *op) {
    op->sdp = (struct sdp_op){
        .src_precision = b[0],
        .dst_precision = b[1],
        .lut = i16(b + 2),
        .out_cvt = cvt(b + 4),
        .mode = b[12],
        .batch = b[13],
        .batch_stride = u32(b + 16),
    };
    for (int i = 0; i < SDP_UNITS; i++)
        op->sdp.units[i] = unit(b + 20 + 32 * i, cube(surface, 1 + i, old));
    op->src = cube(surface, 0, old);
    op->dst = cube(surface, 4, old);
}

static void pdp_decode(const uint8_t *b, struct operation *op) {
    op->pdp = (struct pdp_op){
        .in_first = u16(b),
        .in_mid = u16(b + 2),
        .in_last = u16(b + 4),
        .out_first = u16(b + 6),
        .out_mid = u16(b + 8),
        .out_last = u16(b + 10),
        .split = b[12],
        .mode = b[13],
        .pool_width = b[14],
        .pool_height = b[15],
        .stride_x = b[16],
        .stride_y = b[17],
        .pad_left = b[18],
        .pad_right = b[19],
        .pad_top = b[20],
        .pad_bottom = b[21],
        .precision = b[22],
    };
    for (int i = 0; i < 7; i++)
        op->pdp.padding_value[i] = (int32_t)u32(b + 24 + 4 * i);
}

static void cdp_decode(const uint8_t *b, struct operation *op) {
    op->cdp = (struct cdp_op){.in_precision = b[0],
                              .out_precision = b[1],
                              .lut = i16(b + 2),
                              .in_cvt = cvt(b + 4),
                              .out_cvt = cvt(b + 12),
                              .local_size = b[20],
                              .bypass_sqsum = b[21] != 0,
                              .bypass_mul = b[22] != 0};
}

static void bdma_decode(const uint8_t *surface, struct operation *op) {
    op->bdma =
        (struct bdma_op){.source_type = surface[0], .destination_type = surface[1], .transfer_count = u16(surface + 2)};
    for (int i = 0; i < BDMA_TRANSFERS; i++) {
        const uint8_t *b = surface + 4 + 32 * i;
        op->bdma.transfers[i] = (struct bdma_transfer){
            .source = i16(b),
            .destination = i16(b + 2),
            .line = u32(b + 4),
            .line_repeat = u32(b + 8),
            .source_line = u32(b + 12),
            .destination_line = u32(b + 16),
            .surface_repeat = u32(b + 20),
            .source_surface = u32(b + 24),
            .destination_surface = u32(b + 28),
        };
    }
}

void operation_decode(const uint8_t *operation, const uint8_t *surface, bool old, struct operation *op) {
    op->src = cube(surface, 0, old);
    op->dst = cube(surface, 1, old);
    switch ((enum op_type)op->type) {
    case TYPE_BDMA:
        op->src = op->dst = (struct data_cube){.type = CUBE_ON_THE_FLY, .position = -1};
        bdma_decode(surface, op);
        break;
    case TYPE_CONV:
        conv_decode(operation, surface, old, op);
        break;
    case TYPE_SDP:
        sdp_decode(operation, surface, old, op);
        break;
    case TYPE_PDP:
        pdp_decode(operation, op);
        break;
    case TYPE_CDP:
        cdp_decode(operation, op);
        break;
    case TYPE_RUBIK:
        op->rubik = (struct rubik_op){
            .mode = operation[0], .precision = operation[1], .stride_x = operation[2], .stride_y = operation[3]};
        break;
    case TYPE_COUNT:
        break;
    }
}

static struct lut_slope slope(const uint8_t *b) {
    return (struct lut_slope){.fp16 = (uint16_t)u16(b), .scale = i16(b), .shift = (int8_t)b[2]};
}

void lut_decode(const uint8_t *b, struct lut_param *lut) {
    *lut = (struct lut_param){
        .le_offset = (int8_t)b[644],
        .lo_select = (int8_t)b[646],
        .le_start = u64(b + 648),
        .le_end = u64(b + 656),
        .lo_start = u64(b + 664),
        .lo_end = u64(b + 672),
        .le_underflow = slope(b + 680),
        .le_overflow = slope(b + 684),
        .lo_underflow = slope(b + 688),
        .lo_overflow = slope(b + 692),
        .hybrid = b[696],
        .underflow = b[697],
        .overflow = b[698],
        .method = b[699],
    };
    for (int i = 0; i < 65; i++)
        lut->le[i] = (int16_t)u16(b + 2 * i);
    for (int i = 0; i < 257; i++)
        lut->lo[i] = (int16_t)u16(b + 130 + 2 * i);
}

void operation_cubes(struct operation *op, void (*each)(void *context, struct data_cube *cube, const char *name),
                     void *context) {
    static const char *const units[SDP_UNITS] = {"x1", "x2", "y"};
    if (op->type == TYPE_BDMA)
        return;
    each(context, &op->src, "source");
    if (op->type == TYPE_CONV) {
        each(context, &op->conv.weight, "weights");
        if (op->conv.weight_format) {
            each(context, &op->conv.wmb, "weight masks");
            each(context, &op->conv.wgs, "weight group sizes");
        }
    }
    for (int i = 0; op->type == TYPE_SDP && i < SDP_UNITS; i++) {
        const struct sdp_unit *u = &op->sdp.units[i];
        if (u->enable && u->type && u->mode)
            each(context, &op->sdp.units[i].cube, units[i]);
    }
    each(context, &op->dst, "destination");
}
