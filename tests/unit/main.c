/* All unit tests in one program, which is linked once: it has a hard link for each, and runs the one whose name it was
 * started by. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/arguments.h"

#define UNIT_TEST(name) int name##_main(void);
#include "unit_tests.h"
#undef UNIT_TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define UNIT_TEST(name) {#name, name##_main},
#include "unit_tests.h"
};

int arguments_count;
char **arguments;

int main(int argc, char **argv) {
    arguments_count = argc;
    arguments = argv;
    char path[4096] = "/";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 1] = '\0';
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, name) == 0)
            return tests[i].run();
    fprintf(stderr, "%s: there is no unit test of that name\n", name);
    return 1;
}
