/* Building programs and blobs; the rules that hold for every program. */
#include "tests/unit/trace_test.h"

#include "trace/side_files.h"
#include "trace/verify.h"

TEST(names_are_added_once) {
    struct program *prog = keep_program(program_new(nvdla_config_find("small"), "a.cfg"));
    assert_int_equal(program_stream(prog, "SDP"), 0);
    assert_int_equal(program_stream(prog, "memory"), 1);
    assert_int_equal(program_stream(prog, "SDP"), 0);
    assert_int_equal(program_event(prog, "e"), 0);
    assert_int_equal(program_event(prog, "e"), 0);
    assert_int_equal(program_file(prog, "a.cfg"), 0);
    assert_int_equal(program_file(prog, "b.dat"), 1);
    assert_string_equal(program_text(prog, "hello", 4), "hell");
    for (int i = 0; i < 1000; i++) {
        struct op op = op_make(OP_WRITE, i);
        op.value = (uint32_t)i;
        assert_int_equal(program_append(prog, &op)->value, i);
    }
    assert_int_equal(prog->count, 1000);
    assert_int_equal(prog->ops[999].line, 999);
    assert_int_equal(prog->ops[5].event, -1);
    assert_int_equal(prog->ops[5].after, -1);
    assert_int_equal(prog->ops[5].mask, 0xffffffffu);
    program_free(NULL);
}

TEST(positions) {
    struct program *prog = keep_program(program_new(nvdla_config_find("small"), "dir/a.cfg"));
    struct op op = op_make(OP_WRITE, 7);
    char text[40];
    assert_string_equal(op_position(prog, &op, text, sizeof text), "dir/a.cfg:7");
    op.file = program_file(prog, "g.dat");
    op.line = 0;
    assert_string_equal(op_position(prog, &op, text, sizeof text), "g.dat");
}

TEST(blobs_keep_gaps_and_join_neighbours) {
    struct blob *blob = blob_new("x");
    uint8_t bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    blob_append(blob, 10, bytes, 50);
    blob_append(blob, 60, bytes + 50, 50);
    blob_append(blob, 0x100000000, bytes, 1);
    blob_append(blob, 0x200000000, bytes, 0);
    assert_int_equal(blob->chunk_count, 2);
    assert_int_equal(blob->chunks[0].size, 100);
    assert_int_equal(blob->chunks[0].offset, 10);
    assert_int_equal(blob->size, 101);
    assert_true(blob->extent == 0x100000001);
    assert_memory_equal(blob->bytes, bytes, 100);
    struct blob *part = blob_cut(blob, 15);
    assert_int_equal(part->size, 5);
    assert_int_equal(part->extent, 15);
    blob_free(part);
    blob_free(blob);
    blob_free(NULL);
}

TEST(numbers) {
    static const struct {
        const char *text;
        bool octal, good;
        uint64_t value;
    } cases[] = {
        {"0", false, true, 0},
        {"0x7", false, true, 7},
        {"0XfF", false, true, 255},
        {"010", false, true, 10},
        {"010", true, true, 8},
        {"0xffffffffffffffff", false, true, UINT64_MAX},
        {"08", true, false, 0},
        {"0x10000000000000000", false, false, 0},
        {"", false, false, 0},
        {"0x", false, false, 0},
        {"12a", false, false, 0},
        {"-1", false, false, 0},
        {"18446744073709551615", false, true, UINT64_MAX},
        {"18446744073709551616", false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 0;
        struct span span = {cases[i].text, strlen(cases[i].text)};
        assert_int_equal(span_number(span, cases[i].octal, &value), cases[i].good);
        if (cases[i].good)
            assert_true(value == cases[i].value);
    }
}

TEST(lines_with_any_line_end) {
    struct lines lines;
    struct span line;
    struct error err = {.text = ""};
    lines_open_text(&lines, "f",
                    "\xef\xbb\xbf"
                    "a\r\n\nlast",
                    11, &err);
    assert_true(lines_next(&lines, &line) && span_is(line, "a"));
    assert_true(lines_next(&lines, &line) && span_is(line, ""));
    assert_true(lines_next(&lines, &line) && span_is(line, "last"));
    assert_int_equal(lines.line, 3);
    assert_false(lines_next(&lines, &line));
    assert_false(lines.failed);
    lines_close(&lines);
    lines_open_text(&lines, "f", "a\nb\0c", 5, &err);
    assert_true(lines_next(&lines, &line));
    assert_false(lines_next(&lines, &line));
    assert_true(lines.failed);
    assert_non_null(strstr(err.text, "f:2: found a zero byte"));
    lines_close(&lines);
}

/* A file read in pieces of any size gives the lines that its text gives. */
TEST_IN_FOLDER(lines_of_a_file) {
    static const char text[] = "first\n\nthird, a longer one\r\n\n\nend without line end";
    char path[700];
    put_file(state, "f.gz", text);
    in_directory(state, "f.gz", path);
    for (size_t piece = 1; piece < sizeof text + 2; piece++) {
        struct lines file, memory;
        struct span a, b;
        struct error err = {.text = ""};
        assert_true(lines_open_file(&file, path, &err));
        file.piece = piece;
        lines_open_text(&memory, path, text, strlen(text), &err);
        bool more;
        do {
            more = lines_next(&memory, &b);
            assert_int_equal(lines_next(&file, &a), more);
            if (more && (a.n != b.n || memcmp(a.at, b.at, a.n) != 0))
                fail_msg("piece %zu, line %d: %.*s", piece, file.line, (int)a.n, a.at);
            assert_int_equal(file.line, memory.line);
        } while (more);
        assert_false(file.failed);
        lines_close(&file);
        lines_close(&memory);
    }
}

TEST_IN_FOLDER(lines_that_are_refused) {
    char path[700];
    struct lines lines;
    struct span line;
    struct error err = {.text = ""};
    assert_false(lines_open_file(&lines, in_directory(state, "nothing", path), &err));
    assert_non_null(strstr(err.text, "nothing: cannot open"));
    lines_close(&lines);
    assert_false(lines_open_file(&lines, "/dev/null", &err));
    assert_non_null(strstr(err.text, "/dev/null: is not a regular file"));
    lines_close(&lines);
    const size_t n = TRACE_LINE_LIMIT + 2;
    autofree char *bytes = xmalloc(n + 1);
    memset(bytes, 'x', n);
    bytes[0] = '\n';
    assert_true(file_write(in_directory(state, "long.gz", path), bytes, n - 1, &err));
    assert_true(lines_open_file(&lines, path, &err));
    assert_true(lines_next(&lines, &line) && lines_next(&lines, &line) && line.n == TRACE_LINE_LIMIT);
    lines_close(&lines);
    assert_true(file_write(path, bytes, n, &err));
    assert_true(lines_open_file(&lines, path, &err));
    assert_true(lines_next(&lines, &line));
    assert_false(lines_next(&lines, &line));
    assert_true(lines.failed && lines.room < 4 * TRACE_LINE_LIMIT);
    assert_non_null(strstr(err.text, "long.gz:2: found a line of more than 1048576 bytes"));
    lines_close(&lines);
}

static struct program *two_loads(bool sequential, const char *second_after, uint64_t second_base) {
    struct program *prog = keep_program(program_new(nvdla_config_find("small"), "t.nvt"));
    prog->sequential = sequential;
    program_stream(prog, "main");
    struct op op = op_make(OP_MEM_LOAD, 3);
    struct blob *blob = program_blob(prog, blob_new(NULL));
    blob_append(blob, 0, "0123456789abcdef", 16);
    blob_append(blob, 32, "0123456789abcdef", 16);
    op.blob = blob;
    op.base = 0x1000;
    program_append(prog, &op);
    op.line = 9;
    op.base = second_base;
    if (second_after) {
        op.after = program_event(prog, second_after);
        struct op notify = op_make(OP_SYNC_NOTIFY, 8);
        notify.event = op.after;
        program_append(prog, &notify);
    }
    program_append(prog, &op);
    return prog;
}

TEST(overlapping_loads_are_told_with_both_lines) {
    struct error err;
    struct program *prog = two_loads(false, NULL, 0x1008);
    assert_true(program_verify(prog, &err));
    assert_true(has_warning(prog, "t.nvt:9:", "t.nvt:3;"));
    prog = two_loads(false, NULL, 0x1010); /* into the gaps: no byte is loaded twice */
    assert_true(program_verify(prog, &err));
    assert_int_equal(prog->warning_count, 0);
    prog = two_loads(false, "layer", 0x1000); /* an event orders them */
    assert_true(program_verify(prog, &err));
    assert_int_equal(prog->warning_count, 0);
    prog = two_loads(true, NULL, 0x1000);
    assert_true(program_verify(prog, &err));
    assert_int_equal(prog->warning_count, 1);
}

TEST(many_overlaps_stay_bounded) {
    struct error err;
    struct program *prog = two_loads(true, NULL, 0x1000);
    for (int i = 0; i < 3000; i++) {
        struct op op = prog->ops[0];
        op.line = 10 + i;
        program_append(prog, &op);
    }
    assert_true(program_verify(prog, &err));
    assert_true(prog->warning_count < 100);
    assert_true(has_warning(prog, "the search was stopped", "t.nvt"));
}
