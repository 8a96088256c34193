/* The walk along the data path and the verdict; see triage.h. */
#include "triage/triage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/pairing.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "triage/beats.h"
#include "triage/evidence.h"
#include "triage/steps.h"

/* The engines that get values from another engine. unit: of the feeder, if the values may come from memory instead. */
static const struct feeding {
    enum nvdla_engine engine, feeder;
    enum nvdla_unit unit; /* NVDLA_UNIT_COUNT: never from memory */
} feedings[] = {{ENGINE_CSC, ENGINE_CDMA_DAT, NVDLA_UNIT_COUNT},
                {ENGINE_CMAC, ENGINE_CSC, NVDLA_UNIT_COUNT},
                {ENGINE_CACC, ENGINE_CMAC, NVDLA_UNIT_COUNT},
                {ENGINE_SDP, ENGINE_CACC, NVDLA_CACC},
                {ENGINE_PDP, ENGINE_SDP, NVDLA_SDP}};
enum { FEEDINGS = sizeof feedings / sizeof feedings[0] };

/* The feeding of an engine, or by it; NULL: none. */
static const struct feeding *find_feeding(enum nvdla_engine engine, bool by) {
    for (size_t i = 0; i < FEEDINGS; i++)
        if (nvdla_same_folder(by ? feedings[i].feeder : feedings[i].engine, engine))
            return &feedings[i];
    return NULL;
}

/* True if the RTL has a wrong write, but all that the next engine makes of these elements is right: then it is not they
 * that are wrong, but perhaps a row of the table of taps, or lanes that no engine uses. */
static bool is_doubtful(const struct triage_input *input, const struct walk *walk, const struct step_facts *found,
                        size_t at) {
    const struct feeding *by = find_feeding(walk->steps[at].engine, true);
    bool right = false;
    if (!input->wrong || input->hang || !found[at].passage || !by)
        return false;
    for (size_t i = 0; i < walk->count; i++) {
        if (!found[i].passage || !nvdla_same_folder(walk->steps[i].engine, by->engine))
            continue;
        if (found[i].value || (found[i].missing && found[i].difference.b_ended))
            return false;
        right = right || walk->steps[i].elements > 0;
    }
    return right;
}

/* The step with the first wrong element in time; on a tie the first of the path. */
static size_t first_value(const struct triage_input *input, const struct walk *walk, const struct step_facts *found) {
    size_t first = walk->count;
    for (size_t i = 0; i < walk->count; i++)
        if ((found[i].value || (found[i].missing && found[i].difference.b_ended)) &&
            !is_doubtful(input, walk, found, i) &&
            (first == walk->count || walk->steps[i].cycle < walk->steps[first].cycle))
            first = i;
    return first;
}

/* The first stream of the path in which the RTL has ended early. */
static size_t first_missing(const struct walk *walk, const struct step_facts *found) {
    size_t i = 0;
    while (i < walk->count && !(found[i].missing && found[i].difference.a_ended))
        i++;
    return i;
}

/* True if a stream that enters an engine was recorded, or it works on what it reads from memory. all: of the steps. */
static bool inputs_known(const struct triage_input *input, const struct walk *walk, const struct step_facts *all,
                         size_t at) {
    const struct walk_step *step = &walk->steps[at];
    const struct feeding *of = find_feeding(step->engine, false);
    const struct launch *launch =
        layer_tracker_find(input->launches, all[at].passage->unit, all[at].difference.b.at.stream.ordinal);
    bool known =
        !of || (of->unit != NVDLA_UNIT_COUNT && launch && !layer_tracker_feeder(input->launches, launch, of->unit));
    for (size_t i = 0; i < walk->count && !known; i++) {
        const enum nvdla_engine other = walk->steps[i].engine;
        known = walk->steps[i].elements > 0 &&
                (nvdla_same_folder(other, of->feeder) || (i < at && nvdla_same_folder(other, step->engine)) ||
                 (other == ENGINE_CBUF && step->engine == ENGINE_CSC));
    }
    return known;
}

static void blame_stream(const struct triage_input *input, size_t at, const struct step_facts *all,
                         struct diagnosis *diagnosis) {
    struct walk *walk = &diagnosis->walk;
    const struct walk_step *step = &walk->steps[at];
    const struct step_facts *found = &all[at];
    const struct tap_difference *d = &found->difference;
    char place[256], expected[TAP_VALUE_TEXT], got[TAP_VALUE_TEXT];
    walk->first = at;
    diagnosis->kind = DIAGNOSIS_VALUE;
    diagnosis->engine = step->engine;
    diagnosis->tap = xstrdup(step->stream);
    diagnosis->cycle = step->cycle;
    diagnosis->certainty = found->checked && found->checked->sure ? CERTAIN : LIKELY;
    if (found->checked) {
        diagnosis->element =
            found->checked->text[0] ? xstrdup(step->stream) : xprintf("address 0x%" PRIx64, found->checked->address);
        diagnosis->expected = xstrdup(found->checked->expected);
        diagnosis->got = xstrdup(found->checked->got);
        snprintf(walk->sentence, sizeof walk->sentence, "%s is to blame: %s, at cycle %" PRIu64 ": %s",
                 nvdla_engine_folder(step->engine), step->stream, step->cycle, step->text);
        return;
    }
    if (!found->value) {
        diagnosis->certainty = POSSIBLE;
        diagnosis->got = xstrdup(d->a_ended ? "nothing" : "an element");
        diagnosis->expected = xstrdup(d->a_ended ? "an element" : "nothing");
        snprintf(walk->sentence, sizeof walk->sentence, "%s is to blame: %s of the %s continues after the other ended",
                 nvdla_engine_folder(step->engine), step->stream, d->a_ended ? "model" : "RTL");
        return;
    }
    tap_element_text(&d->b, place, sizeof place);
    diagnosis->element = xstrdup(place);
    if (d->a.value == d->b.value) { /* its position or its flags are wrong */
        char instead[256], flags[2][24] = {"", ""};
        if (d->a.at.place.flags != d->b.at.place.flags) {
            snprintf(flags[0], sizeof flags[0], ", flags 0x%x", (unsigned)d->a.at.place.flags);
            snprintf(flags[1], sizeof flags[1], ", flags 0x%x", (unsigned)d->b.at.place.flags);
        }
        diagnosis->expected = xprintf("%s at %s%s", tap_value_text(&d->b, expected), place, flags[1]);
        diagnosis->got = xprintf("it at %s%s", tap_element_text(&d->a, instead, sizeof instead), flags[0]);
    } else {
        diagnosis->expected = xstrdup(tap_value_text(&d->b, expected));
        diagnosis->got = xstrdup(tap_value_text(&d->a, got));
    }
    diagnosis->or_before = !inputs_known(input, walk, all, at);
    diagnosis->certainty = diagnosis->or_before ? POSSIBLE : LIKELY;
    snprintf(walk->sentence, sizeof walk->sentence,
             "%s%s is to blame: its first wrong element is in %s, %s, at cycle %" PRIu64 ": expected %s, got %s%s",
             nvdla_engine_folder(step->engine), diagnosis->or_before ? " or an engine before it" : "", step->stream,
             place, step->cycle, diagnosis->expected, diagnosis->got,
             diagnosis->or_before ? "; no stream that enters it is known" : "");
    evidence(input, found->passage->unit, found->passage->tap, d, diagnosis);
}

static void blame_sign(const struct triage_sign *sign, enum diagnosis_kind kind, enum certainty certainty,
                       struct diagnosis *diagnosis) {
    diagnosis->kind = kind;
    diagnosis->certainty = certainty;
    diagnosis->engine = sign->engine;
    diagnosis->tap = sign->name[0] ? xstrdup(sign->name) : NULL;
    diagnosis->cycle = sign->cycle;
    snprintf(diagnosis->walk.sentence, sizeof diagnosis->walk.sentence, "%s is to blame: %s",
             nvdla_engine_folder(sign->engine), sign->text);
}

/* The last stream of an engine that has elements, all correct; walk->count: none. */
static size_t last_right(const struct triage_input *input, const struct walk *walk, const struct step_facts *found,
                         enum nvdla_engine engine) {
    size_t last = walk->count;
    for (size_t i = 0; i < walk->count; i++) {
        const struct walk_step *step = &walk->steps[i];
        const bool cut = input->stopped && found[i].missing && found[i].difference.a_ended;
        if (found[i].passage && step->elements > 0 && (step->state == WALK_EQUAL || cut) &&
            nvdla_same_folder(step->engine, engine))
            last = i;
    }
    return last;
}

/* The first check inside an engine that failed, not after that clock; NULL: none. */
static const struct triage_sign *first_check(const struct triage_input *input, enum nvdla_engine engine,
                                             uint64_t cycle) {
    const struct triage_sign *first = NULL;
    for (size_t i = 0; i < input->sign_count; i++) {
        const struct triage_sign *sign = &input->signs[i];
        if (sign->instance && nvdla_same_folder(sign->in, engine) && sign->cycle <= cycle &&
            (!first || sign->cycle < first->cycle))
            first = sign;
    }
    return first;
}

/* The check that failed first of all, if before the step and in another engine than the step names; else NULL. */
static const struct triage_sign *check_before(const struct triage_input *input, const struct walk_step *step) {
    const struct triage_sign *first = NULL;
    for (size_t i = 0; i < input->sign_count; i++) {
        const struct triage_sign *sign = &input->signs[i];
        if (sign->instance && sign->engine != ENGINE_COUNT && sign->cycle < step->cycle &&
            (!first || sign->cycle < first->cycle))
            first = sign;
    }
    return first && !nvdla_same_folder(first->engine, step->engine) ? first : NULL;
}

/* A check that failed before its consequences is the first sign, with its clock. */
static void set_check(const struct triage_sign *check, struct diagnosis *diagnosis) {
    free(diagnosis->tap);
    diagnosis->tap = xstrdup(check->name);
    diagnosis->element = xstrdup(check->instance);
    diagnosis->cycle = check->cycle;
    diagnosis->check = true;
}

/* If every known stream is correct, the client with the first wrong write names the engine: the error is after the last
 * correct stream, so no earlier engine caused it. Of padding no stream says anything. */
static void blame_write(const struct triage_input *input, const struct step_facts *found, struct diagnosis *diagnosis) {
    const struct triage_write *wrong = input->wrong;
    const struct walk *walk = &diagnosis->walk;
    const struct triage_sign *check = first_check(input, wrong->engine, wrong->cycle);
    const size_t right = wrong->padding ? walk->count : last_right(input, walk, found, wrong->engine),
                 before = wrong->padding ? walk->count : last_right(input, walk, found, wrong->feeder);
    autotext struct text text = {0};
    diagnosis->kind = DIAGNOSIS_VALUE;
    diagnosis->engine = wrong->engine;
    diagnosis->or_before = wrong->feeder != ENGINE_COUNT && right == walk->count && before == walk->count;
    diagnosis->certainty = diagnosis->or_before ? POSSIBLE : LIKELY;
    diagnosis->tap = xprintf("AXI_WRITE of %s", wrong->client);
    diagnosis->cycle = wrong->cycle;
    text_printf(&text, "%s%s is to blame", nvdla_engine_folder(wrong->engine),
                diagnosis->or_before ? " or an engine before it" : "");
    if (right < walk->count && passage_leaves(found[right].passage))
        text_printf(&text, ", between %s, which is right, and its write DMA", walk->steps[right].stream);
    else if (right < walk->count || before < walk->count)
        text_printf(&text, ", after %s, which is right", walk->steps[right < walk->count ? right : before].stream);
    if (check) {
        set_check(check, diagnosis);
        text_printf(&text, ": %s of %s fails first, at cycle %" PRIu64 ";", check->name, check->instance, check->cycle);
    } else
        text_printf(&text, ":");
    text_printf(&text, " client %s writes the first wrong beat, cycle %" PRIu64 ", address 0x%" PRIx64, wrong->client,
                wrong->cycle, wrong->address);
    if (diagnosis->or_before)
        text_printf(&text, wrong->padding ? "; the byte is padding of the last atom, which is in no stream"
                                          : "; no stream between them is known");
    else if (wrong->feeder == ENGINE_COUNT)
        text_printf(&text, "; its data comes from memory, no engine feeds it");
    snprintf(diagnosis->walk.sentence, sizeof diagnosis->walk.sentence, "%s", text.text);
}

/* The engine at the end of the chain of waits. If all its values left it, the missing data was lost after its last
 * stream. */
static void blame_hang(const struct triage_input *input, const struct step_facts *found, struct diagnosis *diagnosis) {
    const struct triage_sign *hang = input->hang;
    struct walk *walk = &diagnosis->walk;
    const struct triage_sign *check = first_check(input, hang->engine, hang->cycle);
    const size_t right = last_right(input, walk, found, hang->engine);
    autotext struct text text = {0};
    blame_sign(hang, DIAGNOSIS_HANG, LIKELY, diagnosis);
    for (size_t i = 0; i < walk->count && walk->first == walk->count; i++)
        if (walk->steps[i].state == WALK_SHORT && nvdla_same_folder(walk->steps[i].engine, diagnosis->engine))
            walk->first = i;
    text_printf(&text, "%s is to blame: ", nvdla_engine_folder(hang->engine));
    if (input->owed > 0 && right < walk->count && walk->steps[right].state == WALK_EQUAL &&
        passage_leaves(found[right].passage))
        text_printf(&text, "%" PRIu64 " atom%s lost between %s, which is right, and its write DMA; ", input->owed,
                    input->owed == 1 ? " was" : "s were", walk->steps[right].stream);
    if (check) {
        set_check(check, diagnosis);
        text_printf(&text, "%s of %s fails first, at cycle %" PRIu64 "; ", check->name, check->instance, check->cycle);
    }
    snprintf(walk->sentence, sizeof walk->sentence, "%s%s", text.text, hang->text);
}

/* The check of the register bus or of GLB that failed first, if before the step (NULL: at all). They see every access
 * and interrupt, so what they find is not the consequence of an engine's fault; an engine that gets a wrong one goes
 * wrong. */
static const struct triage_sign *control_before(const struct triage_input *input, const struct walk_step *step) {
    const struct triage_sign *first = NULL;
    for (size_t i = 0; i < input->sign_count; i++) {
        const struct triage_sign *sign = &input->signs[i];
        if (sign->instance && (!step || sign->cycle < step->cycle) &&
            (sign->engine == ENGINE_CSB || sign->engine == ENGINE_GLB) && (!first || sign->cycle < first->cycle))
            first = sign;
    }
    return first;
}

static void decide(const struct triage_input *input, const struct step_facts *found, struct diagnosis *diagnosis) {
    struct walk *walk = &diagnosis->walk;
    const size_t value = first_value(input, walk, found), missing = first_missing(walk, found);
    walk->first = walk->count;
    if (input->agrees) {
        snprintf(walk->sentence, sizeof walk->sentence, "%s", input->agrees);
        return;
    }
    if (input->strange) {
        blame_sign(input->strange, DIAGNOSIS_CHECK, LIKELY, diagnosis);
        return;
    }
    const struct triage_sign *control = control_before(input, value < walk->count ? &walk->steps[value] : NULL);
    if (control) {
        blame_sign(control, DIAGNOSIS_CHECK, LIKELY, diagnosis);
        return;
    }
    if (value < walk->count) {
        /* What passes the memory interface wrongly may be the fault of an engine that asks or takes wrongly. */
        const bool mif = found[value].checked && walk->steps[value].engine == ENGINE_MCIF;
        const struct triage_sign *check = mif ? check_before(input, &walk->steps[value]) : NULL;
        if (check)
            blame_sign(check, DIAGNOSIS_CHECK, LIKELY, diagnosis);
        else
            blame_stream(input, value, found, diagnosis);
        return;
    }
    if (input->hang && input->hang->engine != ENGINE_COUNT) {
        blame_hang(input, found, diagnosis);
        return;
    }
    if (missing < walk->count && !input->stopped) {
        blame_stream(input, missing, found, diagnosis);
        if (input->hang)
            diagnosis->kind = DIAGNOSIS_HANG;
        return;
    }
    if (input->wrong) {
        blame_write(input, found, diagnosis);
        return;
    }
    for (size_t i = 0; i < input->sign_count; i++) {
        if (input->signs[i].engine != ENGINE_COUNT) {
            blame_sign(&input->signs[i], DIAGNOSIS_CHECK, input->signs[i].instance ? LIKELY : POSSIBLE, diagnosis);
            return;
        }
    }
    snprintf(walk->sentence, sizeof walk->sentence, "no engine can be named: all recorded streams are equal");
}

/* The run stopped after the failure, so the RTL's streams end there. */
static void explain_ends(struct walk *walk, const struct step_facts *found) {
    for (size_t i = 0; i < walk->count; i++) {
        if (i == walk->first || !found[i].missing || !found[i].difference.a_ended)
            continue;
        walk->steps[i].state = walk->steps[i].elements > 0 ? WALK_EQUAL : WALK_UNSEEN;
        snprintf(walk->steps[i].text, sizeof walk->steps[i].text, "the run ended here");
    }
}

/* Says which differences were not believed. */
static void explain_doubts(const struct triage_input *input, struct walk *walk, const struct step_facts *found) {
    for (size_t i = 0; i < walk->count; i++) {
        char *text = walk->steps[i].text;
        const size_t n = strlen(text);
        if (found[i].value && i != walk->first && is_doubtful(input, walk, found, i))
            snprintf(text + n, sizeof walk->steps[i].text - n, "; doubted: the next engine's output is right");
    }
}

/* Adds the level of certainty to the sentence. */
static void say_level(const struct triage_input *input, struct diagnosis *diagnosis) {
    char *text = diagnosis->walk.sentence;
    const size_t n = strlen(text);
    if (diagnosis->engine == ENGINE_COUNT)
        return;
    if (input->open && diagnosis->certainty == LIKELY)
        diagnosis->certainty = POSSIBLE;
    snprintf(text + n, sizeof diagnosis->walk.sentence - n, " (%s)", certainty_names[diagnosis->certainty]);
}

bool triage(const struct triage_input *input, struct diagnosis *diagnosis, struct error *err) {
    struct walk *walk = &diagnosis->walk;
    autofree struct step_facts *found = NULL;
    const bool good = steps_look(input, walk, &found, err);
    if (good) {
        decide(input, found, diagnosis);
        say_level(input, diagnosis);
        if (diagnosis->cycle)
            beats_collect(input, walk, found, diagnosis->cycle, &diagnosis->beats);
        explain_doubts(input, walk, found);
        if (input->stopped)
            explain_ends(walk, found);
    }
    return good;
}
