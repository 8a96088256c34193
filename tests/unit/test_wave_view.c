/* The view of GTKWave's save files: window, cursor, markers. */
#include "device/wave_view.h"
#include "tests/unit/test.h"

TEST(lines) {
    const struct wave_marker markers[] = {{"layer armed", 120}, {"first wrong write", 250}};
    const struct wave_view view = {.from = 100, .to = 100 + 1150, .cursor = 250, .markers = markers, .marker_count = 2};
    char *text = kept(wave_view_lines(&view));
    /* Half a cycle before the edge at which the cycle's values are taken. A window of 1150 pixels and as many cycles:
     * 200 pixels show 200,000 ps. */
    assert_non_null(strstr(text, "[timestart] 100000\n*-17.609640 249500 119500 249500 -1 -1"));
    assert_non_null(strstr(text, "\n[markername] Alayer armed\n[markername] Bfirst wrong write\n"));
}
