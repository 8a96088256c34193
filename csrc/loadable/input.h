/* Inputs of a network: converts pictures and other sources to the bytes of its input memories. Spec: 87-loadables
 * section 9.
 *
 * A source is a picture's file, "raw:FILE" (the bytes of the memory, or a network's elements in the type of its file),
 * "int8:FILE" (the elements as INT8), "random:SEED" (values of all kinds, the same on every machine) or "zero". */
#pragma once

#include "loadable/loadable.h"
#include "loadable/picture.h"
#include "nvdla/text.h"

enum { INPUT_CHANNELS_MAX = 8192 };

struct input_options {
    struct words
        sources; /* inputs in the order of their bind ids; for a batch of n: n pictures, or one other source for all */
    float *mean; /* by channel of the tensor, in its order; one: for all; none: 0 */
    size_t mean_count;
    float norm;  /* 0 means 1 */
    float scale; /* for an INT8 tensor: what 1 represents; 0: such that pictures reach -127 or 127 */
    bool rgb;    /* colours: channel 0 is red; otherwise blue */
};

/* Parses "V" or "V,V,..." as mean. False with a message that begins with `option`. */
bool input_mean_parse(const char *text, const char *option, struct input_options *options, struct error *err);
void input_options_free(struct input_options *options);

/* The bytes of all inputs of a network: one array for each memory with MEMORY_INPUT, NULL for the others; sizes are the
 * memories'. Free with input_free. NULL with a message. */
uint8_t **input_fill(const struct loadable *loadable, const struct input_options *options, struct error *err);
void input_free(const struct loadable *loadable, uint8_t **inputs);
