/* Random cases in words: settings of a layer, "w=5 h=3", and conditions on a layer, "conv=3 stride_x!stride_y
 * last.skip_data", all of which hold.
 *
 * A condition is a value that is not 0, or two values with = ! < > between. A value is made from left to right with
 * + - * % of numbers, members of a layer (gen_fields; last.MEMBER: of the layer before, without which no condition
 * holds) and these: */
#pragma once

#include <ctype.h>

#include "gen/gen.h"
#include "nvdla/pixel.h"
#include "tests/unit/test.h"

enum gen_other {
    GEN_ATOM,
    GEN_ATOMIC_C,
    GEN_ATOMIC_K,
    GEN_GROUP,  /* kernels of a group in the layer's precision */
    GEN_FP16,   /* 1: the configuration has three precisions */
    GEN_PIXEL,  /* precision of the pixels of an image, -1: it is none */
    GEN_BEFORE, /* layers before it */
    GEN_OTHERS
};

struct gen_term {
    char operation; /* before it: arithmetic, a relation, or a space where a condition begins */
    bool last;
    const struct gen_field *field; /* NULL: another value */
    enum gen_other other;          /* GEN_OTHERS: the number */
    int64_t number;
};

enum { GEN_TERMS = 40 };

struct gen_condition {
    const char *text;
    struct gen_term terms[GEN_TERMS];
    size_t count;
    int drawn; /* layers that meet it */
};

static inline struct gen_condition gen_condition(const char *text) {
    static const char *const others[GEN_OTHERS] = {"atom", "atomic_c", "atomic_k", "group", "fp16", "pixel", "before"};
    struct gen_condition condition = {.text = text};
    for (char operation = ' '; operation; operation = *text ? *text++ : '\0') {
        struct gen_term term = {.operation = operation, .last = strncmp(text, "last.", 5) == 0};
        text += term.last ? strlen("last.") : 0;
        const size_t n = strcspn(text, " +-*%=!<>");
        term.field = gen_field_find(text, n);
        while (!term.field && term.other < GEN_OTHERS &&
               (strlen(others[term.other]) != n || strncmp(others[term.other], text, n) != 0))
            term.other++;
        if (!term.field && term.other == GEN_OTHERS && !isdigit((unsigned char)*text))
            fail_msg("'%s': '%s' is neither a member nor a number", condition.text, text);
        term.number = strtoll(text, NULL, 0);
        text += n;
        assert_true(condition.count < GEN_TERMS);
        condition.terms[condition.count++] = term;
    }
    return condition;
}

static inline int64_t gen_other_value(const struct gen_case *gen, int at, enum gen_other other) {
    const struct gen_layer *layer = &gen->layers[at];
    const struct nvdla_config *config = gen->config;
    switch (other) {
    case GEN_ATOM:
        return config->mem_atom;
    case GEN_ATOMIC_C:
        return config->atomic_c;
    case GEN_ATOMIC_K:
        return config->atomic_k;
    case GEN_GROUP:
        return config->atomic_k / (layer->precision == NVDLA_INT8 ? 1 : 2);
    case GEN_FP16:
        return config->fp16;
    case GEN_BEFORE:
        return at;
    default:
        return layer->conv == 2 ? (int64_t)nvdla_pixel_format(config, (uint32_t)layer->format)->precision : -1;
    }
}

static inline bool gen_related(int64_t left, char relation, int64_t right) {
    return relation == '='   ? left == right
           : relation == '!' ? left != right
           : relation == '<' ? left < right
           : relation == '>' ? left > right
                             : right != 0;
}

/* Whether layer number `at` meets the condition. */
static inline bool gen_holds(const struct gen_condition *condition, struct gen_case *gen, int at) {
    int64_t left = 0, value = 0;
    char relation = '\0';
    for (const struct gen_term *term = condition->terms; term < condition->terms + condition->count; term++) {
        if (term->last && at == 0)
            return false;
        const int layer = at - term->last;
        const int64_t x = term->field                 ? *gen_field_of(&gen->layers[layer], term->field)
                          : term->other == GEN_OTHERS ? term->number
                                                      : gen_other_value(gen, layer, term->other);
        switch (term->operation) {
        case '+':
            value += x;
            break;
        case '-':
            value -= x;
            break;
        case '*':
            value *= x;
            break;
        case '%':
            value %= x;
            break;
        case ' ':
            if (term > condition->terms && !gen_related(left, relation, value))
                return false;
            relation = '\0';
            value = x;
            break;
        default:
            left = value;
            relation = term->operation;
            value = x;
        }
    }
    return gen_related(left, relation, value);
}

/* Counts the layers of a case that meet it. */
static inline int gen_count(struct gen_condition *condition, struct gen_case *gen) {
    int count = 0;
    for (int i = 0; i < gen->count; i++)
        count += gen_holds(condition, gen, i);
    condition->drawn += count;
    return count;
}

/* The conditions of a file, a row each; the last one has no text. */
static inline struct gen_condition *gen_conditions(const char *path) {
    size_t count = 0;
    char *rest = test_text(path);
    struct gen_condition *conditions = test_new(100 * sizeof *conditions);
    for (const char *row; (row = test_row(&rest)) != NULL;) {
        assert_true(count < 99);
        conditions[count++] = gen_condition(row);
    }
    return conditions;
}

/* Every corner has been drawn at times. */
static inline void assert_drawn(const struct gen_condition *corners, int least) {
    for (; corners->text; corners++)
        if (corners->drawn < least)
            fail_msg("'%s' was drawn %d times", corners->text, corners->drawn);
}

/* Gives members of a layer the values of "w=5 h=3". */
static inline void gen_settings(struct gen_layer *layer, const char *text) {
    char name[32];
    int n;
    for (long long value; sscanf(text, " %31[^=]=%lld%n", name, &value, &n) == 2; text += n) {
        const struct gen_field *field = gen_field_find(name, strlen(name));
        assert_non_null(field);
        *gen_field_of(layer, field) = value;
    }
    assert_int_equal(*text, 0);
}
