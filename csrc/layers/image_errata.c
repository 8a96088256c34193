/* From the registers of CDMA and CSC to the laws of NVIDIA's errata. See image_errata.h. */
#include "layers/image_errata.h"

#include "layers/cubes.h"
#include "nvdla_offsets.h"

enum { MEASURED_LANES = 8 }; /* AtomicC of the configurations for which E2 is known */

/* Elements of a pixel as CSC counts them. */
static size_t pixel_of(const struct registers_view *view) {
    const uint32_t channel = VALUE(view, CSC, D_DATAIN_SIZE_EXT_1) & 3;
    return channel < 2 ? 1 : channel + 1;
}

struct errata_line image_errata_line(const struct registers_view *view) {
    const size_t lanes = (size_t)view->config->atomic_c, kernels = 2 * (size_t)view->config->atomic_k;
    const bool winograd = nvdla_has(view->config, FEATURE_WINOGRAD) && FIELD(view, CSC, D_MISC_CFG, CONV_MODE) != 0;
    const bool concerned = FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0 && !winograd &&
                           FIELD(view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION) == 0;
    return (struct errata_line){
        .lanes = lanes,
        .stripe = lanes > kernels ? lanes : kernels,
        .row = concerned ? (size_t)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1 : 0,
        .step = (size_t)(FIELD(view, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1) * pixel_of(view),
        .outputs = (size_t)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1};
}

bool image_takes_others(const struct registers_view *view) {
    const struct errata_line line = image_errata_line(view);
    const struct cdma_cubes input = cdma_cubes(view);
    const size_t first = input.pad_left * pixel_of(view);
    const struct errata_pixels pixels = {.first = first,
                                         .end = first + input.width * pixel_of(view),
                                         .pads_are_zero = VALUE(view, CDMA, D_ZERO_PADDING_VALUE) == 0};
    return input.pixel && errata_line_differs(&line, &pixels);
}

bool image_pads_are_lost(const struct registers_view *view) {
    const struct cdma_cubes input = cdma_cubes(view);
    return view->config->atomic_c == MEASURED_LANES && input.pixel &&
           errata_pads_are_lost((size_t)input.pixel->components, input.width, input.pad_left, input.pad_right,
                                input.x_offset);
}

bool launches_have_erratum(const struct layer_tracker *launches) {
    const struct launch *input, *core;
    for (int n = 0; (core = layer_tracker_find(launches, NVDLA_CSC, n)) != NULL; n++) {
        struct registers_view view = launch_view(layer_tracker_config(launches), core);
        input = layer_tracker_find(launches, NVDLA_CDMA, n);
        launch_view_add(&view, input);
        if (input && (image_takes_others(&view) || image_pads_are_lost(&view)))
            return true;
    }
    return false;
}
