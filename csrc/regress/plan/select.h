/* Expressions that choose tests: `--select 'fast and not (random or rtl-mine)'`.
 *
 *   expression  term, not expression, expression and expression, expression or expression, ( expression )
 *   term        a word; without "*", "?" and "[" it chooses the tests that have it as a tag, or as the name of their
 *               item, configuration, dut or memory setting, or as their key; as a pattern for those of which one of
 *               these matches it
 *
 * `not` binds before `and`, that before `or`; they may be written in capitals. */
#ifndef REGRESS_PLAN_SELECT_H
#define REGRESS_PLAN_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"
#include "regress/plan/test.h"

/* Marks the tests that the expression chooses: chosen[0 .. count-1]. False with a message of three lines, the second
 * the expression, the third with a caret below the place that is wrong: no expression, a word that no test answers to,
 * no test is chosen. */
bool select_tests(const char *expression, const struct test *tests, size_t count, bool *chosen, struct error *err);

/* True for "and", "or", "not": no name can be one of these. */
bool select_is_operator(const char *word);

#endif
