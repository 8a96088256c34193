/* Fuzzes the reader of plans, with what makes tests of them and the expressions that select some: an input is a plan
 * and, behind a zero byte, an expression. Plans that look for files are only read; so are those with numbers of more
 * than two digits, which may ask for many tests. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool may_expand(const char *text, size_t n) {
    for (size_t i = 0, digits = 0; i < n; i++) {
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        if (digits > 2)
            return false;
    }
    return !memmem(text, n, "traces", 6);
}

/* A test must survive being written as JSON and read back. */
static void round_trip(const struct test *test) {
    struct test again;
    struct words words = {0};
    struct error err = {.text = ""};
    char *line = test_json(test), *command = test_command(test);
    if (!test_parse(line, &again, &err)) {
        fprintf(stderr, "%s\n%s\n", err.text, line);
        abort();
    }
    char *second = test_json(&again);
    if (strcmp(line, second) != 0)
        abort();
    test_words(&again, "/nights/1", &words);
    words_free(&words);
    test_free(&again);
    free(command);
    free(second);
    free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    const char *text = (const char *)data;
    const size_t length = n ? strnlen(text, n) : 0;
    struct error err = {.text = ""};
    struct plan *plan = plan_parse("/nonexistent/plan.yml", text, length, &err);
    if (!plan && !err.text[0])
        abort(); /* an error without a message */
    if (plan && may_expand(text, length)) {
        struct test_list list;
        char *select = length < n ? strndup(text + length + 1, n - length - 1) : NULL;
        if (plan_expand(plan, 1, "2026-01-31", select, &list, &err)) {
            for (size_t i = 0; i < list.count; i += 1 + list.count / 50)
                round_trip(&list.tests[i]);
            test_list_free(&list);
        } else if (!err.text[0])
            abort();
        free(select);
    }
    plan_free(plan);
    return 0;
}
