/* Converts accesses one by one to operations in a temporary file. After the last access the content of memory is known,
 * and the trace is written. See lift.h.
 *
 * Reads: S_INTR_STATUS with new bits becomes a wait for those bits; repeated reads of one register that end with
 * another value become a poll for the changed bits; the flush status becomes a poll; values that depend on time are
 * read without comparison; all others must read the same value. */
#include "import/lift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/lift_memory.h"
#include "import/lift_state.h"
#include "layers/cubes.h"
#include "memory/file.h"
#include "nvdla/engines.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/exchange.h"

enum { LAYERS_LISTED = 1000, KEPT_LAUNCHES = 64, PROGRESS_ACCESSES = 4096 };

/* ---- the file of operations ---- */

static void put_record(struct lift *lift, struct record record, const char *text) {
    if (record.kind != OP_NOTE)
        lift->waited = record.kind == OP_WAIT && record.value == 1;
    record.text = text ? (uint32_t)strlen(text) : 0;
    fwrite(&record, sizeof record, 1, lift->records);
    if (text)
        fwrite(text, 1, record.text, lift->records);
}

static int32_t line_of(uint64_t line) {
    return line > INT32_MAX ? 0 : (int32_t)line;
}

static void put_note(struct lift *lift, uint64_t line, const char *text) {
    put_record(lift, (struct record){.kind = OP_NOTE, .line = line_of(line)}, text);
}

static void put_slot(struct lift *lift, int slot) {
    if (slot >= 0)
        put_record(lift, (struct record){.kind = RECORD_SLOT, .address = (uint32_t)slot}, NULL);
}

static void put_register(struct lift *lift, enum op_kind kind, uint64_t line, uint32_t address, uint32_t value,
                         uint32_t mask, bool volatile_read) {
    put_record(lift,
               (struct record){.kind = (uint8_t)kind,
                               .volatile_read = volatile_read,
                               .address = address,
                               .value = value & mask,
                               .mask = mask,
                               .line = line_of(line)},
               NULL);
}

/* ---- groups ---- */

static void set_turn(struct lift *lift, enum nvdla_unit unit, bool second, bool guessed) {
    const uint32_t bit = UINT32_C(1) << unit;
    if ((lift->turn_known & bit) != 0 || !unit_has_groups(lift->config, unit))
        return;
    lift->turn_known |= bit;
    lift->turn_guessed |= guessed ? bit : 0;
    lift->turn_second |= second ? bit : 0;
}

/* The first interrupt of a unit confirms or refutes the guess: software may have armed group 1 first although the unit
 * starts with group 0. */
static void prove_turns(struct lift *lift, uint32_t bits) {
    for (int i = 0; i < INTERRUPT_COUNT; i++) {
        const enum nvdla_unit unit = nvdla_interrupts[i].unit;
        const uint32_t bit = UINT32_C(1) << unit, groups = bits >> nvdla_interrupts[i].bit & 3;
        if (!nvdla_interrupts[i].ends || groups == 0 || (lift->turn_guessed & bit) == 0)
            continue;
        const uint32_t wrong = groups == 1 ? nvdla_interrupts[i].ends & lift->turn_guessed : 0;
        lift->turn_second &= ~wrong;
        lift->turn_guessed &= ~(wrong | bit);
    }
}

/* Completes the launches of these interrupts. */
static void complete(struct lift *lift, uint32_t bits) {
    prove_turns(lift, bits);
    lift->running &= ~bits;
    for (int i = 0; i < INTERRUPT_COUNT; i++)
        for (int group = 0; group < 2; group++)
            if (nvdla_interrupts[i].ends && bits >> nvdla_interrupts[i].bit >> group & 1)
                put_slot(lift, lift_memory_completed(lift->memory, nvdla_interrupts[i].unit, group));
}

/* Interrupts of groups that were never armed: accesses are missing. */
static void note_orphans(struct lift *lift, uint64_t line, uint32_t bits) {
    for (int i = 0; i < INTERRUPT_COUNT; i++)
        for (int group = 0; group < 2; group++) {
            const unsigned bit = nvdla_interrupts[i].bit + (unsigned)group;
            if (!nvdla_interrupts[i].ends || !(bits >> bit & 1) || lift->summary->incomplete.count >= SOURCE_NOTES)
                continue;
            words_add(&lift->summary->incomplete,
                      "%s %" PRIu64 ": interrupt %s, but group %d of %s was never armed: is a line missing before it?",
                      source_place(lift->source), line, nvdla_interrupt_name((int)bit), group,
                      nvdla_unit_names[nvdla_interrupts[i].unit]);
        }
}

/* The driver has read these bits. Adds a wait for the new ones. */
static void see_interrupts(struct lift *lift, uint64_t line, uint32_t status) {
    const uint32_t fresh = status & ~lift->pending;
    if (fresh == 0)
        return;
    lift->pending |= fresh;
    lift->summary->waits++;
    note_orphans(lift, line, fresh & ~lift->ever);
    lift->summary->unawaited = 0;
    if ((fresh & ~lift->mask) != 0 && !lift->waited) /* the line rises */
        put_record(lift, (struct record){.kind = OP_WAIT, .value = 1, .line = line_of(line)}, NULL);
    const uint32_t address = nvdla_unit_base(lift->config, NVDLA_GLB) + GLB_S_INTR_STATUS;
    put_register(lift, OP_POLL, line, address, fresh, fresh, false);
    complete(lift, fresh & ~lift->known); /* a launch already done according to S_STATUS does not end again */
    lift->known &= ~fresh;
}

/* ---- reads ---- */

/* The mask of all fields of a register with a bit in `bits`. */
static uint32_t whole_fields(const struct nvdla_config *config, uint32_t address, uint32_t bits) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    uint32_t whole = bits;
    for (size_t i = 0; reg && i < reg->field_count; i++)
        if (nvdla_field_mask(&reg->fields[i]) & bits)
            whole |= nvdla_field_mask(&reg->fields[i]);
    return whole;
}

static void end_with_poll(struct lift *lift, uint32_t value, uint32_t mask, enum relation relation) {
    const struct loop *loop = &lift->loop;
    put_record(lift,
               (struct record){.kind = OP_POLL,
                               .relation = (uint8_t)relation,
                               .address = loop->address,
                               .value = value & mask,
                               .mask = mask,
                               .line = line_of(loop->line)},
               NULL);
    lift->summary->polls++;
    lift->summary->unawaited = 0;
    lift->summary->poll_reads += loop->count;
}

static void end_with_check(struct lift *lift, bool is_volatile) {
    const struct loop *loop = &lift->loop;
    put_register(lift, OP_READ_CHECK, loop->line, loop->address, loop->last, loop->mask, is_volatile);
    *(is_volatile ? &lift->summary->volatile_reads : &lift->summary->checks) += loop->count;
}

/* S_STATUS: an idle group stays idle until software arms it again, so a poll for that is safe; whether the other one is
 * pending, running or done depends on time. */
static void end_status(struct lift *lift, enum nvdla_unit unit) {
    const struct loop *loop = &lift->loop;
    static const uint32_t fields[] = {SDP_S_STATUS__STATUS_0_MASK, SDP_S_STATUS__STATUS_1_MASK};
    uint32_t idle = 0, done = 0;
    for (int group = 0; group < 2; group++) {
        const uint32_t interrupt = nvdla_unit_interrupt(unit, group);
        const bool writes = interrupt != 0 && unit != NVDLA_CACC;
        if ((loop->last & fields[group]) != 0 || (loop->mask & fields[group]) == 0)
            continue;
        if ((loop->changed & fields[group]) != 0 || (writes && (lift->running & interrupt)))
            idle |= fields[group];
        if (writes)
            done |= lift->running & interrupt;
    }
    if (idle == 0) {
        end_with_check(lift, true);
        return;
    }
    end_with_poll(lift, 0, idle & loop->mask, RELATION_EQUAL);
    lift->known |= done & ~lift->pending;
    complete(lift, done);
}

/* STATUS of BDMA: the driver waits for a free slot, or for the end of all launches. The number of free slots depends on
 * time. */
static void end_slots(struct lift *lift) {
    const struct loop *loop = &lift->loop;
    const uint32_t busy = BDMA_STATUS__GRP0_BUSY_MASK | BDMA_STATUS__GRP1_BUSY_MASK;
    const uint32_t settled =
        loop->changed & loop->mask & ((loop->last & BDMA_STATUS__IDLE_MASK) | (~loop->last & busy));
    if (settled != 0)
        end_with_poll(lift, loop->last, settled, RELATION_EQUAL);
    else if (loop->last & loop->mask & BDMA_STATUS__FREE_SLOT_MASK)
        end_with_poll(lift, 1u << BDMA_STATUS__FREE_SLOT_LSB, BDMA_STATUS__FREE_SLOT_MASK, RELATION_GREATER_EQUAL);
    else
        end_with_check(lift, true);
}

/* Converts the collected reads of one register. */
static void end_loop(struct lift *lift) {
    struct loop *loop = &lift->loop;
    if (loop->count == 0)
        return;
    const struct nvdla_register *reg = nvdla_register_at(lift->config, loop->address);
    const bool flush = is_register(lift, loop->address, NVDLA_CDMA, CDMA_S_CBUF_FLUSH_STATUS);
    const bool pointer = reg && strcmp(reg->name, "S_POINTER") == 0;
    const bool is_volatile = nvdla_register_volatile(lift->config, loop->address, loop->mask);
    if (loop->mask == 0) {
        put_register(lift, OP_READ, loop->line, loop->address, 0, UINT32_MAX, false);
        lift->summary->volatile_reads++;
    } else if (reg && strcmp(reg->name, "S_STATUS") == 0)
        end_status(lift, reg->unit);
    else if (is_register(lift, loop->address, NVDLA_BDMA, BDMA_STATUS))
        end_slots(lift);
    else if (flush && (loop->last & loop->mask & 1))
        end_with_poll(lift, loop->last, CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK, RELATION_EQUAL);
    else if (loop->changed != 0 && (!is_volatile || pointer))
        end_with_poll(lift, loop->last, whole_fields(lift->config, loop->address, loop->changed), RELATION_EQUAL);
    else if (loop->checked && !is_volatile)
        end_with_poll(lift, loop->last, loop->mask, RELATION_EQUAL);
    else
        end_with_check(lift, is_volatile);
    loop->count = 0;
}

/* Each read of a table's port reads the next entry: it is never a repeated read. */
static bool is_table_port(const struct lift *lift, uint32_t address) {
    const struct nvdla_register *reg = nvdla_register_at(lift->config, address);
    return reg && strcmp(reg->name, "S_LUT_ACCESS_DATA") == 0;
}

static void take_read(struct lift *lift, const struct access *access) {
    const uint32_t address = (uint32_t)access->address;
    const struct nvdla_register *reg = nvdla_register_at(lift->config, address);
    struct loop *loop = &lift->loop;
    lift->summary->reads++;
    if (reg && strcmp(reg->name, "S_POINTER") == 0 && (access->mask & SDP_S_POINTER__CONSUMER_MASK))
        set_turn(lift, reg->unit, (access->value & SDP_S_POINTER__CONSUMER_MASK) != 0, false);
    if (is_register(lift, address, NVDLA_GLB, GLB_S_INTR_STATUS)) {
        end_loop(lift);
        const uint32_t seen = access->value & access->mask;
        if (seen != 0)
            see_interrupts(lift, access->line, seen);
        else {
            if (!lift->nothing_read)
                put_register(lift, OP_READ, access->line, address, 0, UINT32_MAX, false);
            lift->summary->volatile_reads++;
        }
        lift->nothing_read = seen == 0;
        return;
    }
    lift->nothing_read = false;
    const bool alone = access->checked || is_table_port(lift, address);
    if (loop->count > 0 && loop->address == address && !alone) {
        loop->changed |= loop->last ^ access->value;
        loop->last = access->value;
        loop->count++;
        return;
    }
    end_loop(lift);
    *loop = (struct loop){.address = address,
                          .last = access->value,
                          .count = 1,
                          .line = access->line,
                          .checked = access->checked,
                          .mask = access->mask};
    if (alone)
        end_loop(lift);
}

/* ---- writes ---- */

/* One line for each launch that has a cube, for the summary. */
static void list_layer(struct lift *lift, const struct launch *launch, uint64_t line) {
    struct cube cube;
    bool primary;
    autotext struct text text = {0};
    text_printf(&text, "%s %" PRIu64 ": %s group %d", source_place(lift->source), line, nvdla_unit_names[launch->unit],
                launch->group);
    const size_t cubes = text.n;
    if (launch_input_cube(lift->config, launch, &cube, &primary))
        text_printf(&text, ", reads %dx%dx%d at %s 0x%08" PRIx64, cube.width, cube.height, cube.channels,
                    memory_space_name(primary ? SPACE_PRIMARY : SPACE_SECONDARY), cube.base);
    if (launch_output_cube(lift->config, launch, &cube, &primary))
        text_printf(&text, ", writes %dx%dx%d at %s 0x%08" PRIx64, cube.width, cube.height, cube.channels,
                    memory_space_name(primary ? SPACE_PRIMARY : SPACE_SECONDARY), cube.base);
    put_record(
        lift,
        (struct record){.kind = RECORD_LAUNCH, .address = (uint32_t)launch->unit, .value = (uint32_t)launch->group},
        text.text + cubes);
    if (lift->summary->layers.count < LAYERS_LISTED)
        words_add(&lift->summary->layers, "%s", text.text);
    else
        lift->summary->layers_dropped++;
}

/* An upload of a look-up table: writes of its data port in a row. */
static void end_table(struct lift *lift) {
    if (lift->table_words > 0) {
        autofree char *text = xprintf("%" PRIu64 " entries of the look-up table of %s", lift->table_words,
                                      nvdla_unit_names[lift->table_unit]);
        put_note(lift, 0, text);
        lift->summary->tables++;
    }
    lift->table_words = 0;
}

/* The two tables of a unit, including the register writes that select them, are one upload, even if an interrupt is
 * served in between; any other register of the unit ends it. */
static void follow_table(struct lift *lift, const struct nvdla_register *reg) {
    const bool port = reg && (reg->unit == NVDLA_CDP || reg->unit == NVDLA_SDP) &&
                      (strcmp(reg->name, "S_LUT_ACCESS_DATA") == 0 || strcmp(reg->name, "S_LUT_ACCESS_CFG") == 0);
    if (lift->table_words > 0 && reg && (reg->unit == lift->table_unit ? !port : port))
        end_table(lift);
    if (!port)
        return;
    lift->table_unit = reg->unit;
    lift->table_words += strcmp(reg->name, "S_LUT_ACCESS_DATA") == 0;
}

/* True for units whose launches the driver counts as layers. */
static bool is_operation(enum nvdla_unit unit) {
    return nvdla_unit_interrupt(unit, 0) != 0;
}

/* In which group the capture begins to program each unit. */
static void follow_groups(struct lift *lift, const struct nvdla_register *reg, uint32_t value) {
    if (!reg || !unit_has_groups(lift->config, reg->unit))
        return;
    const uint32_t bit = UINT32_C(1) << reg->unit;
    if (strcmp(reg->name, "S_POINTER") == 0)
        lift->producers = value & 1 ? lift->producers | bit : lift->producers & ~bit;
    else if (reg->grouped && !(lift->programmed & bit)) {
        lift->programmed |= bit;
        lift->began_first |= bit & ~lift->producers;
    }
}

static void take_write(struct lift *lift, const struct access *access) {
    const struct nvdla_config *config = lift->config;
    const uint32_t address = (uint32_t)access->address;
    end_loop(lift);
    lift->nothing_read = false;
    lift->summary->writes++;
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    follow_table(lift, reg);
    const uint32_t value = relocate_write(lift->relocate, address, access->value);
    if (is_register(lift, address, NVDLA_GLB, GLB_S_INTR_STATUS)) {
        lift->pending &= ~value;
        lift->known &= ~value;
    }
    if (is_register(lift, address, NVDLA_GLB, GLB_S_INTR_MASK))
        lift->mask = value;
    const struct launch *launch = layer_tracker_write(lift->tracker, address, value, 0);
    follow_groups(lift, reg, value);
    if (launch) {
        int load, check;
        lift->summary->launches++;
        lift->summary->unawaited++;
        lift->summary->operations += is_operation(launch->unit);
        lift_memory_armed(lift->memory, launch, &load, &check);
        lift->running |= nvdla_unit_interrupt(launch->unit, launch->group);
        lift->ever |= nvdla_unit_interrupt(launch->unit, launch->group);
        const bool second = launch->group == 1 && !(lift->began_first >> launch->unit & 1);
        set_turn(lift, launch->unit, second, second);
        lift->armed |= UINT32_C(1) << launch->unit;
        put_slot(lift, load);
        list_layer(lift, launch, access->line);
        if (lift->summary->launches % KEPT_LAUNCHES == 0)
            layer_tracker_trim(lift->tracker, KEPT_LAUNCHES);
    }
    put_register(lift, OP_WRITE, access->line, address, value, UINT32_MAX, false);
}

/* ---- memory ---- */

typedef void part_taken(struct lift *lift, const struct access *part);

static void take_memory_part(struct lift *lift, const struct access *access) {
    struct lift_memory *memory = lift->memory;
    switch (access->kind) {
    case ACCESS_MEMORY_READ:
        lift_memory_read(memory, access->space, access->address, access->bytes, access->size);
        break;
    case ACCESS_MEMORY_WRITE:
        lift_memory_write(memory, access->space, access->address, access->bytes, access->enabled, access->size);
        break;
    default:
        put_slot(lift, lift_memory_put(memory, access->kind == ACCESS_MEMORY_LOAD ? OP_MEM_LOAD : OP_MEM_CHECK,
                                       access->space, access->address, access->bytes, access->size));
        break;
    }
}

/* Moves an access according to --map; splits it where the maps differ. */
static void take_memory(struct lift *lift, const struct access *access, part_taken *take) {
    for (uint32_t at = 0; at < access->size;) {
        uint64_t run;
        struct access part = *access;
        part.address = relocate_address(lift->relocate, access->address + at, &run);
        part.size = run < access->size - at ? (uint32_t)run : access->size - at;
        part.bytes = access->bytes + at;
        part.enabled = access->enabled ? access->enabled + at : NULL;
        take(lift, &part);
        at += part.size;
    }
}

/* checked: golden. */
static void take_image_part(struct lift *lift, const struct access *part) {
    lift_memory_image(lift->memory, part->space, part->address, part->bytes, part->size, part->checked);
}

static bool take_images(struct lift *lift) {
    for (size_t i = 0; i < lift->options->image_count; i++) {
        const struct lift_image *image = &lift->options->images[i];
        const char *option = image->golden ? "--golden" : "--mem";
        autofree char *bytes = NULL;
        size_t n;
        if (!file_read(image->path, &bytes, &n, lift->err))
            return error_prefix(lift->err, "%s: ", option);
        if (n > UINT32_MAX)
            return error_set(lift->err, "%s: %s: found %zu bytes, expected at most 4 GiB", option, image->path, n);
        const struct access content = {.checked = image->golden,
                                       .space = image->space,
                                       .address = image->address,
                                       .size = (uint32_t)n,
                                       .bytes = (const uint8_t *)bytes};
        take_memory(lift, &content, take_image_part);
    }
    return true;
}

/* ---- the whole program ---- */

static void take(struct lift *lift, const struct access *access) {
    switch (access->kind) {
    case ACCESS_WRITE:
        take_write(lift, access);
        break;
    case ACCESS_READ:
        take_read(lift, access);
        break;
    case ACCESS_UNTIL:
        end_loop(lift);
        lift->summary->untils++;
        see_interrupts(lift, access->line, access->value);
        break;
    case ACCESS_WAIT:
        end_loop(lift);
        put_record(lift, (struct record){.kind = OP_WAIT, .value = access->value, .line = line_of(access->line)}, NULL);
        break;
    case ACCESS_INTERRUPT:
        break; /* levels, not edges: only the driver's reads count */
    case ACCESS_HOLE:
        end_loop(lift);
        put_note(lift, access->line, access->text);
        break;
    case ACCESS_MEMORY_READ:
    case ACCESS_MEMORY_WRITE:
        *(access->kind == ACCESS_MEMORY_READ ? &lift->summary->memory_reads : &lift->summary->memory_writes) += 1;
        take_memory(lift, access, take_memory_part);
        break;
    case ACCESS_MEMORY_LOAD:
    case ACCESS_MEMORY_CHECK:
        end_loop(lift);
        take_memory(lift, access, take_memory_part);
        break;
    }
    if (lift->accesses && (access->kind == ACCESS_WRITE || access->kind == ACCESS_READ))
        fprintf(lift->accesses, "%c 0x%05" PRIx64 " 0x%08" PRIx32 "\n", access->kind == ACCESS_WRITE ? 'W' : 'R',
                access->address, access->value);
}

/* False with a message if the access is beyond the address space. */
static bool is_reachable(const struct lift *lift, const struct access *access) {
    const bool is_memory = access->kind == ACCESS_MEMORY_READ || access->kind == ACCESS_MEMORY_WRITE ||
                           access->kind == ACCESS_MEMORY_LOAD || access->kind == ACCESS_MEMORY_CHECK;
    if (!is_memory || access->address <= UINT64_MAX - access->size)
        return true;
    return error_set(lift->err,
                     "%s:%" PRIu64 ": found %" PRIu32 " bytes of memory at 0x%" PRIx64
                     ", expected them to end below 2^64; is the line damaged? Take it out to import the rest",
                     lift->options->title, access->line, access->size, access->address);
}

/* Finds units whose groups must be exchanged because a driver ran before the capture began. Adds a line to the
 * summary. */
static void find_exchanged(struct lift *lift) {
    autotext struct text units = {0};
    lift->turn_second &= lift->armed;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (lift->turn_second >> unit & 1)
            text_printf(&units, "%s%s", units.n ? ", " : "", nvdla_unit_names[unit]);
    if (units.n)
        words_add(&lift->summary->guessed,
                  "the capture begins with group 1 of %s: a driver ran before; after a reset it is group 0, so the "
                  "groups of these units are exchanged in the trace",
                  units.text);
}

static bool take_all(struct lift *lift) {
    struct access access;
    int more;
    for (uint64_t n = 1; (more = source_next(lift->source, &access, lift->err)) > 0; n++) {
        if (!is_reachable(lift, &access))
            return false;
        take(lift, &access);
        if (n % PROGRESS_ACCESSES == 0 && lift->options->progress)
            lift->options->progress(lift->options->context);
    }
    end_loop(lift);
    end_table(lift);
    find_exchanged(lift);
    const struct lift_summary *summary = lift->summary;
    if (more == 0 && summary->writes + summary->reads + summary->untils == 0)
        return error_set(lift->err,
                         "%s: found no access to the registers of NVDLA (read as %s; %" PRIu64
                         " accesses of other devices); is that the format, and where the registers are?",
                         lift->options->title, source_format(lift->source), source_notes(lift->source)->outside);
    const uint64_t done = source_notes(lift->source)->layers_done;
    if (more == 0 && done > lift->summary->operations)
        words_add(&lift->summary->incomplete,
                  "the driver says that %" PRIu64 " layers were done, the accesses arm %" PRIu64, done,
                  lift->summary->operations);
    return more == 0;
}

bool lift(struct source *source, const struct lift_options *options, struct lift_summary *summary, struct error *err) {
    *summary = (struct lift_summary){0};
    struct lift lift = {
        .options = options, .config = options->config, .source = source, .summary = summary, .err = err};
    autofree char *temporary = NULL;
    bool good = false;
    lift.relocate = relocate_new(options->config, options->maps, options->map_count, err);
    lift.records = lift.relocate ? tmpfile() : NULL;
    if (lift.relocate && !lift.records)
        error_set(err, "no temporary file can be created; is there space in TMPDIR?");
    if (lift.records && options->accesses) {
        temporary = xprintf("%s.part", options->accesses);
        lift.accesses = fopen(temporary, "w");
        if (!lift.accesses)
            error_set(err, "--accesses: %s cannot be written", options->accesses);
    }
    if (lift.records && (!options->accesses || lift.accesses)) {
        lift.memory = lift_memory_new(options->config);
        lift.tracker = layer_tracker_new(options->config);
        good = take_images(&lift) && take_all(&lift) && lift_write(&lift);
    }
    if (lift.accesses && fclose(lift.accesses) != 0 && good)
        good = error_set(err, "--accesses: %s cannot be written", options->accesses);
    if (temporary && (!good || rename(temporary, options->accesses) != 0))
        remove(temporary);
    if (lift.records)
        fclose(lift.records);
    relocate_free(lift.relocate);
    lift_memory_free(lift.memory);
    layer_tracker_free(lift.tracker);
    return good;
}

void lift_summary_free(struct lift_summary *summary) {
    words_free(&summary->guessed);
    words_free(&summary->incomplete);
    words_free(&summary->layers);
}
