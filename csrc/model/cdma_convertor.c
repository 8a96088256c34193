/* CDMA's convertor, and its counts of NaN and infinity. See cdma_convertor.h. */
#include "model/cdma_convertor.h"

#include "nvdla/bytes.h"
#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* ---- elements ---- */

int32_t cdma_scale(int32_t value, int16_t offset, int16_t scale, unsigned shift) {
    return (int32_t)fixed_convert(value, offset, scale, shift, CDMA_CONVERTOR_BITS);
}

uint16_t cdma_to_precision(int32_t value, enum nvdla_precision proc) {
    if (proc == NVDLA_FP16)
        return fp16_from_integer(value);
    return (uint16_t)fixed_saturate(value, proc == NVDLA_INT8 ? 8 : 16);
}

void cdma_watch(struct cdma_specials *specials, uint8_t *elements, size_t n) {
    if (specials->watched)
        fp16_count_specials(elements, n, &specials->seen);
    if (specials->watched && specials->flush)
        fp16_flush_nans(elements, n);
}

/* ---- layers ---- */

int32_t cdma_source(const struct cdma_convertor *convertor, uint16_t element) {
    return !convertor->sign ? element : convertor->from == 1 ? (int8_t)element : (int16_t)element;
}

static uint16_t convert(const struct cdma_convertor *convertor, int component, uint16_t source) {
    int32_t value =
        cdma_scale(cdma_source(convertor, source), convertor->offset[component], convertor->scale, convertor->shift);
    return cdma_to_precision(value, convertor->proc);
}

void cdma_convertor_init(struct cdma_convertor *convertor, const struct registers_view *view, enum nvdla_precision in,
                         enum nvdla_precision proc, const struct nvdla_pixel_format *pixel) {
    uint32_t settings = VALUE(view, CDMA, D_CVT_CFG);
    convertor->enabled = REGISTER_FIELD(settings, CDMA_D_CVT_CFG__CVT_EN) && in != NVDLA_FP16;
    convertor->sign = true;
    convertor->means = false;
    convertor->zero = 0;
    convertor->from = !pixel ? (size_t)nvdla_element_bytes(proc) : pixel->bits == 8 ? 1 : 2;
    convertor->to = convertor->enabled ? (size_t)nvdla_element_bytes(proc) : convertor->from;
    if (!convertor->enabled)
        return;
    uint32_t misc = VALUE(view, CDMA, D_MISC_CFG), format = VALUE(view, CDMA, D_DATAIN_FORMAT);
    const uint32_t mean[] = {VALUE(view, CDMA, D_MEAN_GLOBAL_0), VALUE(view, CDMA, D_MEAN_GLOBAL_1)};
    int16_t offset = (int16_t)(uint16_t)VALUE(view, CDMA, D_CVT_OFFSET);
    bool means = pixel && (VALUE(view, CDMA, D_MEAN_FORMAT) & CDMA_D_MEAN_FORMAT__MEAN_FORMAT_MASK);
    bool wide = !nvdla_has_16_bits(view->config) && REGISTER_FIELD(misc, CDMA_D_MISC_CFG__PROC_PRECISION) != NVDLA_INT8;
    convertor->means = means;
    convertor->proc = wide ? NVDLA_INT16 : proc;
    convertor->sign = !pixel || REGISTER_FIELD(format, CDMA_D_DATAIN_FORMAT__PIXEL_SIGN_OVERRIDE);
    convertor->scale = (int16_t)(uint16_t)VALUE(view, CDMA, D_CVT_SCALE);
    convertor->shift = REGISTER_FIELD(settings, CDMA_D_CVT_CFG__CVT_TRUNCATE);
    convertor->offset[0] = means ? 0 : offset; /* with means, the tail of a line has no offset */
    convertor->zero = convert(convertor, 0, 0);
    int components = pixel ? pixel->components : 1;
    for (int component = 0; component < components; component++) {
        uint32_t by = mean[component / 2] >> component % 2 * 16;
        convertor->offset[component] = means ? (int16_t)(uint16_t)by : offset;
        for (uint16_t byte = 0; byte < 256 && convertor->from == 1; byte++)
            convertor->table[component][byte] = convert(convertor, component, byte);
    }
}

/* Converts 2-byte elements at `elements` in place. */
static void convert_halves(const struct cdma_convertor *convertor, int component, uint8_t *elements, size_t n) {
    int16_t offset = convertor->offset[component], scale = convertor->scale;
    unsigned shift = convertor->shift;
    if (convertor->sign && convertor->proc == NVDLA_INT16) { /* whole cubes of INT16 */
        for (size_t i = 0; i < n; i++) {
            int32_t value = cdma_scale((int16_t)load_16(elements + 2 * i), offset, scale, shift);
            store_16(elements + 2 * i, (uint16_t)fixed_saturate(value, 16));
        }
        return;
    }
    for (size_t i = 0; i < n; i++)
        store_16(elements + 2 * i, convert(convertor, component, load_16(elements + 2 * i)));
}

void cdma_convert_cube(const struct cdma_convertor *convertor, uint8_t *bytes, size_t n) {
    if (!convertor->enabled)
        return;
    if (convertor->from == 2) {
        convert_halves(convertor, 0, bytes, n / 2);
        return;
    }
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)convertor->table[0][bytes[i]];
}

void cdma_convert_bytes(const struct cdma_convertor *convertor, int component, const uint8_t *from, size_t from_step,
                        uint8_t *to, size_t to_step, size_t n) {
    if (!convertor->enabled) {
        for (size_t i = 0; i < n; i++)
            to[i * to_step] = from[i * from_step];
        return;
    }
    const uint16_t *table = convertor->table[component];
    for (size_t i = 0; i < n; i++)
        to[i * to_step] = (uint8_t)table[from[i * from_step]];
}

void cdma_convert_component(const struct cdma_convertor *convertor, int component, uint16_t *elements, size_t n) {
    if (!convertor->enabled)
        return;
    if (convertor->from == 2) {
        convert_halves(convertor, component, (uint8_t *)elements, n);
        return;
    }
    const uint16_t *table = convertor->table[component];
    for (size_t i = 0; i < n; i++)
        elements[i] = table[elements[i] & 0xff];
}
