/* Compares the streams of both sides along the data path. See steps.h. */
#include "triage/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "tap_streams.h"

/* The streams in the order of the data path, and the engine that produces each. */
static const struct passage path[] = {
#define PASSAGE(u, t, e) {NVDLA_##u, TAP_##t, ENGINE_##e},
    FOR_PASSAGES(PASSAGE)};
enum { PASSAGES = sizeof path / sizeof path[0] };

void steps_begin_with(const char *rtl, struct recorder *model) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        int first = -1;
        for (size_t i = 0; i < PASSAGES; i++) {
            char name[128];
            struct tap_element element;
            struct error err;
            recorder_file_name(&(struct tap_stream){.unit = path[i].unit, .tap = path[i].tap}, name, sizeof name);
            autofree char *file = xprintf("%s/%s", rtl, name);
            struct tap_reader *reader =
                path[i].unit == unit && access(file, F_OK) == 0 ? tap_reader_open(file, &err) : NULL;
            if (!reader)
                continue;
            if (tap_reader_next(reader, &element, &err) == TAP_READ_ELEMENT &&
                (first < 0 || element.at.stream.ordinal < first))
                first = element.at.stream.ordinal;
            tap_reader_close(reader);
        }
        if (first > 0)
            recorder_from(model, unit, first);
    }
}

static struct walk_step *add_step(struct walk *walk, enum nvdla_engine engine, const char *stream) {
    struct walk_step *step = xadd(walk->steps, walk->count);
    *step = (struct walk_step){.engine = engine, .stream = stream, .state = WALK_UNSEEN};
    return step;
}

/* True if a stream inside the RTL was recorded. */
static bool hears_inside(const struct triage_input *input) {
    bool found = false;
    for (size_t i = 0; i < PASSAGES && !found; i++) {
        char name[128];
        recorder_file_name(&(struct tap_stream){.unit = path[i].unit, .tap = path[i].tap}, name, sizeof name);
        autofree char *file = xprintf("%s/%s", input->rtl, name);
        found = access(file, F_OK) == 0;
    }
    return found;
}

/* A stream that only one side has; it may have no element there either. */
static bool look_at_one_side(const char *file, bool of_rtl, struct walk_step *step, struct step_facts *found,
                             struct error *err) {
    struct tap_element first;
    struct tap_reader *reader = tap_reader_open(file, err);
    if (!reader)
        return false;
    const enum tap_read read = tap_reader_next(reader, &first, err);
    tap_reader_close(reader);
    if (read != TAP_READ_ELEMENT)
        return read != TAP_READ_FAILED;
    step->state = WALK_SHORT;
    if (of_rtl)
        step->cycle = first.at.place.cycle;
    found->missing = true;
    found->difference = (struct tap_difference){.differs = true, .a_ended = !of_rtl, .b_ended = of_rtl};
    snprintf(step->text, sizeof step->text, "only the %s has elements here", of_rtl ? "RTL" : "model");
    return true;
}

/* Compares a stream of both sides. inside: see hears_inside. */
static bool look_at_stream(const struct triage_input *input, const struct passage *passage, bool inside,
                           struct walk_step *step, struct step_facts *found, struct error *err) {
    char name[128], place[256], expected[TAP_VALUE_TEXT], got[TAP_VALUE_TEXT];
    recorder_file_name(&(struct tap_stream){.unit = passage->unit, .tap = passage->tap}, name, sizeof name);
    autofree char *rtl = xprintf("%s/%s", input->rtl, name), *model = xprintf("%s/%s", input->model, name);
    bool good = true;
    const bool of_rtl = access(rtl, F_OK) == 0, of_model = access(model, F_OK) == 0;
    found->passage = passage;
    if (of_rtl && of_model) {
        struct tap_difference *d = &found->difference;
        good = tap_compare(rtl, model, d, err);
        step->elements = d->compared;
        step->state = !d->differs ? WALK_EQUAL : d->a_ended || d->b_ended ? WALK_SHORT : WALK_DIFFERS;
        found->value = good && step->state == WALK_DIFFERS;
        found->missing = good && step->state == WALK_SHORT;
        if (found->value || (found->missing && d->b_ended))
            step->cycle = d->a.at.place.cycle;
        if (found->value)
            snprintf(step->text, sizeof step->text, "%s: RTL %s, model %s",
                     tap_element_text(&d->b, place, sizeof place), tap_value_text(&d->a, got),
                     tap_value_text(&d->b, expected));
        else if (found->missing)
            snprintf(step->text, sizeof step->text, "the %s has no element after %" PRIu64,
                     d->a_ended ? "RTL" : "model", d->compared);
    } else if ((of_rtl || of_model) && inside) {
        good = look_at_one_side(of_rtl ? rtl : model, of_rtl, step, found, err);
    }
    return good;
}

static void look_at_passage(const struct triage_passage *passage, struct walk_step *step, struct step_facts *found) {
    found->checked = passage;
    step->state = passage->differs ? WALK_DIFFERS : passage->passes ? WALK_PASSED : WALK_EQUAL;
    step->elements = passage->compared;
    if (!passage->differs)
        return;
    found->value = true;
    step->cycle = passage->cycle;
    if (passage->text[0])
        snprintf(step->text, sizeof step->text, "%s", passage->text);
    else
        snprintf(step->text, sizeof step->text, "at address 0x%" PRIx64 " expected %s, got %s", passage->address,
                 passage->expected, passage->got);
}

static void add_passages(const struct triage_input *input, enum nvdla_unit before, struct walk *walk,
                         struct step_facts *found) {
    for (size_t i = 0; i < input->passage_count; i++) {
        const struct triage_passage *passage = &input->passages[i];
        if (passage->before == before) {
            struct walk_step *step = add_step(walk, passage->engine, passage->name);
            look_at_passage(passage, step, &found[walk->count - 1]);
        }
    }
}

bool steps_look(const struct triage_input *input, struct walk *walk, struct step_facts **facts, struct error *err) {
    struct step_facts *found = *facts = xcalloc(PASSAGES + input->passage_count, sizeof *found);
    const bool inside = hears_inside(input);
    bool good = true;
    for (size_t i = 0; i < PASSAGES && good; i++) {
        if (i == 0 || path[i].unit != path[i - 1].unit)
            add_passages(input, path[i].unit, walk, found);
        struct walk_step *step = add_step(walk, path[i].engine, tap_names[path[i].tap]);
        good = look_at_stream(input, &path[i], inside, step, &found[walk->count - 1], err);
    }
    add_passages(input, NVDLA_UNIT_COUNT, walk, found);
    return good;
}

bool passage_leaves(const struct passage *passage) {
    return passage + 1 == path + PASSAGES || passage[1].unit != passage->unit;
}
