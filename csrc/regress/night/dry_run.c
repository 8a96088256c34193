/* The table of --dry-run. See dry_run.h. */
#include "regress/night/dry_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/engine/schedule.h"
#include "regress/night/live.h"

/* Tests that have one value in common. */
struct group {
    const char *name;
    size_t count, unknown;
    double seconds;
};

static const char *memory_of(const struct test *test) {
    return test->memory[0] ? test->memory : "default";
}

static const char *config_of(const struct test *test) {
    return test->config;
}

static const char *dut_of(const struct test *test) {
    return test->dut;
}

/* "12:05" where all is known, "12:05+" where some is not, "?" where nothing is. */
static const char *group_time(const struct group *group, char *text, size_t size) {
    char time[LIVE_TIME];
    snprintf(text, size, "%s%s", group->unknown < group->count ? live_time(group->seconds, time) : "?",
             group->unknown && group->unknown < group->count ? "+" : "");
    return text;
}

static void print_groups(const struct test_list *tests, const struct schedule *schedule, const char *title,
                         const char *(*value)(const struct test *test)) {
    struct group *groups = NULL;
    size_t count = 0;
    for (size_t i = 0; i < schedule->count; i++) {
        const struct test *test = &tests->tests[schedule->order[i]];
        size_t at = 0;
        while (at < count && strcmp(groups[at].name, value(test)) != 0)
            at++;
        if (at == count) {
            groups = xgrow(groups, count, sizeof *groups);
            groups[count++] = (struct group){.name = value(test)};
        }
        groups[at].count++;
        groups[at].unknown += test->expected_seconds < 0;
        groups[at].seconds += test->expected_seconds > 0 ? test->expected_seconds : 0;
    }
    for (size_t i = 0; i < count; i++) {
        char time[LIVE_TIME + 2];
        printf("%-14s %-24s %6zu test%s %10s\n", i == 0 ? title : "", groups[i].name, groups[i].count,
               groups[i].count == 1 ? " " : "s", group_time(&groups[i], time, sizeof time));
    }
    free(groups);
}

static int key_width(const struct test_list *tests, const struct schedule *schedule) {
    size_t width = strlen("test");
    for (size_t i = 0; i < schedule->count; i++) {
        const size_t n = strlen(tests->tests[schedule->order[i]].key);
        width = n > width ? n : width;
    }
    return (int)width;
}

void dry_run_print(const struct test_list *tests, const bool *done, int jobs) {
    struct schedule schedule = schedule_make(tests, done);
    const int width = key_width(tests, &schedule);
    char time[LIVE_TIME];
    printf("%9s  %-*s  %-16s %-10s %-10s %s\n", "seconds", width, "test", "config", "dut", "memory", "tags");
    for (size_t i = 0; i < schedule.count; i++) {
        const struct test *test = &tests->tests[schedule.order[i]];
        char seconds[32] = "?";
        if (test->expected_seconds >= 0)
            snprintf(seconds, sizeof seconds, "%.2f", test->expected_seconds);
        printf("%9s  %-*s  %-16s %-10s %-10s", seconds, width, test->key, test->config, test->dut, memory_of(test));
        for (size_t j = 0; j < test->tags.count; j++)
            printf("%s%s", j ? "," : " ", test->tags.items[j]);
        printf("%s%s\n", test->known ? "  known: " : "", test->known ? test->known : "");
    }
    putchar('\n');
    print_groups(tests, &schedule, "configuration", config_of);
    print_groups(tests, &schedule, "dut", dut_of);
    print_groups(tests, &schedule, "memory", memory_of);
    printf("\n%zu test%s", schedule.count, schedule.count == 1 ? "" : "s");
    if (schedule.unknown)
        printf(", %zu without a history", schedule.unknown);
    const double span = schedule_span(&schedule, jobs > 0 ? jobs : 1);
    if (schedule.unknown < schedule.count)
        printf("; about %s", span < 1 ? "a second" : live_time(span, time));
    if (schedule.unknown < schedule.count && jobs > 0)
        printf(" with %d at a time", jobs);
    else if (schedule.unknown < schedule.count)
        printf(" of computing");
    printf("\n");
    schedule_free(&schedule);
}
