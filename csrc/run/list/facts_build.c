/* Facts about simulators and about what tests have covered. See facts.h. */
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/list/facts.h"

static void print_line(FILE *out, json_t *json) {
    autofree char *text = json_to_text(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fprintf(out, "%s\n", text);
}

/* ---- simulators ---- */

static json_t *path_of(const struct facts_simulator *simulator) {
    char path[SIMULATOR_PATH];
    struct error err;
    return simulator_path(simulator->config, simulator->rtl_name, simulator->variant, path, sizeof path, &err)
               ? json_text(path)
               : json_null();
}

void facts_of_simulator(FILE *out, const struct facts_simulator *simulator) {
    struct error err;
    const bool known = simulator_known(simulator->config, simulator->rtl_name, simulator->variant, &err);
    const double cost = simulator_profile_cost(simulator->config, simulator->rtl_name, simulator->variant);
    autofree char *filelist = simulator_variable(simulator->config, simulator->rtl_name, "FILELIST");
    print_line(out, json_pack("{s:b, s:o, s:o, s:o, s:o}", "known", known, "error",
                              known ? json_null() : json_text(err.text), "path", path_of(simulator), "filelist",
                              filelist ? json_text(filelist) : json_null(), "profile_cost",
                              cost < 0 ? json_null() : json_real(cost)));
}

void facts_update_simulator(FILE *out, const struct facts_simulator *simulator, bool profile) {
    struct error err;
    autofree char *log = NULL;
    const bool made = update_simulator(simulator->config, simulator->rtl_name, simulator->variant, profile, &log, &err);
    print_line(out, json_pack("{s:o, s:o, s:o}", "path", path_of(simulator), "error",
                              made ? json_null() : json_text(err.text), "log", json_text(log)));
}

/* ---- coverage ---- */

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Converts hex digits in place. Returns the number of bytes. */
static size_t bytes_of(char *digits) {
    size_t n = 0;
    for (; digit(digits[2 * n]) >= 0 && digit(digits[2 * n + 1]) >= 0; n++)
        digits[n] = (char)(digit(digits[2 * n]) << 4 | digit(digits[2 * n + 1]));
    return n;
}

static json_t *total(struct coverage_total total) {
    return json_pack("{s:I, s:I}", "bins", (json_int_t)total.reachable, "covered", (json_int_t)total.exercised);
}

/* The rows of an engine are next to each other: ENGINE.ASPECT, ENGINE.ASPECT*ASPECT. */
static json_t *groups_of(const struct coverage *coverage) {
    json_t *groups = json_array(), *group = NULL, *rows = NULL;
    struct coverage_row row;
    for (size_t i = 0; coverage_row(coverage, i, &row); i++) {
        const int n = (int)strcspn(row.name, ".");
        const char *last = json_string_value(json_object_get(group, "engine"));
        if (!last || strncmp(last, row.name, (size_t)n) != 0 || last[n]) {
            rows = json_array();
            group = json_pack("{s:s#, s:o}", "engine", row.name, n, "rows", rows);
            json_array_append_new(groups, group);
        }
        json_t *json = total(row.total), *holes = json_array();
        for (size_t k = 0; k < row.holes.count; k++)
            json_array_append_new(holes, json_string(row.holes.items[k]));
        json_object_set_new(json, "name", json_string(row.name + n + 1));
        json_object_set_new(json, "cross", json_boolean(strchr(row.name, '*')));
        json_object_set_new(json, "holes", holes);
        json_array_append_new(rows, json);
        words_free(&row.holes);
    }
    return groups;
}

void facts_of_coverage(FILE *in, FILE *out) {
    struct coverage *coverage = coverage_new();
    autofree char *line = NULL;
    size_t size = 0, tests = 0;
    while (getline(&line, &size, in) >= 0) {
        const size_t n = bytes_of(line);
        tests += coverage_add_bits(coverage, (const unsigned char *)line, n);
    }
    json_t *json = total(coverage_total(coverage));
    json_object_set_new(json, "tests", json_integer((json_int_t)tests));
    json_object_set_new(json, "groups", groups_of(coverage));
    print_line(out, json);
    coverage_free(coverage);
}
