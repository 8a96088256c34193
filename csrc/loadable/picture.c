/* Pictures of any format: detection, and what all readers share. See picture.h. */
#include <stdlib.h>
#include <string.h>

#include "loadable/picture.h"
#include "loadable/picture_parts.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

bool picture_allocate(const struct picture_source *source, uint64_t width, uint64_t height, unsigned channels,
                      unsigned maximum, struct picture *picture, struct error *err) {
    if (width < 1 || width > PICTURE_SIZE_MAX || height < 1 || height > PICTURE_SIZE_MAX ||
        width * height * channels > PICTURE_SAMPLES_MAX)
        return error_set(err,
                         "%s: found a picture of %llu x %llu pixels and %u channels; expected 1 to %d pixels in width "
                         "and height and at most %zu samples",
                         source->path, (unsigned long long)width, (unsigned long long)height, channels,
                         PICTURE_SIZE_MAX, PICTURE_SAMPLES_MAX);
    if (source->width && (width != source->width || height != source->height))
        return error_set(err,
                         "%s: found a picture of %llu x %llu pixels; expected %u x %u, the size of the network's "
                         "input; scale it before",
                         source->path, (unsigned long long)width, (unsigned long long)height, source->width,
                         source->height);
    *picture = (struct picture){(unsigned)width, (unsigned)height, channels, maximum, NULL};
    picture->samples = xcalloc((size_t)(width * height * channels), sizeof *picture->samples);
    return true;
}

bool picture_parse(const char *path, const uint8_t *bytes, size_t n, unsigned width, unsigned height,
                   struct picture *picture, struct error *err) {
    const struct picture_source source = {path, bytes, n, width, height};
    *picture = (struct picture){0};
    bool fine;
    if (n >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7')
        fine = picture_parse_pnm(&source, picture, err);
    else if (n >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        fine = picture_parse_png(&source, picture, err);
    else if (n >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        fine = picture_parse_jpeg(&source, picture, err);
    else {
        char shown[64];
        return error_set(err, "%s: found a file that begins with \"%s\"; expected a picture: PGM, PPM, PNG or JPEG%s",
                         path, text_shown_bytes((const char *)bytes, n < 8 ? n : 8, shown, sizeof shown),
                         n ? "" : " (the file is empty)");
    }
    if (!fine)
        picture_free(picture);
    return fine;
}

bool picture_read(const char *path, unsigned width, unsigned height, struct picture *picture, struct error *err) {
    autofree char *bytes = NULL;
    size_t n;
    return file_read(path, &bytes, &n, err) &&
           picture_parse(path, (const uint8_t *)bytes, n, width, height, picture, err);
}

void picture_free(struct picture *picture) {
    free(picture->samples);
    *picture = (struct picture){0};
}

bool picture_is_grey(const struct picture *picture) {
    const size_t n = (size_t)picture->width * picture->height * picture->channels;
    for (size_t i = 0; i < n; i++)
        if (picture->samples[i] != picture->samples[i / picture->channels * picture->channels])
            return false;
    return true;
}

/* Brightness of a character's place, 0 to 255; rows beyond the picture are dark. */
static unsigned light(const struct picture *picture, unsigned x, unsigned y, unsigned step) {
    uint64_t sum = 0, count = 0;
    for (unsigned dy = 0; dy < step; dy++)
        for (unsigned dx = 0; dx < step; dx++)
            for (unsigned c = 0; c < picture->channels; c++, count++)
                if (y + dy < picture->height && x + dx < picture->width)
                    sum += picture->samples[((size_t)(y + dy) * picture->width + x + dx) * picture->channels + c];
    return (unsigned)(sum * 255 / (count * picture->maximum));
}

void picture_show(FILE *out, const struct picture *picture, unsigned columns) {
    static const char *const halves[2][2] = {{" ", "▄"}, {"▀", "█"}}; /* [above is light][below is light] */
    const unsigned step = (picture->width + columns - 1) / columns;
    for (unsigned y = 0; y < picture->height; y += 2 * step) {
        for (unsigned x = 0; x < picture->width; x += step)
            fputs(halves[light(picture, x, y, step) >= 96][light(picture, x, y + step, step) >= 96], out);
        putc('\n', out);
    }
}
