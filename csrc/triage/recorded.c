/* Searches recorded streams. See recorded.h. */
#include "triage/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "observe/recorder.h"

static bool fits(int32_t wanted, int32_t is) {
    return wanted < 0 || wanted == is;
}

struct tap_reader *recorded_open(const char *folder, const struct tap_stream *stream) {
    char name[128];
    struct error err;
    recorder_file_name(stream, name, sizeof name);
    autofree char *path = xprintf("%s/%s", folder, name);
    return access(path, R_OK) == 0 ? tap_reader_open(path, &err) : NULL;
}

bool recorded_each(const char *folder, enum nvdla_unit unit, enum tap tap, int client, const struct wanted *wanted,
                   bool (*take)(void *context, const struct tap_element *element), void *context) {
    struct error err;
    struct tap_reader *reader = recorded_open(folder, &(struct tap_stream){.unit = unit, .tap = tap, .client = client});
    if (!reader)
        return false;
    struct tap_element element;
    while (tap_reader_next(reader, &element, &err) == TAP_READ_ELEMENT) {
        const struct tap_place *place = &element.at.place;
        if (fits(wanted->ordinal, element.at.stream.ordinal) && fits(wanted->channel, place->channel) &&
            fits(wanted->y, place->y) && fits(wanted->x, place->x) && fits(wanted->reduction, place->reduction) &&
            (place->batch < 0 || place->batch == wanted->batch) && !take(context, &element))
            break;
    }
    tap_reader_close(reader);
    return true;
}

struct taking {
    struct both *found;
    int side;
};

static bool take_first(void *context, const struct tap_element *element) {
    const struct taking *taking = context;
    taking->found->seen[taking->side] = true;
    taking->found->side[taking->side] = *element;
    return false;
}

struct both recorded_find(const struct triage_input *input, enum nvdla_unit unit, enum tap tap,
                          const struct wanted *wanted) {
    struct both found = {.seen = {false}};
    const char *const folders[SIDES] = {input->rtl, input->model};
    for (int side = 0; side < SIDES; side++) {
        const bool there =
            recorded_each(folders[side], unit, tap, 0, wanted, take_first, &(struct taking){&found, side});
        found.unknown = found.unknown || (side == 0 && !there);
    }
    return found;
}

void recorded_show(const char *name, const struct both *found, struct diagnosis *to) {
    char rtl[TAP_VALUE_TEXT] = "-", model[TAP_VALUE_TEXT] = "-", cycle[40] = "";
    if (!found->seen[0] && !found->seen[1])
        return;
    if (found->seen[1])
        tap_value_text(&found->side[1], model);
    if (found->seen[0])
        tap_value_text(&found->side[0], rtl);
    if (found->seen[0])
        snprintf(cycle, sizeof cycle, "  cycle %" PRIu64, found->side[0].at.place.cycle);
    const bool equal =
        found->unknown || (found->seen[0] == found->seen[1] && found->side[0].value == found->side[1].value);
    words_add(&to->evidence, "  %-24s RTL %12s   model %12s%s%s", name, rtl, model, equal ? "" : "  <-", cycle);
}

/* ---- memory: where a value was read from, and when ---- */

struct byte_search {
    uint64_t address, nearest; /* nearest: of those that were read, UINT64_MAX: none */
    bool seen;
    struct tap_element element;
};

static uint64_t distance(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

static bool take_address(void *context, const struct tap_element *element) {
    struct byte_search *search = context;
    const uint64_t at = element->at.place.address;
    if (at != search->address) {
        if (search->nearest == UINT64_MAX || distance(at, search->address) < distance(search->nearest, search->address))
            search->nearest = at;
        return true;
    }
    search->seen = true;
    search->element = *element;
    return false;
}

void recorded_show_read(const struct triage_input *input, enum nvdla_client client, const char *what, uint64_t address,
                        struct diagnosis *to) {
    struct byte_search search = {.address = address, .nearest = UINT64_MAX};
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    recorded_each(input->rtl, facts->unit, TAP_AXI_READ, facts->id,
                  &(struct wanted){.ordinal = -1, .channel = -1, .y = -1, .x = -1, .reduction = -1}, take_address,
                  &search);
    if (search.seen)
        words_add(&to->evidence, "  %s: 0x%" PRIx64 ", read at cycle %" PRIu64 " by %s: 0x%02x", what, address,
                  search.element.at.place.cycle, facts->name, (unsigned)(uint8_t)search.element.value);
    else if (search.nearest != UINT64_MAX)
        words_add(&to->evidence,
                  "  %s: 0x%" PRIx64 " is not among the reads of %s that were recorded; the nearest is 0x%" PRIx64,
                  what, address, facts->name, search.nearest);
    else
        words_add(&to->evidence, "  %s: 0x%" PRIx64 " (its read by %s was not recorded)", what, address, facts->name);
}
