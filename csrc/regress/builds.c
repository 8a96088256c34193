/* Simulators before anything runs. See builds.h. */
#include "regress/builds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/simulators.h"

struct build {
    char *config, *rtl_name;
    enum simulator_variant variant;
    char *reason, *log; /* of a failure; NULL: it is there */
};

struct builds {
    struct build *builds;
    size_t count;
};

/* Finds out which simulator a test plays on; false if it needs none, or its options cannot be read, which shows when it
 * is started. free(*rtl_name) */
static bool simulator_of(const struct test *test, char **rtl_name, enum simulator_variant *variant) {
    struct run_options options;
    struct words words = {0};
    struct error err;
    run_options_init(&options);
    words_add(&words, "--config=%s", test->config);
    words_add(&words, "--dut=%s", test->dut);
    for (size_t i = 0; i < test->options.count; i++)
        words_add(&words, "%s", test->options.items[i]);
    words_add(&words, "%s", test->trace);
    const bool read = run_options_read(&options, &words, &err) && options.dut != DUT_MODEL;
    if (read) {
        *rtl_name = xstrdup(options.rtl_name);
        *variant = run_variant(&options, test->config);
    }
    run_options_free(&options);
    words_free(&words);
    return read;
}

static const struct build *find(const struct builds *builds, const char *config, const char *rtl_name,
                                enum simulator_variant variant) {
    for (size_t i = 0; i < builds->count; i++) {
        const struct build *build = &builds->builds[i];
        if (build->variant == variant && strcmp(build->config, config) == 0 && strcmp(build->rtl_name, rtl_name) == 0)
            return build;
    }
    return NULL;
}

struct builds *builds_make(const struct test_list *tests, const bool *done,
                           void (*tell)(void *context, const char *line), void *context) {
    struct builds *builds = xcalloc(1, sizeof *builds);
    for (size_t i = 0; i < tests->count; i++) {
        const struct test *test = &tests->tests[i];
        struct build build = {0};
        struct error err;
        if ((done && done[i]) || !simulator_of(test, &build.rtl_name, &build.variant))
            continue;
        if (find(builds, test->config, build.rtl_name, build.variant)) {
            free(build.rtl_name);
            continue;
        }
        build.config = xstrdup(test->config);
        if (!update_simulator(build.config, build.rtl_name, build.variant, &build.log, &err)) {
            build.reason = xstrdup(err.text);
            char *line = xprintf("%s%s%s", err.text, build.log[0] ? "; the end of make's output:\n" : "", build.log);
            tell(context, line);
            free(line);
        }
        builds->builds = xgrow(builds->builds, builds->count, sizeof *builds->builds);
        builds->builds[builds->count++] = build;
    }
    return builds;
}

void builds_free(struct builds *builds) {
    for (size_t i = 0; i < builds->count; i++) {
        free(builds->builds[i].config);
        free(builds->builds[i].rtl_name);
        free(builds->builds[i].reason);
        free(builds->builds[i].log);
    }
    free(builds->builds);
    free(builds);
}

bool builds_failed(const struct builds *builds, const struct test *test, const char *folder, struct result *result) {
    enum simulator_variant variant;
    char *rtl_name;
    if (!simulator_of(test, &rtl_name, &variant))
        return false;
    const struct build *build = find(builds, test->config, rtl_name, variant);
    free(rtl_name);
    if (!build || !build->reason)
        return false;
    *result = (struct result){.verdict = VERDICT_ERROR,
                              .trace = test_name(test),
                              .path = test_trace(test, folder),
                              .config = xstrdup(test->config),
                              .dut = xstrdup(test->dut),
                              .seed = test->seed,
                              .reason = xstrdup(build->reason),
                              .command = test_command(test),
                              .output = xstrdup(build->log)};
    return true;
}

bool builds_check(const struct test *test, struct error *err) {
    enum simulator_variant variant;
    char *rtl_name, path[SIMULATOR_PATH];
    if (!simulator_of(test, &rtl_name, &variant))
        return true;
    bool there = simulator_path(test->config, rtl_name, variant, path, sizeof path, err);
    if (there && access(path, X_OK) != 0)
        there = error_set(err, "%s: %s", path, strerror(errno));
    free(rtl_name);
    return there;
}
