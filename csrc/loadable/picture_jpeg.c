/* JPEG by libjpeg, with the accurate integer DCT, whose numbers are those of the driver's tools. */
#include <setjmp.h>
#include <stdio.h> /* jpeglib.h needs it */
#include <stdlib.h>

#include <jpeglib.h>

#include "loadable/picture.h"
#include "loadable/picture_parts.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* State that survives a longjmp. */
struct jpeg_work {
    struct jpeg_error_mgr errors;
    jmp_buf back;
    const struct picture_source *source;
    struct error *err;
    struct jpeg_decompress_struct jpeg;
    JSAMPLE *line;
};

_Noreturn static void fail(j_common_ptr jpeg) {
    struct jpeg_work *work = jpeg->client_data;
    char message[JMSG_LENGTH_MAX], shown[256];
    jpeg->err->format_message(jpeg, message);
    error_set(work->err, "%s: found a damaged JPEG: %s", work->source->path,
              text_shown_into(message, shown, sizeof shown));
    longjmp(work->back, 1);
}

/* The library continues after damage and fills with grey; this reader stops. */
static void message(j_common_ptr jpeg, int level) {
    if (level < 0)
        fail(jpeg);
}

static bool decode(struct jpeg_work *work, struct picture *picture) {
    j_decompress_ptr jpeg = &work->jpeg;
    jpeg_mem_src(jpeg, work->source->bytes, (unsigned long)work->source->n);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->jpeg_color_space != JCS_GRAYSCALE && jpeg->jpeg_color_space != JCS_YCbCr &&
        jpeg->jpeg_color_space != JCS_RGB)
        return error_set(work->err, "%s: found a JPEG of %d components for print; expected grey or red, green, blue",
                         work->source->path, jpeg->num_components);
    const unsigned channels = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    if (!picture_allocate(work->source, jpeg->image_width, jpeg->image_height, channels, 255, picture, work->err))
        return false;
    jpeg->out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    jpeg_start_decompress(jpeg);
    const size_t samples = (size_t)picture->width * channels;
    work->line = xcalloc(samples, sizeof *work->line);
    while (jpeg->output_scanline < jpeg->output_height) {
        uint16_t *to = picture->samples + jpeg->output_scanline * samples;
        jpeg_read_scanlines(jpeg, &work->line, 1);
        for (size_t i = 0; i < samples; i++)
            to[i] = work->line[i];
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

static bool guarded(struct jpeg_work *work, struct picture *picture) {
    if (setjmp(work->back))
        return false;
    jpeg_create_decompress(&work->jpeg);
    return decode(work, picture);
}

bool picture_parse_jpeg(const struct picture_source *source, struct picture *picture, struct error *err) {
    autofree struct jpeg_work *work = xcalloc(1, sizeof *work);
    work->source = source;
    work->err = err;
    work->jpeg.err = jpeg_std_error(&work->errors);
    work->errors.error_exit = fail;
    work->errors.emit_message = message;
    work->jpeg.client_data = work;
    const bool fine = guarded(work, picture);
    jpeg_destroy_decompress(&work->jpeg);
    free(work->line);
    return fine;
}
