/* Decodes and encodes the driver's structures. See descriptors.h. */
#include "loadable/descriptors.h"

#include <string.h>

const char *const op_type_names[TYPE_COUNT] = {"BDMA", "CONV", "SDP", "PDP", "CDP", "RUBIK"};
const enum nvdla_unit op_type_units[TYPE_COUNT] = {NVDLA_BDMA, NVDLA_CACC, NVDLA_SDP, NVDLA_PDP, NVDLA_CDP, NVDLA_RBK};

/* ---- layouts --------------------------------------------------------------------------------- */

struct layout;

/* A member: numbers, little endian in the driver's bytes, or structures. */
struct dla_member {
    size_t at, to;              /* offset in the driver's bytes, offset in our structure */
    size_t bytes, size;         /* of a number there and here; size 1: a bool */
    bool is_signed;             /* of numbers */
    const struct layout *parts; /* of structures, NULL: numbers */
    size_t count;               /* of an array, otherwise 1 */
};

struct layout {
    const struct dla_member *members;
    size_t count, bytes, size; /* bytes, size: of a structure in an array */
};

#define OF(type, member) (((struct type *)0)->member)
#define IS_SIGNED(x) _Generic((x), int16_t: true, int: true, int64_t: true, default: false)
#define NUMBERS(type, at, bytes, member, element, count)                                                               \
    {(at),   offsetof(struct type, member), (bytes), sizeof OF(type, element), IS_SIGNED(OF(type, element)), NULL,     \
     (count)}

/* A number of that many bytes, an array of them, and one structure or an array of them. */
#define N(type, at, bytes, member) NUMBERS(type, at, bytes, member, member, 1)
#define A(type, at, bytes, member)                                                                                     \
    NUMBERS(type, at, bytes, member, member[0], sizeof OF(type, member) / sizeof OF(type, member[0]))
#define S(type, at, member, part)                                                                                      \
    {(at), offsetof(struct type, member), 0, 0, false, &part##_layout, sizeof OF(type, member) / sizeof(struct part)}

#define LAYOUT(name, type, bytes)                                                                                      \
    static const struct layout name##_layout = {name, sizeof name / sizeof name[0], (bytes), sizeof(struct type)}

static const struct dla_member network[] = {
    N(network_descriptor, 0, 2, operations),   N(network_descriptor, 2, 2, surfaces),
    N(network_descriptor, 4, 2, dependencies), N(network_descriptor, 6, 2, tables),
    N(network_descriptor, 8, 2, roi_array),    N(network_descriptor, 10, 2, roi_surface),
    N(network_descriptor, 12, 2, statistics),  A(network_descriptor, 16, 2, heads),
    N(network_descriptor, 28, 2, roi_count),   N(network_descriptor, 30, 2, operation_count),
    N(network_descriptor, 32, 2, table_count), N(network_descriptor, 34, 2, address_count),
    N(network_descriptor, 36, 2, input_layer), N(network_descriptor, 38, 1, dynamic_roi)};
LAYOUT(network, network_descriptor, NETWORK_BYTES);

static const struct dla_member op_edge[] = {N(op_edge, 0, 2, operation), N(op_edge, 2, 1, event)};
LAYOUT(op_edge, op_edge, 4);

static const struct dla_member dependency[] = {N(operation, 3, 1, type), N(operation, 4, 1, counter),
                                               S(operation, 8, consumers, op_edge),
                                               S(operation, 32, fused_parent, op_edge)};
LAYOUT(dependency, operation, DEPENDENCY_BYTES);

static const struct dla_member cvt_param[] = {N(cvt_param, 0, 2, scale), N(cvt_param, 2, 1, truncate),
                                              N(cvt_param, 3, 1, enable), N(cvt_param, 4, 4, offset)};
LAYOUT(cvt_param, cvt_param, 8);

/* The old layout has no offset. */
#define CUBE(at)                                                                                                       \
    N(data_cube, 0, 2, type), N(data_cube, 2, 2, position), N(data_cube, at, 4, size), N(data_cube, at + 4, 2, width), \
        N(data_cube, at + 6, 2, height), N(data_cube, at + 8, 2, channel), N(data_cube, at + 12, 4, line_stride),      \
        N(data_cube, at + 16, 4, surface_stride), N(data_cube, at + 20, 4, plane_stride)
static const struct dla_member cube[] = {CUBE(8), N(data_cube, 4, 4, offset)}, old_cube[] = {CUBE(4)};
LAYOUT(cube, data_cube, 32);
LAYOUT(old_cube, data_cube, 28);

static const struct dla_member conv_op[] = {
    N(conv_op, 0, 1, mode),
    N(conv_op, 1, 1, data_reuse),
    N(conv_op, 2, 1, weight_reuse),
    N(conv_op, 3, 1, skip_data_rls),
    N(conv_op, 4, 1, skip_weight_rls),
    N(conv_op, 6, 2, entry_per_slice),
    N(conv_op, 8, 1, data_format),
    N(conv_op, 9, 1, pixel_mapping),
    N(conv_op, 10, 2, fetch_grain),
    N(conv_op, 20, 1, batch),
    N(conv_op, 21, 1, weight_format),
    N(conv_op, 22, 1, data_bank),
    N(conv_op, 23, 1, weight_bank),
    N(conv_op, 24, 4, batch_stride),
    N(conv_op, 28, 1, post_extension),
    N(conv_op, 29, 1, pixel_override),
    N(conv_op, 30, 2, release),
    N(conv_op, 32, 2, w_csc),
    N(conv_op, 34, 2, h_csc),
    N(conv_op, 36, 2, c_csc),
    N(conv_op, 38, 2, kw_csc),
    N(conv_op, 40, 2, kh_csc),
    N(conv_op, 42, 2, kc_csc),
    N(conv_op, 44, 2, w_cmac),
    N(conv_op, 46, 2, h_cmac),
    N(conv_op, 48, 4, bytes_per_kernel),
    N(conv_op, 52, 2, mean_ry),
    N(conv_op, 54, 2, mean_gu),
    N(conv_op, 56, 2, mean_bv),
    N(conv_op, 58, 2, mean_ax),
    N(conv_op, 60, 1, mean_format),
    N(conv_op, 61, 1, stride_x),
    N(conv_op, 62, 1, stride_y),
    N(conv_op, 63, 1, pad_left),
    N(conv_op, 64, 1, pad_right),
    N(conv_op, 65, 1, pad_top),
    N(conv_op, 66, 1, pad_bottom),
    N(conv_op, 67, 1, dilation_x),
    N(conv_op, 68, 1, dilation_y),
    N(conv_op, 71, 1, pra_truncate),
    N(conv_op, 72, 1, in_precision),
    N(conv_op, 73, 1, out_precision),
    N(conv_op, 74, 2, pad_value),
    S(conv_op, 76, in_cvt, cvt_param),
    S(conv_op, 84, out_cvt, cvt_param),
};
LAYOUT(conv_op, conv_op, 0);

/* Behind the cubes. */
static const struct dla_member conv_tail[] = {N(conv_op, 0, 8, u_offset), N(conv_op, 8, 4, uv_line_stride)};
LAYOUT(conv_tail, conv_op, 0);

static const struct dla_member sdp_unit[] = {
    N(sdp_unit, 0, 1, enable),
    N(sdp_unit, 1, 1, alu_type),
    N(sdp_unit, 2, 1, type),
    N(sdp_unit, 3, 1, mode),
    N(sdp_unit, 4, 1, act),
    N(sdp_unit, 5, 1, shift),
    N(sdp_unit, 6, 1, truncate),
    N(sdp_unit, 7, 1, precision),
    N(sdp_unit, 8, 4, alu_operand),
    N(sdp_unit, 12, 4, mul_operand),
    S(sdp_unit, 16, alu_cvt, cvt_param),
    S(sdp_unit, 24, mul_cvt, cvt_param),
};
LAYOUT(sdp_unit, sdp_unit, 32);

static const struct dla_member sdp_op[] = {N(sdp_op, 0, 1, src_precision), N(sdp_op, 1, 1, dst_precision),
                                           N(sdp_op, 2, 2, lut),           S(sdp_op, 4, out_cvt, cvt_param),
                                           N(sdp_op, 12, 1, mode),         N(sdp_op, 13, 1, batch),
                                           N(sdp_op, 16, 4, batch_stride), S(sdp_op, 20, units, sdp_unit)};
LAYOUT(sdp_op, sdp_op, 0);

static const struct dla_member pdp_op[] = {
    N(pdp_op, 0, 2, in_first),     N(pdp_op, 2, 2, in_mid),     N(pdp_op, 4, 2, in_last),
    N(pdp_op, 6, 2, out_first),    N(pdp_op, 8, 2, out_mid),    N(pdp_op, 10, 2, out_last),
    N(pdp_op, 12, 1, split),       N(pdp_op, 13, 1, mode),      N(pdp_op, 14, 1, pool_width),
    N(pdp_op, 15, 1, pool_height), N(pdp_op, 16, 1, stride_x),  N(pdp_op, 17, 1, stride_y),
    N(pdp_op, 18, 1, pad_left),    N(pdp_op, 19, 1, pad_right), N(pdp_op, 20, 1, pad_top),
    N(pdp_op, 21, 1, pad_bottom),  N(pdp_op, 22, 1, precision), A(pdp_op, 24, 4, padding_value)};
LAYOUT(pdp_op, pdp_op, 0);

static const struct dla_member cdp_op[] = {
    N(cdp_op, 0, 1, in_precision),   N(cdp_op, 1, 1, out_precision),    N(cdp_op, 2, 2, lut),
    S(cdp_op, 4, in_cvt, cvt_param), S(cdp_op, 12, out_cvt, cvt_param), N(cdp_op, 20, 1, local_size),
    N(cdp_op, 21, 1, bypass_sqsum),  N(cdp_op, 22, 1, bypass_mul)};
LAYOUT(cdp_op, cdp_op, 0);

static const struct dla_member rubik_op[] = {N(rubik_op, 0, 1, mode), N(rubik_op, 1, 1, precision),
                                             N(rubik_op, 2, 1, stride_x), N(rubik_op, 3, 1, stride_y)};
LAYOUT(rubik_op, rubik_op, 0);

static const struct dla_member bdma_transfer[] = {
    N(bdma_transfer, 0, 2, source),
    N(bdma_transfer, 2, 2, destination),
    N(bdma_transfer, 4, 4, line),
    N(bdma_transfer, 8, 4, line_repeat),
    N(bdma_transfer, 12, 4, source_line),
    N(bdma_transfer, 16, 4, destination_line),
    N(bdma_transfer, 20, 4, surface_repeat),
    N(bdma_transfer, 24, 4, source_surface),
    N(bdma_transfer, 28, 4, destination_surface),
};
LAYOUT(bdma_transfer, bdma_transfer, 32);

static const struct dla_member bdma_op[] = {N(bdma_op, 0, 1, source_type), N(bdma_op, 1, 1, destination_type),
                                            N(bdma_op, 2, 2, transfer_count), S(bdma_op, 4, transfers, bdma_transfer)};
LAYOUT(bdma_op, bdma_op, 0);

/* The unit's precision says which is meant. */
static const struct dla_member lut_slope[] = {N(lut_slope, 0, 2, fp16), N(lut_slope, 0, 2, scale),
                                              N(lut_slope, 2, 1, shift)};
LAYOUT(lut_slope, lut_slope, 4);

static const struct dla_member lut_param[] = {
    A(lut_param, 0, 2, le),
    A(lut_param, 130, 2, lo),
    N(lut_param, 644, 1, le_offset),
    N(lut_param, 646, 1, lo_select),
    N(lut_param, 648, 8, le_start),
    N(lut_param, 656, 8, le_end),
    N(lut_param, 664, 8, lo_start),
    N(lut_param, 672, 8, lo_end),
    S(lut_param, 680, le_underflow, lut_slope),
    S(lut_param, 684, le_overflow, lut_slope),
    S(lut_param, 688, lo_underflow, lut_slope),
    S(lut_param, 692, lo_overflow, lut_slope),
    N(lut_param, 696, 1, hybrid),
    N(lut_param, 697, 1, underflow),
    N(lut_param, 698, 1, overflow),
    N(lut_param, 699, 1, method),
};
LAYOUT(lut_param, lut_param, TABLE_BYTES);

/* An operation's own layout and the places of its cubes. */
struct op_layout {
    const struct layout *layout;
    size_t cubes[5], cube_count;
};

#define PLACE(member) offsetof(struct operation, member)
static const struct op_layout op_layouts[TYPE_COUNT] = {
    [TYPE_BDMA] = {&bdma_op_layout, {0}, 0},
    [TYPE_CONV] = {&conv_op_layout, {PLACE(conv.weight), PLACE(conv.wmb), PLACE(conv.wgs), PLACE(src), PLACE(dst)}, 5},
    [TYPE_SDP] = {&sdp_op_layout,
                  {PLACE(src), PLACE(sdp.units[0].cube), PLACE(sdp.units[1].cube), PLACE(sdp.units[2].cube),
                   PLACE(dst)},
                  5},
    [TYPE_PDP] = {&pdp_op_layout, {PLACE(src), PLACE(dst)}, 2},
    [TYPE_CDP] = {&cdp_op_layout, {PLACE(src), PLACE(dst)}, 2},
    [TYPE_RUBIK] = {&rubik_op_layout, {PLACE(src), PLACE(dst)}, 2},
};

/* ---- decoding -------------------------------------------------------------------------------- */

static void decode_number(const struct dla_member *member, const uint8_t *bytes, void *to) {
    uint64_t value = 0;
    for (size_t i = 0; i < member->bytes; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    if (member->is_signed && bytes[member->bytes - 1] & 0x80 && member->bytes < 8)
        value |= UINT64_MAX << 8 * member->bytes;
    if (member->size == 1)
        *(bool *)to = value != 0;
    else if (member->size == 2)
        *(uint16_t *)to = (uint16_t)value;
    else if (member->size == 4)
        *(uint32_t *)to = (uint32_t)value;
    else
        *(uint64_t *)to = value;
}

static void decode(const struct layout *layout, const uint8_t *bytes, void *object) {
    for (const struct dla_member *member = layout->members; member < layout->members + layout->count; member++)
        for (size_t i = 0; i < member->count; i++) {
            char *to = (char *)object + member->to;
            if (member->parts)
                decode(member->parts, bytes + member->at + i * member->parts->bytes, to + i * member->parts->size);
            else
                decode_number(member, bytes + member->at + i * member->bytes, to + i * member->size);
        }
}

struct network_descriptor network_decode(const uint8_t *bytes) {
    struct network_descriptor descriptor;
    decode(&network_layout, bytes, &descriptor);
    return descriptor;
}

void dependency_decode(const uint8_t *bytes, struct operation *op) {
    decode(&dependency_layout, bytes, op);
}

void lut_decode(const uint8_t *bytes, struct lut_param *lut) {
    decode(&lut_param_layout, bytes, lut);
}

void operation_decode(const uint8_t *operation, const uint8_t *surface, bool old, struct operation *op) {
    const struct op_layout *type = &op_layouts[op->type];
    const struct layout *cubes = old ? &old_cube_layout : &cube_layout;
    memset((char *)op + PLACE(src), 0, sizeof *op - PLACE(src));
    decode(type->layout, op->type == TYPE_BDMA ? surface : operation, &op->conv);
    for (size_t i = 0; i < type->cube_count; i++)
        decode(cubes, surface + i * cubes->bytes, (char *)op + type->cubes[i]);
    if (op->type == TYPE_CONV)
        decode(&conv_tail_layout, surface + type->cube_count * cubes->bytes, &op->conv);
    if (op->type == TYPE_BDMA)
        op->src = op->dst = (struct data_cube){.type = CUBE_ON_THE_FLY, .position = -1};
}

/* ---- encoding -------------------------------------------------------------------------------- */

static void encode_number(const struct dla_member *member, const void *from, uint8_t *bytes) {
    const uint64_t value = member->size == 1   ? *(const bool *)from
                           : member->size == 2 ? *(const uint16_t *)from
                           : member->size == 4 ? *(const uint32_t *)from
                                               : *(const uint64_t *)from;
    for (size_t i = 0; i < member->bytes; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void encode(const struct layout *layout, const void *object, uint8_t *bytes) {
    for (const struct dla_member *member = layout->members; member < layout->members + layout->count; member++)
        for (size_t i = 0; i < member->count; i++) {
            const char *from = (const char *)object + member->to;
            if (member->parts)
                encode(member->parts, from + i * member->parts->size, bytes + member->at + i * member->parts->bytes);
            else
                encode_number(member, from + i * member->size, bytes + member->at + i * member->bytes);
        }
}

void network_encode(const struct network_descriptor *descriptor, uint8_t *bytes) {
    memset(bytes, 0, NETWORK_BYTES);
    encode(&network_layout, descriptor, bytes);
}

void dependency_encode(const struct operation *op, int index, uint8_t *bytes) {
    memset(bytes, 0, DEPENDENCY_BYTES);
    bytes[0] = (uint8_t)index;
    bytes[1] = (uint8_t)(index >> 8);
    encode(&dependency_layout, op, bytes);
}

void operation_encode(const struct operation *op, uint8_t *operation, uint8_t *surface) {
    const struct op_layout *type = &op_layouts[op->type];
    encode(type->layout, &op->conv, op->type == TYPE_BDMA ? surface : operation);
    for (size_t i = 0; i < type->cube_count; i++)
        encode(&cube_layout, (const char *)op + type->cubes[i], surface + i * cube_layout.bytes);
    if (op->type == TYPE_CONV)
        encode(&conv_tail_layout, &op->conv, surface + type->cube_count * cube_layout.bytes);
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
