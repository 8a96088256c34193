/* Marks in the waves: which launch is in flight, seen from outside and told by the design; AXI clients; texts. */
#include "tb/observers/marks.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/registers.h"
#include "tests/unit/test.h"

struct bench {
    const struct nvdla_config *config;
    struct provenance *prov;
    struct marks *marks;
    struct observer observer;
};

TEST_KEEPS(keep_provenance, struct provenance, provenance_free)

/* exact: the design reports its layers. The marks keep a pointer to bench->prov. */
static struct bench *bench_new(bool exact) {
    struct bench *bench = test_new(sizeof *bench);
    bench->config = nvdla_config_find("small");
    bench->prov = keep_provenance(provenance_new(bench->config));
    bench->marks = marks_new(bench->config, &bench->prov, exact);
    bench->observer = marks_observer(bench->marks);
    test_keep(bench->observer.context, bench->observer.release);
    bench->observer.reset(bench->marks);
    return bench;
}

static uint32_t address(const struct bench *bench, enum nvdla_unit unit, const char *name) {
    return nvdla_register_find(bench->config, unit, name)->address;
}

static void put(struct bench *bench, enum nvdla_unit unit, const char *name, uint32_t value) {
    provenance_register_write(bench->prov, address(bench, unit, name), value, 0);
    bench->observer.write(bench->marks, address(bench, unit, name), value, 0);
}

static void get(struct bench *bench, enum nvdla_unit unit, const char *name, uint32_t value) {
    bench->observer.read(bench->marks, address(bench, unit, name), value, 0);
}

/* The text of a mark, without the zeros in front. */
static void expect(struct bench *bench, const char *name, const char *text) {
    size_t count;
    marks_update(bench->marks);
    const struct wave_mark *mark = marks_list(bench->marks, &count);
    while (count > 0 && strcmp(mark->name, name) != 0) {
        mark++;
        count--;
    }
    assert_true(count > 0);
    char shown[256] = {0};
    size_t n = 0;
    for (int word = mark->count; word-- > 0;)
        for (int shift = 24; shift >= 0; shift -= 8)
            if (mark->words[word] >> shift & 0xff)
                shown[n++] = (char)(mark->words[word] >> shift & 0xff);
    assert_string_equal(shown, text);
}

static void arm(struct bench *bench, uint32_t group) {
    put(bench, NVDLA_SDP, "S_POINTER", group);
    put(bench, NVDLA_SDP, "D_OP_ENABLE", 1);
}

TEST_ON(from_outside, struct bench *bench, bench_new(false)) {
    const uint32_t sdp_0 = 1u << nvdla_interrupt_bit("SDP_0"), sdp_1 = 1u << nvdla_interrupt_bit("SDP_1");
    expect(bench, "SDP", " ");
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 0), LAUNCH_TO_COME);
    arm(bench, 0);
    expect(bench, "CSB", "SDP.D_OP_ENABLE = 1");
    expect(bench, "SDP", "SDP #0 group 0 1x1x1 FLYING_MODE=OFF OUTPUT_DST=MEM");
    arm(bench, 1);
    expect(bench, "SDP", "SDP #0 group 0 1x1x1 FLYING_MODE=OFF OUTPUT_DST=MEM");
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 1), LAUNCH_ARMED);
    get(bench, NVDLA_GLB, "S_INTR_STATUS", sdp_0);
    expect(bench, "CSB", "GLB.S_INTR_STATUS -> 1");
    expect(bench, "interrupt", "SDP_0");
    expect(bench, "SDP", "SDP #1 group 1 1x1x1 FLYING_MODE=OFF OUTPUT_DST=MEM");
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 0), LAUNCH_DONE);
    put(bench, NVDLA_GLB, "S_INTR_STATUS", sdp_0);
    expect(bench, "interrupt", " ");
    /* Its group armed again: it must have been done, though it was not observed. */
    arm(bench, 1);
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 1), LAUNCH_DONE);
    expect(bench, "SDP", "SDP #2 group 1 1x1x1 FLYING_MODE=OFF OUTPUT_DST=MEM");
    get(bench, NVDLA_GLB, "S_INTR_STATUS", sdp_1);
    expect(bench, "SDP", " ");
}

TEST_ON(told_by_the_design, struct bench *bench, bench_new(true)) {
    arm(bench, 0);
    expect(bench, "SDP", " ");
    marks_layer(bench->marks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_STARTS);
    expect(bench, "SDP", "SDP #0 group 0 1x1x1 FLYING_MODE=OFF OUTPUT_DST=MEM");
    get(bench, NVDLA_GLB, "S_INTR_STATUS", 1); /* tells nothing here */
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 0), LAUNCH_ARMED);
    marks_layer(bench->marks, "TOP.tb_top.dut.u_sdp.u_regs", CHECK_LAYER_DONE);
    assert_int_equal(marks_launch(bench->marks, NVDLA_SDP, 0), LAUNCH_DONE);
    expect(bench, "SDP", " ");
}

TEST_ON(clients, struct bench *bench, bench_new(true)) {
    struct axi_outputs out = {0};
    struct axi_inputs in = {0};
    struct sampled now = {.out = {&out}, .in = {&in}};
    out.arvalid = true; /* SDP reads with ID 1 */
    out.arid = 1;
    out.wvalid = out.wlast = in.wready = true; /* data before its address */
    bench->observer.port(bench->marks, &now, 0);
    expect(bench, "dbb_AR", nvdla_client_name(1, false));
    expect(bench, "dbb_W", "ahead of AW");
    out = (struct axi_outputs){.awvalid = true, .awid = 1};
    in = (struct axi_inputs){.awready = true};
    bench->observer.clock(bench->marks, &now);
    bench->observer.port(bench->marks, &now, 0);
    expect(bench, "dbb_AR", " ");
    expect(bench, "dbb_AW", nvdla_client_name(1, true));
    out = (struct axi_outputs){.awvalid = true, .awid = 2, .wvalid = true, .wlast = true};
    in = (struct axi_inputs){.awready = true, .wready = true, .bvalid = true, .bid = 1};
    bench->observer.clock(bench->marks, &now);
    bench->observer.port(bench->marks, &now, 0);
    expect(bench, "dbb_W", nvdla_client_name(2, true));
    expect(bench, "dbb_B", nvdla_client_name(1, true));
    bench->observer.clock(bench->marks, &now); /* nothing on the port: it is not looked at */
    expect(bench, "dbb_B", " ");
}

TEST_ON(streams, struct bench *bench, bench_new(true)) {
    marks_note(bench->marks, 1, "a b",
               "event of a very long name that does not fit into the mark, which is cut at its end");
    expect(bench, "stream_a_b", "event of a very long name that does not fit into the mark, which");
    marks_note(bench->marks, 1, "a b", "");
    expect(bench, "stream_a_b", " ");
    marks_note(bench->marks, 1000, "too many", "nothing"); /* has no mark */
}
