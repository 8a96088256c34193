/* The picture that NVIDIA's runtime reads; see runtime_picture.h. */
#include "loadable/runtime_picture.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/picture.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { RGB = 3, RGBA = 4, WHITE = 255 };

/* The tensor of the only input; NULL with a message. */
static const struct loadable_tensor *input_tensor(const struct loadable *loadable, struct error *err) {
    const struct loadable_memory *input = NULL;
    size_t count = 0;
    for (size_t m = 0; m < loadable->memory_count; m++) {
        if (!(loadable->memories[m].flags & MEMORY_INPUT))
            continue;
        input = &loadable->memories[m];
        count++;
    }
    if (count != 1 || input->tensor == LOADABLE_NONE) {
        error_set(err, "%s: found %zu inputs%s; expected one with a tensor: NVIDIA's runtime reads one picture",
                  loadable->path, count, count == 1 ? " without a tensor" : "");
        return NULL;
    }
    const struct loadable_tensor *tensor = &loadable->tensors[input->tensor];
    if (tensor->c == 1 || tensor->c == RGB || tensor->c == RGBA)
        return tensor;
    error_set(err, "%s: found an input of %d channels; expected 1, 3 or 4, which NVIDIA's runtime fills from a picture",
              loadable->path, tensor->c);
    return NULL;
}

/* Grey, of 8 bits. False with a message. */
static bool write_grey(const struct picture *picture, const char *in, const char *out, struct error *err) {
    const size_t n = (size_t)picture->width * picture->height;
    if (!picture_is_grey(picture))
        return error_set(err,
                         "%s: found a picture in colour; expected a grey one, as the network's input has 1 channel; "
                         "ImageMagick makes one: convert %s -colorspace Gray grey.png",
                         in, in);
    char *head = xprintf("P5\n%u %u\n%d\n", picture->width, picture->height, WHITE);
    const size_t before = strlen(head);
    autofree char *bytes = xrealloc(head, before + n);
    for (size_t i = 0; i < n; i++) {
        const unsigned sample = picture->samples[i * picture->channels], white = picture->maximum;
        bytes[before + i] = (char)((2 * WHITE * sample + white) / (2 * white));
    }
    return file_write(out, bytes, before + n, err);
}

bool runtime_picture_write(const struct loadable *loadable, const char *in, const char *out, struct error *err) {
    const struct loadable_tensor *tensor = input_tensor(loadable, err);
    struct picture picture = {0};
    autofree char *bytes = NULL;
    size_t n;
    if (!tensor)
        return false;
    const char *end = tensor->c == 1 ? ".pgm" : ".jpg";
    if (!text_ends_with(out, end))
        return error_set(err, "%s: expected a name that ends in %s: the input has %d %s", out, end, tensor->c,
                         text_plural((uint64_t)tensor->c, "channel", "channels"));
    if (!file_read(in, &bytes, &n, err))
        return false;
    bool good = picture_parse(in, (const uint8_t *)bytes, n, (unsigned)tensor->w, (unsigned)tensor->h, &picture, err);
    if (good && tensor->c == 1)
        good = write_grey(&picture, in, out, err);
    else if (good && (n < 2 || memcmp(bytes, "\xff\xd8", 2) != 0 || picture.channels != RGB))
        good = error_set(err,
                         "%s: expected a JPEG in colour, the only form of %d channels that NVIDIA's runtime reads; "
                         "ImageMagick makes one: convert %s -type TrueColor -quality 100 picture.jpg",
                         in, tensor->c, in);
    else if (good)
        good = file_write(out, bytes, n, err);
    picture_free(&picture);
    return good;
}
