/* The file list for NVIDIA's own RTL, on folder trees of the same shape (csrc/run/simulators/nvidia.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/simulators/nvidia.h"

static char *root; /* of the test, made anew for each */

static int set_up(void **state) {
    (void)state;
    char name[] = "/tmp/nvidia.XXXXXX";
    assert_non_null(mkdtemp(name));
    root = xstrdup(name);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char *command = xprintf("rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
    free(command);
    free(root);
    return 0;
}

static void put(const char *path, const char *text) {
    char *whole = xprintf("%s/%s", root, path), *slash = strrchr(whole, '/');
    *slash = '\0';
    assert_true(directory_make(whole, NULL));
    *slash = '/';
    assert_true(file_write(whole, text, strlen(text), NULL));
    free(whole);
}

/* A vmod folder with everything that a list needs. */
static void put_vmod(const char *vmod) {
    static const char *const files[] = {"nvdla/top/NV_nvdla.v",
                                        "nvdla/cmac/NV_NVDLA_cmac.v",
                                        "nvdla/nocif/NV_NVDLA_XXIF_libs.v",
                                        "rams/fpga/model/ram.v",
                                        "vlibs/RANDFUNC.vlib",
                                        "vlibs/nv_assert_no_x.vlib",
                                        "include/defs.vh",
                                        "fifos/two.v",
                                        "fifos/one.v"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = xprintf("%s/%s", vmod, files[i]);
        put(path, "// empty\n");
        free(path);
    }
}

static void remove_file(const char *path) {
    char *whole = xprintf("%s/%s", root, path);
    assert_int_equal(unlink(whole), 0);
    free(whole);
}

/* The list of root/checkout as text with root as ROOT; NULL with *err. */
static char *list_of(const char *config, const char *rams, struct error *err) {
    char *checkout = xprintf("%s/checkout", root), *directory = xprintf("%s/out", root);
    char *models = rams ? xprintf("%s/%s", root, rams) : NULL;
    char *path = nvidia_file_list(nvdla_config_find(config), checkout, models, "/own", directory, err), *text = NULL;
    size_t n;
    if (path)
        assert_true(file_read(path, &text, &n, NULL));
    free(path);
    free(models);
    free(directory);
    free(checkout);
    return text;
}

static void expect_line(const char *list, const char *format) {
    char *line = xprintf("%s\n", format), *with_root = NULL;
    const char *mark = strstr(line, "ROOT");
    with_root = mark ? xprintf("%.*s%s%s", (int)(mark - line), line, root, mark + 4) : xstrdup(line);
    if (!strstr(list, with_root))
        fail_msg("expected %s in:\n%s", with_root, list);
    free(with_root);
    free(line);
}

static void expect_error(const char *config, const char *rams, const char *text) {
    struct error err;
    assert_null(list_of(config, rams, &err));
    if (!strstr(err.text, text))
        fail_msg("expected '%s' in: %s", text, err.text);
}

static void generated_project(void **state) {
    (void)state;
    struct error err;
    put_vmod("checkout/outdir/nv_small/vmod");
    char *list = list_of("small", NULL, &err);
    assert_non_null(list);
    expect_line(list, "-y ROOT/checkout/outdir/nv_small/vmod/nvdla/cmac");
    expect_line(list, "+incdir+ROOT/checkout/outdir/nv_small/vmod/nvdla/cmac");
    expect_line(list, "-y ROOT/checkout/outdir/nv_small/vmod/rams/fpga/model");
    expect_line(list, "-y ROOT/checkout/outdir/nv_small/vmod/vlibs");
    expect_line(list, "+incdir+ROOT/checkout/outdir/nv_small/vmod/include");
    expect_line(list, "+libext+.v+.vlib");
    expect_line(list, "-v /own/NV_DW02_tree.sv");
    expect_line(list, "-v ROOT/checkout/outdir/nv_small/vmod/fifos/one.v");
    expect_line(list, "-v ROOT/checkout/outdir/nv_small/vmod/fifos/two.v");
    expect_line(list, "-v ROOT/checkout/outdir/nv_small/vmod/nvdla/nocif/NV_NVDLA_XXIF_libs.v");
    expect_line(list, "-v ROOT/checkout/outdir/nv_small/vmod/vlibs/RANDFUNC.vlib");
    expect_line(list, "-v ROOT/checkout/outdir/nv_small/vmod/vlibs/nv_assert_no_x.vlib");
    expect_line(list, "+define+NO_PLI_OR_EMU");
    expect_line(list, "+define+FPGA");
    assert_null(strstr(list, "NV_FPGA_FIFOGEN"));
    assert_string_equal(strrchr(list, '/'), "/NV_nvdla.v\n");
    free(list);
}

static void missing_pieces_are_named(void **state) {
    (void)state;
    expect_error("small", NULL, "/checkout: No such file or directory; expected a checkout");
    put("checkout/tree.make", "");
    expect_error("small", NULL,
                 "outdir/nv_small/vmod/nvdla/top/NV_nvdla.v does not exist; generate it on branch master");
    put_vmod("checkout/outdir/nv_large/vmod");
    expect_error("small", NULL, "; there is RTL of nv_large; generate it");
    static const struct {
        const char *file, *text;
    } cases[] = {
        {"vlibs/RANDFUNC.vlib", "vlibs/RANDFUNC.vlib does not exist; the RTL was not generated completely"},
        {"nvdla/nocif/NV_NVDLA_XXIF_libs.v", "NV_NVDLA_XXIF_libs.v does not exist"},
        {"rams/fpga/model/ram.v", "rams/fpga/model holds no RAM models"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_vmod("checkout/outdir/nv_small/vmod");
        char *path = xprintf("checkout/outdir/nv_small/vmod/%s", cases[i].file);
        remove_file(path);
        free(path);
        expect_error("small", NULL, cases[i].text);
    }
    put_vmod("checkout/outdir/nv_small/vmod");
    remove_file("checkout/outdir/nv_small/vmod/fifos/one.v");
    remove_file("checkout/outdir/nv_small/vmod/fifos/two.v");
    expect_error("small", NULL, "fifos holds no *.v");
}

static void full_of_its_branch(void **state) {
    (void)state;
    struct error err;
    put("checkout/README.md", "");
    expect_error("full", NULL, "full is on branch nvdlav1: git -C ");
    put_vmod("checkout/vmod");
    remove_file("checkout/vmod/fifos/one.v"); /* that branch has no such folder */
    remove_file("checkout/vmod/fifos/two.v");
    put("checkout/vmod/nvdla/top/units.v", "module o;\n#ifdef NVDLA_BDMA_ENABLE\nbdma b();\n#endif\nendmodule\n");
    expect_error("full", NULL, "--nvidia-rams DIR");
    expect_error("full", "nowhere", "--nvidia-rams: ");
    expect_error("full", "checkout/vmod/include", "holds no RAM models");
    put("master/vmod/rams/fpga/model/ram.v", "");
    char *list = list_of("full", "master", &err);
    assert_non_null(list);
    expect_line(list, "-y ROOT/master/vmod/rams/fpga/model");
    expect_line(list, "+define+VLIB_BYPASS_POWER_CG");
    const char *copy = strstr(list, "/out/resolved\n"), *original = strstr(list, "/vmod/nvdla/top\n");
    assert_true(copy && original && copy < original);
    free(list);
    char *path = xprintf("%s/out/resolved/units.v", root), *text;
    size_t n;
    assert_true(file_read(path, &text, &n, NULL));
    assert_string_equal(text, "module o;\nbdma b();\nendmodule\n");
    free(text);
    free(path);
    put("checkout/vmod/nvdla/top/units.v", "module o;\n#ifdef NVDLA_BDMA_ENABLE\nendmodule\n");
    expect_error("full", "master", "units.v:3: expected #ifdef");
}

static void spaces_are_refused(void **state) {
    (void)state;
    char *old = root;
    root = xprintf("%s/with a space", old);
    put_vmod("checkout/outdir/nv_small/vmod");
    expect_error("small", NULL, "take no path with spaces");
    free(root);
    root = old;
}

static void conditional_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *resolved; /* NULL: refused */
        int line;
    } cases[] = {
        {"a\nb", "a\nb", 2},
        {"#ifdef A\na\n#else\nb\n#endif\nc\n", "a\nc\n", 6},
        {"#ifndef A\na\n#else\nb\n#endif\n", "b\n", 5},
        {"#ifndef A\n#ifdef B\na\n#else\nx\n#endif\n#endif\nc\n", "c\n", 8},
        {"#ifdef A\n#ifndef B\na\n#else\nx\n#endif\n#endif\n", "x\n", 7},
        {"a\n#endif\n", NULL, 2},
        {"#ifdef A\n", NULL, 1},
        {"#if A > 1\n#endif\n", NULL, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        int line;
        const long n = nvidia_resolve(cases[i].text, strlen(cases[i].text), out, &line);
        assert_int_equal(line, cases[i].line);
        if (!cases[i].resolved) {
            assert_int_equal(n, -1);
            continue;
        }
        assert_int_equal(n, strlen(cases[i].resolved));
        assert_memory_equal(out, cases[i].resolved, (size_t)n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(generated_project, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_pieces_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(full_of_its_branch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spaces_are_refused, set_up, tear_down),
        cmocka_unit_test(conditional_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
