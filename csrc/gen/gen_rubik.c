/* RUBIK layers: contract, split, merge. Spec: 66-rubik. */
#include "gen/engine.h"
#include "nvdla_offsets.h"

/* ---- shape ----------------------------------------------------------------------------------- */

static int64_t lanes_of(const struct gen_case *gen, const struct gen_layer *layer) {
    return gen->config->mem_atom / nvdla_element_bytes((enum nvdla_precision)layer->precision);
}

/* Planes as a cube whose elements are atoms: a plane is a surface. */
static struct cube planes(const struct gen_case *gen, const struct gen_layer *layer, int64_t line, int64_t surface) {
    int atom = gen->config->mem_atom;
    struct cube cube = {.width = (int)cdiv(layer->w, lanes_of(gen, layer)),
                        .height = (int)layer->h,
                        .channels = (int)layer->c,
                        .atom = atom,
                        .element_bytes = atom};
    gen_strides(&cube, line, surface, false);
    return cube;
}

static bool planar_input(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    shape->in = planes(gen, layer, layer->in_line, layer->in_surface);
    shape->in_secondary = layer->in_space != 0;
    if (layer->source == 0)
        return true;
    if (layer->source > index)
        return error_set(err, "reads the output of layer %d, which is not before it", (int)layer->source - 1);
    const struct gen_shape *source = &shapes[layer->source - 1];
    if (!source->out_planar || source->out_precision != (enum nvdla_precision)layer->precision ||
        source->out.width < shape->in.width || source->out.height < shape->in.height ||
        source->out.channels < shape->in.channels)
        return error_set(err, "merge: layer %d writes no such planes", (int)layer->source - 1);
    shape->in.line_stride = source->out.line_stride;
    shape->in.surface_stride = source->out.surface_stride;
    shape->in_secondary = source->out_secondary;
    return true;
}

/* The phases follow each other, each of whole surfaces. Spec: 66-rubik section 3. */
static bool contract_input(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    int64_t channels = layer->deconv_x * layer->deconv_y * round_up(layer->c, lanes_of(gen, layer));
    if (layer->w * layer->deconv_x > GEN_SIZE_LIMIT || layer->h * layer->deconv_y > GEN_SIZE_LIMIT ||
        channels > GEN_SIZE_LIMIT)
        return error_set(err, "contract: %d times %d phases of %dx%dx%d", (int)layer->deconv_x, (int)layer->deconv_y,
                         (int)layer->w, (int)layer->h, (int)layer->c);
    return gen_read_shape(gen, index, shapes, layer->h, channels, err);
}

bool gen_rubik_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    bool contract = layer->rubik == GEN_CONTRACT;
    if (layer->rubik == GEN_MERGE      ? !planar_input(gen, index, shapes, err)
        : layer->rubik == GEN_CONTRACT ? !contract_input(gen, index, shapes, err)
                                       : !gen_input_shape(gen, index, shapes, layer->h, err))
        return false;
    gen_output_shape(gen, index, shapes, contract ? layer->w * layer->deconv_x : layer->w,
                     contract ? layer->h * layer->deconv_y : layer->h, layer->c, false);
    if (layer->rubik == GEN_SPLIT) {
        shape->out = planes(gen, layer, layer->out_line, layer->out_surface);
        shape->out_planar = true;
    }
    shape->units |= 1u << NVDLA_RBK;
    int64_t surfaces = contract ? cube_surfaces(&shape->in) : cdiv(layer->c, lanes_of(gen, layer));
    shape->cycles = layer->w * layer->h * surfaces * (contract ? 3 : 12) + layer->h * surfaces * 10;
    return true;
}

/* ---- registers ------------------------------------------------------------------------------- */

void gen_rubik_registers(struct gen_writer *regs) {
    const struct gen_layer *layer = regs->layer;
    const struct gen_shape *shape = regs->shape;
    gen_engine(regs, NVDLA_RBK);
    const int64_t in_surface = shape->in.surface_stride, out_surface = shape->out.surface_stride;
    bool contract = layer->rubik == GEN_CONTRACT, split = layer->rubik == GEN_SPLIT, merge = layer->rubik == GEN_MERGE;
    const int64_t lanes = lanes_of(regs->gen, layer), surfaces = cdiv(layer->c, lanes); /* of a phase */
    int64_t channels = contract ? layer->deconv_x * layer->deconv_y * surfaces * lanes : layer->c;
    gen_put(regs, RBK_D_MISC_CFG, (layer->rubik - 1) | layer->precision << 8);
    gen_put(regs, RBK_D_DAIN_RAM_TYPE, shape->in_secondary ? 0 : 1);
    gen_put(regs, RBK_D_DATAIN_SIZE_0, (layer->w - 1) | (layer->h - 1) << 16);
    gen_put(regs, RBK_D_DATAIN_SIZE_1, channels - 1);
    gen_put_address(regs, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_ADDR_HIGH, shape->in.base);
    gen_put(regs, RBK_D_DAIN_LINE_STRIDE, shape->in.line_stride);
    gen_put(regs, RBK_D_DAIN_SURF_STRIDE, merge ? gen_noise(regs, UINT32_MAX) : in_surface);
    gen_put(regs, RBK_D_DAIN_PLANAR_STRIDE, merge ? in_surface : gen_noise(regs, UINT32_MAX));
    gen_put(regs, RBK_D_DAOUT_RAM_TYPE, shape->out_secondary ? 0 : 1);
    gen_put(regs, RBK_D_DATAOUT_SIZE_1, layer->c - 1);
    gen_put_address(regs, RBK_D_DAOUT_ADDR_LOW, RBK_D_DAOUT_ADDR_HIGH, shape->out.base);
    gen_put(regs, RBK_D_DAOUT_LINE_STRIDE, shape->out.line_stride);
    gen_put(regs, RBK_D_CONTRACT_STRIDE_0, contract ? surfaces * in_surface : gen_noise(regs, UINT32_MAX));
    gen_put(regs, RBK_D_CONTRACT_STRIDE_1,
            contract ? layer->deconv_y * shape->out.line_stride : gen_noise(regs, UINT32_MAX));
    gen_put(regs, RBK_D_DAOUT_SURF_STRIDE, split ? gen_noise(regs, UINT32_MAX) : out_surface);
    gen_put(regs, RBK_D_DAOUT_PLANAR_STRIDE, split ? out_surface : gen_noise(regs, UINT32_MAX));
    gen_put(regs, RBK_D_DECONV_STRIDE,
            contract ? (layer->deconv_x - 1) | (layer->deconv_y - 1) << 16 : gen_noise(regs, 0x1f001f));
    gen_put(regs, RBK_D_PERF_ENABLE, layer->perf & 1);
}

/* ---- drawing --------------------------------------------------------------------------------- */

void gen_rubik_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles) {
    int64_t lanes = config->mem_atom / nvdla_element_bytes((enum nvdla_precision)layer->precision);
    layer->rubik = rng_range(rng, GEN_CONTRACT, GEN_MERGE);
    int64_t atoms = cycles / (layer->rubik == GEN_CONTRACT ? 4 : 14);
    if (layer->rubik == GEN_CONTRACT) { /* more than 8 phases have a different order of writes */
        layer->deconv_x = rng_chance(rng, 75) ? rng_range(rng, 1, 4) : rng_size(rng, 32, 8);
        layer->deconv_y = rng_chance(rng, 75) ? rng_range(rng, 1, 4) : rng_size(rng, 32, 8);
        atoms /= layer->deconv_x * layer->deconv_y;
        layer->w = rng_size(rng, atoms < 1 ? 1 : atoms < 40 ? atoms : 40, 8);
    } else { /* chunks have 64 columns */
        layer->w = rng_chance(rng, 20) ? 64 * rng_range(rng, 1, 2) + rng_range(rng, -1, 1) : rng_size(rng, 80, lanes);
        layer->w = layer->w > atoms ? (atoms < 1 ? 1 : atoms) : layer->w;
    }
    layer->h = rng_size(rng, atoms / layer->w < 1 ? 1 : atoms / layer->w > 16 ? 16 : atoms / layer->w, 4);
    int64_t surfaces = atoms / (layer->w * layer->h);
    layer->c = rng_size(rng, surfaces < 1 ? lanes : surfaces > 6 ? 6 * lanes : surfaces * lanes, lanes);
}
