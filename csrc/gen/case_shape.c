/* Checks a whole case layer by layer: rules that span engines and layers are here, the others in the engines' files. */
#include <inttypes.h>

#include "gen/engine.h"

/* An output region with room for other layers' surfaces, and these layers. None is interleaved, so each writes its own
 * range. */
static bool region_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    struct gen_shape *shape = &shapes[index];
    int64_t surfaces = shape->out_exists ? cube_surfaces(&shape->out) : 0;
    shape->room = layer->room > surfaces ? layer->room : surfaces;
    if (!layer->into && shape->room == surfaces)
        return true;
    if (!shape->out_exists || shape->out_planar || layer->in_place || layer->batches > 1 || layer->out_order)
        return error_set(err, "an output that cannot share a region");
    if (!layer->into)
        return true;
    const struct gen_shape *owner = &shapes[layer->into - 1];
    if (layer->into > index || gen->layers[layer->into - 1].into || layer->at + surfaces > owner->room ||
        owner->out.width != shape->out.width || owner->out.height != shape->out.height ||
        owner->out_precision != shape->out_precision)
        return error_set(err, "layer %d has no room for the output", (int)layer->into - 1);
    for (int i = (int)layer->into - 1; i < index; i++)
        if ((i == layer->into - 1 || gen->layers[i].into == layer->into) && owner->out_exists &&
            layer->at < gen->layers[i].at + cube_surfaces(&shapes[i].out) && gen->layers[i].at < layer->at + surfaces)
            return error_set(err, "layer %d writes the same surfaces", i);
    shape->out.line_stride = owner->out.line_stride;
    shape->out.surface_stride = owner->out.surface_stride;
    shape->out_secondary = owner->out_secondary;
    shape->room = surfaces;
    return !shape->out.packed_1x1 || owner->out.packed_1x1 ||
           error_set(err, "an output of one pixel is packed, its region is not");
}

static bool check_fields(const struct gen_layer *layer, struct error *err) {
    struct gen_layer copy = *layer;
    for (size_t i = 0; i < gen_field_count; i++) {
        int64_t value = *gen_field_of(&copy, &gen_fields[i]);
        if (value < gen_fields[i].lowest || value > gen_fields[i].highest)
            return error_set(err, "%s is %" PRId64 ", expected %" PRId64 " to %" PRId64, gen_fields[i].name, value,
                             gen_fields[i].lowest, gen_fields[i].highest);
    }
    return true;
}

static bool check_chain(const struct gen_case *gen, const struct gen_layer *layer, struct error *err) {
    int alone = (layer->cdp != 0) + (layer->bdma != 0) + (layer->rubik != 0);
    bool engines = alone         ? alone == 1 && !layer->conv && !layer->sdp && !layer->pdp
                   : layer->conv ? layer->sdp
                                 : layer->sdp || layer->pdp;
    if (!engines)
        return error_set(err, "expected one of conv+sdp, conv+sdp+pdp, sdp, sdp+pdp, pdp, cdp, bdma, rubik");
    const struct {
        int64_t used;
        enum nvdla_unit unit;
        const char *name;
    } absent[] = {{layer->pdp, NVDLA_PDP, "PDP"},
                  {layer->cdp, NVDLA_CDP, "CDP"},
                  {layer->bdma, NVDLA_BDMA, "BDMA"},
                  {layer->rubik, NVDLA_RBK, "RUBIK"}};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (absent[i].used && !nvdla_has_unit(gen->config, absent[i].unit))
            return error_set(err, "configuration %s has no %s", gen->config->name, absent[i].name);
    if (layer->in_place && (layer->conv || layer->pdp || layer->bdma || layer->rubik || layer->source))
        return error_set(err, "in_place: only for SDP and CDP on memory of their own");
    if (!nvdla_has(gen->config, FEATURE_SECONDARY_MEMORY) &&
        (layer->in_space || layer->out_space || layer->weight_space || layer->bs.space || layer->bn.space ||
         layer->ew.space))
        return error_set(err, "configuration %s has no secondary memory", gen->config->name);
    const enum nvdla_precision types[] = {gen_in_precision(layer), (enum nvdla_precision)layer->precision,
                                          gen_out_precision(layer)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!nvdla_has_precision(gen->config, types[i]))
            return error_set(err, "configuration %s has no %s", gen->config->name,
                             types[i] == NVDLA_FP16 ? "FP16" : "INT16");
    return true;
}

static bool shape_layer(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err) {
    const struct gen_layer *layer = &gen->layers[index];
    shapes[index] = (struct gen_shape){.previous_conv = -1};
    for (int i = 0; i < index; i++)
        if (gen->layers[i].conv)
            shapes[index].previous_conv = i;
    return check_fields(layer, err) && check_chain(gen, layer, err) &&
           (!layer->conv || gen_conv_shape(gen, index, shapes, err)) &&
           (!layer->sdp || gen_sdp_shape(gen, index, shapes, err)) &&
           (!layer->pdp || gen_pdp_shape(gen, index, shapes, err)) &&
           (!layer->cdp || gen_cdp_shape(gen, index, shapes, err)) &&
           (!layer->bdma || gen_bdma_shape(gen, index, shapes, err)) &&
           (!layer->rubik || gen_rubik_shape(gen, index, shapes, err)) &&
           (!layer->conv || !layer->full_r || gen_deconv_shape(layer, err)) && region_shape(gen, index, shapes, err);
}

bool gen_case_shape(const struct gen_case *gen, struct gen_shape *shapes, struct error *err) {
    if (gen->count < 1 || gen->count > GEN_LAYERS)
        return error_set(err, "%d layers, expected 1 to %d", gen->count, GEN_LAYERS);
    for (int i = 0; i < gen->count; i++)
        if (!shape_layer(gen, i, shapes, err))
            return error_prefix(err, "layer %d: ", i);
    return true;
}
