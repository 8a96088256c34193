/* Convolutions: CDMA, CSC, CMAC and CACC. */
#include "coverage/coverage_engines.h"
#include "nvdla/pixel.h"

enum { FEATURE, IMAGE, WINOGRAD }; /* values of CONV_INPUT */

#define KERNEL "1 2 3 4..8 9.."
static int kernel_class(int n) {
    return n <= 3 ? n - 1 : n <= 8 ? 3 : 4;
}

/* Stripes hold 16 / NB positions (chapter 40 section 4.2). */
#define BATCHES "1 2..3@batch 4..7@batch 8..15@batch 16..@batch"
static int batch_class(int n) {
    return n < 2 ? 0 : n < 4 ? 1 : n < 8 ? 2 : n < 16 ? 3 : 4;
}

#define POSITIONS "1 2..7 8..15 16 17..31 32.."
static int position_class(int n) {
    return n == 1 ? 0 : n < 8 ? 1 : n < 16 ? 2 : n == 16 ? 3 : n < 32 ? 4 : 5;
}

/* WGS is read in words of 8 group sizes, at most 32 words ahead (chapter 30 section 8.2). */
#define KERNEL_GROUPS "1 2..8 9..32 33.."
static int kernel_group_class(int n) {
    return n == 1 ? 0 : n <= 8 ? 1 : n <= 32 ? 2 : 3;
}

/* Entries of mask bits relative to their ring of 256. */
#define MASK_ENTRIES "1 2..255 256.."
static int mask_entry_class(uint32_t n) {
    return n <= 1 ? 0 : n < 256 ? 1 : 2;
}

#define SHARE "none some all"
static int share_class(int n, int of) {
    return n == 0 ? 0 : n < of ? 1 : 2;
}

/* In the order of PIXEL_FORMAT. */
#define FORMATS                                                                                                        \
    "R8 R10@int16 R12@int16 R16@int16 R16_I@int16 R16_F@fp16 A16B16G16R16@int16 X16B16G16R16@int16 "                   \
    "A16B16G16R16_F@fp16 A16Y16U16V16@int16 V16U16Y16A16@int16 A16Y16U16V16_F@fp16 A8B8G8R8 A8R8G8B8 "                 \
    "B8G8R8A8 R8G8B8A8 X8B8G8R8 X8R8G8B8 B8G8R8X8 R8G8B8X8 A2B10G10R10@int16 A2R10G10B10@int16 "                       \
    "B10G10R10A2@int16 R10G10B10A2@int16 A2Y10U10V10@int16 V10U10Y10A2@int16 A8Y8U8V8 V8U8Y8A8 "                       \
    "Y8___U8V8_N444 Y8___V8U8_N444 Y10___U10V10_N444@int16 Y10___V10U10_N444@int16 "                                   \
    "Y12___U12V12_N444@int16 Y12___V12U12_N444@int16 Y16___U16V16_N444@int16 Y16___V16U16_N444@int16"

#define CONVERSIONS                                                                                                    \
    "int8>int8 int8>int16@int16 int8>fp16@fp16 int16>int8@int16 int16>int16@int16 int16>fp16@fp16 fp16>fp16@fp16"

/* clang-format off */
#define CONV_ASPECTS(A) \
    A(CONV_GROUP, ASPECT("group", GROUP)) \
    A(CONV_INPUT, ASPECT("input", "feature image winograd@winograd")) \
    A(CONV_PRECISION, ASPECT("precision", PRECISION)) \
    A(CONV_WIDTH, ASPECT("width", SIZE)) \
    A(CONV_HEIGHT, ASPECT("height", SIZE)) \
    A(CONV_CHANNELS, ASPECT("channels", BLOCK)) \
    /* atoms of a pixel in its last entry, which has room for 4 (chapter 30 section 5.1) */ \
    A(CONV_TAIL, ASPECT_IF("tail_atoms", "0 1 2 3", COVERAGE_NEEDS_INT16)) \
    A(CONV_KERNELS, ASPECT("kernels", BLOCK)) \
    /* lengths of the last block of channels, of the last group of kernels, of the last stripe */ \
    A(CONV_LAST_CHANNELS, ASPECT("last_channels", LAST_32("wide", "wide") LAST_33("c64"))) \
    A(CONV_LAST_KERNELS, ASPECT("last_kernels", LAST_32("k16", "k32"))) \
    A(CONV_LAST_STRIPE, ASPECT("last_stripe", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16")) \
    A(CONV_KERNEL_WIDTH, ASPECT("kernel_width", KERNEL)) \
    A(CONV_KERNEL_HEIGHT, ASPECT("kernel_height", KERNEL)) \
    A(CONV_STRIDE_X, ASPECT("stride_x", STEPS)) \
    A(CONV_STRIDE_Y, ASPECT("stride_y", STEPS)) \
    A(CONV_DILATION_X, ASPECT("dilation_x", STEPS)) \
    A(CONV_DILATION_Y, ASPECT("dilation_y", STEPS)) \
    A(CONV_PAD_LEFT, ASPECT("pad_left", OFF_ON)) \
    A(CONV_PAD_RIGHT, ASPECT("pad_right", OFF_ON)) \
    A(CONV_PAD_TOP, ASPECT("pad_top", OFF_ON)) \
    A(CONV_PAD_BOTTOM, ASPECT("pad_bottom", OFF_ON)) \
    A(CONV_PAD_VALUE, ASPECT("pad_value", SIGN)) \
    A(CONV_POSITIONS, ASPECT("positions", POSITIONS)) \
    A(CONV_BATCH, ASPECT("batch", BATCHES)) \
    A(CONV_PRA, ASPECT_IF("pra_truncate", "0 1 2 3", COVERAGE_NEEDS_WINOGRAD)) \
    A(CONV_DATA_REUSE, ASPECT("data_reuse", OFF_ON)) \
    A(CONV_DATA_RELEASE, ASPECT("data_release", "all some none")) \
    A(CONV_WEIGHT_REUSE, ASPECT("weight_reuse", OFF_ON)) \
    A(CONV_WEIGHT_RELEASE, ASPECT("weight_release", "all none")) \
    A(CONV_BANKS, ASPECT("banks", "first same changed")) \
    A(CONV_BUFFER, ASPECT("buffer", "part_used all_used")) \
    A(CONV_LINES, ASPECT("lines", PACKING)) \
    A(CONV_SURFACES, ASPECT("surfaces", PACKING)) \
    A(CONV_GRAIN, ASPECT("grain", "1 2..")) \
    A(CONV_CONVERTOR, ASPECT("convertor", OFF_ON)) \
    A(CONV_SCALE, ASPECT("scale", SCALE)) \
    A(CONV_SHIFT, ASPECT("shift", SHIFT)) \
    A(CONV_MEAN, ASPECT("mean", OFF_ON)) \
    A(CONV_FORMAT, ASPECT("format", FORMATS)) \
    A(CONV_CONVERSION, ASPECT("conversion", CONVERSIONS)) \
    A(CONV_COMPONENTS, ASPECT("components", "1 3 4")) \
    A(CONV_SIGN, ASPECT("pixels", "unsigned signed")) \
    A(CONV_X_OFFSET, ASPECT("x_offset", "0 1..")) \
    A(CONV_Y_EXTENSION, ASPECT("y_extension", "1 2 4")) \
    A(CONV_NAN, ASPECT_IF("nan_flush", OFF_ON, COVERAGE_NEEDS_FP16)) \
    A(CONV_TRUNCATE, ASPECT("truncate", SHIFT)) \
    /* of results: out of reach of INT8 in CBUF */ \
    A(CONV_SATURATION, ASPECT("saturation", "impossible possible@int16")) \
    A(CONV_WEIGHTS, ASPECT("weights", "plain compressed@compression")) \
    A(CONV_KERNEL_GROUPS, ASPECT_IF("kernel_groups", KERNEL_GROUPS, COVERAGE_NEEDS_COMPRESSION)) \
    A(CONV_EMPTY_GROUPS, ASPECT_IF("empty_groups", SHARE, COVERAGE_NEEDS_COMPRESSION)) \
    A(CONV_DENSE_GROUPS, ASPECT_IF("dense_groups", SHARE, COVERAGE_NEEDS_COMPRESSION)) \
    A(CONV_MASK_ENTRIES, ASPECT_IF("mask_entries", MASK_ENTRIES, COVERAGE_NEEDS_COMPRESSION)) \
    A(CONV_MEMORY, ASPECT("memory", MEMORY)) \
    A(CONV_WEIGHT_MEMORY, ASPECT("weight_memory", MEMORY)) \
    A(CONV_COUNTERS, ASPECT("counters", OFF_ON))
/* clang-format on */

enum { CONV_ASPECTS(ASPECT_INDEX) };

static const struct coverage_aspect conv_aspects[] = {CONV_ASPECTS(ASPECT_ROW)};

_Static_assert(COUNT(conv_aspects) <= COVERAGE_ASPECTS_MAX, "a sample holds every aspect");

/* Lines x components must fit into the channels that are processed together (chapter 40 section 3.2). */
static unsigned post_extension(const int *values) {
    static const int components[] = {1, 3, 4}, lines[] = {1, 2, 4};
    return components[values[0]] * lines[values[1]] > 8 ? COVERAGE_NEEDS_WIDE : 0;
}

/* Floating-point pixels are not converted to other types (chapter 30 section 6.3). */
static unsigned format_precision(const int *values) {
    static const int floats[] = {0x05, 0x08, 0x0b};
    for (size_t i = 0; i < COUNT(floats); i++)
        if (values[0] == floats[i] && values[1] != NVDLA_FP16)
            return COVERAGE_IMPOSSIBLE;
    return 0;
}

/* Only feature cubes have batches (chapter 40 section 3.4). */
static unsigned batches_of_features(const int *values) {
    return values[0] != FEATURE && values[1] > 0 ? COVERAGE_IMPOSSIBLE : 0;
}

static unsigned saturation_of_int16(const int *values) {
    return values[0] == NVDLA_FP16 || (values[0] == NVDLA_INT8 && values[1] == 1) ? COVERAGE_IMPOSSIBLE : 0;
}

/* A layer of one group is either empty or not, never partly. */
static unsigned share_of_groups(const int *values) {
    return values[0] == 1 && values[1] == 0 ? COVERAGE_IMPOSSIBLE : 0;
}

/* Floating-point pixels are always signed. */
static unsigned sign_of_integers(const int *values) {
    return values[0] == 6 ? COVERAGE_IMPOSSIBLE : 0;
}

/* FP16 is not truncated. */
static unsigned of_integers(const int *values) {
    return values[0] == NVDLA_FP16 ? COVERAGE_IMPOSSIBLE : 0;
}

static const struct coverage_cross conv_crosses[] = {
    {CROSS(CONV_INPUT, CONV_GROUP)},
    {CROSS(CONV_INPUT, CONV_PRECISION)},
    {CROSS(CONV_INPUT, CONV_STRIDE_X, CONV_STRIDE_Y)},
    {CROSS(CONV_INPUT, CONV_PAD_LEFT, CONV_PAD_RIGHT)},
    {CROSS(CONV_INPUT, CONV_PAD_TOP, CONV_PAD_BOTTOM)},
    {CROSS(CONV_INPUT, CONV_TRUNCATE)},
    {CROSS(CONV_INPUT, CONV_KERNELS)},
    {CROSS(CONV_INPUT, CONV_BATCH), batches_of_features},
    {CROSS(CONV_INPUT, CONV_CONVERTOR)},
    {CROSS(CONV_INPUT, CONV_NAN)},
    {CROSS(CONV_INPUT, CONV_MEMORY, CONV_WEIGHT_MEMORY)},
    {CROSS(CONV_PRECISION, CONV_CHANNELS)},
    {CROSS(CONV_PRECISION, CONV_TAIL)},
    {CROSS(CONV_PRECISION, CONV_KERNELS)},
    {CROSS(CONV_PRECISION, CONV_PAD_VALUE)},
    {CROSS(CONV_PRECISION, CONV_BATCH)},
    {CROSS(CONV_PRECISION, CONV_PRA), of_integers},
    {CROSS(CONV_PRECISION, CONV_SATURATION), saturation_of_int16},
    {CROSS(CONV_PRECISION, CONV_TRUNCATE), of_integers},
    {CROSS(CONV_KERNEL_WIDTH, CONV_KERNEL_HEIGHT)},
    {CROSS(CONV_CHANNELS, CONV_KERNELS)},
    {CROSS(CONV_STRIDE_X, CONV_DILATION_X)},
    {CROSS(CONV_STRIDE_Y, CONV_DILATION_Y)},
    {CROSS(CONV_BATCH, CONV_POSITIONS)},
    {CROSS(CONV_DATA_REUSE, CONV_DATA_RELEASE)},
    {CROSS(CONV_WEIGHT_REUSE, CONV_WEIGHT_RELEASE)},
    {CROSS(CONV_DATA_REUSE, CONV_WEIGHT_REUSE)},
    {CROSS(CONV_WEIGHTS, CONV_INPUT, CONV_PRECISION)},
    {CROSS(CONV_WEIGHTS, CONV_WEIGHT_REUSE)},
    {CROSS(CONV_WEIGHTS, CONV_WEIGHT_MEMORY)},
    {CROSS(CONV_EMPTY_GROUPS, CONV_KERNEL_GROUPS), share_of_groups},
    {CROSS(CONV_FORMAT, CONV_PRECISION), format_precision},
    {CROSS(CONV_FORMAT, CONV_X_OFFSET)},
    {CROSS(CONV_CONVERSION, CONV_SIGN), sign_of_integers},
    {CROSS(CONV_COMPONENTS, CONV_Y_EXTENSION), post_extension},
    {CROSS(CONV_COMPONENTS, CONV_MEAN)},
    {CROSS(CONV_COMPONENTS, CONV_STRIDE_X)},
    {CROSS(CONV_LINES, CONV_SURFACES)},
};

const struct coverage_engine coverage_conv = {ENGINE("conv", "layer", conv)};

/* ---- sorting --------------------------------------------------------------------------------- */

static int conversion_class(int in, int proc) {
    static const int classes[3][3] = {{0, 1, 2}, {3, 4, 5}, {-1, -1, 6}};
    return in < 0 || proc < 0 ? -1 : classes[in][proc];
}

static void sort_image(const struct nvdla_config *config, const struct conv_launch *conv, int *kernel_width, int *v) {
    const uint32_t id = FIELD(&conv->view, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT);
    const struct nvdla_pixel_format *format = nvdla_pixel_format(config, id);
    if (format) {
        v[CONV_FORMAT] = (int)id;
        v[CONV_CONVERSION] = conversion_class((int)format->precision, v[CONV_PRECISION]);
        v[CONV_COMPONENTS] = format->components == 1 ? 0 : format->components - 2;
        /* The pixels of a kernel row act as channels (chapter 40 section 3.2). */
        *kernel_width =
            ((int)FIELD(&conv->view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1) / format->components;
    }
    v[CONV_X_OFFSET] = FIELD(&conv->view, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET) != 0;
    v[CONV_MEAN] = (int)FIELD(&conv->view, CDMA, D_MEAN_FORMAT, MEAN_FORMAT);
    if (v[CONV_CONVERTOR] == 1 && format && format->precision != NVDLA_FP16)
        v[CONV_SIGN] = (int)FIELD(&conv->view, CDMA, D_DATAIN_FORMAT, PIXEL_SIGN_OVERRIDE);
    const uint32_t extension = FIELD(&conv->view, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    v[CONV_Y_EXTENSION] = extension < 3 ? (int)extension : -1;
    v[CONV_PAD_LEFT] = FIELD(&conv->view, CDMA, D_ZERO_PADDING, PAD_LEFT) != 0;
    v[CONV_PAD_RIGHT] = FIELD(&conv->view, CDMA, D_ZERO_PADDING, PAD_RIGHT) != 0;
}

/* How CDMA reads a feature cube, including Winograd. */
static void sort_cube_input(const struct registers_view *view, int *v) {
    v[CONV_LINES] = FIELD(view, CDMA, D_DAIN_MAP, LINE_PACKED) == 0;
    v[CONV_SURFACES] = FIELD(view, CDMA, D_DAIN_MAP, SURF_PACKED) == 0;
}

static void sort_feature(const struct nvdla_config *config, const struct conv_launch *conv, int width, int kernel_width,
                         int *v) {
    const int dilation_x = (int)FIELD(&conv->view, CSC, D_DILATION_EXT, X_DILATION_EXT) + 1;
    const int dilation_y = (int)FIELD(&conv->view, CSC, D_DILATION_EXT, Y_DILATION_EXT) + 1;
    const int stride = (int)FIELD(&conv->view, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1;
    const int out_width = (int)FIELD(&conv->view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
    const int pad_left = (int)FIELD(&conv->view, CSC, D_ZERO_PADDING, PAD_LEFT);
    const int channels = (int)FIELD(&conv->view, CSC, D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT) + 1;
    const int elements = atom_elements(config, v[CONV_PRECISION]);
    v[CONV_DILATION_X] = step_class(dilation_x);
    v[CONV_DILATION_Y] = step_class(dilation_y);
    v[CONV_CHANNELS] = block_class(channels, config->atomic_c);
    v[CONV_LAST_CHANNELS] = last_class(channels, config->atomic_c);
    if (nvdla_has(config, FEATURE_INT16))
        v[CONV_TAIL] = (channels + elements - 1) / elements % 4;
    v[CONV_PAD_LEFT] = pad_left != 0;
    v[CONV_PAD_RIGHT] = (out_width - 1) * stride + (kernel_width - 1) * dilation_x + 1 > pad_left + width;
    if (nvdla_has(config, FEATURE_BATCHES))
        v[CONV_BATCH] = batch_class((int)FIELD(&conv->view, CSC, D_BATCH_NUMBER, BATCHES) + 1);
    sort_cube_input(&conv->view, v);
    if (v[CONV_LINES] == 0)
        v[CONV_GRAIN] = FIELD(&conv->view, CDMA, D_FETCH_GRAIN, GRAINS) != 0;
}

/* CDMA unfolds strides and pads (chapter 30 section 5.5). */
static void sort_winograd(const struct nvdla_config *config, const struct conv_launch *conv, int *v) {
    const struct registers_view *view = &conv->view;
    const int stride_y = (int)FIELD(view, CDMA, D_CONV_STRIDE, CONV_Y_STRIDE) + 1;
    const int width = (int)FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    const int height = (int)FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
    const int extended = (int)FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    const int pad_top = (int)FIELD(view, CDMA, D_ZERO_PADDING, PAD_TOP);
    v[CONV_WIDTH] = size_class(width);
    v[CONV_HEIGHT] = size_class(height);
    v[CONV_CHANNELS] = block_class((int)FIELD(view, CDMA, D_DATAIN_SIZE_1, DATAIN_CHANNEL) + 1,
                                   atom_elements(config, v[CONV_PRECISION]));
    v[CONV_STRIDE_X] = step_class((int)FIELD(view, CDMA, D_CONV_STRIDE, CONV_X_STRIDE) + 1);
    v[CONV_STRIDE_Y] = step_class(stride_y);
    v[CONV_PAD_LEFT] = FIELD(view, CDMA, D_ZERO_PADDING, PAD_LEFT) != 0;
    v[CONV_PAD_RIGHT] = FIELD(view, CDMA, D_ZERO_PADDING, PAD_RIGHT) != 0;
    v[CONV_PAD_TOP] = pad_top != 0;
    v[CONV_PAD_BOTTOM] = extended * stride_y > pad_top + height;
    if (v[CONV_PRECISION] != NVDLA_FP16)
        v[CONV_PRA] = (int)FIELD(&conv->view, CSC, D_PRA_CFG, PRA_TRUNCATE);
    sort_cube_input(view, v);
}

static void sort_release(const struct conv_launch *conv, const struct conv_launch *before, int height, int *v) {
    const int released = (int)FIELD(&conv->view, CSC, D_RELEASE, RLS_SLICES) + 1;
    v[CONV_DATA_REUSE] = (int)FIELD(&conv->view, CSC, D_MISC_CFG, DATA_REUSE);
    v[CONV_WEIGHT_REUSE] = (int)FIELD(&conv->view, CSC, D_MISC_CFG, WEIGHT_REUSE);
    v[CONV_DATA_RELEASE] = FIELD(&conv->view, CSC, D_MISC_CFG, SKIP_DATA_RLS) ? 2 : released < height;
    v[CONV_WEIGHT_RELEASE] = (int)FIELD(&conv->view, CSC, D_MISC_CFG, SKIP_WEIGHT_RLS);
    if (!before->csc)
        v[CONV_BANKS] = 0;
    else
        v[CONV_BANKS] = VALUE(&before->view, CSC, D_BANK) == VALUE(&conv->view, CSC, D_BANK) ? 1 : 2;
}

/* Whether products of the largest magnitude can exceed the 32 bits that CACC delivers (chapter 40 section 9.4). */
static int saturation_class(const struct conv_launch *conv, int input, int precision) {
    int64_t products = (int64_t)FIELD(&conv->view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    if (input == WINOGRAD) /* n0 to n3 are the sums of 9 products each */
        products *= 9;
    else
        products *= (int64_t)(FIELD(&conv->view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1) *
                    (FIELD(&conv->view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1);
    const int64_t largest = products << (precision == NVDLA_INT16 ? 30 : 14);
    return largest >> FIELD(&conv->view, CACC, D_CLIP_CFG, CLIP_TRUNCATE) > INT32_MAX;
}

/* The 32 bits that a trace loads at an address (its last load); 0 if it loads none. */
static uint32_t loaded_word(const struct program *prog, enum memory_space space, uint64_t address) {
    uint32_t word = 0;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind != OP_MEM_LOAD || op->space != space)
            continue;
        for (size_t c = 0; c < op->blob->chunk_count; c++) {
            const struct blob_chunk *chunk = &op->blob->chunks[c];
            const uint64_t base = op->base + chunk->offset, at = address - base;
            if (address < base || chunk->size < 4 || at > chunk->size - 4)
                continue;
            const uint8_t *bytes = op->blob->bytes + chunk->start + at;
            word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        }
    }
    return word;
}

/* Kernel groups of compressed weights: which have no element or all; chapter 30 section 8.2. */
static void sort_compressed(const struct program *prog, const struct registers_view *view, int kernels, int group,
                            int *v) {
    const uint64_t kernel_bytes = FIELD(view, CDMA, D_WEIGHT_SIZE_0, BYTE_PER_KERNEL) + 1;
    const uint64_t sizes = (uint64_t)VALUE(view, CDMA, D_WGS_ADDR_HIGH) << 32 | VALUE(view, CDMA, D_WGS_ADDR_LOW);
    const int groups = (kernels + group - 1) / group;
    int empty = 0, dense = 0;
    for (int i = 0; i < groups; i++) {
        const uint64_t in_group = (uint64_t)(i < groups - 1 ? group : kernels - i * group);
        const uint32_t size =
            loaded_word(prog, v[CONV_WEIGHT_MEMORY] ? SPACE_SECONDARY : SPACE_PRIMARY, sizes + 4 * (uint64_t)i);
        empty += size == 0;
        dense += size == in_group * kernel_bytes;
    }
    v[CONV_KERNEL_GROUPS] = kernel_group_class(groups);
    v[CONV_EMPTY_GROUPS] = share_class(empty, groups);
    v[CONV_DENSE_GROUPS] = share_class(dense, groups);
    v[CONV_MASK_ENTRIES] = mask_entry_class((VALUE(view, CDMA, D_WMB_BYTES) + 127) / 128);
}

/* Registers of CDMA and CACC that all kinds of input share. */
static void sort_values(const struct nvdla_config *config, const struct conv_launch *conv, int *v) {
    const struct registers_view *view = &conv->view;
    const int precision = v[CONV_PRECISION];
    v[CONV_CONVERTOR] = (int)FIELD(view, CDMA, D_CVT_CFG, CVT_EN);
    if (v[CONV_CONVERTOR]) {
        v[CONV_SCALE] = scale_class(FIELD(view, CDMA, D_CVT_SCALE, CVT_SCALE));
        v[CONV_SHIFT] = shift_class(FIELD(view, CDMA, D_CVT_CFG, CVT_TRUNCATE));
    }
    if (precision == NVDLA_FP16) {
        v[CONV_NAN] = (int)FIELD(view, CDMA, D_NAN_FLUSH_TO_ZERO, NAN_TO_ZERO);
    } else {
        v[CONV_TRUNCATE] = shift_class(FIELD(&conv->view, CACC, D_CLIP_CFG, CLIP_TRUNCATE));
        v[CONV_SATURATION] = saturation_class(conv, v[CONV_INPUT], precision);
    }
    v[CONV_MEMORY] = memory_class(config, FIELD(view, CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
    v[CONV_WEIGHT_MEMORY] = memory_class(config, FIELD(view, CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE));
    v[CONV_WEIGHTS] = nvdla_has(config, FEATURE_COMPRESSION) && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
    v[CONV_COUNTERS] = (int)FIELD(view, CDMA, D_PERF_ENABLE, DMA_EN);
}

void sort_conv(const struct program *prog, const struct conv_launch *conv, const struct conv_launch *before, int *v) {
    const struct nvdla_config *config = prog->config;
    const struct registers_view *view = &conv->view;
    const bool winograd = nvdla_has(config, FEATURE_WINOGRAD) && FIELD(view, CSC, D_MISC_CFG, CONV_MODE) != 0;
    const bool image = !winograd && FIELD(view, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) != 0;
    const int width = (int)FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1;
    const int height = (int)FIELD(view, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    const int kernels = (int)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const int kernel_height = (int)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1;
    const int stride_y = (int)FIELD(view, CSC, D_CONV_STRIDE_EXT, CONV_Y_STRIDE_EXT) + 1;
    const int dilation_y = image ? 1 : (int)FIELD(view, CSC, D_DILATION_EXT, Y_DILATION_EXT) + 1;
    const int pad_top = (int)FIELD(view, CSC, D_ZERO_PADDING, PAD_TOP);
    const int out_width = (int)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
    const int out_height = (int)FIELD(view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
    int kernel_width = (int)FIELD(view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1;
    v[CONV_GROUP] = conv->csc->group;
    v[CONV_INPUT] = winograd ? WINOGRAD : image ? IMAGE : FEATURE;
    v[CONV_PRECISION] = precision_class(config, FIELD(view, CSC, D_MISC_CFG, PROC_PRECISION));
    const int group = v[CONV_PRECISION] > NVDLA_INT8 ? config->atomic_k / 2 : config->atomic_k;
    v[CONV_WIDTH] = size_class(width);
    v[CONV_HEIGHT] = size_class(height);
    v[CONV_KERNELS] = block_class(kernels, group);
    v[CONV_LAST_KERNELS] = last_class(kernels, group);
    v[CONV_STRIDE_X] = step_class((int)FIELD(view, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1);
    v[CONV_STRIDE_Y] = step_class(stride_y);
    v[CONV_PAD_TOP] = pad_top != 0;
    v[CONV_PAD_BOTTOM] = (out_height - 1) * stride_y + (kernel_height - 1) * dilation_y + 1 > pad_top + height;
    const int positions = image ? out_width : winograd ? out_width * out_height / 4 : out_width * out_height;
    v[CONV_POSITIONS] = position_class(positions);
    v[CONV_BATCH] = 0;
    sort_values(config, conv, v);
    /* The bank fields have 5 bits in the small map and 4 in the full one; bits that do not exist are not stored. Mask
     * bits have their own bank. */
    const uint32_t banks = VALUE(view, CSC, D_BANK);
    const uint32_t used = (banks & 0x1f) + (banks >> CSC_D_BANK__WEIGHT_BANK_LSB & 0x1f) + 2;
    v[CONV_BUFFER] = (int)used + v[CONV_WEIGHTS] >= config->cbuf_banks;
    if (winograd)
        sort_winograd(config, conv, v);
    else if (image)
        sort_image(config, conv, &kernel_width, v);
    else
        sort_feature(config, conv, width, kernel_width, v);
    if (v[CONV_BATCH] <= 0) /* several cubes have shorter stripes */
        v[CONV_LAST_STRIPE] = last_class(positions > 0 ? positions : 1, 16);
    sort_release(conv, before, height, v);
    if (v[CONV_WEIGHTS])
        sort_compressed(prog, &conv->view, kernels, group, v);
    if (!winograd) {
        v[CONV_KERNEL_WIDTH] = kernel_class(kernel_width);
        v[CONV_KERNEL_HEIGHT] = kernel_class(kernel_height);
    }
    if (v[CONV_PAD_LEFT] || v[CONV_PAD_RIGHT] || v[CONV_PAD_TOP] || v[CONV_PAD_BOTTOM])
        v[CONV_PAD_VALUE] = sign_class(winograd ? FIELD(&conv->view, CDMA, D_ZERO_PADDING_VALUE, PAD_VALUE)
                                                : FIELD(view, CSC, D_ZERO_PADDING_VALUE, PAD_VALUE),
                                       v[CONV_PRECISION] > NVDLA_INT8 ? 16 : 8);
}
