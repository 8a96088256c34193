/* See exceptions.h. */
#include "run/options/exceptions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

/* A text taken apart: [unit, register, field or NULL], the mask, the reason. */
struct parts {
    char *names[3];
    uint32_t mask;
    const char *reason;
    char *copy;
};

static bool take_apart(const char *text, struct parts *parts) {
    uint64_t mask = UINT32_MAX;
    *parts = (struct parts){.copy = xstrdup(text), .reason = ""};
    char *rest = strchr(parts->copy, ':'), *value = NULL;
    if (rest) {
        *rest = '\0';
        parts->reason = rest + 1;
    }
    if ((value = strchr(parts->copy, '='))) {
        *value = '\0';
        if (!text_number(value + 1, UINT32_MAX, &mask) || mask == 0)
            return false;
    }
    parts->mask = (uint32_t)mask;
    char *at = parts->copy;
    for (int i = 0; i < 3 && at; i++) {
        parts->names[i] = at;
        if ((at = strchr(at, '.')))
            *at++ = '\0';
    }
    return !at && parts->names[1];
}

/* The bits that the parts name in a configuration; false if it has not that register or field. */
static bool find_bits(const struct parts *parts, const struct nvdla_config *config, struct read_exception *found) {
    const enum nvdla_unit unit = nvdla_unit_find(parts->names[0]);
    if (unit == NVDLA_UNIT_COUNT || !nvdla_has_unit(config, unit))
        return false;
    const struct nvdla_register *reg = nvdla_register_find(config, unit, parts->names[1]);
    if (!reg)
        return false;
    *found = (struct read_exception){reg->address, parts->mask, parts->reason};
    if (!parts->names[2])
        return true;
    for (size_t i = 0; i < reg->field_count; i++)
        if (strcmp(reg->fields[i].name, parts->names[2]) == 0) {
            const uint32_t bits = nvdla_field_mask(&reg->fields[i]);
            found->mask = parts->mask == UINT32_MAX ? bits : parts->mask << reg->fields[i].lsb & bits;
            return found->mask != 0;
        }
    return false;
}

bool exception_check(const char *text, struct error *err) {
    struct parts parts;
    struct read_exception found;
    bool good = take_apart(text, &parts), known = false;
    for (int i = 0; good && i < nvdla_config_count; i++)
        known = known || find_bits(&parts, &nvdla_configs[i], &found);
    free(parts.copy);
    if (!good)
        return error_set(err,
                         "found '%s', expected UNIT.REGISTER or UNIT.REGISTER.FIELD, then =MASK or not, then "
                         ":REASON or not (GLB.S_INTR_MASK=0x3c0:not built)",
                         text);
    return known || error_set(err,
                              "found '%s', expected a register or a field of it that a configuration has, and a "
                              "mask of its bits; `nvcosim info --registers` lists them",
                              text);
}

static void add(struct exceptions *exceptions, const struct read_exception *bits) {
    exceptions->list = xgrow(exceptions->list, exceptions->count, sizeof *exceptions->list);
    exceptions->list[exceptions->count] = *bits;
    exceptions->list[exceptions->count++].reason = xstrdup(bits->reason);
}

/* The fields of an interrupt register whose engine the configuration has not: their names begin with the engine's. */
static void add_absent(struct exceptions *exceptions, const struct nvdla_config *config, uint32_t offset) {
    const struct nvdla_register *reg = nvdla_register_at(config, nvdla_unit_base(config, NVDLA_GLB) + offset);
    struct read_exception bits = {reg->address, 0, "engines that the configuration lacks"};
    for (size_t i = 0; i < reg->field_count; i++) {
        const bool bdma = strncmp(reg->fields[i].name, "BDMA_", 5) == 0 && !nvdla_has_unit(config, NVDLA_BDMA);
        const bool rubik = strncmp(reg->fields[i].name, "RUBIK_", 6) == 0 && !nvdla_has_unit(config, NVDLA_RBK);
        bits.mask |= bdma || rubik ? nvdla_field_mask(&reg->fields[i]) : 0;
    }
    if (bits.mask)
        add(exceptions, &bits);
}

void exceptions_open(struct exceptions *exceptions, const struct words *texts, const struct nvdla_config *config,
                     bool foreign) {
    *exceptions = (struct exceptions){0};
    for (size_t i = 0; i < texts->count; i++) {
        struct parts parts;
        struct read_exception bits;
        if (take_apart(texts->items[i], &parts) && find_bits(&parts, config, &bits))
            add(exceptions, &bits);
        free(parts.copy);
    }
    if (foreign) {
        add_absent(exceptions, config, GLB_S_INTR_MASK);
        add_absent(exceptions, config, GLB_S_INTR_STATUS);
    }
}

void exceptions_free(struct exceptions *exceptions) {
    for (size_t i = 0; i < exceptions->count; i++)
        free((char *)(uintptr_t)exceptions->list[i].reason);
    free(exceptions->list);
    *exceptions = (struct exceptions){0};
}

char *exceptions_note(const struct exceptions *exceptions, const struct nvdla_config *config, const char *device,
                      uint64_t reads) {
    struct text text = {0};
    char name[80];
    text_printf(&text, "%s: %" PRIu64 " %s only in bits that are not compared:", device, reads,
                text_plural(reads, "read differs", "reads differ"));
    for (size_t i = 0; i < exceptions->count; i++) {
        const struct read_exception *bits = &exceptions->list[i];
        text_printf(&text, "%s %s 0x%08" PRIx32, i ? ";" : "",
                    nvdla_register_name(config, bits->address, name, sizeof name), bits->mask);
        if (bits->reason[0])
            text_printf(&text, " (%s)", bits->reason);
    }
    return text.text;
}
