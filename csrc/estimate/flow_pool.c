/* PDP and CDP of a flow. See flow.h. Spec: 60-pdp, 62-cdp. */
#include <string.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

/* ---- PDP_RDMA ---- */

static struct flow_walk strip_walk(const struct flow *flow, int strip) {
    const struct pdp_rdma_cubes *rdma = &flow->pdp.rdma;
    const struct cube *cube = &rdma->source.cube;
    const struct pdp_strip place = pdp_strip(&rdma->in, &rdma->in, rdma->kernel_width - rdma->stride_width, strip);
    struct flow_walk walk = flow_walk_of(cube_atom_address(cube, 0, 0, place.column), (uint32_t)place.width);
    flow_walk_loop(&walk, 0, (uint32_t)cube->height, cube->line_stride);
    flow_walk_loop(&walk, 1, (uint32_t)cube_surfaces(cube), cube->surface_stride);
    return walk;
}

static bool next_strip(struct flow *flow, struct flow_reader *reader) {
    if ((int)++reader->more_index >= flow->pdp.rdma.in.count)
        return false;
    reader->walk = strip_walk(flow, (int)reader->more_index);
    return true;
}

double flow_pdp_read_step(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    struct flow_reader *reader = &flow->readers[FLOW_PDP_READ];
    if (!pdp->read_busy) {
        if (!register_group_running(&flow->units[NVDLA_PDP_RDMA]))
            return FLOW_NEVER;
        pdp->read_launch = flow_begin(flow, NVDLA_PDP_RDMA, &pdp->read_ordinal);
        const struct registers_view view = flow_view(flow, NVDLA_PDP_RDMA, pdp->read_ordinal);
        pdp->rdma = pdp_rdma_cubes(&view);
        pdp->read_busy = true;
        const struct flow_walk walk = strip_walk(flow, 0);
        flow_read(flow, FLOW_PDP_READ, &walk, pdp->rdma.source.primary, pdp->read_launch);
        reader->more = next_strip;
        flow->wake[FLOW_PDP_READ] = FLOW_NEVER;
        return flow->now + flow->law[LAW_PDP_BEGIN];
    }
    return flow_read_step(flow, reader);
}

/* ---- PDP ---- */

/* False: the layer before the last is not answered. */
static bool begin_pdp(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    const struct nvdla_config *config = flow->dev.config;
    const struct registers_view view = flow_view(flow, NVDLA_PDP, register_group_ordinal(&flow->units[NVDLA_PDP]));
    const struct pdp_cubes cubes = pdp_cubes(&view);
    if (!flow_output_begin(&pdp->output, FLOW_PDP, cubes.destination.primary))
        return false;
    pdp->launch = flow_begin(flow, NVDLA_PDP, &pdp->ordinal);
    pdp->cubes = cubes;
    pdp->flying = !pdp->cubes.from_memory;
    pdp->kernel_height = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1;
    pdp->stride_height = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1;
    pdp->overlap = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1 -
                   ((int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1);
    pdp->pad_top = (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_TOP);
    const int lanes = config->mem_atom / nvdla_element_bytes(pdp->cubes.precision);
    pdp->surfaces = (int)ceil_div((size_t)pdp->cubes.in_channels, (size_t)lanes);
    pdp->beats = (double)ceil_div((size_t)lanes, (size_t)config->pdp_throughput);
    pdp->strip = pdp->surface = pdp->y = pdp->x = pdp->out_y = 0;
    pdp->place = pdp_strip(&pdp->cubes.in, &pdp->cubes.out, pdp->overlap, 0);
    pdp->at = pdp->line_began = flow->now + flow->law[LAW_PDP_BEGIN];
    pdp->taken = pdp->at - 1;
    pdp->atoms = 0;
    memset(pdp->ends, 0, sizeof pdp->ends);
    pdp->busy = true;
    pdp->claimed = pdp->over = false;
    return true;
}

/* Output lines that the first `lines` input lines complete. */
static int complete_lines(const struct flow_pdp *pdp, int lines) {
    const int height = pdp->cubes.destination.cube.height, reach = lines + pdp->pad_top - pdp->kernel_height;
    const int complete = reach < 0 ? 0 : reach / pdp->stride_height + 1;
    return complete < height ? complete : height;
}

/* Output lines that the bottom pad completes leave with the first lines of the next surface that complete none; the
 * others, and those of the last surface, take clocks of their own. */
static bool takes_clocks(const struct flow_pdp *pdp, int rest) {
    int idle = 0;
    while (idle < pdp->cubes.in_height && !complete_lines(pdp, idle + 1))
        idle++;
    return pdp->surface + 1 == pdp->surfaces || rest > idle;
}

/* Writes the output lines that the input line has completed, spread over its clocks. */
static void write_lines(struct flow *flow, double until) {
    struct flow_pdp *pdp = &flow->pdp;
    const struct cube *cube = &pdp->cubes.destination.cube;
    const bool last = pdp->y + 1 == pdp->cubes.in_height;
    const int whole = complete_lines(pdp, pdp->y + 1), lines = last ? cube->height : whole;
    const int own = last && whole <= pdp->out_y ? pdp->out_y + 1 : whole; /* one leaves as it is completed */
    const int width = pdp->place.out_width;
    for (; pdp->out_y < lines; pdp->out_y++) {
        const bool flush = pdp->out_y >= own;
        const double from = flush ? pdp->at : pdp->line_began;
        const double step =
            flush ? (takes_clocks(pdp, lines - own) ? pdp->beats : 0) : (until - from) / (width > 0 ? width : 1);
        for (int x = 0; x < width; x++) {
            const double time = from + (x + 1) * step + flow->law[LAW_PDP_PIPE];
            const double taken =
                flow_write(flow, flow_output_writer(&pdp->output),
                           cube_atom_address(cube, pdp->surface, pdp->out_y, pdp->place.out_column + x), time);
            if (taken > time)
                pdp->launch->clocks[FLOW_OUTPUT] += taken - time;
            pdp->at = flow_later(pdp->at, taken - flow->law[LAW_PDP_PIPE]);
        }
        pdp->at = flow_later(pdp->at, from + width * step);
    }
}

/* The line, and perhaps the surface and the strip, end. False: so does the layer. */
static bool end_line(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    write_lines(flow, pdp->at);
    pdp->x = 0;
    if (++pdp->y == pdp->cubes.in_height) {
        pdp->y = pdp->out_y = 0;
        pdp->at += flow->law[LAW_PDP_SURFACE];
        if (++pdp->surface == pdp->surfaces) {
            pdp->surface = 0;
            if (++pdp->strip >= pdp->cubes.in.count)
                return false;
            pdp->place = pdp_strip(&pdp->cubes.in, &pdp->cubes.out, pdp->overlap, pdp->strip);
        }
    }
    return true;
}

/* Clocks of the windows for which an input atom is needed; none if no window has its line. */
static double atom_clocks(const struct flow_pdp *pdp) {
    const bool counts = pdp_line_counts(pdp->y, pdp->kernel_height, pdp->stride_height, pdp->pad_top,
                                        pdp->cubes.destination.cube.height);
    return counts ? pdp->beats * pdp->place.out_width / pdp->place.width : 0;
}

static double pool_step(struct flow *flow) {
    enum { AHEAD = 8 };
    struct flow_pdp *pdp = &flow->pdp;
    struct flow_reader *reader = &flow->readers[FLOW_PDP_READ];
    for (;;) {
        double come = FLOW_NEVER;
        if (!pdp->flying)
            come = flow_atom(flow, reader, 0);
        else if (flow->atoms.read < flow->atoms.written)
            come = flow->atoms.come[flow->atoms.read % FLOW_ROWS];
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        double *ends = &pdp->ends[pdp->atoms % PDP_COLUMNS]; /* of the atom whose place it gets */
        const double start = flow_later(flow_later(come, pdp->taken + 1), *ends), clocks = atom_clocks(pdp);
        if (start > flow->now + AHEAD)
            return start;
        if (pdp->flying) {
            flow->atoms.read++;
            flow_wake(flow, FLOW_SDP, start);
        } else
            flow_take(flow, reader, start);
        if (start > pdp->at)
            pdp->launch->clocks[FLOW_INPUT] += start - pdp->at;
        pdp->launch->clocks[FLOW_PIPE] += clocks;
        pdp->taken = start;
        pdp->atoms++;
        if (pdp->x == 0)
            pdp->line_began = flow_later(start, pdp->at);
        pdp->at = *ends = flow_later(start, pdp->at) + clocks;
        if (++pdp->x >= pdp->place.width && !end_line(flow)) {
            pdp->over = true;
            return flow->now;
        }
    }
}

/* All that PDP_RDMA reads has been taken. */
static void end_pdp_read(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    pdp->read_busy = pdp->read_claimed = flow->readers[FLOW_PDP_READ].busy = false;
    pdp->read_launch->end = flow->now;
    flow_release(flow, NVDLA_PDP_RDMA);
    flow_wake(flow, FLOW_PDP_READ, flow->now + 1);
}

/* Claims what PDP_RDMA reads for the layer. False: it has not begun. */
static bool claim_pdp_read(struct flow_pdp *pdp) {
    if (pdp->flying || pdp->claimed)
        return true;
    if (!pdp->read_busy || pdp->read_claimed)
        return false;
    pdp->read_claimed = pdp->claimed = true;
    return true;
}

double flow_pdp_step(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    double next = flow_output_step(flow, &pdp->output, NVDLA_PDP);
    if (!pdp->busy) {
        if (!register_group_running(&flow->units[NVDLA_PDP]) || !begin_pdp(flow))
            return next;
    }
    if (!claim_pdp_read(pdp))
        return next;
    if (!pdp->over) {
        const double more = pool_step(flow);
        if (!pdp->over)
            return more < next ? more : next;
        if (!pdp->flying)
            end_pdp_read(flow);
    }
    if (pdp->at > flow->now)
        return pdp->at;
    pdp->busy = false;
    flow_output_end(flow, &pdp->output, pdp->ordinal);
    flow_release(flow, NVDLA_PDP);
    return flow->now + 1;
}

/* ---- CDP ---- */

enum { CDP_COLUMNS = 8 };

/* The requests of a group of columns in one line, a surface each. */
static bool next_columns(struct flow *flow, struct flow_reader *reader) {
    struct flow_cdp *cdp = &flow->cdp;
    const struct cube *cube = &cdp->read_cubes.source.cube;
    const uint32_t width = (uint32_t)lesser(CDP_COLUMNS, (uint32_t)cube->width - cdp->column);
    if (cdp->line >= (uint32_t)cube->height)
        return false;
    reader->walk = flow_walk_of(cube_atom_address(cube, 0, (int)cdp->line, (int)cdp->column), width);
    flow_walk_loop(&reader->walk, 0, (uint32_t)cube_surfaces(cube), cube->surface_stride);
    cdp->column += width;
    if (cdp->column >= (uint32_t)cube->width) {
        cdp->column = 0;
        cdp->line++;
    }
    return true;
}

double flow_cdp_read_step(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    struct flow_reader *reader = &flow->readers[FLOW_CDP_READ];
    const struct flow_walk nothing = {.over = true};
    if (!cdp->read_busy) {
        if (!register_group_running(&flow->units[NVDLA_CDP_RDMA]))
            return FLOW_NEVER;
        cdp->read_launch = flow_begin(flow, NVDLA_CDP_RDMA, &cdp->read_ordinal);
        const struct registers_view view = flow_view(flow, NVDLA_CDP_RDMA, cdp->read_ordinal);
        cdp->read_cubes = cdp_cubes(&view);
        cdp->claimed = false;
        cdp->line = cdp->column = 0;
        cdp->read_busy = true;
        flow_read(flow, FLOW_CDP_READ, &nothing, cdp->read_cubes.source.primary, cdp->read_launch);
        reader->more = next_columns;
        flow->wake[FLOW_CDP_READ] = FLOW_NEVER;
        return flow->now + flow->law[LAW_CDP_BEGIN];
    }
    return flow_read_step(flow, reader);
}

/* False: the layer before the last is not answered. */
static bool begin_cdp(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    const struct nvdla_config *config = flow->dev.config;
    const struct registers_view view = flow_view(flow, NVDLA_CDP, register_group_ordinal(&flow->units[NVDLA_CDP]));
    const struct memory_cube destination = cdp_cubes(&view).destination;
    if (!flow_output_begin(&cdp->output, FLOW_CDP, destination.primary))
        return false;
    cdp->launch = flow_begin(flow, NVDLA_CDP, &cdp->ordinal);
    cdp->cubes = cdp->read_cubes;
    cdp->cubes.destination = destination;
    cdp->claimed = true;
    const struct cube *cube = &cdp->cubes.source.cube;
    cdp->beats = (double)ceil_div((size_t)config->mem_atom, (size_t)config->cdp_throughput);
    cdp->atoms = (uint64_t)cube->width * (uint64_t)cube->height * (uint64_t)cube_surfaces(cube);
    cdp->done = 0;
    cdp->at = flow->now;
    cdp->busy = true;
    return true;
}

/* Address of output atom number `n`: blocks of columns, surface by surface. */
static uint64_t cdp_address(const struct flow_cdp *cdp, uint64_t n) {
    const struct cube *cube = &cdp->cubes.destination.cube;
    const uint64_t width = (uint64_t)cdp->cubes.source.cube.width,
                   surfaces = (uint64_t)cube_surfaces(&cdp->cubes.source.cube);
    const uint64_t line = n / (width * surfaces), in_line = n % (width * surfaces);
    const uint64_t block = in_line / (CDP_COLUMNS * surfaces), begin = block * CDP_COLUMNS;
    const uint64_t columns = width - begin < CDP_COLUMNS ? width - begin : CDP_COLUMNS;
    const uint64_t in_block = in_line - begin * surfaces;
    return cube_atom_address(cube, (int)(in_block / columns), (int)line, (int)(begin + in_block % columns));
}

static double normalise_step(struct flow *flow) {
    enum { AHEAD = 8 };
    struct flow_cdp *cdp = &flow->cdp;
    struct flow_reader *reader = &flow->readers[FLOW_CDP_READ];
    while (cdp->done < cdp->atoms) {
        const double come = flow_atom(flow, reader, 0);
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        const double start = flow_later(come, cdp->at);
        if (start > flow->now + AHEAD)
            return start;
        flow_take(flow, reader, start);
        const double end = start + cdp->beats + flow->law[LAW_CDP_PIPE];
        const double taken = flow_write(flow, flow_output_writer(&cdp->output), cdp_address(cdp, cdp->done++), end);
        cdp->launch->clocks[FLOW_INPUT] += start - cdp->at;
        cdp->launch->clocks[FLOW_PIPE] += cdp->beats;
        cdp->launch->clocks[FLOW_OUTPUT] += taken - end;
        cdp->at = start + cdp->beats + (taken - end);
    }
    return flow->now;
}

/* All that CDP_RDMA reads has been taken. */
static void end_cdp_read(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    cdp->read_busy = flow->readers[FLOW_CDP_READ].busy = false;
    cdp->read_launch->end = flow->now;
    flow_release(flow, NVDLA_CDP_RDMA);
    flow_wake(flow, FLOW_CDP_READ, flow->now + 1);
}

double flow_cdp_step(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    const double next = flow_output_step(flow, &cdp->output, NVDLA_CDP);
    if (!cdp->busy) {
        if (!register_group_running(&flow->units[NVDLA_CDP]) || !cdp->read_busy || cdp->claimed || !begin_cdp(flow))
            return next;
    }
    if (cdp->done < cdp->atoms) {
        const double more = normalise_step(flow);
        if (cdp->done < cdp->atoms)
            return more < next ? more : next;
        end_cdp_read(flow);
    }
    if (cdp->at > flow->now)
        return cdp->at;
    cdp->busy = false;
    flow_output_end(flow, &cdp->output, cdp->ordinal);
    flow_release(flow, NVDLA_CDP);
    return flow->now + 1;
}
