/* Variations of a case. See vary.h. */
#include "gen/vary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number that `separator` precedes; without the separator the number stays. */
static bool take_number(const char **text, char separator, int64_t *value) {
    char *end;
    if (**text != separator)
        return true;
    errno = 0;
    *value = strtoll(*text + 1, &end, 10);
    const bool good = errno == 0 && end != *text + 1;
    *text = end;
    return good;
}

bool gen_variation_read(struct gen_variations *variations, const char *text, struct error *err) {
    const char *name = strchr(text, '/'), *at = text + strcspn(text, "=");
    int64_t layer = 0;
    name = name && name < at ? name + 1 : text;
    if (name != text) {
        char *end;
        layer = strtol(text, &end, 10);
        if (end == text || end + 1 != name || layer < 0 || layer >= GEN_LAYERS)
            return error_set(err, "found '%s', expected a layer from 0 to %d before the '/'", text, GEN_LAYERS - 1);
    }
    const struct gen_field *field = gen_field_find(name, (size_t)(at - name));
    if (!field)
        return error_set(err, "'%.*s' is not a setting of a layer", (int)(at - name), name);
    struct gen_variation one = {.field = field, .layer = (int)layer, .step = 1};
    bool good = *at == '=' && take_number(&at, '=', &one.from);
    one.to = one.from;
    good = good && take_number(&at, ':', &one.to) && take_number(&at, ':', &one.step) && *at == '\0';
    if (!good || one.step < 1 || one.to < one.from)
        return error_set(err, "found '%s', expected FIELD=FROM:TO or FIELD=FROM:TO:STEP, FROM not above TO", text);
    if (one.from < field->lowest || one.to > field->highest)
        return error_set(err, "%s: found '%s', expected numbers from %" PRId64 " to %" PRId64, field->name, text,
                         field->lowest, field->highest);
    if (variations->count == GEN_VARIATIONS)
        return error_set(err, "found more than %d variations", GEN_VARIATIONS);
    variations->list[variations->count++] = one;
    return true;
}

/* Values of one variation. */
static uint64_t values_of(const struct gen_variation *one) {
    return ((uint64_t)one->to - (uint64_t)one->from) / (uint64_t)one->step + 1;
}

uint64_t gen_variation_count(const struct gen_variations *variations) {
    uint64_t count = 1;
    for (size_t i = 0; i < variations->count; i++)
        if (__builtin_mul_overflow(count, values_of(&variations->list[i]), &count))
            return UINT64_MAX;
    return count;
}

bool gen_variations_of_one_layer(const struct gen_variations *variations) {
    for (size_t i = 0; i < variations->count; i++)
        if (variations->list[i].layer > 0)
            return false;
    return true;
}

bool gen_variation_set(const struct gen_variations *variations, uint64_t index, struct gen_case *gen, char *text,
                       size_t size, struct error *err) {
    int64_t values[GEN_VARIATIONS];
    for (size_t i = variations->count; i-- > 0; index /= values_of(&variations->list[i]))
        values[i] =
            variations->list[i].from + (int64_t)(index % values_of(&variations->list[i])) * variations->list[i].step;
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < variations->count; i++) {
        const struct gen_variation *one = &variations->list[i];
        char layer[16] = "";
        if (one->layer >= gen->count)
            return error_set(err, "found layer %d, the case has %d", one->layer, gen->count);
        *gen_field_of(&gen->layers[one->layer], one->field) = values[i];
        if (one->layer > 0)
            snprintf(layer, sizeof layer, "%d/", one->layer);
        if (n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s%s=%" PRId64, i ? "," : "", layer, one->field->name,
                                  values[i]);
    }
    for (int i = 0; i < gen->count; i++)
        gen_layer_tidy(&gen->layers[i]);
    return true;
}

bool gen_variation_apply(const char *name, struct gen_case *gen, struct error *err) {
    struct gen_variations variations = {.count = 0};
    char word[128], again[512];
    for (const char *at = name; *at; at += *at == ',') {
        const size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        if (!gen_variation_read(&variations, word, err))
            return false;
        at += n;
    }
    if (gen_variations_of_one_layer(&variations))
        gen->count = 1;
    return gen_variation_set(&variations, 0, gen, again, sizeof again, err);
}
