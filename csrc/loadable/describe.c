/* Operations in words and numbers. See describe.h. */
#include "loadable/describe.h"

#include <stdlib.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { WINOGRAD = 1 };

const char *precision_name(unsigned precision) {
    return precision == 0 ? "int8" : precision == 1 ? "int16" : precision == 2 ? "fp16" : "?";
}

static char *describe_sdp(const struct operation *op) {
    static const char *const names[SDP_UNITS] = {"x1", "x2", "y"};
    static const char *const kinds[] = {"", " mul", " add", " mul add"};
    static const char *const modes[] = {"", " per kernel", " per point"};
    static const char *const acts[] = {"", " ReLU", " table", " PReLU"};
    struct text text = {0};
    for (int u = 0; u < SDP_UNITS; u++) {
        const struct sdp_unit *unit = &op->sdp.units[u];
        if (unit->enable)
            text_printf(&text, "%s%s%s%s%s", text.n ? ", " : "", names[u], unit->type < 4 ? kinds[unit->type] : "",
                        unit->type && unit->mode < 3 ? modes[unit->mode] : "", unit->act < 4 ? acts[unit->act] : "");
    }
    return text.text ? text.text : xstrdup("");
}

char *operation_description(const struct operation *op) {
    static const char *const pools[] = {"average", "max", "min"};
    static const char *const rubiks[] = {"contract", "split", "merge"};
    switch ((enum op_type)op->type) {
    case TYPE_BDMA:
        return xprintf("%u transfers", op->bdma.transfer_count);
    case TYPE_CONV:
        return xprintf("%ux%u, stride %u%s%s", op->conv.weight.width, op->conv.weight.height, op->conv.stride_x,
                       op->conv.mode == WINOGRAD ? ", Winograd" : "",
                       op->conv.data_format < PIXEL_FEATURE ? ", pixels" : "");
    case TYPE_SDP:
        return describe_sdp(op);
    case TYPE_PDP:
        return xprintf("%s %ux%u, stride %u", op->pdp.mode < 3 ? pools[op->pdp.mode] : "?", op->pdp.pool_width + 1,
                       op->pdp.pool_height + 1, op->pdp.stride_x);
    case TYPE_CDP:
        return xprintf("over %u channels", op->cdp.local_size);
    default:
        return xstrdup(op->type == TYPE_RUBIK && op->rubik.mode < 3 ? rubiks[op->rubik.mode] : "?");
    }
}

static uint64_t parts(uint64_t all, uint64_t part) {
    return (all + part - 1) / part;
}

uint64_t operation_multiplications(const struct operation *op) {
    if (op->type != TYPE_CONV)
        return 0;
    const struct conv_op *conv = &op->conv;
    const uint64_t pixels = (uint64_t)op->dst.width * op->dst.height;
    const uint64_t per_channel = conv->mode == WINOGRAD ? parts(pixels, 4) * conv->kc_csc * 16
                                                        : pixels * conv->kc_csc * conv->kw_csc * conv->kh_csc;
    return per_channel * op->dst.channel * (conv->batch ? conv->batch : 1);
}

uint64_t operation_mac_clocks(const struct operation *op, const struct nvdla_config *config) {
    if (op->type != TYPE_CONV)
        return 0;
    const struct conv_op *conv = &op->conv;
    /* 16-bit types: half as many kernels at a time. */
    const uint64_t kernels = (uint64_t)config->atomic_k / (conv->out_precision ? 2 : 1),
                   channels = (uint64_t)config->atomic_c;
    if (conv->mode == WINOGRAD)
        return parts(operation_multiplications(op), channels * kernels);
    return (uint64_t)op->dst.width * op->dst.height * conv->kw_csc * conv->kh_csc * (conv->batch ? conv->batch : 1) *
           parts(conv->kc_csc, channels) * parts(op->dst.channel, kernels);
}

static void add_cube(void *context, struct data_cube *cube, const char *name) {
    uint64_t *bytes = context;
    (void)name;
    if (cube->type <= CUBE_SRAM && cube->position >= 0)
        *bytes += cube->size;
}

uint64_t operation_least_clocks(const struct operation *op, const struct nvdla_config *config) {
    struct operation copy = *op;
    uint64_t bytes = 0;
    if (op->type == TYPE_BDMA)
        for (unsigned i = 0; i < op->bdma.transfer_count && i < BDMA_TRANSFERS; i++)
            bytes += (uint64_t)op->bdma.transfers[i].line * op->bdma.transfers[i].line_repeat;
    else
        operation_cubes(&copy, add_cube, &bytes);
    const uint64_t port = parts(bytes, (uint64_t)config->dbb_data_bits / 8), mac = operation_mac_clocks(op, config);
    const uint64_t most = port > mac ? port : mac;
    return most ? most : 1;
}
