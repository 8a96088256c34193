/* The laws of NVIDIA's errata. See errata.h. */
#include "nvdla/errata.h"

#include "nvdla/sizes.h"

enum {
    SINGLE_STEP = 8, /* blocks by which the end of the row is approached in stripes of one output */
    PIXELS_COUNTED = 32
};

/* Elements of the last block of a kernel row. */
static size_t last_block(const struct errata_line *line) {
    return (line->row - 1) % line->lanes + 1;
}

/* Outputs of the stripe that begins at `first`. */
static size_t stripe_outputs(const struct errata_line *line, size_t first) {
    return lesser(line->stripe, line->outputs - first);
}

/* Where the RTL believes the last element that a block needs at the first output of a stripe of n outputs, from that
 * output's first element. Right would be the end of the block. */
static size_t last_needed(const struct errata_line *line, size_t n, size_t block) {
    const size_t lanes = line->lanes, step = (n == 1 ? SINGLE_STEP : 1) * lanes;
    size_t needed = lesser(line->row, lanes) - 1;
    for (size_t b = 0; b < block; b++)
        needed += line->row <= 2 * lanes + 1 + step * b ? last_block(line) : lanes;
    return needed;
}

bool errata_takes_others(const struct errata_line *line) {
    const size_t lanes = line->lanes, blocks = ceil_div(line->row, lanes), last = last_block(line);
    if (blocks < 3)
        return false;
    const size_t far = line->row > 2 * lanes + 1 ? ceil_div(line->row - 2 * lanes - 1, SINGLE_STEP * lanes) : 0;
    const bool single = line->outputs % line->stripe == 1 && (lanes - last) * (blocks - 1 - far) >= lanes;
    return last == 1 || single;
}

long errata_element(const struct errata_line *line, size_t output, size_t element) {
    const size_t lanes = line->lanes, block = element / lanes, lane = element % lanes;
    const size_t first = output - output % line->stripe, moved = (output - first) * line->step;
    const size_t needed = last_needed(line, stripe_outputs(line, first), block);
    const size_t entry = needed / lanes, place = moved + lane;
    size_t from = entry * lanes + place;
    if (line->step > lanes && moved > 0)
        from = needed + moved + lane - (lesser(lanes, line->row - lanes * block) - 1);
    else if (entry + place / lanes > (needed + moved) / lanes)
        return ERRATA_ZERO;
    return (long)(first * line->step + from);
}

/* True if an element is a pixel's; false: padding, on either side. */
static bool is_pixel(const struct errata_pixels *pixels, size_t element) {
    return element >= pixels->first && element < pixels->end;
}

bool errata_line_differs(const struct errata_line *line, const struct errata_pixels *pixels) {
    if (!errata_takes_others(line))
        return false;
    for (size_t output = 0; output < line->outputs; output++) {
        for (size_t element = 0; element < line->row; element++) {
            const size_t right = output * line->step + element;
            const long got = errata_element(line, output, element);
            const bool pixel = got != ERRATA_ZERO && is_pixel(pixels, (size_t)got);
            const bool other_padding = got == ERRATA_ZERO && !pixels->pads_are_zero;
            if (pixel || is_pixel(pixels, right) || other_padding) {
                if (other_padding || got != (long)right)
                    return true;
            }
        }
    }
    return false;
}

bool errata_pads_are_lost(size_t components, size_t width, size_t pad_left, size_t pad_right, size_t x_offset) {
    if (components != 3 && components != 4)
        return false;
    /* Of an atom of 8 bytes; with three components, of the plane with two of them. */
    const size_t pixels = components == 3 ? 4 : 2, enough = PIXELS_COUNTED / pixels;
    const size_t offset = x_offset % pixels;
    if (pad_left > 0 && pad_left + pixels - offset > PIXELS_COUNTED)
        return true;
    if (pad_right == 0)
        return false;
    if (width + offset <= pixels)
        return ceil_div(pad_left % pixels + width + pad_right, pixels) >= enough;
    const size_t last = (width + offset - 1) % pixels + 1, filled = (offset + pad_left * (pixels - 1)) % pixels;
    return last + pad_right > filled && ceil_div(last + pad_right - filled, pixels) >= enough;
}
