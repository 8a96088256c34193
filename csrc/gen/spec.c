/* Converts the description of a case to text and back. See spec.h. */
#include "gen/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of the table of members; rows of BS or BN, which differ in the name alone; of a convertor of EW. */
#define ROW(member, part_, plain_, low, high, kind_)                                                                   \
    {.name = #member,                                                                                                  \
     .offset = offsetof(struct gen_layer, member),                                                                     \
     .plain = (plain_),                                                                                                \
     .lowest = (low),                                                                                                  \
     .highest = (high),                                                                                                \
     .part = PART_##part_,                                                                                             \
     .kind = FIELD_##kind_}
#define F(...) ROW(__VA_ARGS__),
#define S F

#define STAGE(x, X)                                                                                                    \
    ROW(x.source, X##_MEMORY, 0, 0, GEN_LAYERS, FIXED), ROW(x.on, SDP, 0, 0, 1, SETTING),                              \
        ROW(x.alu, X, 0, 0, 1, SETTING), ROW(x.mul, X, 0, 0, 1, SETTING), ROW(x.relu, X, 0, 0, 1, SETTING),            \
        ROW(x.prelu, X##_MUL, 0, 0, 1, SETTING), ROW(x.algorithm, X##_ALU, 2, 0, 3, SETTING),                          \
        ROW(x.alu_memory, X##_ALU, 0, 0, 1, SETTING), ROW(x.mul_memory, X##_MUL, 0, 0, 1, SETTING),                    \
        ROW(x.element, X##_MEMORY, 0, 0, 1, SETTING), ROW(x.two_bytes, X##_MEMORY, 0, 0, 1, SETTING),                  \
        ROW(x.alu_operand, X##_ALU_REGISTER, 0, INT16_MIN, INT16_MAX, SETTING),                                        \
        ROW(x.alu_shift, X##_ALU, 0, 0, 63, AMOUNT),                                                                   \
        ROW(x.mul_operand, X##_MUL_REGISTER, 1, INT16_MIN, INT16_MAX, SETTING), ROW(x.mul_shift, X, 0, 0, 63, AMOUNT), \
        ROW(x.line, X##_MEMORY, 0, 0, 1 << 16, SETTING), ROW(x.surface, X##_MEMORY, 0, 0, 1 << 16, SETTING),           \
        ROW(x.space, X##_MEMORY, 0, 0, 1, SETTING), ROW(x.data, X##_MEMORY, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),

#define EW_CVT(x, X)                                                                                                   \
    ROW(x##_cvt, X, 0, 0, 1, SETTING), ROW(x##_cvt_offset, X##_CVT, 0, INT32_MIN, INT32_MAX, SETTING),                 \
        ROW(x##_cvt_scale, X##_CVT, 1, INT16_MIN, INT16_MAX, SETTING),                                                 \
        ROW(x##_cvt_truncate, X##_CVT, 0, 0, 63, SETTING),

const struct gen_field gen_fields[] = {
#include "gen/spec_fields.h"
};
const size_t gen_field_count = sizeof gen_fields / sizeof gen_fields[0];

int64_t *gen_field_of(struct gen_layer *layer, const struct gen_field *field) {
    return (int64_t *)(void *)((char *)layer + field->offset);
}

void gen_layer_plain(struct gen_layer *layer) {
    *layer = (struct gen_layer){0}; /* members that a stage does not use stay 0 */
    for (size_t i = 0; i < gen_field_count; i++)
        *gen_field_of(layer, &gen_fields[i]) = gen_fields[i].plain;
}

bool gen_uses_table(const struct gen_layer *layer) {
    return layer->cdp || (layer->sdp && layer->ew.on && layer->ew.lut);
}

static bool matters(const struct gen_layer *layer, enum gen_part part) {
#define P(name, condition) [PART_##name] = (condition),
    const bool parts[PARTS] = {GEN_PARTS(P)};
    return parts[part];
}

void gen_layer_tidy(struct gen_layer *layer) {
    for (size_t i = 0; i < gen_field_count; i++)
        if (!matters(layer, gen_fields[i].part))
            *gen_field_of(layer, &gen_fields[i]) = gen_fields[i].plain;
}

const struct gen_field *gen_field_find(const char *name, size_t n) {
    for (size_t i = 0; i < gen_field_count; i++)
        if (strlen(gen_fields[i].name) == n && memcmp(gen_fields[i].name, name, n) == 0)
            return &gen_fields[i];
    return NULL;
}

/* ---- comments ------------------------------------------------------------------------------------------------------
 *
 * # gen case engines=mix seed=7 layers=2 place=99 expect_all=1
 * # gen layer 0 sdp=1 w=5 c=9 ... */

static void add_note(struct program *prog, const char *text, size_t n) {
    struct op op = op_make(OP_NOTE, 0);
    op.stream = (uint16_t)program_stream(prog, "memory");
    op.text = program_text(prog, text, n);
    program_append(prog, &op);
}

void gen_case_note(const struct gen_case *gen, struct program *prog) {
    char text[8192];
    for (size_t i = 0; gen->described_in && i < gen->described_in->count; i++) {
        const struct op *op = &gen->described_in->ops[i];
        if (op->kind == OP_NOTE && strncmp(op->text, "gen ", 4) != 0)
            add_note(prog, op->text, strlen(op->text));
    }
    int n =
        snprintf(text, sizeof text, "gen case engines=%s seed=%" PRIu64 " layers=%d place=%" PRIu64 " expect_all=%d",
                 gen->engines, gen->seed, gen->count, gen->place, (int)gen->expect_all);
    add_note(prog, text, (size_t)n);
    for (int i = 0; i < gen->count; i++) {
        struct gen_layer layer = gen->layers[i];
        n = snprintf(text, sizeof text, "gen layer %d", i);
        for (size_t f = 0; f < gen_field_count; f++) {
            int64_t value = *gen_field_of(&layer, &gen_fields[f]);
            if (value != gen_fields[f].plain)
                n += snprintf(text + n, sizeof text - (size_t)n, " %s=%" PRId64, gen_fields[f].name, value);
        }
        add_note(prog, text, (size_t)n);
    }
}

/* Removes "NAME=" from *text and returns what follows, up to a blank; NULL if *text begins otherwise. */
static const char *take(const char **text, const char *name, char *value, size_t size) {
    size_t n = strlen(name);
    const char *at = *text + strspn(*text, " ");
    if (strncmp(at, name, n) != 0 || at[n] != '=')
        return NULL;
    at += n + 1;
    size_t length = strcspn(at, " ");
    if (length == 0 || length >= size)
        return NULL;
    memcpy(value, at, length);
    value[length] = '\0';
    *text = at + length;
    return value;
}

static bool take_unsigned(const char **text, const char *name, uint64_t highest, uint64_t *result) {
    char value[32], *end;
    if (!take(text, name, value, sizeof value) || value[0] < '0' || value[0] > '9')
        return false;
    errno = 0;
    unsigned long long parsed = strtoull(value, &end, 10);
    *result = parsed;
    return errno == 0 && *end == '\0' && parsed <= highest;
}

static bool read_case(struct gen_case *gen, const char *text) {
    uint64_t layers, expect_all;
    if (!take(&text, "engines", gen->engines, sizeof gen->engines) ||
        !take_unsigned(&text, "seed", UINT64_MAX, &gen->seed) || !take_unsigned(&text, "layers", GEN_LAYERS, &layers) ||
        layers == 0 || !take_unsigned(&text, "place", UINT64_MAX, &gen->place) ||
        !take_unsigned(&text, "expect_all", 1, &expect_all))
        return false;
    gen->count = (int)layers;
    gen->expect_all = expect_all != 0;
    return text[strspn(text, " ")] == '\0';
}

static bool read_layer(struct gen_layer *layer, const char *text, struct error *err) {
    gen_layer_plain(layer);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t n = strcspn(text, "= ");
        const struct gen_field *field = text[n] == '=' ? gen_field_find(text, n) : NULL;
        char *end;
        if (!field)
            return error_set(err, "'%.*s' is not a setting of a layer", (int)n, text);
        errno = 0;
        long long value = strtoll(text + n + 1, &end, 10);
        if (errno != 0 || end == text + n + 1 || (*end != ' ' && *end != '\0') || value < field->lowest ||
            value > field->highest)
            return error_set(err, "%s: expected a number from %" PRId64 " to %" PRId64, field->name, field->lowest,
                             field->highest);
        *gen_field_of(layer, field) = value;
        text = end;
    }
    return true;
}

bool gen_case_read(struct gen_case *gen, const struct program *prog, struct error *err) {
    *gen = (struct gen_case){.config = prog->config};
    int seen = 0;
    for (size_t i = 0; i < prog->count && (gen->count == 0 || seen < gen->count); i++) {
        const struct op *op = &prog->ops[i];
        char position[512], expected[32];
        if (op->kind != OP_NOTE || strncmp(op->text, "gen ", 4) != 0)
            continue;
        op_position(prog, op, position, sizeof position);
        int n = snprintf(expected, sizeof expected, "gen layer %d ", seen);
        if (gen->count == 0) {
            if (strncmp(op->text, "gen case ", 9) != 0 || !read_case(gen, op->text + 9))
                return error_set(err,
                                 "%s: expected \"gen case engines=... seed=... layers=... place=... "
                                 "expect_all=...\"",
                                 position);
        } else if (strncmp(op->text, expected, (size_t)n) != 0) {
            return error_set(err, "%s: expected \"%s...\"", position, expected);
        } else if (!read_layer(&gen->layers[seen++], op->text + n, err)) {
            return error_prefix(err, "%s: ", position);
        }
    }
    if (gen->count == 0)
        return error_set(err, "%s: no description of random layers in its comments", prog->files[0]);
    return seen == gen->count ||
           error_set(err, "%s: the descriptions of %d layers are missing", prog->files[0], gen->count - seen);
}
