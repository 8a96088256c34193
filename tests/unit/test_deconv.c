/* Deconvolution as nvcosim gen writes it, sets of taps and a RUBIK contract, against its definition: every input
 * element spreads its products over the output, out[y * sy + r][x * sx + s] += in[y][x] * w[r][s], with the original
 * kernel. Spec: 20-data-formats section 5.4. */
#include "tests/unit/trace_test.h"

#include "gen/engine.h"
#include "gen/gen.h"
#include "layers/cubes.h"
#include "layers/tracker.h"
#include "model/model.h"
#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla_offsets.h"
#include "replay/player.h"
#include "tests/unit/random.h"

/* A whole number of that precision, little endian. */
static int64_t number(const uint8_t *bytes, int64_t precision) {
    if (precision == NVDLA_INT8)
        return (int8_t)bytes[0];
    uint16_t pattern = (uint16_t)(bytes[0] | bytes[1] << 8);
    return precision == NVDLA_INT16 ? (int16_t)pattern : fp16_to_int16(pattern);
}

static int64_t element(const struct memory *mem, const struct cube *cube, int64_t precision, int y, int x, int c) {
    uint8_t bytes[2];
    int lanes = cube->atom / cube->element_bytes;
    memory_read(mem, cube_atom_address(cube, c / lanes, y, x) + (uint64_t)(c % lanes * cube->element_bytes), bytes,
                (size_t)cube->element_bytes);
    return number(bytes, precision);
}

/* The deconvolution of one kernel over the whole output, (h - 1) * sy + full_r lines. */
static void scatter(const struct gen_layer *layer, const struct memory *mem, const struct cube *in,
                    const uint8_t *kernel, int64_t k, int64_t *out) {
    int64_t width = (layer->w - 1) * layer->deconv_x + layer->full_s,
            height = (layer->h - 1) * layer->deconv_y + layer->full_r;
    int bytes = nvdla_element_bytes((enum nvdla_precision)layer->precision);
    memset(out, 0, (size_t)(width * height) * sizeof *out);
    for (int y = 0; y < layer->h; y++)
        for (int x = 0; x < layer->w; x++)
            for (int c = 0; c < layer->c; c++) {
                int64_t value = element(mem, in, layer->precision, y, x, c);
                for (int64_t r = 0; r < layer->full_r; r++)
                    for (int64_t s = 0; s < layer->full_s; s++) {
                        int64_t at = ((k * layer->full_r + r) * layer->full_s + s) * layer->c + c;
                        out[(y * layer->deconv_y + r) * width + x * layer->deconv_x + s] +=
                            value * number(kernel + at * bytes, layer->precision);
                    }
            }
}

/* What CACC and SDP make of a sum: only SDP's output convertor is on. Spec: 40-convolution-core section 4, 50-sdp
 * sections 5.3 and 6.4. */
static int64_t converted(const struct gen_layer *layer, int64_t sum) {
    if (layer->precision == NVDLA_FP16)
        return sum;
    sum = fixed_saturate(fixed_round_shift(sum, (unsigned)layer->clip), 32);
    int64_t value = fixed_round_shift((sum - layer->offset) * layer->scale, (unsigned)layer->shift);
    return fixed_saturate(fixed_saturate(value, 17), layer->precision == NVDLA_INT8 ? 8 : 16);
}

struct cubes {
    struct cube in, out;
    enum memory_space in_space, out_space;
};

/* The first convolution's input and the contract's output, as the registers tell. */
static struct cubes cubes_of(const struct program *prog) {
    struct layer_tracker *layers = layer_tracker_new(prog->config);
    struct cubes cubes = {.in_space = SPACE_PRIMARY};
    bool primary;
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_WRITE)
            layer_tracker_write(layers, prog->ops[i].address, prog->ops[i].value, i);
    assert_true(launch_input_cube(prog->config, layer_tracker_find(layers, NVDLA_CDMA, 0), &cubes.in, &primary));
    cubes.in_space = primary ? SPACE_PRIMARY : SPACE_SECONDARY;
    assert_true(launch_output_cube(prog->config, layer_tracker_find(layers, NVDLA_RBK, 0), &cubes.out, &primary));
    cubes.out_space = primary ? SPACE_PRIMARY : SPACE_SECONDARY;
    layer_tracker_free(layers);
    return cubes;
}

/* Borders: a pad of M - 1 lines above, of the M lines that a set has, leaves the whole output; each line less crops a
 * deconvolution stride. Below, the contracted cube ends with whole strides, zeros behind the whole output. */
static void contract_is_the_deconvolution(const struct gen_case *gen, const struct device *dev,
                                          const struct cubes *cubes) {
    const struct gen_layer *layer = &gen->layers[0];
    int64_t width = (layer->w - 1) * layer->deconv_x + layer->full_s,
            height = (layer->h - 1) * layer->deconv_y + layer->full_r;
    int64_t first_x = (layer->s - 1 - layer->pad_left) * layer->deconv_x,
            first_y = (layer->r - 1 - layer->pad_top) * layer->deconv_y;
    int bytes = nvdla_element_bytes((enum nvdla_precision)layer->precision);
    autofree int64_t *whole = xmalloc((size_t)(width * height) * sizeof *whole);
    autofree uint8_t *kernel = xmalloc((size_t)(layer->k * layer->full_r * layer->full_s * layer->c * bytes));
    gen_deconv_kernel(layer, kernel);
    assert_int_equal(cubes->out.channels, layer->k);
    for (int k = 0; k < layer->k; k++) {
        scatter(layer, dev->memory[cubes->in_space], &cubes->in, kernel, k, whole);
        for (int y = 0; y < cubes->out.height; y++)
            for (int x = 0; x < cubes->out.width; x++) {
                bool inside = y + first_y < height && x + first_x < width;
                int64_t sum = inside ? whole[(y + first_y) * width + x + first_x] : 0;
                int64_t got = element(dev->memory[cubes->out_space], &cubes->out, layer->precision, y, x, k);
                if (got != converted(layer, sum))
                    fail_msg("seed %d: kernel %d, line %d, column %d: %d, expected %d", (int)gen->seed, k, y, x,
                             (int)got, (int)converted(layer, sum));
            }
    }
}

/* A case whose SDP does nothing but convert; FP16: numbers so small that every sum is exact. */
static void make_exact(struct gen_case *gen) {
    struct rng rng = rng_make(gen->seed, 0);
    int64_t offset = rng_range(&rng, -300, 300), scale = rng_range(&rng, -9, 9), shift = rng_range(&rng, 0, 9);
    gen->count = 0;
    do {
        struct gen_layer *layer = &gen->layers[gen->count++];
        layer->bs.on = layer->bn.on = layer->ew.on = 0;
        layer->cvt = layer->pad = 0;
        layer->offset = offset;
        layer->scale = scale;
        layer->shift = shift;
        if (layer->precision == NVDLA_INT16)
            layer->shift += 12;
        if (layer->precision == NVDLA_FP16)
            layer->in_data = layer->weights = STYLE_SMALL;
        gen_layer_tidy(layer);
    } while (!gen->layers[gen->count - 1].rubik);
}

TEST(sets_and_contract_are_the_deconvolution) {
    const struct nvdla_config *config = nvdla_config_find("full");
    const uint64_t all = seeds_of(60);
    const int least = (int)all / 15; /* of each kind */
    int precisions[3] = {0}, cropped = 0, padded = 0, short_sets = 0;
    for (uint64_t seed = 1; seed <= all; seed++) {
        struct gen_case gen;
        struct error err = {.text = ""};
        struct play_options options;
        struct play_result result;
        gen_draw(&gen, config, gen_engines("deconv"), seed);
        make_exact(&gen);
        autoprogram struct program *prog = gen_build(&gen, "t.nvt", &err);
        if (!prog)
            fail_msg("seed %d: %s", (int)seed, err.text);
        struct device *dev = model_new(config, &(struct model_options){.threads = 1});
        play_options_default(&options);
        if (play(prog, dev, &options, &result) != PLAY_PASSED)
            fail_msg("seed %d: %s", (int)seed, result.message ? result.message : "a check failed");
        struct cubes cubes = cubes_of(prog);
        contract_is_the_deconvolution(&gen, dev, &cubes);
        play_result_free(&result);
        dev->ops->destroy(dev);
        const struct gen_layer *layer = &gen.layers[0];
        precisions[layer->precision]++;
        cropped += layer->pad_left < layer->s - 1 || layer->pad_bottom < layer->r - 1;
        padded += layer->s > 1 && layer->pad_left == layer->s - 1 && layer->pad_right == layer->s - 1;
        short_sets += layer->full_s % layer->deconv_x != 0 || layer->full_r % layer->deconv_y != 0;
    }
    assert_true(precisions[NVDLA_INT8] > least && precisions[NVDLA_INT16] > least && precisions[NVDLA_FP16] > least);
    assert_true(cropped > least && padded > least && short_sets > least);
}

static void refused(struct gen_layer layer, const char *expected) {
    struct gen_case gen = {.config = nvdla_config_find("full"), .count = 1, .layers = {layer}};
    struct error err = {.text = ""};
    assert_false(gen_legal(&gen, &err));
    if (!strstr(err.text, expected))
        fail_msg("found '%s', expected '%s'", err.text, expected);
}

TEST(sets_that_fit_no_kernel_are_refused) {
    struct gen_layer plain;
    gen_layer_plain(&plain);
    plain.conv = GEN_FEATURE;
    plain.sdp = 1;
    plain.deconv_x = plain.deconv_y = 2;
    plain.full_r = plain.full_s = 2;
    struct gen_layer layer;
#define WITH(member, value) (layer = plain, layer.member = (value), layer)
    refused(WITH(full_s, 3), "a set of a kernel of 3x2 has 2x1 taps");
    refused(WITH(set_x, 2), "set 2, 0 of a deconvolution of stride 2, 2");
    refused(WITH(stride_x, 2), "a direct convolution of stride 1");
    refused(WITH(into, 1), "layer 0 has no room for the output");
    refused(WITH(input_of, 1), "no input of layer 0 to share");
}
