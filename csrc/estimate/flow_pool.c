/* PDP and CDP of a flow. See flow.h. Spec: 60-pdp, 62-cdp. */
#include <math.h>

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
        if (flow_armed(flow, NVDLA_PDP_RDMA) > flow->now)
            return flow_armed(flow, NVDLA_PDP_RDMA);
        pdp->read_launch = flow_begin(flow, NVDLA_PDP_RDMA, &pdp->read_ordinal);
        const struct registers_view view = flow_view(flow, NVDLA_PDP_RDMA, pdp->read_ordinal);
        pdp->rdma = pdp_rdma_cubes(&view);
        pdp->read_busy = true;
        const struct flow_walk walk = strip_walk(flow, 0);
        flow_read(flow, FLOW_PDP_READ, &walk, pdp->rdma.source.primary, pdp->read_launch);
        reader->more = next_strip;
        flow_wake(flow, FLOW_PDP, flow->now);
        flow->wake[FLOW_PDP_READ] = FLOW_NEVER;
        return flow->now + flow->law[LAW_PDP_BEGIN];
    }
    return flow_read_step(flow, reader);
}

/* ---- PDP: the walk through strips, surfaces, lines and windows ---- */

static struct pdp_strip strip_of(const struct flow_pdp *pdp, int strip) {
    return pdp_strip(&pdp->cubes.in, &pdp->cubes.out, pdp->kernel_width - pdp->stride_width, strip);
}

/* All lines of the strip have been read; rows are left in the line buffer. */
static bool strip_is_read(const struct flow_pdp *pdp) {
    return pdp->surface == pdp->surfaces;
}

/* A row that the surface before has left leaves by itself. */
static bool leaves_alone(const struct flow_pdp *pdp) {
    return pdp->left && !pdp->rides;
}

/* First column of the window, negative in the pad. */
static int first_column(const struct flow_pdp *pdp) {
    return pdp->x * pdp->stride_width - (pdp->strip ? 0 : pdp->pad_left);
}

/* A line of the input. It is used if a window has it. It emits an output row if it is the last line of its windows or
 * of the surface. A row that the surface before has left rides with one that emits none, if there is room for the other
 * rows of both in the line buffer. */
static void begin_line(struct flow_pdp *pdp) {
    const int start = pdp->row * pdp->stride_height - pdp->pad_top;
    const int rows = pdp->cubes.destination.cube.height;
    const int begun = (int)lesser((uint32_t)((pdp->y + pdp->pad_top) / pdp->stride_height + 1), (uint32_t)rows);
    pdp->x = 0;
    pdp->used = !strip_is_read(pdp) && start <= pdp->y && pdp->row < rows;
    pdp->emits = pdp->used && (start + pdp->kernel_height - 1 == pdp->y || pdp->y + 1 == pdp->cubes.in_height);
    pdp->rides = pdp->left && pdp->used && !pdp->emits && begun + pdp->left - 1 <= pdp->rows;
}

static void begin_strip(struct flow_pdp *pdp) {
    pdp->place = strip_of(pdp, pdp->strip);
    pdp->surface = pdp->y = pdp->row = pdp->left = 0;
    begin_line(pdp);
}

/* A line ends. */
static void end_line(struct flow_pdp *pdp) {
    pdp->arrived -= pdp->place.width;
    pdp->row += pdp->emits;
    pdp->left -= pdp->rides;
    if (++pdp->y < pdp->cubes.in_height)
        return;
    pdp->left = pdp->cubes.destination.cube.height - pdp->row;
    pdp->y = pdp->row = 0;
    pdp->surface++;
}

/* The next line, or row that is left. False: there is none. */
static bool next_line(struct flow_pdp *pdp) {
    if (leaves_alone(pdp))
        pdp->left--;
    else
        end_line(pdp);
    begin_line(pdp);
    if (!strip_is_read(pdp) || pdp->left)
        return true;
    if (++pdp->strip >= pdp->cubes.in.count)
        return false;
    pdp->at++;
    begin_strip(pdp);
    return true;
}

/* ---- its life ---- */

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
    pdp->kernel_width = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1;
    pdp->stride_width = (int)FIELD(&view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1;
    pdp->pad_top = (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_TOP);
    pdp->pad_left = (int)FIELD(&view, PDP, D_POOLING_PADDING_CFG, PAD_LEFT);
    for (pdp->rows = 1; pdp->rows * pdp->stride_height < pdp->kernel_height;)
        pdp->rows *= 2;
    const int lanes = config->mem_atom / nvdla_element_bytes(pdp->cubes.precision);
    pdp->surfaces = (int)ceil_div((size_t)pdp->cubes.in_channels, (size_t)lanes);
    pdp->beats = (double)ceil_div((size_t)lanes, (size_t)config->pdp_throughput);
    pdp->at = flow->now + flow->law[LAW_PDP_BEGIN];
    pdp->taken = pdp->at - 1;
    pdp->strip = pdp->arrived = 0;
    pdp->columns = 0;
    for (int strip = 0; strip < pdp->cubes.in.count; strip++)
        pdp->columns += (uint64_t)strip_of(pdp, strip).width * (uint64_t)pdp->cubes.in_height * (uint64_t)pdp->surfaces;
    begin_strip(pdp);
    pdp->busy = true;
    pdp->claimed = pdp->over = false;
    return true;
}

/* ---- its windows ---- */

/* Columns that the window needs. */
static int columns_needed(const struct flow_pdp *pdp) {
    const int end = first_column(pdp) + pdp->kernel_width;
    return pdp->used && end < pdp->place.width ? end : pdp->place.width;
}

/* Columns that neither it nor a later one needs. */
static int columns_over(const struct flow_pdp *pdp) {
    if (strip_is_read(pdp))
        return 0;
    const int first = leaves_alone(pdp) ? 0 : first_column(pdp);
    return !pdp->used ? pdp->place.width : first > 0 ? first : 0;
}

/* Places that columns have. *next: when there are fewer. */
static int places_used(const struct flow *flow, double *next) {
    const struct flow_pdp *pdp = &flow->pdp;
    int used = pdp->arrived - columns_over(pdp);
    *next = FLOW_NEVER;
    for (int i = 0; i < 2; i++)
        if (pdp->freed[i].time > flow->now) {
            used += (int)pdp->freed[i].amount;
            *next = fmin(*next, pdp->freed[i].time);
        }
    return used;
}

/* Takes the columns that have arrived, one a clock, as the 16 places permit. Returns when there are more. */
static double take_columns(struct flow *flow) {
    enum { PLACES = 16 };
    struct flow_pdp *pdp = &flow->pdp;
    struct flow_reader *reader = &flow->readers[FLOW_PDP_READ];
    double next = FLOW_NEVER;
    while (pdp->columns && places_used(flow, &next) < PLACES) {
        double come = FLOW_NEVER;
        if (!pdp->flying)
            come = flow_atom(flow, reader, 0);
        else if (flow->atoms.read < flow->atoms.written)
            come = flow->atoms.come[flow->atoms.read % FLOW_ROWS];
        come = flow_later(come, pdp->taken + 1);
        if (come > flow->now)
            return come;
        if (pdp->flying) {
            flow->atoms.read++;
            flow_wake(flow, FLOW_SDP, flow->now);
        } else
            flow_take(flow, reader, flow->now);
        pdp->taken = flow->now;
        pdp->arrived++;
        pdp->columns--;
    }
    return pdp->columns ? next : FLOW_NEVER;
}

/* A window, and the atom of an output row that leaves with it. */
static void pool(struct flow *flow) {
    struct flow_pdp *pdp = &flow->pdp;
    const struct cube *cube = &pdp->cubes.destination.cube;
    const bool left = pdp->rides || leaves_alone(pdp);
    const double end = flow->now + pdp->beats, out = end + flow->law[LAW_PDP_PIPE];
    pdp->launch->clocks[FLOW_INPUT] += flow->now - pdp->at;
    pdp->launch->clocks[FLOW_PIPE] += pdp->beats;
    pdp->at = end;
    if (left || pdp->emits) {
        const int row = left ? cube->height - pdp->left : pdp->row;
        const uint64_t address = cube_atom_address(cube, pdp->surface - left, row, pdp->place.out_column + pdp->x);
        if (pdp->x == 0)
            flow_command(flow, flow_output_writer(&pdp->output));
        const double taken = flow_write(flow, flow_output_writer(&pdp->output), address, out);
        pdp->launch->clocks[FLOW_OUTPUT] += taken - out;
        pdp->at += taken - out;
    }
    pdp->x++;
}

/* Does what is possible now. *over: that was the last window. Returns when there is more to do. */
static double pool_step(struct flow *flow, bool *over) {
    struct flow_pdp *pdp = &flow->pdp;
    for (;;) {
        const double more = take_columns(flow);
        if (pdp->at > flow->now)
            return more < pdp->at ? more : pdp->at;
        const bool alone = leaves_alone(pdp);
        if (!alone && pdp->arrived < columns_needed(pdp))
            return more;
        const int used = pdp->arrived - columns_over(pdp);
        if (alone || pdp->used)
            pool(flow);
        else
            pdp->at = flow->now + 1;
        const bool ends = pdp->x == pdp->place.out_width || (!alone && !pdp->used);
        if (ends && !next_line(pdp)) {
            *over = true;
            return flow->now;
        }
        pdp->freed[0] = pdp->freed[1];
        pdp->freed[1] = (struct flow_update){.time = pdp->at + 1, .amount = used - (pdp->arrived - columns_over(pdp))};
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
    const double next = flow_output_step(flow, &pdp->output, NVDLA_PDP);
    if (!pdp->busy) {
        const double armed = flow_armed(flow, NVDLA_PDP);
        if (armed > flow->now || !begin_pdp(flow))
            return armed > flow->now ? fmin(next, armed) : next;
    }
    if (!claim_pdp_read(pdp))
        return next;
    const double more = pdp->over ? take_columns(flow) : pool_step(flow, &pdp->over);
    if (!pdp->flying && !pdp->columns && pdp->read_claimed)
        end_pdp_read(flow);
    if (!pdp->over || pdp->columns)
        return more < next ? more : next;
    const double end = pdp->at + flow->law[LAW_PDP_PIPE]; /* the last atom has left */
    if (end > flow->now)
        return fmin(next, end);
    pdp->busy = false;
    flow_output_end(flow, &pdp->output, pdp->ordinal);
    flow_release(flow, NVDLA_PDP);
    return flow->now + 1;
}

/* ---- CDP ---- */

/* Columns of a request; atoms that are taken before they are needed. Spec: 62-cdp section 3. */
enum { CDP_COLUMNS = 8, CDP_RING = 24 };

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
        if (flow_armed(flow, NVDLA_CDP_RDMA) > flow->now)
            return flow_armed(flow, NVDLA_CDP_RDMA);
        cdp->read_launch = flow_begin(flow, NVDLA_CDP_RDMA, &cdp->read_ordinal);
        const struct registers_view view = flow_view(flow, NVDLA_CDP_RDMA, cdp->read_ordinal);
        cdp->read_cubes = cdp_cubes(&view);
        cdp->claimed = false;
        cdp->line = cdp->column = 0;
        cdp->read_busy = true;
        flow_read(flow, FLOW_CDP_READ, &nothing, cdp->read_cubes.source.primary, cdp->read_launch);
        reader->more = next_columns;
        flow_wake(flow, FLOW_CDP, flow->now);
        flow->wake[FLOW_CDP_READ] = FLOW_NEVER;
        return flow->now + flow->law[LAW_CDP_BEGIN];
    }
    reader->ring = (uint32_t)lesser(CDP_RING, cdp->atoms - cdp->done); /* of the layer that runs */
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
    if (flow->wake[FLOW_CDP_READ] >= FLOW_NEVER) /* there is more room */
        flow_wake(flow, FLOW_CDP_READ, flow->now);
    return true;
}

/* Place of atom number `n`: blocks of columns, surface by surface. */
struct cdp_place {
    int surface, line, column;
    uint32_t columns; /* of the block */
};

static struct cdp_place cdp_place(const struct flow_cdp *cdp, uint64_t n) {
    const uint64_t width = (uint64_t)cdp->cubes.source.cube.width,
                   surfaces = (uint64_t)cube_surfaces(&cdp->cubes.source.cube);
    const uint64_t line = n / (width * surfaces), in_line = n % (width * surfaces);
    const uint64_t block = in_line / (CDP_COLUMNS * surfaces), begin = block * CDP_COLUMNS;
    const uint64_t columns = width - begin < CDP_COLUMNS ? width - begin : CDP_COLUMNS;
    const uint64_t in_block = in_line - begin * surfaces;
    return (struct cdp_place){.surface = (int)(in_block / columns),
                              .line = (int)line,
                              .column = (int)(begin + in_block % columns),
                              .columns = (uint32_t)columns};
}

static double normalise_step(struct flow *flow) {
    enum { AHEAD = 8, PLACE = 2 /* clocks until its place is free */ };
    struct flow_cdp *cdp = &flow->cdp;
    struct flow_reader *reader = &flow->readers[FLOW_CDP_READ];
    while (cdp->done < cdp->atoms) {
        /* its neighbours in the next surface come later */
        const struct cdp_place place = cdp_place(cdp, cdp->done);
        const bool last = place.surface + 1 == (int)cube_surfaces(&cdp->cubes.source.cube);
        const double come = flow_atom(flow, reader, last ? 0 : place.columns);
        if (come >= FLOW_NEVER)
            return FLOW_NEVER;
        const double start = flow_later(come, cdp->at);
        if (start > flow->now + AHEAD)
            return start;
        flow_take(flow, reader, start + PLACE);
        const double end = start + cdp->beats + flow->law[LAW_CDP_PIPE];
        if (place.column % CDP_COLUMNS == 0)
            flow_command(flow, flow_output_writer(&cdp->output));
        const double taken =
            flow_write(flow, flow_output_writer(&cdp->output),
                       cube_atom_address(&cdp->cubes.destination.cube, place.surface, place.line, place.column), end);
        cdp->done++;
        cdp->launch->clocks[FLOW_INPUT] += start - cdp->at;
        cdp->launch->clocks[FLOW_PIPE] += cdp->beats;
        cdp->launch->clocks[FLOW_OUTPUT] += taken - end;
        cdp->at = start + cdp->beats + (taken - end);
    }
    return flow->now;
}

/* When all that CDP_RDMA reads leaves its latency buffer; FLOW_NEVER: unknown. */
static double cdp_read_over(const struct flow *flow) {
    const struct flow_cdp *cdp = &flow->cdp;
    const struct flow_reader *reader = &flow->readers[FLOW_CDP_READ];
    const bool over = cdp->read_busy && cdp->claimed && cdp->line >= (uint32_t)cdp->read_cubes.source.cube.height &&
                      !reader->left && reader->walk.over && reader->known == reader->tail &&
                      cdp->atoms - cdp->done <= CDP_RING;
    return over ? reader->latest : FLOW_NEVER;
}

static void end_cdp_read(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    cdp->read_busy = flow->readers[FLOW_CDP_READ].busy = false;
    cdp->read_launch->end = flow->now;
    flow_release(flow, NVDLA_CDP_RDMA);
    flow_wake(flow, FLOW_CDP_READ, flow->now);
}

double flow_cdp_step(struct flow *flow) {
    struct flow_cdp *cdp = &flow->cdp;
    double next = flow_output_step(flow, &cdp->output, NVDLA_CDP);
    if (!cdp->busy) {
        const double armed = flow_armed(flow, NVDLA_CDP);
        if (armed > flow->now || !cdp->read_busy || cdp->claimed || !begin_cdp(flow))
            return armed > flow->now ? fmin(next, armed) : next;
    }
    if (cdp->done < cdp->atoms)
        next = fmin(next, normalise_step(flow));
    const double read = cdp_read_over(flow);
    if (read <= flow->now)
        end_cdp_read(flow);
    else
        next = fmin(next, read);
    if (cdp->done < cdp->atoms)
        return next;
    const double end = cdp->at + flow->law[LAW_CDP_PIPE] + 2; /* the last atom has left */
    if (end > flow->now)
        return fmin(next, end);
    cdp->busy = false;
    flow_output_end(flow, &cdp->output, cdp->ordinal);
    flow_release(flow, NVDLA_CDP);
    return flow->now + 1;
}
