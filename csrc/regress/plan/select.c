/* Expressions that choose tests: a recursive descent that carries a flag of every test. See select.h. */
#include "regress/plan/select.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* Bytes of an expression; parentheses and `not` in one another. */
enum { EXPRESSION_MOST = 400, DEPTH_MOST = 50 };

struct parser {
    const char *expression, *at; /* at: the token that comes next */
    size_t n;                    /* its bytes; 0 at the end */
    int depth;
    const struct test *tests;
    size_t count;
    struct error *err;
};

bool select_is_operator(const char *word) {
    return strcasecmp(word, "and") == 0 || strcasecmp(word, "or") == 0 || strcasecmp(word, "not") == 0;
}

/* The message, the expression, and a caret below what stands at `at`. Returns false. */
static bool fail_at(const struct parser *parser, const char *at, const char *message) {
    char shown[4 * EXPRESSION_MOST + 1], before[4 * EXPRESSION_MOST + 1];
    int column = 0;
    text_shown_into(parser->expression, shown, sizeof shown);
    text_shown_bytes(parser->expression, (size_t)(at - parser->expression), before, sizeof before);
    for (const char *c = before; *c; c++)
        column += ((unsigned char)*c & 0xc0) != 0x80;
    error_set(parser->err, "--select: %s", message);
    const size_t used = strlen(parser->err->text); /* error_set() would take the line ends for control characters */
    snprintf(parser->err->text + used, sizeof parser->err->text - used, "\n  %s\n  %*s^", shown, column, "");
    return false;
}

static void next(struct parser *parser) {
    parser->at += parser->n;
    parser->at += strspn(parser->at, " \t");
    parser->n = *parser->at == '(' || *parser->at == ')' ? 1 : strcspn(parser->at, " \t()");
}

static bool is_word(const struct parser *parser, const char *word) {
    return parser->n == strlen(word) && strncasecmp(parser->at, word, parser->n) == 0;
}

static bool refuse(const struct parser *parser, const char *expected) {
    char shown[60], message[300];
    text_shown_bytes(parser->at, parser->n, shown, sizeof shown);
    snprintf(message, sizeof message, "found %s%s%s, expected %s", parser->n ? "'" : "the end", shown,
             parser->n ? "'" : "", expected);
    return fail_at(parser, parser->at, message);
}

/* ---- terms ---- */

static const char *memory_name(const struct test *test) {
    return test->memory[0] ? test->memory : "default";
}

enum { NAMES = 5 };
/* What a test answers to, beside its tags. */
static void names_of(const struct test *test, const char *names[NAMES]) {
    names[0] = test->item;
    names[1] = test->config;
    names[2] = test->dut;
    names[3] = memory_name(test);
    names[4] = test->key;
}

static bool answers(const struct test *test, const char *word, bool pattern) {
    const char *names[NAMES];
    names_of(test, names);
    for (size_t i = 0; i < NAMES + test->tags.count; i++) {
        const char *name = i < NAMES ? names[i] : test->tags.items[i - NAMES];
        if (pattern ? fnmatch(word, name, 0) == 0 : strcmp(word, name) == 0)
            return true;
    }
    return false;
}

/* What may have been meant by a word that no test answers to. */
static bool refuse_word(const struct parser *parser, const char *word) {
    struct guess guess = {.word = word, .n = strlen(word)};
    char hint[96], shown[100], message[400];
    for (size_t i = 0; i < parser->count; i++) {
        const struct test *test = &parser->tests[i];
        const char *names[NAMES];
        names_of(test, names);
        for (size_t k = 0; k < NAMES + test->tags.count; k++)
            guess_try(&guess, k < NAMES ? names[k] : test->tags.items[k - NAMES]);
    }
    snprintf(message, sizeof message,
             "found '%s', which no test of the plan has as a tag, or as the name of its item, configuration, dut or "
             "memory setting, or as its key%s",
             text_shown_into(word, shown, sizeof shown), guess_hint(&guess, hint));
    return fail_at(parser, parser->at, message);
}

static bool *term(struct parser *parser) {
    if (parser->n == 0 || *parser->at == ')' || is_word(parser, "and") || is_word(parser, "or")) {
        refuse(parser, "a tag, a name, a pattern, not, or (");
        return NULL;
    }
    char *word = xstrndup(parser->at, parser->n);
    const bool pattern = strpbrk(word, "*?[") != NULL;
    bool *chosen = xcalloc(parser->count, sizeof *chosen), any = false;
    for (size_t i = 0; i < parser->count; i++)
        any |= chosen[i] = answers(&parser->tests[i], word, pattern);
    if (!any) {
        refuse_word(parser, word);
        free(chosen);
        chosen = NULL;
    }
    free(word);
    next(parser);
    return chosen;
}

/* ---- operators ---- */

static bool *either(struct parser *parser);

static bool *factor(struct parser *parser) {
    const bool negated = is_word(parser, "not"), group = is_word(parser, "(");
    bool *chosen;
    if (!negated && !group)
        return term(parser);
    if (parser->depth++ == DEPTH_MOST) {
        fail_at(parser, parser->at, "found more than 50 parentheses and `not` in one another");
        return NULL;
    }
    const char *open = parser->at;
    next(parser);
    chosen = negated ? factor(parser) : either(parser);
    parser->depth--;
    for (size_t i = 0; chosen && negated && i < parser->count; i++)
        chosen[i] = !chosen[i];
    if (chosen && group && !is_word(parser, ")")) {
        if (parser->n == 0)
            fail_at(parser, open, "found '(' without its ')'");
        else
            refuse(parser, "and, or, or )");
        free(chosen);
        return NULL;
    }
    if (chosen && group)
        next(parser);
    return chosen;
}

/* Parts with that word between them. */
static bool *chain(struct parser *parser, const char *word, bool *(*part)(struct parser *)) {
    const bool is_and = word[0] == 'a';
    bool *chosen = part(parser);
    while (chosen && is_word(parser, word)) {
        next(parser);
        bool *more = part(parser);
        for (size_t i = 0; more && i < parser->count; i++)
            chosen[i] = is_and ? chosen[i] && more[i] : chosen[i] || more[i];
        if (!more) {
            free(chosen);
            chosen = NULL;
        }
        free(more);
    }
    return chosen;
}

static bool *both(struct parser *parser) {
    return chain(parser, "and", factor);
}

static bool *either(struct parser *parser) {
    return chain(parser, "or", both);
}

bool select_tests(const char *expression, const struct test *tests, size_t count, bool *chosen, struct error *err) {
    struct parser parser = {.expression = expression, .at = expression, .tests = tests, .count = count, .err = err};
    if (strlen(expression) > EXPRESSION_MOST)
        return error_set(err, "--select: found %zu bytes, expected at most %d", strlen(expression), EXPRESSION_MOST);
    next(&parser);
    bool *found = either(&parser), any = false;
    if (found && parser.n > 0) {
        refuse(&parser, "and, or, or the end");
        free(found);
        found = NULL;
    }
    if (!found)
        return false;
    for (size_t i = 0; i < count; i++)
        any |= chosen[i] = found[i];
    free(found);
    return any || fail_at(&parser, expression, "no test of the plan is chosen by this");
}
