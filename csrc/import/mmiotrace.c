/* Linux mmiotrace (80-trace-formats section 6.3): register accesses by physical address, of all devices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"

enum { FIELDS = 8, MAPS = 256 };

/* A current mapping. */
struct map {
    uint64_t id, physical, length;
};

struct state {
    struct map maps[MAPS];
    size_t count;
    bool guessed; /* the window has been reported */
};

static int likely(const char *text, size_t n) {
    const struct span head = {text, n};
    if (n >= 8 && memcmp(text, "VERSION ", 8) == 0)
        return 100;
    return span_find(head, "\nMAP ") && (span_find(head, "\nW 4 ") || span_find(head, "\nR 4 ")) ? 80 : 0;
}

static size_t split(struct span line, struct span fields[FIELDS]) {
    size_t count = 0;
    for (struct span word = span_token(&line); word.n && count < FIELDS; word = span_token(&line))
        fields[count++] = word;
    return count;
}

/* A malformed line of a known type. */
static int cut_line(struct source *source, struct error *err) {
    const uint64_t line = (uint64_t)source->lines.line;
    if (source->lines.cut) {
        source_drop(source, line, "the file ends inside this line: dropped");
        return 0;
    }
    return source_object(source, line, err, "a line of mmiotrace that cannot be read");
}

/* MAP ts id phys virt len pc pid */
static int take_map(struct source *source, const struct span *fields, size_t count, struct error *err) {
    struct state *state = source->state;
    struct map map;
    if (count < 6 || !span_number(fields[2], false, &map.id) || !span_hex(fields[3], &map.physical) ||
        !span_hex(fields[5], &map.length))
        return cut_line(source, err);
    if (state->count == MAPS)
        return source_fail(source, (uint64_t)source->lines.line, err, "more than %d mappings at a time", MAPS);
    state->maps[state->count++] = map;
    return 0;
}

static int take_unmap(struct source *source, const struct span *fields, size_t count, struct error *err) {
    struct state *state = source->state;
    uint64_t id;
    if (count < 3 || !span_number(fields[2], false, &id))
        return cut_line(source, err);
    for (size_t i = 0; i < state->count; i++)
        if (state->maps[i].id == id)
            state->maps[i--] = state->maps[--state->count];
    return 0;
}

/* The register window for accesses to this mapping: 1 with its base and size, 0: not NVDLA's, -1: error. */
static int find_window(struct source *source, uint64_t id, uint64_t *base, uint64_t *size, struct error *err) {
    struct state *state = source->state;
    const struct map *mine = NULL;
    size_t candidates = 0;
    if (source->options.has_base) {
        *base = source->options.base;
        *size = source->options.size ? source->options.size : REGISTER_SPACE;
        return 1;
    }
    for (size_t i = 0; i < state->count; i++) {
        const struct map *map = &state->maps[i];
        if (map->length < REGISTER_SPACE)
            continue;
        candidates++;
        if (map->id == id)
            mine = map;
    }
    if (!mine)
        return 0;
    if (candidates > 1) {
        autotext struct text list = {0};
        for (size_t i = 0; i < state->count; i++)
            if (state->maps[i].length >= REGISTER_SPACE)
                text_printf(&list, "%s0x%" PRIx64, list.n ? ", " : "", state->maps[i].physical);
        source_fail(
            source, (uint64_t)source->lines.line, err,
            "%zu mappings are large enough for the registers (at %s): give the physical address of the register "
            "window with --base",
            candidates, list.text);
        return -1;
    }
    if (!state->guessed)
        source_guess(source, (uint64_t)source->lines.line,
                     "the registers are at 0x%" PRIx64 ", the only mapping that is large enough", mine->physical);
    state->guessed = true;
    *base = mine->physical;
    *size = mine->length;
    return 1;
}

/* R|W width ts id phys value pc pid */
static int take_access(struct source *source, const struct span *fields, size_t count, struct access *access,
                       struct error *err) {
    const uint64_t line = (uint64_t)source->lines.line;
    uint64_t width, id, physical, value, base, size, offset;
    if (count < 6 || (source->lines.cut && count < 8) || !span_number(fields[1], false, &width) ||
        !span_number(fields[3], false, &id) || !span_hex(fields[4], &physical) || !span_hex(fields[5], &value))
        return cut_line(source, err);
    const int found = find_window(source, id, &base, &size, err);
    if (found < 0)
        return -1;
    if (found == 0 || !source_window(source, base, size, physical, &offset)) {
        source->notes.outside += found == 0;
        return 0;
    }
    if (width != 4 && width != 8)
        return source_object(source, line, err,
                             "an access of %" PRIu64 " bytes to the registers, expected 4 (or 8, which are two)",
                             width);
    const enum access_kind kind = fields[0].at[0] == 'W' ? ACCESS_WRITE : ACCESS_READ;
    *access = source_register(kind, line, offset, (uint32_t)value);
    source->has_more = width == 8;
    source->more = source_register(kind, line, offset + 4, (uint32_t)(value >> 32));
    return 1;
}

/* UNKNOWN ts id phys bytes pc pid */
static int take_unknown(struct source *source, const struct span *fields, size_t count, struct access *access,
                        struct error *err) {
    uint64_t id, physical, base, size, offset;
    if (count < 4 || !span_number(fields[2], false, &id) || !span_hex(fields[3], &physical))
        return cut_line(source, err);
    const int found = find_window(source, id, &base, &size, err);
    if (found <= 0 || !source_window(source, base, size, physical, &offset))
        return found < 0 ? -1 : 0;
    return source_hole(source, (uint64_t)source->lines.line, access, err,
                       "UNKNOWN access to the registers, at 0x%05" PRIx64 ": its value is not in the file", offset);
}

static int take_mark(struct source *source, struct span line, struct access *access, struct error *err) {
    const char *at = span_find(line, "Lost ");
    uint64_t lost;
    if (!at)
        return 0;
    struct span rest = {at + strlen("Lost "), (size_t)(line.at + line.n - at) - strlen("Lost ")};
    const struct span number = span_token(&rest);
    if (!span_number(number, false, &lost))
        return 0;
    return source_hole(source, (uint64_t)source->lines.line, access, err,
                       "Lost %" PRIu64 " events (of all devices; the mark comes later than the hole)", lost);
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct span line, fields[FIELDS];
    while (source_line(source, &line)) {
        const size_t count = split(line, fields);
        int status = 0;
        if (count == 0)
            continue;
        if (span_is(fields[0], "R") || span_is(fields[0], "W"))
            status = take_access(source, fields, count, access, err);
        else if (span_is(fields[0], "MAP"))
            status = take_map(source, fields, count, err);
        else if (span_is(fields[0], "UNMAP"))
            status = take_unmap(source, fields, count, err);
        else if (span_is(fields[0], "UNKNOWN"))
            status = take_unknown(source, fields, count, access, err);
        else if (span_is(fields[0], "MARK"))
            status = take_mark(source, line, access, err);
        else if (!span_is(fields[0], "VERSION") && !span_is(fields[0], "PCIDEV") && !span_is(fields[0], "LSPCI"))
            status = cut_line(source, err);
        if (status != 0)
            return status;
    }
    return 0;
}

const struct source_format source_mmiotrace = {"mmiotrace", "Linux mmiotrace",   likely, NULL, next, NULL,
                                               "line",      sizeof(struct state)};
