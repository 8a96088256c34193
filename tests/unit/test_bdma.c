/* BDMA of the model: addresses of 64-bdma section 6, the status bits of section 4, launches and their hazards. Random
 * blocks are compared by tests/naive. */
#include "model_bench.h"
#include "tests/unit/test.h"

enum { CV, MC }; /* RAM_TYPE */

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x20000 };

struct block {
    uint64_t source, destination;
    uint32_t size, line_repeat, surf_repeat; /* registers: each one less */
    uint32_t source_line, source_surface, destination_line, destination_surface;
    uint32_t source_ram, destination_ram;
};

static struct device *bdma_device(void) {
    struct device *dev = bench_new("full");
    uint64_t seed = 3;
    random_region(dev, &seed, SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    for (uint32_t i = 0; i < REGION; i += 4) {
        uint32_t word = rnd(&seed);
        memory_write(dev->memory[SPACE_SECONDARY], SOURCE + i, &word, 4, NULL, NULL);
    }
    memory_declare(dev->memory[SPACE_SECONDARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_SECONDARY], DESTINATION, REGION);
    return dev;
}

static void program(struct device *dev, const struct block *block) {
    PUT(dev, NVDLA_BDMA, {BDMA_CFG_SRC_ADDR_LOW, (uint32_t)block->source},
        {BDMA_CFG_SRC_ADDR_HIGH, (uint32_t)(block->source >> 32)},
        {BDMA_CFG_DST_ADDR_LOW, (uint32_t)block->destination},
        {BDMA_CFG_DST_ADDR_HIGH, (uint32_t)(block->destination >> 32)}, {BDMA_CFG_LINE, block->size},
        {BDMA_CFG_CMD, block->source_ram | block->destination_ram << 1}, {BDMA_CFG_LINE_REPEAT, block->line_repeat},
        {BDMA_CFG_SRC_LINE, block->source_line}, {BDMA_CFG_DST_LINE, block->destination_line},
        {BDMA_CFG_SURF_REPEAT, block->surf_repeat}, {BDMA_CFG_SRC_SURF, block->source_surface},
        {BDMA_CFG_DST_SURF, block->destination_surface});
}

static void push(struct device *dev, const struct block *block) {
    program(dev, block);
    put(dev, NVDLA_BDMA, BDMA_CFG_OP, 1);
}

/* A block of one atom, number i: from SOURCE + 0x20 i to DESTINATION + 0x40 i. */
static struct block small_block(uint32_t i) {
    return (struct block){
        .source = SOURCE + 0x20 * i, .destination = DESTINATION + 0x40 * i, .source_ram = MC, .destination_ram = MC};
}

static void push_small(struct device *dev, uint32_t i) {
    struct block block = small_block(i);
    push(dev, &block);
}

static void launch(struct device *dev, uint32_t group) {
    put(dev, NVDLA_BDMA, group ? BDMA_CFG_LAUNCH1 : BDMA_CFG_LAUNCH0, 1);
}

static uint32_t status(struct device *dev) {
    return get(dev, NVDLA_BDMA, BDMA_STATUS);
}

/* Lets the launched group run and expects its interrupt (6 + group), which is cleared. */
static void finish(struct device *dev, uint32_t group) {
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x40u << group);
    clear_interrupts(dev);
}

/* True if the 32 bytes at two addresses are the same. */
static bool same_atom(struct device *dev, uint32_t from_ram, uint64_t from, uint32_t to_ram, uint64_t to) {
    uint8_t a[32], b[32];
    memory_read(dev->memory[from_ram == MC ? SPACE_PRIMARY : SPACE_SECONDARY], from, a, 32);
    memory_read(dev->memory[to_ram == MC ? SPACE_PRIMARY : SPACE_SECONDARY], to, b, 32);
    return memcmp(a, b, 32) == 0;
}

static bool small_copied(struct device *dev, uint32_t i) {
    struct block block = small_block(i);
    return same_atom(dev, MC, block.source, MC, block.destination);
}

/* Section 6. */
TEST(strides_are_unsigned_and_addresses_carry) {
    struct device *dev = bench_lenient("full");
    struct memory *mem = dev->memory[SPACE_PRIMARY];
    static const struct {
        struct block block;
        uint64_t from[6], to[6];
    } rows[] = {
        /* source, destination, size, repeats of lines and surfaces, strides of the source, of the destination */
        {{0xffffff00, 0, 7, 2, 1, 0x100, 0x300, 0x100, 0x300, MC, MC},
         {0xffffff00, 0x100000000, 0x100000100, 0x100000200, 0x100000300, 0x100000400},
         {0, 0x100, 0x200, 0x300, 0x400, 0x500}},
        {{0, 0x0123456789abcde0, 0, 1, 1, 0xffffffe0, 0xc0000000, 0x80000000, 0xffffffe0, MC, MC},
         {0, 0xffffffe0, 0xc0000000, 0x1bfffffe0},
         {0x123456789abcde0, 0x123456809abcde0, 0x123456889abcdc0, 0x123456909abcdc0}},
        {{0x100, 0x9000, 1, 2, 1, 0x60, 0x140, 0x40, 0x100, MC, MC}, {0x300}, {0x9180}},
        {{0, 0x4000, 0, 3, 1, 0, 0x20, 0x20, 0x80, MC, MC}, {0x20}, {0x40c0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t seed = i;
        for (size_t k = 0; k < 6; k++) {
            memory_declare(mem, rows[i].from[k], 32);
            memory_declare(mem, rows[i].to[k], 32);
            if (k == 0 || rows[i].from[k]) {
                uint64_t word[4] = {rnd(&seed), rnd(&seed), rnd(&seed), rnd(&seed)};
                memory_write(mem, rows[i].from[k], word, 32, NULL, NULL);
            }
        }
        push(dev, &rows[i].block);
        launch(dev, 0);
        finish(dev, 0);
        for (size_t k = 0; k < 6 && (k == 0 || rows[i].from[k]); k++)
            assert_true(same_atom(dev, MC, rows[i].from[k], MC, rows[i].to[k]));
    }
}

TEST_ON(one_group_may_use_all_memories, struct device *dev, bdma_device()) {
    static const uint32_t rams[4][2] = {{MC, MC}, {CV, MC}, {CV, CV}, {MC, CV}};
    for (uint32_t i = 0; i < 4; i++) {
        struct block block = small_block(i);
        block.source_ram = rams[i][0];
        block.destination_ram = rams[i][1];
        push(dev, &block);
    }
    launch(dev, 1);
    finish(dev, 1);
    for (uint32_t i = 0; i < 4; i++) {
        struct block block = small_block(i);
        assert_true(same_atom(dev, rams[i][0], block.source, rams[i][1], block.destination));
    }
}

/* ---- queue ---- */

TEST_ON(free_slots_do_not_count_the_output_register, struct device *dev, bdma_device()) {
    assert_int_equal(status(dev), 0x114);
    for (uint32_t n = 1; n <= 21; n++) {
        push_small(dev, n - 1);
        assert_int_equal(status(dev), 21 - n);
    }
    assert_int_equal(advance(dev), DEVICE_IDLE); /* nothing is executed before a launch */
    launch(dev, 0);
    finish(dev, 0);
    for (uint32_t i = 0; i < 21; i++)
        assert_true(small_copied(dev, i));
    assert_int_equal(status(dev), 0x114);
}

/* Section 4: the contents of a push into the full queue are lost, the last descriptor is carried out again for it. */
TEST_ON(overflow_repeats_the_last_descriptor, struct device *dev, bdma_device()) {
    for (uint32_t i = 0; i < 23; i++)
        push_small(dev, i);
    assert_int_equal(status(dev), 0);
    launch(dev, 0);
    finish(dev, 0);
    assert_true(small_copied(dev, 20));
    assert_false(small_copied(dev, 21));
    assert_false(small_copied(dev, 22));
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    assert_int_equal(statistics.write_beats[0], 23);
    assert_int_equal(status(dev), 0x114);
    push_small(dev, 30); /* the queue works on */
    launch(dev, 1);
    finish(dev, 1);
    assert_true(small_copied(dev, 30));
}

TEST_ON(a_push_takes_the_registers_as_they_are, struct device *dev, bdma_device()) {
    push_small(dev, 0);
    put(dev, NVDLA_BDMA, BDMA_CFG_OP, 0); /* pushes nothing */
    assert_int_equal(get(dev, NVDLA_BDMA, BDMA_CFG_OP), 0);
    put(dev, NVDLA_BDMA, BDMA_CFG_DST_ADDR_LOW, DESTINATION + 0x1000);
    put(dev, NVDLA_BDMA, BDMA_CFG_OP, 1);
    assert_int_equal(get(dev, NVDLA_BDMA, BDMA_CFG_OP), 1);
    put(dev, NVDLA_BDMA, BDMA_CFG_DST_ADDR_LOW, DESTINATION + 0x2000); /* too late */
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 0);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_int_equal(status(dev), 19); /* two pushed, not idle, not busy */
    launch(dev, 0);
    finish(dev, 0);
    assert_true(small_copied(dev, 0));
    assert_true(same_atom(dev, MC, SOURCE, MC, DESTINATION + 0x1000));
    assert_false(same_atom(dev, MC, SOURCE, MC, DESTINATION + 0x2000));
    assert_int_equal(get(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0), 1);
}

/* ---- launches ---- */

TEST_ON(groups_complete_in_the_order_of_their_launches, struct device *dev, bdma_device()) {
    push_small(dev, 0);
    launch(dev, 1);
    assert_int_equal(status(dev), 0x414);
    push_small(dev, 1);
    launch(dev, 0);
    assert_int_equal(status(dev) & 0x700, 0x600);
    finish(dev, 1);
    assert_true(small_copied(dev, 0));
    assert_false(small_copied(dev, 1));
    assert_int_equal(status(dev) & 0x700, 0x200);
    push_small(dev, 2);
    finish(dev, 0);
    assert_true(small_copied(dev, 1));
    assert_false(small_copied(dev, 2));
    assert_int_equal(status(dev), 0x014);
    launch(dev, 1);
    finish(dev, 1);
    assert_true(small_copied(dev, 2));
    assert_int_equal(status(dev), 0x114);
    struct memory_origin origin;
    assert_true(memory_origin_of(dev->memory[SPACE_PRIMARY], DESTINATION + 0x80, &origin));
    assert_int_equal(origin.unit, NVDLA_BDMA);
    assert_int_equal(origin.axi_id, 0);
    assert_int_equal(origin.ordinal, 2);
}

TEST_ON(a_launch_of_nothing_stays_busy_until_the_next_one_is_done, struct device *dev, bdma_device()) {
    launch(dev, 0);
    assert_int_equal(status(dev), 0x314);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    push_small(dev, 0);
    launch(dev, 1);
    finish(dev, 1);
    assert_int_equal(status(dev), 0x314);
    push_small(dev, 1);
    launch(dev, 0);
    finish(dev, 0);
    assert_int_equal(status(dev), 0x114);
}

/* The group before is held back by the arbiter weight, so that the launch behind it waits for sure. */
static struct device *held_device(void) {
    struct device *dev = bdma_device();
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x01010100);
    push_small(dev, 0);
    launch(dev, 0);
    push_small(dev, 1);
    launch(dev, 1);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    return dev;
}

static void release(struct device *dev) {
    put(dev, NVDLA_MCIF, MCIF_CFG_RD_WEIGHT_0, 0x01010101);
}

TEST_ON(pushes_behind_a_waiting_launch_join_its_group, struct device *dev, held_device()) {
    push_small(dev, 2);
    release(dev);
    finish(dev, 0);
    finish(dev, 1);
    assert_true(small_copied(dev, 2));
    assert_int_equal(status(dev), 0x114);
}

TEST_ON(a_launch_takes_over_the_one_that_waits, struct device *dev, held_device()) {
    push_small(dev, 2);
    launch(dev, 0);
    release(dev);
    finish(dev, 0);
    assert_int_equal(advance(dev), DEVICE_RUNNING); /* the second end of group 0 is lost */
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_true(small_copied(dev, 1));
    assert_true(small_copied(dev, 2));
    assert_int_equal(status(dev), 0x514); /* group 1 stays busy */
}

TEST(what_is_not_there_is_waited_for) {
    static const uint32_t weights[][2] = {{MCIF_CFG_RD_WEIGHT_0, 0x01010100}, {MCIF_CFG_WR_WEIGHT_0, 0x01010100}};
    for (size_t i = 0; i < 2; i++) {
        struct device *dev = bdma_device();
        push_small(dev, 0);
        put(dev, NVDLA_MCIF, weights[i][0], weights[i][1]);
        launch(dev, 0);
        assert_int_equal(advance(dev), DEVICE_IDLE);
        put(dev, NVDLA_MCIF, weights[i][0], 0x01010101);
        finish(dev, 0);
    }
}

TEST(repeats_beyond_13_bits_hang) {
    for (int i = 0; i < 4; i++) {
        struct device *dev = bdma_device();
        struct block block = small_block(0);
        block.line_repeat = i == 0 ? 8191 : i == 1 ? 8192 : 0;
        block.surf_repeat = i == 2 ? 8191 : i == 3 ? 8192 : 0;
        push(dev, &block);
        launch(dev, 0);
        if (i % 2 == 0) {
            finish(dev, 0);
        } else {
            assert_int_equal(advance(dev), DEVICE_IDLE);
            assert_int_equal(status(dev), 0x214);
        }
    }
}

TEST_ON(too_much_is_reported_and_not_carried_out, struct device *dev, bdma_device()) {
    struct block block = small_block(0);
    block.size = block.line_repeat = block.surf_repeat = 8191;
    push(dev, &block);
    launch(dev, 0);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    assert_int_equal(dev->finding_count, 1);
    assert_string_equal(dev->findings[0].rule, "layer-size");
}

TEST_ON(reset_empties_the_queue, struct device *dev, bdma_device()) {
    struct error err;
    push_small(dev, 0);
    launch(dev, 0);
    push_small(dev, 1);
    assert_true(dev->ops->reset(dev, &err));
    assert_int_equal(status(dev), 0x114);
    assert_int_equal(advance(dev), DEVICE_IDLE);
    launch(dev, 1);
    assert_int_equal(status(dev), 0x514);
}
