/* Memory ranges from registers. See extents.h. */
#include "layers/extents.h"

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "nvdla/sizes.h"

struct extent_list {
    struct memory_extent *extents;
    size_t count;
};

static void add(struct extent_list *list, bool primary, uint64_t start, uint64_t size) {
    if (size > 0 && list->count < LAUNCH_EXTENTS)
        list->extents[list->count++] = (struct memory_extent){primary, start, size};
}

static void add_cube(struct extent_list *list, const struct cube *cube, bool primary) {
    add(list, primary, cube_atom_address(cube, 0, 0, 0), cube_extent(cube));
}

/* Planes of an image: whole lines; those of the second plane are shifted by the remainder of X_OFFSET within an
 * atom. */
static void add_image(struct extent_list *list, const struct cdma_cubes *cdma, size_t atom) {
    for (int plane = 0; cdma->pixel && plane < cdma->pixel->planes; plane++) {
        const size_t bytes = (size_t)cdma->pixel->pixel_bytes[plane];
        const size_t offset = plane > 0 ? cdma->x_offset % (atom / bytes) : cdma->x_offset;
        const uint64_t line = ceil_div((offset + cdma->width) * bytes, atom) * atom;
        add(list, cdma->data_primary, cdma->base[plane], (cdma->height - 1) * cdma->line_stride[plane] + line);
    }
}

static void add_feature(struct extent_list *list, const struct cdma_cubes *cdma, const struct nvdla_config *config) {
    const struct memory_cube feature = cdma_feature(cdma, config);
    add_cube(list, &feature.cube, feature.primary);
}

static void add_cdma(struct extent_list *list, const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const struct cdma_cubes cdma = cdma_cubes(&view);
    const size_t atom = (size_t)config->mem_atom;
    if (launch->fetches_data && cdma.mode == CDMA_IMAGE)
        add_image(list, &cdma, atom);
    else if (launch->fetches_data)
        add_feature(list, &cdma, config);
    if (!launch->fetches_weights)
        return;
    add(list, cdma.weight_primary, cdma.weights, cdma.weight_atoms * atom);
    if (cdma.compressed) {
        add(list, cdma.weight_primary, cdma.masks, cdma.mask_atoms * atom);
        add(list, cdma.weight_primary, cdma.sizes,
            ceil_div(ceil_div(cdma.kernels, cdma.kernel_group) * 4, atom) * atom);
    }
}

static void add_sdp_rdma(struct extent_list *list, const struct nvdla_config *config, const struct launch *launch) {
    static const enum nvdla_client clients[SDP_STAGES] = {NVDLA_READ_SDP_B, NVDLA_READ_SDP_N, NVDLA_READ_SDP_E};
    const struct registers_view view = launch_view(config, launch);
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(&view);
    if (!rdma.shape.flying)
        add_cube(list, &rdma.source.cube, rdma.source.primary);
    for (int stage = 0; stage < SDP_STAGES; stage++) {
        const struct sdp_operands *operands = &rdma.operands[stage];
        const uint64_t bytes = launch_atoms(config, launch, clients[stage]) * (uint64_t)config->mem_atom;
        const uint64_t surfaces = (uint64_t)rdma.shape.surfaces, lines = (uint64_t)rdma.shape.height;
        if (operands->enabled && !operands->per_element)
            add(list, operands->primary, operands->base, bytes);
        else if (operands->enabled)
            add(list, operands->primary, operands->base,
                (surfaces - 1) * operands->surface_stride + (lines - 1) * operands->line_stride +
                    bytes / (surfaces * lines));
    }
}

static void add_bdma(struct extent_list *list, const struct nvdla_config *config, const struct launch *launch) {
    struct launch_block block;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++)
        add_cube(list, &block.source, block.source_primary);
}

size_t launch_reads(const struct nvdla_config *config, const struct launch *launch,
                    struct memory_extent extents[LAUNCH_EXTENTS]) {
    struct extent_list list = {.extents = extents};
    struct cube cube;
    bool primary;
    if (launch->unit == NVDLA_CDMA)
        add_cdma(&list, config, launch);
    else if (launch->unit == NVDLA_SDP_RDMA)
        add_sdp_rdma(&list, config, launch);
    else if (launch->unit == NVDLA_BDMA)
        add_bdma(&list, config, launch);
    else if (launch_input_cube(config, launch, &cube, &primary))
        add_cube(&list, &cube, primary);
    return list.count;
}
