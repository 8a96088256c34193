/* Launches of two programs side by side. See programming.h. */
#include "compare/programming.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/effect.h"
#include "compare/sequences.h"
#include "layers/extents.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "trace/launches.h"

enum {
    TABLE_LE = 65,
    TABLE_LO = 257,
    TABLE = TABLE_LE + TABLE_LO,
    SHOWN_MOST = 1000,
    FEW = 8,
    PLACE = 80,
    FIELDS = 512
};

/* A look-up table as it is after an upload, kept for the launches that may use it. */
struct upload {
    size_t until; /* operation of the program from which on it no longer holds */
    uint16_t words[TABLE];
};

struct side {
    const struct program *prog;
    struct layer_tracker *launches;
    struct memory *memory[SPACE_COUNT];
    bool has_content;
    struct upload *uploads[2]; /* of SDP, CDP */
    size_t upload_count[2];
    uint32_t *globals; /* last value written to registers of units that are never armed, by word */
};

/* An address register that differs. */
struct moved {
    uint64_t from, to;
    char *place;
};

struct comparison {
    FILE *out;
    const struct nvdla_config *config;
    struct side sides[2];
    struct programming_difference *difference;
    struct moved *moved;
    size_t moved_count, shown;
    size_t block; /* of BDMA: number of the descriptor that is compared */
};

enum { GLOBAL_WORDS = 0x40000 / 4 };

/* ---- what a program does ---- */

static int table_of(enum nvdla_unit unit) {
    return unit == NVDLA_SDP ? 0 : unit == NVDLA_CDP ? 1 : -1;
}

/* Follows uploads of tables: the access register names table and entry, each data word goes to the next entry. */
struct uploading {
    uint32_t access[2];
    uint16_t words[2][TABLE];
    bool changed[2];
};

static void end_upload(struct side *side, struct uploading *uploading, int table, size_t at) {
    if (side->upload_count[table])
        side->uploads[table][side->upload_count[table] - 1].until = at;
    side->uploads[table] = xgrow(side->uploads[table], side->upload_count[table], sizeof(struct upload));
    struct upload *upload = &side->uploads[table][side->upload_count[table]++];
    upload->until = SIZE_MAX;
    memcpy(upload->words, uploading->words[table], sizeof upload->words);
    uploading->changed[table] = false;
}

static void see_write(struct side *side, struct uploading *uploading, const struct op *op, size_t at) {
    const struct nvdla_register *reg = nvdla_register_at(side->prog->config, op->address);
    if (!reg)
        return;
    const int table = table_of(reg->unit);
    if (table >= 0 && strcmp(reg->name, "S_LUT_ACCESS_CFG") == 0)
        uploading->access[table] = op->value;
    else if (table >= 0 && strcmp(reg->name, "S_LUT_ACCESS_DATA") == 0) {
        const uint32_t access = uploading->access[table]++;
        const uint32_t entry = REGISTER_FIELD(access, SDP_S_LUT_ACCESS_CFG__LUT_ADDR) +
                               (access & SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID_MASK ? TABLE_LE : 0);
        if (entry < TABLE)
            uploading->words[table][entry] = (uint16_t)op->value;
        uploading->changed[table] = true;
    }
    for (int i = 0; i < 2; i++)
        if (uploading->changed[i] && register_write_arms(side->prog->config, op->address, op->value))
            end_upload(side, uploading, i, at);
    side->globals[op->address / 4 % GLOBAL_WORDS] = op->value;
}

static void see_memory(struct side *side, const struct op *op) {
    struct memory *memory = side->memory[op->space];
    if (op->kind == OP_MEM_LOAD && op->blob) {
        side->has_content = true;
        blob_write(memory, op->base, op->blob);
        for (size_t i = 0; i < op->blob->chunk_count; i++)
            if (op->blob->chunks[i].size)
                memory_declare(memory, op->base + op->blob->chunks[i].offset, op->blob->chunks[i].size);
    }
}

static void side_open(struct side *side, const struct program *prog) {
    struct uploading *uploading = xcalloc(1, sizeof *uploading);
    *side = (struct side){.prog = prog, .launches = program_launches(prog)};
    side->globals = xcalloc(GLOBAL_WORDS, sizeof *side->globals);
    for (int space = 0; space < SPACE_COUNT; space++)
        side->memory[space] = memory_new();
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_WRITE)
            see_write(side, uploading, &prog->ops[i], i);
        else
            see_memory(side, &prog->ops[i]);
    free(uploading);
}

static void side_close(struct side *side) {
    layer_tracker_free(side->launches);
    for (int space = 0; space < SPACE_COUNT; space++)
        memory_free(side->memory[space]);
    free(side->uploads[0]);
    free(side->uploads[1]);
    free(side->globals);
}

/* ---- reports ---- */

static bool may_show(struct comparison *comparison) {
    return comparison->shown++ < SHOWN_MOST;
}

/* "SDP #3 (lines 12 and 14)"; "SDP #3 and #4", if they have different numbers; no lines if the operations have none.
 * Returns text. */
static char *launch_place(const struct comparison *comparison, const struct launch *const launches[2],
                          char text[PLACE]) {
    const struct side *sides = comparison->sides;
    const int lines[2] = {sides[0].prog->ops[launches[0]->tag].line, sides[1].prog->ops[launches[1]->tag].line};
    char number[16] = "", place[40] = "";
    if (launches[0]->ordinal != launches[1]->ordinal)
        snprintf(number, sizeof number, " and #%d", launches[1]->ordinal);
    if (lines[0] && lines[1])
        snprintf(place, sizeof place, " (lines %d and %d)", lines[0], lines[1]);
    snprintf(text, PLACE, "%s #%d%s%s", nvdla_unit_names[launches[0]->unit], launches[0]->ordinal, number, place);
    return text;
}

static void show_fields(struct comparison *comparison, const char *place, const struct nvdla_register *reg,
                        const uint32_t values[2], uint32_t bits, const char *idle) {
    char first[FIELDS], second[FIELDS];
    ++*(idle ? &comparison->difference->idle : &comparison->difference->registers);
    if (!may_show(comparison))
        return;
    fprintf(comparison->out, "%s %s: 0x%08" PRIx32 " and 0x%08" PRIx32 ": %s and %s%s%s\n", place, reg->name, values[0],
            values[1], nvdla_register_decode_bits(reg, values[0], bits, first, sizeof first),
            nvdla_register_decode_bits(reg, values[1], bits, second, sizeof second), idle ? "; without effect: " : "",
            idle ? idle : "");
}

/* ---- registers of launches ---- */

/* Whether software sets the register up for a launch: not status, pointers, or what has a comparison of its own. */
static bool is_setting(const struct nvdla_register *reg) {
    static const char *const others[] = {"S_STATUS",    "S_POINTER",           "S_LUT_ACCESS_CFG", "S_LUT_ACCESS_DATA",
                                         "D_OP_ENABLE", "S_CBUF_FLUSH_STATUS", "S_INTR_SET",       "S_INTR_STATUS"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(reg->name, others[i]) == 0)
            return false;
    return reg->stored_mask != 0;
}

static bool is_address(const struct nvdla_register *reg) {
    return reg->kinds & (REGISTER_ADDRESS | REGISTER_ADDRESS_HIGH);
}

/* A register of a launch; of BDMA that of a descriptor, as long as the launch has one of that number. */
static uint32_t setting(const struct nvdla_config *config, const struct launch *launch, size_t block,
                        const struct nvdla_register *reg) {
    const uint32_t offset = reg->address - nvdla_unit_base(config, launch->unit);
    return block < launch->block_count ? launch_block_register(launch, block, offset) : launch_register(launch, offset);
}

static void note_address(struct comparison *comparison, const struct launch *const launches[2], const char *place,
                         const struct nvdla_register *reg, const uint32_t values[2]) {
    if (reg->kinds & REGISTER_ADDRESS_HIGH)
        return; /* with its lower half */
    const struct nvdla_register *high = comparison->config->addr_bits > 32 ? reg->high : NULL;
    uint64_t addresses[2] = {values[0], values[1]};
    for (int i = 0; high && i < 2; i++)
        addresses[i] |= (uint64_t)setting(comparison->config, launches[i], comparison->block, high) << 32;
    const bool only_high = high && values[0] == values[1] && addresses[0] != addresses[1];
    comparison->moved = xgrow(comparison->moved, comparison->moved_count, sizeof *comparison->moved);
    comparison->moved[comparison->moved_count++] = (struct moved){
        .from = addresses[0], .to = addresses[1], .place = xprintf("%s %s", place, only_high ? high->name : reg->name)};
}

static void compare_register(struct comparison *comparison, const struct launch *const launches[2],
                             const struct nvdla_register *reg, const uint32_t values[2]) {
    const uint32_t differ = (values[0] ^ values[1]) & reg->stored_mask;
    uint32_t effective = 0, idle = 0;
    const char *why = NULL;
    char place[PLACE];
    for (size_t f = 0; f < reg->field_count; f++) {
        const uint32_t bits = nvdla_field_mask(&reg->fields[f]) & differ;
        const char *first = field_without_effect(comparison->config, launches[0], reg, &reg->fields[f]);
        const char *second = field_without_effect(comparison->config, launches[1], reg, &reg->fields[f]);
        if (bits == 0)
            continue;
        *(first && second ? &idle : &effective) |= nvdla_field_mask(&reg->fields[f]);
        why = first && second ? first : why;
    }
    if (idle)
        show_fields(comparison, launch_place(comparison, launches, place), reg, values, idle, why);
    if (effective && !is_address(reg))
        show_fields(comparison, launch_place(comparison, launches, place), reg, values, effective, NULL);
    /* Equal addresses count too: they show by how much the others may have moved. */
    if (is_address(reg) && !idle && reg->field_count &&
        !field_without_effect(comparison->config, launches[0], reg, &reg->fields[0]))
        note_address(comparison, launches, launch_place(comparison, launches, place), reg, values);
}

static void compare_table(struct comparison *comparison, const struct launch *const launches[2]) {
    const int table = table_of(launches[0]->unit);
    const struct nvdla_register *reg =
        table < 0 ? NULL : nvdla_register_find(comparison->config, launches[0]->unit, "S_LUT_CFG");
    const struct upload *uploads[2] = {NULL, NULL};
    if (!reg)
        return;
    for (int i = 0; i < 2; i++) {
        if (field_without_effect(comparison->config, launches[i], reg, &reg->fields[0]))
            return;
        const struct side *side = &comparison->sides[i];
        for (size_t u = 0; u < side->upload_count[table] && !uploads[i]; u++)
            if (launches[i]->tag < side->uploads[table][u].until)
                uploads[i] = &side->uploads[table][u];
    }
    for (unsigned entry = 0; uploads[0] && uploads[1] && entry < TABLE; entry++) {
        const uint16_t a = uploads[0]->words[entry], b = uploads[1]->words[entry];
        char place[PLACE];
        if (a == b)
            continue;
        comparison->difference->registers++;
        if (may_show(comparison))
            fprintf(comparison->out, "%s table %s entry %u: 0x%04x and 0x%04x\n",
                    launch_place(comparison, launches, place), entry < TABLE_LE ? "LE" : "LO",
                    entry < TABLE_LE ? entry : entry - TABLE_LE, a, b);
    }
}

/* ---- memory ---- */

/* Bytes that differ of two ranges, as far as both programs have loaded them. *first: offset of the first. */
static uint64_t different_bytes(const struct memory *const memory[2], const uint64_t starts[2], uint64_t size,
                                uint64_t *first) {
    enum { PIECE = 4096 };
    uint8_t a[PIECE], b[PIECE];
    uint64_t differ = 0;
    for (uint64_t at = 0; at < size; at += PIECE) {
        const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        if (!memory_any_declared(memory[0], starts[0] + at, n) || !memory_any_declared(memory[1], starts[1] + at, n))
            continue;
        memory_read(memory[0], starts[0] + at, a, n);
        memory_read(memory[1], starts[1] + at, b, n);
        for (size_t k = 0; memcmp(a, b, n) != 0 && k < n; k++)
            if (a[k] != b[k] && memory_all_declared(memory[0], starts[0] + at + k, 1) &&
                memory_all_declared(memory[1], starts[1] + at + k, 1) && differ++ == 0)
                *first = at + k;
    }
    return differ;
}

/* Compares what both programs have loaded at the places that a launch reads. */
static void compare_content(struct comparison *comparison, const struct launch *const launches[2]) {
    struct memory_extent extents[2][LAUNCH_EXTENTS];
    const struct side *sides = comparison->sides;
    size_t counts[2];
    for (int i = 0; i < 2; i++)
        counts[i] = launch_reads(comparison->config, launches[i], extents[i]);
    for (size_t e = 0; sides[0].has_content && sides[1].has_content && e < counts[0] && e < counts[1]; e++) {
        const struct memory_extent *a = &extents[0][e], *b = &extents[1][e];
        const struct memory *const memory[2] = {sides[0].memory[a->primary ? SPACE_PRIMARY : SPACE_SECONDARY],
                                                sides[1].memory[b->primary ? SPACE_PRIMARY : SPACE_SECONDARY]};
        const uint64_t starts[2] = {a->start, b->start};
        uint64_t first = 0;
        const uint64_t differ = different_bytes(memory, starts, a->size < b->size ? a->size : b->size, &first);
        char place[PLACE];
        if (!differ)
            continue;
        comparison->difference->contents++;
        if (may_show(comparison))
            fprintf(comparison->out,
                    "%s reads other content: %" PRIu64 " %s, from 0x%" PRIx64 " and 0x%" PRIx64 " on\n",
                    launch_place(comparison, launches, place), differ,
                    text_plural(differ, "byte differs", "bytes differ"), starts[0] + first, starts[1] + first);
    }
}

/* ---- addresses ---- */

static int by_distance(const void *left, const void *right) {
    const struct moved *a = left, *b = right;
    const uint64_t x = a->to - a->from, y = b->to - b->from;
    return x != y ? (x > y) - (x < y) : (a->from > b->from) - (a->from < b->from);
}

static size_t uses(const struct comparison *comparison, uint64_t from, uint64_t to) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->moved_count; i++)
        count += comparison->moved[i].from == from && comparison->moved[i].to == to;
    return count;
}

/* How many addresses are moved by the same distance. */
static size_t moved_alike(const struct comparison *comparison, const struct moved *moved) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->moved_count; i++)
        count += comparison->moved[i].to - comparison->moved[i].from == moved->to - moved->from;
    return count;
}

/* Whether the same address of the first program is another one of the second elsewhere: more often, or as often and by
 * a distance that more addresses are moved by. */
static bool contradicts(const struct comparison *comparison, const struct moved *moved) {
    const size_t own = uses(comparison, moved->from, moved->to);
    for (size_t i = 0; i < comparison->moved_count; i++) {
        const struct moved *other = &comparison->moved[i];
        if (other->from != moved->from || other->to == moved->to)
            continue;
        const size_t others = uses(comparison, other->from, other->to);
        if (others > own || (others == own && moved_alike(comparison, other) > moved_alike(comparison, moved)))
            return true;
    }
    return false;
}

static void show_addresses(struct comparison *comparison) {
    const struct moved *moved = comparison->moved;
    const size_t count = comparison->moved_count;
    if (count)
        qsort(comparison->moved, count, sizeof *moved, by_distance);
    for (size_t i = 0, end; i < count; i = end) {
        const uint64_t distance = moved[i].to - moved[i].from;
        for (end = i; end < count && moved[end].to - moved[end].from == distance; end++)
            ;
        if (distance == 0)
            continue;
        comparison->difference->addresses += end - i;
        if (end - i > FEW && may_show(comparison))
            fprintf(comparison->out, "%zu addresses are moved by %s0x%" PRIx64 ", the lowest in %s\n", end - i,
                    (int64_t)distance < 0 ? "-" : "", (int64_t)distance < 0 ? -distance : distance, moved[i].place);
        for (size_t k = i; k < end; k++) {
            const bool wrong = contradicts(comparison, &moved[k]);
            comparison->difference->registers += wrong;
            if ((wrong || end - i <= FEW) && may_show(comparison))
                fprintf(comparison->out, "%s: address 0x%" PRIx64 " and 0x%" PRIx64 "%s\n", moved[k].place,
                        moved[k].from, moved[k].to,
                        wrong ? ": the same address is moved elsewhere in other launches" : "");
        }
    }
}

/* ---- all ---- */

/* The settings of a launch; of BDMA those of one descriptor. */
static void compare_settings(struct comparison *comparison, const struct launch *const launches[2]) {
    const struct nvdla_register_map *map = &nvdla_register_maps[comparison->config->map];
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        if (reg->unit != launches[0]->unit || !is_setting(reg))
            continue;
        const uint32_t values[2] = {setting(comparison->config, launches[0], comparison->block, reg),
                                    setting(comparison->config, launches[1], comparison->block, reg)};
        if (((values[0] ^ values[1]) & reg->stored_mask) || is_address(reg))
            compare_register(comparison, launches, reg, values);
    }
}

static void compare_launches(struct comparison *comparison, const struct launch *const launches[2]) {
    comparison->block = 0;
    do
        compare_settings(comparison, launches);
    while (++comparison->block < launches[0]->block_count && comparison->block < launches[1]->block_count);
    compare_table(comparison, launches);
    compare_content(comparison, launches);
}

static size_t launches_of(const struct side *side, enum nvdla_unit unit) {
    size_t count = 0;
    while (layer_tracker_find(side->launches, unit, (int)count))
        count++;
    return count;
}

/* Registers that no launch has: those of GLB and the memory interfaces, as they are at the end. */
static void compare_globals(struct comparison *comparison) {
    const struct nvdla_register_map *map = &nvdla_register_maps[comparison->config->map];
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const uint32_t values[2] = {comparison->sides[0].globals[reg->address / 4 % GLOBAL_WORDS],
                                    comparison->sides[1].globals[reg->address / 4 % GLOBAL_WORDS]};
        if (reg->grouped || !is_setting(reg) || !((values[0] ^ values[1]) & reg->stored_mask) ||
            launches_of(&comparison->sides[0], reg->unit) + launches_of(&comparison->sides[1], reg->unit) > 0)
            continue;
        show_fields(comparison, nvdla_unit_names[reg->unit], reg, values, (values[0] ^ values[1]) & reg->stored_mask,
                    NULL);
    }
}

/* ---- which launch of one program is which of the other ---- */

/* Costs of launches that differ: an address, a setting, a launch that only one program has. */
enum { ADDRESS_COST = 1, SETTING_COST = 16, LAUNCH_COST = 3 * SETTING_COST };

/* The launches of one unit. */
struct unit_launches {
    const struct nvdla_config *config;
    const struct launch **launches[2];
    const struct nvdla_register **settings;
    size_t counts[2], setting_count;
};

/* Whether a register holds the size of what a launch works on. */
static bool is_geometry(const struct nvdla_register *reg) {
    static const char *const words[] = {"SIZE", "WIDTH", "HEIGHT", "CHANNEL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(reg->name, words[i]))
            return true;
    return false;
}

/* Launches of equal geometry are always a pair; others as long as few registers differ. */
static unsigned launch_cost(const void *context, size_t i, size_t k) {
    const struct unit_launches *unit = context;
    const struct launch *a = unit->launches[0][i], *b = unit->launches[1][k];
    unsigned cost = a->block_count == b->block_count ? 0 : SETTING_COST;
    bool same_geometry = true;
    for (size_t block = 0; block == 0 || (block < a->block_count && block < b->block_count); block++)
        for (size_t s = 0; s < unit->setting_count; s++) {
            const struct nvdla_register *reg = unit->settings[s];
            if (((setting(unit->config, a, block, reg) ^ setting(unit->config, b, block, reg)) & reg->stored_mask) == 0)
                continue;
            cost += is_address(reg) ? ADDRESS_COST : SETTING_COST;
            same_geometry = same_geometry && !is_geometry(reg);
        }
    return same_geometry && cost >= 2 * LAUNCH_COST ? 2 * LAUNCH_COST - 1 : cost;
}

static struct unit_launches unit_launches(const struct comparison *comparison, enum nvdla_unit number) {
    const struct nvdla_register_map *map = &nvdla_register_maps[comparison->config->map];
    struct unit_launches unit = {.config = comparison->config};
    unit.settings = xcalloc(map->count, sizeof *unit.settings);
    for (size_t i = 0; i < map->count; i++)
        if (map->registers[i].unit == number && is_setting(&map->registers[i]))
            unit.settings[unit.setting_count++] = &map->registers[i];
    for (int side = 0; side < 2; side++) {
        const struct layer_tracker *tracker = comparison->sides[side].launches;
        unit.launches[side] = xcalloc(layer_tracker_count(tracker) + 1, sizeof *unit.launches[side]);
        for (size_t i = 0; i < layer_tracker_count(tracker); i++)
            if (layer_tracker_launch(tracker, i)->unit == number)
                unit.launches[side][unit.counts[side]++] = layer_tracker_launch(tracker, i);
    }
    return unit;
}

/* Says that one program has a launch more. */
static void show_only(struct comparison *comparison, const struct launch *launch, int side) {
    const int line = comparison->sides[side].prog->ops[launch->tag].line;
    char place[24] = "";
    comparison->difference->launches_only++;
    if (!may_show(comparison))
        return;
    if (line)
        snprintf(place, sizeof place, " (line %d)", line);
    fprintf(comparison->out, "%s #%d%s is only in the %s\n", nvdla_unit_names[launch->unit], launch->ordinal, place,
            side ? "second" : "first");
}

/* Pairs the launches of a unit. Sets partners[] of launches of the first program, by their index in the tracker, and
 * names those that only one program has. */
static void pair_unit(struct comparison *comparison, enum nvdla_unit number, const struct launch **partners) {
    struct unit_launches unit = unit_launches(comparison, number);
    size_t *paired = xcalloc(unit.counts[0] + 1, sizeof *paired);
    bool *taken = xcalloc(unit.counts[1] + 1, sizeof *taken);
    const struct sequences sequences = {
        .counts = {unit.counts[0], unit.counts[1]}, .gap = LAUNCH_COST, .cost = launch_cost, .context = &unit};
    if (!sequences_pair(&sequences, paired) && may_show(comparison))
        fprintf(comparison->out, "%s: %zu and %zu launches are too many to find missing ones; paired by number\n",
                nvdla_unit_names[number], unit.counts[0], unit.counts[1]);
    for (size_t i = 0, at = 0; i < unit.counts[0]; i++, at++) {
        while (layer_tracker_launch(comparison->sides[0].launches, at) != unit.launches[0][i])
            at++;
        if (paired[i] == NO_PARTNER) {
            show_only(comparison, unit.launches[0][i], 0);
            continue;
        }
        partners[at] = unit.launches[1][paired[i]];
        taken[paired[i]] = true;
    }
    for (size_t k = 0; k < unit.counts[1]; k++)
        if (!taken[k])
            show_only(comparison, unit.launches[1][k], 1);
    free(paired);
    free(taken);
    free(unit.settings);
    free(unit.launches[0]);
    free(unit.launches[1]);
}

static void compare_all(struct comparison *comparison) {
    const struct layer_tracker *first = comparison->sides[0].launches;
    const struct launch **partners = xcalloc(layer_tracker_count(first) + 1, sizeof *partners);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        pair_unit(comparison, (enum nvdla_unit)unit, partners);
    for (size_t i = 0; i < layer_tracker_count(first); i++)
        if (partners[i])
            compare_launches(comparison, (const struct launch *const[]){layer_tracker_launch(first, i), partners[i]});
    free(partners);
    compare_globals(comparison);
    show_addresses(comparison);
}

static void add_count(struct text *text, size_t count, const char *one, const char *many) {
    if (count)
        text_printf(text, "%s%zu %s", text->n ? ", " : "", count, text_plural(count, one, many));
}

static void print_sum(const struct comparison *comparison) {
    const struct programming_difference *difference = comparison->difference;
    struct text text = {0};
    if (comparison->shown > SHOWN_MOST)
        fprintf(comparison->out, "and %zu more lines\n", comparison->shown - SHOWN_MOST);
    add_count(&text, difference->registers, "register", "registers");
    add_count(&text, difference->launches_only, "launch only in one", "launches only in one");
    add_count(&text, difference->contents, "content", "contents");
    add_count(&text, difference->addresses, "address", "addresses");
    add_count(&text, difference->idle, "register without effect", "registers without effect");
    fprintf(comparison->out, "%s%s (%zu launches)\n",
            programming_differs(difference) ? "different: "
            : text.n                        ? "equal except for "
                                            : "equal",
            text.n ? text.text : "", difference->launches);
    free(text.text);
}

bool programming_compare(FILE *out, const struct program *const programs[2], struct programming_difference *difference,
                         struct error *err) {
    if (programs[0]->config != programs[1]->config)
        return error_set(err, "the first is for configuration %s, the second for %s; expected the same",
                         programs[0]->config->name, programs[1]->config->name);
    *difference = (struct programming_difference){0};
    struct comparison comparison = {.out = out, .config = programs[0]->config, .difference = difference};
    for (int i = 0; i < 2; i++)
        side_open(&comparison.sides[i], programs[i]);
    difference->launches = layer_tracker_count(comparison.sides[0].launches);
    compare_all(&comparison);
    print_sum(&comparison);
    for (int i = 0; i < 2; i++)
        side_close(&comparison.sides[i]);
    for (size_t i = 0; i < comparison.moved_count; i++)
        free(comparison.moved[i].place);
    free(comparison.moved);
    return true;
}
