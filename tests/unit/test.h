/* A unit test that lists itself. The tests of a file run in their order there, in the program that has the file's name
 * (main.c). The headers of the C library that most tests use are included here.
 *
 *     TEST(what_it_shows) {
 *         assert_int_equal(...);
 *     }
 */
#pragma once

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nvdla/xalloc.h"

/* Adds a test of a file, or what its whole group has before and after it (name: NULL). */
void unit_test_add(const char *file, const struct CMUnitTest *test);

/* Releases an object when the test ends, the last one first; test_new() makes one of zeros. */
void test_keep(void *object, void (*release)(void *object));
void *test_new(size_t size);
int test_release(void **state);

/* LABEL(object) keeps an object of the type until the test ends, and returns it. */
#define TEST_KEEPS(label, type, release)                                                                               \
    static inline void release_##label(void *object) {                                                                 \
        release(object);                                                                                               \
    }                                                                                                                  \
    static inline type *label(type *object) {                                                                          \
        test_keep(object, release_##label);                                                                            \
        return object;                                                                                                 \
    }

/* What free() releases. */
TEST_KEEPS(kept, char, free)

/* The text of a file of the tree; the next of its rows that are neither empty nor comments (#), NULL at its end. */
char *test_text(const char *path);
char *test_row(char **text);

/* Before main(), in the order of the file. */
#define TEST_ADD_(label, ...)                                                                                          \
    __attribute__((constructor)) static void add_##label(void) {                                                       \
        unit_test_add(UNIT_TEST_FILE, &(struct CMUnitTest){__VA_ARGS__});                                              \
    }

/* With a function that makes *state before it. */
#define TEST_WITH(label, set_up)                                                                                       \
    static void label(void **state);                                                                                   \
    TEST_ADD_(label, #label, label, set_up, test_release, NULL)                                                        \
    static void label(__attribute__((unused)) void **state)

#define TEST(label) TEST_WITH(label, NULL)

/* With an object of this declaration and value: `struct bench *b`, `bench_new("small")`. */
#define TEST_ON(label, declaration, value)                                                                             \
    static void label##_on(__attribute__((unused)) declaration);                                                       \
    TEST(label) {                                                                                                      \
        label##_on(value);                                                                                             \
    }                                                                                                                  \
    static void label##_on(__attribute__((unused)) declaration)

/* Once for each of these texts, which is *state. */
#define TEST_FOR(label, ...)                                                                                           \
    static void label(void **state);                                                                                   \
    __attribute__((constructor)) static void add_##label(void) {                                                       \
        static const char *const texts[] = {__VA_ARGS__};                                                              \
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)                                                    \
            unit_test_add(UNIT_TEST_FILE,                                                                              \
                          &(struct CMUnitTest){#label, label, NULL, test_release, (void *)(uintptr_t)texts[i]});       \
    }                                                                                                                  \
    static void label(void **state)

/* What runs before the first test of a file, and after the last one. */
#define TEST_GROUP(set_up, tear_down) TEST_ADD_(group, NULL, NULL, set_up, tear_down, NULL)
