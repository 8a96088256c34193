/* Parts of what cuts programs: groups exchanged, ranges of memory. The pieces themselves are tests/replay/split.sh's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nvdla_offsets.h"
#include "split/exchange.h"
#include "split/touched.h"

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

static void pointers_are_exchanged(void **state) {
    (void)state;
    struct op write = access_to(OP_WRITE, NVDLA_SDP, SDP_S_POINTER, 1, UINT32_MAX);
    struct op check = access_to(OP_READ_CHECK, NVDLA_SDP, SDP_S_POINTER, 0x10000, UINT32_MAX);
    struct op other = access_to(OP_WRITE, NVDLA_PDP, PDP_S_POINTER, 1, UINT32_MAX);
    const uint32_t units = UINT32_C(1) << NVDLA_SDP;
    assert_true(exchange_groups(small(), units, &write) && write.value == 0);
    assert_true(exchange_groups(small(), units, &check) && check.value == 1);
    assert_true(exchange_groups(small(), units, &other) && other.value == 1);
}

static void states_and_interrupts_are_exchanged(void **state) {
    (void)state;
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

static void a_comparison_of_both_groups_is_refused(void **state) {
    (void)state;
    struct op status = access_to(OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003);
    status.relation = RELATION_GREATER_EQUAL;
    assert_false(exchange_groups(small(), UINT32_C(1) << NVDLA_SDP, &status));
    struct op again = access_to(OP_POLL, NVDLA_SDP, SDP_S_STATUS, 1, 0x30003);
    again.relation = RELATION_GREATER_EQUAL;
    assert_true(exchange_groups(small(), UINT32_C(1) << NVDLA_PDP, &again));
}

static void ranges_join(void **state) {
    (void)state;
    struct touched touched = {0};
    for (uint64_t i = 0; i < 5000; i++) { /* from both ends: nothing joins as it comes */
        touched_add(&touched, 0x1000 + 16 * i, 8);
        touched_add(&touched, 0x1000 + 16 * (9999 - i), 8);
    }
    touched_add(&touched, UINT64_MAX - 7, 16);
    touched_sort(&touched);
    assert_int_equal(touched.count, 10001);
    for (uint64_t i = 0; i < 10000; i++)
        touched_add(&touched, 0x1008 + 16 * i, 8);
    touched_sort(&touched);
    assert_int_equal(touched.count, 2);
    assert_int_equal(touched.ranges[0].start, 0x1000);
    assert_int_equal(touched.ranges[0].size, 160000);
    touched_free(&touched);
}

static void pages_have_neighbours(void **state) {
    (void)state;
    struct touched touched = {0};
    touched_add(&touched, 0x5ffc, 8);
    touched_add(&touched, 0x10, 4);
    touched_add(&touched, UINT64_MAX - 3, 3);
    touched_sort(&touched);
    struct touched pages = touched_pages(&touched, 1);
    assert_int_equal(pages.count, 3);
    assert_true(pages.ranges[0].start == 0 && pages.ranges[0].size == 0x2000);
    assert_true(pages.ranges[1].start == 0x4000 && pages.ranges[1].size == 0x4000);
    assert_true(pages.ranges[2].start == UINT64_MAX - 0x1fff);
    touched_free(&pages);
    touched_free(&touched);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_are_exchanged),
        cmocka_unit_test(states_and_interrupts_are_exchanged),
        cmocka_unit_test(a_comparison_of_both_groups_is_refused),
        cmocka_unit_test(ranges_join),
        cmocka_unit_test(pages_have_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
