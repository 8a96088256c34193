/* The reader of input.txn, command by command and error by error. */
#include "tests/unit/trace_test.h"

#define DAT "Data_size = 0x8\n0x00 0x01 0x02 0x03\n 0x04 0x05 0x06 0x07 \ndump done\n"

static struct program *good(void **state, const char *text) {
    struct program *prog = parse_good(state, trace_read_txn, "input.txn", text);
    check_round_trip(prog);
    return prog;
}

/* The reservations that a program of configuration full starts with. */
enum { WINDOWS = 2 };

TEST_IN_FOLDER(registers) {
    struct program *prog =
        good(state,
             "write_reg 0xffff2803 0x7 #NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0\r\n\n"
             "\twrite_reg\t0xfffd2c0e   1\nread_reg 0xffff2c0e 0x1 0xffffffff#glued\n"
             "read_reg 0xffff2c0e 0xff <= 0x10\nread_reg 0xffff2c0e 0xff >= 0x10 0\nread_reg 0xffff2c0e 0xff == 16 7");
    assert_int_equal(op_at(prog, WINDOWS)->line, 1);
    assert_int_equal(op_at(prog, WINDOWS + 1)->line, 3);
    reads_as(prog, "txn_registers.txt");
}

TEST_IN_FOLDER(worked_addresses) {
    struct program *prog = good(
        state,
        "write_reg 0xffff0003 0\nwrite_reg 0xffff100b 0\nwrite_reg 0xffff2403 0\nwrite_reg 0x3 0\n"
        "read_reg 0xffff1403 1 0\nread_reg 0xffff1010 1 0\nread_reg 0xffff2401 0 0\nread_reg 0xffff2401 0x10000 0\n");
    reads_as(prog, "txn_addresses.txt");
}

TEST_IN_FOLDER(waits) {
    struct program *prog =
        good(state, "wait\nwait high dla_intr\nwait low dla_intr\nwait posedge dla_intr # x\nwait negedge dla_intr\n");
    reads_as(prog, "txn_waits.txt");
}

TEST_IN_FOLDER(memory) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state, "load_mem 0x80000000 6 a.dat \nload_mem 0x50000000 0x8 a.dat\nwait\ndump_mem 0x80000000 0x6 a.dat");
    assert_ptr_equal(prog->ops[WINDOWS].blob, prog->ops[WINDOWS + 3].blob);
    assert_int_equal(prog->ops[WINDOWS + 3].line, 4);
    reads_as(prog, "txn_memory.txt");
    prog = good(state, "load_mem 0x80000000 8 a.dat\nload_mem 0x80000004 8 a.dat\nwait\nload_mem 0x80000000 8 a.dat\n");
    assert_int_equal(prog->warning_count, 1);
    assert_true(has_warning(prog, "input.txn:2:", "input.txn:1;"));
}

TEST_IN_FOLDER(memory_errors) {
    put_file(state, "a.dat", DAT);
    put_file(state, "b.dat", "0x00\n0x01 0x\n");
    struct error err = {.text = ""};
    assert_null(parse_text(state, trace_read_txn, "input.txn", "load_mem 0x80000000 2 b.dat", NULL, &err));
    assert_non_null(strstr(err.text, "b.dat:2: found \"0x\""));
    assert_null(parse_text(state, trace_read_txn, "input.txn", "dump_mem 0x50000000 2 a.dat", "small", &err));
    assert_non_null(strstr(
        err.text,
        "input.txn:1: found \"0x50000000\"; expected an address of primary memory (0x80000000 to 0xffffffff); the "
        "configuration has no secondary memory"));
}

/* Traces made from captures use the whole upper half of the address space. */
TEST_IN_FOLDER(primary_memory_is_the_upper_half) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state, "load_mem 0x90000000 8 a.dat\nload_mem 0xa0000000 8 a.dat\n"
                    "load_mem 0xc0001588 8 a.dat\ndump_mem 0xfffffff8 8 a.dat\nload_mem 0x58000100 8 a.dat\n");
    const struct op *op = prog->ops + WINDOWS;
    for (int i = 0; i < 4; i++)
        assert_int_equal(op[i].space, SPACE_PRIMARY);
    assert_int_equal(op[4].space, SPACE_SECONDARY);
    struct error err = {.text = ""};
    prog = parse_text(state, trace_read_txn, "input.txn", "load_mem 0xc0000000 8 a.dat", "small", &err);
    assert_true(prog->ops[1].space == SPACE_PRIMARY);
    prog = parse_text(state, trace_read_txn, "input.txn", "load_mem 0x20000000 8 a.dat", "medium_1024_full", &err);
    if (nvdla_config_find("medium_1024_full")->secondary_memory) {
        assert_non_null(prog);
        assert_int_equal(prog->ops[2].space, SPACE_SECONDARY);
    } else {
        assert_null(prog);
    }
}

TEST_IN_FOLDER(the_memory_windows_are_reserved) {
    put_file(state, "a.dat", DAT);
    struct program *prog = good(state, "dump_mem 0x80000000 8 a.dat");
    assert_int_equal(prog->ops[0].line, 0);
    reads_as(prog, "txn_windows.txt");
    assert_int_equal(prog->warning_count, 0);
    struct error err = {.text = ""};
    prog = parse_text(state, trace_read_txn, "input.txn", "dump_mem 0x80000000 8 a.dat", "small", &err);
    assert_non_null(prog);
    reads_as(prog, "txn_windows_small.txt");
    check_round_trip(prog);
}

TEST_IN_FOLDER(words_in_memory) {
    struct program *prog =
        good(state, "write_mem 0x80000010 0xffff 0x0f0e0d0c0b0a09080706050403020100\n"
                    "write_mem 0x80000020 0x8005 0x0f0e0d0c0b0a09080706050403020100\nwrite_mem 0x80000030 0 5\n"
                    "read_mem 0x80000010 0xffffff 0x030201\nread_mem 0x80000010 0 7");
    reads_as(prog, "txn_words.txt");
}

TEST_IN_FOLDER(until_polls_without_end) {
    reads_as(good(state, "until 0xffff0003 0x00110001"), "txn_until.txt");
}

TEST_IN_FOLDER(wrong_commands_are_told) {
    put_file(state, "a.dat", DAT);
    parse_wrong_rows(state, trace_read_txn, "input.txn", "", "tests/unit/wrong_txn.txt");
}

TEST_IN_FOLDER(blank_files_and_line_ends) {
    struct program *prog = good(state, "");
    assert_int_equal(prog->count, WINDOWS + 0);
    prog = good(state, " \t\r\n#\r\n#only a comment");
    assert_int_equal(prog->count, WINDOWS + 2);
    prog = good(state, "write_reg 0XFFFF2803 0XaB\r\nwait"); /* no line end at the end */
    assert_int_equal(prog->count, WINDOWS + 2);
    assert_int_equal(prog->ops[WINDOWS + 0].value, 0xab);
}

TEST_IN_FOLDER(plusargs) {
    put_file(state, "plusargs.txt",
             "+read_reg_poll_retries=100000 +continue_on_fail\r\n+mem_read_latency=3\n+frobnicate\n");
    struct program *prog = good(state, "read_reg 0xffff2803 1 1");
    assert_int_equal(prog->ops[WINDOWS + 0].attempts, 100000);
    assert_false(prog->ops[WINDOWS + 0].volatile_read);
    assert_int_equal(prog->warning_count, 1);
    assert_true(has_warning(prog, "plusargs.txt:3:", "+frobnicate"));
    put_file(state, "plusargs.txt", "+ignore_poll\n");
    prog = good(state, "read_reg 0xffff2803 1 1");
    assert_true(prog->ops[WINDOWS + 0].volatile_read);
    parse_wrong_files(state, trace_read_txn, "input.txn", "tests/unit/wrong_plusargs.txt");
}

/* ---- the raw form (section 2.2) ---- */

#define RAW_END "FF000000000000000000000000000000\n"
#define RAW_LOAD "6d656d2d696e2d302e686578_04_0000000080000000_00000006_00_0000\n"   /* mem-in-0.hex */
#define RAW_DUMP "6d656d2d64756d702d302e686578_05_0000000050000000_00000008_00_0000" /* mem-dump-0.hex */

TEST_IN_FOLDER(raw_form) {
    put_file(state, "mem-in-0.hex", "03020100 // four bytes\n07060504\n");
    put_file(state, "mem-expect-0.hex", "0b0a0908\n0f0e0d0c\n");
    struct program *raw = parse_good(state, trace_read_txn_raw, "input.txn.raw",
                                     "// made by hand\n\n" RAW_LOAD "00ffff28030000000700000000000000\n"
                                     "01ffff2c0e00000010000000ff01c350\n"
                                     "01_ffff2c0e_00000010_000000FF_00_0001\n"
                                     "06000000000000000000000000000000\n" RAW_DUMP "\r\n" RAW_END);
    assert_int_equal(op_at(raw, WINDOWS)->line, 3);
    assert_string_equal(op_at(raw, WINDOWS)->blob->name, "mem-in-0.hex");
    reads_as(raw, "txn_raw.txt");
}

TEST_IN_FOLDER(raw_form_errors) {
    static const struct {
        int line;
        const char *text, *message;
    } wrong[] = {
        {1, "00ffff2803000000070000000000000\n", "found \"00ffff2803000000070000000000000\"; expected a word of 32"},
        {1, "0gffff28030000000700000000000000\n", "expected a word of 32"},
        {2, "\n02ffff28030000000700000000000000\n",
         "found \"02ffff28030000000700000000000000\"; expected an operation"},
        {1, "01ffff28030000000700000000030000\n", "expected a comparison of 00 (==)"},
        {1, "04000000008000000000000006000000\n", "expected the name of a memory file"},
        {1, "2f61_04000000008000000000000006000000\n", "without a folder"},
        {1, RAW_LOAD, "mem-in-0.hex: cannot open"},
        {1, RAW_DUMP "\n" RAW_END, "mem-expect-0.hex: cannot open"},
        {1, "06000000000000000000000000000000\n", "found the end of the file; expected the end line"},
        {2, RAW_END "06000000000000000000000000000000\n", "found \"0600000000000000000000000000"},
        {1, "62_04000000008000000000000008000000\n", "b holds 0x4 bytes; expected at least 0x8"},
        {1, "63_04000000008000000000000004000000\n", "c:1: found \"123\"; expected words of 32 bits"},
    };
    put_file(state, "b", "00000000\n");
    put_file(state, "c", "123\n");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        parse_bad(state, trace_read_txn_raw, "input.txn.raw", wrong[i].text, wrong[i].line, wrong[i].message, NULL);
}
