/* RUBIK of the model: the offsets of 66-rubik section 8, and what section 9 says of programs that do not fit. Random
 * layers are compared by tests/naive; programs that hang are rows of rules.tsv. */
#include "model_bench.h"
#include "tests/unit/test.h"

enum { CONTRACT, SPLIT, MERGE };
enum { INT8, INT16, FP16 };
enum { CV, MC };

enum { SOURCE = 0x100000, DESTINATION = 0x400000, REGION = 0x200000, FILL = 0xa5 };

/* Sizes and strides as they are, not as registers hold them. */
struct rubik {
    uint32_t mode, precision, width, height, in_channels, out_channels;
    uint32_t source_line, source_surface, source_planar;
    uint32_t destination_line, destination_surface, destination_planar;
    uint32_t phase, x_stride, y_stride;
    uint32_t source_ram, destination_ram;
};

static struct device *rubik_device(void) {
    struct device *dev = bench_new("full");
    uint64_t seed = 5;
    random_region(dev, &seed, SOURCE, REGION);
    static uint8_t bytes[REGION];
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE, bytes, REGION);
    memory_declare(dev->memory[SPACE_SECONDARY], SOURCE, REGION);
    memory_write(dev->memory[SPACE_SECONDARY], SOURCE, bytes, REGION, NULL, NULL);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    memory_declare(dev->memory[SPACE_SECONDARY], DESTINATION, REGION);
    return dev;
}

static void program(struct device *dev, const struct rubik *r) {
    PUT(dev, NVDLA_RBK, {RBK_D_MISC_CFG, r->mode | r->precision << 8}, {RBK_D_DAIN_RAM_TYPE, r->source_ram},
        {RBK_D_DATAIN_SIZE_0, (r->width - 1) | (r->height - 1) << 16}, {RBK_D_DATAIN_SIZE_1, r->in_channels - 1},
        {RBK_D_DAIN_ADDR_HIGH, 0}, {RBK_D_DAIN_ADDR_LOW, SOURCE}, {RBK_D_DAIN_LINE_STRIDE, r->source_line},
        {RBK_D_DAIN_SURF_STRIDE, r->source_surface}, {RBK_D_DAIN_PLANAR_STRIDE, r->source_planar},
        {RBK_D_DAOUT_RAM_TYPE, r->destination_ram}, {RBK_D_DATAOUT_SIZE_1, r->out_channels - 1},
        {RBK_D_DAOUT_ADDR_HIGH, 0}, {RBK_D_DAOUT_ADDR_LOW, DESTINATION}, {RBK_D_DAOUT_LINE_STRIDE, r->destination_line},
        {RBK_D_DAOUT_SURF_STRIDE, r->destination_surface}, {RBK_D_DAOUT_PLANAR_STRIDE, r->destination_planar},
        {RBK_D_CONTRACT_STRIDE_0, r->phase}, {RBK_D_DECONV_STRIDE, (r->x_stride - 1) | (r->y_stride - 1) << 16});
}

/* Runs a layer in the group that is next. */
static void run(struct device *dev, const struct rubik *r) {
    uint32_t group = get(dev, NVDLA_RBK, RBK_S_POINTER) >> 16;
    put(dev, NVDLA_RBK, RBK_S_POINTER, group);
    program(dev, r);
    put(dev, NVDLA_RBK, RBK_D_OP_ENABLE, 1);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x100u << group);
    assert_int_equal(get(dev, NVDLA_RBK, RBK_D_OP_ENABLE), 0);
    clear_interrupts(dev);
}

static uint8_t source_byte(struct device *dev, uint32_t offset) {
    uint8_t byte;
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE + offset, &byte, 1);
    return byte;
}

/* Runs a layer over an output of FILL: bytes of the source are found at offsets of the destination. */
static void check(struct device *dev, const struct rubik *r, const uint32_t (*pairs)[2], size_t count, size_t bytes) {
    memory_fill(dev->memory[SPACE_PRIMARY], DESTINATION, REGION, FILL);
    run(dev, r);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(byte_at(dev, DESTINATION + pairs[i][1] + k), source_byte(dev, pairs[i][0] + (uint32_t)k));
    assert_int_equal(dev->finding_count, 0);
}

/* ---- vectors of section 8 ---- */

TEST(contract_interleaves_phases) {
    static const uint32_t pairs[][2] = {{0x000, 0x000}, {0x080, 0x020}, {0x020, 0x040},
                                        {0x1a0, 0x0e0}, {0x040, 0x100}, {0x1c0, 0x1a0}};
    struct device *dev = rubik_device();
    struct rubik r = {.mode = CONTRACT,
                      .width = 2,
                      .height = 1,
                      .x_stride = 2,
                      .y_stride = 2,
                      .in_channels = 1, /* not used */
                      .out_channels = 40,
                      .source_line = 0x40,
                      .source_surface = 0x40,
                      .phase = 0x80,
                      .destination_line = 0x80,
                      .destination_surface = 0x100,
                      .source_ram = MC,
                      .destination_ram = MC};
    check(dev, &r, pairs, sizeof pairs / sizeof pairs[0], 32);
}

static const struct rubik split_int8 = {.mode = SPLIT,
                                        .width = 33,
                                        .height = 2,
                                        .x_stride = 1,
                                        .y_stride = 1,
                                        .in_channels = 34,
                                        .out_channels = 34,
                                        .source_line = 0x420,
                                        .source_surface = 0x840,
                                        .destination_line = 0x40,
                                        .destination_planar = 0x80,
                                        .source_ram = MC,
                                        .destination_ram = MC};

/* Two packed lines of planes into packed surfaces. */
static struct rubik merge(uint32_t width, uint32_t in_channels, uint32_t out_channels, uint32_t source_line,
                          uint32_t destination_line) {
    struct rubik r = split_int8;
    r.mode = MERGE;
    r.width = width;
    r.in_channels = in_channels;
    r.out_channels = out_channels;
    r.source_line = source_line;
    r.source_planar = 2 * source_line;
    r.destination_line = destination_line;
    r.destination_surface = 2 * destination_line;
    return r;
}

TEST(split_ends_lines_with_zeros) {
    static const uint32_t pairs[][2] = {
        {0x0000, 0x0000}, {0x0001, 0x0080}, {0x083f, 0x0fe0}, {0x0840, 0x1000}, {0x0d01, 0x10c5}};
    struct device *dev = rubik_device();
    check(dev, &split_int8, pairs, sizeof pairs / sizeof pairs[0], 1);
    for (uint32_t i = 33; i < 64; i++)
        assert_int_equal(byte_at(dev, DESTINATION + 0x10c0 + i), 0);
}

TEST(split_of_16_bits_has_half_as_many_lanes) {
    static const uint32_t pairs[][2] = {{0x0ca2, 0x0d24}};
    struct device *dev = rubik_device();
    struct rubik r = split_int8;
    r.destination_line = 0x60;
    r.destination_planar = 0xc0;
    for (r.precision = INT16; r.precision <= 3; r.precision++) { /* the undefined precision 3, too */
        check(dev, &r, pairs, 1, 2);
        for (uint32_t i = 66; i < 96; i++)
            assert_int_equal(byte_at(dev, DESTINATION + 17 * 0xc0 + i), 0);
    }
}

TEST(merge_clears_the_lanes_behind_the_last_channel) {
    static const uint32_t pairs[][2] = {{0x1000, 0x0840}, {0x1080, 0x0841}, {0x10c5, 0x0d01}};
    struct device *dev = rubik_device();
    struct rubik r = merge(33, 34, 34, 0x40, 0x420);
    check(dev, &r, pairs, sizeof pairs / sizeof pairs[0], 1);
    for (uint32_t i = 0x842; i < 0x860; i++)
        assert_int_equal(byte_at(dev, DESTINATION + i), 0);
}

/* ---- random layers ---- */

/* Section 6 gives the order of the writes of split: 64 columns of every channel, then the next 64. */
TEST_ON(overlapping_planes_keep_the_last_write, struct device *dev, rubik_device()) {
    struct rubik r = split_int8;
    r.width = 128;
    r.height = 1;
    r.in_channels = r.out_channels = 2;
    r.source_line = 0x1000;
    r.destination_planar = 0x40;
    run(dev, &r);
    for (uint32_t x = 0; x < 64; x++) {
        assert_int_equal(byte_at(dev, DESTINATION + x), source_byte(dev, x * 32));
        assert_int_equal(byte_at(dev, DESTINATION + 64 + x), source_byte(dev, (64 + x) * 32));
        assert_int_equal(byte_at(dev, DESTINATION + 128 + x), source_byte(dev, (64 + x) * 32 + 1));
    }
}

/* ---- section 9 ---- */

TEST(merge_into_fewer_channels_leaves_surfaces_out) {
    static const uint32_t pairs[][2] = {{0x0000, 0x0000}, {0x07c0, 0x001f}, {0x0800, 0x0200}, {0x0fe7, 0x03ff}};
    struct device *dev = rubik_device();
    struct rubik r = merge(8, 70, 40, 0x20, 0x100);
    check(dev, &r, pairs, sizeof pairs / sizeof pairs[0], 1);
    for (uint32_t i = 0x400; i < 0x600; i++)
        assert_int_equal(byte_at(dev, DESTINATION + i), FILL);
}

/* Two surfaces by DATAOUT_CHANNEL, the second with the planes that DATAIN_CHANNEL has in its last one: 1. */
TEST_ON(split_takes_the_last_planes_from_the_input_channels, struct device *dev, rubik_device()) {
    struct rubik r = split_int8, whole = split_int8;
    static uint8_t expected[REGION], got[REGION];
    r.in_channels = 65;
    r.out_channels = 40;
    whole.in_channels = whole.out_channels = 33;
    check(dev, &whole, NULL, 0, 0);
    memory_read(dev->memory[SPACE_PRIMARY], DESTINATION, expected, REGION);
    check(dev, &r, NULL, 0, 0);
    memory_read(dev->memory[SPACE_PRIMARY], DESTINATION, got, REGION);
    assert_memory_equal(got, expected, REGION);
}

TEST_ON(layers_of_both_groups_run_in_turn, struct device *dev, rubik_device()) {
    program(dev, &split_int8);
    put(dev, NVDLA_RBK, RBK_D_OP_ENABLE, 1);
    put(dev, NVDLA_RBK, RBK_S_POINTER, 1);
    program(dev, &split_int8);
    put(dev, NVDLA_RBK, RBK_D_OP_ENABLE, 1);
    assert_int_equal(get(dev, NVDLA_RBK, RBK_S_STATUS), 0x00020001);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x100);
    assert_int_equal(get(dev, NVDLA_RBK, RBK_S_STATUS), 0x00010000);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x200);
    assert_int_equal(get(dev, NVDLA_RBK, RBK_S_POINTER), 1);
    struct memory_origin origin;
    assert_true(memory_origin_of(dev->memory[SPACE_PRIMARY], DESTINATION, &origin));
    assert_int_equal(origin.unit, NVDLA_RBK);
    assert_int_equal(origin.axi_id, 4);
    assert_int_equal(origin.ordinal, 1);
}
