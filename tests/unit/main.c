/* All unit tests in one program, which is linked once: it has a hard link for each file of tests, and runs those of the
 * file whose name it was started by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "tests/unit/test.h"

static struct group {
    const char *file;
    struct CMUnitTest *tests;
    size_t count;
    CMFixtureFunction set_up, tear_down;
} *groups;
static size_t group_count;

static struct kept {
    void *object;
    void (*release)(void *object);
} *kept; /* by the test that runs */
static size_t kept_count;

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
    kept = xgrow(kept, kept_count, sizeof *kept);
    kept[kept_count++] = (struct kept){object, release};
}

void *test_new(size_t size) {
    void *object = xcalloc(1, size);
    test_keep(object, free);
    return object;
}

int test_release(void **state) {
    (void)state;
    while (kept_count > 0) {
        kept_count--;
        kept[kept_count].release(kept[kept_count].object);
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
