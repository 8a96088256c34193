/* The arithmetic of one element, read back from the recorded streams and from the layer's registers; see evidence.h.
 *
 * Nothing is recomputed: each line shows the value of a stream at the element's position, in RTL and model, so the
 * faulty step is between the last equal line and the first different one. */
#include "triage/evidence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "layers/conv_order.h"
#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/view.h"
#include "nvdla/xalloc.h"
#include "triage/recorded.h"

enum { ADDENDS_SHOWN = 32, LANES_SHOWN = 64 };

/* ---- registers ---- */

static void show_registers(const struct triage_input *input, const struct launch *launch, const uint32_t *offsets,
                           size_t count, struct diagnosis *to) {
    const uint32_t base = nvdla_unit_base(input->config, launch->unit);
    for (size_t i = 0; i < count; i++) {
        char name[64], fields[512];
        const struct nvdla_register *reg = nvdla_register_at(input->config, base + offsets[i]);
        const uint32_t value = launch_register(launch, offsets[i]);
        if (to->first_register > to->evidence.count)
            to->first_register = to->evidence.count;
        if (reg)
            words_add(&to->evidence, "  %s = 0x%08x  %s",
                      nvdla_register_name(input->config, base + offsets[i], name, sizeof name), value,
                      nvdla_register_decode(reg, value, fields, sizeof fields));
    }
}
#define SHOW_REGISTERS(input, launch, to, ...)                                                                         \
    show_registers(input, launch, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, to)

/* ---- convolution ---- */

/* The partial sums of one output, one per atomic operation. */
struct addends {
    struct addend {
        struct both both;
    } *items;
    size_t count;
};

struct adding {
    struct addends *addends;
    int side;
};

static bool take_addend(void *context, const struct tap_element *element) {
    const struct adding *adding = context;
    struct addends *all = adding->addends;
    const int32_t index = element->at.place.reduction;
    if (index < 0)
        return true;
    while (all->count <= (size_t)index)
        *xadd(all->items, all->count) = (struct addend){.both = {.seen = {false}}};
    struct addend *addend = &all->items[index];
    addend->both.seen[adding->side] = true;
    addend->both.side[adding->side] = *element;
    return true;
}

/* Lanes of an atom or of a kernel's weights. */
struct lanes {
    int32_t first; /* channel of the first one found */
    int count[SIDES];
    struct tap_element value[SIDES][LANES_SHOWN];
    uint64_t cycle;
};

struct laning {
    struct lanes *lanes;
    int side;
    uint64_t limit; /* latest clock of the RTL; 0: no limit */
    uint64_t last;  /* clock of the chosen beat */
};

/* Keeps the last matching beat not later than the limit. */
static bool take_lane(void *context, const struct tap_element *element) {
    struct laning *laning = context;
    struct lanes *lanes = laning->lanes;
    const int side = laning->side;
    if (laning->limit && element->at.place.cycle > laning->limit)
        return false;
    if (side == 0 && element->at.place.cycle != laning->last) {
        laning->last = element->at.place.cycle;
        lanes->count[0] = 0;
        lanes->cycle = laning->last;
    }
    if (lanes->count[side] == 0)
        lanes->first = element->at.place.channel;
    if (lanes->count[side] < LANES_SHOWN)
        lanes->value[side][lanes->count[side]++] = *element;
    return true;
}

static void show_lanes(const char *name, const struct lanes *lanes, struct diagnosis *to) {
    static const char *const sides[SIDES] = {"RTL", "model"};
    for (int side = 0; side < SIDES; side++) {
        autotext struct text text = {0};
        char value[TAP_VALUE_TEXT];
        for (int i = 0; i < lanes->count[side]; i++)
            text_printf(&text, " %s", tap_value_text(&lanes->value[side][i], value));
        if (lanes->count[side] > 0)
            words_add(&to->evidence, "  %-24s %-5s%s", name, sides[side], text.text);
    }
}

static bool is_winograd(const struct triage_input *input, int ordinal) {
    const struct launch *csc = layer_tracker_find(input->launches, NVDLA_CSC, ordinal);
    if (!csc)
        return false;
    const struct registers_view view = launch_view(input->config, csc);
    return conv_order(&view, false).winograd;
}

/* The origin of an atomic operation's atom: input position, address and clock of its read. */
static void show_input(const struct triage_input *input, int ordinal, const struct wanted *output, int32_t channel,
                       struct diagnosis *to) {
    const struct launch *csc = layer_tracker_find(input->launches, NVDLA_CSC, ordinal);
    const struct launch *cdma = layer_tracker_find(input->launches, NVDLA_CDMA, ordinal);
    struct cube cube;
    bool primary;
    if (!csc || !cdma || output->reduction < 0 || !launch_input_cube(input->config, cdma, &cube, &primary) ||
        is_winograd(input, ordinal))
        return;
    cube.base += (uint64_t)output->batch * cube.batch_stride;
    const struct registers_view view = launch_view(input->config, csc);
    const int columns = (int)FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1;
    const int rows = (int)FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1;
    const int column = output->reduction % columns, row = output->reduction / columns % rows;
    const int x = output->x * ((int)FIELD(&view, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1) +
                  column * ((int)FIELD(&view, CSC, D_DILATION_EXT, X_DILATION_EXT) + 1) -
                  (int)FIELD(&view, CSC, D_ZERO_PADDING, PAD_LEFT);
    const int y = output->y * ((int)FIELD(&view, CSC, D_CONV_STRIDE_EXT, CONV_Y_STRIDE_EXT) + 1) +
                  row * ((int)FIELD(&view, CSC, D_DILATION_EXT, Y_DILATION_EXT) + 1) -
                  (int)FIELD(&view, CSC, D_ZERO_PADDING, PAD_TOP);
    words_add(&to->evidence, "  kernel row %d, column %d; input y %d, x %d, channels from %" PRId32, row, column, y, x,
              channel);
    if (x < 0 || y < 0 || x >= cube.width || y >= cube.height)
        words_add(&to->evidence, "  input: padding (PAD_VALUE %u)",
                  (unsigned)FIELD(&view, CSC, D_ZERO_PADDING_VALUE, PAD_VALUE));
    else if (channel >= 0)
        recorded_show_read(input, NVDLA_READ_CDMA_DAT, "input",
                           cube_atom_address(&cube, channel / cube.atom, y, x) + (uint64_t)(channel % cube.atom), to);
}

/* The products of one atomic operation for one kernel. */
static void show_operation(const struct triage_input *input, int ordinal, const struct wanted *output, uint64_t limit,
                           struct diagnosis *to) {
    const char *const folders[SIDES] = {input->rtl, input->model};
    struct lanes atom = {.first = -1}, weights = {.first = -1};
    const bool winograd = is_winograd(input, ordinal); /* data are those of the tile */
    const struct wanted any_channel = {ordinal,
                                       -1,
                                       winograd ? output->y - output->y % 2 : output->y,
                                       winograd ? output->x - output->x % 2 : output->x,
                                       output->reduction,
                                       output->batch};
    const struct wanted kernel = {ordinal, output->channel, -1, -1, output->reduction, 0};
    for (int side = 0; side < SIDES; side++) {
        recorded_each(folders[side], NVDLA_CSC, TAP_CSC_DAT, 0, &any_channel, take_lane,
                      &(struct laning){.lanes = &atom, .side = side});
        recorded_each(folders[side], NVDLA_CSC, TAP_CSC_WT, 0, &kernel, take_lane,
                      &(struct laning){.lanes = &weights, .side = side, .limit = side == 0 ? limit : 0});
    }
    show_lanes("input (CSC_DAT)", &atom, to);
    show_lanes("weights (CSC_WT)", &weights, to);
    show_input(input, ordinal, output, atom.first, to);
}

/* The partial sums of an output and the first wrong one. */
static void show_sums(const struct triage_input *input, int ordinal, const struct wanted *output,
                      struct diagnosis *to) {
    const char *const folders[SIDES] = {input->rtl, input->model};
    const struct launch *csc = layer_tracker_find(input->launches, NVDLA_CSC, ordinal);
    if (!csc)
        return;
    const struct registers_view view = launch_view(input->config, csc);
    const struct conv_order order = conv_order(&view, false); /* its stripes do not matter */
    const bool first_half = (size_t)output->channel % order.group < order.group / 2;
    const enum nvdla_unit unit = first_half ? NVDLA_CMAC_A : NVDLA_CMAC_B;
    struct addends sums = {.count = 0};
    struct wanted any = *output;
    any.ordinal = ordinal;
    any.reduction = -1;
    if (!recorded_each(folders[0], unit, TAP_CMAC_SUM, 0, &any, take_addend, &(struct adding){&sums, 0}))
        return; /* the RTL does not show them */
    recorded_each(folders[1], unit, TAP_CMAC_SUM, 0, &any, take_addend, &(struct adding){&sums, 1});
    int64_t total[SIDES] = {0};
    size_t wrong = sums.count, different = 0;
    for (size_t i = 0; i < sums.count; i++) {
        const struct both *sum = &sums.items[i].both;
        total[0] += sum->side[0].value;
        total[1] += sum->side[1].value;
        if (sum->seen[0] == sum->seen[1] && sum->side[0].value == sum->side[1].value)
            continue;
        if (wrong == sums.count)
            wrong = i;
        if (++different > ADDENDS_SHOWN)
            continue;
        char name[40];
        snprintf(name, sizeof name, "sum of operation %zu", i);
        recorded_show(name, sum, to);
    }
    if (different < sums.count)
        words_add(&to->evidence, "  sums of %zu%s operations are equal", sums.count - different,
                  different ? " other" : "");
    const char *shown = different > ADDENDS_SHOWN ? " (the first that differ are shown)" : "";
    if (sums.count > 0 && order.precision == NVDLA_FP16)
        words_add(&to->evidence, "  %zu sums of %s%s", sums.count, nvdla_unit_names[unit], shown);
    else if (sums.count > 0)
        words_add(&to->evidence, "  %zu sums of %s%s: RTL %" PRId64 ", model %" PRId64, sums.count,
                  nvdla_unit_names[unit], shown, total[0], total[1]);
    if (wrong < sums.count) {
        struct wanted operation = *output;
        operation.reduction = (int32_t)wrong;
        show_operation(input, ordinal, &operation, sums.items[wrong].both.side[0].at.place.cycle, to);
    }
    free(sums.items);
}

/* The launch of SDP that receives the results of a convolution, or NULL. */
static const struct launch *sdp_of_conv(const struct triage_input *input, int ordinal) {
    const struct launch *sdp;
    for (int i = 0; (sdp = layer_tracker_find(input->launches, NVDLA_SDP, i)); i++) {
        const struct launch *cacc = layer_tracker_feeder(input->launches, sdp, NVDLA_CACC);
        if (cacc && cacc->ordinal == ordinal)
            return sdp;
    }
    return NULL;
}

/* ---- SDP ---- */

static void show_operands(const struct triage_input *input, const struct launch *sdp, const struct wanted *at,
                          struct diagnosis *to) {
    static const enum nvdla_client clients[SDP_STAGES] = {NVDLA_READ_SDP_B, NVDLA_READ_SDP_N, NVDLA_READ_SDP_E};
    static const char *const names[SDP_STAGES] = {"operand of X1", "operand of X2", "operand of Y"};
    const struct launch *rdma = layer_tracker_feeder(input->launches, sdp, NVDLA_SDP_RDMA);
    if (!rdma || at->channel < 0)
        return;
    const struct registers_view view = launch_view(input->config, rdma);
    const struct sdp_rdma_cubes cubes = sdp_rdma_cubes(&view);
    for (int stage = 0; stage < SDP_STAGES; stage++) {
        const struct sdp_operands *operands = &cubes.operands[stage];
        if (!operands->enabled)
            continue;
        const uint64_t bytes = (uint64_t)operands->components * operands->component_bytes;
        const uint64_t lanes = (uint64_t)cubes.shape.lanes, channel = (uint64_t)at->channel;
        uint64_t address = operands->base + channel % lanes * bytes;
        const bool one = cubes.shape.width == 1 && cubes.shape.height == 1; /* section 4: packed, without strides */
        if (operands->per_element && !one)
            address += channel / lanes * operands->surface_stride + (uint64_t)at->y * operands->line_stride +
                       (uint64_t)at->x * lanes * bytes;
        else
            address += channel / lanes * lanes * bytes;
        recorded_show_read(input, clients[stage], names[stage], address, to);
    }
    struct cube cube;
    bool primary;
    if (!cubes.shape.flying && launch_input_cube(input->config, rdma, &cube, &primary))
        recorded_show_read(
            input, NVDLA_READ_SDP, "input",
            cube_atom_address(&cube, at->channel / cube.atom, at->y, at->x) + (uint64_t)(at->channel % cube.atom), to);
}

static void show_sdp(const struct triage_input *input, int ordinal, const struct wanted *output, struct diagnosis *to) {
    static const enum tap taps[] = {TAP_SDP_IN,      TAP_SDP_X1,     TAP_SDP_X2, TAP_SDP_LUT_IN,
                                    TAP_SDP_LUT_OUT, TAP_SDP_CVT_IN, TAP_SDP_OUT};
    struct wanted at = *output;
    at.ordinal = ordinal;
    at.reduction = -1;
    for (size_t i = 0; i < sizeof taps / sizeof taps[0]; i++) {
        const struct both both = recorded_find(input, NVDLA_SDP, taps[i], &at);
        recorded_show(tap_names[taps[i]], &both, to);
    }
    const struct launch *sdp = layer_tracker_find(input->launches, NVDLA_SDP, ordinal);
    if (!sdp)
        return;
    show_operands(input, sdp, &at, to);
    SHOW_REGISTERS(input, sdp, to, SDP_D_DP_BS_CFG, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_SRC_VALUE, SDP_D_DP_BS_MUL_CFG,
                   SDP_D_DP_BS_MUL_SRC_VALUE, SDP_D_DP_BN_CFG, SDP_D_DP_BN_ALU_CFG, SDP_D_DP_BN_ALU_SRC_VALUE,
                   SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_SRC_VALUE, SDP_D_CVT_OFFSET, SDP_D_CVT_SCALE, SDP_D_CVT_SHIFT);
}

static void show_conv(const struct triage_input *input, int ordinal, const struct wanted *output,
                      struct diagnosis *to) {
    show_sums(input, ordinal, output, to);
    struct wanted at = *output;
    at.reduction = -1;
    const struct both both = recorded_find(input, NVDLA_CACC, TAP_CACC_SAT, &at);
    recorded_show(tap_names[TAP_CACC_SAT], &both, to);
    const struct launch *cacc = layer_tracker_find(input->launches, NVDLA_CACC, ordinal);
    if (cacc)
        SHOW_REGISTERS(input, cacc, to, CACC_D_CLIP_CFG);
    const struct launch *sdp = sdp_of_conv(input, ordinal);
    if (sdp)
        show_sdp(input, sdp->ordinal, output, to);
}

/* ---- PDP and CDP ---- */

static void show_pdp(const struct triage_input *input, const struct wanted *output, struct diagnosis *to) {
    const struct launch *pdp = layer_tracker_find(input->launches, NVDLA_PDP, output->ordinal);
    if (!pdp)
        return;
    const struct registers_view view = launch_view(input->config, pdp);
    const int width = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1;
    const int height = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1;
    const int left = output->x * ((int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1) -
                     (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_LEFT);
    const int top = output->y * ((int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1) -
                    (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_TOP);
    for (int y = top < 0 ? 0 : top; y < top + height; y++) {
        for (int x = left < 0 ? 0 : left; x < left + width; x++) {
            char name[40];
            const struct wanted at = {output->ordinal, output->channel, y, x, -1, 0};
            const struct both both = recorded_find(input, NVDLA_PDP, TAP_PDP_IN, &at);
            snprintf(name, sizeof name, "PDP_IN y %d, x %d", y, x);
            recorded_show(name, &both, to);
        }
    }
    SHOW_REGISTERS(input, pdp, to, PDP_D_OPERATION_MODE_CFG, PDP_D_POOLING_KERNEL_CFG, PDP_D_POOLING_PADDING_CFG,
                   PDP_D_RECIP_KERNEL_WIDTH, PDP_D_RECIP_KERNEL_HEIGHT);
}

static void show_cdp(const struct triage_input *input, const struct wanted *output, struct diagnosis *to) {
    static const enum tap taps[] = {TAP_CDP_SUM, TAP_LUT_HIT, TAP_LUT_OUT, TAP_CDP_CVT_IN, TAP_CDP_OUT};
    const struct launch *cdp = layer_tracker_find(input->launches, NVDLA_CDP, output->ordinal);
    if (!cdp)
        return;
    const int reach = (int)REGISTER_FIELD(launch_register(cdp, CDP_D_LRN_CFG), CDP_D_LRN_CFG__NORMALZ_LEN) + 1;
    for (int32_t channel = output->channel - reach; channel <= output->channel + reach; channel++) {
        char name[40];
        const struct wanted at = {output->ordinal, channel, output->y, output->x, -1, 0};
        if (channel < 0)
            continue;
        const struct both both = recorded_find(input, NVDLA_CDP, TAP_CDP_IN, &at);
        snprintf(name, sizeof name, "CDP_IN channel %" PRId32, channel);
        recorded_show(name, &both, to);
    }
    for (size_t i = 0; i < sizeof taps / sizeof taps[0]; i++) {
        const struct both both = recorded_find(input, NVDLA_CDP, taps[i], output);
        recorded_show(tap_names[taps[i]], &both, to);
    }
    SHOW_REGISTERS(input, cdp, to, CDP_S_LUT_CFG, CDP_S_LUT_INFO, CDP_D_LRN_CFG, CDP_D_DATIN_OFFSET, CDP_D_DATIN_SCALE,
                   CDP_D_DATIN_SHIFTER, CDP_D_DATOUT_OFFSET, CDP_D_DATOUT_SCALE, CDP_D_DATOUT_SHIFTER);
}

/* ---- CDMA ---- */

/* The data fetched for an entry of CBUF. */
static void show_fetch(const struct triage_input *input, const struct tap_position *at, struct diagnosis *to) {
    const struct launch *cdma = layer_tracker_find(input->launches, NVDLA_CDMA, at->stream.ordinal);
    struct cube cube;
    bool primary;
    const struct tap_place *place = &at->place;
    if (!cdma)
        return;
    if (at->stream.tap == TAP_CBUF_DAT && place->channel >= 0 && place->y >= 0 && place->x >= 0 &&
        launch_input_cube(input->config, cdma, &cube, &primary))
        recorded_show_read(input, NVDLA_READ_CDMA_DAT, "input",
                           cube_atom_address(&cube, place->channel / cube.atom, place->y, place->x) +
                               (uint64_t)(place->channel % cube.atom),
                           to);
    SHOW_REGISTERS(input, cdma, to, CDMA_D_MISC_CFG, CDMA_D_DATAIN_FORMAT, CDMA_D_DATAIN_SIZE_0, CDMA_D_DATAIN_SIZE_1,
                   CDMA_D_CVT_CFG, CDMA_D_CVT_OFFSET, CDMA_D_CVT_SCALE, CDMA_D_BANK, CDMA_D_ENTRY_PER_SLICE);
}

void evidence(const struct triage_input *input, enum nvdla_unit unit, enum tap tap,
              const struct tap_difference *difference, struct diagnosis *to) {
    const struct tap_position *at = &difference->b.at;
    to->first_register = SIZE_MAX;
    const struct wanted element = {at->stream.ordinal, at->place.channel,   at->place.y,
                                   at->place.x,        at->place.reduction, at->place.batch < 0 ? 0 : at->place.batch};
    switch (unit) {
    case NVDLA_CDMA:
        show_fetch(input, at, to);
        break;
    case NVDLA_CSC:
        if (tap == TAP_CSC_DAT)
            show_input(input, element.ordinal, &element, element.channel, to);
        break;
    case NVDLA_CMAC_A:
    case NVDLA_CMAC_B:
        show_operation(input, element.ordinal, &element, difference->a.at.place.cycle, to);
        show_conv(input, element.ordinal, &element, to);
        break;
    case NVDLA_CACC:
        show_conv(input, element.ordinal, &element, to);
        break;
    case NVDLA_SDP:
        show_sdp(input, element.ordinal, &element, to);
        break;
    case NVDLA_PDP:
        if (tap == TAP_PDP_OUT)
            show_pdp(input, &element, to);
        break;
    case NVDLA_CDP:
        show_cdp(input, &element, to);
        break;
    default:
        break;
    }
}
