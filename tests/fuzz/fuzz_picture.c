/* Fuzzes the readers of pictures: PGM, PPM, PNG, JPEG. */
#include "loadable/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    struct picture picture;
    /* The first byte: the size that the picture must have, as a network's input, or any. */
    if (n > 0 && picture_parse("fuzz", data + 1, n - 1, data[0] & 63, data[0] & 63, &picture, &err))
        picture_free(&picture);
    else if (n > 0 && !err.text[0])
        __builtin_trap(); /* refused without a word */
    return 0;
}
