/* PNG, by libpng. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/picture.h"
#include "loadable/picture_parts.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* State that survives a longjmp. */
struct png_work {
    const struct picture_source *source;
    struct error *err;
    size_t at;
    png_structp png;
    png_infop info;
    png_bytep rows;
    png_bytepp row;
};

_Noreturn static void fail(png_structp png, png_const_charp message) {
    const struct png_work *work = png_get_error_ptr(png);
    char shown[256];
    error_set(work->err, "%s: found a damaged PNG: %s", work->source->path,
              text_shown_into(message, shown, sizeof shown));
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep bytes, size_t n) {
    struct png_work *work = png_get_io_ptr(png);
    if (n > work->source->n - work->at)
        png_error(png, "the file ends in the middle");
    memcpy(bytes, work->source->bytes + work->at, n);
    work->at += n;
}

/* Returns false with a message, or longjmps. */
static bool decode(struct png_work *work, struct picture *picture) {
    png_structp png = work->png;
    png_set_read_fn(png, work, read_bytes);
    png_set_user_limits(png, PICTURE_SIZE_MAX, PICTURE_SIZE_MAX);
    png_set_chunk_malloc_max(png, 1 << 20);
    png_set_chunk_cache_max(png, 64);
    png_read_info(png, work->info);
    const png_byte colour = png_get_color_type(png, work->info);
    if (colour == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(png);
    else if (!(colour & PNG_COLOR_MASK_COLOR))
        png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, work->info);
    const unsigned channels = colour & PNG_COLOR_MASK_COLOR ? 3 : 1;
    const bool wide = png_get_bit_depth(png, work->info) == 16;
    const png_uint_32 width = png_get_image_width(png, work->info), height = png_get_image_height(png, work->info);
    if (!picture_allocate(work->source, width, height, channels, wide ? 65535 : 255, picture, work->err))
        return false;
    const size_t line = (size_t)width * channels * (wide ? 2 : 1);
    if (png_get_rowbytes(png, work->info) != line)
        png_error(png, "lines of an unexpected length");
    work->rows = xcalloc(height, line);
    work->row = xcalloc(height, sizeof *work->row);
    for (png_uint_32 y = 0; y < height; y++)
        work->row[y] = work->rows + y * line;
    png_read_image(png, work->row);
    png_read_end(png, NULL);
    for (size_t i = 0; i < (size_t)width * height * channels; i++)
        picture->samples[i] = (uint16_t)(wide ? work->rows[2 * i] << 8 | work->rows[2 * i + 1] : work->rows[i]);
    return true;
}

/* setjmp in its own frame, with nothing in registers that changes after it. */
static bool guarded(struct png_work *work, struct picture *picture) {
    if (setjmp(png_jmpbuf(work->png)))
        return false;
    return decode(work, picture);
}

bool picture_parse_png(const struct picture_source *source, struct picture *picture, struct error *err) {
    struct png_work work = {.source = source, .err = err};
    work.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &work, fail, ignore);
    if (!work.png)
        xexhausted();
    work.info = png_create_info_struct(work.png);
    if (!work.info)
        xexhausted();
    const bool fine = guarded(&work, picture);
    png_destroy_read_struct(&work.png, &work.info, NULL);
    free(work.rows);
    free(work.row);
    return fine;
}
