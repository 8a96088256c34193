/* Facts about simulators and about what tests have covered. See facts.h. */
#include <stdlib.h>

#include "coverage/coverage.h"
#include "coverage/coverage_sort.h"
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

/* What combinations of values of a cross need, the last aspect fastest; null: nothing. */
static json_t *needs_of(const struct coverage_engine *engine, const struct coverage_cross *cross) {
    json_t *list = cross->needs ? json_array() : json_null();
    int choice[COVERAGE_CROSS_ASPECTS] = {0};
    for (int at = cross->needs ? 0 : -1; at >= 0;) {
        json_array_append_new(list, json_integer((json_int_t)cross->needs(choice)));
        for (at = cross->aspect_count - 1; at >= 0; at--) {
            if (++choice[at] < coverage_values_count(&engine->aspects[cross->aspects[at]]))
                break;
            choice[at] = 0;
        }
    }
    return list;
}

static json_t *bins_of(const struct coverage_engine *engine) {
    json_t *aspects = json_array(), *crosses = json_array();
    for (size_t i = 0; i < engine->aspect_count; i++) {
        const struct coverage_aspect *aspect = &engine->aspects[i];
        json_array_append_new(aspects,
                              json_pack("[s, s?, I]", aspect->name, aspect->values, (json_int_t)aspect->needs));
    }
    for (size_t i = 0; i < engine->cross_count; i++) {
        const struct coverage_cross *cross = &engine->crosses[i];
        json_t *indices = json_array();
        for (int k = 0; k < cross->aspect_count; k++)
            json_array_append_new(indices, json_integer(cross->aspects[k]));
        json_array_append_new(crosses, json_pack("[o, o]", indices, needs_of(engine, cross)));
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:o}", "name", engine->name, "what", engine->what, "needs",
                     (json_int_t)engine->needs, "aspects", aspects, "crosses", crosses);
}

void facts_of_coverage(FILE *out, const struct coverage *coverage) {
    json_t *features = json_object(), *configs = json_object(), *engines = json_array(), *counts = json_array();
    size_t n;
    const uint64_t *bins = coverage_counts(coverage, &n);
#define FEATURE(name, word, bit) json_object_set_new(features, word, json_integer(COVERAGE_NEEDS_##name));
    FOR_COVERAGE_FEATURES(FEATURE)
#undef FEATURE
    for (int i = 0; i < nvdla_config_count; i++)
        json_object_set_new(configs, nvdla_configs[i].name,
                            json_integer((json_int_t)coverage_features(&nvdla_configs[i])));
    for (int i = 0; i < COVERAGE_ENGINES; i++)
        json_array_append_new(engines, bins_of(coverage_engines[i]));
    for (size_t i = 0; i < n; i++)
        json_array_append_new(counts, json_integer((json_int_t)bins[i]));
    print_line(out, json_pack("{s:I, s:o, s:o, s:o, s:o}", "mark", (json_int_t)coverage_mark(), "features", features,
                              "configurations", configs, "engines", engines, "counts", counts));
}
