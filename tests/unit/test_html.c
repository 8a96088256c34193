/* The page of a report: what it says of a walk, where its maps mark what differs, that nothing in a name is obeyed, and
 * that it stays small whatever differs. What a browser makes of it: tests/replay/html.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nvdla/xalloc.h"
#include "report/report.h"
#include "trace/launches.h"

enum { OUTPUT = 0x80010000 };

struct fixture {
    struct program *prog;
    struct device rtl, model;
    struct play_result results[2];
    struct layer_tracker *launches;
    struct report_input input;
    struct report *report;
    char *page;
};

static void write_register(struct fixture *f, const char *name, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_find(f->prog->config, NVDLA_SDP, name);
    assert_non_null(reg);
    struct op op = op_make(OP_WRITE, (int)f->prog->count + 1);
    op.address = reg->address;
    op.value = value;
    program_append(f->prog, &op);
}

/* A layer of SDP in small, whose atoms have 8 bytes. */
static void setup_layer(struct fixture *f, uint32_t width, uint32_t height, uint32_t channels) {
    const struct nvdla_config *config = nvdla_config_find("small");
    *f = (struct fixture){.prog = program_new(config, "dir/<b>&\"'t\x1b.cfg")};
    f->rtl = (struct device){.name = "rtl", .config = config};
    f->model = (struct device){.name = "model", .config = config};
    f->rtl.memory[SPACE_PRIMARY] = memory_new();
    f->model.memory[SPACE_PRIMARY] = memory_new();
    program_stream(f->prog, "SDP");
    write_register(f, "D_DATA_CUBE_WIDTH", width - 1);
    write_register(f, "D_DATA_CUBE_HEIGHT", height - 1);
    write_register(f, "D_DATA_CUBE_CHANNEL", channels - 1);
    write_register(f, "D_DST_BASE_ADDR_LOW", OUTPUT);
    write_register(f, "D_DST_LINE_STRIDE", width * 8);
    write_register(f, "D_DST_SURFACE_STRIDE", width * height * 8);
    write_register(f, "D_DST_DMA_CFG", 1);
    write_register(f, "D_OP_ENABLE", 1);
    f->launches = program_launches(f->prog);
    f->input = (struct report_input){.name = "</title><script>alert(1)</script>",
                                     .prog = f->prog,
                                     .launches = f->launches,
                                     .played = {{&f->rtl, &f->results[0]}, {&f->model, &f->results[1]}},
                                     .played_count = 2};
}

static void differ(struct fixture *f, uint64_t address, uint8_t got) {
    memory_write(f->rtl.memory[SPACE_PRIMARY], address, &got, 1, NULL, NULL);
}

static void make(struct fixture *f) {
    f->report = report_new(&f->input);
    f->page = report_html(f->report);
}

static void clean(struct fixture *f) {
    free(f->page);
    report_free(f->report);
    layer_tracker_free(f->launches);
    device_release(&f->rtl);
    device_release(&f->model);
    program_free(f->prog);
}

static void has(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("expected \"%s\" in:\n%s", wanted, text);
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

static void names_are_shown_and_not_obeyed(void **state) {
    struct fixture f;
    (void)state;
    setup_layer(&f, 4, 2, 16);
    make(&f);
    has(f.page, "<title>PASS &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>");
    has(f.page, "<h1>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1>");
    has(f.page, "dir/&lt;b&gt;&amp;&quot;&#39;t\\x1b.cfg");
    assert_int_equal(count(f.page, "<script"), 1); /* its own */
    assert_null(strstr(f.page, "http:"));
    assert_null(strstr(f.page, "https:"));
    assert_null(strstr(f.page, "src="));
    clean(&f);
}

static void maps_mark_the_atoms_that_differ(void **state) {
    struct fixture f;
    (void)state;
    setup_layer(&f, 4, 3, 16);
    const uint64_t atom = OUTPUT + 4 * 3 * 8 + 2 * 4 * 8 + 3 * 8; /* surface 1, line 2, column 3 */
    differ(&f, atom + 5, 0x5a);
    differ(&f, atom + 6, 0x5b);
    differ(&f, atom - 8, 0x5c); /* column 2 */
    make(&f);
    has(f.page, "aria-label=\"surface 1, channels 8 to 15: 3 bytes differ\"");
    has(f.page,
        "<rect x=\"2\" y=\"2\" width=\"1\" height=\"1\" class=\"c1 first\" data-n=\"1/8\" data-b=\"2,2,8,00,5c\"/>");
    has(f.page, "<rect x=\"3\" y=\"2\" width=\"1\" height=\"1\" class=\"c1\" data-n=\"2/8\" data-b=\"2,3,13,00,5a\"/>");
    assert_int_equal(count(f.page, "data-n="), 2);
    assert_int_equal(count(f.page, "<figure"), 1);
    has(f.page, "<p>1 of 2 surfaces are equal.</p>");
    clean(&f);
}

/* Every byte of two million wrong: the cells become larger, none is lost, and the page stays small. */
static void large_maps_have_larger_cells(void **state) {
    enum { WIDTH = 1024, HEIGHT = 250, SURFACES = 1 };
    struct fixture f;
    (void)state;
    setup_layer(&f, WIDTH, HEIGHT, 8 * SURFACES);
    uint8_t *bytes = xmalloc(WIDTH * HEIGHT * 8);
    memset(bytes, 0x11, WIDTH * HEIGHT * 8);
    memory_write(f.rtl.memory[SPACE_PRIMARY], OUTPUT, bytes, WIDTH * HEIGHT * 8, NULL, NULL);
    free(bytes);
    make(&f);
    has(f.page, "<p>2,048,000 bytes differ between ");
    has(f.page, "A cell is 16 columns by 16 lines.");
    assert_int_equal(count(f.page, "class=\"c3"), 64 * 16);
    if (strlen(f.page) > 500000)
        fail_msg("the page has %zu bytes", strlen(f.page));
    clean(&f);
}

static void a_walk_marks_its_first_wrong_stream(void **state) {
    struct fixture f;
    (void)state;
    struct walk_step steps[] = {{"cdma", "CBUF_DAT", WALK_EQUAL, 128, 0, ""},
                                {"cmac", "CMAC_SUM", WALK_DIFFERS, 64, 8811, "kernel 3: <expected> 5, got 7"},
                                {"cacc", "CACC_SAT", WALK_DIFFERS, 64, 8900, ""},
                                {"sdp", "SDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {"sdp", "SDP_OUT", WALK_SHORT, 10, 0, ""},
                                {"pdp", "PDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {"cdp", "CDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {"lut", "LUT_OUT", WALK_UNSEEN, 0, 0, ""},
                                {"cdp", "CDP_OUT", WALK_UNSEEN, 0, 0, ""}};
    const struct diagnosis diagnosis = {
        .kind = DIAGNOSIS_VALUE,
        .engine = "cmac",
        .expected = "5",
        .cycle = 8811,
        .evidence = {.items = (char *[]){"sum of 17 atoms < 8", NULL}, .count = 1},
        .walk = {.steps = steps, .count = sizeof steps / sizeof *steps, .first = 1, .sentence = "cmac made it"}};
    setup_layer(&f, 4, 2, 16);
    differ(&f, OUTPUT, 1);
    f.input.diagnosis = &diagnosis;
    f.input.again = "nvcosim debug 'a b.nvt'";
    f.input.wave = "out/a b/wave.fst";
    make(&f);
    has(f.page, "again: <code>nvcosim debug &#39;a b.nvt&#39;</code>");
    has(f.page, "waves: <code>out/a b/wave.fst</code>, opened by <code>gtkwave &#39;out/a b/wave.gtkw&#39;</code>");
    has(f.page, "<strong>1 byte</strong></td>");
    has(f.page, "No element was recorded of: pdp, cdp, lut.</p>");
    has(f.page, "<p class=\"verdict\">cmac made it</p>");
    has(f.page, "<li class=\"engine guilty\"><h3>cmac</h3>");
    has(f.page, "CMAC_SUM</b> <em>differs</em> <strong>first wrong here</strong>");
    has(f.page, "<small>64 elements equal</small><small>cycle 8,811</small>");
    has(f.page, "kernel 3: &lt;expected&gt; 5, got 7");
    has(f.page, "<dt>expected</dt><dd>5</dd>");
    has(f.page, "<dt>cycle</dt><dd>8,811</dd>");
    has(f.page, "<pre class=\"evidence\">sum of 17 atoms &lt; 8\n</pre>");
    assert_int_equal(count(f.page, "guilty\">"), 1);
    assert_int_equal(count(f.page, "first wrong here"), 1);
    assert_int_equal(count(f.page, "<li class=\"engine"), 4); /* streams of one engine share a box */
    clean(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_shown_and_not_obeyed),
        cmocka_unit_test(maps_mark_the_atoms_that_differ),
        cmocka_unit_test(large_maps_have_larger_cells),
        cmocka_unit_test(a_walk_marks_its_first_wrong_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
