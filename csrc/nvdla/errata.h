/* Errata of NVIDIA's RTL: legal image layers that it computes otherwise than the chapters say.
 *
 * E1: CSC takes wrong elements of the line for the last blocks of a wide kernel row. Every element is known.
 * E2: CDMA leaves a line with wide padding incomplete. Only the layers are known, not the elements.
 * Both are measured with AtomicC 8, E1 also with 32. Spec: 99-illegal-programming, list 5. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* How CSC goes along a line of an image. An element is a component of a pixel. */
struct errata_line {
    size_t lanes;   /* elements of a block: AtomicC */
    size_t stripe;  /* most outputs of a stripe: the larger of AtomicC and 2 AtomicK */
    size_t row;     /* elements of a kernel row */
    size_t step;    /* elements from one output to the next */
    size_t outputs; /* in a line */
};

/* E1: true if an output of the line takes another element than it should. */
bool errata_takes_others(const struct errata_line *line);

/* The element of the line in CBUF, from its start, that NVIDIA's CSC takes for element `element` of the kernel row at
 * output `output`; ERRATA_ZERO: none, the value is 0. */
enum { ERRATA_ZERO = -1 };
long errata_element(const struct errata_line *line, size_t output, size_t element);

/* What surrounds the pixels of a line: elements [first, end) are pixels, the others padding. */
struct errata_pixels {
    size_t first, end;
    bool pads_are_zero;
};

/* E1: true if such an element has another origin too: not padding instead of padding. */
bool errata_line_differs(const struct errata_line *line, const struct errata_pixels *pixels);

/* E2, AtomicC 8: true if the padded line may be incomplete. x_offset: PIXEL_X_OFFSET; others in pixels. One in 25 of
 * such layers of four components is right by chance, and most of those of three components with one line. */
bool errata_pads_are_lost(size_t components, size_t width, size_t pad_left, size_t pad_right, size_t x_offset);
