/* The accounts between CDMA, CSC and CACC, on beats made up for the purpose: who gets them wrong is named, and no one
 * else. */

#include <string.h>

#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tb/observers/account_board.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

enum { LINES = 3, LINE_ATOMS = 4, KERNELS = 10, KERNEL_BYTES = 8, EPS = 4, ROWS = 32, BATCHES = 3 };

struct bench {
    const struct nvdla_config *config;
    struct account result;
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

static void set(struct bench *b, uint32_t offset, uint32_t value) {
    b->observer.write(b->observer.context, nvdla_unit_base(b->config, NVDLA_CDMA) + offset, value, b->cycle);
}

#define SET(b, ...) FOR_ROWS(set(b, offset_, value_), __VA_ARGS__)

/* A convolution whose input has LINES lines of 4 pixels and one surface, and KERNELS kernels: 8 and 2. */
static void arm(struct bench *b, uint32_t group) {
    SET(b, {CDMA_S_POINTER, group},
        {CDMA_D_DATAIN_SIZE_0, (LINES - 1) << CDMA_D_DATAIN_SIZE_0__DATAIN_HEIGHT_LSB | (LINE_ATOMS - 1)},
        {CDMA_D_DATAIN_SIZE_1, 7}, {CDMA_D_ENTRY_PER_SLICE, EPS - 1}, {CDMA_D_WEIGHT_SIZE_0, KERNEL_BYTES - 1},
        {CDMA_D_WEIGHT_SIZE_1, KERNELS - 1}, {CDMA_D_WEIGHT_BYTES, 128}, {CDMA_D_OP_ENABLE, 1});
}

/* port: the stream of what CDMA writes into CBUF, of two. */
static struct bench *bench_of(const char *config, enum rtl_stream port) {
    struct bench *b = test_new(sizeof *b);
    struct stream_source source = {.context = b, .read = read_words};
    b->config = nvdla_config_find(config);
    memset(source.has, true, sizeof source.has);
    source.has[STREAM_CBUF_DAT] = port == STREAM_CBUF_DAT;
    struct account_board *board = account_board_new(b->config, &source, &b->result);
    assert_non_null(board);
    b->observer = account_board_observer(board);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    b->words[STREAM_ROW_ISSUED][0] = ROWS;
    b->words[STREAM_ROW_ISSUED][1] = 1;
    return b;
}

static struct bench *bench_new(void) {
    struct bench *b = bench_of("small", STREAM_CBUF_DAT);
    arm(b, 0);
    return b;
}

/* `count` clocks in each of which the stream moves. */
static void move(struct bench *b, enum rtl_stream stream, int count) {
    for (int i = 0; i < count; i++) {
        memset(b->moves, 0, sizeof b->moves);
        b->moves[stream / 32] |= UINT32_C(1) << stream % 32;
        b->observer.moved(b->observer.context, ++b->cycle, b->moves);
    }
}

static void tell(struct bench *b, enum rtl_stream stream, uint32_t first, uint32_t second) {
    b->words[stream][0] = first;
    b->words[stream][1] = second;
    move(b, stream, 1);
}

/* A layer as it should be. */
static void layer(struct bench *b) {
    move(b, STREAM_CBUF_DAT, 2 * LINE_ATOMS);
    tell(b, STREAM_DAT_REPORT, 2, 2 * EPS);
    move(b, STREAM_CBUF_DAT, LINE_ATOMS);
    tell(b, STREAM_DAT_REPORT, 1, EPS);
    move(b, STREAM_CBUF_WT, 8);
    tell(b, STREAM_WT_REPORT, 8, 8);
    move(b, STREAM_CBUF_WT, 8);
    tell(b, STREAM_WT_REPORT, 2, 8);
    for (int row = 0; row < 2 * ROWS; row += 8) {
        move(b, STREAM_ROW_ISSUED, 8);
        for (int i = 0; i < 8; i++) {
            move(b, STREAM_CACC_SAT, 8);
            move(b, STREAM_ROW_CREDIT, 1);
        }
    }
    tell(b, STREAM_WT_RELEASE, 16, 0);
    tell(b, STREAM_DAT_RELEASE, LINES, LINES * EPS);
}

TEST_ON(accounts_that_are_covered, struct bench *b, bench_new()) {
    layer(b);
    arm(b, 1);
    layer(b);
    assert_false(b->result.differs);
    assert_true(b->result.entries > 2 * 2 * ROWS);
    tell(b, STREAM_DAT_REPORT, 1, EPS); /* nothing is armed */
    assert_string_equal(nvdla_engine_folder(b->result.engine), "cdma");
}

static void expect(struct bench *b, const char *engine, const char *text) {
    assert_true(b->result.differs);
    assert_string_equal(nvdla_engine_folder(b->result.engine), engine);
    assert_int_equal(b->result.cycle, b->cycle);
    assert_string_equal(b->result.text, text);
    layer(b);
    assert_string_equal(b->result.text, text); /* the first one stays */
}

TEST_ON(lines_that_are_not_there, struct bench *b, bench_new()) {
    move(b, STREAM_CBUF_DAT, 2 * LINE_ATOMS - 1);
    tell(b, STREAM_DAT_REPORT, 2, 2 * EPS);
    expect(b, "cdma", "with 56 bytes in CBUF CDMA launch 0 reports 2 lines, expected at most 1");
    b = bench_new();
    move(b, STREAM_CBUF_DAT, 5 * LINE_ATOMS);
    tell(b, STREAM_DAT_REPORT, 4, 4 * EPS);
    expect(b, "cdma", "CDMA launch 0 reports 4 lines, expected at most 3");
    b = bench_new();
    move(b, STREAM_CBUF_DAT, LINE_ATOMS);
    tell(b, STREAM_DAT_REPORT, 1, EPS + 1);
    expect(b, "cdma", "CDMA launch 0 reports data in 5 entries, expected exactly 4");
}

TEST_ON(kernels_that_are_not_there, struct bench *b, bench_new()) {
    move(b, STREAM_CBUF_WT, 7);
    tell(b, STREAM_WT_REPORT, 8, 7);
    expect(b, "cdma", "with 56 bytes in CBUF CDMA launch 0 reports 8 kernels, expected at most 7");
    b = bench_new();
    move(b, STREAM_CBUF_WT, 16);
    tell(b, STREAM_WT_REPORT, 9, 9);
    expect(b, "cdma", "CDMA launch 0 reports 9 kernels, expected exactly 8");
    b = bench_new();
    move(b, STREAM_CBUF_WT, 16);
    tell(b, STREAM_WT_REPORT, 8, 9);
    tell(b, STREAM_WT_REPORT, 2, 6);
    expect(b, "cdma", "CDMA launch 0 reports weights in 15 entries, expected exactly 16");
}

TEST_ON(releases_of_what_was_not_reported, struct bench *b, bench_new()) {
    move(b, STREAM_CBUF_DAT, LINE_ATOMS);
    tell(b, STREAM_DAT_REPORT, 1, EPS);
    tell(b, STREAM_DAT_RELEASE, 2, 2 * EPS);
    expect(b, "csc", "since reset CSC has released 2 lines, expected at most 1");
    b = bench_new();
    tell(b, STREAM_WT_RELEASE, 1, 0);
    expect(b, "csc", "since reset CSC has released 1 entries of weights, expected at most 0");
}

TEST_ON(credits_that_do_not_add_up, struct bench *b, bench_new()) {
    move(b, STREAM_ROW_ISSUED, ROWS + 1);
    expect(b, "csc", "without credits of CACC CSC has issued 33 rows, expected at most 32");
    b = bench_new();
    move(b, STREAM_ROW_ISSUED, 2);
    move(b, STREAM_CACC_SAT, 15);
    move(b, STREAM_ROW_CREDIT, 2);
    expect(b, "cacc", "since reset CACC has given back 2 credits, expected at most 1");
    b = bench_new();
    move(b, STREAM_ROW_ISSUED, 10);
    move(b, STREAM_CACC_SAT, 5 * 8 + 1);
    expect(b, "cacc", "since reset CACC has given back 0 credits, expected at least 1");
}

/* Beats of full may have two atoms. Its entries have 128 bytes, its groups 32 kernels, and a row of its delivery buffer
 * is one beat: an atom of 32 kernels takes two rows. */
static struct bench *full_new(void) {
    struct bench *b = bench_of("full", STREAM_CBUF_DAT);
    b->words[STREAM_ROW_ISSUED][1] = 2;
    set(b, CDMA_D_BATCH_NUMBER, BATCHES - 1);
    arm(b, 0);
    return b;
}

static void written(struct bench *b, enum rtl_stream stream, int atoms) {
    uint32_t *addresses = b->words[stream] + rtl_stream_layout(b->config, stream).address;
    addresses[0] = addresses[1] = 0;
    move(b, stream, atoms / 2);
    addresses[atoms / 2 % 2] = STREAM_NO_ATOM;
    move(b, stream, atoms % 2);
}

TEST_ON(batches_and_pairs, struct bench *b, full_new()) {
    written(b, STREAM_CBUF_DAT, LINE_ATOMS * BATCHES);
    tell(b, STREAM_DAT_REPORT, 1, BATCHES * EPS);
    written(b, STREAM_CBUF_DAT, 2 * LINE_ATOMS * BATCHES);
    tell(b, STREAM_DAT_REPORT, 2, 2 * BATCHES * EPS);
    written(b, STREAM_CBUF_WT, 3);
    written(b, STREAM_CBUF_WT, 1);
    tell(b, STREAM_WT_REPORT, KERNELS, 1);
    for (int i = 0; i < 100; i++) {
        move(b, STREAM_ROW_ISSUED, 1);
        move(b, STREAM_CACC_SAT, 2);
        move(b, STREAM_ROW_CREDIT, 2);
    }
    tell(b, STREAM_DAT_RELEASE, LINES, LINES * BATCHES * EPS);
    assert_false(b->result.differs);
    move(b, STREAM_ROW_ISSUED, ROWS / 2 + 1);
    expect(b, "csc", "without credits of CACC CSC has issued 34 rows, expected at most 32");
    b = full_new();
    written(b, STREAM_CBUF_DAT, LINE_ATOMS * BATCHES - 1);
    tell(b, STREAM_DAT_REPORT, 1, BATCHES * EPS);
    expect(b, "cdma", "with 352 bytes in CBUF CDMA launch 0 reports 1 lines, expected at most 0");
    b = full_new();
    written(b, STREAM_CBUF_WT, 4);
    tell(b, STREAM_WT_REPORT, KERNELS, 2);
    expect(b, "cdma", "CDMA launch 0 reports weights in 2 entries, expected exactly 1");
}

/* Halves of entries: two atoms of data each, or one and zeros behind it. */
TEST_ON(atoms_of_an_entry_count_as_selected, struct bench *b, bench_of("full", STREAM_CBUF_DAT_WIDE)) {
    arm(b, 0);
    uint32_t *select = &b->words[STREAM_CBUF_DAT_WIDE][rtl_stream_layout(b->config, STREAM_CBUF_DAT_WIDE).select];
    *select = 3;
    move(b, STREAM_CBUF_DAT_WIDE, 1);
    *select = 12;
    move(b, STREAM_CBUF_DAT_WIDE, 1);
    tell(b, STREAM_DAT_REPORT, 1, EPS);
    assert_false(b->result.differs);
    *select = 15;
    move(b, STREAM_CBUF_DAT_WIDE, 1);
    tell(b, STREAM_DAT_REPORT, 2, 2 * EPS);
    expect(b, "cdma", "with 256 bytes in CBUF CDMA launch 0 reports 3 lines, expected at most 2");
}

TEST(a_table_without_the_streams) {
    struct account result;
    struct stream_source source = {.read = read_words};
    assert_null(account_board_new(nvdla_config_find("small"), &source, &result));
}
