/* What goes into a network: an input memory as a tensor, and where its elements lie. Spec: 87-loadables section 9.
 *
 * Pictures of any kind become numbers from 0 to 255 and go in by input_put; a raw file is the memory's content.
 */
#ifndef LOADABLE_INPUT_H
#define LOADABLE_INPUT_H

#include "loadable/loadable.h"

struct input_tensor {
    const char *name;
    unsigned bind;  /* number among the inputs */
    int n, c, h, w; /* pictures, channels, height, width; each >= 1 */
    bool half;      /* elements are FP16; else INT8 */
    unsigned pixel_format;
    uint32_t line_stride, surface_stride; /* bytes */
    uint64_t size;                        /* bytes of the memory */
};

/* How a number from 0 to 255 becomes an element: of half tensors (value - mean of the channel) / norm. */
enum { INPUT_CHANNELS = 4 };
struct input_scale {
    float mean[INPUT_CHANNELS]; /* of channels from 0 on; those above have the last one */
    float norm;
};
extern const struct input_scale input_plain; /* mean 0, norm 1 */

/* The tensor of an input memory, if it is of a kind that pictures can be put into: then every place that input_place
 * gives is inside the memory. False with a message. */
bool input_tensor_of(const struct loadable *loadable, const struct loadable_memory *memory, struct input_tensor *tensor,
                     struct error *err);

/* Byte offset in the memory of channel z of the element at (x, y) of a picture. */
uint64_t input_place(const struct input_tensor *tensor, int picture, int x, int y, int z);

/* Puts a value from 0 to 255 into the memory's bytes. */
void input_put(const struct input_tensor *tensor, const struct input_scale *scale, int picture, int x, int y, int z,
               unsigned value, uint8_t *bytes);

enum input_kind { INPUT_ZERO, INPUT_RANDOM, INPUT_RAW };

struct input_spec {
    enum input_kind kind;
    uint64_t seed;    /* INPUT_RANDOM */
    const char *path; /* INPUT_RAW */
};

/* "zero", "random:SEED" or "raw:FILE" (which must outlive the spec). False with a message. */
bool input_spec_read(const char *text, struct input_spec *spec, struct error *err);

/* The bytes of an input memory, zeros before. False with a message. */
bool input_fill(const struct loadable *loadable, const struct loadable_memory *memory, const struct input_spec *spec,
                uint8_t *bytes, struct error *err);

#endif
