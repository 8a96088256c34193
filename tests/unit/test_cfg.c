/* The reader of .cfg trace tests, command by command and error by error. */
#include "tests/unit/trace_test.h"

#define DAT "{\n{offset:0x0, size:4, payload:0x01 0x02 0x03 0x04},\n{offset:0x10, size:2, payload:5 6}\n}\n"

static struct program *good(void **state, const char *text) {
    struct program *prog = parse_good(state, trace_read_cfg, "t.cfg", text);
    check_round_trip(prog);
    return prog;
}

#define bad(text, ...) parse_bad(state, trace_read_cfg, "t.cfg", text, __VA_ARGS__, NULL)

TEST_IN_FOLDER(register_commands) {
    struct program *prog =
        good(state, "reg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x7);\n"
                    "reg_read_check(NVDLA_PDP_RDMA.S_STATUS_0, 0);reg_read_expected( NVDLA_GLB.S_INTR_MASK_0 ,255 ) ;\n"
                    "reg_read(NVDLA_GLB.S_INTR_STATUS_0, x);\n"
                    "poll_reg_equal(SDP.S_STATUS, 1);\npoll_reg_greater(NVDLA_SDP.S_STATUS_0, 5);\n"
                    "poll_reg_less(NVDLA_SDP.S_STATUS_0, 5);\npoll_reg_not_greater(NVDLA_SDP.S_STATUS_0, 5);\n"
                    "poll_reg_not_less(NVDLA_SDP.S_STATUS_0, 5);");
    assert_false(prog->sequential);
    assert_string_equal(prog->config->name, "small");
    assert_int_equal(prog->ops[0].line, 1);
    assert_int_equal(prog->ops[2].line, 2);
    reads_as(prog, "cfg_registers.txt");
}

TEST_IN_FOLDER(register_names_with_a_digit_of_their_own) {
    struct program *prog =
        good(state, "reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_1_0, 1);reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_0_0, 1);"
                    "reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_0, 1);");
    assert_int_equal(prog->ops[0].address, prog->ops[1].address + 4);
    assert_int_equal(prog->ops[1].address, prog->ops[2].address);
}

TEST_IN_FOLDER(wrong_commands_are_told) {
    put_file(state, "a.dat", DAT);
    parse_wrong_rows(state, trace_read_cfg, "t.cfg", "", "tests/unit/wrong_cfg.txt");
}

TEST_IN_FOLDER(full_registers_under_full) {
    struct error err;
    struct program *prog =
        parse_text(state, trace_read_cfg, "t.cfg", "reg_write(NVDLA_BDMA.CFG_CMD_0, 1);", "full", &err);
    assert_non_null(prog);
}

TEST_IN_FOLDER(layout_is_free) {
    struct program *prog = good(
        state, "// head\r\n\r\nreg_write // here\n ( NVDLA_SDP.D_CVT_SCALE_0\n,// and here\n\t0x1 ) ; // tail  \r\n;;"
               "reg_write(NVDLA_SDP.D_CVT_SCALE_0,2);//last");
    assert_int_equal(op_count(prog), 2);
    assert_int_equal(op_at(prog, 0)->line, 3);
    assert_int_equal(op_at(prog, 1)->line, 7);
    assert_string_equal(prog->ops[0].text, "head");
    assert_int_equal(prog->count, 7);
    size_t n;
    char *text = kept(nvt_text(prog, &n));
    assert_non_null(strstr(text, "reg_write SDP.D_CVT_SCALE 0x2 # last\n"));
    prog = good(state, "");
    assert_int_equal(prog->count, 0);
    prog = good(state, " \r\n\n");
}

TEST_IN_FOLDER(memory_commands) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state, "mem_load(pri_mem, 0x80000000, \"a.dat\");mem_load(1, 0x90000000, \"a.dat\", go);\n"
                    "mem_init(pri_mem, 0x80001000, 0x20, RANDOM);mem_init(pri_mem, 0, 1, ALL_ZERO);"
                    "mem_init(pri_mem, 0, 1, ONES);mem_init(pri_mem, 0, 1, X);mem_init(pri_mem, 0, 1, AFIVE);"
                    "mem_init(pri_mem, 0, 1, FIVEA, go);mem_init(pri_mem, 0, \"a.dat\", ADDR);\n"
                    "mem_reserve(pri_mem, 0xa0000000, 0x100);mem_reserve(pri_mem, 0xa0001000, 0x100, go);"
                    "mem_release(pri_mem, 0xa0000000, go);\n"
                    "sync_notify(NVDLA_SDP, go);");
    assert_ptr_equal(prog->ops[0].blob, prog->ops[1].blob);
    assert_string_equal(prog->streams[prog->ops[0].stream], "memory");
    reads_as(prog, "cfg_memory.txt");
}

TEST_IN_FOLDER(memory_errors) {
    put_file(state, "a.dat", DAT);
    put_file(state, "broken.dat", "{\n{offset:0x0, size:q}\n");
    struct error err = {.text = ""};
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "mem_init(pri_mem, 0, 0x100000001, ONES);", "large", &err));
    assert_non_null(strstr(err.text, "t.cfg:1: a fill of 0x100000001 bytes is too large"));
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "mem_load(pri_mem, 0, \"broken.dat\");", NULL, &err));
    assert_non_null(strstr(err.text, "broken.dat:2: found \"q\""));
    char path[700];
    snprintf(path, sizeof path, "mem_load(pri_mem, 0, \"%s\");", (const char *)*state);
    bad(path, 1, "is not a regular file");
}

TEST_IN_FOLDER(truncated_gzip) {
    char path[700], *bytes;
    size_t n;
    struct error err = {.text = ""};
    struct trace_options options = {.config = NULL};
    in_directory(state, "a.dat.gz", path);
    assert_true(file_write(path, DAT, strlen(DAT), &err));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes = xmalloc(1000);
    n = fread(bytes, 1, 1000, file);
    fclose(file);
    file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, n - 12, file);
    fclose(file);
    free(bytes);
    bad("\n\nmem_load(pri_mem, 0, \"a.dat.gz\");", 3, "a.dat.gz");
    in_directory(state, "t.cfg.gz", path);
    file = fopen(path, "wb");
    assert_non_null(file);
    fwrite("\x1f\x8b\x08\x00", 1, 4, file);
    fclose(file);
    assert_null(trace_read(path, &options, &err));
    assert_non_null(strstr(err.text, "t.cfg.gz"));
}

TEST_IN_FOLDER(events) {
    struct program *prog =
        good(state, "mem_reserve(pri_mem, 0x0, 0x10);intr_notify(SDP_0, a);intr_notify(cdma_DAT_1, b);intr_notify(c);\n"
                    "sync_wait(NVDLA_CSC, d);sync_notify(NVDLA_CACC, d);\n"
                    "check_crc(a, 1, 0x0, 0x10, 0xcbf43926);check_nothing(b);check_crc(7, pri_mem, 0, 0, "
                    "0);intr_notify(RUBIK_1, 7);");
    assert_string_equal(prog->streams[prog->ops[1].stream], "interrupt");
    reads_as(prog, "cfg_events.txt");
}

TEST_IN_FOLDER(check_file_compares_with_the_file) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state,
             "mem_reserve(pri_mem, 0x100, 0x100);intr_notify(SDP_0, s);check_file(s, pri_mem, 0x100, 0x20, \"a.dat\");"
             "check_file(s, pri_mem, 0x100, 2, \"a.dat\");");
    assert_int_equal(prog->warning_count, 0);
    reads_as(prog, "cfg_check_file.txt");
}

TEST_IN_FOLDER(warnings) {
    put_file(state, "a.dat", DAT);
    put_file(state, "none.dat", "0x00 0x01\n");
    struct program *prog = good(state, "mem_load(pri_mem, 0, \"a.dat\");\nmem_load(pri_mem, 1, \"a.dat\");\n"
                                       "intr_notify(SDP_0, s);\ncheck_crc(s, pri_mem, 0, 0x14, 0);\n");
    assert_true(has_warning(prog, "t.cfg:2:", "t.cfg:1;"));
    assert_true(has_warning(prog, "t.cfg:4:", "not all declared"));
    assert_int_equal(prog->warning_count, 2);
    bad("\nmem_load(pri_mem, 0x800, \"none.dat\");", 2, "none.dat: holds no packet", "expected {offset");
    prog = good(state, "mem_load(pri_mem, 0, \"a.dat\");\nmem_load(pri_mem, 0, \"a.dat\", s);\nmem_load(pri_mem, 4, "
                       "\"a.dat\");intr_notify(SDP_0, s);");
    assert_int_equal(prog->warning_count, 0); /* by bytes: 0-3, 16-17 and 4-7, 20-21; the event orders the second */
}

TEST_IN_FOLDER(goldens) {
    put_file(state, "t_golden_80000100.dat", DAT);
    put_file(state, "t_golden_0000000c0.dat", DAT);
    put_file(state, "t_golden_notes.txt", "ignored");
    put_file(state, "t_golden_big.cfg", "another trace");
    put_file(state, "t_golden_big_golden_0.dat", "its own");
    put_file(state, "t2_golden_80000100.dat", "ignored");
    put_file(state, "t_regs.csv", "unit,register,value\r\nSDP,D_CVT_SCALE,0x00000007\r\nGLB,S_INTR_MASK,12\n\n");
    struct program *prog = good(state, "mem_reserve(pri_mem, 0, 0x200);mem_reserve(pri_mem, 0x80000100, 0x20);");
    reads_as(prog, "cfg_goldens.txt");
    char position[900];
    assert_non_null(strstr(op_position(prog, &prog->ops[5], position, sizeof position), "t_regs.csv:3"));
    assert_int_equal(prog->warning_count, 0);
    char path[700];
    struct error err;
    struct trace_options options = {.no_golden = true};
    prog = keep_program(trace_parse(trace_read_cfg, in_directory(state, "t.cfg", path), "", 0, &options, &err));
    assert_int_equal(prog->count, 0);
}

TEST_IN_FOLDER(golden_space) {
    put_file(state, "t_golden_50000000.dat", DAT);
    put_file(state, "t_golden_60000000.dat", DAT);
    put_file(state, "t_golden_70000000.dat", DAT);
    struct error err;
    struct program *prog = parse_text(
        state, trace_read_cfg, "t.cfg",
        "mem_reserve(sec_mem, 0x4ffffff0, 0x100);mem_reserve(sec_mem, 0x60000000, 0x100);"
        "mem_reserve(pri_mem, 0x60000000, 0x100);mem_reserve(sec_mem, 0x70000000, 0x100);"
        "mem_reserve(pri_mem, 0x70000000, 0x100);intr_notify(SDP_0, s);check_crc(s, 0, 0x70000000, 0x12, 0);",
        "full", &err);
    assert_non_null(prog);
    reads_as(prog, "cfg_golden_space.txt");
}

TEST_IN_FOLDER(golden_errors) {
    char path[700];
    struct error err = {.text = ""};
    parse_wrong_files(state, trace_read_cfg, "t.cfg", "tests/unit/wrong_goldens.txt");
    /* A directory of such a name cannot be compared either. */
    in_directory(state, "t_golden_1.dat", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
    assert_non_null(strstr(err.text, "t_golden_1.dat: is not a regular file"));
}

/* The golden file covers what the CRC of its address covers: one that holds less was cut. */
TEST_IN_FOLDER(a_golden_file_that_is_too_short_is_told) {
    static const char text[] = "mem_reserve(pri_mem, 0x80000000, 0x40);\nintr_notify(SDP_0, s);\n"
                               "check_crc(s, pri_mem, 0x80000000, 0x20, 0);";
    put_file(state, "t_golden_80000000.dat", "{offset:0x0, size:16, payload:1}\n");
    struct program *prog = good(state, text);
    assert_int_equal(prog->warning_count, 1);
    assert_true(has_warning(prog, "t_golden_80000000.dat: holds 0x10 bytes", "t.cfg:3 covers 0x20"));
    put_file(state, "t_golden_80000000.dat", "{offset:0x0, size:32, payload:1}\n");
    prog = good(state, text);
    assert_int_equal(prog->warning_count, 0);
}

/* From a file, in pieces of any size, as from a text. */
TEST_IN_FOLDER(a_file_is_read_as_its_text) {
    static const char text[] =
        "// head\nreg_write // a comment\n(NVDLA_SDP.D_CVT_SCALE_0\n,\n\n0x1\n)\n;mem_load(\n1 ,\n"
        "0x80000000,\n\"a.dat\"\n, go); sync_notify(NVDLA_SDP, go);;\n;";
    char path[700];
    struct error err = {.text = ""};
    put_file(state, "a.dat", DAT);
    put_file(state, "t.cfg", text);
    struct program *expected = good(state, text);
    in_directory(state, "t.cfg", path);
    for (size_t piece = 1; piece < sizeof text + 1; piece++) {
        struct lines lines;
        assert_true(lines_open_file(&lines, path, &err));
        lines.piece = piece;
        struct program *prog = keep_program(trace_read_cfg(&lines, NULL, &err));
        if (!prog || !program_equal(prog, expected))
            fail_msg("piece %zu: %s", piece, err.text);
        lines_close(&lines);
    }
}

TEST_IN_FOLDER(near_names_are_offered) {
    struct error err = {.text = ""};
    parse_text(state, trace_read_cfg, "t.cfg", "reg_write(NVDLA_SDP.D_NOTHING_0, 1);", NULL, &err);
    assert_null(strstr(err.text, "did you mean"));
}

TEST_IN_FOLDER(names_are_shown_escaped) {
    struct error err = {.text = ""};
    assert_null(
        parse_text(state, trace_read_cfg, "a\n\x1b[31mb.cfg", "reg_write(NVDLA_SDP.D\x7f\x9b_0, 1);", NULL, &err));
    assert_non_null(strstr(err.text, "a\\n\\x1b[31mb.cfg:1: "));
    assert_null(strpbrk(err.text, "\n\x1b\x7f\x9b"));
    struct program *prog =
        parse_text(state, trace_read_cfg, "a\nb.cfg", "reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);", NULL, &err);
    char position[800];
    assert_non_null(strstr(op_position(prog, prog->ops, position, sizeof position), "a\\nb.cfg:1"));
}

TEST_IN_FOLDER(choice_by_name_and_directory) {
    char path[700];
    struct error err = {.text = ""};
    struct trace_options options = {.config = NULL};
    const char *directory = *state;
    assert_null(trace_read(directory, &options, &err));
    assert_non_null(strstr(err.text, "found no trace in this directory"));
    static const char nvt[] = "nvt 1\nconfig small\nmode sequential\nwait high\n";
    put_file(state, "z.nvt.gz", nvt);
    struct program *other = keep_program(trace_read(directory, &options, &err));
    if (!other)
        fail_msg("%s", err.text);
    assert_non_null(strstr(other->files[0], "/z.nvt.gz"));
    put_file(state, "b.nvt", nvt);
    assert_null(trace_read(directory, &options, &err));
    assert_non_null(strstr(err.text, "found b.nvt and z.nvt.gz"));
    /* A .cfg goes before what was converted from it. */
    put_file(state, "t.cfg", "reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);");
    put_file(state, "t_regs.csv", "unit,register,value\nSDP,D_CVT_SCALE,1\n");
    struct program *prog = keep_program(trace_read(directory, &options, &err));
    assert_non_null(prog);
    assert_int_equal(prog->count, 2);
    assert_non_null(strstr(prog->files[0], "/t.cfg"));
    prog = keep_program(trace_read(in_directory(state, "t.cfg", path), NULL, &err));
    assert_non_null(prog);
    put_file(state, "u.cfg.gz", "reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);");
    prog = keep_program(trace_read(in_directory(state, "u.cfg.gz", path), NULL, &err));
    assert_non_null(prog);
    put_file(state, "input.txn", "wait\n");
    assert_null(trace_read(directory, &options, &err));
    assert_non_null(strstr(err.text, "input.txn and t.cfg"));
    assert_null(trace_read(in_directory(state, "t_regs.csv", path), &options, &err));
    assert_non_null(strstr(err.text, "not the name of a trace"));
    assert_null(trace_read(in_directory(state, "missing.cfg", path), &options, &err));
    assert_non_null(strstr(err.text, "missing.cfg"));
}

TEST_IN_FOLDER(files_without_operations_are_refused) {
    static const char *const files[][2] = {{"e.cfg", ""},
                                           {"e.cfg", "// a comment\n"},
                                           {"e.txn", "# a comment\n"},
                                           {"e.nvt", "nvt 1\nconfig small\nmode sequential\n"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[700];
        struct error err = {.text = ""};
        put_file(state, files[i][0], files[i][1]);
        assert_null(trace_read(in_directory(state, files[i][0], path), NULL, &err));
        if (!strstr(err.text, ": holds no operations"))
            fail_msg("%s", err.text);
    }
}

TEST_IN_FOLDER(a_byte_order_mark_is_skipped_and_odd_bytes_are_shown) {
    struct program *prog = good(state, "\xef\xbb\xbfreg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);");
    assert_int_equal(op_count(prog), 1);
    assert_int_equal(prog->ops[0].line, 1);
}
