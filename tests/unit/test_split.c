/* Parts of what cuts programs: which cuts, groups exchanged, ranges of memory. The pieces themselves are
 * tests/replay/split.sh's. */

#include "memory/ranges.h"
#include "nvdla_offsets.h"
#include "split/cuts.h"
#include "tests/unit/test.h"
#include "trace/exchange.h"

static const struct nvdla_config *small(void) {
    return nvdla_config_find("small");
}

static struct op access_to(enum op_kind kind, enum nvdla_unit unit, uint32_t offset, uint32_t value, uint32_t mask) {
    struct op op = op_make(kind, 1);
    op.address = nvdla_unit_base(small(), unit) + offset;
    op.value = value;
    op.mask = mask;
    return op;
}

TEST(pointers_are_exchanged) {
    struct op write = access_to(OP_WRITE, NVDLA_SDP, SDP_S_POINTER, 1, UINT32_MAX);
    struct op check = access_to(OP_READ_CHECK, NVDLA_SDP, SDP_S_POINTER, 0x10000, UINT32_MAX);
    struct op other = access_to(OP_WRITE, NVDLA_PDP, PDP_S_POINTER, 1, UINT32_MAX);
    const uint32_t units = UINT32_C(1) << NVDLA_SDP;
    assert_true(exchange_groups(small(), units, &write) && write.value == 0);
    assert_true(exchange_groups(small(), units, &check) && check.value == 1);
    assert_true(exchange_groups(small(), units, &other) && other.value == 1);
}

TEST(states_and_interrupts_are_exchanged) {
    const uint32_t units = UINT32_C(1) << NVDLA_CDMA | UINT32_C(1) << NVDLA_SDP;
    struct op status = access_to(OP_POLL, NVDLA_SDP, SDP_S_STATUS, 2, 3);
    assert_true(exchange_groups(small(), units, &status));
    assert_int_equal(status.value, 0x20000);
    assert_int_equal(status.mask, 0x30000);
    /* SDP 0, CDP 1, CDMA_DAT 1, CDMA_WT 0, CACC 1 */
    struct op clear = access_to(OP_WRITE, NVDLA_GLB, GLB_S_INTR_STATUS, 0x260009, UINT32_MAX);
    assert_true(exchange_groups(small(), units, &clear));
    assert_int_equal(clear.value, 0x29000a);
}

TEST(a_comparison_of_both_groups_is_refused) {
    struct op status = access_to(OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003);
    status.relation = RELATION_GREATER_EQUAL;
    assert_false(exchange_groups(small(), UINT32_C(1) << NVDLA_SDP, &status));
    struct op again = access_to(OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003);
    again.relation = RELATION_GREATER_EQUAL;
    assert_true(exchange_groups(small(), UINT32_C(1) << NVDLA_PDP, &again));
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

TEST(a_worker_each_makes_the_longest_short) {
    size_t cuts[LAYERS];
    const struct cuts_wanted wanted = in_pieces(4, 0);
    assert_int_equal(cuts_choose(&wanted, cuts), 3);
    assert_true(cuts_last(&wanted, cuts, 3) <= 3310000); /* 2900000 would be a fourth of all */
}

/* When the later one of two workers is done, of which the second takes the first piece at once while the first one
 * makes the others; then each takes the longest that is left. slow: who takes a tenth longer. */
static uint64_t end_of_two(const size_t *cuts, size_t count, size_t slow) {
    uint64_t left[LAYERS] = {0}, ends[2] = {WORK / 32, 0};
    for (size_t l = 0, piece = 0; l < LAYERS; l++) {
        left[piece] += layers[l];
        piece += piece < count && cuts[piece] == l;
    }
    for (size_t played = 0; played <= count; played++) {
        size_t piece = 0;
        for (size_t i = 1; i <= count && played > 0; i++) /* the longest */
            piece = left[i] > left[piece] ? i : piece;
        const size_t worker = played == 0 || ends[1] < ends[0];
        ends[worker] += left[piece] * (worker == slow ? 11 : 10) / 10;
        left[piece] = 0;
    }
    return ends[0] > ends[1] ? ends[0] : ends[1];
}

TEST(two_workers_end_together) {
    for (size_t pieces = 5; pieces <= 12; pieces++) {
        const struct cuts_wanted wanted = in_pieces(pieces, 2);
        size_t cuts[LAYERS];
        const size_t count = cuts_choose(&wanted, cuts);
        assert_int_equal(count, pieces - 1);
        assert_true(cuts_last(&wanted, cuts, count) <= WORK / 2 + 400000);
        /* A tenth slower, one of them costs a twentieth of the whole if the other takes over. */
        for (size_t slow = 0; slow < 2 && pieces >= 6; slow++)
            assert_true(end_of_two(cuts, count, slow) <= WORK / 2 + WORK / 2 * 9 / 100);
    }
}
