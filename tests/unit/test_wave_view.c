/* The view of GTKWave's save files: window, cursor, markers; everything else in the file stays. */
#include "device/wave_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory/file.h"

static void lines(void **state) {
    (void)state;
    const struct wave_marker markers[] = {{"layer armed", 120}, {"first wrong write", 250}};
    const struct wave_view view = {.from = 100, .to = 100 + 1150, .cursor = 250, .markers = markers, .marker_count = 2};
    char *text = wave_view_lines(&view);
    /* A window of 1150 pixels and as many cycles: 200 pixels show 200,000 ps. */
    assert_non_null(strstr(text, "[timestart] 100000\n*-17.609640 250000 120000 250000 -1 -1"));
    assert_non_null(strstr(text, "\n[markername] Alayer armed\n[markername] Bfirst wrong write\n"));
    free(text);
}

static void change(void **state) {
    (void)state;
    char path[] = "/tmp/test_wave_view_XXXXXX";
    close(mkstemp(path));
    struct error err;
    static const char before[] = "[*] text\n[timestart] 7\n*-3.0 -1 -1\n[markername] Aold\n@28\nTOP.tb_top.clk\n";
    assert_true(file_write(path, before, strlen(before), &err));
    const struct wave_marker marker = {"interrupt", 9};
    const struct wave_view view = {.from = 8, .to = 10, .cursor = -1, .markers = &marker, .marker_count = 1};
    assert_true(wave_view_change(path, &view, &err));
    char *after, *text = wave_view_lines(&view);
    size_t n;
    assert_true(file_read(path, &after, &n, &err));
    assert_null(strstr(after, "Aold"));
    assert_ptr_equal(strstr(after, "[*] text\n"), after);
    assert_non_null(strstr(after, text));
    assert_string_equal(after + n - strlen("@28\nTOP.tb_top.clk\n"), "@28\nTOP.tb_top.clk\n");
    free(text);
    free(after);
    assert_true(file_write(path, "no view", 7, &err));
    assert_false(wave_view_change(path, &view, &err));
    assert_non_null(strstr(err.text, "is it the save file of a recording?"));
    unlink(path);
    assert_false(wave_view_change(path, &view, &err));
    assert_non_null(strstr(err.text, path));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
