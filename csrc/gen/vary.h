/* Variations of a case: members of its layers that take every value of a range, in every combination.
 *
 * A variation is written "FIELD=FROM:TO:STEP", TO and STEP may be missing, and "LAYER/" may precede it: layer 0
 * otherwise. The fields are those of the comments of a case (gen/spec.h). */
#pragma once

#include "gen/spec.h"

enum { GEN_VARIATIONS = 8 };

struct gen_variations {
    struct gen_variation {
        const struct gen_field *field;
        int layer;
        int64_t from, to, step;
    } list[GEN_VARIATIONS];
    size_t count;
};

/* Adds one. False with a message if it is damaged. */
bool gen_variation_read(struct gen_variations *variations, const char *text, struct error *err);

/* Combinations, UINT64_MAX if they are more. */
uint64_t gen_variation_count(const struct gen_variations *variations);

/* True if all are of layer 0: then a case that is drawn consists of that layer alone. */
bool gen_variations_of_one_layer(const struct gen_variations *variations);

/* Sets combination number `index`, the last variation fastest, in a case. Its name ("w=3,1/s=2") goes to text. False
 * with a message if the case has no such layer. */
bool gen_variation_set(const struct gen_variations *variations, uint64_t index, struct gen_case *gen, char *text,
                       size_t size, struct error *err);

/* Sets a combination by its name in a case that has been drawn. */
bool gen_variation_apply(const char *name, struct gen_case *gen, struct error *err);
