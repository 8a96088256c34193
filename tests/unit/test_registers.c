/* The register map as data, configurations and errors. Expected values, those of registers.txt too: chapter 10 sections
 * 1, 4.3, 6, 7. */
#include "nvdla/error.h"
#include "tests/unit/register_steps.h"

/* ---- cases of registers.txt ---- */

static void *begin(const char *title) {
    return (void *)(uintptr_t)title_config(title);
}

static const char *unit_name(enum nvdla_unit unit) {
    return unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[unit] : "none";
}

/* The register UNIT.NAME of a word; NULL: there is none. */
static const struct nvdla_register *named(const struct nvdla_config *config, const char *word) {
    const size_t dot = strcspn(word, ".");
    return nvdla_register_find(config, nvdla_unit_find(kept(xprintf("%.*s", (int)dot, word))), word + dot + 1);
}

/* The features by their bits in the order of enum nvdla_feature. */
static void print_config(const struct nvdla_config *config, FILE *found) {
    uint32_t features = 0;
    for (enum nvdla_feature f = 0; f < FEATURE_COUNT; f++)
        features |= (uint32_t)nvdla_has(config, f) << f;
    fprintf(found, "%s: atom %d, %d address bits, features 0x%x", config->name, config->mem_atom, config->addr_bits,
            features);
}

static void print_register(const struct nvdla_register *reg, FILE *found) {
    if (reg)
        fprintf(found, "0x%05x reset 0x%x stored 0x%x %s", reg->address, reg->reset, reg->stored_mask,
                reg->fields[0].access == NVDLA_ACCESS_RW1S ? "set" : "plain");
    else
        fputs("none", found);
}

/* What a step finds of one of its words. */
static bool word_step(const struct nvdla_config *config, const struct step *step, const char *word, FILE *found) {
    const uint32_t address = (uint32_t)strtoul(word, NULL, 0);
    char name[64];
    if (step_is(step, "windows")) /* a unit, that of its base, and that of its last word */
        fprintf(found, "0x%05x %s %s", nvdla_unit_base(config, nvdla_unit_find(word)),
                unit_name(nvdla_unit_at(config, nvdla_unit_base(config, nvdla_unit_find(word)))),
                unit_name(nvdla_unit_at(config, nvdla_unit_base(config, nvdla_unit_find(word)) + 0xffc)));
    else if (step_is(step, "has"))
        fprintf(found, "%d", nvdla_has_unit(config, nvdla_unit_find(word)));
    else if (step_is(step, "units"))
        fputs(unit_name(nvdla_unit_find(word)), found);
    else if (step_is(step, "unit-at"))
        fputs(unit_name(nvdla_unit_at(config, address)), found);
    else if (step_is(step, "at")) /* whether there is a register, and how its address reads */
        fprintf(found, "%d %s", nvdla_register_at(config, address) != NULL,
                nvdla_register_name(config, address, name, sizeof name));
    else if (step_is(step, "bits"))
        fprintf(found, "%d", nvdla_interrupt_bit(word));
    else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    const struct nvdla_config *config = context;
    char text[256];
    if (step_is(step, "config"))
        print_config(config, found);
    else if (step_is(step, "register"))
        print_register(named(config, step->word[1]), found);
    else if (step_is(step, "decode"))
        fputs(nvdla_register_decode(named(config, step->word[1]), (uint32_t)step_number(step, 2), text, sizeof text),
              found);
    else if (step_is(step, "interrupts")) {
        for (int bit = -1; bit < 33; bit++)
            if (nvdla_interrupt_name(bit))
                fprintf(found, "%s%s=%d", bit ? " " : "", nvdla_interrupt_name(bit), bit);
    } else
        for (size_t i = 1; i < step->count; i++) {
            fputs(i > 1 ? ", " : "", found);
            if (!word_step(config, step, step->word[i], found))
                return false;
        }
    return true;
}

TEST(cases_find_what_they_say) {
    assert_int_equal(nvdla_config_count, 8);
    steps_play("tests/unit/registers.txt", &(struct steps_player){begin, act});
}

/* ---- all registers ---- */

TEST(every_register_is_found_at_its_address_and_by_name) {
    for (int c = 0; c < nvdla_config_count; c++) {
        const struct nvdla_config *cfg = &nvdla_configs[c];
        const struct nvdla_register_map *map = &nvdla_register_maps[cfg->map];
        size_t found = 0;
        for (uint32_t address = 0; address < 0x40000; address += 4) {
            const struct nvdla_register *reg = nvdla_register_at(cfg, address);
            if (!reg)
                continue;
            found++;
            assert_int_equal(reg->address, address);
            assert_int_equal(nvdla_unit_at(cfg, address), reg->unit);
            assert_ptr_equal(nvdla_register_find(cfg, reg->unit, reg->name), reg);
            assert_int_equal(reg->grouped, strncmp(reg->name, "D_", 2) == 0);
        }
        size_t expected = 0;
        for (size_t i = 0; i < map->count; i++) {
            assert_true(i == 0 || map->registers[i - 1].address < map->registers[i].address);
            expected += nvdla_has_unit(cfg, map->registers[i].unit);
        }
        assert_int_equal(found, expected);
    }
    assert_int_equal(nvdla_register_maps[NVDLA_MAP_FULL].count, 395);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        assert_int_equal(nvdla_unit_find(nvdla_unit_names[unit]), unit);
}

TEST(texts_are_cut_and_nothing_beyond_is_touched) {
    const struct nvdla_config *small = nvdla_config_find("small");
    char text[64];
    assert_string_equal(nvdla_register_name(small, 0x09048, text, 6), "SDP.D");
    assert_string_equal(nvdla_register_decode(NULL, 1, text, sizeof text), "");
    memset(text, 'x', sizeof text);
    assert_string_equal(nvdla_register_decode(named(small, "PDP.D_OPERATION_MODE_CFG"), 0x1f11, text, 24),
                        "POOLING_METHOD=MAX FLYI");
    assert_int_equal(text[24], 'x');
    assert_null(nvdla_config_find("tiny"));
    assert_null(nvdla_config_find(""));
    assert_int_equal(nvdla_unit_find(""), NVDLA_UNIT_COUNT);
}

TEST(errors_keep_one_message_and_are_cut) {
    struct error err;
    assert_false(error_set(&err, "line %d: %s", 7, "bad"));
    assert_string_equal(err.text, "line 7: bad");
    assert_false(error_prefix(&err, "%s:", "file.txt"));
    assert_string_equal(err.text, "file.txt:line 7: bad");
    assert_false(error_set(&err, "again: %s", err.text));
    assert_string_equal(err.text, "again: file.txt:line 7: bad");
    assert_false(error_set(NULL, "not read %d", 1));
    assert_false(error_prefix(NULL, "not read %d", 1));
    char longer[3000];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    error_set(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_prefix(&err, "%s", "bb");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "bbaa", 4);
    error_prefix(&err, "%s", longer);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
}
