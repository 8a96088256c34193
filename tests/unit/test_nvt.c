/* The project's own format: every operation, the way back, every error. */
#include "tests/unit/trace_test.h"
#include "trace/hex.h"

#define HEAD "nvt 1\nconfig full\nmode streams\n"
#define HEAD_SEQUENTIAL "nvt 1\nconfig full\nmode sequential\n"

static struct program *good(void **state, const char *text) {
    struct program *prog = parse_good(state, trace_read_nvt, "t.nvt", text);
    check_round_trip(prog);
    return prog;
}

#define bad(text, ...) parse_bad(state, trace_read_nvt, "t.nvt", text, __VA_ARGS__, NULL)

TEST_IN_FOLDER(every_operation) {
    static const char text[] = HEAD "# a note with \"quotes\"\n"
                                    "#\n"
                                    "reg_write SDP.D_CVT_SCALE 0x1 nposted # behind\n"
                                    "reg_write SDP.D_CVT_SCALE 0x2 stream=\"my stream\"\n"
                                    "reg_read GLB.S_INTR_STATUS\n"
                                    "read_check SDP.S_STATUS == 0x5 mask=0xff volatile end\n"
                                    "poll SDP.S_STATUS <= 0x5 attempts=7\n"
                                    "poll CDMA.S_STATUS >= 0x5 mask=0x0\n"
                                    "wait high\n"
                                    "wait low\n"
                                    "intr_notify SDP_0 a\n"
                                    "intr_notify any \"b \\\"\\\\\\x01 c\"\n"
                                    "intr_notify 30 d\n"
                                    "sync_notify CACC e\n"
                                    "sync_wait CSC e\n"
                                    "blob 0 in.dat\n"
                                    "  0102030405\n"
                                    "  @0x100000000\n"
                                    "  00*64\n"
                                    "  ffff\n"
                                    "end\n"
                                    "mem_load primary 0x80000000 blob=0 after=a\n"
                                    "mem_load secondary 0x50000000 blob=0\n"
                                    "blob 1\n"
                                    "end\n"
                                    "mem_check primary 0x00000000 blob=1 end\n"
                                    "mem_check primary 0x80000000 blob=0 after=\"b \\\"\\\\\\x01 c\" end\n"
                                    "mem_fill primary 0x00000000 0x10 0xa5\n"
                                    "mem_fill primary 0x00000000 0x10 address\n"
                                    "mem_fill primary 0x00000000 0x100000000 random after=a\n"
                                    "mem_reserve primary 0x00000000 0x10000000000\n"
                                    "mem_release primary 0x00000000 after=e\n"
                                    "mem_crc primary 0x00000000 0x10 0xcbf43926 after=d\n"
                                    "check_event after=e\n";
    struct program *prog = good(state, text);
    size_t n;
    char *again = kept(nvt_text(prog, &n));
    assert_string_equal(again, text);
    assert_string_equal(prog->ops[0].text, "a note with \"quotes\"");
    assert_int_equal(prog->ops[0].line, 4);
    assert_int_equal(op_at(prog, 0)->line, 6);
    assert_string_equal(prog->streams[op_at(prog, 1)->stream], "my stream");
    assert_true(op_at(prog, 3)->at_end && op_at(prog, 3)->volatile_read);
    assert_string_equal(prog->events[op_at(prog, 9)->event], "b \"\\\x01 c");
    assert_int_equal(op_at(prog, 10)->bit, 30);
    assert_true(op_at(prog, 13)->blob->extent == 0x100000000 + 66);
}

TEST_IN_FOLDER(sequential) {
    struct program *prog = good(state, HEAD_SEQUENTIAL "reg_write SDP.D_CVT_SCALE 0x1\nwait high\n");
    assert_true(prog->sequential);
    assert_int_equal(prog->stream_count, 1);
    assert_string_equal(prog->streams[0], "main");
    bad(HEAD_SEQUENTIAL "wait high stream=x", 4, "main");
}

TEST_IN_FOLDER(free_layout) {
    struct program *prog = good(
        state,
        "nvt 1\r\nconfig small\r\nmode streams # comment\r\n\r\n  poll\tsdp.S_STATUS == 1 attempts=0x10 mask=255#x\r\n"
        "blob 0\r\n  01 02 03*2 @0x10 0a0B\r\n\r\n end \r\nmem_load primary 16 blob=0\r\n"
        "reg_read 0xb000\nreg_write 0x3fffc 5");
    assert_int_equal(op_count(prog), 4);
    const struct op *op = op_at(prog, 0);
    assert_true(op->attempts == 16 && op->mask == 255);
    op = op_at(prog, 1);
    assert_memory_equal(op->blob->bytes, "\1\2\3\3\xa\xb", 6);
    assert_true(op->base == 16 && op->size == 0x12);
    assert_int_equal(op_at(prog, 3)->address, 0x3fffc);
}

TEST_IN_FOLDER(side_files) {
    put_file(state, "x.dat", "{\n{offset:0x4, size:2, payload:1 2}\n}\n");
    struct program *prog = good(state, HEAD "mem_load primary 0 file=\"x.dat\"\nmem_check primary 0 file=x.dat end");
    assert_true(prog->ops[0].blob == prog->ops[1].blob && prog->ops[0].size == 6);
    assert_string_equal(prog->ops[0].blob->name, "x.dat");
    bad(HEAD "mem_load primary 0 file=y.dat", 4, "y.dat");
    bad(HEAD "mem_load primary 0 file=\"\"", 4, "a file name");
}

TEST_IN_FOLDER(header_errors) {
    bad("", 1, "found nothing", "nvt 1");
    bad("config small\n", 1, "found \"config\"", "nvt 1");
    bad("nvt 2\n", 1, "found \"2\"", "version 1");
    bad("nvt 1\n", 2, "found nothing", "config NAME");
    bad("nvt 1\nconfig tiny\n", 2, "found \"tiny\"", "small_256");
    bad("nvt 1\nconfig small\n\nmode streams\n", 3, "mode sequential|streams");
    bad("nvt 1\nconfig small\nmode parallel\n", 3, "sequential or streams");
    struct error err = {.text = ""};
    assert_null(parse_text(state, trace_read_nvt, "t.nvt", HEAD, "small", &err));
    assert_non_null(
        strstr(err.text, "t.nvt:2: the trace was made for configuration full; small has another register map"));
    struct program *prog =
        parse_text(state, trace_read_nvt, "t.nvt", "nvt 1\nconfig small\nmode streams", "large", &err);
    assert_string_equal(prog->config->name, "large");
}

TEST_IN_FOLDER(wrong_commands_are_told) {
    parse_wrong_rows(state, trace_read_nvt, "t.nvt", HEAD, "tests/unit/wrong_nvt.txt");
}

TEST_IN_FOLDER(sec_mem_needs_a_configuration_with_it) {
    bad("nvt 1\nconfig small\nmode streams\nmem_reserve secondary 0 4", 4, "configuration small has none");
}

TEST_IN_FOLDER(content_is_compact) {
    struct program *prog = keep_program(program_new(nvdla_config_find("small"), "x"));
    prog->sequential = true;
    program_stream(prog, "main");
    struct blob *blob = program_blob(prog, blob_new(NULL));
    autofree uint8_t *bytes = xcalloc(1, 1000000);
    blob_append(blob, 0, bytes, 500000);
    bytes[0] = 1;
    blob_append(blob, 600000, bytes, 100); /* 01, then 99 zeros */
    blob_append(blob, 500000, "\2", 1);    /* after the first chunk, out of order */
    struct op op = op_make(OP_MEM_LOAD, 1);
    op.blob = blob;
    op.size = blob->extent;
    program_append(prog, &op);
    size_t n;
    char *text = kept(nvt_text(prog, &n));
    assert_non_null(strstr(text, "blob 0\n  00*500000\n  @0x927c0\n  01\n  00*99\n  @0x7a120\n  02\nend\n"));
    check_round_trip(prog);
}

TEST_IN_FOLDER(notes_survive_whatever_they_hold) {
    struct program *prog = keep_program(program_new(nvdla_config_find("small"), "x"));
    prog->sequential = true;
    program_stream(prog, "main");
    static const char *const notes[] = {"", "  two blanks", "# hash", "\xc3\xa4 umlaut", "tab\tinside"};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        struct op op = op_make(OP_NOTE, 0);
        op.text = program_text(prog, notes[i], strlen(notes[i]));
        program_append(prog, &op);
    }
    check_round_trip(prog);
}

TEST_IN_FOLDER(files_are_the_same_every_time) {
    char path[700], copy[700];
    struct error err = {.text = ""};
    struct trace_options options = {.config = NULL};
    put_file(state, "t.cfg",
             "// two layers\nmem_init(pri_mem, 0, 0x100, AFIVE);\nmem_load(pri_mem, 0x10, "
             "\"a.dat\");\nintr_notify(SDP_0, s);\n"
             "check_crc(s, pri_mem, 0, 0x100, 1);");
    put_file(state, "a.dat", "{offset:0x4, size:2, payload:1 2}\n");
    put_file(state, "t_golden_00000010.dat", "{offset:0x0, size:40, payload:1 2}\n");
    put_file(state, "t_regs.csv", "unit,register,value\nSDP,D_CVT_SCALE,1\n");
    struct program *prog = keep_program(trace_read(in_directory(state, "t.cfg", path), &options, &err));
    assert_non_null(prog);
    check_round_trip(prog);
    static const char *const names[] = {"t.nvt", "t.nvt.gz"};
    for (size_t i = 0; i < 2; i++) {
        assert_true(trace_write(prog, in_directory(state, names[i], path), &err));
        struct program *again = keep_program(trace_read(path, &options, &err));
        assert_non_null(again);
        assert_true(program_equal(prog, again));
        assert_int_equal(again->file_count, 1);
        assert_string_equal(again->files[0], path);
        in_directory(state, i ? "copy.nvt.gz" : "copy.nvt", copy);
        assert_true(trace_write(again, copy, &err));
        char first[4000], second[4000];
        FILE *a = fopen(path, "rb"), *b = fopen(copy, "rb");
        assert_true(a && b);
        size_t n = fread(first, 1, sizeof first, a), m = fread(second, 1, sizeof second, b);
        fclose(a);
        fclose(b);
        assert_true(n == m && n > 50);
        assert_memory_equal(first, second, n);
    }
}

TEST_IN_FOLDER(truncated_gzip) {
    char path[700];
    struct error err = {.text = ""};
    put_file(state, "t.nvt.gz", HEAD "wait high\nwait low\n");
    in_directory(state, "t.nvt.gz", path);
    assert_int_equal(truncate(path, 30), 0);
    assert_null(trace_read(path, NULL, &err));
    assert_non_null(strstr(err.text, "t.nvt.gz"));
}

/* Every byte at every place of lines of several lengths, and what is no digit beside what is one. */
TEST(digits_are_bytes) {
    enum { MOST = 70 };
    for (size_t n = 1; n <= MOST; n += 23)
        for (unsigned c = 0; c < 256; c++)
            for (size_t at = 0; at < n; at++) {
                uint8_t bytes[MOST], again[MOST];
                char digits[2 * MOST];
                memset(bytes, 0xa5, sizeof bytes);
                bytes[at] = (uint8_t)c;
                hex_write(bytes, n, digits);
                assert_true(hex_read(digits, 2 * n, again) && memcmp(bytes, again, n) == 0);
                digits[2 * at + c % 2] = (char)c;
                assert_int_equal(hex_read(digits, 2 * n, again), c && strchr("0123456789abcdefABCDEF", (int)c) != NULL);
            }
    uint8_t byte;
    assert_true(hex_read("Fb", 2, &byte) && byte == 0xfb);
}
