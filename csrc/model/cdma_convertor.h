/* The input convertor of CDMA (CVT) and its counts of NaN and infinity, for elements and for lines.
 *
 * Spec: 30-cdma-cbuf sections 6 and 7. */
#pragma once

#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/fp.h"
#include "nvdla/pixel.h"

enum { CDMA_CONVERTOR_BITS = 17 }; /* of its values */

/* (value - offset) * scale, shifted right with rounding to nearest, ties away from zero, and saturated to 17 bits.
 *
 * value  17 bits signed; shift 0..63; the result is 17 bits signed. Section 6.3. */
int32_t cdma_scale(int32_t value, int16_t offset, int16_t scale, unsigned shift);

/* A 17-bit value in the processing precision: saturated to 8 or 16 bits, or rounded to FP16. Section 6.3. */
uint16_t cdma_to_precision(int32_t value, enum nvdla_precision proc);

/* Counts of NaN and infinity among FP16 elements. */
struct cdma_specials {
    bool watched;              /* the elements are FP16, otherwise nothing is counted */
    bool flush;                /* NaN becomes +0 */
    struct fp16_specials seen; /* before the flush */
};

/* Counts, and flushes if enabled, in n elements of 2 bytes. Section 7. */
void cdma_watch(struct cdma_specials *specials, uint8_t *elements, size_t n);

/* The convertor of a layer. */
struct cdma_convertor {
    bool enabled;                     /* and not bypassed, as FP16 input is */
    bool sign;                        /* source elements are signed */
    bool means;                       /* each component has its own offset */
    size_t from, to;                  /* bytes of a source element and of a result; the same if not enabled */
    enum nvdla_precision proc;        /* INT8-only configurations: NVDLA_INT16 for all except INT8, section 6.4 */
    int16_t offset[PIXEL_COMPONENTS]; /* by component of the pixel; cubes use the first one */
    int16_t scale;
    unsigned shift;
    uint16_t zero;                         /* the converted 0, which fills an image line after its last pixel */
    uint16_t table[PIXEL_COMPONENTS][256]; /* results by one-byte source */
};

/* Sets the convertor up from CDMA's registers.
 *
 * in, proc  precisions of the layer
 * pixel     format of image input, NULL: a cube, of elements of the processing precision */
void cdma_convertor_init(struct cdma_convertor *convertor, const struct registers_view *view, enum nvdla_precision in,
                         enum nvdla_precision proc, const struct nvdla_pixel_format *pixel);

/* A source element as the convertor's input. */
int32_t cdma_source(const struct cdma_convertor *convertor, uint16_t element);

/* Converts a run of cube bytes in place. */
void cdma_convert_cube(const struct cdma_convertor *convertor, uint8_t *bytes, size_t n);

/* Converts n elements of a component that are one byte before and after; the steps are in bytes. */
void cdma_convert_bytes(const struct cdma_convertor *convertor, int component, const uint8_t *from, size_t from_step,
                        uint8_t *to, size_t to_step, size_t n);

/* Converts n elements of a component, zero-extended to 16 bits, in place. */
void cdma_convert_component(const struct cdma_convertor *convertor, int component, uint16_t *elements, size_t n);
