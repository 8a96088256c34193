/* CDMA as mathematics: memory to input lines and a stream of weight bytes (chapters 20 and 30). */
#include "naive.h"
#include "naive_fp.h"
#include "naive_parts.h"

enum { FEATURE, IMAGE, WINOGRAD };

/* Chapter 20 section 4: the table of pixel formats. Positions are those of components 0 to 3 within a pixel: bytes or
 * halfwords of plane 0, bit shifts for the packed formats; two planes: those of U and V within plane 1. */
enum shape { BYTES, HALVES, HALVES_FLOAT, PACKED10, PLANES8, PLANES16 };
static const struct pixel_format {
    enum shape shape;
    int components, position[4];
} pixel_formats[] = {
    [0x00] = {BYTES, 1, {0}},
    [0x01] = {HALVES, 1, {0}},
    [0x02] = {HALVES, 1, {0}},
    [0x03] = {HALVES, 1, {0}},
    [0x04] = {HALVES, 1, {0}},
    [0x05] = {HALVES_FLOAT, 1, {0}},
    [0x06] = {HALVES, 4, {0, 1, 2, 3}},
    [0x07] = {HALVES, 4, {0, 1, 2, 3}},
    [0x08] = {HALVES_FLOAT, 4, {0, 1, 2, 3}},
    [0x09] = {HALVES, 4, {2, 1, 0, 3}},
    [0x0A] = {HALVES, 4, {1, 2, 3, 0}},
    [0x0B] = {HALVES_FLOAT, 4, {2, 1, 0, 3}},
    [0x0C] = {BYTES, 4, {0, 1, 2, 3}},
    [0x0D] = {BYTES, 4, {2, 1, 0, 3}},
    [0x0E] = {BYTES, 4, {1, 2, 3, 0}},
    [0x0F] = {BYTES, 4, {3, 2, 1, 0}},
    [0x10] = {BYTES, 4, {0, 1, 2, 3}},
    [0x11] = {BYTES, 4, {2, 1, 0, 3}},
    [0x12] = {BYTES, 4, {1, 2, 3, 0}},
    [0x13] = {BYTES, 4, {3, 2, 1, 0}},
    [0x14] = {PACKED10, 4, {0, 10, 20, 30}},
    [0x15] = {PACKED10, 4, {20, 10, 0, 30}},
    [0x16] = {PACKED10, 4, {2, 12, 22, 0}},
    [0x17] = {PACKED10, 4, {22, 12, 2, 0}},
    [0x18] = {PACKED10, 4, {20, 10, 0, 30}},
    [0x19] = {PACKED10, 4, {2, 12, 22, 0}},
    [0x1A] = {BYTES, 4, {2, 1, 0, 3}},
    [0x1B] = {BYTES, 4, {1, 2, 3, 0}},
    [0x1C] = {PLANES8, 3, {0, 1, 0}},
    [0x1D] = {PLANES8, 3, {0, 0, 1}},
    [0x1E] = {PLANES16, 3, {0, 1, 0}},
    [0x1F] = {PLANES16, 3, {0, 0, 1}},
    [0x20] = {PLANES16, 3, {0, 1, 0}},
    [0x21] = {PLANES16, 3, {0, 0, 1}},
    [0x22] = {PLANES16, 3, {0, 1, 0}},
    [0x23] = {PLANES16, 3, {0, 0, 1}},
};

/* Chapter 30 section 6.3. x: sign- or zero-extended source element (FP16: pattern); component: of the pixel, else 0. */
int32_t naive_convert(const struct naive_convertor *cvt, int32_t x, int component) {
    if (cvt->in == NVDLA_FP16)
        return cvt->flush && naive_fp16_is_nan((uint32_t)x) ? 0 : x;
    if (!cvt->enabled)
        return cvt->proc == NVDLA_INT8 ? (int8_t)x : (int16_t)x;
    const wide product = ((wide)x - cvt->offset[component]) * cvt->scale;
    const int32_t q = (int32_t)naive_saturate(cvt->truncate >= 34 ? 0 : naive_round_shift(product, cvt->truncate), 17);
    if (cvt->wide_cell)
        return (int8_t)naive_saturate(q, 16);
    switch (cvt->proc) {
    case NVDLA_INT8:
        return (int32_t)naive_saturate(q, 8);
    case NVDLA_INT16:
        return (int32_t)naive_saturate(q, 16);
    case NVDLA_FP16:
        break;
    }
    return (int32_t)naive_int_to_fp16(q);
}

/* Counts an FP16 value in the registers of NaN and of infinity (chapter 30 section 7). */
static void count(struct naive *m, uint32_t nan_register, uint32_t inf_register, uint32_t value) {
    const bool nan = naive_fp16_is_nan(value);
    if (!nan && (value & 0x7fff) != 0x7c00)
        return;
    const uint32_t offset = nan ? nan_register : inf_register;
    naive_set_register(m, NVDLA_CDMA, offset, naive_register(m, NVDLA_CDMA, offset) + 1);
}

/* One source element into CBUF. */
static int32_t take(struct naive *m, const struct naive_convertor *cvt, int32_t x, int component) {
    if (cvt->in == NVDLA_FP16)
        count(m, CDMA_D_NAN_INPUT_DATA_NUM, CDMA_D_INF_INPUT_DATA_NUM, (uint32_t)x);
    return naive_convert(cvt, x, component);
}

static struct naive_slice slice_new(int batches, int width, int lanes) {
    struct naive_slice slice = {.batches = batches, .width = width, .lanes = lanes};
    slice.elements = xcalloc((size_t)batches * (size_t)width * (size_t)lanes + 1, sizeof(int32_t));
    return slice;
}

static void append_slice(struct naive_cbuf *cbuf, struct naive_slice slice) {
    cbuf->slices = xrealloc(cbuf->slices, (cbuf->slice_count + 1) * sizeof slice);
    cbuf->slices[cbuf->slice_count++] = slice;
}

void naive_cbuf_free(struct naive_cbuf *cbuf) {
    for (size_t i = 0; i < cbuf->slice_count; i++)
        free(cbuf->slices[i].elements);
    free(cbuf->slices);
    free(cbuf->weights);
    free(cbuf->masks);
}

static struct naive_convertor read_convertor(const struct naive *m, int mode) {
    struct naive_convertor cvt = {
        .enabled = NAIVE_FIELD(m, CDMA, D_CVT_CFG, CVT_EN),
        .flush = NAIVE_FIELD(m, CDMA, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO),
        .in = (enum nvdla_precision)NAIVE_FIELD(m, CDMA, D_MISC_CFG, IN_PRECISION),
        .proc = (enum nvdla_precision)NAIVE_FIELD(m, CDMA, D_MISC_CFG, PROC_PRECISION),
        .scale = (int16_t)NAIVE_FIELD(m, CDMA, D_CVT_SCALE, CVT_SCALE),
        .truncate = NAIVE_FIELD(m, CDMA, D_CVT_CFG, CVT_TRUNCATE),
    };
    if (!naive_has_16(m)) {
        cvt.wide_cell = cvt.proc == NVDLA_INT16;
        cvt.in = NVDLA_INT8;
        cvt.proc = NVDLA_INT8;
    }
    const int16_t mean[4] = {(int16_t)NAIVE_FIELD(m, CDMA, D_MEAN_GLOBAL_0, MEAN_RY),
                             (int16_t)NAIVE_FIELD(m, CDMA, D_MEAN_GLOBAL_0, MEAN_GU),
                             (int16_t)NAIVE_FIELD(m, CDMA, D_MEAN_GLOBAL_1, MEAN_BV),
                             (int16_t)NAIVE_FIELD(m, CDMA, D_MEAN_GLOBAL_1, MEAN_AX)};
    const bool use_mean = mode == IMAGE && NAIVE_FIELD(m, CDMA, D_MEAN_FORMAT, MEAN_FORMAT);
    for (int i = 0; i < 4; i++)
        cvt.offset[i] = use_mean ? mean[i] : (int16_t)NAIVE_FIELD(m, CDMA, D_CVT_OFFSET, CVT_OFFSET);
    return cvt;
}

/* The lines of a feature cube (chapter 20 section 2, chapter 98 section 3). */
static bool fetch_feature(struct naive *m, const struct memory *mem, const struct naive_convertor *cvt) {
    const int atom = m->config->mem_atom, bytes = naive_element_bytes(cvt->proc), lanes = atom / bytes;
    const int width = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    const int height = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    const int surfaces = naive_divide_up(NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_1, DATAIN_CHANNEL) + 1, lanes);
    const int batches = m->config->batch_max > 1 ? NAIVE_FIELD(m, CDMA, D_BATCH_NUMBER, BATCHES) + 1 : 1;
    const uint64_t base = naive_align(m, naive_address(m, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0));
    const uint64_t line_stride = naive_align(m, naive_register(m, NVDLA_CDMA, CDMA_D_LINE_STRIDE));
    const uint64_t batch_stride = naive_register(m, NVDLA_CDMA, CDMA_D_BATCH_STRIDE);
    uint64_t surface_stride = naive_align(m, naive_register(m, NVDLA_CDMA, CDMA_D_SURF_STRIDE));
    const int grain =
        NAIVE_FIELD(m, CDMA, D_DAIN_MAP, LINE_PACKED) ? NAIVE_FIELD(m, CDMA, D_FETCH_GRAIN, GRAINS) + 1 : 1;
    if (width == 1 && height == 1 && NAIVE_FIELD(m, CDMA, D_DAIN_MAP, SURF_PACKED))
        surface_stride = (uint64_t)atom;
    if (cvt->in != cvt->proc)
        return naive_unsupported(m, "CDMA: feature input with IN_PRECISION %d, PROC_PRECISION %d", cvt->in, cvt->proc);
    autofree uint8_t *pixel = xmalloc((size_t)atom);
    for (int y = 0; y < height; y++) {
        struct naive_slice slice = slice_new(batches, width, surfaces * lanes);
        for (int b = 0; b < batches; b++)
            for (int s = 0; s < surfaces; s++)
                for (int x = 0; x < width; x++) {
                    const uint64_t address = base + (uint64_t)b * batch_stride + (uint64_t)s * surface_stride +
                                             (uint64_t)(y / grain * grain) * line_stride +
                                             (uint64_t)(y % grain * width + x) * (uint64_t)atom;
                    memory_read(mem, address, pixel, (size_t)atom);
                    for (int l = 0; l < lanes; l++)
                        slice.elements[(b * width + x) * surfaces * lanes + s * lanes + l] =
                            take(m, cvt, naive_get(pixel, l, cvt->in), 0);
                }
        append_slice(&m->cbuf, slice);
    }
    return true;
}

/* Value of a pixel's component before the convertor: sign- or zero-extended (FP16: pattern). */
static int32_t pixel_component(const struct memory *mem, const struct pixel_format *format, uint64_t plane0,
                               uint64_t plane1, int component, bool is_signed) {
    const int position = format->position[component];
    uint8_t bytes[4];
    bool byte = false;
    uint32_t value = 0;
    switch (format->shape) {
    case BYTES:
        memory_read(mem, plane0 + (uint64_t)position, bytes, 1);
        byte = true;
        break;
    case HALVES:
    case HALVES_FLOAT:
        memory_read(mem, plane0 + 2 * (uint64_t)position, bytes, 2);
        break;
    case PLANES8:
        memory_read(mem, component == 0 ? plane0 : plane1 + (uint64_t)position, bytes, 1);
        byte = true;
        break;
    case PLANES16:
        memory_read(mem, component == 0 ? plane0 : plane1 + 2 * (uint64_t)position, bytes, 2);
        break;
    case PACKED10:
        memory_read(mem, plane0, bytes, 4);
        value = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        value = component < 3 ? (value >> position & 1023) << 6 : (value >> position & 3) << 14;
        return is_signed ? (int16_t)value : (int32_t)value;
    }
    if (byte)
        return is_signed ? (int8_t)bytes[0] : bytes[0];
    value = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
    return is_signed && format->shape != HALVES_FLOAT ? (int16_t)value : (int32_t)value;
}

/* Image lines with their left and right padding (chapter 30 section 5.4). */
static bool fetch_image(struct naive *m, const struct memory *mem, const struct naive_convertor *cvt) {
    const unsigned id = (unsigned)NAIVE_FIELD(m, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT);
    if (id >= sizeof pixel_formats / sizeof pixel_formats[0])
        return naive_unsupported(m, "CDMA: pixel format 0x%x", id);
    const struct pixel_format *format = &pixel_formats[id];
    const bool bytes = format->shape == BYTES || format->shape == PLANES8;
    const bool planes = format->shape == PLANES8 || format->shape == PLANES16;
    const enum nvdla_precision native = bytes ? NVDLA_INT8 : format->shape == HALVES_FLOAT ? NVDLA_FP16 : NVDLA_INT16;
    if (native != cvt->in || (cvt->in != cvt->proc && (!cvt->enabled || cvt->in == NVDLA_FP16)))
        return naive_unsupported(m, "CDMA: pixel format 0x%x with IN_PRECISION %d, PROC_PRECISION %d, CVT_EN %d", id,
                                 cvt->in, cvt->proc, cvt->enabled);
    const int n = format->components;
    const int size0 = format->shape == PACKED10 ? 4 : (bytes ? 1 : 2) * (planes ? 1 : n), size1 = bytes ? 2 : 4;
    const int width = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    const int height = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    const int left = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING, PAD_LEFT),
              right = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING, PAD_RIGHT);
    const int pad_bits = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING_VALUE, PAD_VALUE);
    const int pad = cvt->proc == NVDLA_INT8    ? (int8_t)pad_bits
                    : cvt->proc == NVDLA_INT16 ? (int16_t)pad_bits
                                               : pad_bits;
    const int x0 = NAIVE_FIELD(m, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET), x1 = x0 % (m->config->mem_atom / size1);
    const bool is_signed = NAIVE_FIELD(m, CDMA, D_DATAIN_FORMAT, PIXEL_SIGN_OVERRIDE);
    if (x0 >= m->config->mem_atom / size0)
        return naive_unsupported(m, "CDMA: PIXEL_X_OFFSET %d for pixels of %d bytes", x0, size0);
    const uint64_t base0 = naive_address(m, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0);
    const uint64_t base1 = naive_address(m, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1);
    const uint64_t stride0 = naive_register(m, NVDLA_CDMA, CDMA_D_LINE_STRIDE);
    const uint64_t stride1 = naive_register(m, NVDLA_CDMA, CDMA_D_LINE_UV_STRIDE);
    for (int y = 0; y < height; y++) {
        struct naive_slice slice = slice_new(1, (left + width + right) * n, 1);
        slice.components = n;
        for (int i = 0; i < slice.width; i++)
            slice.elements[i] = pad;
        for (int x = 0; x < width; x++)
            for (int c = 0; c < n; c++) {
                const uint64_t at0 = naive_align(m, base0 + (uint64_t)y * stride0) + (uint64_t)((x0 + x) * size0);
                const uint64_t at1 = naive_align(m, base1 + (uint64_t)y * stride1) + (uint64_t)((x1 + x) * size1);
                slice.elements[(left + x) * n + c] =
                    take(m, cvt, pixel_component(mem, format, at0, at1, c, is_signed), c);
            }
        append_slice(&m->cbuf, slice);
    }
    return true;
}

/* Extended lines of the Winograd mode: channel ((ys * sx + xs) * S + s) * epa + lane (chapter 30 section 5.5). */
static bool fetch_winograd(struct naive *m, const struct memory *mem, const struct naive_convertor *cvt) {
    const int atom = m->config->mem_atom, bytes = naive_element_bytes(cvt->proc), lanes = atom / bytes;
    const int width = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    const int height = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    const int surfaces = naive_divide_up(NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_1, DATAIN_CHANNEL) + 1, lanes);
    const int width_ext = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1;
    const int height_ext = NAIVE_FIELD(m, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    const int sx = NAIVE_FIELD(m, CDMA, D_CONV_STRIDE, CONV_X_STRIDE) + 1;
    const int sy = NAIVE_FIELD(m, CDMA, D_CONV_STRIDE, CONV_Y_STRIDE) + 1;
    const int left = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING, PAD_LEFT),
              top = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING, PAD_TOP);
    const int right = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING, PAD_RIGHT);
    const int pad_bits = NAIVE_FIELD(m, CDMA, D_ZERO_PADDING_VALUE, PAD_VALUE);
    const int pad = cvt->in == NVDLA_INT8 ? (int8_t)pad_bits : cvt->in == NVDLA_INT16 ? (int16_t)pad_bits : pad_bits;
    const uint64_t base = naive_align(m, naive_address(m, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0));
    const uint64_t line_stride = naive_register(m, NVDLA_CDMA, CDMA_D_LINE_STRIDE);
    const uint64_t surface_stride = naive_register(m, NVDLA_CDMA, CDMA_D_SURF_STRIDE);
    if (!m->config->winograd || cvt->in != cvt->proc)
        return naive_unsupported(m, "CDMA: Winograd with IN_PRECISION %d, PROC_PRECISION %d", cvt->in, cvt->proc);
    if (width_ext % 4 || height_ext % 4 || width_ext * sx != left + width + right)
        return naive_unsupported(m, "CDMA: Winograd width %d + %d + %d, stride %d, extended %d x %d", left, width,
                                 right, sx, width_ext, height_ext);
    const int channels = surfaces * lanes * sx * sy;
    for (int y = 0; y < height_ext; y++) {
        struct naive_slice slice = slice_new(1, width_ext, channels);
        for (int x = 0; x < width_ext; x++)
            for (int ys = 0; ys < sy; ys++)
                for (int xs = 0; xs < sx; xs++) {
                    const int row = y * sy + ys - top, column = x * sx + xs - left;
                    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
                    for (int c = 0; c < surfaces * lanes; c++) {
                        int32_t value = pad;
                        if (inside)
                            value =
                                naive_load(mem,
                                           base + (uint64_t)(c / lanes) * surface_stride + (uint64_t)row * line_stride +
                                               (uint64_t)(column * atom + c % lanes * bytes),
                                           cvt->in);
                        slice.elements[x * channels + (ys * sx + xs) * surfaces * lanes + c] = take(m, cvt, value, 0);
                    }
                }
        append_slice(&m->cbuf, slice);
    }
    return true;
}

static uint8_t *append_bytes(uint8_t *ring, size_t *size, const struct memory *mem, uint64_t address, size_t n) {
    ring = xrealloc(ring, *size + n + 1);
    memory_read(mem, address, ring + *size, n);
    *size += n;
    return ring;
}

/* Chapter 30 section 8. */
static bool fetch_weights(struct naive *m, const struct naive_convertor *cvt) {
    struct naive_cbuf *cbuf = &m->cbuf;
    const struct memory *mem = naive_memory(m, NAIVE_FIELD(m, CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE));
    if (!mem)
        return false;
    const uint64_t address = naive_address(m, NVDLA_CDMA, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH);
    const size_t start = cbuf->weight_bytes, n = naive_register(m, NVDLA_CDMA, CDMA_D_WEIGHT_BYTES);
    if (n > 1u << 24)
        return naive_unsupported(m, "CDMA: WEIGHT_BYTES 0x%zx", n);
    cbuf->weights = append_bytes(cbuf->weights, &cbuf->weight_bytes, mem, naive_align(m, address), n);
    for (size_t i = start; cvt->proc == NVDLA_FP16 && i + 1 < cbuf->weight_bytes; i += 2) {
        const uint32_t value = (uint32_t)cbuf->weights[i] | (uint32_t)cbuf->weights[i + 1] << 8;
        count(m, CDMA_D_NAN_INPUT_WEIGHT_NUM, CDMA_D_INF_INPUT_WEIGHT_NUM, value);
        if (cvt->flush && naive_fp16_is_nan(value))
            cbuf->weights[i] = cbuf->weights[i + 1] = 0;
    }
    if (!NAIVE_FIELD(m, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT))
        return true;
    if (!m->config->weight_compression)
        return naive_unsupported(m, "CDMA: compressed weights");
    const uint64_t masks = naive_address(m, NVDLA_CDMA, CDMA_D_WMB_ADDR_LOW, CDMA_D_WMB_ADDR_HIGH);
    cbuf->masks =
        append_bytes(cbuf->masks, &cbuf->mask_bytes, mem, masks, naive_register(m, NVDLA_CDMA, CDMA_D_WMB_BYTES));
    return true;
}

static void drop_all_data(struct naive_cbuf *cbuf) {
    for (size_t i = 0; i < cbuf->slice_count; i++)
        free(cbuf->slices[i].elements);
    cbuf->slice_count = 0;
    cbuf->left = 0;
}

/* Chapter 30 section 9.3. The caller has made sure that CSC takes part in a change of banks. */
bool naive_cdma(struct naive *m) {
    struct naive_cbuf *cbuf = &m->cbuf;
    const int mode = NAIVE_FIELD(m, CDMA, D_MISC_CFG, CONV_MODE)            ? WINOGRAD
                     : NAIVE_FIELD(m, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) ? IMAGE
                                                                            : FEATURE;
    const uint32_t banks = naive_register(m, NVDLA_CDMA, CDMA_D_BANK);
    const uint32_t change = cbuf->cdma_ran ? banks ^ cbuf->cdma_banks : ~0u;
    const bool data_change = (change & CDMA_D_BANK__DATA_BANK_MASK) != 0;
    const struct naive_convertor cvt = read_convertor(m, mode);
    if (data_change)
        drop_all_data(cbuf);
    if (change) {
        cbuf->weight_bytes = cbuf->mask_bytes = 0;
        cbuf->weights_kept = false;
    }
    const bool keep_data =
        !data_change && NAIVE_FIELD(m, CDMA, D_MISC_CFG, DATA_REUSE) && cbuf->cdma_skip_data && cbuf->cdma_mode == mode;
    const bool keep_weights = !change && NAIVE_FIELD(m, CDMA, D_MISC_CFG, WEIGHT_REUSE) && cbuf->cdma_skip_weights;
    cbuf->cdma_ran = true;
    cbuf->cdma_mode = mode;
    cbuf->cdma_banks = banks;
    cbuf->cdma_skip_data = NAIVE_FIELD(m, CDMA, D_MISC_CFG, SKIP_DATA_RLS);
    cbuf->cdma_skip_weights = NAIVE_FIELD(m, CDMA, D_MISC_CFG, SKIP_WEIGHT_RLS);
    if (cvt.enabled && !naive_has_16(m) && NAIVE_FIELD(m, CDMA, D_MISC_CFG, PROC_PRECISION) > NVDLA_INT16)
        return naive_unsupported(m, "CDMA: PROC_PRECISION of INT8 hardware above 1");
    if (cvt.in > NVDLA_FP16 || cvt.proc > NVDLA_FP16)
        return naive_unsupported(m, "CDMA: IN_PRECISION %d, PROC_PRECISION %d", cvt.in, cvt.proc);
    if (!keep_data) {
        const struct memory *mem = naive_memory(m, NAIVE_FIELD(m, CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
        if (!mem)
            return false;
        if (!(mode == FEATURE ? fetch_feature : mode == IMAGE ? fetch_image : fetch_winograd)(m, mem, &cvt))
            return false;
    }
    return keep_weights || fetch_weights(m, &cvt);
}
