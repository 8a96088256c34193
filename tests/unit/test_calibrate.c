/* Recommended settings in programs: launches get values of their own. */
#include "trace_test.h"

#include "layers/tracker.h"
#include "nvdla_offsets.h"
#include "tests/unit/test.h"
#include "trace/launches.h"
#include "trace/program_filter.h"

#define ARM(group, rest)                                                                                               \
    "reg_write(NVDLA_SDP.S_POINTER_0, 0x" group ");\n" rest "reg_write(NVDLA_SDP.D_OP_ENABLE_0, 0x1);\n"

/* What launches have after the change. */
static void assert_launches(const struct program *prog, uint32_t offset, const uint32_t *values, int count) {
    struct layer_tracker *layers = program_launches(prog);
    for (int i = 0; i < count; i++)
        assert_int_equal(launch_register(layer_tracker_find(layers, NVDLA_SDP, i), offset), values[i]);
    layer_tracker_free(layers);
}

/* Launches 0 and 2 of group 0, 1 and 3 of group 1; 2 and 3 inherit. */
static const char text[] =
    ARM("0", "reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x3);\nreg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x5);\n")
        ARM("1", "reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x4);\n") ARM("0", "") ARM("1", "");

TEST_IN_FOLDER(launches_get_their_own_values) {
    struct program *prog = parse_good(state, trace_read_cfg, "t.cfg", text);
    size_t count = prog->count;
    const struct launch_setting settings[] = {
        {NVDLA_SDP, 0, SDP_D_CVT_SHIFT, 9}, {NVDLA_SDP, 0, SDP_D_CVT_SCALE, 7}, {NVDLA_SDP, 3, SDP_D_CVT_SHIFT, 11}};
    program_set_launches(prog, settings, 3);
    assert_launches(prog, SDP_D_CVT_SHIFT, (const uint32_t[]){9, 4, 3, 11}, 4);
    assert_launches(prog, SDP_D_CVT_SCALE, (const uint32_t[]){7, 0, 5, 0}, 4);
    /* Launch 2 keeps what it had by writes of its own, launch 3 gets one. */
    assert_int_equal(prog->count, count + 3);
    check_round_trip(prog);
    /* Again: now every write is there. */
    program_set_launches(prog, settings, 3);
    assert_int_equal(prog->count, count + 3);
    assert_launches(prog, SDP_D_CVT_SHIFT, (const uint32_t[]){9, 4, 3, 11}, 4);
}

TEST_IN_FOLDER(a_program_without_settings_stays) {
    struct program *prog = parse_good(state, trace_read_cfg, "t.cfg", text);
    struct program *same = parse_good(state, trace_read_cfg, "t.cfg", text);
    const struct launch_setting as_it_is = {NVDLA_SDP, 2, SDP_D_CVT_SHIFT, 3};
    program_set_launches(prog, NULL, 0);
    program_set_launches(prog, &as_it_is, 1);
    assert_true(program_equal(prog, same));
}
