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

#define bad(text, ...) parse_bad(state, trace_read_txn, "input.txn", text, __VA_ARGS__, NULL)

TEST_IN_FOLDER(registers) {
    struct program *prog =
        good(state,
             "write_reg 0xffff2803 0x7 #NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0\r\n\n"
             "\twrite_reg\t0xfffd2c0e   1\nread_reg 0xffff2c0e 0x1 0xffffffff#glued\n"
             "read_reg 0xffff2c0e 0xff <= 0x10\nread_reg 0xffff2c0e 0xff >= 0x10 0\nread_reg 0xffff2c0e 0xff == 16 7");
    assert_true(prog->sequential);
    assert_string_equal(prog->config->name, "full");
    assert_int_equal(op_count(prog), WINDOWS + 6);
    const struct op *op = op_at(prog, WINDOWS + 0);
    assert_true(op->kind == OP_WRITE && op->address == 0xa00c && op->value == 7 && op->nposted && op->line == 1);
    assert_string_equal(prog->ops[WINDOWS + 1].text, "NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0");
    op = op_at(prog, WINDOWS + 1);
    assert_true(op->address == 0xb038 && op->value == 1 && !op->nposted && op->line == 3);
    op = op_at(prog, WINDOWS + 2);
    assert_true(op->kind == OP_POLL && op->mask == 1 && op->value == 1 && op->attempts == 100 &&
                op->relation == RELATION_EQUAL);
    op = op_at(prog, WINDOWS + 3);
    assert_true(op->relation == RELATION_LESS_EQUAL && op->value == 0x10 && op->attempts == 100);
    op = op_at(prog, WINDOWS + 4);
    assert_true(op->relation == RELATION_GREATER_EQUAL && op->attempts == 0);
    op = op_at(prog, WINDOWS + 5);
    assert_true(op->relation == RELATION_EQUAL && op->value == 16 && op->attempts == 7);
}

TEST_IN_FOLDER(worked_addresses) {
    struct program *prog = good(
        state,
        "write_reg 0xffff0003 0\nwrite_reg 0xffff100b 0\nwrite_reg 0xffff2403 0\nwrite_reg 0x3 0\n"
        "read_reg 0xffff1403 1 0\nread_reg 0xffff1010 1 0\nread_reg 0xffff2401 0 0\nread_reg 0xffff2401 0x10000 0\n");
    assert_int_equal(prog->ops[WINDOWS + 0].address, 0x000c);
    assert_int_equal(prog->ops[WINDOWS + 1].address, 0x402c);
    assert_int_equal(prog->ops[WINDOWS + 2].address, 0x900c);
    assert_int_equal(prog->ops[WINDOWS + 3].address, 0x000c);
    assert_int_equal(prog->ops[WINDOWS + 4].address, 0x500c);
    assert_true(prog->ops[WINDOWS + 4].volatile_read);  /* CDMA flush status */
    assert_true(prog->ops[WINDOWS + 5].volatile_read);  /* BDMA STATUS */
    assert_false(prog->ops[WINDOWS + 6].volatile_read); /* S_POINTER without CONSUMER */
    assert_true(prog->ops[WINDOWS + 7].volatile_read);
}

TEST_IN_FOLDER(waits) {
    struct program *prog =
        good(state, "wait\nwait high dla_intr\nwait low dla_intr\nwait posedge dla_intr # x\nwait negedge dla_intr\n");
    static const int levels[] = {1, 1, 0, 0, 1, 1, 0};
    assert_int_equal(op_count(prog), WINDOWS + 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(op_at(prog, WINDOWS + i)->kind, OP_WAIT);
        assert_int_equal(op_at(prog, WINDOWS + i)->level, levels[i]);
    }
    bad("wait up dla_intr", 1, "high, low, posedge or negedge");
    bad("wait high", 1, "dla_intr");
    bad("wait high irq", 1, "found \"irq\"", "dla_intr");
    bad("wait high dla_intr 3", 1, "3 operands");
}

TEST_IN_FOLDER(memory) {
    put_file(state, "a.dat", DAT);
    struct program *prog =
        good(state, "load_mem 0x80000000 6 a.dat \nload_mem 0x50000000 0x8 a.dat\nwait\ndump_mem 0x80000000 0x6 a.dat");
    const struct op *op = prog->ops + WINDOWS;
    assert_true(op[0].kind == OP_MEM_LOAD && op[0].space == SPACE_PRIMARY && op[0].base == 0x80000000 &&
                op[0].size == 6);
    assert_memory_equal(op[0].blob->bytes, "\0\1\2\3\4\5", 6);
    assert_true(op[1].space == SPACE_SECONDARY && op[1].blob->size == 8);
    assert_true(op[3].kind == OP_MEM_CHECK && op[3].blob == op[0].blob && op[3].line == 4);
    prog = good(state, "load_mem 0x80000000 8 a.dat\nload_mem 0x80000004 8 a.dat\nwait\nload_mem 0x80000000 8 a.dat\n");
    assert_int_equal(prog->warning_count, 1);
    assert_true(has_warning(prog, "input.txn:2:", "input.txn:1;"));
}

TEST_IN_FOLDER(memory_errors) {
    put_file(state, "a.dat", DAT);
    put_file(state, "b.dat", "0x00\n0x01 0x\n");
    bad("\nload_mem 0x80000000 9 a.dat", 2, "holds 0x8 bytes", "at least 0x9");
    bad("dump_mem 0x80000000 9 a.dat", 1, "at least 0x9");
    bad("load_mem 0x40000000 1 a.dat", 1, "found \"0x40000000\"", "0x80000000 to 0xffffffff",
        "0x50000000 to 0x5fffffff");
    bad("load_mem 0x60000000 1 a.dat", 1, "found \"0x60000000\"");
    bad("load_mem 0x180000000 1 a.dat", 1, "0x80000000 to 0xffffffff");
    bad("load_mem 0xfffffffa 7 a.dat", 1, "leave the primary memory", "not above 0x100000000");
    bad("load_mem 0x5fffffff 2 a.dat", 1, "leave the secondary memory");
    bad("laod_mem 0x80000000 1 a.dat", 1, "unknown command", "did you mean load_mem?");
    bad("load_mem 0x80000000 1 none.dat", 1, "none.dat");
    bad("load_mem 0x80000000 1", 1, "2 operands", "load_mem addr nbytes file");
    bad("load_mem here 1 a.dat", 1, "a memory address");
    bad("load_mem 0x80000000 0xffffffffff a.dat", 1, "a number of bytes");
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
    assert_int_equal(prog->count, 3);
    const struct op *op = prog->ops;
    assert_true(op[0].kind == OP_MEM_RESERVE && op[0].space == SPACE_PRIMARY && op[0].base == 0x80000000 &&
                op[0].size == 0x80000000 && op[0].line == 0);
    assert_true(op[1].kind == OP_MEM_RESERVE && op[1].space == SPACE_SECONDARY && op[1].base == 0x50000000 &&
                op[1].size == 0x10000000);
    assert_int_equal(prog->warning_count, 0);
    struct error err = {.text = ""};
    prog = parse_text(state, trace_read_txn, "input.txn", "dump_mem 0x80000000 8 a.dat", "small", &err);
    assert_non_null(prog);
    assert_int_equal(prog->count, 2);
    assert_true(prog->ops[0].kind == OP_MEM_RESERVE && prog->ops[0].space == SPACE_PRIMARY);
    check_round_trip(prog);
}

TEST_IN_FOLDER(words_in_memory) {
    struct program *prog =
        good(state, "write_mem 0x80000010 0xffff 0x0f0e0d0c0b0a09080706050403020100\n"
                    "write_mem 0x80000020 0x8005 0x0f0e0d0c0b0a09080706050403020100\nwrite_mem 0x80000030 0 5\n"
                    "read_mem 0x80000010 0xffffff 0x030201\nread_mem 0x80000010 0 7");
    assert_int_equal(prog->ops[WINDOWS + 0].blob->size, 16);
    assert_memory_equal(prog->ops[WINDOWS + 0].blob->bytes, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf", 16);
    assert_int_equal(prog->ops[WINDOWS + 1].blob->chunk_count, 3);
    assert_memory_equal(prog->ops[WINDOWS + 1].blob->bytes, "\0\2\xf", 3);
    assert_int_equal(prog->ops[WINDOWS + 1].blob->chunks[2].offset, 15);
    assert_int_equal(prog->ops[WINDOWS + 2].blob->size, 0);
    assert_true(prog->ops[WINDOWS + 3].kind == OP_MEM_CHECK && prog->ops[WINDOWS + 3].blob->size == 3);
    assert_memory_equal(prog->ops[WINDOWS + 3].blob->bytes, "\1\2\3", 3);
    bad("write_mem 0x80000010 0x10000 0", 1, "byte mask");
    bad("write_mem 0x80000010 1 0x100000000000000000000000000000000", 1, "128 bits");
    bad("write_mem 0x80000010 1 x", 1, "128 bits");
    bad("write_mem 0x80000010 1", 1, "2 operands");
    bad("write_mem 0x10 1 1", 1, "0x8");
    bad("read_mem 0x80000010 0xff0f 0", 1, "whole bytes", "not supported");
    bad("read_mem 0x80000010 0xff", 1, "2 operands");
}

TEST_IN_FOLDER(until_polls_without_end) {
    struct program *prog = good(state, "until 0xffff0003 0x00110001");
    const struct op *op = prog->ops + WINDOWS;
    assert_true(op->kind == OP_POLL && op->mask == 0x110001 && op->value == 0x110001 && op->attempts == 0);
    bad("until 0xffff0003", 1, "1 operands");
}

TEST_IN_FOLDER(errors) {
    bad("\n\nfoo 1 2", 3, "unknown command \"foo\"", "write_reg");
    bad("write_reg 0xffff2803", 1, "1 operands", "write_reg addr data");
    bad("write_reg 0xffff2803 1 2", 1, "3 operands");
    bad("write_reg 0x1ffff2803 1", 1, "address token");
    bad("write_reg 0xffff2803 0x100000000", 1, "register data");
    bad("write_reg 0xffff8000 1", 1, "byte address 0x20000", "no unit", "full");
    bad("write_reg 0xffff2bff 1", 1, "SDP_RDMA", "offset 0xffc");
    bad("write_reg 0x7004 1", 1, "byte addresses");
    bad("read_reg 0xffff2803 1", 1, "2 operands");
    bad("read_reg 0xffff2803 1 != 2", 1, "found \"!=\"");
    bad("read_reg 0xffff2803 1 ==", 1, "expected value");
    bad("read_reg 0xffff2803 1 == 2 x", 1, "number of polls");
    bad("read_reg 0xffff2803 z 1", 1, "a mask");
    bad("read_reg 0xffff2803 1 1 1 1 1 1 1 1 1 1", 1, "11 operands");
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
    static const char *const wrong[] = {"x", "+read_reg_poll_retries", "+read_reg_poll_retries=x",
                                        "+read_reg_poll_retries=0x100000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {.text = ""};
        put_file(state, "plusargs.txt", wrong[i]);
        assert_null(parse_text(state, trace_read_txn, "input.txn", "", NULL, &err));
        assert_non_null(strstr(err.text, "plusargs.txt:1: found"));
    }
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
    assert_true(raw->sequential);
    assert_int_equal(op_count(raw), WINDOWS + 6);
    const struct op *load = op_at(raw, WINDOWS), *op = op_at(raw, WINDOWS + 1), *dump = op_at(raw, WINDOWS + 5);
    assert_true(load->kind == OP_MEM_LOAD && load->base == 0x80000000 && load->size == 6 && load->line == 3);
    assert_string_equal(load->blob->name, "mem-in-0.hex");
    const uint8_t *bytes = load->blob->bytes;
    for (uint8_t i = 0; i < 6; i++)
        assert_int_equal(bytes[i], i);
    assert_true(op->kind == OP_WRITE && op->address == 0xa00c && op->value == 7);
    op = op_at(raw, WINDOWS + 2);
    assert_true(op->kind == OP_POLL && op->relation == RELATION_LESS_EQUAL && op->mask == 0xff && op->value == 0x10 &&
                op->attempts == 50000);
    assert_int_equal(op_at(raw, WINDOWS + 3)->kind, OP_READ_CHECK);
    assert_int_equal(op_at(raw, WINDOWS + 4)->kind, OP_WAIT);
    assert_true(dump->kind == OP_MEM_CHECK && dump->space == SPACE_SECONDARY && dump->size == 8);
    assert_string_equal(dump->blob->name, "mem-expect-0.hex");
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
