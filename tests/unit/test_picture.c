/* Pictures: every kind of PGM and PPM, PNG and JPEG give their samples, and damaged or unsuitable ones a message. */
#include <stdio.h> /* for jpeglib.h */

#include <jpeglib.h>
#include <png.h>

#include "loadable/picture.h"
#include "tests/unit/test.h"

static struct error err;

static bool parse(const void *bytes, size_t n, struct picture *picture) {
    err = (struct error){.text = ""};
    return picture_parse("p", bytes, n, 0, 0, picture, &err);
}

static void expect(const char *file, size_t n, unsigned channels, unsigned maximum, const uint16_t *samples) {
    struct picture picture;
    if (!parse(file, n, &picture))
        fail_msg("%s", err.text);
    assert_int_equal(picture.width, 2);
    assert_int_equal(picture.height, 2);
    assert_int_equal(picture.channels, channels);
    assert_int_equal(picture.maximum, maximum);
    assert_memory_equal(picture.samples, samples, (size_t)4 * channels * sizeof *samples);
    picture_free(&picture);
}

#define EXPECT(text, channels, maximum, ...)                                                                           \
    expect(text, sizeof(text) - 1, channels, maximum, (const uint16_t[]){__VA_ARGS__})

TEST(pgm_and_ppm) {
    EXPECT("P2\n# a comment\n2 2\n255\n0 1\n254 255\n", 1, 255, 0, 1, 254, 255);
    EXPECT("P2 2 2 1000 0 1 999 1000", 1, 1000, 0, 1, 999, 1000);
    EXPECT("P3 2 2 15\n1 2 3 4 5 6\n7 8 9 # more\n10 11 12", 3, 15, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    EXPECT("P5\n2 2\n255\n\x00#\xfe\xff", 1, 255, 0, '#', 254, 255);
    EXPECT("P5 2 2 65535\n\x00\x01\x01\x00\xff\xff\x12\x34", 1, 65535, 1, 256, 65535, 0x1234);
    EXPECT("P6 2 2 255 abcdefghijkl", 3, 255, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
    EXPECT("P6 2#x\n2 300 "
           "\x01\x2c\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00\x07\x00\x08\x00\x09\x00\x0a\x00\x0b\x00\x0c",
           3, 300, 300, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}

static void refused(const char *file, size_t n, const char *message) {
    struct picture picture;
    assert_false(parse(file, n, &picture));
    assert_null(picture.samples);
    if (!strstr(err.text, message))
        fail_msg("found the message: %s; expected in it: %s", err.text, message);
}

#define REFUSED(text, message) refused(text, sizeof(text) - 1, message)

TEST(what_is_no_picture_is_refused) {
    REFUSED("", "the file is empty");
    REFUSED("GIF89a...", "begins with \"GIF89a..\"; expected a picture: PGM, PPM, PNG or JPEG");
    REFUSED("P4 2 2 x", "kind P4; expected P2 or P5");
    REFUSED("P5", "the file ends at byte 2; expected the width");
    REFUSED("P5 x", "byte 3: found no number; expected the width");
    REFUSED("P5 0 2 255 ", "found a picture of 0 x 2 pixels");
    REFUSED("P5 2 2 0 abcd", "found 0 as the greatest sample");
    REFUSED("P5 2 2 65536 abcd", "found a greater number; expected the greatest sample");
    REFUSED("P5 2 2 255 abc", "found 3 bytes after the header; expected at least 4 for 2 x 2 pixels");
    REFUSED("P5 900000 900000 255 abc", "found a picture of 900000 x 900000 pixels");
    REFUSED("P5 2 2 100 abc\x65", "byte 14: found a sample of 101; expected 0 to 100");
    REFUSED("P2 2 2 9 1 2 3 10", "found a greater number; expected a sample, a number from 0 to 9");
    REFUSED("P2 2 2 9 1 2 3      ", "the file ends at byte 20; expected a sample");
    struct picture picture;
    assert_false(picture_parse("p", (const uint8_t *)"P5 2 1 255 ab", 13, 28, 28, &picture, &err));
    assert_non_null(
        strstr(err.text, "2 x 1 pixels; expected 28 x 28, the size of the network's input; scale it before"));
    assert_false(picture_read("no/such/file.png", 0, 0, &picture, &err));
}

/* Whatever byte is changed, the file is read or refused. */
static void change_each_byte(uint8_t *file, size_t n) {
    struct picture picture;
    for (size_t i = 0; i < n; i++) {
        file[i] ^= 0x55;
        if (parse(file, n, &picture))
            picture_free(&picture);
        file[i] ^= 0x55;
    }
}

/* A PNG of that format made of w * h pixels; free it. */
static uint8_t *png_file(png_uint_32 format, unsigned w, unsigned h, const void *pixels, size_t *n) {
    png_image image = {.version = PNG_IMAGE_VERSION, .width = w, .height = h, .format = format};
    *n = 100000;
    uint8_t *file = malloc(*n);
    assert_true(png_image_write_to_memory(&image, file, n, 0, pixels, 0, NULL));
    return file;
}

TEST(png) {
    size_t n;
    uint8_t *file = png_file(PNG_FORMAT_GRAY, 2, 2, "\x00\x01\xfe\xff", &n);
    expect((char *)file, n, 1, 255, (const uint16_t[]){0, 1, 254, 255});
    /* Cut anywhere it is damaged. */
    struct picture picture;
    for (size_t cut = 0; cut < n; cut++)
        assert_false(parse(file, cut, &picture));
    change_each_byte(file, n);
    free(file);
    file = png_file(PNG_FORMAT_RGB, 2, 2, "abcdefghijkl", &n);
    expect((char *)file, n, 3, 255, (const uint16_t[]){'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'});
    free(file);
    file = png_file(PNG_FORMAT_RGBA, 2, 2,
                    "abc\x10"
                    "def\x20"
                    "ghi\xff"
                    "jkl\xff",
                    &n);
    expect((char *)file, n, 3, 255, (const uint16_t[]){'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'});
    free(file);
}

TEST(jpeg) {
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct jpeg = {.err = jpeg_std_error(&errors)};
    unsigned char *file = NULL;
    unsigned long n = 0;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &file, &n);
    jpeg.image_width = jpeg.image_height = 16;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    uint8_t line[48];
    for (int i = 0; i < 48; i++)
        line[i] = (uint8_t)(i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 30);
    for (int y = 0; y < 16; y++)
        jpeg_write_scanlines(&jpeg, &(JSAMPROW){line}, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);

    struct picture picture;
    assert_true(parse(file, n, &picture));
    assert_int_equal(picture.width, 16);
    assert_int_equal(picture.channels, 3);
    assert_in_range(picture.samples[0], 198, 202);
    assert_in_range(picture.samples[1], 98, 102);
    assert_in_range(picture.samples[2], 28, 32);
    picture_free(&picture);
    for (size_t cut = 0; cut + 2 < n; cut++) /* but for the mark at its end, which libjpeg supplies */
        assert_false(parse(file, cut, &picture));
    assert_non_null(strstr(err.text, "p: found a damaged JPEG: "));
    change_each_byte(file, n);
    free(file);
}

TEST(a_picture_is_shown_in_characters) {
    struct picture picture;
    assert_true(parse("P5 4 3 9 \0\0\x9\x9\0\x9\0\x9\x9\x9\x9\x9", 21, &picture));
    char *text;
    size_t n;
    FILE *out = xmemstream(&text, &n);
    picture_show(out, &picture, 4);
    picture_show(out, &picture, 2);
    xmemstream_close(out);
    assert_string_equal(kept(text), " ▄▀█\n▀▀▀▀\n▄█\n");
    picture_free(&picture);
}
