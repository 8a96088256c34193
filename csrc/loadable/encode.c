/* Writes the driver's structures byte by byte. See encode.h. */
#include "loadable/encode.h"

#include <string.h>

enum { CUBE_BYTES = 32, UNIT_BYTES = 32 };

static void put(uint8_t *bytes, uint64_t value, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void put_8(uint8_t *bytes, unsigned value) {
    put(bytes, value, 1);
}

static void put_16(uint8_t *bytes, int value) {
    put(bytes, (uint64_t)(int64_t)value, 2);
}

static void put_32(uint8_t *bytes, int64_t value) {
    put(bytes, (uint64_t)value, 4);
}

void network_encode(const struct network_descriptor *network, uint8_t *b) {
    memset(b, 0, NETWORK_BYTES);
    put_16(b, network->operations);
    put_16(b + 2, network->surfaces);
    put_16(b + 4, network->dependencies);
    put_16(b + 6, network->tables);
    put_16(b + 8, network->roi_array);
    put_16(b + 10, network->roi_surface);
    put_16(b + 12, network->statistics);
    for (int type = 0; type < TYPE_COUNT; type++)
        put_16(b + 16 + 2 * type, network->heads[type]);
    put_16(b + 28, (int)network->roi_count);
    put_16(b + 30, (int)network->operation_count);
    put_16(b + 32, (int)network->table_count);
    put_16(b + 34, (int)network->address_count);
    put_16(b + 36, network->input_layer);
    b[38] = network->dynamic_roi;
}

static void put_edge(uint8_t *b, struct op_edge edge) {
    put_16(b, edge.operation);
    put_8(b + 2, edge.event);
}

void dependency_encode(const struct operation *op, int index, uint8_t *b) {
    memset(b, 0, DEPENDENCY_BYTES);
    put_16(b, index);
    put_8(b + 3, op->type);
    put_8(b + 4, op->counter);
    for (int type = 0; type < TYPE_COUNT; type++)
        put_edge(b + 8 + 4 * type, op->consumers[type]);
    put_edge(b + 32, op->fused_parent);
}

static void put_cvt(uint8_t *b, const struct cvt_param *cvt) {
    put_16(b, cvt->scale);
    put_8(b + 2, cvt->truncate);
    put_8(b + 3, cvt->enable);
    put_32(b + 4, cvt->offset);
}

/* The index-th cube of a container. */
static void put_cube(uint8_t *surface, int index, const struct data_cube *cube) {
    uint8_t *b = surface + index * CUBE_BYTES;
    put_16(b, (int)cube->type);
    put_16(b + 2, cube->position);
    put_32(b + 4, cube->offset);
    put_32(b + 8, cube->size);
    put_16(b + 12, (int)cube->width);
    put_16(b + 14, (int)cube->height);
    put_16(b + 16, (int)cube->channel);
    put_32(b + 20, cube->line_stride);
    put_32(b + 24, cube->surface_stride);
    put_32(b + 28, cube->plane_stride);
}

/* One-byte fields at their places. */
struct place {
    size_t at;
    unsigned value;
};

static void put_bytes(uint8_t *b, const struct place *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        put_8(b + places[i].at, places[i].value);
}

static void encode_conv(const struct operation *op, uint8_t *b, uint8_t *surface) {
    const struct conv_op *conv = &op->conv;
    const struct place places[] = {
        {0, conv->mode},
        {1, conv->data_reuse},
        {2, conv->weight_reuse},
        {3, conv->skip_data_rls},
        {4, conv->skip_weight_rls},
        {8, conv->data_format},
        {9, conv->pixel_mapping},
        {20, conv->batch},
        {21, conv->weight_format},
        {22, conv->data_bank},
        {23, conv->weight_bank},
        {28, conv->post_extension},
        {29, conv->pixel_override},
        {60, conv->mean_format},
        {61, conv->stride_x},
        {62, conv->stride_y},
        {63, conv->pad_left},
        {64, conv->pad_right},
        {65, conv->pad_top},
        {66, conv->pad_bottom},
        {67, conv->dilation_x},
        {68, conv->dilation_y},
        {71, conv->pra_truncate},
        {72, conv->in_precision},
        {73, conv->out_precision},
    };
    const unsigned sizes[] = {conv->w_csc,  conv->h_csc,  conv->c_csc,  conv->kw_csc,
                              conv->kh_csc, conv->kc_csc, conv->w_cmac, conv->h_cmac};
    const int means[] = {conv->mean_ry, conv->mean_gu, conv->mean_bv, conv->mean_ax};
    put_bytes(b, places, sizeof places / sizeof *places);
    put_16(b + 6, (int)conv->entry_per_slice);
    put_16(b + 10, (int)conv->fetch_grain);
    put_32(b + 24, conv->batch_stride);
    put_16(b + 30, (int)conv->release);
    for (int i = 0; i < 8; i++)
        put_16(b + 32 + 2 * i, (int)sizes[i]);
    put_32(b + 48, conv->bytes_per_kernel);
    for (int i = 0; i < 4; i++)
        put_16(b + 52 + 2 * i, means[i]);
    put_16(b + 74, conv->pad_value);
    put_cvt(b + 76, &conv->in_cvt);
    put_cvt(b + 84, &conv->out_cvt);
    put_cube(surface, 0, &conv->weight);
    put_cube(surface, 1, &conv->wmb);
    put_cube(surface, 2, &conv->wgs);
    put_cube(surface, 3, &op->src);
    put_cube(surface, 4, &op->dst);
    put(surface + 5 * CUBE_BYTES, (uint64_t)conv->u_offset, 8);
    put_32(surface + 5 * CUBE_BYTES + 8, conv->uv_line_stride);
}

static void put_unit(uint8_t *b, const struct sdp_unit *unit) {
    const struct place places[] = {{0, unit->enable}, {1, unit->alu_type}, {2, unit->type},     {3, unit->mode},
                                   {4, unit->act},    {5, unit->shift},    {6, unit->truncate}, {7, unit->precision}};
    put_bytes(b, places, sizeof places / sizeof *places);
    put_32(b + 8, unit->alu_operand);
    put_32(b + 12, unit->mul_operand);
    put_cvt(b + 16, &unit->alu_cvt);
    put_cvt(b + 24, &unit->mul_cvt);
}

static void encode_sdp(const struct operation *op, uint8_t *b, uint8_t *surface) {
    const struct sdp_op *sdp = &op->sdp;
    put_8(b, sdp->src_precision);
    put_8(b + 1, sdp->dst_precision);
    put_16(b + 2, sdp->lut);
    put_cvt(b + 4, &sdp->out_cvt);
    put_8(b + 12, sdp->mode);
    put_8(b + 13, sdp->batch);
    put_32(b + 16, sdp->batch_stride);
    put_cube(surface, 0, &op->src);
    for (int i = 0; i < SDP_UNITS; i++) {
        put_unit(b + 20 + UNIT_BYTES * i, &sdp->units[i]);
        put_cube(surface, 1 + i, &sdp->units[i].cube);
    }
    put_cube(surface, 4, &op->dst);
}

static void encode_pdp(const struct operation *op, uint8_t *b, uint8_t *surface) {
    const struct pdp_op *pdp = &op->pdp;
    const unsigned widths[] = {pdp->in_first, pdp->in_mid, pdp->in_last, pdp->out_first, pdp->out_mid, pdp->out_last};
    const struct place places[] = {
        {12, pdp->split},    {13, pdp->mode},       {14, pdp->pool_width}, {15, pdp->pool_height},
        {16, pdp->stride_x}, {17, pdp->stride_y},   {18, pdp->pad_left},   {19, pdp->pad_right},
        {20, pdp->pad_top},  {21, pdp->pad_bottom}, {22, pdp->precision},
    };
    for (int i = 0; i < 6; i++)
        put_16(b + 2 * i, (int)widths[i]);
    put_bytes(b, places, sizeof places / sizeof *places);
    for (int i = 0; i < 7; i++)
        put_32(b + 24 + 4 * i, pdp->padding_value[i]);
    put_cube(surface, 0, &op->src);
    put_cube(surface, 1, &op->dst);
}

void operation_encode(const struct operation *op, uint8_t *operation, uint8_t *surface) {
    if (op->type == TYPE_CONV)
        encode_conv(op, operation, surface);
    else if (op->type == TYPE_SDP)
        encode_sdp(op, operation, surface);
    else
        encode_pdp(op, operation, surface);
}
