/* Register writes as rows, or as a text: "SDP: D_CVT_SCALE=1 D_DP_BS_CFG=BS_ALU_ALGO:2,BS_MUL_BYPASS:1 PDP:
 * D_OP_ENABLE=1". A value is made of numbers and of fields with theirs, "|" in one; registers are those of the unit in
 * front of them. */
#pragma once

#include "nvdla/registers.h"
#include "tests/unit/test.h"

/* Does this with `offset_` and `value_` of each row: {offset, value}, ... */
#define FOR_ROWS(statement, ...)                                                                                       \
    do {                                                                                                               \
        const uint32_t rows_[][2] = {__VA_ARGS__};                                                                     \
        for (size_t row_ = 0; row_ < sizeof rows_ / sizeof rows_[0]; row_++) {                                         \
            const uint32_t offset_ = rows_[row_][0], value_ = rows_[row_][1];                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    } while (0)

static inline uint32_t register_text_value(const struct nvdla_register *reg, char *text) {
    uint32_t value = 0;
    for (char *part; (part = strsep(&text, ",")) != NULL;) {
        const struct nvdla_field *field = reg->fields;
        char *number = strchr(part, ':');
        if (number) {
            *number++ = '\0';
            while (field < reg->fields + reg->field_count && strcmp(field->name, part) != 0)
                field++;
            if (field == reg->fields + reg->field_count)
                fail_msg("%s has no field %s", reg->name, part);
        }
        char *end;
        const uint32_t bits = (uint32_t)strtoul(number ? number : part, &end, 0);
        assert_true(*end == '\0' && end != part);
        value |= number ? bits << field->lsb : bits;
    }
    return value;
}

/* Calls `write` for each register, in order, with its offset in the unit. */
static inline void register_text(const struct nvdla_config *config, const char *text,
                                 void (*write)(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value),
                                 void *context) {
    char *copy = xstrdup(text), *rest = copy;
    enum nvdla_unit unit = NVDLA_UNIT_COUNT;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *value = strchr(word, '='), *colon = strchr(word, ':');
        if (!value && colon) {
            *colon = '\0';
            unit = nvdla_unit_find(word);
            assert_true(unit < NVDLA_UNIT_COUNT);
            continue;
        }
        assert_non_null(value);
        *value++ = '\0';
        const struct nvdla_register *reg = nvdla_register_find(config, unit, word);
        if (!reg)
            fail_msg("%s has no register %s", nvdla_unit_names[unit], word);
        write(context, unit, reg->address - nvdla_unit_base(config, unit), register_text_value(reg, value));
    }
    free(copy);
}
