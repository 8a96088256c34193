/* Random convolutions: legal in every mode, weights are what compression says, every corner is drawn at times, illegal
 * layers are refused, and shrinking keeps to what Winograd and batches take. */
#include "tests/unit/trace_test.h"

#include "gen/gen.h"
#include "gen/shrink.h"
#include "layers/tracker.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"
#include "tests/unit/legal_program.h"
#include "tests/unit/random.h"

typedef void visitor(const struct gen_case *gen, void *context);

/* Visits cases of every configuration, drawn and not yet built. */
static void each_case(uint64_t seeds, visitor *visit, void *context) {
    static const char *const engines[] = {"conv", "img"};
    for (int c = 0; c < nvdla_config_count; c++) {
        bool many = nvdla_configs[c].weight_compression || nvdla_configs[c].winograd;
        for (size_t set = 0; set < 2; set++) {
            for (uint64_t seed = 1; seed <= (many ? 3 * seeds : seeds); seed++) {
                struct gen_case gen;
                gen_draw(&gen, &nvdla_configs[c], gen_engines(engines[set]), seed);
                visit(&gen, context);
            }
        }
    }
}

/* ---- legality ---- */

/* The launches of one convolution and what its registers say. */
struct layer {
    const struct nvdla_config *config;
    const struct program *prog;
    const struct launch *cdma, *csc;
    bool compressed;
    int bytes;    /* of an element */
    int entry;    /* bytes of a CBUF entry */
    int elements; /* of a kernel */
    int k;
};

static uint32_t reg(const struct launch *launch, uint32_t offset) {
    return launch_register(launch, offset);
}

/* All layers of the cases are convolutions, so all units have the same ordinal in a layer. */
static struct layer layer_of(const struct gen_case *gen, const struct program *prog, struct layer_tracker *layers,
                             int ordinal) {
    const struct nvdla_config *config = gen->config;
    const struct launch *csc = layer_tracker_find(layers, NVDLA_CSC, ordinal);
    const struct launch *cdma = layer_tracker_find(layers, NVDLA_CDMA, ordinal);
    assert_true(csc && cdma);
    const bool wide = config->int16 || config->fp16;
    const uint32_t misc = reg(csc, CSC_D_MISC_CFG), kernel = reg(csc, CSC_D_WEIGHT_SIZE_EXT_0);
    const uint32_t kernels = reg(csc, CSC_D_WEIGHT_SIZE_EXT_1);
    return (struct layer){
        .config = config,
        .prog = prog,
        .cdma = cdma,
        .csc = csc,
        .compressed = reg(csc, CSC_D_WEIGHT_FORMAT) != 0,
        .bytes = wide && (misc >> 12 & 3) != 0 ? 2 : 1,
        .entry = config->atomic_c * (wide ? 2 : 1),
        .elements = (int)(((kernel & 31) + 1) * ((kernel >> 16 & 31) + 1) * ((kernels & 0x1fff) + 1)),
        .k = (int)(kernels >> 16 & 0x1fff) + 1,
    };
}

/* What the program loads at an address of a RAM type. */
static const uint8_t *loaded(const struct layer *l, uint32_t address_high, uint32_t address_low, uint32_t size) {
    uint64_t address = (uint64_t)(l->config->addr_bits > 32 ? address_high : 0) << 32 | address_low;
    enum memory_space space = reg(l->cdma, CDMA_D_WEIGHT_RAM_TYPE) ? SPACE_PRIMARY : SPACE_SECONDARY;
    for (size_t i = 0; i < l->prog->count; i++) {
        const struct op *op = &l->prog->ops[i];
        if (op->kind == OP_MEM_LOAD && op->space == space && op->base == address) {
            assert_true(op->blob->chunk_count == 1 && op->blob->extent >= size);
            return op->blob->bytes + op->blob->chunks[0].start;
        }
    }
    fail_msg("nothing is loaded at 0x%llx", (unsigned long long)address);
    return NULL;
}

static uint32_t word(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* 20-data-formats section 6: as many bits as stored elements, group by group; what follows them is 0. */
static void compression_is_right(const struct layer *l) {
    uint32_t mask_bytes = reg(l->cdma, CDMA_D_WMB_BYTES), weight_bytes = reg(l->cdma, CDMA_D_WEIGHT_BYTES);
    int group = l->config->atomic_k / l->bytes, groups = (l->k + group - 1) / group;
    const uint8_t *masks = loaded(l, reg(l->cdma, CDMA_D_WMB_ADDR_HIGH), reg(l->cdma, CDMA_D_WMB_ADDR_LOW), mask_bytes);
    const uint8_t *sizes =
        loaded(l, reg(l->cdma, CDMA_D_WGS_ADDR_HIGH), reg(l->cdma, CDMA_D_WGS_ADDR_LOW), 4 * (uint32_t)groups);
    const uint8_t *weights =
        loaded(l, reg(l->cdma, CDMA_D_WEIGHT_ADDR_HIGH), reg(l->cdma, CDMA_D_WEIGHT_ADDR_LOW), weight_bytes);
    uint32_t stored = 0, bit = 0;
    for (int g = 0; g < groups; g++) {
        int kernels = g < groups - 1 ? group : l->k - g * group;
        uint32_t present = 0;
        for (int i = 0; i < kernels * l->elements; i++, bit++)
            present += masks[bit / 8] >> bit % 8 & 1u;
        assert_int_equal(word(sizes + 4 * g), present * (uint32_t)l->bytes);
        stored += present * (uint32_t)l->bytes;
    }
    uint32_t entry = (uint32_t)l->entry, used = stored == 0 ? entry : (stored + entry - 1) / entry * entry;
    assert_true(weight_bytes == used || weight_bytes == (used + 127) / 128 * 128);
    assert_int_equal(mask_bytes, ((bit + 7) / 8 + entry - 1) / entry * entry);
    for (uint32_t i = bit; i < 8 * mask_bytes; i++)
        assert_int_equal(masks[i / 8] >> i % 8 & 1, 0);
    for (uint32_t i = stored; i < weight_bytes; i++)
        assert_int_equal(weights[i], 0);
    assert_int_equal(reg(l->csc, CSC_D_WMB_BYTES), mask_bytes);
}

static void weights_are_legal(const struct layer *l) {
    uint32_t bytes = reg(l->cdma, CDMA_D_WEIGHT_BYTES);
    assert_int_equal(bytes % (uint32_t)l->entry, 0);
    if (!l->compressed)
        assert_true(bytes >= (uint32_t)(l->k * l->elements * l->bytes));
    else if (l->cdma->fetches_weights)
        compression_is_right(l);
}

static void check_legality(const struct gen_case *gen, void *context) {
    (void)context;
    struct error err = {.text = ""};
    struct program *prog = gen_build(gen, "t.nvt", &err);
    if (!prog)
        fail_msg("%s seed %d: %s", gen->config->name, (int)gen->seed, err.text);
    struct layer_tracker *layers = layer_tracker_new(gen->config);
    assert_non_null(layers);
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_WRITE)
            layer_tracker_write(layers, prog->ops[i].address, prog->ops[i].value, i);
    for (int i = 0; i < gen->count; i++) {
        struct layer layer = layer_of(gen, prog, layers, i);
        weights_are_legal(&layer);
    }
    layer_tracker_free(layers);
    if (gen->seed % 4 == 0)
        assert_legal(prog, gen->seed);
    program_free(prog);
}

TEST(layers_are_legal) {
    each_case(seeds_of(60), check_legality, NULL);
}

/* ---- corners --------------------------------------------------------------------------------- */

struct corners {
    int winograd, winograd_strides, winograd_pads, winograd_reuse, winograd_slides, winograd_one_tile, pra, batches,
        most_batches, batch_single, batch_reuse, batch_element, compressed, nothing_stored, empty_group, dense_group,
        many_groups, mask_ring, compressed_reuse, compressed_winograd, compressed_image, short_group, int16, fp16,
        nan_data, nan_weights, flush, image_stripes, image_blocks, image_int16, image_fp16, image_narrows, image_widens,
        image_to_fp16, secondary, all_channels;
};

enum { FORMATS = 0x24 };

/* Counted once for all tests: drawing is the work. */
static struct drawn {
    struct corners corners;
    int formats[FORMATS][NVDLA_FP16 + 1]; /* of image layers, by precision */
} drawn;

static void count_corners(const struct gen_case *gen, struct corners *n) {
    for (int i = 0; i < gen->count; i++) {
        const struct gen_layer *l = &gen->layers[i], *last = i > 0 ? l - 1 : NULL;
        const struct nvdla_pixel_format *pixel =
            l->conv == 2 ? nvdla_pixel_format(gen->config, (uint32_t)l->format) : NULL;
        bool winograd = l->conv == 3, element = (l->bs.on && l->bs.element) || (l->bn.on && l->bn.element);
        int64_t group = gen->config->atomic_k / (l->precision == NVDLA_INT8 ? 1 : 2);
        n->winograd += winograd;
        n->winograd_strides += winograd && l->stride_x > 1 && l->stride_y > 1 && l->stride_x != l->stride_y;
        n->winograd_pads += winograd && l->pad_left && l->pad_top && l->pad_right && l->pad_bottom;
        n->winograd_reuse += winograd && l->reuse_data && last->skip_data;
        n->winograd_slides += winograd && l->reuse_data && !last->skip_data;
        n->winograd_one_tile += winograd && l->pad_left + l->w + l->pad_right == 8 * l->stride_x;
        n->pra += winograd && l->pra == 3;
        n->batches += l->batches > 1;
        n->most_batches += l->batches == 32;
        n->batch_single += l->batches > 1 && l->w <= l->s && l->h <= l->r;
        n->batch_reuse += l->batches > 1 && l->reuse_data;
        n->batch_element += l->batches > 1 && element;
        n->compressed += l->compressed != 0;
        n->nothing_stored += l->compressed && l->density == 0 && !l->dense_groups;
        n->empty_group += l->compressed && l->empty_groups && l->k > group;
        n->dense_group += l->compressed && l->dense_groups && l->k > group;
        n->many_groups += l->compressed && l->k > 32 * group;
        n->mask_ring += l->compressed && l->conv == 1 && l->k * l->r * l->s * l->c > 8 * (1 << 15);
        n->compressed_reuse += l->compressed && l->reuse_weights;
        n->compressed_winograd += l->compressed && winograd;
        n->compressed_image += l->compressed && l->conv == 2;
        n->short_group += l->compressed && l->k % group != 0;
        n->int16 += l->precision == NVDLA_INT16;
        n->fp16 += l->precision == NVDLA_FP16;
        n->nan_data += l->nans != 0;
        n->nan_weights += l->weight_nans != 0;
        n->flush += l->precision == NVDLA_FP16 && l->nan_to_zero;
        n->image_stripes += pixel && l->w > 64 * l->stride_x + l->s;
        n->image_blocks += pixel && l->s * l->c > gen->config->atomic_c;
        n->image_int16 += pixel && pixel->precision == NVDLA_INT16;
        n->image_fp16 += pixel && pixel->precision == NVDLA_FP16;
        n->image_narrows += pixel && pixel->precision == NVDLA_INT16 && l->precision == NVDLA_INT8;
        n->image_widens += pixel && pixel->precision == NVDLA_INT8 && l->precision == NVDLA_INT16;
        n->image_to_fp16 += pixel && pixel->precision != NVDLA_FP16 && l->precision == NVDLA_FP16;
        n->secondary += l->in_space && l->weight_space && l->out_space;
        n->all_channels += l->c == 8192;
    }
}

static void count_formats(const struct gen_case *gen, int formats[][NVDLA_FP16 + 1]) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].conv == 2)
            formats[gen->layers[i].format][gen->layers[i].precision]++;
}

static void count_drawn(const struct gen_case *gen, void *context) {
    struct drawn *counted = context;
    count_corners(gen, &counted->corners);
    count_formats(gen, counted->formats);
}

static int draw(void **state) {
    (void)state;
    each_case(250, count_drawn, &drawn);
    return 0;
}

TEST(corners_are_drawn) {
    const int *all = &drawn.corners.winograd;
    for (size_t i = 0; i < sizeof drawn.corners / sizeof(int); i++)
        if (all[i] < 3)
            fail_msg("corner %zu was drawn %d times", i, all[i]);
}

/* Every format of 20-data-formats section 4 with every precision that section 10 allows. */
TEST(every_pixel_format_is_drawn_in_every_precision) {
    for (uint32_t i = 0; i < FORMATS; i++) {
        bool halves = nvdla_pixel_format(nvdla_config_find("full"), i)->precision == NVDLA_FP16;
        for (uint32_t precision = halves ? NVDLA_FP16 : NVDLA_INT8; precision <= NVDLA_FP16; precision++)
            if (drawn.formats[i][precision] == 0)
                fail_msg("format 0x%02x was not drawn in precision %u", (unsigned)i, (unsigned)precision);
    }
}

/* ---- refused layers -------------------------------------------------------------------------- */

/* A case of a plain convolution with these settings, "w=5 h=3", is refused with this message. */
static void illegal(const char *config, const char *settings, const char *expected) {
    struct gen_case gen = {.config = nvdla_config_find(config), .count = 1};
    struct error err = {.text = ""};
    gen_layer_plain(&gen.layers[0]);
    gen.layers[0].conv = gen.layers[0].sdp = 1;
    char name[32];
    int n;
    for (long long value; sscanf(settings, " %31[^=]=%lld%n", name, &value, &n) == 2; settings += n)
        for (size_t i = 0; i < gen_field_count; i++)
            if (strcmp(gen_fields[i].name, name) == 0)
                *gen_field_of(&gen.layers[0], &gen_fields[i]) = value;
    assert_int_equal(*settings, 0);
    assert_false(gen_legal(&gen, &err));
    if (!strstr(err.text, expected))
        fail_msg("found '%s', expected '%s'", err.text, expected);
}

TEST(illegal_layers_are_refused) {
    illegal("small", "conv=3 w=8 h=8", "configuration small has no Winograd");
    illegal("small", "batches=2", "2 batches, configuration small has at most 1");
    illegal("small", "compressed=1", "configuration small has no compressed weights");
    illegal("small", "precision=1", "configuration small has no INT16");
    illegal("small", "precision=2", "configuration small has no FP16");
    illegal("small", "conv=2 format=1", "configuration small does not read format 1");
    illegal("full", "conv=3 w=8 h=9", "height: 9 with pads 0 and 0 is not two or more Winograd tiles of 4");
    illegal("full", "conv=3 w=4 h=8", "width: 4 with pads 0 and 0 is not two or more");
    illegal("full", "conv=3 w=5 h=8 pad_left=3", "the first pad is larger than a kernel reaches");
    illegal("full", "conv=3 w=12 h=8 stride_x=2", "width: 12 with pads 0 and 0 is not two or more Winograd tiles of 8");
    illegal("full", "conv=3 w=8 h=8 dilation_x=2", "Winograd has no dilation");
    illegal("full", "conv=3 w=8 h=8 batches=2", "batches are for feature cubes");
    illegal("full", "conv=3 w=8 h=16 keep=2", "keep: whole tiles of Winograd");
    illegal("full", "conv=3 w=8 h=8 keep=8", "keep: at least one of 8 lines is released");
    illegal("full", "conv=3 w=8 h=8 pdp=1", "PDP takes no Winograd");
    illegal("full", "conv=3 w=64 h=64 stride_x=8 stride_y=8 c=129 precision=1", "kernels of 294912 bytes");
    illegal("full", "conv=2 batches=2", "batches are for feature cubes");
    illegal("full", "batches=2 pdp=1", "batches");
    illegal("full", "batches=32 h=256 data_banks=8", "8192 lines of 1 entries do not fit into 8 banks");
    illegal("full", "batches=2 k=64 bs.on=1 bs.alu=1 bs.alu_memory=1 bs.element=1",
            "operands for each element of batches of one column");
    illegal("full", "compressed=1 data_banks=8 weight_banks=8", "8 + 8 banks, there are 15");
    illegal("full", "compressed=1 density=1 c=4096 s=2 r=2 w=2 h=2 k=32 weight_banks=7",
            "bytes of mask bits do not fit into the last bank");
    illegal("full", "eps_extra=1", "entries per slice are exact");
    illegal("full", "conv=2 format=5", "format R16_F is for FP16");
    illegal("full", "conv=2 format=1", "format R10 needs the convertor for another precision");
    illegal("full", "conv=2 format=36", "does not read format 36");
    illegal("full", "conv=2 format=6 c=4 precision=1 x_offset=4", "x_offset 4: the pixel lies in the next atom");
}

/* ---- shrinking ------------------------------------------------------------------------------- */

static bool wide_winograd(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].conv == 3 && gen->layers[i].k > 2)
            return true;
    return false;
}

static bool sliding_winograd(const struct gen_case *gen) {
    for (int i = 1; i < gen->count; i++)
        if (gen->layers[i].conv == 3 && gen->layers[i].reuse_data && !gen->layers[i - 1].skip_data)
            return true;
    return false;
}

static bool many_batches(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].batches > 4 && gen->layers[i].compressed)
            return true;
    return false;
}

static bool judge_case(void *context, struct program *prog) {
    bool (*fails)(const struct gen_case *) = *(bool (**)(const struct gen_case *))context;
    struct gen_case gen;
    struct error err;
    assert_true(gen_case_read(&gen, prog, &err));
    assert_true(gen_legal(&gen, &err));
    return fails(&gen);
}

static struct gen_case shrunk(bool (*fails)(const struct gen_case *)) {
    struct shrink shrink = {.fails = judge_case, .context = &fails, .attempts = 800};
    struct gen_case gen;
    uint64_t seed = 1;
    do
        gen_draw(&gen, nvdla_config_find("full"), gen_engines("conv"), seed++);
    while (!fails(&gen));
    shrink_case(&shrink, &gen);
    assert_true(fails(&gen));
    return gen;
}

TEST(shrinking_keeps_to_whole_tiles_and_batches) {
    struct gen_case gen = shrunk(wide_winograd);
    assert_int_equal(gen.count, 1);
    assert_int_equal(gen.layers[0].k, 3);
    assert_int_equal(gen.layers[0].c, 1);
    assert_int_equal(gen.layers[0].w, 8);
    assert_int_equal(gen.layers[0].h, 8);
    assert_int_equal(gen.layers[0].precision, NVDLA_INT8);
    assert_int_equal(gen.layers[0].stride_x * gen.layers[0].stride_y, 1);

    gen = shrunk(sliding_winograd);
    assert_int_equal(gen.count, 2);
    assert_int_equal(gen.layers[0].keep, 4);
    assert_int_equal(gen.layers[1].w * gen.layers[1].k, 8);

    gen = shrunk(many_batches);
    assert_int_equal(gen.count, 1);
    assert_int_equal(gen.layers[0].batches, 5);
    assert_int_equal(gen.layers[0].w * gen.layers[0].h * gen.layers[0].c * gen.layers[0].k, 1);
}

TEST_GROUP(draw, NULL)
