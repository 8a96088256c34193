/* Runs git. See bisect_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "regress/bisect/bisect_parts.h"
#include "run/process/process.h"

char *git_text(const char *folder, int *status, struct error *err, const char *const *more) {
    /* Variables of the caller name another repository; hooks belong to the user's work. */
    char before[] = "env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE LC_ALL=C GIT_TERMINAL_PROMPT=0 git -c "
                    "core.hooksPath=/dev/null -c advice.detachedHead=false -C",
         *rest = before;
    struct words words = {0};
    while (rest)
        words_put(&words, strsep(&rest, " "));
    words_add(&words, "%s", folder);
    for (; *more; more++)
        words_add(&words, "%s", *more);
    char *text = process_output(words.items, status, err);
    for (size_t n = text ? strlen(text) : 0; n > 0 && text[n - 1] == '\n'; n--)
        text[n - 1] = '\0';
    words_free(&words);
    return text;
}

char *git_well(const char *folder, struct error *err, const char *const *more) {
    int status;
    char *text = git_text(folder, &status, err, more);
    if (text && status != 0) {
        error_set(err, "git %s: %s", more[0], text);
        free(text);
        return NULL;
    }
    return text;
}
char *git_commit(const char *folder, const char *name, struct error *err) {
    int status;
    char *wanted = xprintf("%s^{commit}", name);
    char *text = GIT(folder, &status, err, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted);
    free(wanted);
    if (text && status == 0)
        return text;
    if (text)
        error_set(err, "'%s': found no such commit in %s, expected a branch, a tag or a hash", name, folder);
    free(text);
    return NULL;
}

bool git_found(const char *said) {
    return strstr(said, "is the first bad commit") != NULL;
}

bool git_skipped_remain(const char *said) {
    return strstr(said, "first bad commit could be any of") != NULL;
}
