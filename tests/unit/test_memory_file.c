/* Memory files: packets and data lines. */
#include "tests/unit/trace_test.h"
#include "trace/side_files.h"

TEST_KEEPS(keep_blob, struct blob, blob_free)

static struct blob *packets(const char *text, struct error *err) {
    struct lines lines;
    lines_open_text(&lines, "m.dat", text, strlen(text), err);
    struct blob *blob = keep_blob(packets_parse(&lines, err));
    lines_close(&lines);
    return blob;
}

static struct blob *data(const char *text, size_t most, size_t *found, struct error *err) {
    struct lines lines;
    lines_open_text(&lines, "d.dat", text, strlen(text), err);
    struct blob *blob = keep_blob(data_lines_parse(&lines, most, found, err));
    lines_close(&lines);
    return blob;
}

TEST(packets_as_shipped) {
    struct error err;
    struct blob *blob = packets("{\n{offset:0x0, size:4, payload:0x00 0x01 0x02 0x6f} ,\r\n"
                                "{offset:0x4, size:4, payload:0x11 0x22 0x33 0x44}\n}\n",
                                &err);
    assert_non_null(blob);
    assert_int_equal(blob->extent, 8);
    assert_int_equal(blob->chunk_count, 1);
    assert_memory_equal(blob->bytes, "\x00\x01\x02\x6f\x11\x22\x33\x44", 8);
}

TEST(packets_of_the_other_spelling) {
    struct error err;
    struct blob *blob = packets("# crc 0x1234 offset\n{'offset':0x20, size:3, value:0XFF 0xA 7},\n"
                                "{\"offset\": 010, size: 2, value: 1 2} # offset\nnonsense\n{\n}",
                                &err);
    assert_non_null(blob);
    assert_int_equal(blob->chunk_count, 2);
    assert_int_equal(blob->chunks[0].offset, 0x20);
    assert_int_equal(blob->chunks[1].offset, 8);
    assert_memory_equal(blob->bytes, "\xff\x0a\x07\x01\x02", 5);
}

TEST(missing_bytes_are_zero_and_extra_ones_ignored) {
    struct error err;
    struct blob *blob = packets("{offset:0, size:4, payload:0x1}\n{offset:8, size:2, payload:1 2 3 4}\n"
                                "{offset:16, size:3, payload:}\n{offset:0x100000000, size:0, payload:}",
                                &err);
    assert_non_null(blob);
    assert_memory_equal(blob->bytes, "\x01\x00\x00\x00\x01\x02\x00\x00\x00", 9);
    assert_int_equal(blob->size, 9);
    assert_int_equal(blob->extent, 19);
    blob = packets("{offset:0xffffffff, size:100, payload:1}", &err);
    assert_non_null(blob);
    assert_true(blob->extent == 0xffffffffull + 100);
}

TEST(later_packet_wins) {
    struct error err;
    struct blob *blob = packets("{offset:0, size:2, payload:1 2}\n{offset:1, size:2, payload:8 9}", &err);
    assert_non_null(blob);
    assert_int_equal(blob->chunk_count, 2);
    assert_int_equal(blob->chunks[1].offset, 1);
}

TEST(damaged_packets) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{offset:0, size:2, payload:1 2", "m.dat:1: found the end of the packet"},
        {"{\n{offset:zz, size:2, payload:1 2}", "m.dat:2: found \"zz\"; expected the packet's offset"},
        {"{offset:0, payload:1}", "expected \"size:\""},
        {"{offset:0, size:1, paylo:1}", "expected \"payload:\""},
        {"{offset:0, size:1, payload:0x1ff}", "expected a byte"},
        {"{offset:0, size:0x7fffffff, payload:0}", "too large"},
        {"{offset:0xffffffffffffffff, size:1, payload:0}", "too large"},
        {"{size:1, offset:0, payload:0}", "expected \"offset:\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {.text = ""};
        assert_null(packets(cases[i].text, &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

TEST(empty_files_have_no_content) {
    struct error err;
    struct blob *blob = packets("", &err);
    assert_int_equal(blob->chunk_count, 0);
    size_t found;
    blob = data("Data_size = 0x40\n# x\n\n", SIZE_MAX, &found, &err);
    assert_int_equal(blob->size, 0);
}

/* Cut between two packets: only the brace around them tells. */
TEST(a_file_without_its_closing_brace_is_cut) {
    struct error err = {.text = ""};
    assert_null(packets("{\n{offset:0x0, size:1, payload:1},\n{offset:0x1, size:1, payload:2},\n", &err));
    assert_non_null(strstr(err.text, "m.dat:3: found the end of the file"));
    assert_non_null(strstr(err.text, "\"{\" of line 1"));
    assert_null(packets("# head\n{{offset:0x0, size:1, payload:1},\n", &err));
    assert_non_null(strstr(err.text, "\"{\" of line 2"));
    static const char *const complete[] = {"{{offset:0x0, size:1, payload:1}}", "{\n{offset:0x0, size:1, payload:1}}\n",
                                           "{\n{offset:0x0, size:1, payload:1}\n} # end\n# crc 0x12",
                                           "{'offset':0x0, size:1, value:1},\n{'offset':0x1, size:1, value:1},"};
    for (size_t i = 0; i < sizeof complete / sizeof *complete; i++) {
        struct blob *blob = packets(complete[i], &err);
        if (!blob)
            fail_msg("%s: %s", complete[i], err.text);
    }
}

TEST(data_lines) {
    struct error err = {.text = ""};
    const char *text = "dumped memory,start_address=0x80800000 size=0x1000\nmemory type:dram\n=====\n\n"
                       " 0x35 0x56\t0xFF \r\nW = 8\n0x1 0x2\ndump done";
    size_t found;
    struct blob *blob = data(text, SIZE_MAX, &found, &err);
    assert_non_null(blob);
    assert_int_equal(found, 5);
    assert_int_equal(blob->size, 5);
    assert_memory_equal(blob->bytes, "\x35\x56\xff\x01\x02", 5);
    blob = data(text, 2, &found, &err); /* the first two bytes of five */
    assert_int_equal(blob->size, 2);
    assert_int_equal(found, 5);
    text = "0x01\n0x02 0xzz\n";
    assert_null(data(text, 1, &found, &err));
    assert_non_null(strstr(err.text, "d.dat:2: found \"0xzz\""));
}
