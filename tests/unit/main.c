/* All unit tests in one program, which is linked once: it has a hard link for each file of tests, and runs those of the
 * file whose name it was started by. */
#include <unistd.h>

#include "memory/file.h"
#include "tests/unit/test.h"

static struct group {
    const char *file;
    struct CMUnitTest *tests;
    size_t count;
    CMFixtureFunction set_up, tear_down;
} *groups;
static size_t group_count;

static struct keep {
    void *object;
    void (*release)(void *object);
} *keeps; /* by the test that runs */
static size_t keep_count;

void unit_test_add(const char *file, const struct CMUnitTest *test) {
    if (group_count == 0 || strcmp(groups[group_count - 1].file, file) != 0) {
        groups = xgrow(groups, group_count, sizeof *groups);
        groups[group_count++] = (struct group){.file = file};
    }
    struct group *group = &groups[group_count - 1];
    if (test->name) {
        group->tests = xgrow(group->tests, group->count, sizeof *group->tests);
        group->tests[group->count++] = *test;
    } else {
        group->set_up = test->setup_func;
        group->tear_down = test->teardown_func;
    }
}

void test_keep(void *object, void (*release)(void *object)) {
    keeps = xgrow(keeps, keep_count, sizeof *keeps);
    keeps[keep_count++] = (struct keep){object, release};
}

void *test_new(size_t size) {
    void *object = xcalloc(1, size);
    test_keep(object, free);
    return object;
}

char *test_text(const char *path) {
    struct error err;
    char *text = NULL;
    size_t n;
    if (!file_read(path, &text, &n, &err))
        fail_msg("%s (run from the top of the tree)", err.text);
    return kept(text);
}

char *test_row(char **text) {
    char *row;
    do
        row = strsep(text, "\n");
    while (row && (!row[0] || row[0] == '#'));
    return row;
}

int test_release(void **state) {
    (void)state;
    while (keep_count > 0) {
        keep_count--;
        keeps[keep_count].release(keeps[keep_count].object);
    }
    return 0;
}

int main(void) {
    char path[4096] = "/";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 1] = '\0';
    const char *name = strrchr(path, '/') + 1;
    for (const struct group *group = groups; group < groups + group_count; group++)
        if (strcmp(group->file, name) == 0)
            return _cmocka_run_group_tests(name, group->tests, group->count, group->set_up, group->tear_down);
    fprintf(stderr, "%s: there is no unit test of that name\n", name);
    return 1;
}
