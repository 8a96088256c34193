/* Failing checks of the RTL become findings: name, instance, the layer that runs, and a limit for each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tb/observers/checks.h"
#include "tests/unit/test.h"

static uint64_t cycle;
static void (*told)(void *, const char *, const char *, bool); /* what the simulator was given */

static void connect(void *context, void (*failed)(void *, const char *, const char *, bool),
                    void (*layer)(void *, const char *, int), void *arg) {
    (void)context;
    (void)layer;
    (void)arg;
    told = failed;
}

static int finals; /* evaluations of the checks of the end of a run */

static void count_final(void *context) {
    (void)context;
    finals++;
    told(context, "EmptyAtTheEnd", "TOP.tb_top.dut.u_sdp.u_wdma.u_fifo.Queue", false);
}

static struct checks *open_checks(struct device *dev) {
    static struct simulator simulator = {.checks_connect = connect, .checks_final = count_final};
    struct error err;
    struct checks *checks = checks_open(dev, &simulator, &cycle, &err);
    simulator.context = checks; /* which `told` gets */
    return checks;
}

static void close_checks(struct checks *checks) {
    const struct observer observer = checks_observer(checks);
    observer.release(observer.context);
}

TEST_KEEPS(keep_device, struct device, device_release)

static struct device *device_new(void) {
    static struct device dev;
    dev = (struct device){.name = "rtl", .config = nvdla_config_find("small")};
    return keep_device(&dev);
}

TEST_ON(test_names_instance_and_layer, struct device *dev, device_new()) {
    struct checks *checks = open_checks(dev);
    cycle = 7;
    checks_failed(checks, "NoPush", "TOP.tb_top.dut.u_sdp.u_out.NoPush", false);
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_GROUP_EXISTS);
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_STARTS);
    checks_layer(checks, "TOP.tb_top.dut.u_pdp.u_rdma_registers", CHECK_LAYER_STARTS);
    cycle = 8;
    checks_failed(checks, "NoPop", "TOP.tb_top.dut.u_sdp.u_out.NoPop", false);
    cycle = 9;
    checks_failed(checks, "Free", "TOP.tb_top.dut.u_pdp.u_rdma.u_dma.Free", false);
    cycle = 10;
    checks_failed(checks, "Grant", "TOP.tb_top.dut.u_mif.u_mcif.Grant", true);
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_DONE);
    checks_layer(checks, "TOP.tb_top.dut.u_pdp.u_rdma_registers", CHECK_LAYER_DONE);
    cycle = 11;
    checks_failed(checks, "Stay", "TOP.tb_top.dut.u_sdp.Stay", false);
    cycle = 12;
    checks_failed(checks, "Quiet", "TOP.tb_top.dut.u_mif.Quiet", false);
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_STARTS);
    cycle = 13;
    checks_failed(checks, "Again", "TOP.tb_top.dut.u_sdp.Again", false);
    checks_observer(checks).reset(checks);
    cycle = 1;
    checks_failed(checks, "Reset", "TOP.tb_top.dut.u_sdp.Reset", false);
    static const struct {
        uint64_t cycle;
        const char *rule, *instance, *text;
        struct owner owner;
        size_t named;
    } expected[] = {
        {7, "check-NoPush", "u_sdp.u_out", "u_sdp.u_out: SDP before its first launch", {NVDLA_SDP, -1}, 0},
        {8, "check-NoPop", "u_sdp.u_out", "u_sdp.u_out: SDP launch 0", {NVDLA_SDP, 0}, 1},
        {9, "check-Free", "u_pdp.u_rdma.u_dma", "u_pdp.u_rdma.u_dma: PDP_RDMA launch 0", {NVDLA_PDP_RDMA, 0}, 1},
        {10, "check-Grant", "u_mif.u_mcif", "u_mif.u_mcif: SDP launch 0, PDP_RDMA launch 0 running", {-1, -1}, 2},
        {11, "check-Stay", "u_sdp", "u_sdp: SDP after launch 0", {NVDLA_SDP, 0}, 1},
        {12, "check-Quiet", "u_mif", "u_mif: no layer running", {-1, -1}, 0},
        {13, "check-Again", "u_sdp", "u_sdp: SDP launch 1", {NVDLA_SDP, 1}, 1},
        {1, "check-Reset", "u_sdp", "u_sdp: SDP before its first launch", {NVDLA_SDP, -1}, 0},
    };
    const size_t count = sizeof expected / sizeof expected[0];
    assert_int_equal(dev->finding_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(dev->findings[i].cycle, expected[i].cycle);
        assert_string_equal(dev->findings[i].rule, expected[i].rule);
        assert_string_equal(dev->findings[i].text, expected[i].text);
        assert_string_equal(dev->findings[i].instance, expected[i].instance);
        assert_int_equal(dev->findings[i].owner.unit, expected[i].owner.unit);
        assert_int_equal(dev->findings[i].owner.ordinal, expected[i].owner.ordinal);
        assert_int_equal(dev->findings[i].of_others, expected[i].cycle == 10);
        assert_int_equal(dev->findings[i].kind, FINDING_CHECK);
        const struct named_launches *named = &dev->findings[i].named;
        assert_int_equal(named->count, expected[i].named);
        for (size_t n = 0; n < named->count; n++)
            assert_int_equal(atoi(dev->findings[i].text + named->items[n].at), named->items[n].launch.ordinal);
    }
    close_checks(checks);
}

TEST_ON(test_each_check_is_reported_twice, struct device *dev, device_new()) {
    struct checks *checks = open_checks(dev);
    for (cycle = 0; cycle <= 10; cycle++) {
        checks_failed(checks, "Full", "TOP.tb_top.dut.u_csc.u_a.Full", false);
        checks_failed(checks, "Full", "TOP.tb_top.dut.u_csc.u_b.Full", false);
    }
    assert_int_equal(dev->finding_count, 4);
    assert_int_equal(dev->findings_dropped, 16);
    assert_int_equal(dev->findings[3].cycle, 2); /* in the reset nothing counts */
    close_checks(checks);
}

TEST_ON(test_many_different_checks, struct device *dev, device_new()) {
    struct checks *checks = open_checks(dev);
    char name[16], scope[64];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "N%d", i);
        snprintf(scope, sizeof scope, "TOP.tb_top.dut.u_csc.%s", name);
        cycle = 5;
        checks_failed(checks, name, scope, false);
    }
    assert_int_equal(dev->finding_count + dev->findings_dropped, 300);
    assert_string_equal(dev->findings[0].rule, "check-N0");
    assert_string_equal(dev->findings[dev->finding_count - 1].text, "u_csc: CSC before its first launch");
    close_checks(checks);
}

TEST_ON(test_the_end_of_a_run, struct device *dev, device_new()) {
    struct checks *checks = open_checks(dev);
    finals = 0;
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_STARTS);
    checks_layer(checks, "TOP.tb_top.dut.u_pdp.u_rdma_registers", CHECK_LAYER_STARTS);
    checks_layer(checks, "TOP.tb_top.dut.u_pdp.u_rdma_registers", CHECK_LAYER_DONE);
    checks_end(checks); /* SDP runs: it may hold what it waits with */
    assert_int_equal(finals, 0);
    checks_layer(checks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_DONE);
    cycle = 77;
    checks_end(checks);
    assert_int_equal(finals, 1);
    assert_int_equal(dev->finding_count, 1);
    assert_string_equal(dev->findings[0].rule, "check-EmptyAtTheEnd");
    assert_string_equal(dev->findings[0].text, "u_sdp.u_wdma.u_fifo.Queue: SDP after launch 0");
    assert_int_equal(dev->findings[0].cycle, 77);
    checks_mute(checks, true);
    checks_end(checks);
    assert_int_equal(dev->finding_count, 1);
    close_checks(checks);
}

TEST_ON(test_needs_a_simulator_with_checks, struct device *dev, device_new()) {
    struct error err;
    const struct simulator without = {0};
    assert_null(checks_open(dev, &without, &cycle, &err));
    assert_non_null(strstr(err.text, "holds no checks"));
    struct checks *checks = open_checks(dev);
    assert_non_null(checks);
    assert_non_null(told);
    close_checks(checks);
}
