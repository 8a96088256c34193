/* Text as it may be shown, and the word that was meant. */
#include "nvdla/error.h"
#include "nvdla/text.h"
#include "tests/unit/test.h"

TEST(what_may_be_shown_is_left_as_it_is) {
    static const char *const texts[] = {"", "plain text/with.signs \"'\\", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"};
    char shown[100];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(text_shown_into(texts[i], shown, sizeof shown), texts[i]);
}

TEST(control_characters_and_broken_bytes_are_escaped) {
    static const char *const texts[][2] = {
        {"a\nb\tc\r", "a\\nb\\tc\\r"},
        {"\x1b[31mred\x1b[0m\a", "\\x1b[31mred\\x1b[0m\\x07"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "1m",
         "\\xc2\\x9b1m"}, /* U+009B, an escape sequence of one character */
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xc0\x8a \xe0\x80\x8a \xed\xa0\x80", "\\xc0\\x8a \\xe0\\x80\\x8a \\xed\\xa0\\x80"}, /* overlong, surrogate */
    };
    char shown[100];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(text_shown_into(texts[i][0], shown, sizeof shown), texts[i][1]);
    assert_string_equal(text_shown_bytes("a\0b", 3, shown, sizeof shown), "a\\x00b");
    assert_string_equal(text_shown_into("ab\n", shown, 4), "ab"); /* no half escape */
    assert_string_equal(text_shown_into("ab\xc3\xa4", shown, 4), "ab");
    struct error err;
    error_set(&err, "%s: x", "a\nb");
    error_prefix(&err, "%s:", "\x1b");
    assert_string_equal(err.text, "\\x1b:a\\nb: x");
}

TEST(the_nearest_word_is_meant) {
    static const char *const words[] = {"reg_write", "reg_read", "poll", "wait", "D_OP_ENABLE"};
    static const char *const cases[][2] = {
        {"reg_wirte", "; did you mean reg_write?"},
        {"reg_writ", "; did you mean reg_write?"},
        {"REG_READ", "; did you mean reg_read?"},
        {"D_OP_ENABEL", "; did you mean D_OP_ENABLE?"},
        {"pol", "; did you mean poll?"},
        {"wat", "; did you mean wait?"},
        {"reg", ""},
        {"x", ""},
        {"", ""},
        {"frobnicate", ""},
        {"D_OP_ENABLE_AND_MORE_THAN_ANY_NAME_OF_ANY_REGISTER_EVER_HAD_IN_ALL_UNITS", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guess guess = {.word = cases[i][0], .n = strlen(cases[i][0])};
        char hint[96];
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            guess_try(&guess, words[k]);
        assert_string_equal(guess_hint(&guess, hint), cases[i][1]);
    }
}
