/* Asks git for the revision of a folder, with a limit of time. See revision.h. */
#include "regress/store/revision.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"

enum { HASH_LEAST = 40 };

/* What git prints, stdout and stderr; NULL if it fails. free() it. */
static char *ask(const char *folder, const char *const *question) {
    /* It asks for no password, takes no lock that an editor would stumble over, and ends in time. */
    static const char *const before[] = {
        "timeout", "-k", "1", "10", "env", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "git", "-C"};
    struct words words = {0};
    struct error err;
    int status;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        words_add(&words, "%s", before[i]);
    words_add(&words, "%s", folder);
    for (; *question; question++)
        words_add(&words, "%s", *question);
    char *text = process_output(words.items, &status, &err);
    words_free(&words);
    if (text && status == 0)
        return text;
    free(text);
    return NULL;
}

/* Lines "XY NAME" of `git status --porcelain`; warnings have another form. */
static bool has_changes(char *text) {
    for (char *line; (line = strsep(&text, "\n"));)
        if (strlen(line) > 3 && line[2] == ' ' && strspn(line, " MTADRCU") >= 2)
            return true;
    return false;
}

char *revision_named(const char *folder, const char *name) {
    char *wanted = xprintf("%s^{commit}", name);
    char *commit =
        ask(folder, (const char *const[]){"rev-parse", "--verify", "--quiet", "--end-of-options", wanted, NULL});
    const size_t n = commit ? strspn(commit, "0123456789abcdef") : 0;
    free(wanted);
    if (n >= HASH_LEAST && strcmp(commit + n, "\n") == 0) {
        commit[n] = '\0';
        return commit;
    }
    free(commit);
    return NULL;
}

struct revision revision_of(const char *folder) {
    struct revision revision = {.commit = revision_named(folder, "HEAD"), .dirty = -1};
    if (revision.commit) {
        char *status = ask(folder, (const char *const[]){"status", "--porcelain", "--untracked-files=no", NULL});
        if (status)
            revision.dirty = has_changes(status);
        free(status);
    }
    return revision;
}
