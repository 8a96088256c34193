/* Random convolutions: legal in every mode, weights are what compression says, every corner is drawn at times, illegal
 * layers are refused, and shrinking keeps to what Winograd and batches take. */
#include "tests/unit/trace_test.h"

#include "gen/gen.h"
#include "layers/tracker.h"
#include "nvdla_offsets.h"
#include "tests/unit/gen_text.h"
#include "tests/unit/legal_program.h"
#include "tests/unit/random.h"

typedef void visitor(struct gen_case *gen, void *context);

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

static void check_legality(struct gen_case *gen, void *context) {
    (void)context;
    struct error err = {.text = ""};
    autoprogram struct program *prog = gen_build(gen, "t.nvt", &err);
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
}

TEST(layers_are_legal) {
    each_case(seeds_of(60), check_legality, NULL);
}

/* ---- corners --------------------------------------------------------------------------------- */

enum { FORMATS = 0x24 };

/* Counted once for all tests: drawing is the work. */
static struct drawn {
    struct gen_condition *corners;        /* gen_conv_corners.txt */
    int formats[FORMATS][NVDLA_FP16 + 1]; /* of image layers, by precision */
} drawn;

static void count_drawn(struct gen_case *gen, void *context) {
    struct drawn *counted = context;
    for (struct gen_condition *corner = counted->corners; corner->text; corner++)
        gen_count(corner, gen);
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].conv == 2)
            counted->formats[gen->layers[i].format][gen->layers[i].precision]++;
}

TEST(corners_are_drawn) {
    drawn.corners = gen_conditions("tests/unit/gen_conv_corners.txt");
    each_case(250, count_drawn, &drawn);
    assert_drawn(drawn.corners, 3);
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
