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
    assert_int_equal(prog->count, 9);
    assert_string_equal(prog->config->name, "small");
    const struct op *op = prog->ops;
    assert_int_equal(op[0].kind, OP_WRITE);
    assert_int_equal(op[0].address, nvdla_register_find(prog->config, NVDLA_SDP, "D_CVT_SCALE")->address);
    assert_int_equal(op[0].value, 7);
    assert_int_equal(op[0].line, 1);
    assert_string_equal(prog->streams[op[0].stream], "SDP");
    assert_int_equal(op[1].kind, OP_READ_CHECK);
    assert_string_equal(prog->streams[op[1].stream], "PDP_RDMA");
    assert_int_equal(op[2].kind, OP_READ_CHECK);
    assert_int_equal(op[2].value, 255);
    assert_int_equal(op[2].line, 2);
    assert_int_equal(op[2].mask, 0xffffffffu);
    assert_int_equal(op[3].kind, OP_READ);
    for (int i = 4; i < 9; i++)
        assert_int_equal(op[i].kind, OP_POLL);
    assert_int_equal(op[4].attempts, 0);
    assert_true(op[5].relation == RELATION_GREATER_EQUAL && op[5].value == 6);
    assert_true(op[6].relation == RELATION_LESS_EQUAL && op[6].value == 4);
    assert_true(op[7].relation == RELATION_LESS_EQUAL && op[7].value == 5);
    assert_true(op[8].relation == RELATION_GREATER_EQUAL && op[8].value == 5);
}

TEST_IN_FOLDER(register_names_with_a_digit_of_their_own) {
    struct program *prog =
        good(state, "reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_1_0, 1);reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_0_0, 1);"
                    "reg_write(NVDLA_MCIF.CFG_RD_WEIGHT_0, 1);");
    assert_int_equal(prog->ops[0].address, prog->ops[1].address + 4);
    assert_int_equal(prog->ops[1].address, prog->ops[2].address);
}

TEST_IN_FOLDER(register_errors) {
    bad("\nreg_write(NVDLA_FOO.D_X_0, 1);", 2, "unknown block \"NVDLA_FOO\"");
    bad("reg_write(NVDLA_SDP.D_XYZ_0, 1);", 1, "unknown register \"D_XYZ_0\"", "SDP", "small", "configuration");
    bad("reg_write(NVDLA_BDMA.CFG_CMD_0, 1);", 1, "BDMA", "small");
    bad("reg_write(NVDLA_SDP, 1);", 1, "expected a register");
    bad("reg_write(1, 1);", 1, "expected a register");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x100000000);", 1, "found \"0x100000000\"", "a register value");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, seven);", 1, "found \"seven\"");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0);", 1, "1 operands", "reg_write(BLOCK.REGISTER, value)");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1, 2);", 1, "3 operands");
    bad("reg_read_check(NVDLA_SDP.D_CVT_SCALE_0, x);", 1, "a register value");
    bad("reg_read_expected(NVDLA_SDP.D_CVT_SCALE_0);", 1, "1 operands");
    bad("reg_read(NVDLA_SDP.D_CVT_SCALE_0, 5);", 1, "variable");
    bad("reg_read(NVDLA_SDP.NO_0, v);", 1, "unknown register");
    bad("poll_reg_equal(NVDLA_SDP.S_STATUS_0, );", 1, "operand after the comma");
    bad("poll_reg_greater(NVDLA_SDP.S_STATUS_0, 0xffffffff);", 1, "never hold");
    bad("poll_reg_less(NVDLA_SDP.S_STATUS_0, 0);", 1, "never hold");
    bad("poll_reg_not_equal(NVDLA_SDP.S_STATUS_0, 0);", 1, "poll_reg_not_equal is documented", "no player implements");
    bad("poll_field_equal(NVDLA_SDP.S_STATUS_0.X, 0);", 1, "poll_field_equal is documented");
}

TEST_IN_FOLDER(full_registers_under_full) {
    struct error err;
    struct program *prog =
        parse_text(state, trace_read_cfg, "t.cfg", "reg_write(NVDLA_BDMA.CFG_CMD_0, 1);", "full", &err);
    assert_non_null(prog);
}

TEST_IN_FOLDER(syntax_errors) {
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1)\nreg_write(NVDLA_SDP.D_CVT_SCALE_0, 1);", 1, "no \";\"");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1)", 1, "no \";\"");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0 1);", 1, "found \"1\"", "\",\" or \")\"");
    bad("reg_write NVDLA_SDP.D_CVT_SCALE_0, 1);", 1, "\"(\"");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, 1", 1, "the end of the file");
    bad("reg_write(", 1, "the end of the file");
    bad("reg_write(,", 1, "found \",\"");
    bad("\n\nfrobnicate(1);", 3, "unknown command \"frobnicate\"");
    bad("(1);", 1, "expected a command");
    bad("12;", 1, "expected a command");
    bad("reg_write @", 1, "found \"@\"");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, -1);", 1, "found \"-1\"",
        "a register value, a number from 0 to 0xffffffff");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, - 1);", 1, "found \"-\"");
    bad("mem_init(pri_mem, 0, -0x10, ONES);", 1, "found \"-0x10\"", "a size in bytes");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0,\n 1,\n 2);", 1, "with 3 operands");
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0,\n x);", 2, "found \"x\"", "a register value");
    bad("mem_load(pri_mem, 0, \"a.dat);\n", 1, "closing");
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
    const struct op *op = prog->ops;
    assert_int_equal(op[0].kind, OP_MEM_LOAD);
    assert_int_equal(op[0].size, 0x12);
    assert_string_equal(op[0].blob->name, "a.dat");
    assert_string_equal(prog->streams[op[0].stream], "memory");
    assert_ptr_equal(op[0].blob, op[1].blob);
    assert_string_equal(prog->events[op[1].after], "go");
    assert_true(op[2].kind == OP_MEM_FILL && op[2].pattern == PATTERN_RANDOM && op[2].size == 0x20);
    assert_true(op[3].pattern == PATTERN_BYTE && op[3].fill == 0);
    assert_true(op[4].pattern == PATTERN_BYTE && op[4].fill == 0xff);
    assert_true(op[5].pattern == PATTERN_RANDOM);
    assert_true(op[6].pattern == PATTERN_BYTE && op[6].fill == 0xa5);
    assert_true(op[7].pattern == PATTERN_BYTE && op[7].fill == 0x5a && op[7].after >= 0);
    assert_true(op[8].pattern == PATTERN_ADDRESS && op[8].size == 0x12 && op[8].after < 0);
    assert_true(op[9].kind == OP_MEM_RESERVE && op[9].size == 0x100);
    assert_true(op[10].kind == OP_MEM_RESERVE && op[10].after >= 0);
    assert_true(op[11].kind == OP_MEM_RELEASE && op[11].base == 0xa0000000);
}

TEST_IN_FOLDER(memory_errors) {
    put_file(state, "a.dat", DAT);
    put_file(state, "broken.dat", "{\n{offset:0x0, size:q}\n");
    bad("\nmem_load(pri_mem, 0, \"none.dat\");", 2, "none.dat");
    bad("mem_load(pri_mem, 0, \"\");", 1, "file name");
    bad("mem_load(pri_mem, 0, a.dat);", 1, "file name in double quotes");
    bad("mem_load(third_mem, 0, \"a.dat\");", 1, "pri_mem");
    bad("mem_load(2, 0, \"a.dat\");", 1, "pri_mem");
    bad("mem_load(pri_mem, base, \"a.dat\");", 1, "base address");
    bad("mem_load(pri_mem, 0);", 1, "2 operands", "mem_load(mem, base");
    bad("mem_load(pri_mem, 0, \"a.dat\", (;", 1, "operand");
    bad("mem_load(pri_mem, 0, \"a.dat\", \"id\");sync_notify(NVDLA_SDP, id);", 1, "a sync id");
    bad("mem_init(pri_mem, 0, 4, ZEROES);", 1, "found \"ZEROES\"", "ALL_ZERO");
    bad("mem_init(pri_mem, 0, x, ONES);", 1, "a size in bytes");
    bad("mem_init(pri_mem, 0, 4);", 1, "3 operands");
    bad("mem_init(pri_mem, 0, \"none.dat\", ONES);", 1, "none.dat");
    bad("mem_reserve(pri_mem, 0);", 1, "2 operands");
    bad("mem_reserve(pri_mem, 0, q);", 1, "a size in bytes");
    bad("mem_release(pri_mem, 0);", 1, "2 operands");
    bad("sync_notify(NVDLA_SDP, e);\nmem_release(pri_mem, 0x40, e);", 2, "mem_release of 0x40");
    bad("\nmem_load(sec_mem, 0, \"a.dat\");", 2, "configuration small has none");
    bad("mem_load(pri_mem, 0xfffffff0, \"a.dat\");", 1, "out of range", "32 address bits");
    bad("mem_reserve(pri_mem, 0x100000000, 1);", 1, "out of range");
    bad("mem_reserve(pri_mem, 0x80000000, 0xffffffffffffffff);", 1, "out of range");
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
    bytes = malloc(1000);
    assert_non_null(bytes);
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
    const struct op *op = prog->ops;
    assert_true(op[1].kind == OP_INTR_NOTIFY && op[1].bit == 0);
    assert_string_equal(prog->streams[op[1].stream], "interrupt");
    assert_true(op[2].bit == 17);
    assert_true(op[3].bit == -1);
    assert_string_equal(prog->events[op[3].event], "c");
    assert_true(op[4].kind == OP_SYNC_WAIT && op[5].kind == OP_SYNC_NOTIFY && op[4].event == op[5].event);
    assert_string_equal(prog->streams[op[4].stream], "CSC");
    assert_string_equal(prog->streams[op[5].stream], "CACC");
    assert_true(op[6].kind == OP_MEM_CRC && op[6].after == op[1].event && op[6].value == 0xcbf43926u);
    assert_true(op[7].kind == OP_CHECK_EVENT && op[7].after == op[2].event);
    assert_true(op[8].kind == OP_MEM_CRC && op[8].size == 0);
    assert_true(op[9].bit == 9);
}

TEST_IN_FOLDER(event_errors) {
    bad("intr_notify(SDP_2, a);", 1, "an interrupt");
    bad("intr_notify(1, a);", 1, "an interrupt");
    bad("intr_notify();", 1, "0 operands");
    bad("intr_notify(\"a\");", 1, "a sync id");
    bad("intr_notify(SDP_0, a);\nintr_notify(SDP_1, a);", 2, "event a is raised a second time", "t.cfg:1");
    bad("intr_notify(SDP_0, a);\nsync_notify(NVDLA_SDP, a);", 2, "second time");
    bad("\nsync_wait(NVDLA_SDP, x);", 2, "event x, which nothing raises");
    bad("check_crc(x, pri_mem, 0, 4, 0);", 1, "event x, which nothing raises");
    bad("check_nothing(x);", 1, "event x, which nothing raises");
    bad("mem_reserve(pri_mem, 0, 4, x);", 1, "event x, which nothing raises");
    bad("sync_wait(NVDLA_SDP, x);\nsync_notify(NVDLA_SDP, x);", 1, "its own stream", "t.cfg:2");
    bad("sync_wait(NVDLA_FOO, x);", 1, "a block");
    bad("sync_notify(\"SDP\", x);", 1, "a block");
    bad("sync_notify(NVDLA_SDP);", 1, "1 operands");
    bad("check_crc(x, pri_mem, 0, 4);", 1, "4 operands", "check_crc(id, mem, base, size, crc)");
    bad("check_crc(x, pri_mem, 0, 4, 0x123456789);", 1, "CRC-32");
    bad("check_nothing();", 1, "0 operands");
    bad("check_file(x, pri_mem, 0, 4);", 1, "4 operands");
}

TEST_IN_FOLDER(check_file_compares_with_the_file) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state,
             "mem_reserve(pri_mem, 0x100, 0x100);intr_notify(SDP_0, s);check_file(s, pri_mem, 0x100, 0x20, \"a.dat\");"
             "check_file(s, pri_mem, 0x100, 2, \"a.dat\");");
    const struct op *op = prog->ops + 2;
    assert_true(op[0].kind == OP_MEM_CHECK && op[0].blob->size == 6 && op[0].after == 0 && !op[0].at_end);
    assert_true(op[1].kind == OP_MEM_CHECK && op[1].blob->size == 2 && op[1].size == 2);
    assert_int_equal(prog->warning_count, 0);
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
    assert_int_equal(prog->count, 6);
    const struct op *op = prog->ops + 2;
    assert_true(op[0].kind == OP_MEM_CHECK && op[0].base == 0xc0 && op[0].at_end && op[0].after < 0);
    assert_true(op[1].base == 0x80000100 && op[1].space == SPACE_PRIMARY && op[1].size == 0x12);
    assert_true(op[2].kind == OP_READ_CHECK && op[2].at_end && op[2].value == 7 && op[2].mask == 0xffffffffu &&
                op[2].line == 2);
    assert_true(op[3].value == 12 && op[3].line == 3);
    char position[900];
    assert_non_null(strstr(op_position(prog, &op[3], position, sizeof position), "t_regs.csv:3"));
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
    const struct op *op = prog->ops + 7;
    assert_true(op[0].base == 0x50000000 && op[0].space == SPACE_SECONDARY);
    assert_true(op[1].base == 0x60000000 && op[1].space == SPACE_PRIMARY);
    assert_true(op[2].base == 0x70000000 && op[2].space == SPACE_SECONDARY);
}

TEST_IN_FOLDER(golden_errors) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t_regs.csv:1: found nothing"},
        {"unit,register,value\n", "t_regs.csv:1: found no register after the header"},
        {"unit,value\n", "t_regs.csv:1: found \"unit,value\""},
        {"unit,register,value\nSDP,D_CVT_SCALE\n", "t_regs.csv:2: found \"SDP,D_CVT_SCALE\""},
        {"unit,register,value\n\nSDP,D_CVT_SCALE,1,2\n", "t_regs.csv:3: "},
        {"unit,register,value\nFOO,D_CVT_SCALE,1\n", "t_regs.csv:2: unknown unit \"FOO\""},
        {"unit,register,value\nSDP,D_FOO,1\n", "t_regs.csv:2: unknown register \"D_FOO\""},
        {"unit,register,value\nSPD,D_FOO,1\n",
         "unknown unit \"SPD\"; expected one such as SDP or CDMA; did you mean SDP?"},
        {"unit,register,value\nSDP,D_CVT_SCAEL,1\n", "did you mean D_CVT_SCALE?"},
        {"unit,register,value\nSDP,D_CVT_SCALE,0x1ffffffff\n", "t_regs.csv:2: found \"0x1ffffffff\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {.text = ""};
        put_file(state, "t_regs.csv", cases[i].text);
        assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
    struct error err = {.text = ""};
    put_file(state, "t_golden_0.dat", "no packets");
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
    assert_non_null(strstr(err.text, "t_golden_0.dat: holds no packet"));
    put_file(state, "t_golden_0.dat", "{offset:0, size:1, payload:q}");
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
    assert_non_null(strstr(err.text, "t_golden_0.dat:1: "));
    put_file(state, "t_golden_0.dat", "{\n{offset:0, size:1, payload:1},\n");
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
    assert_non_null(strstr(err.text, "t_golden_0.dat:2: found the end of the file"));
    char path[700];
    in_directory(state, "t_golden_0.dat", path);
    unlink(path);
    static const char *const names[] = {"t_golden_zz.dat", "t_golden_.dat", "t_golden_80000000x.dat",
                                        "t_golden_00000000080000000.dat", "t_golden_0x80000000.dat.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        put_file(state, names[i], DAT);
        assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
        if (!strstr(err.text, names[i]) || !strstr(err.text, "expected t_golden_ADDRESS.dat"))
            fail_msg("%s: %s", names[i], err.text);
        in_directory(state, names[i], path);
        unlink(path);
    }
    /* A directory of such a name cannot be compared either. */
    in_directory(state, "t_golden_1.dat", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_null(parse_text(state, trace_read_cfg, "t.cfg", "", NULL, &err));
    assert_non_null(strstr(err.text, "t_golden_1.dat: is not a regular file"));
    rmdir(path);
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
    bad("reg_wirte(NVDLA_SDP.D_CVT_SCALE_0, 1);", 1, "unknown command", "did you mean reg_write?");
    bad("reg_write(NVDLA_SPD.D_CVT_SCALE_0, 1);", 1, "unknown block", "did you mean SDP?");
    bad("reg_write(NVDLA_SDP.D_CVT_SCAL_0, 1);", 1, "unknown register", "did you mean D_CVT_SCALE?");
    bad("reg_write(NVDLA_SDP.D_NOTHING_0, 1);", 1, "is that the configuration this trace was made for?");
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
    bad("reg_write(NVDLA_SDP.D_CVT_SCALE_0, \xe4);", 1, "found \"\\xe4\"");
}
