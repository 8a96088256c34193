/* Cases as text. A line that does not begin with a space is the title of a case, up to ":", which makes its bench.
 * Behind it and in the lines below are steps, separated by ";": a name, words, and behind "=>" what the step finds,
 * with "," for ";". "#" begins a line of comment. With UPDATE=1 in the environment the file gets what is found, to be
 * looked at in git diff. */
#pragma once

#include "memory/file.h"
#include "tests/unit/test.h"

enum { STEP_WORDS = 40 };

struct step {
    const char *word[STEP_WORDS]; /* [0]: its name; those beyond `count` are empty */
    size_t count;
    const char *text; /* all behind the name */
};

/* What a file is played with. */
struct steps_player {
    void *(*begin)(const char *title);
    /* Writes to `found`; false if there is no such step. */
    bool (*act)(void *bench, const struct step *step, FILE *found);
};

static inline uint64_t step_number(const struct step *step, size_t i) {
    char *end;
    const uint64_t number = strtoull(step->word[i], &end, 0);
    if (*end || i >= step->count)
        fail_msg("%s %s: word %zu is not a number", step->word[0], step->text, i);
    return number;
}

static inline bool step_is(const struct step *step, const char *name) {
    return strcmp(step->word[0], name) == 0;
}

/* Plays a step and returns what it finds. */
static inline char *step_played(const struct steps_player *player, void *bench, const char *where, const char *text) {
    char *copy = kept(xstrdup(text)), *words = kept(xstrdup(text)), *found = NULL;
    struct step step = {.text = copy + strcspn(copy, " ")};
    size_t size;
    FILE *out = xmemstream(&found, &size);
    step.text += strspn(step.text, " ");
    for (char *word; step.count < STEP_WORDS && (word = strsep(&words, " ")) != NULL;)
        step.word[step.count++] = word;
    if (words)
        fail_msg("%s: found more than %d words in '%s'", where, STEP_WORDS, text);
    for (size_t i = step.count; i < STEP_WORDS; i++)
        step.word[i] = "";
    if (!player->act(bench, &step, out))
        fail_msg("%s: no step '%s'", where, text);
    xmemstream_close(out);
    for (char *at = found; (at = strchr(at, ';')) != NULL;)
        *at = ',';
    return kept(found);
}

static inline void steps_play(const char *path, const struct steps_player *player) {
    char *rest = test_text(path), *updated = NULL;
    size_t size, cases = 0;
    void *bench = NULL;
    FILE *update = xmemstream(&updated, &size);
    int line = 1;
    for (char *row; (row = strsep(&rest, "\n")) != NULL; line++) {
        const char *where = kept(xprintf("%s:%d", path, line));
        if (!row[0] || row[0] == '#') {
            fprintf(update, "%s%s", row, rest ? "\n" : "");
            continue;
        }
        if (row[0] != ' ') {
            const char *title = strsep(&row, ":");
            fprintf(update, "%s:%s", title, row && *row ? "" : "\n");
            bench = player->begin(title);
            cases++;
        }
        if (!bench)
            fail_msg("%s: found steps, expected the title of a case before them", where);
        for (char *step; (step = row && *row ? strsep(&row, ";") : NULL) != NULL;) {
            char *arrow = strstr(step, " => "), *expected = arrow ? arrow + 4 : "";
            step += strspn(step, " ");
            if (arrow)
                *arrow = '\0';
            const char *found = *step ? step_played(player, bench, where, step) : "";
            if (!getenv("UPDATE") && strcmp(found, expected) != 0)
                fail_msg("%s: %s\nfound    '%s'\nexpected '%s' (UPDATE=1 writes it)", where, step, found, expected);
            fprintf(update, " %s%s%s%s", step, *found ? " => " : "", found, row ? row[0] ? ";" : ";\n" : "\n");
        }
    }
    xmemstream_close(update);
    struct error err;
    if (getenv("UPDATE") && !file_write(path, updated, size, &err))
        fail_msg("%s", err.text);
    free(updated);
    assert_true(cases > 0);
}
