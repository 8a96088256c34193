/* Random layers: the same bytes for the same seed, nothing illegal (convolutions: test_gen_conv.c), every corner drawn
 * at times, and shrinking. */
#include "tests/unit/trace_test.h"

#include "gen/gen.h"
#include "gen/rng.h"
#include "gen/shrink.h"
#include "layers/tracker.h"
#include "nvdla_offsets.h"
#include "tests/unit/gen_text.h"
#include "tests/unit/legal_program.h"
#include "tests/unit/random.h"

static const char *const engine_sets[] = {"conv", "img",   "sdp",    "pdp", "cdp",
                                          "bdma", "rubik", "deconv", "mix", "mix,corners"};
enum { SETS = sizeof engine_sets / sizeof engine_sets[0] };

/* Calls visit() for seeds 1 .. seeds of every configuration and every engine set that it has; twice as many where
 * layers have three precisions. */
static void each_case(uint64_t seeds, void (*visit)(struct gen_case *gen, const struct program *prog, void *context),
                      void *context) {
    for (int c = 0; c < nvdla_config_count; c++) {
        for (size_t set = 0; set < SETS; set++) {
            uint32_t engines = gen_engines(engine_sets[set]);
            if ((engines & GEN_ENGINES_ALL) != GEN_ENGINES_ALL && (engines & ~gen_config_engines(&nvdla_configs[c])))
                continue;
            for (uint64_t seed = 1; seed <= (nvdla_configs[c].fp16 ? 2 * seeds : seeds); seed++) {
                struct gen_case gen;
                struct error err = {.text = ""};
                gen_draw(&gen, &nvdla_configs[c], engines, seed);
                autoprogram struct program *prog = gen_build(&gen, "t.nvt", &err);
                if (!prog)
                    fail_msg("%s %s seed %d: %s", nvdla_configs[c].name, engine_sets[set], (int)seed, err.text);
                visit(&gen, prog, context);
            }
        }
    }
}

/* ---- random numbers -------------------------------------------------------------------------- */

TEST(numbers_are_those_of_splitmix64) {
    struct rng rng = {0};
    assert_true(rng_next(&rng) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(rng_next(&rng) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(rng_next(&rng) == UINT64_C(0x06c45d188009454f));
}

TEST(numbers_stay_in_range) {
    struct rng rng = rng_make(1, 2);
    for (int i = 0; i < 20000; i++) {
        int64_t value = rng_range(&rng, -3, 4), size = rng_size(&rng, 20, 8), number = rng_signed(&rng, 19);
        assert_true(value >= -3 && value <= 4);
        assert_true(size >= 1 && size <= 20);
        assert_true(number >= -(1 << 18) && number < 1 << 18);
    }
    assert_int_equal(rng_range(&rng, 5, 5), 5);
    assert_int_equal(rng_range(&rng, 5, 1), 5);
    rng_range(&rng, INT64_MIN, INT64_MAX);
}

TEST(shuffle_is_a_permutation) {
    struct rng rng = rng_make(3, 4);
    size_t order[20];
    bool seen[20] = {false};
    rng_shuffle(&rng, order, 20);
    for (size_t i = 0; i < 20; i++) {
        assert_true(order[i] < 20 && !seen[order[i]]);
        seen[order[i]] = true;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Rows of gen_names.txt: engines as words, and the name of the set, or "none". */
TEST(engine_names) {
    char *rest = test_text("tests/unit/gen_names.txt"), name[GEN_ENGINES_NAME];
    for (char *row; (row = test_row(&rest)) != NULL;) {
        const char *words = strsep(&row, "\t");
        const uint32_t engines = gen_engines(words);
        const char *found = engines ? gen_engines_name(engines, name, sizeof name) : "none";
        if (strcmp(found, row) != 0)
            fail_msg("'%s': found %s, expected %s", words, found, row);
    }
    assert_int_equal(gen_engines("pdp,sdp"), 1u << GEN_ENGINE_SDP | 1u << GEN_ENGINE_PDP);
    assert_int_equal(gen_engines("mix,corners"), GEN_ENGINES_ALL | GEN_CORNERS);
    assert_int_equal(gen_config_engines(nvdla_config_find("full")), GEN_ENGINES_ALL);
    assert_int_equal(gen_config_engines(nvdla_config_find("large")), gen_engines("conv,img,sdp,pdp,cdp"));
}

/* ---- the same every time --------------------------------------------------------------------- */

static void same_bytes(struct gen_case *gen, const struct program *prog, void *context) {
    (void)context;
    struct gen_case again, read;
    struct error err = {.text = ""};
    size_t n, m;
    char *text = nvt_text(prog, &n);
    /* drawn again */
    const char *engines = strcmp(gen->engines, "mix-corners") == 0 ? "mix,corners"
                          : strchr(gen->engines, '-')              ? "mix"
                                                                   : gen->engines;
    gen_draw(&again, gen->config, gen_engines(engines), gen->seed);
    struct program *second = gen_build(&again, "u.nvt", NULL);
    char *other = nvt_text(second, &m);
    assert_int_equal(n, m);
    assert_memory_equal(text, other, n);
    free(other);
    program_free(second);
    /* written and read */
    second = trace_parse(trace_read_nvt, "t.nvt", text, n, &(struct trace_options){0}, &err);
    if (!second)
        fail_msg("seed %d: %s", (int)gen->seed, err.text);
    assert_int_equal(second->warning_count, 0);
    other = nvt_text(second, &m);
    assert_int_equal(n, m);
    assert_memory_equal(text, other, n);
    free(other);
    free(text);
    /* the description in its comments */
    if (!gen_case_read(&read, second, &err))
        fail_msg("seed %d: %s", (int)gen->seed, err.text);
    assert_string_equal(read.engines, gen->engines);
    assert_true(read.seed == gen->seed && read.place == gen->place && read.expect_all == gen->expect_all);
    assert_int_equal(read.count, gen->count);
    assert_memory_equal(read.layers, gen->layers, (size_t)gen->count * sizeof gen->layers[0]);
    program_free(second);
}

TEST(a_seed_gives_the_same_trace_and_it_reads_back) {
    each_case(seeds_of(12), same_bytes, NULL);
}

TEST(seeds_and_configurations_differ) {
    struct gen_case a, b;
    gen_draw(&a, nvdla_config_find("small"), GEN_ENGINES_ALL, 1);
    gen_draw(&b, nvdla_config_find("small"), GEN_ENGINES_ALL, 2);
    assert_memory_not_equal(a.layers, b.layers, sizeof a.layers);
    gen_draw(&b, nvdla_config_find("large"), GEN_ENGINES_ALL, 1);
    assert_memory_not_equal(a.layers, b.layers, sizeof a.layers);
}

/* ---- legality ---- */

/* Before a group is programmed again, its unit's stream has waited for the layer two uses ago. */
static void groups_are_free_when_they_are_programmed(struct gen_case *gen, const struct program *prog) {
    char done[32][24]; /* event of the layer of each use, by unit and use */
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const struct nvdla_register *pointer = nvdla_register_find(gen->config, unit, "S_POINTER");
        const struct nvdla_register *enable = nvdla_register_find(gen->config, unit, "D_OP_ENABLE");
        int uses = 0;
        bool waited[GEN_LAYERS + 1] = {false};
        if (!pointer || !enable)
            continue;
        for (size_t i = 0; i < prog->count; i++) {
            const struct op *op = &prog->ops[i];
            int layer;
            if (op->kind == OP_SYNC_WAIT && strcmp(prog->streams[op->stream], nvdla_unit_names[unit]) == 0 &&
                sscanf(prog->events[op->event], "layer%d", &layer) == 1)
                waited[layer] = true;
            if (op->kind == OP_WRITE && op->address == enable->address)
                snprintf(done[uses++], sizeof done[0], "%zu", i);
            if (op->kind == OP_WRITE && op->address == pointer->address && uses >= 2) {
                /* the layer two uses ago: its final event is the first raised behind its D_OP_ENABLE */
                size_t armed = (size_t)strtoul(done[uses - 2], NULL, 10);
                int number = -1;
                for (size_t j = 0; j < armed; j++)
                    if (prog->ops[j].kind == OP_INTR_NOTIFY)
                        sscanf(prog->events[prog->ops[j].event], "layer%d", &number);
                assert_true(number >= 0 && waited[number]);
            }
        }
    }
}

/* Whenever something waits, the CMAC units and CACC of every layer whose data may pass are armed: if CDMA is armed, or
 * CSC with data and weights in CBUF. */
static void accumulators_are_armed_before_waits(struct gen_case *gen, const struct program *prog) {
    static const enum nvdla_unit units[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC};
    const uint32_t reuse = CSC_D_MISC_CFG__DATA_REUSE_MASK | CSC_D_MISC_CFG__WEIGHT_REUSE_MASK;
    const uint32_t skip = CSC_D_MISC_CFG__SKIP_DATA_RLS_MASK | CSC_D_MISC_CFG__SKIP_WEIGHT_RLS_MASK;
    const uint32_t misc = nvdla_register_find(gen->config, NVDLA_CSC, "D_MISC_CFG")->address;
    int armed[5] = {0};
    bool finds_all[GEN_LAYERS] = {false}; /* the n-th layer of CSC, in CBUF */
    size_t programmed = 0;
    uint32_t last = 0; /* D_MISC_CFG of the layer before */
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        for (int u = 0; op->kind == OP_WRITE && u < 5; u++)
            armed[u] += op->address == nvdla_register_find(gen->config, units[u], "D_OP_ENABLE")->address;
        if (op->kind == OP_WRITE && op->address == misc) {
            finds_all[programmed++] = (op->value & reuse) == reuse && (last & skip) == skip;
            last = op->value;
        }
        const int started = armed[1] > armed[0] && finds_all[armed[1] - 1] ? armed[1] : armed[0];
        if (op->kind == OP_SYNC_WAIT)
            assert_true(armed[2] >= started && armed[3] >= started && armed[4] >= started);
    }
}

/* ---- corners --------------------------------------------------------------------------------- */

struct corners {
    struct gen_condition *of_layers; /* gen_corners.txt */
    int both_groups;
    /* where there are three precisions, BDMA and RUBIK */
    int groups, above_4_gib, across_4_gib;
};

static void count_corners(struct gen_case *gen, const struct program *prog, struct corners *n) {
    int sdp = 0, conv = 0, launches = 0;
    for (struct gen_condition *corner = n->of_layers; corner->text; corner++)
        gen_count(corner, gen);
    for (int i = 0; i < gen->count; i++) {
        sdp += gen->layers[i].sdp != 0;
        conv += gen->layers[i].conv != 0;
        launches += gen->layers[i].bdma && !gen->layers[i].join;
    }
    n->both_groups += sdp > 2 && conv > 1;
    n->groups += launches > 2;
    for (size_t i = 0; gen->config->fp16 && i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        const bool region = op->kind == OP_MEM_FILL || op->kind == OP_MEM_LOAD;
        n->above_4_gib += region && op->base >> 32 != 0;
        n->across_4_gib += region && op->base >> 32 != (op->base + op->size - 1) >> 32;
    }
}

static void check_case(struct gen_case *gen, const struct program *prog, void *context) {
    if (gen->seed % 4 == 0)
        assert_legal(prog, gen->seed);
    groups_are_free_when_they_are_programmed(gen, prog);
    accumulators_are_armed_before_waits(gen, prog);
    count_corners(gen, prog, context);
}

/* One walk for all of them: building the cases is the work. */
TEST(cases_are_legal_and_corners_are_drawn) {
    struct corners n = {.of_layers = gen_conditions("tests/unit/gen_corners.txt")};
    const uint64_t all_seeds = 60, seeds = seeds_of(all_seeds);
    each_case(seeds, check_case, &n);
    if (seeds < all_seeds)
        return; /* too few for the corners */
    assert_drawn(n.of_layers, 4);
    assert_true(n.both_groups > 3 && n.groups > 3 && n.above_4_gib > 3 && n.across_4_gib > 3);
}

/* ---- damaged descriptions -------------------------------------------------------------------- */

/* Rows of gen_damaged.txt: the comments of a trace, a part of the message. */
TEST(damaged_descriptions_are_refused) {
    char *rest = test_text("tests/unit/gen_damaged.txt");
    for (char *row; (row = test_row(&rest)) != NULL;) {
        struct gen_case gen;
        struct error err = {.text = ""};
        const char *notes = unescaped(strsep(&row, "\t"));
        char *text = kept(xprintf("nvt 1\nconfig small\nmode streams\n%s", notes));
        autoprogram struct program *prog =
            trace_parse(trace_read_nvt, "t.nvt", text, strlen(text), &(struct trace_options){0}, &err);
        assert_non_null(prog);
        assert_false(gen_case_read(&gen, prog, &err));
        if (!strstr(err.text, row))
            fail_msg("found '%s', expected '%s'", err.text, row);
    }
}

/* A row of gen_refused.txt: a plain layer with these settings is refused with this message. */
TEST(illegal_layers_are_refused) {
    char *rest = test_text("tests/unit/gen_refused.txt");
    for (char *row; (row = test_row(&rest)) != NULL;) {
        struct gen_case gen = {.config = nvdla_config_find(strsep(&row, "\t")), .count = 1};
        const char *settings = strsep(&row, "\t"), *expected = strsep(&row, "\t");
        struct error err = {.text = ""};
        gen_layer_plain(&gen.layers[0]);
        gen_settings(&gen.layers[0], settings);
        if (gen_legal(&gen, &err) || !strstr(err.text, expected))
            fail_msg("%s: found '%s', expected '%s'", settings, err.text, expected);
        assert_null(gen_build(&gen, "t.nvt", &err));
    }
}

/* ---- shrinking ------------------------------------------------------------------------------- */

struct judge {
    struct gen_condition fails; /* of a layer */
    int calls;
};

static bool judge_case(void *context, struct program *prog) {
    struct judge *judge = context;
    struct gen_case gen;
    struct error err;
    judge->calls++;
    assert_true(gen_case_read(&gen, prog, &err));
    assert_true(gen_legal(&gen, &err));
    return gen_count(&judge->fails, &gen) > 0;
}

/* Shrinks the first seed with such a layer. */
static struct gen_case shrunk(const char *config, const char *engines, const char *fails) {
    struct judge judge = {.fails = gen_condition(fails)};
    struct shrink shrink = {.fails = judge_case, .context = &judge, .attempts = 800};
    struct gen_case gen;
    uint64_t seed = 1;
    do
        gen_draw(&gen, nvdla_config_find(config), gen_engines(engines), seed++);
    while (gen_count(&judge.fails, &gen) == 0 || gen.count < 3);
    shrink_case(&shrink, &gen);
    assert_true(gen_count(&judge.fails, &gen) > 0);
    assert_int_equal(judge.calls, 800 - shrink.attempts);
    assert_int_equal(gen.place, 0);
    return gen;
}

/* A row of gen_shrunk.txt: configuration, engines, the condition that fails, a condition that each layer meets. */
TEST(shrinking_finds_the_smallest_case) {
    char *rest = test_text("tests/unit/gen_shrunk.txt");
    for (char *row; (row = test_row(&rest)) != NULL;) {
        const char *config = strsep(&row, "\t"), *engines = strsep(&row, "\t"), *fails = strsep(&row, "\t");
        struct gen_case gen = shrunk(config, engines, fails);
        int layers = 0;
        for (const char *word; (word = strsep(&row, "\t")) != NULL; layers++) {
            const struct gen_condition expected = gen_condition(word);
            if (layers >= gen.count || !gen_holds(&expected, &gen, layers))
                fail_msg("%s: layer %d of %d, expected %s", fails, layers, gen.count, word);
        }
        assert_int_equal(gen.count, layers);
    }
}

TEST(shrinking_leaves_plain_layers) {
    const struct gen_case gen = shrunk("small", "mix", "pdp kernel_w>2");
    struct gen_layer plain;
    gen_layer_plain(&plain);
    gen_settings(&plain, "pdp=1 kernel_w=3 w=3");
    plain.seed = gen.layers[0].seed;
    plain.serial = gen.layers[0].serial;
    assert_int_equal(gen.count, 1);
    assert_memory_equal(&gen.layers[0], &plain, sizeof plain);
}

TEST(shrinking_keeps_to_its_attempts) {
    struct judge judge = {.fails = gen_condition("w>100000")};
    struct shrink shrink = {.fails = judge_case, .context = &judge, .attempts = 7};
    struct gen_case gen, before;
    gen_draw(&gen, nvdla_config_find("small"), GEN_ENGINES_ALL, 3);
    before = gen;
    shrink_case(&shrink, &gen);
    assert_int_equal(judge.calls, 7);
    assert_memory_equal(&gen, &before, sizeof gen);
}

/* A layer of PDP that pools, of any trace; and the rest must be a program on its own. */
static bool arms_pdp(void *context, struct program *prog) {
    int *calls = context;
    bool found = false;
    size_t n;
    struct error err;
    ++*calls;
    autofree char *text = nvt_text(prog, &n);
    struct program *again = trace_parse(trace_read_nvt, "t.nvt", text, n, &(struct trace_options){0}, &err);
    if (!again)
        fail_msg("%s", err.text);
    struct layer_tracker *layers = layer_tracker_new(again->config);
    for (size_t i = 0; i < again->count; i++)
        if (again->ops[i].kind == OP_WRITE)
            layer_tracker_write(layers, again->ops[i].address, again->ops[i].value, i);
    for (size_t i = 0; i < layer_tracker_count(layers); i++) {
        assert_int_equal(layer_tracker_launch(layers, i)->group, layer_tracker_launch(layers, i)->ordinal & 1);
        found = found || layer_tracker_launch(layers, i)->unit == NVDLA_PDP;
    }
    layer_tracker_free(layers);
    program_free(again);
    return found;
}

static void lose_layers(const char *config, const char *engines) {
    int cut = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct gen_case gen;
        gen_draw(&gen, nvdla_config_find(config), gen_engines(engines), seed);
        int with_pdp = 0, calls = 0;
        for (int i = 0; i < gen.count; i++)
            with_pdp += gen.layers[i].pdp != 0;
        autoprogram struct program *prog = gen_build(&gen, "t.nvt", NULL);
        if (with_pdp > 0) {
            struct shrink shrink = {.fails = arms_pdp, .context = &calls, .attempts = 60};
            shrink_program(&shrink, prog);
            assert_true(calls <= 60);
            assert_true(arms_pdp(&calls, prog));
            int left = 0;
            for (size_t i = 0; i < prog->count; i++)
                left += prog->ops[i].kind == OP_INTR_NOTIFY && strchr(prog->events[prog->ops[i].event], '_') == NULL;
            assert_int_equal(left, 1);
            cut += gen.count > 1;
        }
    }
    assert_true(cut > 5);
}

TEST(other_traces_lose_layers) {
    lose_layers("small", "sdp,pdp,cdp");
    lose_layers("full", "pdp,bdma,rubik");
}
