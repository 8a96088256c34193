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

TEST_KEEPS(keep_launches, struct layer_tracker, layer_tracker_free)
TEST_KEEPS(keep_corners, struct corners, corners_free)

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

/* Counts one trace. */
static struct coverage *counted(const struct program *prog) {
    struct coverage *coverage = keep_coverage(coverage_new());
    coverage_add(coverage, prog, launches_of(prog), NULL);
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

/* The count of a bin by its name; of an engine by its name alone, the sum of all its bins but its layers. */
static uint64_t count(const struct coverage *coverage, const char *bin) {
    size_t n, first = 0;
    const uint64_t *counts = coverage_counts(coverage, &n);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        const struct coverage_engine *engine = coverage_engines[e];
        const size_t length = strlen(engine->name), layers = first;
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
        uint64_t sum = 0;
        for (size_t i = layers + 1; i < first; i++)
            sum += counts[i];
        if (strcmp(bin, engine->name) == 0)
            return sum;
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

/* A trace and its streams. */
struct traced {
    struct program *prog;
    struct layer_tracker *launches;
    struct corners *corners; /* NULL: it was not played */
};

static int index_of(const char *const *names, int count, const char *name) {
    int i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* The elements of a stream of the launch 0 of a unit, sorted: UNIT TAP FORMAT WIDTH VALUE,VALUE.... */
static void hear(struct traced *t, char **words) {
    static const int bytes[] = {
        [TAP_INT8] = 1, [TAP_INT16] = 2, [TAP_INT32] = 4, [TAP_INT64] = 8, [TAP_FP16] = 2, [TAP_FP32] = 4};
    /* (x + 1) * -1 / 2: 254 and -257 are the last that are not clipped, 0 and -2 ties */
    const struct convertor convertor = {.offset = -1, .scale = -1, .shift = 1, .bits = 8};
    struct tap_stream stream = {.unit = nvdla_unit_find(strsep(words, " "))};
    stream.tap = (enum tap)index_of(tap_names, TAP_COUNT, strsep(words, " "));
    stream.format = (enum tap_format)index_of(tap_format_names, TAP_FORMATS, strsep(words, " "));
    stream.width = atoi(strsep(words, " "));
    if (!t->corners) {
        t->launches = launches_of(t->prog);
        t->corners = keep_corners(corners_new(t->launches));
    }
    const struct tap_listener listener = corners_listener(t->corners);
    const struct tap_sink sink = listener.open(listener.context, &stream);
    assert_non_null(sink.elements);
    if (sink.convertor)
        sink.convertor(sink.context, &convertor, 0);
    char elements[64], *values = strsep(words, " ");
    size_t n = 0;
    for (char *value; (value = strsep(&values, ",")) != NULL; n++)
        memcpy(elements + n * (size_t)bytes[stream.format], &(int64_t){strtoll(value, NULL, 0)},
               (size_t)bytes[stream.format]);
    sink.elements(sink.context, &stream, &(struct tap_place){.x = 0}, elements, 1, n, n);
}

/* Loads sizes of compressed groups, 0, 256 and 7 bytes, into secondary memory. */
static void load_sizes(struct program *prog) {
    static const uint8_t sizes[] = {0, 0, 0, 0, 0, 1, 0, 0, 7, 0, 0, 0};
    struct op op = op_make(OP_MEM_LOAD, 1);
    struct blob *blob = program_blob(prog, blob_new("w.dat"));
    blob_append(blob, 0x40, sizes, sizeof sizes);
    op.space = SPACE_SECONDARY;
    op.base = 0x100001000;
    op.blob = blob;
    program_append(prog, &op);
}

/* Does what a word and its arguments in *rest say. */
static void step(struct traced *t, char *word, char **rest, const char **unit) {
    if (strcmp(word, "sdp") == 0)
        add_sdp(t->prog, (uint32_t)atoi(strsep(rest, " ")));
    else if (strcmp(word, "conv") == 0)
        add_conv(t->prog, strcmp(strsep(rest, " "), "image") == 0);
    else if (strcmp(word, "arm") == 0)
        arm_conv(t->prog, atoi(strsep(rest, " ")));
    else if (strcmp(word, "sizes") == 0)
        load_sizes(t->prog);
    else if (strcmp(word, "hear") == 0)
        hear(t, rest);
    else if (strchr(word, '='))
        set_all(t->prog, kept(xprintf("%s %s", *unit, word)));
    else if (*word)
        *unit = word;
}

TEST(layers_land_in_their_bins) {
    char *rest = test_text("tests/unit/coverage.txt");
    const char *unit = "";
    struct traced traced = {0};
    struct coverage *coverage = NULL;
    uint64_t wanted = 0;
    for (char *row; (row = test_row(&rest)) != NULL;) {
        if (row[0] != ' ') {
            traced = (struct traced){.prog = trace_for(strsep(&row, ":"))};
            coverage = NULL;
        }
        for (char *word; (word = strsep(&row, " ")) != NULL;)
            if (isdigit((unsigned char)word[0])) {
                if (!coverage) {
                    coverage = keep_coverage(coverage_new());
                    coverage_add(coverage, traced.prog, traced.corners ? traced.launches : launches_of(traced.prog),
                                 traced.corners);
                }
                wanted = strtoull(word, NULL, 10);
            } else if (*word && coverage)
                expect_count(coverage, word, wanted);
            else
                step(&traced, word, &row, &unit);
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
        set(prog, NVDLA_CSC, CSC_D_MISC_CFG, (uint32_t)to << CSC_D_MISC_CFG__PROC_PRECISION_LSB);
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

TEST(bits_hold_what_a_trace_exercises) {
    size_t n, bins;
    struct program *prog = trace_for("small");
    add_sdp(prog, 32);
    add_sdp(prog, 32);
    add_conv(prog, false);
    unsigned char *bits = coverage_bits(prog, launches_of(prog), NULL, &n);
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
