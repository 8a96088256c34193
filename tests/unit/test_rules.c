/* The rules of legal programming: every rule is broken by a change of a legal layer that breaks nothing else, and the
 * model does what the rule says; then what the checker knows beyond registers. Spec: the lists "Illegal or undefined
 * programming" of the chapters 10 to 70, 98-measured-rules section 3. */
#include "memory/file.h"
#include "model/overlap.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "model_steps.h"
#include "tests/unit/test.h"

enum { CHANGES = 16, TEXTS = 3 };

/* A row of refused.tsv: a legal layer with changes, those of a second layer in group 1 in `then`. */
struct rule_case {
    const char *config;
    int layer;
    enum rule_effect effect;
    bool waits;               /* refused: a device that carries it out waits for ever */
    const char *texts[TEXTS]; /* [0]: of the rule; others: told at the same time */
    struct legal_write changes[CHANGES];
    struct legal_write then[CHANGES];
};

static struct rule_case *rule_cases;
static int rule_case_count;

/* A row of refused.tsv. The case keeps parts of it. */
static void read_case(char *row) {
    static const char *const effects[] = {
        [RULE_REFUSED] = "refused", [RULE_HANGS] = "hangs", [RULE_WARNS] = "warns", [RULE_ERRATUM] = "erratum"};
    struct rule_case rule = {.config = strsep(&row, "\t")};
    const char *layer = strsep(&row, "\t");
    char *effects_told = strsep(&row, "\t"), *effect = strsep(&effects_told, ",");
    char *texts = strsep(&row, "\t");
    assert_non_null(row);
    rule.layer = legal_layer_find(layer);
    rule.waits = effects_told && strcmp(effects_told, " waits") == 0;
    while (strcmp(effects[rule.effect], effect) != 0)
        assert_true(++rule.effect < sizeof effects / sizeof effects[0]);
    for (size_t i = 0; texts; i++) {
        char *bar = strstr(texts, " | ");
        assert_true(i < TEXTS);
        rule.texts[i] = texts;
        if (bar)
            *bar = '\0';
        texts = bar ? bar + strlen(" | ") : NULL;
    }
    struct legal_write *to = rule.changes;
    for (char *word; (word = strsep(&row, " ")) != NULL;)
        if (strcmp(word, "then") == 0)
            to = rule.then;
        else
            *to++ = legal_write_of(nvdla_config_find(rule.config), word);
    assert_true(to <= rule.then + CHANGES);
    rule_cases = xgrow(rule_cases, (size_t)rule_case_count, sizeof *rule_cases);
    rule_cases[rule_case_count++] = rule;
}

static char *rule_text;

static int read_cases(void **state) {
    struct error err;
    size_t n;
    (void)state;
    if (!file_read("docs/nvdla/vectors/refused.tsv", &rule_text, &n, &err))
        fail_msg("%s (run from the top of the tree)", err.text);
    char *rest = rule_text;
    for (char *row; (row = test_row(&rest)) != NULL;)
        read_case(row);
    return 0;
}

static int free_cases(void **state) {
    (void)state;
    free(rule_cases);
    free(rule_text);
    return 0;
}

TEST_GROUP(read_cases, free_cases)

/* ---- bench ---- */

/* A device with memory for the layers. It refuses what is undefined, or tells it only. */
static struct device *new_bench(const char *config, bool allow_undefined) {
    struct error err = {.text = ""};
    struct model_options options = {.allow_outside = true, .allow_undefined = allow_undefined};
    struct device *dev = bench_keep(model_new(nvdla_config_find(config), &options));
    assert_true(dev->ops->reset(dev, &err));
    refused = false;
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (dev->memory[space]) {
            memory_declare(dev->memory[space], 0, LEGAL_MEMORY);
            memory_fill(dev->memory[space], LEGAL_MASKS, LEGAL_SIZES - LEGAL_MASKS, 0xff);
            for (uint32_t i = 0; i < 64; i++) { /* sizes of compressed groups */
                uint32_t size = 128;
                memory_write(dev->memory[space], LEGAL_SIZES + 4 * i, &size, sizeof size, NULL, NULL);
            }
        }
    }
    return dev;
}

static void run_layer(struct device *dev, int layer, const struct legal_write *changes) {
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, layer, sink);
    for (size_t i = 0; i < CHANGES && (changes[i].unit || changes[i].offset); i++)
        try_write(dev, changes[i].unit, changes[i].offset, changes[i].value);
    legal_layer_enable(dev->config, layer, sink);
    run_out(dev);
}

/* True if the unit has a layer that is not done. */
static bool is_busy(struct device *dev, enum nvdla_unit unit) {
    uint32_t value = 0;
    struct error err = {.text = ""};
    uint32_t offset = unit == NVDLA_BDMA ? BDMA_STATUS : SDP_S_STATUS;
    assert_true(dev->ops->csb_read(dev, nvdla_unit_base(dev->config, unit) + offset, &value, &err));
    return unit == NVDLA_BDMA ? REGISTER_FIELD(value, BDMA_STATUS__GRP0_BUSY) : value != 0;
}

static bool is_told(const struct device *dev, const char *text) {
    for (size_t i = 0; i < told_count(dev); i++)
        if (strstr(told(dev, i)->text, text))
            return true;
    return false;
}

/* ---- rules about registers ---- */

TEST(legal_layers_break_no_rule_and_finish) {
    static const struct legal_write none[CHANGES];
    for (int c = 0; c < nvdla_config_count; c++) {
        for (int layer = 0; layer < LEGAL_LAYERS; layer++) {
            if (!legal_layer_exists(&nvdla_configs[c], layer))
                continue;
            struct device *dev = new_bench(nvdla_configs[c].name, false);
            run_layer(dev, layer, none);
            if (told_count(dev) > 0)
                fail_msg("%s layer %d: %s", nvdla_configs[c].name, layer, told(dev, 0)->text);
            for (enum nvdla_unit unit = NVDLA_BDMA; unit < NVDLA_UNIT_COUNT; unit++)
                assert_false((dev->units >> unit & 1) && is_busy(dev, unit));
            assert_true(get(dev, NVDLA_GLB, GLB_S_INTR_STATUS) != 0);
        }
    }
}

/* Every message is an expected one, and every expected one has come. */
static void check_texts(const struct rule_case *c, int number, const struct device *dev) {
    for (size_t i = 0; i < told_count(dev); i++) {
        bool expected = false;
        for (size_t t = 0; t < TEXTS && c->texts[t]; t++)
            expected |= strstr(told(dev, i)->text, c->texts[t]) != NULL;
        if (!expected)
            fail_msg("case %d, %s: found also '%s'", number, c->texts[0], told(dev, i)->text);
    }
    for (size_t t = 0; t < TEXTS && c->texts[t]; t++)
        if (!is_told(dev, c->texts[t]))
            fail_msg("case %d: '%s' has not been reported", number, c->texts[t]);
}

/* What the message says is what happened. */
static void check_effect(const struct rule_case *c, int number, struct device *dev) {
    bool leftover = strstr(c->texts[0], "operands that the stage does not take") != NULL;
    for (size_t i = 0; i < told_count(dev); i++) {
        const struct device_warning *message = told(dev, i);
        bool hangs = strstr(message->text, "; the hardware hangs") != NULL;
        if (!strstr(message->text, c->texts[0]))
            continue;
        if (refused != (c->effect == RULE_REFUSED) || hangs != (c->effect == RULE_HANGS))
            fail_msg("case %d, %s: refused %d, text %s", number, c->texts[0], refused, message->text);
        if (!refused && is_busy(dev, message->unit) != (c->effect == RULE_HANGS)) {
            fail_msg("case %d, %s: %s is %s", number, c->texts[0], nvdla_unit_names[message->unit],
                     hangs ? "done" : "busy");
        }
        /* Registers with their values in front of the rule. */
        assert_non_null(strstr(message->text, " = 0x"));
    }
    assert_true(!leftover || is_busy(dev, NVDLA_SDP_RDMA));
}

static struct device *run_case(const struct rule_case *c, bool allow_undefined) {
    struct device *dev = new_bench(c->config, allow_undefined);
    run_layer(dev, c->layer, c->changes);
    if (c->then[0].unit) {
        assert_true(allow_undefined || told_count(dev) == 0);
        select_groups(dev, 1);
        run_layer(dev, c->layer, c->then);
    }
    return dev;
}

TEST(every_rule_is_told_and_what_it_says_happens) {
    for (int i = 0; i < rule_case_count; i++) {
        struct device *dev = run_case(&rule_cases[i], false);
        check_texts(&rule_cases[i], i, dev);
        check_effect(&rule_cases[i], i, dev);
    }
}

TEST(what_is_refused_ends_or_waits_where_it_is_allowed) {
    for (int i = 0; i < rule_case_count; i++) {
        if (rule_cases[i].effect != RULE_REFUSED)
            continue;
        struct device *dev = run_case(&rule_cases[i], true);
        bool waits = false;
        for (enum nvdla_unit unit = NVDLA_BDMA; unit < NVDLA_UNIT_COUNT; unit++)
            waits |= (dev->units >> unit & 1) && is_busy(dev, unit);
        if (waits != rule_cases[i].waits)
            fail_msg("case %d, %s: %s", i, rule_cases[i].texts[0], waits ? "waits" : "ends");
    }
}

/* ---- rows measured on NVIDIA's RTL ---- */

/* What is reported, in words of docs/nvdla/vectors/rules.tsv. */
static const char *claim_of(const struct device *dev) {
    enum rule_effect worst = RULE_ERRATUM;
    for (size_t i = 0; i < dev->warning_count; i++)
        worst = dev->warnings[i].effect > worst ? dev->warnings[i].effect : worst;
    return refused ? "undefined" : worst == RULE_HANGS ? "hangs" : dev->warning_count > 0 ? "defined" : "silent";
}

/* Plays a row on the model. What is claimed must be in the row, and be what NVIDIA's RTL does. */
static void check_measured(char *row) {
    struct rule_case measured = {.config = "small"};
    const char *layer = strsep(&row, "\t");
    char *changes = strsep(&row, "\t");
    const char *claim = strsep(&row, "\t"), *result = strsep(&row, "\t");
    char shown[300];
    assert_non_null(result);
    snprintf(shown, sizeof shown, "%s %s", layer, changes);
    measured.layer = legal_layer_find(layer);
    struct legal_write *to = measured.changes;
    for (char *word; (word = strsep(&changes, " ")) != NULL;)
        *to++ = legal_write_of(nvdla_config_find(measured.config), word);
    assert_true(to <= measured.changes + CHANGES);
    struct device *dev = run_case(&measured, false);
    const char *said = claim_of(dev);
    const bool hangs = strncmp(result, "hangs", 5) == 0;
    if (strcmp(said, claim) != 0)
        fail_msg("%s: claimed %s, expected %s", shown, said, claim);
    if (!refused && (strcmp(said, "hangs") == 0) != hangs)
        fail_msg("%s: claimed %s, NVIDIA's RTL: %s", shown, said, result);
    if (!refused && (get(dev, NVDLA_GLB, GLB_S_INTR_STATUS) & 0x3f) == 0 && !hangs)
        fail_msg("%s: hangs, NVIDIA's RTL: %s", shown, result);
}

TEST(claims_are_what_nvidias_rtl_does) {
    char *rest = test_text("docs/nvdla/vectors/rules.tsv");
    size_t rows = 0;
    for (char *row; (row = test_row(&rest)) != NULL; rows++)
        check_measured(row);
    assert_true(rows > 300);
}

/* A case names the rule by part of its text and, as several rules share texts, by the register that it shows first. */
static bool has_case(const struct rule *rule) {
    char text[600];
    snprintf(text, sizeof text, "%s (%s)", rule->text, rule->section);
    for (int i = 0; i < rule_case_count; i++) {
        const struct rule_case *c = &rule_cases[i];
        const struct nvdla_config *config = nvdla_config_find(c->config);
        if (!strstr(text, c->texts[0]) || rule->effect != c->effect)
            continue;
        struct device *dev = run_case(c, false);
        char shown[80];
        nvdla_register_name(config, nvdla_unit_base(config, rule->shown[0].unit) + rule->shown[0].offset, shown,
                            sizeof shown);
        strcat(shown, " = 0x");
        bool found = false;
        for (size_t m = 0; m < told_count(dev); m++)
            found |= strncmp(told(dev, m)->text, shown, strlen(shown)) == 0 && strstr(told(dev, m)->text, text);
        if (found)
            return true;
    }
    return false;
}

TEST(every_rule_has_a_case) {
    for (size_t s = 0; s <= RULE_SETS; s++) {
        const struct rule_set *set = s < RULE_SETS ? rule_sets[s] : &rules_of_descriptor;
        for (size_t i = 0; i < set->rule_count; i++)
            if (!has_case(&set->rules[i]))
                fail_msg("no case for the rule '%s' of %s", set->rules[i].text, nvdla_unit_names[set->units[0]]);
    }
}

/* ---- CMAC ---- */

/* Programs a convolution and arms its units in this order; a 0 lets time pass. */
static void convolve(struct device *dev, const enum nvdla_unit order[8]) {
    legal_layer(dev->config, legal_layer_find("CONVOLUTION"), (struct legal_sink){try_write, dev});
    for (size_t i = 0; i < 8; i++)
        if (order[i])
            put(dev, order[i], enable_of(dev, order[i]), 1);
        else
            run_out(dev);
    run_out(dev);
    assert_false(is_busy(dev, NVDLA_SDP));
}

/* Section 2 of 98-measured-rules. */
TEST(cmac_or_cacc_that_is_armed_late_is_told) {
    static const struct {
        enum nvdla_unit order[8], late[2];
    } cases[] = {
        {{NVDLA_CDMA, NVDLA_CSC, NVDLA_CACC, NVDLA_SDP, NVDLA_CMAC_A, NVDLA_CMAC_B}, {0}},
        {{NVDLA_CDMA, NVDLA_CMAC_A, NVDLA_CMAC_B, 0, NVDLA_CSC, NVDLA_CACC, NVDLA_SDP}, {0}},
        {{NVDLA_CSC, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CMAC_B, NVDLA_CMAC_A, NVDLA_CDMA}, {0}},
        {{NVDLA_CDMA, 0, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CSC}, {0}},
        {{NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CSC, NVDLA_CDMA, 0, NVDLA_CACC, NVDLA_SDP}, {NVDLA_CACC}},
        {{NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CACC, NVDLA_SDP, 0, NVDLA_CMAC_B}, {NVDLA_CMAC_B}},
        {{NVDLA_CSC, NVDLA_CDMA, NVDLA_CMAC_B, 0, NVDLA_CMAC_A, NVDLA_CACC, NVDLA_SDP}, {NVDLA_CMAC_A, NVDLA_CACC}},
        {{NVDLA_CSC, NVDLA_CDMA, NVDLA_CACC, 0, NVDLA_CMAC_B, NVDLA_CMAC_A, NVDLA_SDP}, {NVDLA_CMAC_B, NVDLA_CMAC_A}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = new_bench("small", true);
        size_t told_before = 0;
        for (int layer = 0; layer < 3; layer++) {
            select_groups(dev, layer & 1);
            convolve(dev, cases[i].order);
            const size_t late = !cases[i].late[0] ? 0 : cases[i].late[1] ? 2 : 1;
            assert_int_equal(told_count(dev), told_before + late);
            for (size_t w = 0; w < late; w++) {
                assert_int_equal(told(dev, told_before + w)->unit, cases[i].late[w]);
                assert_int_equal(told(dev, told_before + w)->ordinal, layer);
                assert_non_null(
                    strstr(told(dev, told_before + w)->text, ".D_OP_ENABLE = 0x1: armed after a wait, or reads of"));
            }
            told_before += late;
            assert_false(refused);
        }
    }
}

/* ---- sequences of rules.txt ---- */

/* What a step of rules.txt does to the device; false if it is none of these. */
static bool act(struct device *dev, const struct step *step, FILE *found) {
    if (step_is(step, "read"))
        for (struct legal_write times = legal_write_of(dev->config, step->word[1]); times.value > 0; times.value--)
            get(dev, times.unit, times.offset);
    else if (step_is(step, "played"))
        dev->ops->played(dev);
    else if (step_is(step, "explain"))
        dev->ops->explain(dev);
    else
        return model_step(dev, step, found);
    return true;
}

/* Whether what a step expects is so. */
static bool holds(struct device *dev, const struct step *step) {
    const char *rest = step->text;
    if (step_is(step, "says"))
        return is_told(dev, rest);
    if (step_is(step, "lacks"))
        return !is_told(dev, rest);
    if (step_is(step, "launch"))
        return told(dev, told_count(dev) - 1)->ordinal == atoi(rest);
    if (step_is(step, "idle") || step_is(step, "busy"))
        return is_busy(dev, nvdla_unit_find(rest)) == step_is(step, "busy");
    if (step_is(step, "refused"))
        return refused && strstr(refusal.text, rest);
    assert_string_equal(step->word[0], "hangs");
    run_out(dev);
    if (refused || told_count(dev) > 0)
        return false;
    dev->ops->explain(dev);
    return is_told(dev, rest);
}

static bool pending; /* a refusal that nothing expects */

static void *begin_sequence(const char *title) {
    assert_false(pending);
    return new_bench(title_config(title)->name, strstr(title, " undefined") != NULL);
}

static bool sequence_step(void *context, const struct step *step, FILE *found) {
    struct device *dev = context;
    if ((pending || !act(dev, step, found)) && !holds(dev, step))
        fprintf(found, "refused %d, %zu told, the last: %s", refused, told_count(dev),
                told_count(dev) > 0 ? told(dev, told_count(dev) - 1)->text : "none");
    pending = refused && !step_is(step, "refused");
    return true;
}

TEST(sequences_are_told_as_they_say) {
    steps_play("tests/unit/rules.txt", &(struct steps_player){begin_sequence, sequence_step});
    assert_false(pending);
}

/* ---- cubes that share bytes ---- */

static struct extent cube(uint64_t base, uint64_t line_bytes, uint64_t lines, uint64_t line_stride, uint64_t surfaces,
                          uint64_t surface_stride) {
    return (struct extent){.primary = true,
                           .base = base,
                           .line_bytes = line_bytes,
                           .lines = lines,
                           .line_stride = line_stride,
                           .surfaces = surfaces,
                           .surface_stride = surface_stride};
}

TEST(cubes_overlap_where_they_share_bytes) {
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        struct extent e[2];
        bool used[2][512] = {{false}}, own[2] = {false, false}, share = false;
        for (int i = 0; i < 2; i++) {
            e[i] = cube(below(&seed, 64), 1 + below(&seed, 6), 1 + below(&seed, 5), below(&seed, 20),
                        1 + below(&seed, 4), below(&seed, 60));
            for (uint64_t z = 0; z < e[i].surfaces; z++) {
                for (uint64_t y = 0; y < e[i].lines; y++) {
                    for (uint64_t x = 0; x < e[i].line_bytes; x++) {
                        uint64_t at = e[i].base + z * e[i].surface_stride + y * e[i].line_stride + x;
                        own[i] |= used[i][at];
                        used[i][at] = true;
                    }
                }
            }
        }
        for (size_t at = 0; at < 512; at++)
            share |= used[0][at] && used[1][at];
        assert_int_equal(extents_overlap(&e[0], &e[1]), share);
        assert_int_equal(extents_overlap(&e[1], &e[0]), share);
        /* Surfaces that interleave in odd ways are not looked at line by line. */
        assert_true(extent_overlaps_itself(&e[0]) || !own[0] || e[0].surfaces > 1);
        assert_true(extents_same(&e[0], &e[0]));
    }
    struct extent a = cube(0, 8, 4, 8, 1, 0), b = cube(0, 32, 1, 0, 1, 7), far = a;
    assert_true(extents_same(&a, &b));
    far.primary = false;
    assert_false(extents_overlap(&a, &far));
    assert_false(extents_same(&a, &far));
    struct extent huge = cube(0, 1, UINT64_C(1) << 13, 64, UINT64_C(1) << 13, UINT64_C(1) << 19);
    assert_false(extents_overlap(&huge, &huge));
}
