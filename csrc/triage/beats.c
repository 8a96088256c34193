/* Reads both sides of each stream side by side. See beats.h. */
#include "triage/beats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "triage/recorded.h"

enum { BEFORE = 12, BEHIND = 12 /* clocks */, ELEMENTS_MOST = 1 << 22 /* of a stream that is read for it */ };

/* The beat of an element; of several in a clock the first stays, unless a later one is the first that is wrong. */
static struct moved_element *beat_of(struct beat_row *row, uint64_t cycle, bool wrong) {
    struct moved_element *last = row->count > 0 ? &row->beats[row->count - 1] : NULL;
    if (!last || last->cycle != cycle) {
        last = xadd(row->beats, row->count);
    } else if (!wrong || last->expected) {
        return NULL;
    } else {
        free(last->value);
        free(last->place);
    }
    *last = (struct moved_element){.cycle = cycle};
    return last;
}

/* Adds an element with the model's, NULL: none. */
static void add_element(struct beat_row *row, const struct tap_element *rtl, const struct tap_element *model) {
    char text[256], value[TAP_VALUE_TEXT];
    const bool wrong = model && (model->value != rtl->value || model->at.place.flags != rtl->at.place.flags);
    struct moved_element *beat = beat_of(row, rtl->at.place.cycle, wrong);
    if (!beat)
        return;
    beat->value = xstrdup(tap_value_text(rtl, value));
    beat->expected = wrong ? xstrdup(tap_value_text(model, value)) : NULL;
    beat->place = xstrdup(tap_element_text(rtl, text, sizeof text));
}

/* Adds the address of an atom that a client reads; what the client reads wrongly is what `checked` says. */
static void add_address(struct beat_row *row, const struct tap_element *rtl, const struct triage_passage *checked) {
    const uint64_t address = rtl->at.place.address, cycle = rtl->at.place.cycle;
    struct moved_element *beat = beat_of(row, cycle, false);
    if (!beat)
        return;
    const bool wrong = checked && checked->differs && checked->cycle == cycle && checked->address == address;
    beat->value = xprintf("0x%" PRIx64, address);
    beat->expected = wrong ? xstrdup(checked->expected) : NULL;
    beat->place = xprintf("launch %d", rtl->at.stream.ordinal);
}

/* Reads a stream of the RTL, beside that of the model if there is one, up to the end of the window. */
static void read_row(struct tap_reader *rtl, struct tap_reader *model, const struct triage_passage *checked, bool reads,
                     const struct beat_rows *rows, struct beat_row *row) {
    struct tap_element of_rtl, of_model;
    struct error err;
    for (int n = 0; n < ELEMENTS_MOST && tap_reader_next(rtl, &of_rtl, &err) == TAP_READ_ELEMENT; n++) {
        const bool both = model && tap_reader_next(model, &of_model, &err) == TAP_READ_ELEMENT;
        const uint64_t cycle = of_rtl.at.place.cycle;
        if (cycle > rows->to)
            break;
        if (cycle >= rows->from && reads)
            add_address(row, &of_rtl, checked);
        else if (cycle >= rows->from)
            add_element(row, &of_rtl, both ? &of_model : NULL);
    }
}

/* Adds a row for a stream that moved in the window. */
static void add_row(const struct triage_input *input, const struct tap_stream *stream, enum nvdla_engine engine,
                    const char *name, const struct triage_passage *checked, struct beat_rows *rows) {
    struct beat_row row = {.engine = engine, .stream = name};
    struct tap_reader *rtl = recorded_open(input->rtl, stream);
    struct tap_reader *model = rtl && !tap_is_memory(stream->tap) ? recorded_open(input->model, stream) : NULL;
    if (rtl) {
        read_row(rtl, model, checked, tap_is_memory(stream->tap), rows, &row);
        tap_reader_close(rtl);
    }
    if (model)
        tap_reader_close(model);
    if (row.count == 0)
        return;
    *xadd(rows->rows, rows->count) = row;
}

/* The comparison of a client's addresses; NULL: none. */
static const struct triage_passage *addresses_of(const struct triage_input *input, enum nvdla_client client) {
    for (size_t i = 0; i < input->passage_count; i++)
        if (strncmp(input->passages[i].name, "addresses of ", 13) == 0 &&
            strcmp(input->passages[i].name + 13, nvdla_clients[client].name) == 0)
            return &input->passages[i];
    return NULL;
}

void beats_collect(const struct triage_input *input, const struct walk *walk, const struct step_facts *found,
                   uint64_t cycle, struct beat_rows *rows) {
    rows->from = cycle > BEFORE ? cycle - BEFORE : 0;
    rows->to = cycle + BEHIND;
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[client];
        const struct triage_passage *checked = addresses_of(input, client);
        if (checked)
            add_row(input, &(struct tap_stream){.unit = facts->unit, .tap = TAP_AXI_READ, .client = facts->id},
                    facts->engine, checked->name, checked, rows);
    }
    for (size_t i = 0; i < walk->count; i++)
        if (found[i].passage)
            add_row(input, &(struct tap_stream){.unit = found[i].passage->unit, .tap = found[i].passage->tap},
                    walk->steps[i].engine, walk->steps[i].stream, NULL, rows);
}
