/* The rules of legal programming: every rule is broken by a change of a legal layer that breaks nothing else, and the
 * model does what the rule says; then what the checker knows beyond registers. Spec: the lists "Illegal or undefined
 * programming" of the chapters 10 to 70, 98-measured-rules section 3. */
#include <inttypes.h>
#include <stdio.h>

#include "legal_layers.h"
#include "memory/file.h"
#include "model/overlap.h"
#include "model/rules.h"
#include "model/rules_table.h"
#include "model_bench.h"
#include "nvdla/xalloc.h"
#include "tests/unit/test.h"

enum { CHANGES = 16, TEXTS = 3 };

struct change {
    enum nvdla_unit unit;
    uint32_t offset, value;
};

/* A row of rules.tsv: a legal layer with changes, those of a second layer in group 1 in `then`. */
struct rule_case {
    const char *config;
    enum legal_layer layer;
    enum rule_effect effect;
    bool waits;               /* refused: a device that carries it out waits for ever */
    const char *texts[TEXTS]; /* [0]: of the rule; others: told at the same time */
    struct change changes[CHANGES];
    struct change then[CHANGES];
};

#define SET(unit, reg, value) {NVDLA_##unit, unit##_##reg, value}

static struct rule_case *rule_cases;
static int rule_case_count;

static struct change read_change(const struct nvdla_config *config, const char *word) {
    char unit[32], name[64];
    struct change change = {0};
    assert_int_equal(sscanf(word, "%31[^.].%63[^=]=%" SCNx32, unit, name, &change.value), 3);
    change.unit = nvdla_unit_find(unit);
    const struct nvdla_register *reg = nvdla_register_find(config, change.unit, name);
    assert_non_null(reg);
    change.offset = reg->address - nvdla_unit_base(config, change.unit);
    return change;
}

static enum legal_layer layer_named(const char *name) {
    static const char *const layers[] = {"CONVOLUTION", "BATCHES",  "COMPRESSED", "IMAGE",  "WINOGRAD",
                                         "SDP",         "TABLE",    "POOLING",    "STRIPS", "SDP_POOLING",
                                         "CDP",         "CONTRACT", "SPLIT",      "MERGE",  "BDMA"};
    enum legal_layer layer = 0;
    while (layer < LEGAL_LAYERS && strcmp(layers[layer], name) != 0)
        layer++;
    assert_true(layer < LEGAL_LAYERS);
    return layer;
}

/* A row of rules.tsv. The case keeps parts of it. */
static void read_case(char *row) {
    static const char *const effects[] = {
        [RULE_REFUSED] = "refused", [RULE_HANGS] = "hangs", [RULE_WARNS] = "warns", [RULE_ERRATUM] = "erratum"};
    struct rule_case rule = {.config = strsep(&row, "\t")};
    const char *layer = strsep(&row, "\t");
    char *effects_told = strsep(&row, "\t"), *effect = strsep(&effects_told, ",");
    char *texts = strsep(&row, "\t");
    assert_non_null(row);
    rule.layer = layer_named(layer);
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
    struct change *to = rule.changes;
    for (char *word; (word = strsep(&row, " ")) != NULL;)
        if (strcmp(word, "then") == 0)
            to = rule.then;
        else
            *to++ = read_change(nvdla_config_find(rule.config), word);
    assert_true(to <= rule.then + CHANGES);
    rule_cases = xgrow(rule_cases, (size_t)rule_case_count, sizeof *rule_cases);
    rule_cases[rule_case_count++] = rule;
}

static char *rule_text;

static int read_cases(void **state) {
    struct error err;
    size_t n;
    (void)state;
    if (!file_read("tests/unit/rules.tsv", &rule_text, &n, &err))
        fail_msg("%s (run from the top of the tree)", err.text);
    char *rest = rule_text;
    for (char *row; (row = strsep(&rest, "\n")) != NULL;)
        if (row[0] && row[0] != '#')
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

/* The refusal of the device at hand. */
static bool refused;
static struct device_warning refusal;

static void note_refusal(const struct error *err) {
    assert_int_equal(err->kind, ERROR_REFUSED);
    refused = true;
    refusal.unit = (enum nvdla_unit)err->unit;
    refusal.ordinal = err->ordinal;
    snprintf(refusal.text, sizeof refusal.text, "%.*s", (int)sizeof refusal.text - 1, err->text);
}

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

static struct device *rules_bench(const char *config) {
    return new_bench(config, false);
}

/* A write that may be refused; nothing is written after that. */
static void try_write(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct device *dev = context;
    struct error err = {.text = ""};
    if (!refused && !dev->ops->csb_write(dev, nvdla_unit_base(dev->config, unit) + offset, value, false, &err))
        note_refusal(&err);
}

/* Lets all layers run that can. */
static void run_out(struct device *dev) {
    struct error err = {.text = ""};
    enum device_state state = DEVICE_RUNNING;
    while (!refused && state == DEVICE_RUNNING) {
        state = dev->ops->advance(dev, 1000, false, &err);
        if (state == DEVICE_FAILED)
            note_refusal(&err);
    }
    assert_true(state == DEVICE_IDLE || refused);
}

static void select_groups(struct device *dev, uint32_t group) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if ((dev->units >> unit & 1) && nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            try_write(dev, unit, SDP_S_POINTER, group);
}

static void run_layer(struct device *dev, enum legal_layer layer, const struct change *changes) {
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, layer, sink);
    for (size_t i = 0; i < CHANGES && (changes[i].unit || changes[i].offset); i++)
        try_write(dev, changes[i].unit, changes[i].offset, changes[i].value);
    legal_layer_enable(layer, sink);
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

/* All that has been reported: warnings, and last the refusal. */
static size_t told_count(const struct device *dev) {
    return dev->warning_count + refused;
}

static const struct device_warning *told(const struct device *dev, size_t i) {
    return i < dev->warning_count ? &dev->warnings[i] : &refusal;
}

static bool is_told(const struct device *dev, const char *text) {
    for (size_t i = 0; i < told_count(dev); i++)
        if (strstr(told(dev, i)->text, text))
            return true;
    return false;
}

/* ---- rules about registers ---- */

TEST(legal_layers_break_no_rule_and_finish) {
    static const struct change none[CHANGES];
    for (int c = 0; c < nvdla_config_count; c++) {
        for (enum legal_layer layer = 0; layer < LEGAL_LAYERS; layer++) {
            if (!legal_layer_exists(&nvdla_configs[c], layer))
                continue;
            struct device *dev = rules_bench(nvdla_configs[c].name);
            run_layer(dev, layer, none);
            if (told_count(dev) > 0)
                fail_msg("%s layer %d: %s", nvdla_configs[c].name, (int)layer, told(dev, 0)->text);
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
    measured.layer = layer_named(layer);
    struct change *to = measured.changes;
    for (char *word; (word = strsep(&changes, " ")) != NULL;)
        *to++ = read_change(nvdla_config_find(measured.config), word);
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
    for (char *row; (row = strsep(&rest, "\n")) != NULL;) {
        if (!row[0] || row[0] == '#')
            continue;
        check_measured(row);
        rows++;
    }
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

TEST(undefined_settings_are_carried_out_where_that_is_allowed) {
    struct device *dev = bench_new("small"); /* allows them */
    sdp_copy(dev, 2, 2, 8, 0, 8);
    sdp_arm(dev);
    assert_int_equal(advance(dev), DEVICE_INTERRUPT);
    assert_int_equal(dev->warning_count, 1);
    assert_non_null(strstr(dev->warnings[0].text, "overlaps the input or the operands"));
}

/* ---- groups ---- */

TEST(writes_to_an_armed_group_are_told_once_per_launch) {
    struct device *dev = rules_bench("small");
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 3);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    size_t before = told_count(dev);
    put(dev, NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, 3); /* changes nothing */
    assert_int_equal(told_count(dev), before);
    PUT(dev, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, 5}, {SDP_D_DATA_CUBE_HEIGHT, 5}, {SDP_D_OP_ENABLE, 1});
    assert_int_equal(told_count(dev), before + 1);
    assert_non_null(strstr(told(dev, before)->text, "SDP.D_DATA_CUBE_WIDTH = 0x5: dropped"));
}

/* Legal, and what the driver of whole networks does; it is reported only where the other group never comes. */
TEST(arming_the_other_group_first_is_told_if_it_hangs) {
    struct device *dev = rules_bench("small");
    sdp_group(dev, 1);
    sdp_copy(dev, 2, 2, 8, LEGAL_SOURCE, LEGAL_DESTINATION);
    sdp_arm(dev);
    run_out(dev);
    assert_int_equal(told_count(dev), 0);
    dev->ops->explain(dev);
    assert_int_equal(told_count(dev), 2);
    assert_non_null(
        strstr(told(dev, 0)->text, "SDP_RDMA.S_POINTER = 0x1: group 1 is armed, but it is the turn of group 0"));
    assert_non_null(strstr(told(dev, 1)->text, "SDP.S_POINTER = 0x1: group 1 is armed, but it is the turn of group 0"));
    sdp_group(dev, 0);
    sdp_copy(dev, 2, 2, 8, LEGAL_SOURCE, LEGAL_DESTINATION + 64);
    sdp_arm(dev);
    run_out(dev);
    assert_false(is_busy(dev, NVDLA_SDP));
    assert_int_equal(told_count(dev), 2);
}

/* ---- CMAC ---- */

static uint32_t enable_of(const struct device *dev, enum nvdla_unit unit) {
    return nvdla_register_find(dev->config, unit, "D_OP_ENABLE")->address - nvdla_unit_base(dev->config, unit);
}

/* Programs a convolution and arms its units in this order; a 0 lets time pass. */
static void convolve(struct device *dev, const enum nvdla_unit order[8]) {
    legal_layer(dev->config, LEGAL_CONVOLUTION, (struct legal_sink){try_write, dev});
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

static void all_but_sdp(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    if (unit != NVDLA_SDP)
        try_write(context, unit, offset, value);
}

/* A layer that waits for the one before it: its data has not passed yet. */
TEST(cmac_of_a_layer_that_waits_may_be_armed_later) {
    struct device *dev = new_bench("small", true);
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    legal_layer_enable(LEGAL_CONVOLUTION, (struct legal_sink){all_but_sdp, dev});
    select_groups(dev, 1);
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
    run_out(dev);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 0);
    select_groups(dev, 0);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    run_out(dev);
    select_groups(dev, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 1);
    assert_int_equal(told(dev, 0)->ordinal, 1);
    assert_true(dev->ops->reset(dev, NULL));
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    assert_int_equal(told_count(dev), 1);
}

static const struct change nothing[CHANGES];

/* The same in group 1. */
static void run_next(struct device *dev, enum legal_layer layer) {
    select_groups(dev, 1);
    run_layer(dev, layer, nothing);
}

/* A read of a register takes time on a bus. */
TEST(cacc_that_is_armed_behind_reads_is_refused) {
    for (int reads = 4; reads <= 5; reads++) {
        struct device *dev = rules_bench("small");
        legal_layer(dev->config, LEGAL_CONVOLUTION, (struct legal_sink){try_write, dev});
        put(dev, NVDLA_CDMA, CDMA_D_OP_ENABLE, 1);
        put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
        for (int i = 0; i < reads; i++)
            get(dev, NVDLA_CACC, CACC_S_POINTER);
        try_write(dev, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
        assert_int_equal(refused, reads == 5);
    }
}

/* ---- layers that spoil the next one ---- */

TEST(a_layer_behind_one_that_leaves_a_rest_is_refused) {
    static const struct {
        enum legal_layer layer;
        struct change changes[CHANGES];
    } cases[] = {
        {LEGAL_POOLING, {SET(PDP, D_DATA_CUBE_IN_HEIGHT, 4), SET(PDP_RDMA, D_DATA_CUBE_IN_HEIGHT, 4)}},
        {LEGAL_CONVOLUTION, {SET(CDMA, D_WEIGHT_BYTES, 0xf8)}},
        {LEGAL_CONVOLUTION, {SET(CDMA, D_WEIGHT_SIZE_0, 0x1e), SET(CDMA, D_WEIGHT_BYTES, 0xf8)}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("small");
        run_layer(dev, cases[i].layer, cases[i].changes);
        assert_false(refused);
        run_next(dev, cases[i].layer);
        assert_true(refused);
        assert_non_null(strstr(refusal.text, "the layer before leaves a rest in the unit"));
    }
}

TEST(weights_that_no_kernel_takes_are_told_of_their_layer) {
    static const struct change longer[CHANGES] = {SET(CDMA, D_WEIGHT_BYTES, 0x110), SET(CSC, D_WEIGHT_BYTES, 0x110)};
    for (uint32_t banks = 0; banks < 2; banks++) {
        struct device *dev = rules_bench("small");
        const struct change next[CHANGES] = {SET(CDMA, D_BANK, banks), SET(CSC, D_BANK, banks)};
        run_layer(dev, LEGAL_CONVOLUTION, longer);
        assert_int_equal(told_count(dev), 0);
        select_groups(dev, 1);
        run_layer(dev, LEGAL_CONVOLUTION, next);
        assert_int_equal(told_count(dev), banks == 0);
        if (banks == 0) {
            assert_int_equal(told(dev, 0)->ordinal, 0);
            assert_non_null(strstr(told(dev, 0)->text, "CDMA.D_WEIGHT_BYTES = 0x110, "));
            assert_non_null(strstr(told(dev, 0)->text, "WEIGHT_BYTES is more than the kernels take"));
        }
    }
}

/* SDP_RDMA may run ahead of its layer of SDP, but not after the last one. */
TEST(sdp_rdma_that_no_layer_takes_from_is_told_at_the_end) {
    for (int layers = 1; layers <= 2; layers++) {
        struct device *dev = rules_bench("small");
        struct legal_sink sink = {try_write, dev};
        legal_layer(dev->config, LEGAL_SDP, sink);
        put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
        legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
        legal_layer_enable(LEGAL_CONVOLUTION, sink);
        run_out(dev);
        select_groups(dev, 1);
        if (layers == 2) {
            legal_layer(dev->config, LEGAL_SDP, sink);
            put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
            run_out(dev);
        }
        dev->ops->played(dev);
        assert_int_equal(is_told(dev, "armed for a layer of SDP that takes nothing from it"), layers == 1);
    }
}

/* ---- tables ---- */

TEST(tables_in_use_are_not_to_be_written) {
    struct device *dev = rules_bench("small");
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CDP, sink);
    put(dev, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDP, CDP_S_LUT_INFO, 1); /* nothing runs without CDP_RDMA */
    put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_CDP, CDP_S_LUT_INFO, 1); /* as it is */
    assert_int_equal(told_count(dev), 0);
    try_write(dev, NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 1);
    assert_true(refused);
    assert_non_null(strstr(refusal.text, "CDP.S_LUT_ACCESS_DATA = 0x1: written while a layer uses the table"));

    dev = rules_bench("full");
    sink.context = dev;
    legal_layer(dev->config, LEGAL_TABLE, sink);
    legal_layer_enable(LEGAL_TABLE, sink);
    try_write(dev, NVDLA_SDP, SDP_S_LUT_LE_START, 5);
    assert_true(refused);
}

TEST(entries_that_are_missing_are_told) {
    static const struct change none[CHANGES];
    struct device *dev = rules_bench("small");
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CDP, sink);
    assert_true(dev->ops->reset(dev, NULL));
    PUT(dev, NVDLA_CDP, {CDP_S_LUT_ACCESS_CFG, 0x30000 | 257}, {CDP_S_LUT_ACCESS_CFG, 0x30000},
        {CDP_S_LUT_ACCESS_DATA, 1}, {CDP_S_POINTER, 0});
    legal_layer_enable(LEGAL_CDP, sink);
    run_out(dev);
    assert_true(is_told(dev, "CDP.S_LUT_ACCESS_CFG = 0x30101: the table has no such entry"));
    assert_true(is_told(dev, "321 entries of the look-up table have not been written"));

    dev = rules_bench("full");
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    assert_int_equal(told_count(dev), 1);
    assert_true(is_told(dev, "without S_LUT_ACCESS_CFG since reset"));
    run_layer(dev, LEGAL_TABLE, none);
    put(dev, NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 1);
    assert_int_equal(told_count(dev), 2);
}

/* ---- BDMA ---- */

/* Pushes a copy of one line; source and destination are its own unless told otherwise. */
static void push(struct device *dev, uint32_t source, uint32_t destination, uint32_t ports) {
    PUT(dev, NVDLA_BDMA, {BDMA_CFG_SRC_ADDR_LOW, source}, {BDMA_CFG_DST_ADDR_LOW, destination}, {BDMA_CFG_CMD, ports},
        {BDMA_CFG_OP, 1});
}

TEST(bdma_hazards_are_told) {
    struct device *dev = rules_bench("full");
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "BDMA.CFG_LAUNCH0 = 0x1: launched without descriptors"));
    assert_true(dev->ops->reset(dev, NULL));
    for (uint32_t i = 0; i < 22; i++)
        push(dev, LEGAL_SOURCE, LEGAL_DESTINATION + 0x20 * i, i == 3 ? 1 : 3);
    assert_int_equal(told_count(dev), 2);
    assert_true(is_told(dev, "FREE_SLOT is 0"));
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "writes both memories"));
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    assert_int_equal(told_count(dev), 3);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    assert_true(is_told(dev, "the descriptor joins that launch"));
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_true(is_told(dev, "it replaces that launch"));

    dev = rules_bench("full");
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    assert_int_equal(told_count(dev), 1);
    assert_true(is_told(dev, "one of the two interrupts is lost"));

    dev = rules_bench("full");
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    put(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH0, 1);
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    assert_true(is_told(dev, "pushed while both groups are busy"));
}

TEST(bdma_groups_do_not_read_what_they_write) {
    struct device *dev = rules_bench("full");
    push(dev, LEGAL_SOURCE, LEGAL_DESTINATION, 3);
    push(dev, LEGAL_DESTINATION, LEGAL_MASKS, 1); /* of the other memory */
    push(dev, LEGAL_DESTINATION, LEGAL_MASKS, 3);
    try_write(dev, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1);
    assert_true(refused);
    assert_non_null(strstr(refusal.text, "BDMA.CFG_LAUNCH1 = 0x1: the group reads bytes that it writes"));
}

/* ---- why a run hangs ---- */

static void explain(struct device *dev) {
    run_out(dev);
    assert_int_equal(told_count(dev), 0);
    dev->ops->explain(dev);
}

TEST(partners_that_are_not_armed_are_told) {
    static const struct {
        enum legal_layer layer;
        enum nvdla_unit unit;
        uint32_t enable;
        const char *text;
    } cases[] = {
        {LEGAL_SDP, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for SDP_RDMA, which is not armed"},
        {LEGAL_SDP, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, "waits for SDP, which"},
        {LEGAL_POOLING, NVDLA_PDP, PDP_D_OP_ENABLE, "waits for PDP_RDMA, which"},
        {LEGAL_SDP_POOLING, NVDLA_PDP, PDP_D_OP_ENABLE, "waits for SDP, which"},
        {LEGAL_SDP_POOLING, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for PDP, which"},
        {LEGAL_CDP, NVDLA_CDP, CDP_D_OP_ENABLE, "waits for CDP_RDMA, which"},
        {LEGAL_CDP, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, "waits for CDP, which"},
        {LEGAL_CONVOLUTION, NVDLA_SDP, SDP_D_OP_ENABLE, "waits for CSC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CSC, CSC_D_OP_ENABLE, "waits for CACC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, "waits for CSC, which"},
        {LEGAL_CONVOLUTION, NVDLA_CDMA, CDMA_D_OP_ENABLE, "waits for CSC, which"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("small");
        struct legal_sink sink = {try_write, dev};
        legal_layer(dev->config, cases[i].layer, sink);
        put(dev, cases[i].unit, cases[i].enable, 1);
        explain(dev);
        if (!is_told(dev, cases[i].text))
            fail_msg("case %zu: '%s' has not been reported", i, cases[i].text);
    }
}

TEST(clients_that_are_not_answered_are_told) {
    static const struct {
        enum legal_layer layer;
        uint32_t offset, value; /* of MCIF */
        const char *text;
    } cases[] = {
        {LEGAL_SDP, MCIF_CFG_WR_WEIGHT_0, 0x01010001, "MCIF.CFG_WR_WEIGHT_0 = 0x1010001"},
        {LEGAL_SDP, MCIF_CFG_RD_WEIGHT_0, 0x01010001, "MCIF.CFG_RD_WEIGHT_0 = 0x1010001"},
        {LEGAL_SDP, MCIF_CFG_RD_WEIGHT_1, 0x01010100, "MCIF.CFG_RD_WEIGHT_1 = 0x1010100"},
        {LEGAL_POOLING, MCIF_CFG_RD_WEIGHT_0, 0x01000101, "MCIF.CFG_RD_WEIGHT_0 = 0x1000101"},
        {LEGAL_POOLING, MCIF_CFG_WR_WEIGHT_0, 0x01000101, "MCIF.CFG_WR_WEIGHT_0 = 0x1000101"},
        {LEGAL_CDP, MCIF_CFG_RD_WEIGHT_0, 0x00010101, "MCIF.CFG_RD_WEIGHT_0 = 0x10101"},
        {LEGAL_CDP, MCIF_CFG_WR_WEIGHT_0, 0x00010101, "MCIF.CFG_WR_WEIGHT_0 = 0x10101"},
        {LEGAL_CONVOLUTION, MCIF_CFG_RD_WEIGHT_1, 0x00010101, "MCIF.CFG_RD_WEIGHT_1 = 0x10101"},
        {LEGAL_CONVOLUTION, MCIF_CFG_RD_WEIGHT_2, 0x01010100, "MCIF.CFG_RD_WEIGHT_2 = 0x1010100"},
        {LEGAL_SPLIT, MCIF_CFG_RD_WEIGHT_2, 0x01010001, "MCIF.CFG_RD_WEIGHT_2 = 0x1010001"},
        {LEGAL_SPLIT, MCIF_CFG_WR_WEIGHT_1, 0x01010100, "MCIF.CFG_WR_WEIGHT_1 = 0x1010100"},
        {LEGAL_BDMA, MCIF_CFG_RD_WEIGHT_0, 0x01010100, "MCIF.CFG_RD_WEIGHT_0 = 0x1010100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct device *dev = rules_bench("full");
        struct legal_sink sink = {try_write, dev};
        put(dev, NVDLA_MCIF, cases[i].offset, cases[i].value);
        legal_layer(dev->config, cases[i].layer, sink);
        legal_layer_enable(cases[i].layer, sink);
        explain(dev);
        if (!is_told(dev, cases[i].text))
            fail_msg("case %zu: '%s' has not been reported", i, cases[i].text);
    }
}

/* Section 3.3 of 70-memory-interface: bursts of four beats of CVIF need a count of 3. */
TEST(bursts_beyond_the_outstanding_count_hang) {
    for (uint32_t count = 2; count <= 3; count++) {
        struct device *dev = rules_bench("full");
        struct legal_sink sink = {try_write, dev};
        put(dev, NVDLA_CVIF, CVIF_CFG_OUTSTANDING_CNT, 0xff00 | count);
        put(dev, NVDLA_MCIF, MCIF_CFG_OUTSTANDING_CNT, 0);
        legal_layer(dev->config, LEGAL_CDP, sink);
        put(dev, NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG, 0);
        legal_layer_enable(LEGAL_CDP, sink);
        explain(dev);
        assert_int_equal(is_busy(dev, NVDLA_CDP), count < 3);
        assert_int_equal(is_told(dev, "CVIF.CFG_OUTSTANDING_CNT = 0xff02"), count < 3);
    }
}

TEST(convolutions_tell_what_they_wait_for) {
    struct device *dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, (struct change[CHANGES]){{0}});
    select_groups(dev, 1);
    struct legal_sink sink = {try_write, dev};
    legal_layer(dev->config, LEGAL_CONVOLUTION, sink);
    put(dev, NVDLA_CSC, CSC_D_BANK, 1);
    put(dev, NVDLA_CSC, CSC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CACC, CACC_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    put(dev, NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
    explain(dev);
    assert_true(is_told(dev, "waits for CDMA to agree to the change of banks"));

    dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, (const struct change[CHANGES]){SET(CDMA, D_DATAIN_SIZE_0, 0x20003)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "waits for input: CBUF has 3 lines of 4"));

    dev = rules_bench("small");
    run_layer(dev, LEGAL_CONVOLUTION, (const struct change[CHANGES]){SET(CDMA, D_WEIGHT_SIZE_1, 3)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "waits for weights: not all of its 8 kernels come"));

    dev = rules_bench("small");
    run_layer(dev, LEGAL_SDP, (const struct change[CHANGES]){SET(SDP, D_DP_BS_CFG, 1)});
    dev->ops->explain(dev);
    assert_true(is_told(dev, "operands that no stage has taken"));
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
