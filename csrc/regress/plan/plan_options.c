/* Options of `nvcosim run` in a plan. See plan_options.h. */
#include "regress/plan/plan_options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/options.h"

/* Options that a plan gives in another way, or that regress sets. */
static const struct {
    const char *name, *instead;
} refused[] = {
    {"config", "use the key config of the item"},
    {"dut", "use the key dut of the item"},
    {"seed", "use the keys seed and reseed of the item"},
    {"max-seconds", "use the key seconds of limits"},
    {"max-cycles", "use the key cycles of limits"},
    {"out", "reports go to the folder of the night"},
    {"name", "reports are named by the test"},
    {"results", "regress keeps the results itself"},
    {"result-fd", "regress keeps the results itself"},
    {"progress", "regress asks for it itself"},
    {"jobs", "use the key jobs of the plan"},
    {"quiet", "regress prints what does not pass"},
    {"verbose", "findings are in the report of the test"},
    {"debug", "use the key triage of the plan"},
    {"copies", "use the key triage of the plan"},
    {"wave", "failures that triage looks at have waves"},
    {"wave-from", "failures that triage looks at have waves"},
    {"wave-to", "failures that triage looks at have waves"},
    {"wave-layer", "failures that triage looks at have waves"},
    {"wave-scope", "failures that triage looks at have waves"},
    {"timeline", "one run writes it: nvcosim run --timeline"},
    {"saif", "one run writes it: nvcosim run --saif"},
    {"wave-plain", "failures that triage looks at have waves"},
    {"coverage", "`make coverage` counts lines; regress keeps which kinds of layers ran"},
    {"coverage-kind", "`make coverage` counts lines; regress keeps which kinds of layers ran"},
};

bool plan_option_allowed(const char *word, struct error *err) {
    if (strncmp(word, "--", 2) != 0 || word[2] == '\0')
        return error_set(err,
                         "found '%s', expected an option of nvcosim run in its long form, such as --strict or "
                         "--latency=200",
                         word);
    const char *name = word + 2;
    const size_t n = strcspn(name, "= ");
    struct guess guess = {.word = name, .n = n};
    char hint[96];
    for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
        if (!option->name)
            continue;
        if (strncmp(option->name, name, n) != 0 || option->name[n] != '\0') {
            if (!(option->flags & OPTION_HIDDEN))
                guess_try(&guess, option->name);
            continue;
        }
        for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
            if (strcmp(refused[i].name, option->name) == 0)
                return error_set(err, "found --%s, which regress sets itself: %s", option->name, refused[i].instead);
        if (option->arg && name[n] != '=')
            return error_set(err, "found '%s', expected --%s=%s", word, option->name, option->arg);
        if (!option->arg && name[n] != '\0')
            return error_set(err, "found '%s', expected --%s, which takes no value", word, option->name);
        return true;
    }
    return error_set(err, "found --%.*s, which is not an option of nvcosim run%s", (int)n, name,
                     guess_hint(&guess, hint));
}

struct attempt {
    struct run_options options; /* first: it is what run_option_parse() knows */
    FILE *messages;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct attempt *attempt = state->input;
    if (key == ARGP_KEY_INIT)
        state->err_stream = attempt->messages;
    return run_option_parse(key, arg, state);
}

bool plan_options_fit(const char *dut, char *const *words, size_t count, size_t *culprit, struct error *err) {
    static const struct argp argp = {.options = run_option_table, .parser = parse};
    struct attempt attempt;
    struct words line = {0};
    char *text;
    size_t n;
    *culprit = 0;
    words_add(&line, "plan");
    words_add(&line, "--dut=%s", dut);
    for (size_t i = 0; i < count; i++)
        words_add(&line, "%s", words[i]);
    words_add(&line, "trace");
    char **arguments = xcalloc(line.count + 1, sizeof *arguments); /* argp reorders them */
    memcpy(arguments, line.items, line.count * sizeof *arguments);
    run_options_init(&attempt.options);
    attempt.messages = xmemstream(&text, &n);
    argp_parse(&argp, (int)line.count, arguments, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, &attempt.options);
    xmemstream_close(attempt.messages);
    run_options_free(&attempt.options);
    free(arguments);
    words_free(&line);
    if (n > 0) { /* "plan: --OPTION: what is wrong", then how to get help */
        const char *message = strncmp(text, "plan: ", 6) == 0 ? text + 6 : text;
        const size_t length = strcspn(message, ":= \n");
        error_set(err, "%.*s", (int)strcspn(message, "\n"), message);
        for (size_t i = 0; i < count; i++)
            if (strncmp(words[i], message, length) == 0 && (words[i][length] == '=' || words[i][length] == '\0'))
                *culprit = i;
    }
    free(text);
    return n == 0;
}

int plan_dut(const char *dut) {
    return strcmp(dut, "model") == 0 ? DUT_MODEL : strcmp(dut, "rtl") == 0 ? DUT_RTL : DUT_BOTH;
}
