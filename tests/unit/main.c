/* All unit tests in one program, which is linked once: it has a hard link for each, and runs the one whose name it was
 * started by. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define UNIT_TEST(name) int name##_main(int argc, char **argv);
#include "unit_tests.h"
#undef UNIT_TEST

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} tests[] = {
#define UNIT_TEST(name) {#name, name##_main},
#include "unit_tests.h"
};

int main(int argc, char **argv) {
    char path[4096] = "/";
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 1] = '\0';
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strcmp(tests[i].name, name) == 0)
            return tests[i].run(argc, argv);
    fprintf(stderr, "%s: there is no unit test of that name\n", name);
    return 1;
}
