/* Launches in flight, told by register writes and beats. */

#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tb/observers/flight.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

enum { LATENCY = 100, BUS = 8 };

struct bench {
    const struct nvdla_config *config;
    struct flight *flight;
    struct observer observer;
    struct axi_listener beats;
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t cycle;
};

static struct bench *bench_new(const char *config) {
    struct bench *b = test_new(sizeof *b);
    b->config = nvdla_config_find(config);
    b->flight = flight_new(b->config, LATENCY);
    b->observer = flight_observer(b->flight);
    test_keep(b->observer.context, b->observer.release);
    b->beats = flight_axi(b->flight);
    b->observer.reset(b->observer.context);
    return b;
}

static void write_register(struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    b->observer.write(b->observer.context, nvdla_unit_base(b->config, unit) + offset, value, b->cycle);
}

#define WRITE(b, unit, ...) FOR_ROWS(write_register(b, unit, offset_, value_), __VA_ARGS__)

/* Arms SDP and SDP_RDMA: 4 x 1 x 8 elements of a byte from memory, four atoms in and out. */
static void arm(struct bench *b, uint64_t cycle, uint32_t group) {
    b->cycle = cycle;
    WRITE(b, NVDLA_SDP, {SDP_S_POINTER, group}, {SDP_D_DATA_CUBE_WIDTH, 4 - 1}, {SDP_D_DATA_CUBE_CHANNEL, 8 - 1});
    WRITE(b, NVDLA_SDP_RDMA, {SDP_RDMA_S_POINTER, group}, {SDP_RDMA_D_DATA_CUBE_WIDTH, 4 - 1},
          {SDP_RDMA_D_DATA_CUBE_CHANNEL, 8 - 1}, {SDP_RDMA_D_OP_ENABLE, 1});
    WRITE(b, NVDLA_SDP, {SDP_D_OP_ENABLE, 1});
}

static void beat(struct bench *b, bool write, int unit, int ordinal, uint64_t cycle) {
    const struct axi_beat told = {.write = write,
                                  .owner = {(int16_t)unit, ordinal},
                                  .cycle = cycle,
                                  .bytes = BUS,
                                  .strobe = write ? 0xff : UINT64_MAX};
    b->beats.beat(b->beats.context, &told);
}

static size_t running(struct bench *b, uint64_t cycle) {
    return flight_at(b->flight, cycle, b->running, DEVICE_LAUNCHES);
}

TEST_ON(from_the_first_read_to_the_last_write, struct bench *b, bench_new("small")) {
    assert_int_equal(running(b, 0), 0);
    arm(b, 1000, 0);
    arm(b, 1100, 1);
    assert_int_equal(running(b, 1200), 0); /* nothing has been read */
    beat(b, false, NVDLA_SDP_RDMA, 0, 1050);
    beat(b, false, NVDLA_SDP_RDMA, 1, 3000); /* waits for the first */
    for (int i = 0; i < 4; i++) {
        assert_int_equal(running(b, 4000), 2);
        beat(b, true, NVDLA_SDP, 0, (uint64_t)(4000 + i));
    }
    assert_int_equal(b->running[0].unit, NVDLA_SDP_RDMA);
    assert_int_equal(b->running[0].ordinal, 0);
    assert_int_equal(b->running[0].armed, 1000);
    assert_int_equal(b->running[0].start, 1000); /* not before it is armed */
    assert_int_equal(b->running[1].armed, 1100);
    assert_int_equal(b->running[1].start, 3000 - LATENCY);
    assert_int_equal(running(b, 4003), 2); /* in the clock of its last beat, too */
    assert_int_equal(running(b, 4004), 1);
    assert_int_equal(b->running[0].ordinal, 1);
    assert_int_equal(running(b, 2000), 1); /* the second had not begun */
    assert_int_equal(b->running[0].ordinal, 0);
    b->observer.reset(b->observer.context);
    assert_int_equal(running(b, 4004), 0);
}

/* Of a layer whose writes are not all seen the third launch of the unit says that it is done. */
TEST_ON(the_group_is_free_again, struct bench *b, bench_new("small")) {
    arm(b, 1000, 0);
    beat(b, false, NVDLA_SDP_RDMA, 0, 1500);
    arm(b, 2000, 1);
    assert_int_equal(running(b, 2500), 1);
    arm(b, 3000, 0);
    assert_int_equal(running(b, 3500), 0);
}

/* Where a beat holds several atoms it is not known whose data is read: a launch runs from when it is armed. */
TEST_ON(wide_buses, struct bench *b, bench_new("full")) {
    arm(b, 1000, 0);
    assert_true(b->config->dbb_data_bits / 8 > b->config->mem_atom);
    assert_int_equal(running(b, 1200), 1);
    assert_int_equal(b->running[0].start, 1000);
}
