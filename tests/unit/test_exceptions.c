/* --except: texts that name bits of registers, and bits of engines that a configuration lacks. */
#include "nvdla_offsets.h"
#include "run/options/exceptions.h"
#include "tests/unit/test.h"

static void opened(struct exceptions *exceptions, const char *config, bool foreign, const char *text) {
    autowords struct words words = {0};
    if (text)
        words_add(&words, "%s", text);
    exceptions_open(exceptions, &words, nvdla_config_find(config), foreign);
}

TEST(bits_are_those_of_the_field) {
    static const struct {
        const char *text;
        uint32_t mask;
        const char *reason;
    } rows[] = {
        {"SDP.D_CVT_SHIFT", UINT32_MAX, ""},
        {"sdp.D_DATA_CUBE_WIDTH.WIDTH", 0x1fff, ""},
        {"GLB.S_INTR_MASK=0x3c0:not built: small", 0x3c0, "not built: small"},
        {"GLB.S_INTR_MASK.BDMA_DONE_MASK1=1", 0x80, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exceptions found;
        struct error err;
        assert_true(exception_check(rows[i].text, &err));
        opened(&found, "small", false, rows[i].text);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.list[0].mask, rows[i].mask);
        assert_string_equal(found.list[0].reason, rows[i].reason);
        exceptions_free(&found);
    }
}

TEST(other_texts_are_refused) {
    static const char *const wrong[] = {"",
                                        "SDP",
                                        "SDP.",
                                        "SDP.NONE",
                                        "NONE.NONE",
                                        "SDP.D_CVT_SHIFT.NONE",
                                        "SDP.A.B.C",
                                        "GLB.S_INTR_MASK=0",
                                        "GLB.S_INTR_MASK=x",
                                        "GLB.S_INTR_MASK=0x100000000",
                                        "SDP.D_DATA_CUBE_WIDTH.WIDTH=0x10000"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error err = {.text = ""};
        assert_false(exception_check(wrong[i], &err));
        assert_non_null(strstr(err.text, "found '"));
        assert_non_null(strstr(err.text, "expected"));
    }
}

/* Registers of the other map are left out. */
TEST(a_configuration_without_the_register_has_no_exception) {
    struct exceptions found;
    struct error err;
    assert_true(exception_check("RUBIK.D_MISC_CFG", &err));
    opened(&found, "small", false, "RUBIK.D_MISC_CFG");
    assert_int_equal(found.count, 0);
    exceptions_free(&found);
}

TEST(bits_of_absent_engines_are_excepted_of_another_rtl) {
    struct exceptions found;
    opened(&found, "small", true, NULL);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.list[0].mask, 0x3c0);
    char *note = kept(exceptions_note(&found, nvdla_config_find("small"), "rtl:theirs", 1));
    assert_string_equal(note,
                        "rtl:theirs: 1 read differs only in bits that are not compared: GLB.S_INTR_MASK 0x000003c0 "
                        "(engines that the configuration lacks); GLB.S_INTR_STATUS 0x000003c0 (engines that the "
                        "configuration lacks)");
    exceptions_free(&found);
    opened(&found, "full", true, NULL);
    assert_int_equal(found.count, 0);
    exceptions_free(&found);
}
