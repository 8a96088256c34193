/* Parts of what cuts programs: which cuts, groups exchanged, ranges of memory. The pieces themselves are
 * tests/replay/split.sh's. */

#include "memory/ranges.h"
#include "nvdla_offsets.h"
#include "split/cuts.h"
#include "tests/unit/test.h"
#include "trace/exchange.h"

/* What the other group does instead: pointers, states and interrupts of these units change. A comparison that looks at
 * both groups is refused. */
TEST(groups_are_exchanged) {
    enum { SDP = 1 << NVDLA_SDP, BOTH = SDP | 1 << NVDLA_CDMA, PDP = 1 << NVDLA_PDP, REFUSED = -1 };
    static const struct {
        enum op_kind kind;
        enum nvdla_unit unit;
        uint32_t offset, value, mask, units;
        int64_t to;
        uint32_t to_mask;
        enum relation relation;
    } cases[] = {
        {OP_WRITE, NVDLA_SDP, SDP_S_POINTER, 1, UINT32_MAX, SDP, 0, UINT32_MAX, 0},
        {OP_READ_CHECK, NVDLA_SDP, SDP_S_POINTER, 0x10000, UINT32_MAX, SDP, 1, UINT32_MAX, 0},
        {OP_WRITE, NVDLA_PDP, PDP_S_POINTER, 1, UINT32_MAX, SDP, 1, UINT32_MAX, 0},
        {OP_POLL, NVDLA_SDP, SDP_S_STATUS, 2, 3, BOTH, 0x20000, 0x30000, 0},
        /* SDP 0, CDP 1, CDMA_DAT 1, CDMA_WT 0, CACC 1 */
        {OP_WRITE, NVDLA_GLB, GLB_S_INTR_STATUS, 0x260009, UINT32_MAX, BOTH, 0x29000a, UINT32_MAX, 0},
        {OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003, SDP, REFUSED, 0, RELATION_GREATER_EQUAL},
        {OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003, PDP, 1, 0x30003, RELATION_GREATER_EQUAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct nvdla_config *small = nvdla_config_find("small");
        struct op op = op_make(cases[i].kind, 1);
        op.address = nvdla_unit_base(small, cases[i].unit) + cases[i].offset;
        op.value = cases[i].value;
        op.mask = cases[i].mask;
        op.relation = cases[i].relation;
        assert_int_equal(exchange_groups(small, cases[i].units, &op), cases[i].to != REFUSED);
        if (cases[i].to != REFUSED)
            assert_true(op.value == cases[i].to && op.mask == cases[i].to_mask);
    }
}

TEST(ranges_join) {
    struct ranges touched = {0};
    for (uint64_t i = 0; i < 5000; i++) { /* from both ends: nothing joins as it comes */
        ranges_add(&touched, 0x1000 + 16 * i, 8);
        ranges_add(&touched, 0x1000 + 16 * (9999 - i), 8);
    }
    ranges_add(&touched, UINT64_MAX - 7, 16);
    ranges_sort(&touched);
    assert_int_equal(touched.count, 10001);
    for (uint64_t i = 0; i < 10000; i++)
        ranges_add(&touched, 0x1008 + 16 * i, 8);
    ranges_sort(&touched);
    assert_int_equal(touched.count, 2);
    assert_int_equal(touched.list[0].start, 0x1000);
    assert_int_equal(touched.list[0].size, 160000);
    ranges_free(&touched);
}

TEST(pages_have_neighbours) {
    struct ranges touched = {0};
    ranges_add(&touched, 0x5ffc, 8);
    ranges_add(&touched, 0x10, 4);
    ranges_add(&touched, UINT64_MAX - 3, 3);
    ranges_sort(&touched);
    struct ranges pages = ranges_pages(&touched, 1);
    assert_int_equal(pages.count, 3);
    assert_true(pages.list[0].start == 0 && pages.list[0].size == 0x2000);
    assert_true(pages.list[1].start == 0x4000 && pages.list[1].size == 0x4000);
    assert_true(pages.list[2].start == UINT64_MAX - 0x1fff);
    ranges_free(&pages);
    ranges_free(&touched);
}

/* Layers of a network that gets narrower, with one that cannot be cut off. */
static const uint64_t layers[] = {500000, 900000, 900000, 900000, 100000, 700000, 700000,  700000,
                                  700000, 300000, 800000, 800000, 800000, 400000, 1200000, 1200000};
static const bool allowed[] = {true, true, true, false, true, true, true, true,
                               true, true, true, true,  true, true, true, false};
enum { LAYERS = sizeof layers / sizeof *layers, WORK = 11600000 };

static struct cuts_wanted in_pieces(size_t pieces, size_t workers) {
    return (struct cuts_wanted){
        .work = layers, .allowed = allowed, .layers = LAYERS, .pieces = pieces, .workers = workers};
}

TEST(cuts_are_where_they_may_be) {
    for (size_t workers = 0; workers <= 3; workers++)
        for (size_t pieces = 0; pieces <= LAYERS; pieces++) {
            const struct cuts_wanted wanted = in_pieces(pieces, workers);
            size_t cuts[LAYERS];
            const size_t count = cuts_choose(&wanted, cuts);
            assert_true(count < (pieces ? pieces : LAYERS) && count < LAYERS - 1);
            for (size_t i = 0; i < count; i++)
                assert_true(cuts[i] < LAYERS - 1 && allowed[cuts[i]] && (i == 0 || cuts[i] > cuts[i - 1]));
        }
    size_t cuts[LAYERS];
    const struct cuts_wanted all = in_pieces(0, 2);
    assert_int_equal(cuts_choose(&all, cuts), LAYERS - 2);
}

/* When the last worker is done, if the first one makes the pieces while the others take the first ones, and then each
 * takes the longest that is left. slow: who takes a tenth longer. */
static uint64_t end_of(const size_t *cuts, size_t count, size_t workers, size_t slow) {
    uint64_t left[LAYERS] = {0}, ends[LAYERS] = {WORK / 32}, last = 0;
    for (size_t l = 0, piece = 0; l < LAYERS; l++) {
        left[piece] += layers[l];
        piece += piece < count && cuts[piece] == l;
    }
    for (size_t played = 0; played <= count; played++) {
        size_t piece = played, worker = played + 1;
        if (worker >= workers) {
            piece = worker = 0;
            for (size_t i = 1; i <= count; i++)
                piece = left[i] > left[piece] ? i : piece;
            for (size_t i = 1; i < workers; i++)
                worker = ends[i] < ends[worker] ? i : worker;
        }
        ends[worker] += left[piece] * (worker == slow ? 11 : 10) / 10;
        left[piece] = 0;
        last = ends[worker] > last ? ends[worker] : last;
    }
    return last;
}

TEST(a_worker_each_makes_the_longest_short) {
    size_t cuts[LAYERS];
    const struct cuts_wanted wanted = in_pieces(4, 0);
    assert_int_equal(cuts_choose(&wanted, cuts), 3);
    assert_true(end_of(cuts, 3, 4, LAYERS) <= 3310000); /* 2900000 would be a fourth of all */
}

TEST(two_workers_end_together) {
    for (size_t pieces = 5; pieces <= 12; pieces++) {
        const struct cuts_wanted wanted = in_pieces(pieces, 2);
        size_t cuts[LAYERS];
        const size_t count = cuts_choose(&wanted, cuts);
        assert_int_equal(count, pieces - 1);
        assert_true(end_of(cuts, count, 2, LAYERS) <= WORK / 2 + 400000);
        /* A tenth slower, one of them costs a twentieth of the whole if the other takes over. */
        for (size_t slow = 0; slow < 2 && pieces >= 6; slow++)
            assert_true(end_of(cuts, count, 2, slow) <= WORK / 2 + WORK / 2 * 9 / 100);
    }
}
