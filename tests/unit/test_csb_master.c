/* The CSB master: one access at a time, every response asked for. */

#include "tb/csb_master.h"

#include "nvdla/config.h"
#include "tests/unit/test.h"

TEST(a_posted_write_ends_with_its_acceptance) {
    struct device dev = {.name = "test"};
    struct csb_master csb = {.state = CSB_IDLE};
    csb_master_start(&csb, true, false, 0x9038, 1);
    assert_false(csb_master_clock(&csb, &dev, 0, false, false, false, 0));
    assert_int_equal(csb.state, CSB_REQUEST);
    assert_true(csb_master_clock(&csb, &dev, 1, true, false, false, 0));
    assert_int_equal(csb.state, CSB_IDLE);
    assert_int_equal(dev.finding_count, 0);
}

TEST(reads_and_non_posted_writes_wait_for_their_response) {
    struct device dev = {.name = "test"};
    struct csb_master csb = {.state = CSB_IDLE};
    csb_master_start(&csb, false, true, 0x1000, 0);
    assert_true(csb_master_clock(&csb, &dev, 0, true, false, false, 0));
    assert_false(csb_master_clock(&csb, &dev, 1, true, false, false, 5));
    assert_int_equal(csb.state, CSB_RESPONSE);
    csb_master_clock(&csb, &dev, 2, true, true, false, 0x303031);
    assert_int_equal(csb.state, CSB_IDLE);
    assert_int_equal(csb.value, 0x303031);
    csb_master_start(&csb, true, true, 0x1004, 7);
    csb_master_clock(&csb, &dev, 3, true, false, false, 0);
    assert_int_equal(csb.state, CSB_RESPONSE);
    csb_master_clock(&csb, &dev, 4, true, false, true, 0);
    assert_int_equal(csb.state, CSB_IDLE);
    assert_int_equal(dev.finding_count, 0);
}

TEST(responses_nobody_asked_for_are_findings) {
    struct device dev = {.name = "test", .config = nvdla_config_find("small")};
    struct csb_master csb = {.state = CSB_IDLE};
    csb_master_start(&csb, false, false, 0x1000, 0);
    csb_master_clock(&csb, &dev, 0, true, false, false, 0);
    csb_master_clock(&csb, &dev, 1, true, false, true, 0); /* a write's answer to a read */
    assert_int_equal(csb.state, CSB_RESPONSE);
    csb_master_clock(&csb, &dev, 2, true, true, false, 1);
    csb_master_clock(&csb, &dev, 3, true, true, false, 2); /* two answers to one read */
    assert_int_equal(csb.value, 1);
    assert_int_equal(dev.finding_count, 2);
    assert_string_equal(dev.findings[0].rule, "csb-complete-unrequested");
    assert_string_equal(dev.findings[1].rule, "csb-read-unrequested");
    assert_int_equal(dev.findings[1].cycle, 3);
    assert_int_equal(dev.findings[1].owner.unit, NVDLA_GLB);
    for (uint64_t i = 0; i < 50; i++)
        csb_master_clock(&csb, &dev, 4 + i, true, true, false, 2);
    assert_in_range(dev.finding_count, 3, 20);
    device_release(&dev);
}
