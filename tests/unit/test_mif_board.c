/* Scoreboard of the memory interface: legal traffic is no difference, each way to spoil an atom is named once a client.
 */

#include <string.h>

#include "tb/observers/mif_board.h"
#include "tests/unit/test.h"

enum { ATOM = 8, MOST = 8 };

struct bench {
    struct tap_listeners listeners;
    struct mif_difference told[MOST];
    int count;
    struct mif_board *board;
};

static struct tap_sink open_nothing(void *context, const struct tap_stream *stream) {
    (void)context;
    (void)stream;
    return (struct tap_sink){.elements = NULL};
}

static void take(void *context, const struct mif_difference *difference) {
    struct bench *b = context;
    assert_true(b->count < MOST);
    b->told[b->count++] = *difference;
}

TEST_KEEPS(keep_board, struct mif_board, mif_board_free)

static struct bench *bench_new(void) {
    struct bench *b = test_new(sizeof *b);
    tap_listen(&b->listeners, (struct tap_listener){.context = b, .open = open_nothing, .memory = take});
    b->board = keep_board(mif_board_new(nvdla_config_find("small"), &b->listeners));
    mif_board_compare(b->board, true);
    return b;
}

static const uint8_t *bytes(int value) {
    static uint8_t atom[TAP_ATOM];
    memset(atom, value, sizeof atom);
    return atom;
}

static bool axi(struct bench *b, enum nvdla_client client, uint64_t cycle, uint64_t address, int value) {
    struct mif_atom atom;
    return mif_board_axi(b->board, client, 0, cycle, 3, address, bytes(value), &atom);
}

static bool engine(struct bench *b, enum nvdla_client client, uint64_t cycle, int value, struct mif_atom *atom) {
    return mif_board_atom(b->board, client, cycle, value < 0 ? NULL : bytes(value), atom);
}

TEST(legal_traffic_is_equal) {
    struct mif_atom atom;
    struct bench *b = bench_new();
    for (int i = 0; i < 300; i++) /* many pieces under way at the same time */
        mif_board_ask(b->board, NVDLA_READ_SDP, 0, 0x1000 + 32 * (uint64_t)i + (uint64_t)i % 8, 4,
                      -1); /* not aligned */
    for (int i = 0; i < 1200; i++)
        assert_false(axi(b, NVDLA_READ_SDP, 10, 0x1000 + 8 * (uint64_t)i, i % 251));
    for (int i = 0; i < 1200; i++) {
        assert_true(engine(b, NVDLA_READ_SDP, 20, i % 251, &atom));
        assert_true(atom.address == 0x1000 + 8 * (uint64_t)i && atom.cycle == 20 && atom.ordinal == 3);
    }
    assert_false(engine(b, NVDLA_WRITE_CDP, 30, 1, &atom)); /* a written atom may come before its request */
    mif_board_ask(b->board, NVDLA_WRITE_CDP, 0, 0x80, 2, -1);
    assert_false(engine(b, NVDLA_WRITE_CDP, 31, 2, &atom));
    assert_true(mif_board_axi(b->board, NVDLA_WRITE_CDP, 0, 40, 5, 0x80, bytes(1), &atom));
    assert_true(atom.address == 0x80 && atom.cycle == 30 && atom.ordinal == 5 && atom.bytes[7] == 1);
    assert_true(axi(b, NVDLA_WRITE_CDP, 41, 0x88, 2));
    assert_int_equal(b->count, 0);
}

TEST(each_fault_is_told_once_a_client) {
    struct mif_atom atom;
    struct bench *b = bench_new();
    mif_board_ask(b->board, NVDLA_READ_PDP, 0, 0x100, 4, -1);
    axi(b, NVDLA_READ_PDP, 50, 0x100, 1);
    axi(b, NVDLA_READ_PDP, 51, 0x110, 2); /* 0x108 was asked for */
    axi(b, NVDLA_READ_PDP, 52, 0x110, 3);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->told[0].client, NVDLA_READ_PDP);
    assert_int_equal(b->told[0].fault, MIF_ADDRESS);
    assert_true(b->told[0].cycle == 51 && b->told[0].address == 0x108 && b->told[0].port_address == 0x110);

    mif_board_ask(b->board, NVDLA_READ_CDP, 0, 0x200, 1, -1);
    axi(b, NVDLA_READ_CDP, 60, 0x200, 7);
    engine(b, NVDLA_READ_CDP, 63, 9, &atom);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->told[1].fault, MIF_BYTES);
    assert_true(b->told[1].cycle == 63 && b->told[1].expected[0] == 7 && b->told[1].got[0] == 9);
    assert_int_equal(b->told[1].ordinal, 3);

    axi(b, NVDLA_READ_SDP, 70, 0x300, 1);
    assert_int_equal(b->told[2].fault, MIF_UNASKED);
    engine(b, NVDLA_READ_SDP_B, 71, 1, &atom);
    assert_int_equal(b->told[3].fault, MIF_UNANSWERED);

    mif_board_ask(b->board, NVDLA_WRITE_SDP, 1, 0x400, 1, -1); /* to the secondary memory */
    engine(b, NVDLA_WRITE_SDP, 80, 4, &atom);
    axi(b, NVDLA_WRITE_SDP, 81, 0x400, 4);
    assert_int_equal(b->told[4].fault, MIF_ADDRESS);
    mif_board_ask(b->board, NVDLA_WRITE_PDP, 0, 0x500, 1, -1);
    axi(b, NVDLA_WRITE_PDP, 90, 0x500, 4); /* nothing was given */
    assert_int_equal(b->told[5].fault, MIF_UNASKED);
    assert_int_equal(b->count, 6);
    mif_board_reset(b->board);
    axi(b, NVDLA_READ_SDP, 99, 0x300, 1);
    assert_int_equal(b->count, 7);
}

/* What is under way when comparing begins is known by its address alone. */
TEST(comparing_begins_at_any_time) {
    struct mif_atom atom;
    struct bench *b = bench_new();
    mif_board_compare(b->board, false);
    mif_board_ask(b->board, NVDLA_READ_SDP, 0, 0x100, 3, -1);
    axi(b, NVDLA_READ_SDP, 10, 0x100, 1);
    axi(b, NVDLA_READ_SDP, 11, 0x900, 1); /* no stream is wanted */
    engine(b, NVDLA_READ_SDP, 12, -1, &atom);
    mif_board_compare(b->board, true);
    engine(b, NVDLA_READ_SDP, 13, 99, &atom); /* its bytes at the port are not known */
    assert_int_equal(b->count, 0);
    axi(b, NVDLA_READ_SDP, 14, 0x110, 5);
    engine(b, NVDLA_READ_SDP, 15, 6, &atom);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->told[0].fault, MIF_BYTES);
    assert_true(b->told[0].address == 0x110);
}

/* Beats of two atoms: a beat of read data holds atoms that were not requested, and one at which another piece begins;
 * the launch is the piece's. */
TEST(beats_hold_more_than_was_asked_for) {
    struct bench b = {.count = 0};
    int ordinal = -1;
    tap_listen(&b.listeners, (struct tap_listener){.context = &b, .open = open_nothing, .memory = take});
    b.board = keep_board(mif_board_new(nvdla_config_find("full"), &b.listeners));
    assert_true(
        mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x100, false, &ordinal)); /* to be reported as not requested */
    assert_false(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x120, true, &ordinal));
    mif_board_ask(b.board, NVDLA_READ_SDP_B, 0, 0x120, 2, 4); /* upper half of one beat, lower half of the next */
    mif_board_ask(b.board, NVDLA_READ_SDP_B, 0, 0x160, 1, 5); /* upper half of the same line, asked for again */
    assert_false(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x100, false, &ordinal));
    assert_true(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x120, false, &ordinal));
    assert_int_equal(ordinal, 4);
    axi(&b, NVDLA_READ_SDP_B, 10, 0x120, 1);
    assert_true(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x140, false, &ordinal));
    axi(&b, NVDLA_READ_SDP_B, 11, 0x140, 2);
    assert_false(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x160, true, &ordinal)); /* the next beat brings it */
    assert_false(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x140, false, &ordinal));
    assert_true(mif_board_wants(b.board, NVDLA_READ_SDP_B, 0x160, false, &ordinal));
    assert_int_equal(ordinal, 5);
    axi(&b, NVDLA_READ_SDP_B, 12, 0x160, 3);
    assert_true(mif_board_begins(b.board, NVDLA_READ_SDP_B, true)); /* nothing is asked for */
    for (int i = 0; i < 3; i++) {
        struct mif_atom atom;
        assert_int_equal(mif_board_begins(b.board, NVDLA_READ_SDP_B, false), i != 1);
        mif_board_atom(b.board, NVDLA_READ_SDP_B, 20, NULL, &atom);
    }
    assert_int_equal(b.count, 0);
}
