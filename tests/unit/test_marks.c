/* Marks in the waves: which launch is in flight, seen from outside and told by the design; AXI clients; texts.
 * Cases of marks.txt. */
#include "tb/observers/marks.h"

#include "nvdla/registers.h"
#include "tests/unit/axi_steps.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/test.h"

struct bench {
    const struct nvdla_config *config;
    struct provenance *prov;
    struct marks *marks;
    struct observer observer;
    struct axi_outputs out;
    struct axi_inputs in;
};

TEST_KEEPS(keep_provenance, struct provenance, provenance_free)

/* "small exact, ...": the design reports its layers. The marks keep a pointer to bench->prov. */
static void *begin(const char *title) {
    struct bench *bench = test_new(sizeof *bench);
    bench->config = title_config(title);
    bench->prov = keep_provenance(provenance_new(bench->config));
    bench->marks = marks_new(bench->config, &bench->prov, strstr(title, " exact,") != NULL);
    bench->observer = marks_observer(bench->marks);
    test_keep(bench->observer.context, bench->observer.release);
    bench->observer.reset(bench->marks);
    return bench;
}

/* The text of a mark, without the zeros in front. */
static void print_mark(struct bench *bench, const char *name, FILE *found) {
    size_t count;
    marks_update(bench->marks);
    const struct wave_mark *mark = marks_list(bench->marks, &count);
    for (; count > 0 && strcmp(mark->name, name) != 0; count--)
        mark++;
    assert_true(count > 0);
    char text[256] = "";
    size_t n = 0;
    for (int word = mark->count; word-- > 0;)
        for (int shift = 24; shift >= 0; shift -= 8)
            if (mark->words[word] >> shift & 0xff)
                text[n++] = (char)(mark->words[word] >> shift & 0xff);
    fputs(strcmp(text, " ") == 0 ? "blank" : text, found);
}

static bool register_step(struct bench *b, const struct step *step) {
    if (step_is(step, "read"))
        b->observer.read(b->marks, legal_write_of(b->config, step->word[1]).address,
                         legal_write_of(b->config, step->word[1]).value, 0);
    else if (step_is_writes(step))
        FOR_WRITES(b->config, step, {
            provenance_register_write(b->prov, write_.address, write_.value, 0);
            b->observer.write(b->marks, write_.address, write_.value, 0);
        })
    else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    static const char *const states[] = {
        [LAUNCH_TO_COME] = "to come", [LAUNCH_ARMED] = "armed", [LAUNCH_DONE] = "done"};
    struct bench *b = context;
    struct sampled now = {.out = {&b->out}, .in = {&b->in}};
    if (step_is(step, "mark"))
        print_mark(b, step->word[1], found);
    else if (step_is(step, "launch"))
        fputs(states[marks_launch(b->marks, NVDLA_SDP, atoi(step->word[1]))], found);
    else if (step_is(step, "starts") || step_is(step, "done"))
        marks_layer(b->marks, "TOP.tb_top.dut.u_sdp.u_regs",
                    step_is(step, "done") ? CHECK_LAYER_DONE : CHECK_LAYER_STARTS);
    else if (step_is(step, "port")) { /* the port moves; then nothing does */
        b->observer.port(b->marks, &now, 0);
        b->out = (struct axi_outputs){0};
        b->in = (struct axi_inputs){0};
    } else if (step_is(step, "clock"))
        b->observer.clock(b->marks, &now);
    else if (step_is(step, "take-w"))
        b->in.wready = true;
    else if (step_is(step, "note")) /* NUMBER NAME_NAME TEXT */
        marks_note(b->marks, step_number(step, 1), strcmp(step->word[2], "a_b") == 0 ? "a b" : step->word[2],
                   step->text + strlen(step->word[1]) + 1 + strlen(step->word[2]) + (step->count > 3));
    else
        return register_step(b, step) || axi_design_step(&b->out, step) || axi_memory_step(&b->in, step);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/marks.txt", &(struct steps_player){begin, act});
}
