/* The walk and the verdict, on streams made up for the purpose: which engine is named, why, and what speaks for it.
 * Cases of triage.txt. */
#include "observe/recorder.h"
#include "tests/unit/folder.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"
#include "triage/triage.h"

enum { RTL, MODEL, SIDES, ELEMENTS = 8, MOST = 2 };

struct bench {
    char *folder[SIDES];
    struct recorder *recorder[SIDES];
    struct layer_tracker *launches;
    struct triage_input input;
    struct triage_passage passages[MOST];
    struct triage_sign signs[MOST], hang;
    struct triage_write wrong;
    struct diagnosis found;
};

static void bench_release(struct bench *b) {
    for (int side = 0; side < SIDES; side++)
        free(b->folder[side]);
    layer_tracker_free(b->launches);
    diagnosis_free(&b->found);
}
TEST_KEEPS(bench_keep, struct bench, bench_release)

static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    (void)title;
    const char *root = folder_new();
    for (int side = 0; side < SIDES; side++) {
        struct error err;
        b->folder[side] = xprintf("%s/%s", root, side == RTL ? "rtl" : "model");
        assert_true(directory_make(b->folder[side], &err));
        b->recorder[side] = recorder_new(b->folder[side]);
    }
    b->launches = layer_tracker_new(nvdla_config_find("small"));
    b->found.engine = ENGINE_COUNT;
    return bench_keep(b);
}

/* The text behind KEY= up to the next key; "" without it. */
static char *value_of(const struct step *step, const char *key) {
    const char *at = step->text;
    const size_t n = strlen(key);
    while ((at = strstr(at, key)) != NULL && (at[n] != '=' || (at > step->text && at[-1] != ' ')))
        at += n;
    if (!at)
        return kept(xstrdup(""));
    char *value = kept(xstrdup(at + n + 1)), *next = strchr(value, '=');
    for (; next && next > value && *next != ' '; next--)
        continue;
    if (next)
        *next = '\0';
    return value;
}

/* The engine of a folder; "": none. */
static enum nvdla_engine engine_of(const char *folder) {
    enum nvdla_engine engine = 0;
    while (*folder && strcmp(nvdla_engine_folder(engine), folder) != 0)
        assert_true(++engine < ENGINE_COUNT);
    return *folder ? engine : ENGINE_COUNT;
}

static uint64_t cycle_of(const struct step *step) {
    return strtoull(value_of(step, "cycle"), NULL, 0);
}

/* Records a stream of 8 elements, one a beat, 10 clocks apart from a cycle on; of the RTL one is one too high, and only
 * the first `count` come. */
static void record(struct bench *b, const struct step *step) {
    const char *wrong = value_of(step, "wrong"), *count = value_of(step, "count");
    struct tap_stream stream = {.unit = nvdla_unit_find(step->word[1]), .format = TAP_INT32, .width = 32};
    while (strcmp(tap_names[stream.tap], step->word[2]) != 0)
        assert_true(++stream.tap < TAP_COUNT);
    for (int side = 0; side < SIDES; side++) {
        const struct tap_listener listener = recorder_listener(b->recorder[side]);
        const struct tap_sink sink = listener.open(listener.context, &stream);
        for (int i = 0; i < (side == RTL && *count ? atoi(count) : ELEMENTS); i++) {
            const int32_t value = 100 + i + (side == RTL && *wrong && i == atoi(wrong));
            const struct tap_place place = {.channel = i, .cycle = side == RTL ? cycle_of(step) + 10 * (uint64_t)i : 0};
            sink.elements(sink.context, &stream, &place, &value, 1, 1, 1);
        }
    }
}

/* One weight, which the RTL has for another kernel. */
static void record_elsewhere(struct bench *b) {
    for (int side = 0; side < SIDES; side++) {
        const struct tap_stream stream = {.unit = NVDLA_CSC, .tap = TAP_CSC_WT, .format = TAP_INT8, .width = 8};
        const struct tap_listener listener = recorder_listener(b->recorder[side]);
        const struct tap_sink sink = listener.open(listener.context, &stream);
        const struct tap_place place = {.channel = side == RTL ? 6 : 1, .cycle = side == RTL ? 900 : 0};
        sink.elements(sink.context, &stream, &place, &(int8_t){7}, 1, 1, 1);
    }
}

static struct triage_sign sign_of(const struct step *step) {
    const char *instance = value_of(step, "instance");
    struct triage_sign sign = {.engine = engine_of(value_of(step, "engine")),
                               .in = engine_of(value_of(step, "in")),
                               .instance = *instance ? instance : NULL,
                               .cycle = cycle_of(step)};
    snprintf(sign.name, sizeof sign.name, "%s", value_of(step, "name"));
    snprintf(sign.text, sizeof sign.text, "%s", value_of(step, "text"));
    return sign;
}

static void add_passage(struct bench *b, const struct step *step) {
    struct triage_passage *passage = &b->passages[b->input.passage_count++];
    const char *before = value_of(step, "before");
    assert_true(b->input.passage_count <= MOST);
    *passage = (struct triage_passage){.engine = engine_of(value_of(step, "engine")),
                                       .name = value_of(step, "name"),
                                       .before = *before ? nvdla_unit_find(before) : NVDLA_UNIT_COUNT,
                                       .sure = *value_of(step, "sure") == '1',
                                       .differs = cycle_of(step) > 0,
                                       .cycle = cycle_of(step),
                                       .address = strtoull(value_of(step, "address"), NULL, 0)};
    snprintf(passage->expected, sizeof passage->expected, "%s", value_of(step, "expected"));
    snprintf(passage->got, sizeof passage->got, "%s", value_of(step, "got"));
    snprintf(passage->text, sizeof passage->text, "%s", value_of(step, "text"));
}

static const char *or_none(const char *text) {
    return text ? text : "none";
}

/* The verdict: kind, engine, "or before", sign and cycle. */
static void conclude(struct bench *b, const struct step *step, FILE *found) {
    struct error err;
    for (int side = 0; side < SIDES; side++)
        assert_true(recorder_close(b->recorder[side], &err));
    b->input.config = nvdla_config_find("small");
    b->input.launches = b->launches;
    b->input.rtl = b->folder[RTL];
    b->input.model = b->folder[MODEL];
    b->input.passages = b->passages;
    b->input.signs = b->signs;
    b->input.stopped = *value_of(step, "stopped") == '1';
    b->input.owed = strtoull(value_of(step, "owed"), NULL, 0);
    assert_true(triage(&b->input, &b->found, &err));
    fprintf(found, "%s %s%s, %s at %" PRIu64 ", %s", diagnosis_kind_names[b->found.kind],
            or_none(nvdla_engine_folder(b->found.engine)), b->found.or_before ? " or before" : "",
            or_none(b->found.tap), b->found.cycle, certainty_names[b->found.certainty]);
}

/* Clocks of the beats around the first sign, with what was expected of those that differ. */
static void print_beats(const struct beat_rows *beats, FILE *found) {
    for (size_t i = 0; i < beats->count; i++) {
        const struct beat_row *row = &beats->rows[i];
        fprintf(found, "%s%s", i ? ", " : "", row->stream);
        for (size_t k = 0; k < row->count; k++)
            fprintf(found, " %" PRIu64 "%s%s", row->beats[k].cycle, row->beats[k].expected ? ":" : "",
                    row->beats[k].expected ? row->beats[k].expected : "");
    }
}

static void print_walk(const struct walk *walk, FILE *found) {
    const char *between = "";
    for (size_t i = 0; i < walk->count; i++) {
        const struct walk_step *at = &walk->steps[i];
        if (!*at->text && i != walk->first)
            continue;
        fprintf(found, "%s%s%s %s (%s)", between, i == walk->first ? "*" : "", nvdla_engine_folder(at->engine),
                at->stream, at->text);
        between = ", ";
    }
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    const struct diagnosis *diagnosis = &b->found;
    if (step_is(step, "stream"))
        record(b, step);
    else if (step_is(step, "elsewhere"))
        record_elsewhere(b);
    else if (step_is(step, "passage"))
        add_passage(b, step);
    else if (step_is(step, "sign")) {
        assert_true(b->input.sign_count < MOST);
        b->signs[b->input.sign_count++] = sign_of(step);
    } else if (step_is(step, "hang")) {
        b->hang = sign_of(step);
        b->input.hang = &b->hang;
    } else if (step_is(step, "write")) {
        b->wrong = (struct triage_write){.engine = engine_of(value_of(step, "engine")),
                                         .client = value_of(step, "client"),
                                         .feeder = engine_of(value_of(step, "feeder")),
                                         .cycle = cycle_of(step),
                                         .address = 64,
                                         .padding = *value_of(step, "padding") == '1'};
        b->input.wrong = &b->wrong;
    } else if (step_is(step, "conclude"))
        conclude(b, step, found);
    else if (step_is(step, "sentence"))
        fputs(diagnosis->walk.sentence, found);
    else if (step_is(step, "element"))
        fprintf(found, "%s: %s, %s", or_none(diagnosis->element), or_none(diagnosis->expected),
                or_none(diagnosis->got));
    else if (step_is(step, "walk"))
        print_walk(&diagnosis->walk, found);
    else if (step_is(step, "beats"))
        print_beats(&diagnosis->beats, found);
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/triage.txt", &(struct steps_player){begin, act});
}
