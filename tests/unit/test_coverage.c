/* Functional coverage: layers land in the bins their registers name, values in their corners, bits say which. */
#include "trace_test.h"

#include <ctype.h>

#include "coverage/coverage.h"
#include "coverage/coverage_sort.h"
#include "nvdla/pixel.h"
#include "nvdla/text.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"
#include "trace/launches.h"

static struct program *trace_for(const char *config) {
    const struct nvdla_config *found = nvdla_config_find(config);
    assert_non_null(found);
    return keep_program(program_new(found, "t.cfg"));
}

TEST_KEEPS(keep_coverage, struct coverage, coverage_free)

static struct coverage *new_coverage(void) {
    return keep_coverage(coverage_new());
}

TEST_KEEPS(keep_launches, struct layer_tracker, layer_tracker_free)

static struct layer_tracker *launches_of(const struct program *prog) {
    return keep_launches(program_launches(prog));
}

static void set(struct program *prog, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct op op = op_make(OP_WRITE, 1);
    op.address = nvdla_unit_base(prog->config, unit) + offset;
    op.value = value;
    program_append(prog, &op);
}

#define SET(prog, unit, ...) FOR_ROWS(set(prog, unit, offset_, value_), __VA_ARGS__)

static void set_one(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    set(context, unit, offset, value);
}

static void set_all(struct program *prog, const char *text) {
    register_text(prog->config, text, set_one, prog);
}

static void add(struct coverage *coverage, const struct program *prog) {
    struct layer_tracker *launches = launches_of(prog);
    coverage_add(coverage, prog, launches, NULL);
}

/* Counts one trace. */
static struct coverage *counted(struct program *prog) {
    struct coverage *coverage = new_coverage();
    assert_non_null(coverage);
    add(coverage, prog);
    return coverage;
}

/* Index of the value that *values begins with, which it skips; -1: the aspect has none of that name. */
static int value_index(const struct coverage_aspect *aspect, const char **values) {
    const size_t n = strcspn(*values, ",");
    const char *wanted = *values, *at = aspect->values;
    *values += n + (wanted[n] == ',');
    for (int i = 0; !at && i < nvdla_config_count; i++)
        if (strlen(nvdla_configs[i].name) == n && strncmp(nvdla_configs[i].name, wanted, n) == 0)
            return i;
    for (int i = 0; at; i++, at = strchr(at, ' '), at += at != NULL)
        if (strncmp(at, wanted, n) == 0 && strcspn(at, " @") == n)
            return i;
    return -1;
}

/* Bin of "ASPECT*ASPECT=VALUE,VALUE" among those of a tuple of aspects, whose number it adds to *first; -1: the name is
 * of another tuple. */
static int bin_of_tuple(const struct coverage_engine *engine, const int *aspects, int count, const char *bin,
                        size_t *first) {
    struct text title = {0};
    size_t bins = 1;
    int index = 0;
    for (int i = 0; i < count; i++) {
        text_printf(&title, "%s%s", engine->aspects[aspects[i]].name, i + 1 < count ? "*" : "=");
        bins *= (size_t)coverage_values_count(&engine->aspects[aspects[i]]);
    }
    const char *values = bin + strlen(kept(title.text));
    const bool same = strncmp(bin, title.text, title.n) == 0;
    for (int i = 0; same && i < count && index >= 0; i++) {
        const int value = value_index(&engine->aspects[aspects[i]], &values);
        index = value < 0 ? -1 : index * coverage_values_count(&engine->aspects[aspects[i]]) + value;
    }
    *first += same ? 0 : bins;
    return same ? index : -1;
}

/* The count of a bin by its name. */
static uint64_t count(const struct coverage *coverage, const char *bin) {
    size_t n, first = 0;
    const uint64_t *counts = coverage_counts(coverage, &n);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        const struct coverage_engine *engine = coverage_engines[e];
        const size_t length = strlen(engine->name);
        const bool own = strncmp(bin, engine->name, length) == 0 && bin[length] == '.';
        const char *rest = own ? bin + length + 1 : "";
        if (strcmp(rest, "layers") == 0)
            return counts[first];
        first++;
        for (int i = 0; i < (int)(engine->aspect_count + engine->cross_count); i++) {
            const int single = i < (int)engine->aspect_count;
            const struct coverage_cross *cross = single ? NULL : &engine->crosses[i - (int)engine->aspect_count];
            const int found =
                bin_of_tuple(engine, cross ? cross->aspects : &i, cross ? cross->aspect_count : 1, rest, &first);
            if (found >= 0)
                return counts[first + (size_t)found];
        }
    }
    fail_msg("there is no bin %s", bin);
    return 0;
}

static void expect_count(const struct coverage *coverage, const char *bin, uint64_t wanted) {
    if (count(coverage, bin) != wanted)
        fail_msg("%s is %" PRIu64 ", expected %" PRIu64, bin, count(coverage, bin), wanted);
}

/* SDP from memory, 4x2x16 at offset `base`, BS adds an operand from memory. */
static void add_sdp(struct program *prog, uint32_t line) {
    set_all(prog, "SDP: D_DATA_CUBE_WIDTH=3 D_DATA_CUBE_HEIGHT=1 D_DATA_CUBE_CHANNEL=15");
    set(prog, NVDLA_SDP, SDP_D_DST_LINE_STRIDE, line);
    set(prog, NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, 2 * line);
    set_all(prog, "SDP: D_DST_DMA_CFG=1 D_DP_BS_CFG=BS_ALU_ALGO:2,BS_MUL_BYPASS:1,BS_RELU_BYPASS:1 "
                  "D_DP_BS_ALU_CFG=BS_ALU_SRC:1 D_DP_BN_CFG=BN_BYPASS:1 D_DP_EW_CFG=EW_BYPASS:1 D_CVT_SCALE=0x8000 "
                  "D_OP_ENABLE=1");
}

/* A convolution: 6x5x11 (WxHxC), kernels 3x2 in number 9, stride 2x1, pad left 1. */
static void add_conv(struct program *prog, bool image) {
    const uint32_t misc = image ? 0 : CSC_D_MISC_CFG__DATA_REUSE_MASK;
    set_all(prog, "CACC: D_CLIP_CFG=3 D_OP_ENABLE=1");
    set(prog, NVDLA_CSC, CSC_D_MISC_CFG, misc);
    set(prog, NVDLA_CSC, CSC_D_DATAIN_FORMAT, image);
    set_all(prog, "CSC: D_DATAIN_SIZE_EXT_0=0x40005 D_DATAIN_SIZE_EXT_1=10");
    SET(prog, NVDLA_CSC, {CSC_D_WEIGHT_SIZE_EXT_0, (image ? 0 : 2) | 1u << 16},
        {CSC_D_WEIGHT_SIZE_EXT_1, (image ? 3 * 4 - 1 : 10) | 8u << 16}, {CSC_D_POST_Y_EXTENSION, image});
    set_all(prog, "CSC: D_CONV_STRIDE_EXT=1 D_ZERO_PADDING=1 D_ZERO_PADDING_VALUE=0x80");
    /* columns -1 .. 5 in steps of 2 with 3 columns each: 3 outputs, all inside; lines 0 .. 4, 2 each: 5 with padding */
    set_all(prog, "CSC: D_DATAOUT_SIZE_0=0x40002 D_RELEASE=2 D_BANK=0x1d0001 D_OP_ENABLE=1");
    SET(prog, NVDLA_CDMA, {CDMA_D_DATAIN_FORMAT, (image ? 1 | 0x1bu << 8 : 0)}, {CDMA_D_DAIN_MAP, 1},
        {CDMA_D_CVT_CFG, image});
    set_all(prog, "CDMA: D_CVT_SCALE=7 D_PIXEL_OFFSET=1 D_OP_ENABLE=1");
}

/* ---- full ------------------------------------------------------------------------------------ */

enum { INT8, INT16, FP16 };

/* Arms a convolution with what was set before; whatever it does not set is zero. */
static void arm_conv(struct program *prog, int precision) {
    set(prog, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    set(prog, NVDLA_CDMA, CDMA_D_MISC_CFG, (uint32_t)precision << CDMA_D_MISC_CFG__PROC_PRECISION_LSB);
    set_all(prog, "CDMA: D_OP_ENABLE=1 CSC: D_OP_ENABLE=1");
}

static void set_csc_mode(struct program *prog, int precision, uint32_t mode) {
    set(prog, NVDLA_CSC, CSC_D_MISC_CFG, (uint32_t)precision << CSC_D_MISC_CFG__PROC_PRECISION_LSB | mode);
}

TEST(layers_land_in_their_bins) {
    char *rest = test_text("tests/unit/coverage.txt");
    const char *unit = "";
    struct program *prog = NULL;
    struct coverage *coverage = NULL;
    uint64_t wanted = 0;
    for (char *row; (row = test_row(&rest)) != NULL;) {
        if (row[0] != ' ') {
            prog = trace_for(strsep(&row, ":"));
            coverage = NULL;
        }
        for (char *word; (word = strsep(&row, " ")) != NULL;)
            if (isdigit((unsigned char)word[0])) {
                coverage = coverage ? coverage : counted(prog);
                wanted = strtoull(word, NULL, 10);
            } else if (*word && coverage)
                expect_count(coverage, word, wanted);
            else if (strcmp(word, "sdp") == 0)
                add_sdp(prog, (uint32_t)atoi(strsep(&row, " ")));
            else if (strcmp(word, "conv") == 0)
                add_conv(prog, strcmp(strsep(&row, " "), "image") == 0);
            else if (strcmp(word, "arm") == 0)
                arm_conv(prog, atoi(strsep(&row, " ")));
            else if (strchr(word, '='))
                set_all(prog, kept(xprintf("%s %s", unit, word)));
            else if (*word)
                unit = word;
    }
}

/* The bins of formats have the names of the formats, in their order. */
TEST(every_pixel_format_has_its_bins) {
    static const char *const precisions[] = {"int8", "int16", "fp16"};
    const struct nvdla_config *full = nvdla_config_find("full");
    char bin[100];
    for (uint32_t id = 0; id < 0x24; id++) {
        const struct nvdla_pixel_format *format = nvdla_pixel_format(full, id);
        const int to = format->precision == NVDLA_FP16 ? FP16 : (int)id % 3;
        struct program *prog = trace_for("full");
        set(prog, NVDLA_CSC, CSC_D_DATAIN_FORMAT, 1);
        set_csc_mode(prog, to, 0);
        set(prog, NVDLA_CDMA, CDMA_D_DATAIN_FORMAT, 1 | id << CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT_LSB);
        arm_conv(prog, to);
        struct coverage *coverage = counted(prog);
        snprintf(bin, sizeof bin, "conv.format*precision=%s,%s", format->name, precisions[to]);
        assert_int_equal(count(coverage, bin), 1);
        snprintf(bin, sizeof bin, "conv.conversion=%s>%s", precisions[format->precision], precisions[to]);
        assert_int_equal(count(coverage, bin), 1);
        assert_int_equal(count(coverage, "conv.input*precision=image,int16"), to == INT16);
    }
}

/* Group sizes are what the trace loads: the first group is empty, the second has all elements, the third some. */
TEST(compressed_groups_are_looked_up_in_memory) {
    static const uint8_t sizes[] = {0, 0, 0, 0, 0, 1, 0, 0, 7, 0, 0, 0}; /* 0, 256, 7 bytes */
    struct program *prog = trace_for("full");
    struct op op = op_make(OP_MEM_LOAD, 1);
    struct blob *blob = program_blob(prog, blob_new("w.dat"));
    blob_append(blob, 0x40, sizes, sizeof sizes);
    op.space = SPACE_SECONDARY;
    op.base = 0x100001000;
    op.blob = blob;
    program_append(prog, &op);
    set_csc_mode(prog, FP16, 0);
    set(prog, NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, 34u << 16); /* 35 kernels, 16 a group */
    set_all(prog, "CDMA: D_WEIGHT_FORMAT=1 D_WEIGHT_SIZE_0=15 D_WGS_ADDR_LOW=0x1040 D_WGS_ADDR_HIGH=1 "
                  "D_WMB_BYTES=0x180");
    arm_conv(prog, FP16);
    static const char *const bins[] = {
        "conv.weights*input*precision=compressed,feature,fp16",
        "conv.weights*weight_memory=compressed,secondary",
        "conv.empty_groups*kernel_groups=some,2..8",
        "conv.dense_groups=some",
        "conv.mask_entries=2..255",
    };
    const struct coverage *coverage = counted(prog);
    for (size_t i = 0; i < sizeof bins / sizeof bins[0]; i++)
        expect_count(coverage, bins[i], 1);
}

/* Whatever the registers hold, every value has a bin. */
TEST(any_register_value_can_be_sorted) {
    uint64_t seed = 1;
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *config = &nvdla_configs[c];
        struct program *prog = keep_program(program_new(config, "t.cfg"));
        const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
        for (int round = 0; round < 20; round++)
            for (size_t i = 0; i < map->count; i++) {
                struct op op = op_make(OP_WRITE, 1);
                op.address = map->registers[i].address;
                const char *name = map->registers[i].name;
                op.value = rnd(&seed) | (strcmp(name, "D_OP_ENABLE") == 0 || strcmp(name, "CFG_OP") == 0);
                program_append(prog, &op);
            }
        struct coverage *coverage = counted(prog);
        assert_true(count(coverage, "conv.layers") >= 20);
        assert_true(count(coverage, "cdp.layers") >= 20);
    }
}

/* The elements of a stream of the launch 0 of a unit, sorted. */
static void hear(struct corners *corners, enum nvdla_unit unit, enum tap tap, enum tap_format format, int width,
                 const struct convertor *convertor, const void *elements, size_t n) {
    const struct tap_listener listener = corners_listener(corners);
    const struct tap_stream stream = {unit, 0, tap, 0, format, width};
    const struct tap_sink sink = listener.open(listener.context, &stream);
    assert_non_null(sink.elements);
    if (sink.convertor)
        sink.convertor(sink.context, convertor, 0);
    sink.elements(sink.context, &stream, &(struct tap_place){.x = 0}, elements, 1, n, n);
}

static uint64_t sum(const struct coverage *coverage) {
    size_t n;
    const uint64_t *counts = coverage_counts(coverage, &n);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += counts[i];
    return all;
}

TEST_ON(values_land_in_their_corners, struct program *prog, trace_for("full")) {
    set_all(prog, "SDP: D_OP_ENABLE=1 CACC: D_OP_ENABLE=1 CDP: S_LUT_CFG=LUT_LE_FUNCTION:1 S_LUT_LE_START_LOW=100 "
                  "S_LUT_LO_START_LOW=0xffffffff S_LUT_LO_START_HIGH=0x3f D_OP_ENABLE=1 "
                  "PDP: D_POOLING_KERNEL_CFG=KERNEL_WIDTH:1 D_RECIP_KERNEL_WIDTH=0x8000 D_OP_ENABLE=1");
    struct layer_tracker *launches = launches_of(prog);
    struct corners *corners = corners_new(launches);
    /* (x + 1) * -1 / 2: 254 and -257 are the last that are not clipped, 0 and -2 ties */
    const struct convertor convertor = {.offset = -1, .scale = -1, .shift = 1, .bits = 8};
    hear(corners, NVDLA_SDP, TAP_SDP_CVT_IN, TAP_INT32, 32, &convertor, (const int32_t[]){0, -2, 254, 256}, 4);
    hear(corners, NVDLA_CACC, TAP_CACC_SAT, TAP_INT32, 32, NULL, (const int32_t[]){INT32_MAX, 1 << 30, -1}, 3);
    hear(corners, NVDLA_CACC, TAP_CACC_SAT, TAP_FP32, 0, NULL, (const uint32_t[]){0xff800000, 1, 0x7f800001}, 3);
    hear(corners, NVDLA_SDP, TAP_SDP_OUT, TAP_FP16, 0, NULL, (const uint16_t[]){0x8000, 0xfbff, 0x03ff}, 3);
    hear(corners, NVDLA_CDP, TAP_CDP_SUM, TAP_INT64, 22, NULL, (const int64_t[]){101, 163, 255}, 3);
    hear(corners, NVDLA_PDP, TAP_PDP_ROW, TAP_INT16, 11, NULL, (const int16_t[]){-256, 7}, 2);
    struct coverage *coverage = new_coverage();
    coverage_add(coverage, prog, launches, corners);
    const char *const reached[] = {"sdp_convertor=tie_negative",
                                   "sdp_convertor=tie_positive",
                                   "sdp_convertor=lowest",
                                   "sdp_convertor=below",
                                   "cacc=highest",
                                   "cacc=high",
                                   "cacc=negative",
                                   "cacc_fp32=beyond",
                                   "cacc_fp32=denormal",
                                   "cacc_fp32=nan",
                                   "sdp_out_fp16=zero",
                                   "sdp_out_fp16=largest",
                                   "sdp_out_fp16=denormal",
                                   "cdp_table=le_first",
                                   "cdp_table=le_last",
                                   "cdp_table=le_above",
                                   "cdp_table=lo_inside",
                                   "cdp_table=lo_end",
                                   "pdp_average=lowest",
                                   "pdp_average=tie_positive"};
    for (size_t i = 0; i < sizeof reached / sizeof reached[0]; i++) {
        char *bin = kept(xprintf("values.%s", reached[i]));
        if (count(coverage, bin) != 1)
            fail_msg("%s was not reached", bin);
    }
    assert_int_equal(sum(coverage) - sum(counted(prog)), sizeof reached / sizeof reached[0] + 6);
    assert_int_equal(count(coverage, "values.layers"), 6);
    corners_free(corners);
}

/* The bits of a trace. */
static unsigned char *bits_of(struct program *prog, size_t *n) {
    struct layer_tracker *launches = launches_of(prog);
    unsigned char *bits = coverage_bits(prog, launches, NULL, n);
    return bits;
}

TEST(bits_hold_what_a_trace_exercises) {
    size_t n, bins;
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    add_sdp(prog, 32);
    add_conv(prog, false);
    unsigned char *bits = bits_of(prog, &n);
    const uint64_t *counts = coverage_counts(counted(prog), &bins);
    uint64_t mark = 0;
    for (size_t i = 0; i < COVERAGE_MARK; i++)
        mark = mark << 8 | bits[i];
    assert_true(mark == coverage_mark());
    assert_int_equal(n, COVERAGE_MARK + (bins + 7) / 8);
    for (size_t i = 0; i < bins; i++)
        assert_int_equal(bits[COVERAGE_MARK + i / 8] >> i % 8 & 1, counts[i] > 0);
    free(bits);
}
