/* Reads values of a plan: each from its YAML node, or refuses it with its place, what was found and what was expected.
 * All return false with a message in reader->err. what: the key, for the message. */
#ifndef REGRESS_PLAN_PLAN_VALUES_H
#define REGRESS_PLAN_PLAN_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/yamltree.h"
#include "regress/plan/plan_parts.h"

struct plan_reader {
    struct plan *plan;
    struct error *err;
};

struct place value_place(const struct yaml_node *node);

/* "WHAT: found X, expected EXPECTED" */
bool value_refuse(const struct plan_reader *reader, const struct yaml_node *node, const char *what,
                  const char *expected);
/* Puts place and key in front of the message that is there. */
bool value_refuse_text(const struct plan_reader *reader, const struct yaml_node *node, const char *what);

/* True for a text, which may be empty if it is in quotes. */
bool value_is_text(const struct yaml_node *node);

/* True for a name of letters, digits, '_', '-' and characters of `more`, which begins with a letter or digit. */
bool value_is_name(const char *text, const char *more);
#define VALUE_NAME                                                                                                     \
    "a name of letters, digits, '_' and '-', at most 64, that begins with a letter or digit and is not and, or, not"

/* A text for people, 1 to 400 bytes. free() it. */
bool value_text(const struct plan_reader *reader, const struct yaml_node *node, const char *what, char **text);

/* yes or no, true or false, on or off. */
bool value_bool(const struct plan_reader *reader, const struct yaml_node *node, const char *what, bool *value);

bool value_number(const struct plan_reader *reader, const struct yaml_node *node, const char *what, uint64_t min,
                  uint64_t max, uint64_t *value);

/* A number, perhaps with a letter after it, each of `letters` `step` times the one before; none: 0. */
bool value_amount(const struct plan_reader *reader, const struct yaml_node *node, const char *what, const char *letters,
                  uint64_t step, const char *expected, uint64_t *value);

/* Seconds: 90, 1.5, 90s, 5m, 2h, 1d; none, where there may be no limit: 0. */
bool value_seconds(const struct plan_reader *reader, const struct yaml_node *node, const char *what, bool or_none,
                   double *value);

/* Looks at one element of a list. */
typedef bool value_check(const struct plan_reader *reader, const struct yaml_node *node, const char *what);

/* A text, or a list of texts, at least one; none twice unless `again`. check: NULL for none. Adds them to words. */
bool value_words(const struct plan_reader *reader, const struct yaml_node *node, const char *what, const char *expected,
                 value_check *check, bool again, struct plan_words *words);

/* Of a list of options of nvcosim run: is it one that a plan may give? */
value_check value_check_option;

/* Are the values of the words and of `more` (NULL: none) right, and do they go together, for that argument of --dut?
 * place: what the message is about if it is not about one of the words. */
bool value_check_fit(const struct plan_reader *reader, const char *dut, const struct plan_words *words,
                     const struct plan_words *more, struct place place, const char *what);

/* Is it a mapping that has no other keys than these (NULL at the end)? */
bool value_keys(const struct plan_reader *reader, const struct yaml_node *map, const char *what,
                const char *const *keys);

/* Limits; those that are not given stay as they are. */
bool value_limits(const struct plan_reader *reader, const struct yaml_node *map, struct plan_limits *limits);

/* An item, added to those of the plan, whose memories are complete. */
bool plan_read_item(const struct plan_reader *reader, const struct yaml_node *map);

#endif
