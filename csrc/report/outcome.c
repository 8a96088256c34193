/* Judges the result of playing a trace. See outcome.h. */
#include "report/outcome.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "layers/pairing.h"
#include "nvdla/text.h"

/* ---- text and facts ---- */

int report_memories(const struct report *report, enum memory_space space, const struct memory *memories[PLAYED_MAX]) {
    int count = 0;
    for (int i = 0; i < report->input.played_count; i++)
        if (report_memory(report, i, space))
            memories[count++] = report_memory(report, i, space);
    return count;
}

const struct launch_output *report_output(const struct report *report, enum memory_space space, uint64_t address) {
    const struct memory *memories[PLAYED_MAX];
    const int count = report_memories(report, space, memories);
    return writers_find(report->writers, space, address, memories, count);
}

bool report_stopped(const struct report *report) {
    return report->input.played[0].result->outcome == PLAY_STOPPED;
}

void report_add(char *text, size_t size, const char *format, ...) {
    const size_t n = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + n, size - n, format, arguments);
    va_end(arguments);
}

/* Adds the number of a launch. */
static void add_ordinal(char *text, size_t size, int unit, int ordinal, struct named_launches *named) {
    named_add(named, unit, ordinal, strlen(text));
    report_add(text, size, "%d", ordinal);
}

void report_add_launch(char *text, size_t size, const struct launch *launch, struct named_launches *named) {
    report_add(text, size, "%s #", nvdla_unit_names[launch->unit]);
    add_ordinal(text, size, (int)launch->unit, launch->ordinal, named);
}

char *report_launch_name(const struct launch *launch, char *text, size_t size) {
    snprintf(text, size, "%s #%d", nvdla_unit_names[launch->unit], launch->ordinal);
    return text;
}

char *report_launch_position(const struct report *report, const struct launch *launch, char *text, size_t size) {
    return op_position(report->input.prog, &report->input.prog->ops[launch->tag], text, size);
}

char *report_element(const struct launch_output *output, uint64_t address, char *text, size_t size) {
    const struct cube *cube = &output->cube;
    struct cube_element element;
    char batch[24] = "", byte[16] = "";
    if (!cube_locate(cube, address, &element)) {
        snprintf(text, size, "elsewhere");
        return text;
    }
    if (output->block >= 0) {
        snprintf(text, size, "descriptor %d, surface %d, line %d, atom %d, byte %d", output->block, element.surface,
                 element.line, element.column, element.channel % cube->atom);
        return text;
    }
    if (cube->batches > 1)
        snprintf(batch, sizeof batch, "batch %d, ", element.batch);
    if (cube->element_bytes > 1)
        snprintf(byte, sizeof byte, ", byte %d", element.byte);
    snprintf(text, size, "%ssurface %d, line %d, column %d, channel %d%s%s", batch, element.surface, element.line,
             element.column, element.channel, byte,
             element.channel >= cube->channels ? " (padding of the last atom)"
             : element.column >= cube->width   ? " (past the end of the line)"
                                               : "");
    return text;
}

bool report_beat(const struct report *report, int played, enum memory_space space, uint64_t address,
                 const struct launch_output *output, struct partial_beat *beat) {
    const struct nvdla_config *config = report->input.prog->config;
    const struct memory *mem = report_memory(report, played, space);
    const int bits = space == SPACE_PRIMARY ? config->dbb_data_bits : config->cvsram_data_bits;
    struct memory_origin own = {.unit = -1}, origin;
    *beat = (struct partial_beat){.bytes = bits / 8};
    memory_origin_of(mem, address, &own);
    if (!output || bits == 0 || (own.unit == (int)output->launch->unit && own.ordinal == output->launch->ordinal))
        return false;
    beat->address = address - address % (uint64_t)beat->bytes;
    /* The last beat that wrote here. */
    for (int i = 0; i < beat->bytes; i++) {
        if (!memory_origin_of(mem, beat->address + (uint64_t)i, &origin) || origin.cycle == 0 ||
            origin.unit != (int)output->launch->unit || origin.ordinal != output->launch->ordinal ||
            origin.cycle < beat->origin.cycle)
            continue;
        if (origin.cycle > beat->origin.cycle)
            beat->strobe = 0;
        beat->origin = origin;
        beat->strobe |= UINT64_C(1) << i;
    }
    return beat->strobe != 0;
}

uint64_t report_cycle(const struct report *report, int played, enum memory_space space, uint64_t address,
                      const struct launch_output *output) {
    struct partial_beat beat;
    struct memory_origin origin;
    if (report_beat(report, played, space, address, output, &beat))
        return beat.origin.cycle;
    const bool written = memory_origin_of(report_memory(report, played, space), address, &origin);
    return written && origin.unit >= 0 ? origin.cycle : 0;
}

/* "bytes 0 to 2, 4 to 7" */
static void strobe_text(const struct partial_beat *beat, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "bytes");
    const char *before = " ";
    for (int i = 0; i < beat->bytes && n < size; i++) {
        int end = i;
        while (end < beat->bytes && beat->strobe >> end & 1)
            end++;
        if (end == i)
            continue;
        n += (size_t)snprintf(text + n, size - n, "%s%d", before, i);
        if (end - i > 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, " to %d", end - 1);
        before = ", ";
        i = end;
    }
}

void report_origin_named(const struct report *report, int played, enum memory_space space, uint64_t address,
                         const struct launch_output *output, char *text, size_t size, struct named_launches *named) {
    struct memory_origin origin;
    struct partial_beat beat;
    if (!memory_origin_of(report_memory(report, played, space), address, &origin)) {
        snprintf(text, size, "never written");
    } else if (origin.unit < 0) {
        snprintf(text, size, "loaded or filled by the trace, not written since");
    } else {
        snprintf(text, size, "written by %s", origin.unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[origin.unit] : "?");
        if (origin.ordinal >= 0) {
            report_add(text, size, " #");
            add_ordinal(text, size, origin.unit, origin.ordinal, named);
        }
        if (origin.cycle > 0)
            report_add(text, size, " at cycle %" PRIu64, origin.cycle);
        if (origin.axi_id >= 0)
            report_add(text, size, ", AXI ID %d", origin.axi_id);
    }
    if (report_beat(report, played, space, address, output, &beat)) {
        char bytes[300];
        strobe_text(&beat, bytes, sizeof bytes);
        report_add(text, size, "; the beat of ");
        report_add_launch(text, size, output->launch, named);
        report_add(text, size,
                   " at cycle %" PRIu64 ", AXI ID %d, to 0x%" PRIx64 " wrote %s of %d: its strobe left this byte out",
                   beat.origin.cycle, beat.origin.axi_id, beat.address, bytes, beat.bytes);
    }
}

char *report_origin(const struct report *report, int played, enum memory_space space, uint64_t address,
                    const struct launch_output *output, char *text, size_t size) {
    struct named_launches named = {.count = 0};
    report_origin_named(report, played, space, address, output, text, size, &named);
    return text;
}

char *report_strange_read(const struct report *report, const struct strange_read *read, char *text, size_t size) {
    char name[64];
    if (read->known)
        snprintf(text, size,
                 "%s reads 0x%08x, but it is 0x%08x for certain: nothing but writes of the trace changes bits 0x%08x",
                 nvdla_register_name(report->input.prog->config, read->address, name, sizeof name), (unsigned)read->got,
                 (unsigned)read->expected, (unsigned)read->bits);
    else
        snprintf(text, size,
                 "%s reads 0x%08x, but no field has bits 0x%08x: the register bus, or what drives its read data",
                 nvdla_register_name(report->input.prog->config, read->address, name, sizeof name), (unsigned)read->got,
                 (unsigned)read->bits);
    return text;
}

char *report_failure(const struct report *report, const struct played *played, const struct play_failure *failure,
                     char *text, size_t size) {
    const struct program *prog = report->input.prog;
    const struct op *op = &prog->ops[failure->op];
    char position[REPORT_POSITION], name[64], got[512], expected[512];
    op_position(prog, op, position, sizeof position);
    if (op->kind == OP_MEM_CRC) {
        snprintf(text, size,
                 "%s: CRC-32 of %s memory 0x%" PRIx64 ", 0x%" PRIx64 " bytes, is 0x%08x on the %s, expected 0x%08x",
                 position, memory_space_name(op->space), op->base, op->size, failure->got, played->dev->name,
                 failure->expected);
    } else if (op->kind == OP_MEM_CHECK) {
        snprintf(text, size, "%s: %" PRIu64 " %s of %s memory %s from %s on the %s, first at 0x%" PRIx64, position,
                 failure->count, text_plural(failure->count, "byte", "bytes"), memory_space_name(op->space),
                 text_plural(failure->count, "differs", "differ"),
                 op->blob->name ? text_shown_into(op->blob->name, got, sizeof got) : "the golden bytes",
                 played->dev->name, failure->first);
    } else {
        const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
        nvdla_register_name(prog->config, op->address, name, sizeof name);
        snprintf(text, size, "%s: %s is 0x%08x on the %s, expected 0x%08x", position, name, failure->got,
                 played->dev->name, failure->expected);
        size_t n = strlen(text);
        if (op->mask != UINT32_MAX && n < size)
            n += (size_t)snprintf(text + n, size - n, " under mask 0x%08x", op->mask);
        if (op->relation != RELATION_EQUAL && n < size)
            n += (size_t)snprintf(text + n, size - n, " (%s)",
                                  op->relation == RELATION_LESS_EQUAL ? "at most" : "at least");
        const uint32_t differing = (failure->got ^ failure->expected) & op->mask;
        if (reg && reg->field_count > 1 && n < size)
            snprintf(text + n, size - n, " (got %s; expected %s)",
                     nvdla_register_decode_bits(reg, failure->got, differing, got, sizeof got),
                     nvdla_register_decode_bits(reg, failure->expected, differing, expected, sizeof expected));
    }
    return text;
}

const struct launch *report_wrong_launch(const struct report *report) {
    const struct owner owner = report->input.wrong->beat.owner;
    return owner.unit < 0 ? NULL
                          : layer_tracker_find(report->input.launches, (enum nvdla_unit)owner.unit, owner.ordinal);
}

void report_wrong_named(const struct report *report, char *text, size_t size, struct named_launches *named) {
    static const char *const kinds[] = {[WRONG_OWNER] = "writes though no launch has anything left to write",
                                        [WRONG_OUTSIDE] = "writes outside its output",
                                        [WRONG_LEFT_OUT] = "skips a byte whose old value is not the expected one",
                                        [WRONG_VALUE] = "writes a wrong value"};
    const struct wrong_beat *wrong = report->input.wrong;
    const struct axi_beat *beat = &wrong->beat;
    const struct launch *launch = report_wrong_launch(report);
    const unsigned at = (unsigned)(wrong->address - beat->address);
    char element[256];
    snprintf(text, size, "first wrong beat at cycle %" PRIu64 ": %s port, AXI ID %d (%s): ", beat->cycle,
             memory_space_name((enum memory_space)beat->port), beat->id, nvdla_client_name(beat->id, true));
    if (launch)
        report_add_launch(text, size, launch, named);
    else
        report_add(text, size, "%s", beat->owner.unit < 0 ? "an unknown client" : nvdla_unit_names[beat->owner.unit]);
    report_add(text, size, " %s at 0x%" PRIx64, kinds[wrong->kind], wrong->address);
    if (report->wrong_output)
        report_add(text, size, ", %s", report_element(report->wrong_output, wrong->address, element, sizeof element));
    report_add(text, size, ": got 0x%02x", wrong->got[at]);
    if (wrong->known >> at & 1)
        report_add(text, size, ", expected 0x%02x", wrong->expected[at]);
    report_add(text, size, " (%d of %d bytes of the beat to 0x%" PRIx64 " %s wrong)",
               __builtin_popcountll(wrong->wrong), __builtin_popcountll(beat->strobe), beat->address,
               text_plural((uint64_t)__builtin_popcountll(wrong->wrong), "is", "are"));
}

char *report_wrong(const struct report *report, char *text, size_t size) {
    struct named_launches named = {.count = 0};
    report_wrong_named(report, text, size, &named);
    return text;
}

void report_warning_named(const struct report *report, const struct device_warning *warning, char *text, size_t size,
                          struct named_launches *named) {
    const struct launch *launch = layer_tracker_find(report->input.launches, warning->unit, warning->ordinal);
    char position[REPORT_POSITION] = "";
    if (launch)
        report_launch_position(report, launch, position, sizeof position);
    snprintf(text, size, "%s%s%s launch ", position, launch ? ": " : "", nvdla_unit_names[warning->unit]);
    add_ordinal(text, size, (int)warning->unit, warning->ordinal, named);
    report_add(text, size, ": %s", warning->text);
}

char *report_warning(const struct report *report, const struct device_warning *warning, char *text, size_t size) {
    struct named_launches named = {.count = 0};
    report_warning_named(report, warning, text, size, &named);
    return text;
}

/* Units whose launches may feed a layer, from the output back. */
static const enum nvdla_unit feeding_units[REPORT_FEEDERS] = {NVDLA_SDP,      NVDLA_CACC,     NVDLA_CSC,     NVDLA_CDMA,
                                                              NVDLA_SDP_RDMA, NVDLA_PDP_RDMA, NVDLA_CDP_RDMA};
int report_feeders(const struct report *report, const struct launch *launch,
                   const struct launch *feeders[REPORT_FEEDERS]) {
    int count = 0;
    for (int i = 0; i < REPORT_FEEDERS; i++) {
        feeders[count] = layer_tracker_feeder(report->input.launches, launch, feeding_units[i]);
        count += feeders[count] != NULL;
    }
    return count;
}

void report_each_register(const struct report *report, const struct launch *launch, int block,
                          void (*visit)(void *context, const struct nvdla_register *reg, uint32_t value),
                          void *context) {
    const struct nvdla_register_map *map = &nvdla_register_maps[report->input.prog->config->map];
    uint32_t base = nvdla_unit_base(report->input.prog->config, launch->unit);
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const uint32_t offset = reg->address - base;
        if (reg->unit == launch->unit && offset / 4 < launch->word_count)
            visit(context, reg,
                  block < 0 ? launch_register(launch, offset) : launch_block_register(launch, (size_t)block, offset));
    }
}

uint64_t report_window(uint64_t address) {
    const uint64_t row = address & ~(uint64_t)(REPORT_ROW - 1);
    return row >= REPORT_ROW ? row - REPORT_ROW : row;
}

struct memory *report_golden(const struct op *check) {
    struct memory *golden = memory_new();
    blob_write(golden, check->base, check->blob);
    return golden;
}

/* The name of a device for a file name. */
static void owner_text(const struct device *dev, char text[64]) {
    snprintf(text, 64, "%s", dev->name);
    for (char *c = text; *c; c++)
        if (*c == ':' || *c == '/')
            *c = '-';
}

char *report_area_dump(const struct report *report, const struct mismatch *mismatch, int played, char *text,
                       size_t size) {
    char owner[64];
    owner_text(report->input.played[played].dev, owner);
    snprintf(text, size, "%s_%08" PRIx64 "_%s.bin.gz", memory_space_name(mismatch->space), mismatch->base, owner);
    return text;
}

char *report_check_dump(const struct report *report, const struct op *check, const struct device *owner, char *text,
                        size_t size) {
    char name[64] = "golden";
    int number = 1;
    for (const struct op *op = report->input.prog->ops; op < check; op++)
        number += op->kind == OP_MEM_CHECK;
    if (owner)
        owner_text(owner, name);
    snprintf(text, size, "%s_%08" PRIx64 "_check%d_%s.bin.gz", memory_space_name(check->space), check->base, number,
             name);
    return text;
}

const char *report_outcome_text(enum play_outcome outcome) {
    switch (outcome) {
    case PLAY_PASSED:
        return "passed";
    case PLAY_CHECK_FAILED:
        return "failed";
    case PLAY_HUNG:
        return "hung";
    case PLAY_REFUSED:
        return "refused";
    case PLAY_STOPPED:
        return "stopped";
    case PLAY_BROKEN:
        break;
    }
    return "broken";
}

const char *report_status_text(enum report_status status) {
    static const char *const texts[] = {"PASS", "FAIL", "HANG", "REFUSED"};
    return texts[status];
}

/* ---- failed checks ---- */

/* The most useful failed memory check: one done while the trace ran, else that of the layer armed first. NULL if no
 * memory check failed. */
static const struct play_failure *first_memory_failure(const struct report *report, const struct play_result *result) {
    const struct play_failure *found = NULL;
    size_t found_tag = SIZE_MAX;
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct play_failure *failure = &result->failures[i];
        const struct op *op = &report->input.prog->ops[failure->op];
        if (op->kind != OP_MEM_CHECK)
            continue;
        if (!op->at_end)
            return found ? found : failure;
        const struct launch_output *output = report_output(report, op->space, failure->first);
        if (!found || (output && output->launch->tag < found_tag)) {
            found = failure;
            found_tag = output ? output->launch->tag : SIZE_MAX;
        }
    }
    return found;
}

const struct play_failure *report_first_failure(const struct report *report, int *played) {
    for (*played = 0; *played < report->input.played_count; ++*played) {
        const struct play_result *result = report->input.played[*played].result;
        const struct play_failure *first = result->failure_count > 0 ? &result->failures[0] : NULL;
        const enum op_kind kind = first ? report->input.prog->ops[first->op].kind : OP_NOTE;
        /* For a wrong CRC, golden bytes locate the error, if there are any. */
        const struct play_failure *memory =
            kind == OP_MEM_CRC || kind == OP_MEM_CHECK ? first_memory_failure(report, result) : NULL;
        if (first)
            return memory ? memory : first;
    }
    return NULL;
}

enum report_status report_status(const struct report *report) {
    return report->status;
}

void report_name_erratum(struct report *report, const char *text) {
    report_add(report->reason, sizeof report->reason, "; %s", text);
}

const char *report_reason(const struct report *report) {
    return report->reason;
}
