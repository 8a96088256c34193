/* Scoreboard of CBUF: what is read must be what was last written; what was not seen to be written is not compared. */

#include <string.h>

#include "tb/observers/cbuf_board.h"
#include "tests/unit/test.h"

/* A design that shows what the test says. */
struct bench {
    const struct nvdla_config *config;
    struct scoreboard result;
    struct cbuf_board *board;
    struct observer observer;
    uint32_t words[STREAM_COUNT][STREAM_WORDS];
    uint32_t moves[2 * MOVE_WORDS];
    uint64_t cycle;
};

static const uint32_t *read_words(void *context, enum rtl_stream stream, int count) {
    struct bench *b = context;
    assert_true(count <= STREAM_WORDS);
    return b->words[stream];
}

/* wide: the design writes data in parts of an entry. */
static struct bench *bench_open(const char *config, bool wide) {
    struct bench *b = test_new(sizeof *b);
    struct stream_source source = {.context = b, .read = read_words};
    b->config = nvdla_config_find(config);
    memset(source.has, true, sizeof source.has);
    source.has[STREAM_CBUF_WR_DAT] = !wide;
    b->board = cbuf_board_new(b->config, &source, &b->result);
    assert_non_null(b->board);
    cbuf_board_compare(b->board, true);
    b->observer = cbuf_board_observer(b->board);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    return b;
}

static struct bench *bench_new(const char *config) {
    return bench_open(config, false);
}

static void move(struct bench *b, enum rtl_stream stream, uint32_t entry, uint32_t flags, uint8_t byte) {
    const struct stream_layout layout = rtl_stream_layout(b->config, stream);
    memset(b->words[stream], byte, (size_t)layout.lanes);
    b->words[stream][layout.address] = entry;
    if (layout.flags >= 0)
        b->words[stream][layout.flags] = flags;
    b->moves[stream / 32] |= UINT32_C(1) << stream % 32;
}

/* An atom into a slot. clear: the slots above it become 0. */
static void put(struct bench *b, enum rtl_stream stream, uint32_t entry, uint32_t slot, bool clear, uint8_t byte) {
    move(b, stream, entry, slot | (clear ? 0x100u : 0) | 0x10000, byte);
}

/* An entry that all bytes of are the same. */
static void get(struct bench *b, enum rtl_stream stream, uint32_t entry, uint8_t byte) {
    move(b, stream, entry, 0, byte);
}

static void clock(struct bench *b) {
    b->observer.moved(b->observer.context, b->cycle++, b->moves);
    memset(b->moves, 0, sizeof b->moves);
}

TEST_ON(entries_hold_what_was_written_last, struct bench *b, bench_new("small")) {
    get(b, STREAM_CBUF_RD_DAT, 7, 99); /* its write was not seen */
    clock(b);
    put(b, STREAM_CBUF_WR_DAT, 7, 0, true, 1);
    put(b, STREAM_CBUF_WR_WT, 9, 0, true, 5);
    clock(b);
    put(b, STREAM_CBUF_WR_DAT, 7, 0, true, 2);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 7, 1); /* asked for in the clock of the second write */
    get(b, STREAM_CBUF_RD_WT, 9, 5);
    clock(b);
    get(b, STREAM_CBUF_RD_NEXT, 7, 2);
    clock(b);
    assert_null(b->result.first.port);
    assert_int_equal(b->result.compared, 4);
    b->cycle = 100;
    get(b, STREAM_CBUF_RD_MASK, 9, 6);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 7, 3); /* the first difference stays */
    clock(b);
    assert_string_equal(b->result.first.port, "mask_rd");
    assert_int_equal(b->result.first.cycle, 100);
    assert_int_equal(b->result.first.address, 9);
    assert_int_equal(b->result.first.bytes, 8);
    assert_int_equal(b->result.first.expected[7], 5);
    assert_int_equal(b->result.first.got[0], 6);
    b->observer.reset(b->observer.context);
    get(b, STREAM_CBUF_RD_DAT, 7, 3);
    clock(b);
    assert_null(b->result.first.port);
}

TEST(slots_are_written_one_by_one_or_cleared) {
    struct bench *b = bench_new("small_256"); /* four slots of 8 bytes */
    put(b, STREAM_CBUF_WR_DAT, 3, 1, true, 0);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 3, 0);
    memset(b->words[STREAM_CBUF_RD_DAT], 77, 8); /* slot 0 has not been written */
    clock(b);
    clock(b);
    assert_null(b->result.first.port);
    put(b, STREAM_CBUF_WR_DAT, 3, 2, false, 4);
    clock(b);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 3, 0);
    memset((uint8_t *)b->words[STREAM_CBUF_RD_DAT] + 16, 4, 8);
    clock(b);
    assert_null(b->result.first.port);
    get(b, STREAM_CBUF_RD_DAT, 3, 4); /* slots 1 and 3 are 0 */
    clock(b);
    assert_string_equal(b->result.first.port, "dat_rd");
    assert_int_equal(b->result.first.expected[16], 4);
    assert_int_equal(b->result.first.expected[24], 0);
}

TEST(several_atoms_of_a_clock_have_their_own_places) {
    struct bench *b = bench_new("full"); /* 4096 entries of four slots of 32 bytes, two atoms a clock */
    move(b, STREAM_CBUF_WR_DAT, 4095 << 12 | 5, 0x30000 | 0x200 | 1 << 2 | 0, 3);
    memset((uint8_t *)b->words[STREAM_CBUF_WR_DAT] + 32, 4, 32);
    clock(b);
    move(b, STREAM_CBUF_WR_DAT, 7 << 12 | 5, 0x10000 | 3 << 2 | 1, 9); /* the first one alone */
    clock(b);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 5, 3);
    memset((uint8_t *)b->words[STREAM_CBUF_RD_DAT] + 32, 9, 32);
    get(b, STREAM_CBUF_RD_WT, 4095, 0);
    memset((uint8_t *)b->words[STREAM_CBUF_RD_WT] + 32, 4, 32);
    get(b, STREAM_CBUF_RD_NEXT, 7, 1); /* has not been written */
    clock(b);
    assert_null(b->result.first.port);
    get(b, STREAM_CBUF_RD_DAT, 4095, 4); /* slots 2 and 3 are 0 */
    clock(b);
    assert_string_equal(b->result.first.port, "dat_rd");
    assert_int_equal(b->result.first.bytes, 128);
    assert_int_equal(b->result.first.expected[63], 4);
    assert_int_equal(b->result.first.expected[64], 0);
}

TEST_ON(some_atoms_of_an_entry_in_a_clock, struct bench *b, bench_open("full", true)) {
    const int select = rtl_stream_layout(b->config, STREAM_CBUF_WR_WIDE).select;
    move(b, STREAM_CBUF_WR_WIDE, 9, 0, 1);
    b->words[STREAM_CBUF_WR_WIDE][select] = 0xf;
    clock(b);
    move(b, STREAM_CBUF_WR_WIDE, 9, 0, 2);
    b->words[STREAM_CBUF_WR_WIDE][select] = 0xc; /* the upper half */
    clock(b);
    clock(b);
    get(b, STREAM_CBUF_RD_DAT, 9, 1);
    memset((uint8_t *)b->words[STREAM_CBUF_RD_DAT] + 64, 2, 64);
    clock(b);
    assert_int_equal(b->result.compared, 1);
    assert_null(b->result.first.port);
    get(b, STREAM_CBUF_RD_DAT, 9, 2);
    clock(b);
    assert_string_equal(b->result.first.port, "dat_rd");
    assert_int_equal(b->result.first.expected[63], 1);
    assert_int_equal(b->result.first.expected[64], 2);
}

TEST_ON(nothing_is_compared_before_it_is_told_to, struct bench *b, bench_new("small")) {
    cbuf_board_compare(b->board, false);
    put(b, STREAM_CBUF_WR_DAT, 0, 0, true, 1);
    clock(b);
    b->cycle = 10;
    get(b, STREAM_CBUF_RD_DAT, 0, 2);
    clock(b);
    assert_int_equal(b->result.compared, 0);
    cbuf_board_compare(b->board, true);
    get(b, STREAM_CBUF_RD_DAT, 0, 2);
    clock(b);
    assert_int_equal(b->result.first.expected[0], 1); /* written before that */
}

TEST(a_design_without_these_streams_has_no_scoreboard) {
    struct scoreboard result;
    struct stream_source source = {.read = read_words};
    memset(source.has, true, sizeof source.has);
    source.has[STREAM_CBUF_RD_WT] = false;
    assert_null(cbuf_board_new(nvdla_config_find("small"), &source, &result));
}
