/* Convolution of the model: chains of layers that share CBUF, counters, interrupts, and programs that hang. What single
 * layers compute is compared by tests/naive. */
#include "model_bench.h"

#include "model/cbuf.h"
#include "model/crep.h"
#include "tests/unit/test.h"

/* ---- tables of crep ---- */

/* Windows of 1x1 on a line of eight elements. */
static const struct crep_shape point = {.line = 8,
                                        .lines = 1,
                                        .column_step = 1,
                                        .row_step = 1,
                                        .columns = 1,
                                        .column = 1,
                                        .column_spacing = 1,
                                        .rows = 1,
                                        .row_spacing = 1,
                                        .block = 8,
                                        .rows_together = 1,
                                        .out_width = 1,
                                        .out_height = 1};

TEST(the_table_cache_keeps_the_shapes_used_last) {
    struct crep_cache cache = {.count = 0};
    struct crep_shape shape = point;
    const struct crep *first = crep_find(&cache, &shape);
    for (size_t i = 1; i < 2 * CREP_CACHED; i++) {
        shape.out_width = i + 1;
        assert_int_equal(crep_find(&cache, &shape)->shape.out_width, i + 1);
        shape.out_width = 1;
        assert_ptr_equal(crep_find(&cache, &shape), first);
        assert_int_equal(cache.hits, i);
        assert_int_equal(cache.builds, i + 1);
    }
    assert_int_equal(cache.count, CREP_CACHED);
    crep_cache_free(&cache);
}

/* Windows beyond the input see padding alone, however far away they are. */
TEST(far_windows_need_no_memory) {
    struct crep_shape shape = point;
    shape.lines = 4;
    shape.line = 32;
    shape.left = 31 * 8;
    shape.top = 31;
    shape.columns = shape.rows = 3;
    shape.column = shape.block;
    shape.column_step = 8 * 8;
    shape.row_step = 8;
    shape.column_spacing = 32 * 8;
    shape.row_spacing = 32;
    shape.out_width = shape.out_height = 8192;
    assert_true(crep_stored(&shape) <= (31 + 4 + 65) * (31 + 4 + 65) * 8);
    shape.out_width = shape.out_height = 1;
    assert_int_equal(crep_stored(&shape), 65 * 65 * 8);
}

TEST(rings_wrap) {
    struct cbuf cbuf;
    cbuf_init(&cbuf, nvdla_config_find("small"));
    uint8_t bytes[40], back[40];
    for (uint8_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i;
    struct cbuf_ring data = cbuf_data_ring(&cbuf, 2);
    assert_int_equal(data.entries, 1024);
    cbuf_write(&cbuf, data, 1024 * 8 - 16, bytes, sizeof bytes);
    cbuf_read(&cbuf, data, 3 * 1024 * 8 - 16, back, sizeof back);
    assert_memory_equal(bytes, back, sizeof bytes);
    assert_memory_equal(cbuf.bytes, bytes + 16, 24);
    /* A weight area beyond the last bank continues in bank 0. */
    struct cbuf_ring weights = cbuf_weight_ring(&cbuf, 31, 2);
    cbuf_write(&cbuf, weights, 512 * 8 - 8, bytes, sizeof bytes);
    assert_memory_equal(cbuf.bytes + 32 * 512 * 8 - 8, bytes, 8);
    assert_memory_equal(cbuf.bytes, bytes + 8, 32);
    cbuf_free(&cbuf);
}

/* ---- whole layers ---- */

enum { SOURCE = 0x100000, WEIGHTS = 0x200000, DESTINATION = 0x400000, INPUTS = 0x40000 };
enum { DATA_REUSE = 1 << 16, SKIP_DATA = 1 << 24, SKIP_WEIGHT = 1 << 28 };

/* A convolution of a packed cube with SDP behind it, true sizes: stride 1, no pads. */
struct conv {
    uint32_t width, height, channels, kernels, kernel, out_width, out_height;
    uint32_t truncate, shift; /* of CACC and of SDP's convertor */
    uint32_t line, surface, map, grain, entries, data_banks, weight_banks, weight_bytes, source, weights, destination;
    uint32_t flags;       /* reuse and skip bits of D_MISC_CFG, both units */
    uint32_t fetch, rows; /* lines that CDMA fetches; lines that CSC sees */
    uint32_t release;     /* slices */
    uint32_t atomics;     /* 0: those of the output */
};

static uint32_t parts(uint32_t n, uint32_t unit) {
    return (n + unit - 1) / unit;
}

static struct conv conv_feature(const struct nvdla_config *config, uint32_t width, uint32_t height, uint32_t channels,
                                uint32_t kernels, uint32_t kernel) {
    const uint32_t atom = (uint32_t)config->mem_atom, entry = (uint32_t)config->atomic_c, slots = entry / atom;
    const uint32_t depth = (uint32_t)config->cbuf_bank_depth;
    const uint32_t surfaces = parts(channels, atom), rest = surfaces % slots;
    /* 30-cdma-cbuf section 5.1 with the configuration's slots. */
    const uint32_t entries = surfaces / slots * width + (rest == 0                   ? 0
                                                         : rest <= 2 && slots > rest ? parts(width, slots / rest)
                                                                                     : width);
    const uint32_t weight_bytes = parts(kernels * kernel * kernel * channels, entry) * entry;
    const uint32_t out_width = width - kernel + 1, out_height = height - kernel + 1;
    return (struct conv){.width = width,
                         .height = height,
                         .channels = channels,
                         .kernels = kernels,
                         .kernel = kernel,
                         .out_width = out_width,
                         .out_height = out_height,
                         .shift = 8,
                         .line = width * atom,
                         .surface = width * height * atom,
                         .map = 0x10001,
                         .entries = entries,
                         .data_banks = parts(entries * height, depth),
                         .weight_banks = parts(weight_bytes, depth * entry),
                         .weight_bytes = weight_bytes,
                         .source = SOURCE,
                         .weights = WEIGHTS,
                         .destination = DESTINATION,
                         .fetch = height,
                         .rows = height,
                         .release = height};
}

/* Programs the registers of the selected groups. */
static void conv_program(struct device *dev, const struct conv *c) {
    const uint32_t atomics = c->atomics ? c->atomics : c->out_width * c->out_height;
    const uint32_t bank = (c->data_banks - 1) | (c->weight_banks - 1) << 16;
    PUT(dev, NVDLA_CDMA, {CDMA_D_MISC_CFG, c->flags}, {CDMA_D_DATAIN_FORMAT, 0},
        {CDMA_D_DATAIN_SIZE_0, (c->width - 1) | (c->fetch - 1) << 16}, {CDMA_D_DATAIN_SIZE_1, c->channels - 1},
        {CDMA_D_DAIN_RAM_TYPE, 1}, {CDMA_D_DAIN_ADDR_LOW_0, c->source}, {CDMA_D_LINE_STRIDE, c->line},
        {CDMA_D_SURF_STRIDE, c->surface}, {CDMA_D_DAIN_MAP, c->map}, {CDMA_D_ENTRY_PER_SLICE, c->entries - 1},
        {CDMA_D_FETCH_GRAIN, c->grain}, {CDMA_D_WEIGHT_SIZE_0, c->channels * c->kernel * c->kernel - 1},
        {CDMA_D_WEIGHT_SIZE_1, c->kernels - 1}, {CDMA_D_WEIGHT_RAM_TYPE, 1}, {CDMA_D_WEIGHT_ADDR_LOW, c->weights},
        {CDMA_D_WEIGHT_BYTES, c->weight_bytes}, {CDMA_D_BANK, bank});
    PUT(dev, NVDLA_CSC, {CSC_D_MISC_CFG, c->flags}, {CSC_D_DATAIN_FORMAT, 0},
        {CSC_D_DATAIN_SIZE_EXT_0, (c->width - 1) | (c->rows - 1) << 16}, {CSC_D_DATAIN_SIZE_EXT_1, c->channels - 1},
        {CSC_D_ENTRY_PER_SLICE, c->entries - 1}, {CSC_D_WEIGHT_SIZE_EXT_0, (c->kernel - 1) * 0x10001},
        {CSC_D_WEIGHT_SIZE_EXT_1, (c->channels - 1) | (c->kernels - 1) << 16}, {CSC_D_WEIGHT_BYTES, c->weight_bytes},
        {CSC_D_DATAOUT_SIZE_0, (c->out_width - 1) | (c->out_height - 1) << 16}, {CSC_D_ATOMICS, atomics - 1},
        {CSC_D_RELEASE, c->release - 1}, {CSC_D_BANK, bank});
    put(dev, NVDLA_CACC, CACC_D_CLIP_CFG, c->truncate);
    sdp_copy(dev, c->out_width, c->out_height, c->kernels, 0, c->destination);
    put(dev, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1);
    put(dev, NVDLA_SDP, SDP_D_CVT_SHIFT, c->shift);
}

static void conv_group(struct device *dev, uint32_t group) {
    static const enum nvdla_unit units[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        put(dev, units[i], CSC_S_POINTER, group);
}

static void conv_arm_core(struct device *dev) {
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
}

static void conv_arm(struct device *dev) {
    conv_arm_core(dev);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
}

enum { GROUP_BITS = 0x150001 }; /* CACC, CDMA_WT, CDMA_DAT and SDP of group 0; group 1 is the bit above */

/* Lets everything run. */
static void settle(struct device *dev) {
    while (dev->ops->advance(dev, 1000, false, NULL) == DEVICE_RUNNING) {
    }
}

static size_t conv_out_bytes(const struct device *dev, const struct conv *c) {
    const uint32_t atom = (uint32_t)dev->config->mem_atom;
    return (size_t)c->out_width * c->out_height * parts(c->kernels, atom) * atom;
}

/* Programs and runs one layer in a group, whose interrupts must come. */
static void conv_run_group(struct device *dev, const struct conv *c, uint32_t group) {
    const size_t out = conv_out_bytes(dev, c);
    memory_declare(dev->memory[SPACE_PRIMARY], c->destination, out);
    memory_fill(dev->memory[SPACE_PRIMARY], c->destination, out, 0xa5);
    conv_group(dev, group);
    conv_program(dev, c);
    conv_arm(dev);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS << group);
    clear_interrupts(dev);
    assert_int_equal(dev->finding_count, 0);
}

/* A device with random source and weights. */
static struct device *conv_device(const char *config) {
    struct device *dev = bench_new(config);
    uint64_t seed = 1;
    random_region(dev, &seed, SOURCE, INPUTS);
    random_region(dev, &seed, WEIGHTS, INPUTS);
    return dev;
}

/* The output is that of the layer alone, which fetches all that it uses. */
static void conv_check(struct device *dev, const struct conv *c) {
    static uint8_t bytes[INPUTS], want[0x1000], got[0x1000];
    struct device *fresh = bench_new(dev->config->name);
    struct conv alone = *c;
    const size_t out = conv_out_bytes(dev, c);
    assert_true(out <= sizeof want);
    for (uint64_t at = SOURCE; at <= WEIGHTS; at += WEIGHTS - SOURCE) {
        memory_read(dev->memory[SPACE_PRIMARY], at, bytes, sizeof bytes);
        memory_declare(fresh->memory[SPACE_PRIMARY], at, sizeof bytes);
        memory_write(fresh->memory[SPACE_PRIMARY], at, bytes, sizeof bytes, NULL, NULL);
    }
    alone.flags = 0;
    alone.fetch = alone.rows;
    alone.atomics = 0;
    conv_run_group(fresh, &alone, 0);
    memory_read(fresh->memory[SPACE_PRIMARY], c->destination, want, out);
    memory_read(dev->memory[SPACE_PRIMARY], c->destination, got, out);
    assert_memory_equal(got, want, out);
}

/* 20-data-formats sections 2.1, 2.2 and 9, 98-measured-rules section 3. */
TEST_ON(flags_and_low_address_bits, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 1, 1, 40, 8, 1);
    c.surface = 0x40;
    c.map = 1;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    /* SURF_PACKED on a 1x1 cube: the stride is ignored. */
    struct conv packed = c;
    packed.map = 0x10001;
    conv_run_group(dev, &packed, 1);
    packed.surface = 8;
    conv_check(dev, &packed);
    /* LINE_PACKED with grains on unpacked lines: a grain is one run of atoms. */
    struct conv lines = conv_feature(dev->config, 5, 4, 8, 8, 1);
    lines.line = 5 * 8 + 24;
    lines.surface = 4 * lines.line;
    lines.map = 1;
    lines.grain = 1;
    conv_run_group(dev, &lines, 0);
    uint8_t packed_lines[4][40];
    for (uint32_t y = 0; y < 4; y++)
        memory_read(dev->memory[SPACE_PRIMARY], SOURCE + y / 2 * 2 * lines.line + y % 2 * 40, packed_lines[y], 40);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE + 0x30000, sizeof packed_lines);
    memory_write(dev->memory[SPACE_PRIMARY], SOURCE + 0x30000, packed_lines, sizeof packed_lines, NULL, NULL);
    struct conv same = lines;
    same.source = SOURCE + 0x30000;
    same.line = 40;
    conv_check(dev, &same);
    /* Low bits of base, strides and weight address are dropped. */
    struct conv low = conv_feature(dev->config, 3, 3, 20, 9, 2), plain = low;
    low.source += 7;
    low.line += 5;
    low.surface += 3;
    low.weights += 6;
    low.map = 0;
    conv_run_group(dev, &low, 1);
    conv_check(dev, &plain);
}

/* SDP may cut the same positions into other lines, and OP_ENABLE comes in any order. */
TEST_ON(lines_of_sdp_and_order_of_arming_are_free, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 6, 4, 8, 10, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 6 * 4 * 16);
    conv_program(dev, &c);
    PUT(dev, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, 23}, {SDP_D_DATA_CUBE_HEIGHT, 0}, {SDP_D_DST_LINE_STRIDE, 24 * 8});
    static const enum nvdla_unit order[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_CMAC_A};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        put(dev, order[i], order[i] == NVDLA_CDMA ? CDMA_D_OP_ENABLE : CSC_D_OP_ENABLE, 1);
        settle(dev);
    }
    assert_int_equal(pending_interrupts(dev), 0x50000); /* both fetches are done, no engine takes the results */
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS);
    conv_check(dev, &c);
}

/* ---- CBUF across layers ---- */

/* Both groups armed at once: the second layer's fetch waits for room or goes ahead, results are the same. */
TEST(queued_layers_share_the_rings) {
    for (uint32_t banks = 1; banks <= 2; banks++) {
        struct device *dev = conv_device("small");
        struct conv c = conv_feature(dev->config, 8, 8, 32, 16, 1); /* half a bank */
        memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 0x10000);
        for (uint32_t layer = 0; layer < 5; layer++) {
            c.data_banks = banks;
            c.source = SOURCE + 0x800 * layer;
            c.weights = WEIGHTS + 0x200 * layer;
            c.destination = DESTINATION + 0x1000 * layer;
            conv_group(dev, layer % 2);
            conv_program(dev, &c);
            conv_arm(dev);
            if (layer % 2) {
                settle(dev);
                assert_int_equal(pending_interrupts(dev), GROUP_BITS * 3);
                clear_interrupts(dev);
            }
        }
        settle(dev);
        assert_int_equal(pending_interrupts(dev), GROUP_BITS);
        for (uint32_t layer = 0; layer < 5; layer++) {
            c.source = SOURCE + 0x800 * layer;
            c.weights = WEIGHTS + 0x200 * layer;
            c.destination = DESTINATION + 0x1000 * layer;
            conv_check(dev, &c);
        }
    }
}

enum { DATA_ID = 8, WEIGHT_ID = 9 };

/* 98-measured-rules section 8: fewer lines of a kept input are its oldest ones, and what is not released stays. */
TEST_ON(a_shorter_layer_uses_the_oldest_lines, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 4, 6, 8, 8, 1);
    c.flags = SKIP_DATA;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    struct conv less = c;
    less.flags = DATA_REUSE;
    less.rows = less.fetch = less.release = less.out_height = 4;
    conv_run_group(dev, &less, 1);
    conv_check(dev, &less);
    /* Two lines of the old input precede the new one. */
    struct conv next = c;
    next.flags = 0;
    next.source = SOURCE + 0x1000;
    conv_run_group(dev, &next, 0);
    uint8_t lines[6 * 32];
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE + 4 * 32, lines, 2 * 32);
    memory_read(dev->memory[SPACE_PRIMARY], SOURCE + 0x1000, lines + 2 * 32, 4 * 32);
    memory_write(dev->memory[SPACE_PRIMARY], SOURCE + 0x2000, lines, sizeof lines, NULL, NULL);
    next.source = SOURCE + 0x2000;
    conv_check(dev, &next);
}

/* The same section: CDMA appends WEIGHT_BYTES, CSC releases what it used; the surplus comes first in the next layer. */
TEST_ON(surplus_weights_stay_in_front, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 3, 2, 5, 8, 1); /* 40 bytes of weights */
    c.weight_bytes = 128;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    struct conv next = c;
    next.weights = WEIGHTS + 0x1000;
    conv_run_group(dev, &next, 1);
    next.weights = WEIGHTS + 40; /* what the first layer left: 88 bytes */
    conv_check(dev, &next);
    /* Skipped release gives WEIGHT_BYTES back. */
    struct conv skip = c;
    skip.weights = WEIGHTS + 0x2000;
    skip.flags = SKIP_WEIGHT;
    skip.weight_banks = 2;
    conv_run_group(dev, &skip, 0);
    conv_check(dev, &skip);
    struct conv after = skip;
    after.weights = WEIGHTS + 0x3000;
    after.flags = 0;
    conv_run_group(dev, &after, 1);
    conv_check(dev, &after);
}

/* ---- status ---- */

/* 40-convolution-core section 9.7: the counter of clamped results, and the layer of one delivery that adds. */
TEST_ON(clamped_results_are_counted, struct device *dev, bench_new("large")) {
    for (uint64_t at = SOURCE; at <= WEIGHTS; at += WEIGHTS - SOURCE) {
        memory_declare(dev->memory[SPACE_PRIMARY], at, INPUTS);
        memory_fill(dev->memory[SPACE_PRIMARY], at, INPUTS, 0x80);
    }
    struct conv c = conv_feature(dev->config, 33, 33, 160, 1, 32); /* 4 results of 163840 products of 2^14 */
    c.shift = 31;
    for (uint32_t layer = 0; layer < 3; layer++) {
        if (layer == 1)
            c.out_width = c.out_height = 1;
        conv_run_group(dev, &c, layer % 2);
        conv_check(dev, &c);
        static const uint32_t counts[] = {4, 5, 6};
        assert_int_equal(get(dev, NVDLA_CACC, CACC_D_OUT_SATURATION), counts[layer]);
    }
    c.truncate = 1; /* 2^31 and more become less: nothing is clamped */
    c.out_width = 2;
    conv_run_group(dev, &c, 1);
    conv_check(dev, &c);
    assert_int_equal(get(dev, NVDLA_CACC, CACC_D_OUT_SATURATION), 0);
}

TEST(flush_is_always_done) {
    for (int i = 0; i < nvdla_config_count; i++) {
        struct device *dev = bench_new(nvdla_configs[i].name);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS), 1);
        put(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS, 0);
        assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS), 1);
    }
}

/* Interrupts come in the order of the hardware: fetches, then CACC and SDP. */
TEST_ON(fetches_interrupt_before_results, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 4 * 4 * 8);
    conv_program(dev, &c);
    conv_arm(dev);
    enum device_state now;
    while ((now = advance(dev)) == DEVICE_RUNNING) {
    }
    assert_int_equal(now, DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x50000);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_POINTER), 0x10000);
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 1);
    clear_interrupts(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(pending_interrupts(dev), 0x100001);
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 0);
    assert_int_equal(get(dev, NVDLA_CACC, CACC_S_POINTER), 0x10000);
}

/* CDMA goes ahead alone while the banks stay the same, and waits for CSC when they change. */
TEST_ON(cdma_goes_ahead_of_csc, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 4 * 4 * 8);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0);
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 1);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0x50000);
    conv_arm_core(dev);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), GROUP_BITS);
    clear_interrupts(dev);
    /* Same banks. */
    conv_group(dev, 1);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    settle(dev);
    assert_int_equal(pending_interrupts(dev), 0xa0000);
}

TEST_ON(more_results_than_sdp_takes, struct device *dev, conv_device("small")) {
    struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    c.atomics = c.out_width * c.out_height + 1;
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
    const size_t told = dev->warning_count;
    c.atomics--;
    conv_group(dev, 1);
    conv_program(dev, &c);
    conv_arm(dev);
    settle(dev);
    assert_true(dev->warning_count > told);
    assert_non_null(strstr(dev->warnings[told].text, "has left results that SDP did not take"));
    assert_int_equal(dev->warnings[told].effect, RULE_REFUSED);
}

/* An input in memory that does not exist: the weights come, the layer waits, and reset brings everything back. */
TEST_ON(reset_ends_a_hang, struct device *dev, conv_device("small")) {
    const struct conv c = conv_feature(dev->config, 4, 4, 8, 8, 1);
    struct error err;
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, 0x1000);
    conv_program(dev, &c);
    put(dev, NVDLA_CDMA, CDMA_D_DAIN_RAM_TYPE, 0);
    conv_arm(dev);
    settle(dev);
    assert_true(dev->ops->at_rest(dev));
    assert_int_equal(pending_interrupts(dev), 0x40000); /* weights only */
    assert_int_equal(get(dev, NVDLA_CDMA, CDMA_S_STATUS), 1);
    assert_int_equal(get(dev, NVDLA_CSC, CSC_S_STATUS), 1);
    assert_int_equal(dev->finding_count, 0);
    assert_true(dev->ops->reset(dev, &err));
    conv_run_group(dev, &c, 0);
    conv_check(dev, &c);
}
