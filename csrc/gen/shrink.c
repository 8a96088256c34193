/* Smaller cases from a failing one, tried in turn. See shrink.h. */
#include "gen/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "gen/conv_sizes.h"
#include "gen/engine.h"
#include "gen/gen.h"
#include "layers/tracker.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/verify.h"

/* ---- cases ----------------------------------------------------------------------------------- */

struct shrinker {
    struct shrink *shrink;
    struct gen_case *best;
    uint64_t *tried; /* hashes of the candidates that did not fail */
    size_t tried_count;
};

static uint64_t hash_case(const struct gen_case *gen) {
    uint64_t hash = gen->place ^ (uint64_t)gen->expect_all << 32 ^ (uint64_t)gen->count;
    for (int i = 0; i < gen->count; i++) {
        struct gen_layer layer = gen->layers[i];
        for (size_t f = 0; f < gen_field_count; f++)
            hash = (hash ^ (uint64_t)*gen_field_of(&layer, &gen_fields[f])) * UINT64_C(0x100000001b3) + f;
    }
    return hash;
}

static bool same_case(const struct gen_case *a, const struct gen_case *b) {
    if (a->count != b->count || a->place != b->place || a->expect_all != b->expect_all)
        return false;
    for (int i = 0; i < a->count; i++)
        if (memcmp(&a->layers[i], &b->layers[i], sizeof a->layers[i]) != 0)
            return false;
    return true;
}

/* The smallest size from `size` on that Winograd takes with these pads. */
static int64_t whole_tiles(int64_t size, int64_t stride, int64_t before, int64_t after) {
    int64_t tile = GEN_TILE * stride, padded = round_up(before + size + after, tile);
    size = (padded < 2 * tile ? 2 * tile : padded) - before - after;
    return size < 1 ? size + cdiv(1 - size, tile) * tile : size;
}

/* Whole tiles, below any kept lines. */
static void repair_winograd(const struct gen_layer *last, int64_t kept, struct gen_layer *layer) {
    if (kept && !last->skip_data)
        layer->pad_top = 0;
    layer->w = whole_tiles(layer->w, layer->stride_x, layer->pad_left, layer->pad_right);
    layer->h = whole_tiles(layer->h, layer->stride_y, layer->pad_top, layer->pad_bottom);
    while (kept && !last->skip_data && conv_slices(layer) <= kept)
        layer->h += GEN_TILE * layer->stride_y;
    if (kept && last->skip_data && conv_slices(layer) > kept) {
        layer->h = last->h;
        layer->pad_top = last->pad_top;
        layer->pad_bottom = last->pad_bottom;
    }
}

/* What a convolution must share with the previous one if it reuses its lines or weights. */
static void repair_reuse(const struct gen_layer *last, const struct gen_shape *before, struct gen_layer *layer) {
    if (layer->reuse_data) {
        layer->batches = last->batches;
        layer->w = last->w;
        layer->c = last->c;
        layer->format = last->format;
        if (layer->conv != GEN_FEATURE) {
            layer->pad_left = last->pad_left;
            layer->pad_right = last->pad_right;
        }
        if (layer->conv != GEN_WINOGRAD && last->skip_data && layer->h > before->kept)
            layer->h = before->kept;
        if (layer->conv != GEN_WINOGRAD && !last->skip_data && layer->h <= before->kept)
            layer->h = before->kept + 1;
    }
    if (layer->reuse_weights) {
        layer->k = last->k;
        layer->r = last->r;
        layer->s = last->s;
        layer->c = last->c;
        layer->compressed = last->compressed;
        layer->weight_pad = last->weight_pad;
        layer->weight_banks = last->weight_banks;
    }
    if (layer->reuse_data || layer->reuse_weights) {
        layer->precision = last->precision;
        layer->data_banks = last->data_banks;
        layer->eps_extra = last->eps_extra;
        if (layer->conv == GEN_WINOGRAD) {
            layer->stride_x = last->stride_x;
            layer->stride_y = last->stride_y;
        }
    }
}

/* Repairs sizes that no longer fit: those given by another layer, those that pooling windows divide. */
static void repair_layer(struct gen_case *gen, int index, const struct gen_shape *shapes) {
    struct gen_layer *layer = &gen->layers[index];
    int before = layer->conv ? shapes[index].previous_conv : -1;
    if (before >= 0)
        repair_reuse(&gen->layers[before], &shapes[before], layer);
    if (layer->source) {
        const struct cube *out = &shapes[layer->source - 1].out;
        int64_t lanes = cube_surfaces(out) * (int64_t)out->atom / out->element_bytes;
        if (layer->bdma)
            lanes = cube_surfaces(out);
        if (layer->rubik == GEN_CONTRACT)
            lanes = lanes / (layer->deconv_x * layer->deconv_y) > 0 ? lanes / (layer->deconv_x * layer->deconv_y) : 1;
        if (!layer->in_convert)
            layer->precision = shapes[layer->source - 1].out_precision;
        layer->w = layer->w > out->width ? out->width : layer->w;
        layer->h = layer->h > out->height ? out->height : layer->h;
        layer->c = layer->c > lanes ? lanes : layer->c;
    }
    if (layer->conv == GEN_WINOGRAD)
        repair_winograd(before >= 0 ? &gen->layers[before] : NULL,
                        before >= 0 && layer->reuse_data ? shapes[before].kept : 0, layer);
    int64_t slices = conv_slices(layer);
    if (layer->keep >= slices)
        layer->keep = slices - 1;
    if (layer->conv == GEN_WINOGRAD)
        layer->keep -= layer->keep % GEN_TILE;
    if (layer->grain > layer->h)
        layer->grain = layer->h;
    if (layer->pdp && !layer->conv) {
        int64_t across = layer->w + layer->pool_left + layer->pool_right - layer->kernel_w;
        int64_t down = layer->h + layer->pool_top + layer->pool_bottom - layer->kernel_h;
        if (across > 0)
            layer->w -= across % layer->step_x;
        if (down > 0)
            layer->h -= down % layer->step_y;
    }
}

/* Makes the candidate legal if repair_layer suffices. */
static bool make_legal(struct gen_case *candidate) {
    struct gen_shape shapes[GEN_LAYERS];
    int count = candidate->count;
    bool legal = true;
    for (int i = 0; i < count; i++)
        gen_layer_tidy(&candidate->layers[i]);
    for (int i = 0; legal && i < count; i++) {
        candidate->count = i + 1;
        legal = gen_case_shape(candidate, shapes, NULL);
        if (!legal) {
            repair_layer(candidate, i, shapes);
            legal = gen_case_shape(candidate, shapes, NULL);
        }
    }
    candidate->count = count;
    return legal;
}

/* Tries a candidate; if it fails like the original it becomes the best. */
static bool attempt(struct shrinker *s, const struct gen_case *wanted) {
    struct gen_case candidate = *wanted;
    if (s->shrink->attempts <= 0 || candidate.count < 1 || !make_legal(&candidate) || same_case(&candidate, s->best))
        return false;
    uint64_t hash = hash_case(&candidate);
    for (size_t i = 0; i < s->tried_count; i++)
        if (s->tried[i] == hash)
            return false;
    autoprogram struct program *prog = gen_build(&candidate, "shrink", NULL);
    if (!prog)
        return false;
    s->shrink->attempts--;
    bool fails = s->shrink->fails(s->shrink->context, prog);
    if (fails)
        *s->best = candidate;
    else
        *xadd(s->tried, s->tried_count) = hash;
    return fails;
}

static void copy_part(struct gen_layer *to, const struct gen_layer *from, enum gen_part part) {
    struct gen_layer source = *from;
    for (size_t i = 0; i < gen_field_count; i++)
        if (gen_fields[i].part == part)
            *gen_field_of(to, &gen_fields[i]) = *gen_field_of(&source, &gen_fields[i]);
}

static void unlink_source(int64_t *source, int removed) {
    if (*source == removed + 1)
        *source = 0;
    else if (*source > removed + 1)
        --*source;
}

static void remove_layer(struct gen_case *gen, int index) {
    struct gen_layer removed = gen->layers[index];
    gen->count--;
    memmove(&gen->layers[index], &gen->layers[index + 1], (size_t)(gen->count - index) * sizeof gen->layers[0]);
    if (index < gen->count && gen->layers[index].join && gen_bdma_first(gen, index) == index)
        gen->layers[index].join = 0;
    bool first_conv = true, first_lookup = true;
    for (int i = index; i < gen->count; i++) {
        struct gen_layer *layer = &gen->layers[i];
        unlink_source(&layer->source, index);
        unlink_source(&layer->bs.source, index);
        unlink_source(&layer->bn.source, index);
        unlink_source(&layer->ew.source, index);
        unlink_source(&layer->input_of, index);
        unlink_source(&layer->into, index);
        if (layer->conv && removed.conv && first_conv) {
            layer->reuse_data = layer->reuse_weights = 0;
            first_conv = false;
        }
        if (gen_uses_table(layer) && gen_uses_table(&removed) && !layer->cdp == !removed.cdp && removed.lut &&
            first_lookup) {
            if (!layer->lut)
                copy_part(layer, &removed, PART_LUT);
            layer->lut = 1;
            first_lookup = false;
        }
    }
}

static bool remove_layers(struct shrinker *s) {
    bool changed = false;
    for (int n = s->best->count / 2; n >= 1; n /= 2) {
        for (int first = s->best->count - n; first >= 0; first -= n) {
            struct gen_case candidate = *s->best;
            for (int i = 0; i < n; i++)
                remove_layer(&candidate, first);
            if (attempt(s, &candidate)) {
                changed = true;
                if (first > s->best->count - n)
                    first = s->best->count;
            }
        }
    }
    return changed;
}

enum drop { DROP_CONV, DROP_PDP, DROP_SDP, DROP_MODE, DROP_SOURCES, DROP_COUNT };

/* Shortens the chain of a layer. False if it cannot be shortened. Without its convolution SDP reads a cube like the
 * convolution's from memory. */
static bool shorten(struct gen_layer *layer, enum drop drop, const struct cube *middle) {
    bool had = false;
    switch (drop) {
    case DROP_CONV:
        had = layer->conv != 0;
        if (had) {
            layer->conv = layer->source = 0;
            layer->w = middle->width;
            layer->h = middle->height;
            layer->c = middle->channels;
        }
        break;
    case DROP_PDP:
        had = layer->sdp && layer->pdp;
        layer->pdp = 0;
        break;
    case DROP_SDP:
        had = layer->sdp && layer->pdp && !layer->conv;
        layer->sdp = 0;
        break;
    case DROP_MODE:
        had = layer->conv == GEN_IMAGE || layer->conv == GEN_WINOGRAD;
        if (layer->conv == GEN_WINOGRAD)
            layer->pad_left = layer->pad_right = layer->pad_top = layer->pad_bottom = 0;
        layer->conv = had ? GEN_FEATURE : layer->conv;
        break;
    default:
        had =
            layer->source || layer->bs.source || layer->bn.source || layer->ew.source || layer->input_of || layer->into;
        layer->source = layer->bs.source = layer->bn.source = layer->ew.source = layer->input_of = layer->into = 0;
        break;
    }
    return had;
}

static bool shorten_chains(struct shrinker *s) {
    bool changed = false;
    for (int i = 0; i < s->best->count; i++) {
        for (enum drop drop = 0; drop < DROP_COUNT; drop++) {
            struct gen_shape shapes[GEN_LAYERS];
            struct gen_case candidate = *s->best;
            if (gen_case_shape(s->best, shapes, NULL) && shorten(&candidate.layers[i], drop, &shapes[i].middle))
                changed = attempt(s, &candidate) || changed;
        }
    }
    return changed;
}

/* Tries all settings of a layer together, or those of one part of it. */
static bool plain_part(struct shrinker *s, int index, bool all, enum gen_part part) {
    struct gen_case candidate = *s->best;
    for (size_t i = 0; i < gen_field_count; i++)
        if (gen_fields[i].kind == FIELD_SETTING && (all || gen_fields[i].part == part))
            *gen_field_of(&candidate.layers[index], &gen_fields[i]) = gen_fields[i].plain;
    return attempt(s, &candidate);
}

static bool set_field(struct shrinker *s, int index, const struct gen_field *field, int64_t value) {
    struct gen_case candidate = *s->best;
    *gen_field_of(&candidate.layers[index], field) = value;
    return attempt(s, &candidate);
}

static bool shrink_field(struct shrinker *s, int index, const struct gen_field *field) {
    int64_t now = *gen_field_of(&s->best->layers[index], field), bad = field->plain;
    bool changed = false;
    if (field->kind == FIELD_FIXED || now == field->plain)
        return false;
    if (set_field(s, index, field, field->plain))
        return true;
    if (field->kind != FIELD_AMOUNT)
        return false;
    while (now - bad > 1 && s->shrink->attempts > 0) { /* amounts are above their plain value */
        int64_t middle = bad + (now - bad) / 2;
        if (set_field(s, index, field, middle)) {
            now = *gen_field_of(&s->best->layers[index], field);
            changed = true;
        } else {
            bad = middle;
        }
    }
    return changed;
}

static bool plain_layers(struct shrinker *s) {
    bool changed = false;
    for (int i = 0; i < s->best->count; i++) {
        if (!plain_part(s, i, true, PART_LAYER))
            for (enum gen_part part = PART_LAYER; part <= PART_OUTPUT; part++)
                changed = plain_part(s, i, false, part) || changed;
        for (size_t f = 0; f < gen_field_count; f++)
            changed = shrink_field(s, i, &gen_fields[f]) || changed;
    }
    return changed;
}

static bool plain_case(struct shrinker *s) {
    struct gen_case candidate = *s->best;
    candidate.place = 0;
    bool changed = attempt(s, &candidate);
    candidate = *s->best;
    candidate.expect_all = false;
    return attempt(s, &candidate) || changed;
}

void shrink_case(struct shrink *shrink, struct gen_case *gen) {
    struct shrinker s = {.shrink = shrink, .best = gen};
    bool changed = true;
    while (changed && shrink->attempts > 0) {
        changed = remove_layers(&s);
        changed = shorten_chains(&s) || changed;
        changed = plain_case(&s) || changed;
        changed = plain_layers(&s) || changed;
    }
    free(s.tried);
}

/* ---- any trace ------------------------------------------------------------------------------- */

enum { PROLOGUE = -1 /* operations before the first layer */, WINDOW_BYTES = 0x1000 };

#define CDMA_REUSE (CDMA_D_MISC_CFG__DATA_REUSE_MASK | CDMA_D_MISC_CFG__WEIGHT_REUSE_MASK)

/* A program cut into layers: a layer ends with the D_OP_ENABLE writes (BDMA: the launch) before the next unit's
 * programming. */
struct layer_cut {
    const struct program *prog;
    int *layer; /* of each operation */
    int count;
};

static const struct nvdla_register *written(const struct program *prog, const struct op *op) {
    return op->kind == OP_WRITE ? nvdla_register_at(prog->config, op->address) : NULL;
}

static uint32_t offset_of(const struct nvdla_register *reg) {
    return reg->address % WINDOW_BYTES;
}

static bool is_launch(const struct nvdla_register *reg) {
    return reg && reg->unit == NVDLA_BDMA && (offset_of(reg) == BDMA_CFG_LAUNCH0 || offset_of(reg) == BDMA_CFG_LAUNCH1);
}

static bool is_arming(const struct program *prog, const struct op *op) {
    return op->kind == OP_WRITE && register_write_arms(prog->config, op->address, op->value);
}

static bool is_pointer(const struct nvdla_register *reg) {
    return reg && strcmp(reg->name, "S_POINTER") == 0;
}

static bool is_programming(const struct nvdla_register *reg) {
    return reg && (reg->grouped || is_pointer(reg) || (reg->unit == NVDLA_BDMA && !is_launch(reg)));
}

static void cut_layers(struct layer_cut *cut, const struct program *prog) {
    *cut = (struct layer_cut){.prog = prog, .layer = xmalloc(prog->count * sizeof *cut->layer)};
    int layer = PROLOGUE;
    bool armed = true; /* the next programming starts a layer */
    for (size_t i = 0; i < prog->count; i++) {
        const struct nvdla_register *reg = written(prog, &prog->ops[i]);
        if (is_arming(prog, &prog->ops[i])) {
            armed = true;
            layer = layer < 0 ? 0 : layer;
        } else if (armed && is_programming(reg)) {
            armed = false;
            layer++;
        }
        cut->layer[i] = layer;
    }
    cut->count = layer + 1;
    /* a wait belongs to the next operation of its stream */
    autofree int *next = xmalloc((prog->stream_count + 1) * sizeof *next);
    for (size_t i = 0; i < prog->stream_count; i++)
        next[i] = layer;
    for (size_t i = prog->count; i-- > 0;) {
        const struct op *op = &prog->ops[i];
        const struct nvdla_register *reg = written(prog, op);
        if (is_programming(reg) || is_launch(reg))
            next[op->stream] = cut->layer[i];
        else if (op->kind == OP_SYNC_WAIT)
            cut->layer[i] = next[op->stream];
    }
}

/* What a program without a layer still needs of it: memory, the poll for the flush of CBUF, the single registers of
 * units that other layers arm (tables, values that a BDMA descriptor takes from the previous one). */
static bool survives(const struct program *prog, const struct op *op, const bool *armed) {
    const struct nvdla_register *reg = op_is_register(op->kind) ? nvdla_register_at(prog->config, op->address) : NULL;
    switch (op->kind) {
    case OP_NOTE:
    case OP_MEM_LOAD:
    case OP_MEM_FILL:
    case OP_MEM_RESERVE:
    case OP_MEM_RELEASE:
        return true;
    case OP_WRITE:
        return reg && !reg->grouped && !is_pointer(reg) && armed[reg->unit] &&
               !(reg->unit == NVDLA_BDMA && offset_of(reg) >= BDMA_CFG_OP);
    case OP_POLL:
        return reg && strcmp(reg->name, "S_CBUF_FLUSH_STATUS") == 0;
    default:
        return false;
    }
}

/* The program without the layers for which keep[] is false, into ops[] (room for all). Returns the number of
 * operations, 0 if the rest cannot run alone. */
static size_t without(const struct layer_cut *cut, const bool *keep, struct op *ops) {
    const struct program *prog = cut->prog;
    bool *raised = xmalloc((prog->event_count + 1) * sizeof *raised), orphan = false, good = true;
    int gone[NVDLA_UNIT_COUNT] = {0};       /* uses of a unit removed so far */
    bool armed[NVDLA_UNIT_COUNT] = {false}; /* by the remaining layers */
    size_t count = 0;
    memset(raised, 0, (prog->event_count + 1) * sizeof *raised);
    for (size_t i = 0; i < prog->count; i++) {
        const struct nvdla_register *reg = written(prog, &prog->ops[i]);
        if (is_arming(prog, &prog->ops[i]) && keep[cut->layer[i]])
            armed[reg->unit] = true;
    }
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        bool kept = cut->layer[i] == PROLOGUE || keep[cut->layer[i]] || survives(prog, op, armed);
        if (kept && op->event >= 0 && (op->kind == OP_INTR_NOTIFY || op->kind == OP_SYNC_NOTIFY))
            raised[op->event] = true;
    }
    for (size_t i = 0; i < prog->count; i++) {
        struct op op = prog->ops[i];
        const struct nvdla_register *reg = written(prog, &op);
        bool kept = cut->layer[i] == PROLOGUE || keep[cut->layer[i]];
        if (!kept && is_arming(prog, &op)) {
            gone[reg->unit]++;
            orphan = orphan || reg->unit == NVDLA_CDMA;
        }
        if (kept && reg && reg->unit == NVDLA_CDMA && strcmp(reg->name, "D_MISC_CFG") == 0) {
            good = good && !(orphan && (op.value & CDMA_REUSE));
            orphan = false;
        }
        bool checks = op.kind == OP_MEM_CHECK || op.kind == OP_MEM_CRC || op.kind == OP_READ_CHECK;
        bool waits_for_nothing = (op.kind == OP_SYNC_WAIT && !raised[op.event]) || (op.after >= 0 && !raised[op.after]);
        if (waits_for_nothing && survives(prog, &op, armed))
            good = false;
        if ((!kept && !survives(prog, &op, armed)) || waits_for_nothing || (checks && op.at_end))
            continue;
        if (reg && is_pointer(reg))
            op.value ^= (uint32_t)gone[reg->unit] & 1;
        if (is_launch(reg) && (gone[NVDLA_BDMA] & 1))
            op.address ^= BDMA_CFG_LAUNCH0 ^ BDMA_CFG_LAUNCH1;
        if (op.kind == OP_INTR_NOTIFY && op.bit >= 0 && nvdla_interrupt_unit(op.bit) < NVDLA_UNIT_COUNT)
            op.bit ^= gone[nvdla_interrupt_unit(op.bit)] & 1;
        ops[count++] = op;
    }
    free(raised);
    return good ? count : 0;
}

void shrink_program(struct shrink *shrink, struct program *prog) {
    struct layer_cut cut;
    cut_layers(&cut, prog);
    struct op *ops = xmalloc((prog->count + 1) * sizeof *ops), *best = xmalloc((prog->count + 1) * sizeof *ops);
    autofree bool *keep = xmalloc((size_t)cut.count + 1);
    size_t best_count = 0;
    memset(keep, 1, (size_t)cut.count + 1);
    bool changed = cut.count > 1;
    while (changed && shrink->attempts > 0) {
        changed = false;
        for (int i = cut.count - 1; i >= 0 && shrink->attempts > 0; i--) {
            if (!keep[i])
                continue;
            keep[i] = false;
            size_t count = without(&cut, keep, ops);
            bool last = true; /* a sequential program names interrupt groups in many ways: only its end is cut off */
            for (int j = i + 1; j < cut.count; j++)
                last = last && !keep[j];
            struct program candidate = *prog;
            candidate.ops = ops;
            candidate.count = count;
            bool fails = count > 0 && (last || !prog->sequential);
            if (fails) {
                shrink->attempts--;
                fails = shrink->fails(shrink->context, &candidate);
            }
            keep[i] = !fails;
            if (fails) {
                changed = true;
                best_count = count;
                memcpy(best, ops, count * sizeof *ops);
            }
        }
    }
    if (best_count > 0) {
        memcpy(prog->ops, best, best_count * sizeof *best);
        prog->count = best_count;
    }
    free(best);
    free(ops);
    free(cut.layer);
}
