/* The convolution path of a flow: CDMA's fetches of data and weights, and CSC with CMAC and CACC. See flow.h. Spec:
 * 30-cdma-cbuf, 40-convolution-core. */
#include "estimate/flow.h"
#include "nvdla/buffer_sizes.h"

/* ---- CDMA ---- */

static bool changed(uint32_t bank, uint32_t last, bool first) {
    return first || bank != last;
}

/* Banks that changed: both sides wait for each other, then the rings are empty. */
static void agree(struct flow *flow) {
    struct flow_cdma *cdma = &flow->cdma;
    struct flow_csc *csc = &flow->csc;
    const bool data = changed(csc->data_bank, csc->last_data_bank, csc->first);
    if (csc->state != CSC_PEND || cdma->weights != FETCH_PENDING || (data && cdma->data != FETCH_PENDING))
        return;
    const double time = flow->now + flow->law[LAW_CDMA_BANKS];
    if (data) {
        csc->slices = (struct flow_account){0};
        cdma->entries_used = 0;
        cdma->data = FETCH_BUSY;
        cdma->data_from = time - cdma->image;
        flow_wake(flow, FLOW_DATA, cdma->data_from);
    }
    csc->kernels = (struct flow_account){0};
    cdma->atoms_used = 0;
    cdma->weights = FETCH_BUSY;
    cdma->weights_from = time;
    csc->state = CSC_WAIT;
    flow_wake(flow, FLOW_WEIGHTS, time);
    flow_wake(flow, FLOW_CSC, time);
}

/* CDMA gets back what CSC releases. */
static void flow_cdma_release(struct flow *flow, int64_t data_entries, int64_t weight_entries) {
    struct flow_cdma *cdma = &flow->cdma;
    cdma->entries_used -= data_entries;
    cdma->atoms_used -= weight_entries * cdma->slots;
    if (data_entries)
        flow_wake(flow, FLOW_DATA, flow->now);
    if (weight_entries)
        flow_wake(flow, FLOW_WEIGHTS, flow->now);
}

/* Entries that a grain of `lines` lines takes from the ring. Winograd: those of a band of four lines of tiles with the
 * band's first line, of bands of pad with the last one. */
static int64_t entries_of(const struct flow_cdma *cdma, uint32_t lines) {
    enum { BAND = 4 };
    if (!cdma->winograd)
        return (int64_t)lines * cdma->grain_entries;
    const int64_t y = (int64_t)cdma->cubes.height - cdma->lines_left, line = y + (int64_t)cdma->cubes.pad_top;
    const int64_t before = y ? (line - 1) / cdma->band_lines + 1 : 0;
    const int64_t through = cdma->lines_left == 1 ? cdma->slices / BAND : line / cdma->band_lines + 1;
    return (through - before) * BAND * cdma->grain_entries;
}

/* Atoms that a line of an image takes of a plane, and its address. */
static struct flow_walk image_line(const struct flow *flow, uint32_t plane, uint32_t y) {
    const struct cdma_cubes *cubes = &flow->cdma.cubes;
    const size_t atom = (size_t)flow->dev.config->mem_atom, bytes = (size_t)cubes->pixel->pixel_bytes[plane];
    const size_t offset = plane ? cubes->x_offset % (atom / bytes) : cubes->x_offset;
    return flow_walk_of(cubes->base[plane] + y * cubes->line_stride[plane],
                        (uint32_t)ceil_div((offset + cubes->width) * bytes, atom));
}

/* Atoms of a beat that CBUF takes in a clock. */
static uint32_t atoms_together(const struct flow *flow) {
    const struct nvdla_config *config = flow->dev.config;
    const uint32_t atoms = flow->ports[0].bytes / (uint32_t)config->mem_atom;
    return atoms ? (uint32_t)lesser(atoms, flow_cbuf_atoms(config)) : 1;
}

/* Two planes: their turns are as many atoms as CBUF takes in a clock, and twice as many. Not 0: the line has more. */
static uint32_t next_turn(struct flow *flow, struct flow_reader *reader, uint32_t y) {
    struct flow_cdma *cdma = &flow->cdma;
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    if (!reader->more_index) {
        for (uint32_t plane = 0; plane < 2; plane++) {
            const struct flow_walk line = image_line(flow, plane, y);
            cdma->plane_address[plane] = line.base;
            cdma->plane_atoms[plane] = line.atoms;
        }
        cdma->plane = 0;
    }
    uint64_t *address = &cdma->plane_address[cdma->plane];
    uint32_t *left = &cdma->plane_atoms[cdma->plane];
    const uint32_t atoms = (uint32_t)lesser(*left, (cdma->plane + 1) * atoms_together(flow));
    reader->walk = flow_walk_of(*address, atoms);
    *address += (uint64_t)atoms * atom;
    *left -= atoms;
    if (cdma->plane_atoms[!cdma->plane])
        cdma->plane = !cdma->plane;
    return cdma->plane_atoms[0] + cdma->plane_atoms[1];
}

/* The lines of a grain, or of an image or a band of tiles, and their requests. */
static bool next_grain(struct flow *flow, struct flow_reader *reader) {
    struct flow_cdma *cdma = &flow->cdma;
    const struct cdma_cubes *cubes = &cdma->cubes;
    const uint32_t lines = (uint32_t)lesser(cdma->grain_lines, cdma->lines_left);
    if (!lines)
        return false;
    const uint32_t y = (uint32_t)cubes->height - cdma->lines_left;
    const uint64_t base = cubes->base[0] + y * cubes->line_stride[0];
    if (cubes->mode == CDMA_IMAGE && cubes->pixel && cubes->pixel->planes == 2)
        reader->more_index = next_turn(flow, reader, y);
    else if (cubes->mode == CDMA_IMAGE && cubes->pixel)
        reader->walk = image_line(flow, 0, y);
    else {
        reader->walk = flow_walk_of(base, cubes->packed_1x1 ? cdma->surfaces : lines * (uint32_t)cubes->width);
        if (!cubes->packed_1x1)
            flow_walk_loop(&reader->walk, 0, cdma->surfaces, cubes->surface_stride);
        flow_walk_loop(&reader->walk, 1, (uint32_t)cubes->batches, cubes->batch_stride);
    }
    if (reader->more_index == 0) {
        cdma->entries_used += entries_of(cdma, lines);
        cdma->lines_left -= lines;
    }
    return true;
}

/* Clocks in which the lines of an image, or the tiles of Winograd's extended cube, go to CBUF. */
static double gather_clocks(const struct flow *flow, const struct registers_view *view) {
    const struct flow_cdma *cdma = &flow->cdma;
    const struct cdma_cubes *cubes = &cdma->cubes;
    const uint32_t together = atoms_together(flow);
    if (cdma->image)
        return (double)cubes->height * ((double)ceil_div(conv_image_atoms(view), together) + flow->law[LAW_CDMA_LINE]);
    if (!cdma->winograd)
        return 0;
    const size_t phases =
        (FIELD(view, CDMA, D_CONV_STRIDE, CONV_X_STRIDE) + 1) * (FIELD(view, CDMA, D_CONV_STRIDE, CONV_Y_STRIDE) + 1);
    return (double)ceil_div(cubes->extended_width * cubes->extended_height * cdma->surfaces * phases, together);
}

static void begin_data(struct flow *flow) {
    struct flow_cdma *cdma = &flow->cdma;
    const struct registers_view view = flow_view(flow, NVDLA_CDMA, cdma->ordinal);
    const struct flow_walk nothing = {.over = true};
    const bool packed = FIELD(&view, CDMA, D_DAIN_MAP, LINE_PACKED);
    cdma->surfaces = (uint32_t)ceil_div(cdma->cubes.channels * (size_t)nvdla_element_bytes(cdma->cubes.proc),
                                        (size_t)flow->dev.config->mem_atom);
    cdma->grain_lines = cdma->cubes.mode == CDMA_FEATURE && packed ? FIELD(&view, CDMA, D_FETCH_GRAIN, GRAINS) + 1 : 1;
    cdma->grain_entries = ((int64_t)FIELD(&view, CDMA, D_ENTRY_PER_SLICE, ENTRIES) + 1) * (int64_t)cdma->cubes.batches;
    cdma->lines_left = (uint32_t)cdma->cubes.height;
    cdma->slices = (int64_t)(cdma->winograd ? cdma->cubes.extended_height : cdma->cubes.height);
    cdma->gather = gather_clocks(flow, &view);
    cdma->band_lines = 4 * ((int64_t)FIELD(&view, CDMA, D_CONV_STRIDE, CONV_Y_STRIDE) + 1);
    flow_read(flow, FLOW_DATA, &nothing, cdma->cubes.data_primary, cdma->launch);
    flow->readers[FLOW_DATA].more = next_grain;
}

/* Room in the ring for the next grain. */
static bool room_for_grain(const struct flow_cdma *cdma, const struct flow_reader *reader) {
    const uint32_t lines = (uint32_t)lesser(cdma->grain_lines, cdma->lines_left);
    const bool begins = !reader->left && (reader->walk.over || !reader->walk.atoms) && reader->more_index == 0;
    return !begins || !lines || cdma->entries_used + entries_of(cdma, lines) <= cdma->entries;
}

/* A fetch ends, of data or weights, with its interrupt. */
static void fetch_done(struct flow *flow, enum flow_fetch_state *fetch, enum nvdla_interrupt interrupt) {
    struct flow_cdma *cdma = &flow->cdma;
    *fetch = FETCH_DONE;
    flow_interrupt(flow, interrupt, NVDLA_CDMA, cdma->ordinal);
    if (cdma->data != FETCH_DONE || cdma->weights != FETCH_DONE)
        return;
    cdma->data = cdma->weights = FETCH_IDLE;
    cdma->first = false;
    cdma->last_image = cdma->image;
    cdma->last_winograd = cdma->winograd;
    cdma->last_skip_data = cdma->skip_data_release;
    cdma->last_skip_weights = cdma->skip_weight_release;
    cdma->last_data_bank = cdma->data_bank;
    cdma->last_weight_bank = cdma->weight_bank;
    cdma->launch->end = flow->now;
    flow_release(flow, NVDLA_CDMA);
    flow_wake(flow, FLOW_DATA, flow->now + 1);
}

/* A layer begins: what each fetch does. */
static void begin_cdma(struct flow *flow) {
    struct flow_cdma *cdma = &flow->cdma;
    const struct nvdla_config *config = flow->dev.config;
    cdma->launch = flow_begin(flow, NVDLA_CDMA, &cdma->ordinal);
    const struct registers_view view = flow_view(flow, NVDLA_CDMA, cdma->ordinal);
    cdma->cubes = cdma_cubes(&view);
    cdma->image = cdma->cubes.mode == CDMA_IMAGE;
    cdma->winograd = cdma->cubes.mode == CDMA_WINOGRAD;
    cdma->data_bank = FIELD(&view, CDMA, D_BANK, DATA_BANK);
    cdma->weight_bank = FIELD(&view, CDMA, D_BANK, WEIGHT_BANK);
    cdma->skip_data_release = FIELD(&view, CDMA, D_MISC_CFG, SKIP_DATA_RLS);
    cdma->skip_weight_release = FIELD(&view, CDMA, D_MISC_CFG, SKIP_WEIGHT_RLS);
    cdma->slots = (uint32_t)cbuf_entry_bytes(config) / (uint32_t)config->mem_atom;
    cdma->entries = (int64_t)(cdma->data_bank + 1) * (int64_t)cbuf_bank_entries(config);
    cdma->atoms = (int64_t)(cdma->weight_bank + 1) * (int64_t)cbuf_bank_entries(config) * cdma->slots;
    const bool data = changed(cdma->data_bank, cdma->last_data_bank, cdma->first);
    const bool weights = data || changed(cdma->weight_bank, cdma->last_weight_bank, cdma->first);
    const bool same = cdma->image == cdma->last_image && cdma->winograd == cdma->last_winograd;
    const bool skip_data = FIELD(&view, CDMA, D_MISC_CFG, DATA_REUSE) && cdma->last_skip_data && same;
    const bool skip_weights = FIELD(&view, CDMA, D_MISC_CFG, WEIGHT_REUSE) && cdma->last_skip_weights;
    cdma->data = data ? FETCH_PENDING : FETCH_BUSY;
    cdma->weights = weights ? FETCH_PENDING : FETCH_BUSY;
    cdma->weights_from = flow->now + flow->law[LAW_CDMA_BEGIN];
    cdma->data_from = cdma->weights_from - cdma->image;
    cdma->weight_atoms_asked = cdma->weight_atoms_come = cdma->group = 0;
    flow->readers[FLOW_DATA].busy = flow->readers[FLOW_WEIGHTS].busy = false;
    if (!data && skip_data)
        fetch_done(flow, &cdma->data, INTERRUPT_CDMA_DAT);
    if (!weights && skip_weights)
        fetch_done(flow, &cdma->weights, INTERRUPT_CDMA_WT);
    agree(flow);
    flow_wake(flow, FLOW_WEIGHTS, flow->now);
}

/* When the fetch of data that has asked for everything is complete; FLOW_NEVER if unknown. */
static double data_complete(const struct flow *flow, const struct flow_reader *reader) {
    const struct flow_cdma *cdma = &flow->cdma;
    if (reader->known != reader->tail)
        return FLOW_NEVER;
    return flow_later(reader->latest, reader->first + cdma->gather) + flow->law[LAW_CDMA_REPORT] +
           (cdma->image ? flow->law[LAW_CDMA_IMAGE] : 0);
}

double flow_data_step(struct flow *flow) {
    struct flow_cdma *cdma = &flow->cdma;
    struct flow_reader *reader = &flow->readers[FLOW_DATA];
    if (cdma->data == FETCH_IDLE && cdma->weights == FETCH_IDLE) {
        const double armed = flow_armed(flow, NVDLA_CDMA);
        if (armed > flow->now)
            return armed;
        begin_cdma(flow);
        return cdma->data_from;
    }
    if (cdma->data != FETCH_BUSY)
        return FLOW_NEVER;
    if (flow->now < cdma->data_from)
        return cdma->data_from;
    if (!reader->busy)
        begin_data(flow);
    if (!room_for_grain(cdma, reader))
        return FLOW_NEVER;
    const double next = flow_read_step(flow, reader);
    if (cdma->lines_left || !flow_read_over(reader) || reader->more_index)
        return next;
    const double complete = data_complete(flow, reader);
    if (complete > flow->now)
        return complete;
    reader->busy = false;
    flow_account_add(&flow->csc.slices, flow->now, cdma->slices);
    flow_wake(flow, FLOW_CSC, flow->now);
    fetch_done(flow, &cdma->data, INTERRUPT_CDMA_DAT);
    return flow->now + 1;
}

static void begin_weights(struct flow *flow) {
    const struct cdma_cubes *cubes = &flow->cdma.cubes;
    const uint64_t groups = ceil_div(cubes->kernels, cubes->kernel_group);
    const uint64_t sizes = ceil_div(groups * 4, (size_t)flow->dev.config->mem_atom);
    const struct flow_walk walk = flow_walk_of(
        cubes->weights, (uint32_t)(cubes->weight_atoms + (cubes->compressed ? cubes->mask_atoms + sizes : 0)));
    flow_read(flow, FLOW_WEIGHTS, &walk, cubes->weight_primary, flow->cdma.launch);
}

/* Counts what has come and reports complete groups. */
static void report_groups(struct flow *flow, struct flow_reader *reader) {
    struct flow_cdma *cdma = &flow->cdma;
    const struct cdma_cubes *cubes = &cdma->cubes;
    const uint64_t groups = ceil_div(cubes->kernels, cubes->kernel_group);
    while (reader->next != reader->tail) {
        const struct flow_chunk *chunk = &reader->chunks[reader->next % FLOW_CHUNKS];
        if (chunk->first == 0 || chunk->last > flow->now)
            break;
        cdma->weight_atoms_come += chunk->atoms;
        reader->next++;
    }
    while (cdma->group < groups) {
        const uint64_t all = reader->walk.atoms,
                       through = lesser(cubes->kernels, (cdma->group + 1) * cubes->kernel_group);
        const uint64_t due = ceil_div(all * through, cubes->kernels);
        const uint64_t slots = cdma->slots, entry = ceil_div(due, slots) * slots;
        if (cdma->weight_atoms_come < lesser(entry, all))
            return;
        const double time = flow->now + flow->law[LAW_CDMA_REPORT];
        flow_account_add(&flow->csc.kernels, time, (int64_t)(through - cdma->group * cubes->kernel_group));
        flow_wake(flow, FLOW_CSC, time);
        cdma->group++;
    }
}

/* Atoms of weights among those that have been asked for: mask bits and sizes of groups are not in their ring. */
static int64_t ring_atoms(const struct flow_cdma *cdma, const struct flow_reader *reader) {
    return (int64_t)(cdma->cubes.weight_atoms * cdma->weight_atoms_asked / reader->walk.atoms);
}

double flow_weights_step(struct flow *flow) {
    struct flow_cdma *cdma = &flow->cdma;
    struct flow_reader *reader = &flow->readers[FLOW_WEIGHTS];
    if (cdma->weights != FETCH_BUSY)
        return FLOW_NEVER;
    if (flow->now < cdma->weights_from)
        return cdma->weights_from;
    if (!reader->busy && cdma->weight_atoms_come == 0)
        begin_weights(flow);
    report_groups(flow, reader);
    const bool all_asked = flow_read_over(reader);
    if (all_asked && cdma->weight_atoms_come >= reader->walk.atoms) {
        reader->busy = false;
        fetch_done(flow, &cdma->weights, INTERRUPT_CDMA_WT);
        return FLOW_NEVER;
    }
    double next = FLOW_NEVER;
    const struct flow_chunk *chunk = &reader->chunks[reader->next % FLOW_CHUNKS];
    if (reader->next != reader->tail && chunk->first != 0)
        next = chunk->last;
    if (all_asked || cdma->atoms_used >= cdma->atoms)
        return next;
    reader->most = (uint32_t)(cdma->atoms - cdma->atoms_used);
    const uint32_t before = reader->tail;
    const double asks = flow_read_step(flow, reader);
    if (reader->tail != before) {
        cdma->atoms_used -= ring_atoms(cdma, reader);
        cdma->weight_atoms_asked += reader->chunks[before % FLOW_CHUNKS].atoms;
        cdma->atoms_used += ring_atoms(cdma, reader);
    }
    if (flow_read_over(reader)) /* the rest of the last entry is taken, too */
        cdma->atoms_used += (int64_t)((cdma->slots - cdma->cubes.weight_atoms % cdma->slots) % cdma->slots);
    return asks < next ? asks : next;
}

/* ---- CSC ---- */

static void begin_csc(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    const struct nvdla_config *config = flow->dev.config;
    csc->launch = flow_begin(flow, NVDLA_CSC, &csc->ordinal);
    const struct registers_view view = flow_view(flow, NVDLA_CSC, csc->ordinal);
    csc->order = conv_order(&view, false);
    csc->winograd = csc->order.winograd;
    csc->image = FIELD(&view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) && !csc->winograd;
    csc->data_bank = FIELD(&view, CSC, D_BANK, DATA_BANK);
    csc->weight_bank = FIELD(&view, CSC, D_BANK, WEIGHT_BANK);
    csc->skip_data = FIELD(&view, CSC, D_MISC_CFG, SKIP_DATA_RLS);
    csc->skip_weights = FIELD(&view, CSC, D_MISC_CFG, SKIP_WEIGHT_RLS);
    csc->height = (int64_t)FIELD(&view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    csc->release_slices = (int64_t)FIELD(&view, CSC, D_RELEASE, RLS_SLICES) + 1;
    csc->left_slices = csc->height - (csc->skip_data ? 0 : csc->release_slices);
    csc->line_entries = ((int64_t)FIELD(&view, CSC, D_ENTRY_PER_SLICE, ENTRIES) + 1) * (int64_t)csc->order.batches;
    csc->weight_entries = (int64_t)VALUE(&view, CSC, D_WEIGHT_BYTES) / (int64_t)cbuf_entry_bytes(config);
    csc->released_kernels = csc->released_entries = 0;
    csc->kernels_seen = 0;
    csc->results = csc->winograd ? CONV_OUTPUTS : 1;
    csc->credits = cacc_rows(config) >> (nvdla_has_16_bits(config) && csc->order.precision == NVDLA_INT8);
    const bool data = changed(csc->data_bank, csc->last_data_bank, csc->first);
    const bool any = data || changed(csc->weight_bank, csc->last_weight_bank, csc->first);
    const bool same = csc->image == csc->last_image && csc->winograd == csc->last_winograd;
    if (!data && csc->last_left_slices && (!FIELD(&view, CSC, D_MISC_CFG, DATA_REUSE) || !same)) {
        csc->slices.amount -= csc->last_left_slices;
        flow_cdma_release(flow, csc->last_left_entries, 0);
    }
    if (!any && csc->last_skip_weights && !FIELD(&view, CSC, D_MISC_CFG, WEIGHT_REUSE)) {
        csc->kernels.amount -= csc->last_kernels;
        flow_cdma_release(flow, 0, csc->last_weight_entries);
    }
    csc->state = any ? CSC_PEND : CSC_WAIT;
    agree(flow);
}

/* Reads of CBUF for an operation: where several lines come together, so many positions of an output line, or fewer at
 * its end, take as many reads. */
static size_t operation_reads(const struct conv_order *order, const struct conv_operation *operation) {
    const size_t together = order->rows_together, end = operation->first + operation->positions;
    size_t reads = 0, next;
    if (together == 1)
        return operation->positions * order->batches;
    for (size_t at = operation->first; at < end; at = next) {
        next = lesser(end, (at / order->out_width + 1) * order->out_width);
        reads += ceil_div(next - at, together) * together;
    }
    return reads;
}

/* Adds the clocks of operations: of their reads, in which the weights of the next one are loaded. */
static double operation_clocks(const struct flow *flow, size_t operations) {
    const struct conv_order *order = &flow->csc.order;
    const struct conv_operation *operation = &flow->csc.operation;
    double *clocks = flow->csc.launch->clocks;
    const size_t load = ceil_div(operation->kernels, order->cell);
    const size_t reads = operation_reads(order, operation);
    const double work = (double)reads + flow->law[LAW_CSC_ATOM], more = reads < load ? (double)(load - reads) : 0;
    clocks[FLOW_MACS] += (double)operations * work;
    clocks[FLOW_LOAD] += (double)operations * more;
    return work + more;
}

/* The stripe at csc->operation begins: when its last operation does. FLOW_NEVER: data or weights are missing. */
static double begin_stripe(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    const struct conv_order *order = &csc->order;
    const struct conv_operation *operation = &csc->operation;
    double start = csc->at;
    if (operation->group_first) {
        const bool data = flow_account_at(&csc->slices, flow->now) >= csc->height;
        const int64_t kernels = flow_account_at(&csc->kernels, flow->now);
        if (!data || kernels < csc->kernels_seen + (int64_t)operation->kernels)
            return FLOW_NEVER;
        const double known =
            operation->kernel ? csc->kernels.now_known : flow_later(csc->kernels.now_known, csc->slices.now_known);
        const double fill = (double)ceil_div(operation->kernels, order->cell) + flow->law[LAW_CSC_FILL];
        const double ready = known + fill;
        if (ready > start)
            csc->launch->clocks[operation->kernel || csc->kernels.now_known >= csc->slices.now_known ? FLOW_KERNELS
                                                                                                     : FLOW_INPUT] +=
                ready - flow_later(start, csc->launch->begun);
        start = flow_later(start, ready);
    }
    const size_t operations =
        order->columns * ceil_div(order->rows, order->rows_together) * ceil_div(order->channels, order->block);
    csc->clocks = operation_clocks(flow, operations);
    csc->final = start + (double)(operations - 1) * csc->clocks;
    csc->atom = 0;
    csc->final_atoms = operation->positions * order->batches;
    return csc->final;
}

/* Hands over the results of the last operation, as far as CACC has room. False: it has none. */
static bool final_atoms(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    struct flow_rows *rows = &flow->rows;
    for (; csc->atom < csc->final_atoms; csc->atom++) {
        double time = flow_later(csc->final + (double)csc->atom, csc->at);
        if (rows->written + csc->results > csc->credits) { /* all rows of an atom together */
            const uint64_t before = rows->written + csc->results - 1 - csc->credits;
            if (before >= rows->read)
                return false;
            time = flow_later(time, rows->taken[before % FLOW_ROWS] + flow->law[LAW_CACC_CREDIT]);
        }
        for (unsigned r = 0; r < csc->results; r++) {
            rows->come[rows->written++ % FLOW_ROWS] = time + flow->law[LAW_CACC_ROW];
            flow_wake(flow, FLOW_SDP, time + flow->law[LAW_CACC_ROW]);
        }
        csc->at = time + 1;
    }
    return true;
}

static void end_group(struct flow *flow, int64_t kernels) {
    struct flow_csc *csc = &flow->csc;
    if (csc->skip_weights) {
        csc->kernels_seen += kernels;
        return;
    }
    csc->kernels.amount -= kernels;
    csc->released_kernels += (uint64_t)kernels;
    const uint64_t through =
        ceil_div((uint64_t)csc->weight_entries * csc->released_kernels, (uint64_t)csc->order.kernels);
    flow_cdma_release(flow, 0, (int64_t)(through - csc->released_entries));
    csc->released_entries = through;
}

static void end_csc(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    if (!csc->skip_data) {
        csc->slices.amount -= csc->release_slices;
        flow_cdma_release(flow, csc->release_slices * csc->line_entries, 0);
    }
    csc->first = false;
    csc->last_data_bank = csc->data_bank;
    csc->last_weight_bank = csc->weight_bank;
    csc->last_image = csc->image;
    csc->last_winograd = csc->winograd;
    csc->last_skip_weights = csc->skip_weights;
    csc->last_left_slices = csc->left_slices;
    csc->last_left_entries = csc->left_slices * csc->line_entries;
    csc->last_weight_entries = csc->weight_entries;
    csc->last_kernels = (int64_t)csc->order.kernels;
}

/* The last operation of a stripe has begun. */
static double final_step(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    const int64_t kernels = (int64_t)csc->operation.kernels;
    const double before = csc->at;
    if (!final_atoms(flow))
        return FLOW_NEVER;
    csc->at = flow_later(csc->at, csc->final + csc->clocks);
    if (csc->at > flow_later(before, csc->final) + csc->clocks) /* CACC had no room */
        csc->launch->clocks[FLOW_STAGES] += csc->at - flow_later(before, csc->final) - csc->clocks;
    csc->operation = conv_order_next_stripe(&csc->order, &csc->operation);
    const bool over = csc->operation.kernel == csc->order.kernels;
    if (over || csc->operation.group_first)
        end_group(flow, kernels);
    csc->state = over ? CSC_DRAIN : CSC_STRIPE;
    return csc->at;
}

static const enum nvdla_unit core[] = {NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC};
enum { CORE = sizeof core / sizeof *core };

/* When CMAC and CACC run the layer of CSC. */
static double core_armed(const struct flow *flow) {
    double armed = 0;
    for (size_t i = 1; i < CORE; i++)
        armed = flow_later(armed, flow_armed(flow, core[i]));
    return armed;
}

static void drained(struct flow *flow) {
    flow->csc.launch->end = flow->now;
    for (size_t i = 0; i < CORE; i++)
        flow_release(flow, core[i]);
    flow->csc.state = CSC_IDLE;
}

double flow_csc_step(struct flow *flow) {
    struct flow_csc *csc = &flow->csc;
    switch (csc->state) {
    case CSC_IDLE:
        if (flow_armed(flow, NVDLA_CSC) > flow->now)
            return flow_armed(flow, NVDLA_CSC);
        begin_csc(flow);
        return csc->state == CSC_WAIT ? flow->now + 1 : FLOW_NEVER;
    case CSC_PEND:
        return FLOW_NEVER;
    case CSC_WAIT:
        if (core_armed(flow) > flow->now)
            return core_armed(flow);
        csc->operation = conv_order_first(&csc->order);
        csc->at = csc->launch->begun = flow->now;
        csc->state = CSC_STRIPE;
        return flow->now;
    case CSC_STRIPE: {
        if (csc->at > flow->now)
            return csc->at;
        const double final = begin_stripe(flow);
        if (final >= FLOW_NEVER)
            return flow_account_next(&csc->slices, flow_account_next(&csc->kernels, FLOW_NEVER));
        csc->state = CSC_FINAL;
        return final;
    }
    case CSC_FINAL: {
        if (csc->final > flow->now)
            return csc->final;
        const double next = final_step(flow);
        if (csc->state != CSC_DRAIN)
            return next;
        end_csc(flow);
        return csc->at + flow->law[LAW_CSC_END];
    }
    case CSC_DRAIN:
        if (csc->at + flow->law[LAW_CSC_END] > flow->now)
            return csc->at + flow->law[LAW_CSC_END];
        drained(flow);
        return flow->now + 1;
    }
    return FLOW_NEVER;
}
