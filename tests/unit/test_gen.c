/* Random layers: the same bytes for the same seed, nothing illegal (convolutions: test_gen_conv.c), every corner drawn
 * at times, and shrinking. */
#include "tests/unit/trace_test.h"

#include "gen/gen.h"
#include "gen/rng.h"
#include "gen/shrink.h"
#include "layers/tracker.h"
#include "nvdla_offsets.h"
#include "tests/unit/legal_program.h"
#include "tests/unit/random.h"

static const char *const engine_sets[] = {"conv", "img",   "sdp",    "pdp", "cdp",
                                          "bdma", "rubik", "deconv", "mix", "mix,corners"};
enum { SETS = sizeof engine_sets / sizeof engine_sets[0] };

/* Calls visit() for seeds 1 .. seeds of every configuration and every engine set that it has; twice as many where
 * layers have three precisions. */
static void each_case(uint64_t seeds,
                      void (*visit)(const struct gen_case *gen, const struct program *prog, void *context),
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
                struct program *prog = gen_build(&gen, "t.nvt", &err);
                if (!prog)
                    fail_msg("%s %s seed %d: %s", nvdla_configs[c].name, engine_sets[set], (int)seed, err.text);
                visit(&gen, prog, context);
                program_free(prog);
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

TEST(engine_names) {
    char text[40], longest[GEN_ENGINES_NAME];
    assert_int_equal(gen_engines("mix"), GEN_ENGINES_ALL);
    assert_int_equal(gen_engines("sdp"), 1u << GEN_ENGINE_SDP);
    assert_int_equal(gen_engines("pdp,sdp"), 1u << GEN_ENGINE_SDP | 1u << GEN_ENGINE_PDP);
    assert_int_equal(gen_engines(""), 0);
    assert_int_equal(gen_engines("sdp,"), 0);
    assert_int_equal(gen_engines("sdp,sdp"), 0);
    assert_int_equal(gen_engines("sd"), 0);
    assert_int_equal(gen_engines("mix,sdp"), 0);
    assert_int_equal(gen_engines("mix,corners"), GEN_ENGINES_ALL | GEN_CORNERS);
    assert_int_equal(gen_engines("sdp,corners"), 1u << GEN_ENGINE_SDP | GEN_CORNERS);
    assert_int_equal(gen_engines("sdp,corners,pdp"), 0);
    assert_int_equal(gen_engines(",corners"), 0);
    assert_string_equal(gen_engines_name(gen_engines("pdp,sdp,corners"), text, sizeof text), "sdp-pdp-corners");
    assert_string_equal(gen_engines_name(GEN_ENGINES_ALL, text, sizeof text), "mix");
    assert_string_equal(gen_engines_name(gen_engines("pdp,sdp"), text, sizeof text), "sdp-pdp");
    assert_string_equal(gen_engines_name(gen_engines("conv,img,sdp,pdp"), text, sizeof text), "conv-img-sdp-pdp");
    assert_string_equal(gen_engines_name(gen_engines("rubik,bdma,deconv"), text, sizeof text), "bdma-rubik-deconv");
    assert_string_equal(gen_engines_name(gen_engines("img,sdp,pdp,cdp,bdma,rubik,deconv"), longest, sizeof longest),
                        "img-sdp-pdp-cdp-bdma-rubik-deconv");
    assert_int_equal(gen_config_engines(nvdla_config_find("full")), GEN_ENGINES_ALL);
    assert_int_equal(gen_config_engines(nvdla_config_find("large")), gen_engines("conv,img,sdp,pdp,cdp"));
}

/* ---- the same every time --------------------------------------------------------------------- */

static void same_bytes(const struct gen_case *gen, const struct program *prog, void *context) {
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
static void groups_are_free_when_they_are_programmed(const struct gen_case *gen, const struct program *prog) {
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
static void accumulators_are_armed_before_waits(const struct gen_case *gen, const struct program *prog) {
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
    int single, partial_channels, partial_kernels, one_kernel, dilation, stride, pad, split, fused_pdp, conv_pdp,
        linked, residual, in_place, slid, data_kept, weights_kept, post, two_planes, interleaved, secondary,
        tables_shared, both_groups, wide, serial, parallel, full_pads;
    /* where there are three precisions, BDMA and RUBIK */
    int precision[3], in_convert, out_convert, ew, ew_convertors, ew_memory, table, table_shared, compares,
        unequal_self, pdp_float, cdp_wide, cdp_float, special, mixed, groups, joined, many_parts, replicated,
        four_memories[4], rubik[3], many_phases, merged_split, contracted, status, above_4_gib, across_4_gib;
};

static void count_wide_corners(const struct gen_case *gen, const struct program *prog, struct corners *n) {
    int launches = 0;
    for (int i = 0; i < gen->count; i++) {
        const struct gen_layer *l = &gen->layers[i];
        const struct gen_stage *ew = &l->ew;
        n->precision[l->precision]++;
        n->in_convert += l->in_convert != 0;
        n->out_convert += l->out_convert != 0;
        n->ew += ew->on && ew->alu && ew->mul;
        n->ew_memory += ew->on && ew->alu && ew->alu_memory && ew->mul && ew->mul_memory;
        n->ew_convertors +=
            ew->on && ((ew->alu && ew->alu_memory && ew->alu_cvt) || (ew->mul && ew->mul_memory && ew->mul_cvt));
        n->table += ew->on && ew->lut && l->lut;
        n->table_shared += ew->on && ew->lut && !l->lut;
        n->compares += ew->on && ew->alu && ew->algorithm == 3;
        n->unequal_self += ew->on && ew->alu && ew->algorithm == 3 && ew->source && ew->source == l->source;
        n->pdp_float += l->pdp && l->precision == NVDLA_FP16 && l->method == 0;
        n->cdp_wide += l->cdp && l->precision == NVDLA_INT16;
        n->cdp_float += l->cdp && l->precision == NVDLA_FP16;
        n->special += l->precision == NVDLA_FP16 && l->in_data == STYLE_SPECIAL;
        n->mixed += i > 0 && l->precision != gen->layers[i - 1].precision && l->source == i;
        launches += l->bdma && !l->join;
        n->joined += l->join != 0;
        n->many_parts += l->parts > 8;
        n->replicated += l->replicate && l->h > 1;
        if (l->bdma && !l->source)
            n->four_memories[l->in_space + 2 * l->out_space]++;
        if (l->rubik)
            n->rubik[l->rubik - 1]++;
        n->many_phases += l->rubik == 1 && l->deconv_x > 8;
        n->merged_split += l->rubik == 3 && l->source;
        n->contracted += l->rubik == 1 && l->source;
        n->status += l->status != 0;
    }
    n->groups += launches > 2;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        bool region = op->kind == OP_MEM_FILL || op->kind == OP_MEM_LOAD;
        n->above_4_gib += region && op->base >> 32 != 0;
        n->across_4_gib += region && op->base >> 32 != (op->base + op->size - 1) >> 32;
    }
}

static void count_corners(const struct gen_case *gen, const struct program *prog, struct corners *n) {
    const struct nvdla_config *config = gen->config;
    if (config->fp16)
        count_wide_corners(gen, prog, n);
    int layers[NVDLA_UNIT_COUNT] = {0};
    for (int i = 0; i < gen->count; i++) {
        const struct gen_layer *l = &gen->layers[i];
        n->single += l->w == 1 && l->h == 1 && l->c == 1;
        n->partial_channels += l->c % config->mem_atom != 0 && l->c > config->mem_atom;
        n->partial_kernels += l->conv && l->k % config->atomic_k != 0 && l->k > config->atomic_k;
        n->one_kernel += l->conv && l->k == 1;
        n->dilation += l->dilation_x > 1 && l->dilation_y > 1;
        n->stride += l->stride_x > 2 && l->stride_y > 2 && l->stride_x != l->stride_y;
        n->pad += l->pad_left && l->pad_top && l->pad_right && l->pad_bottom;
        n->full_pads += l->pdp && l->pool_left && l->pool_left == l->kernel_w - 1 && l->pool_right == l->pool_left;
        n->split += l->splits > 2;
        n->fused_pdp += l->sdp && l->pdp && !l->conv;
        n->conv_pdp += l->conv && l->pdp;
        n->linked += l->source != 0;
        n->residual += l->bs.source || l->bn.source;
        n->in_place += l->in_place != 0;
        n->data_kept += l->reuse_data && i > 0 && gen->layers[i - 1].conv && gen->layers[i - 1].skip_data;
        n->slid += l->reuse_data && i > 0 && gen->layers[i - 1].conv && !gen->layers[i - 1].skip_data;
        n->weights_kept += l->reuse_weights != 0;
        n->post += l->post > 1;
        n->two_planes += l->conv == 2 && l->c == 3;
        n->interleaved += l->in_order != 0;
        n->secondary += l->in_space != 0;
        n->tables_shared += l->cdp && !l->lut;
        n->wide += l->w > 64 || l->c > 200;
        n->serial += l->serial && i > 0;
        n->parallel += !l->serial && i > 0;
        layers[NVDLA_SDP] += l->sdp != 0;
        layers[NVDLA_CDMA] += l->conv != 0;
    }
    n->both_groups += layers[NVDLA_SDP] > 2 && layers[NVDLA_CDMA] > 1;
}

static void check_case(const struct gen_case *gen, const struct program *prog, void *context) {
    if (gen->seed % 4 == 0)
        assert_legal(prog, gen->seed);
    groups_are_free_when_they_are_programmed(gen, prog);
    accumulators_are_armed_before_waits(gen, prog);
    count_corners(gen, prog, context);
}

/* One walk for all of them: building the cases is the work. */
TEST(cases_are_legal_and_corners_are_drawn) {
    struct corners n = {0};
    const int *all = &n.single;
    const uint64_t all_seeds = 60, seeds = seeds_of(all_seeds);
    each_case(seeds, check_case, &n);
    if (seeds < all_seeds)
        return; /* too few for the corners */
    for (size_t i = 0; i < sizeof n / sizeof(int); i++)
        if (all[i] < 4)
            fail_msg("corner %zu was drawn %d times", i, all[i]);
}

/* ---- damaged descriptions -------------------------------------------------------------------- */

static void damaged(const char *notes, const char *expected) {
    char text[2000];
    struct gen_case gen;
    struct error err = {.text = ""};
    snprintf(text, sizeof text, "nvt 1\nconfig small\nmode streams\n%s", notes);
    struct program *prog = trace_parse(trace_read_nvt, "t.nvt", text, strlen(text), &(struct trace_options){0}, &err);
    assert_non_null(prog);
    assert_false(gen_case_read(&gen, prog, &err));
    if (!strstr(err.text, expected))
        fail_msg("found '%s', expected '%s'", err.text, expected);
    program_free(prog);
}

TEST(damaged_descriptions_are_refused) {
#define CASE "# gen case engines=sdp seed=1 layers=1 place=0 expect_all=0\n"
    damaged("", "t.nvt: no description of random layers");
    damaged("# gen layer 0 sdp=1\n", "t.nvt:4: expected \"gen case");
    damaged("# gen case engines=sdp seed=1 layers=17 place=0 expect_all=0\n", "t.nvt:4: expected \"gen case");
    damaged("# gen case engines=sdp seed=x layers=1 place=0 expect_all=0\n", "t.nvt:4: expected \"gen case");
    damaged("# gen case engines=sdp seed=1 layers=1 place=0 expect_all=0 more\n", "t.nvt:4: expected \"gen case");
    damaged(CASE, "the descriptions of 1 layers are missing");
    damaged(CASE "# gen layer 1 sdp=1\n", "t.nvt:5: expected \"gen layer 0 ");
    damaged(CASE "# gen layer 0 sdp=1 speed=3\n", "t.nvt:5: 'speed' is not a setting of a layer");
    damaged(CASE "# gen layer 0 sdp\n", "t.nvt:5: 'sdp' is not a setting of a layer");
    damaged(CASE "# gen layer 0 sdp=1 w=0\n", "t.nvt:5: w: expected a number from 1 to 8192");
    damaged(CASE "# gen layer 0 sdp=1 w=\n", "t.nvt:5: w: expected a number");
    damaged(CASE "# gen layer 0 sdp=1 w=99999999999999999999\n", "t.nvt:5: w: expected a number");
    damaged(CASE "# gen layer 0 sdp=1 bs.mul_shift=64\n", "bs.mul_shift: expected a number from 0 to 63");
#undef CASE
}

/* A case of one plain layer with these settings, "w=5 h=3", is refused with this message. */
static void illegal_on(const char *config, const char *settings, const char *expected) {
    struct gen_case gen = {.config = nvdla_config_find(config), .count = 1};
    struct error err = {.text = ""};
    gen_layer_plain(&gen.layers[0]);
    char name[32];
    int n;
    for (long long value; sscanf(settings, " %31[^=]=%lld%n", name, &value, &n) == 2; settings += n)
        for (size_t i = 0; i < gen_field_count; i++)
            if (strcmp(gen_fields[i].name, name) == 0)
                *gen_field_of(&gen.layers[0], &gen_fields[i]) = value;
    assert_int_equal(*settings, 0);
    assert_false(gen_legal(&gen, &err));
    assert_null(gen_build(&gen, "t.nvt", &err));
    if (!strstr(err.text, expected))
        fail_msg("found '%s', expected '%s'", err.text, expected);
}

static void illegal(const char *settings, const char *expected) {
    illegal_on("small", settings, expected);
}

TEST(layers_that_a_configuration_lacks_are_refused) {
    illegal("sdp=1 precision=1", "configuration small has no INT16");
    illegal("sdp=1 precision=2", "configuration small has no FP16");
    illegal("sdp=1 in_convert=1", "configuration small has no INT16");
    illegal("sdp=1 ew.on=1", "configuration small has no EW stage");
    illegal_on("small,bs=0", "sdp=1 bs.on=1", "has no BS stage");
    illegal_on("small,bn=0", "sdp=1 bn.on=1", "has no BN stage");
    illegal_on("small,pdp=0", "pdp=1", "has no PDP");
    illegal_on("small,cdp=0", "cdp=1 lut=1", "has no CDP");
    illegal_on("medium_512", "sdp=1 ew.on=1 ew.lut=1", "configuration medium_512 has no EW stage");
    illegal("bdma=1", "configuration small has no BDMA");
    illegal_on("large", "rubik=1", "configuration large has no RUBIK");
}

TEST(illegal_layers_of_full_are_refused) {
    illegal_on("full", "bdma=1 rubik=1", "expected one of");
    illegal_on("full", "bdma=1 parts=2", "2 parts of 1x1x1 atoms");
    illegal_on("full", "bdma=1 join=1", "the layer before is not of BDMA");
    illegal_on("full", "rubik=1 deconv_x=32 w=257", "contract: 32 times 1 phases of 257x1x1");
    illegal_on("full", "sdp=1 precision=1 in_convert=1", "in_convert: only from memory to INT8");
    illegal_on("full", "sdp=1 pdp=1 out_convert=1", "out_convert: not with PDP");
    illegal_on("full", "sdp=1 in_place=1 out_convert=1", "in_place: the output has another precision");
    illegal_on("full", "sdp=1 precision=1 bs.on=1 bs.alu=1 bs.alu_memory=1", "operands of one byte are for INT8");
    illegal_on("full", "sdp=1 ew.on=1 ew.lut=1", "no SDP layer has loaded the tables");
    illegal_on("full", "sdp=1 ew.on=1 ew.lut=1 lut=1 le_select=32", "INDEX_SELECT beyond 31");
    illegal_on("full", "sdp=1 ew.on=1 ew.lut=1 lut=1 lo_start=2147483648", "START has more than 32 bits");
    illegal_on("full", "sdp=1 precision=2 ew.on=1 ew.lut=1 lut=1 le_end=2139095040", "patterns of finite FP32 numbers");
    illegal_on("full", "cdp=1 lut=1 lo_start=2097152", "START has more than 22 bits");
    illegal_on("full", "cdp=1 precision=1 lut=1 lo_select=64", "INDEX_SELECT beyond 63");
    illegal_on("full", "cdp=1 precision=2 lut=1 le_offset=-128", "LE_INDEX_OFFSET -128");
    illegal_on("full", "sdp=1 ew.on=1 ew.alu=1 ew.algorithm=3 ew.lut=1 lut=1", "a layer that compares has no table");
    illegal_on("full", "sdp=1 ew.on=1 ew.alu=1 ew.algorithm=3 in_place=1", "a layer that compares has no table");
    illegal_on("full", "pdp=1 precision=2 method=0 recip_w=64512", "exponent 63 and mantissa 0");
}

TEST(illegal_layers_are_refused) {
    illegal("w=1", "layer 0: expected one of conv+sdp");
    illegal("sdp=1 cdp=1", "expected one of");
    illegal("sdp=1 source=1", "reads the output of layer 0, which does not come before it");
    illegal("sdp=1 in_space=1", "configuration small has no secondary memory");
    illegal("pdp=1 kernel_w=2", "width: a window of 2 over 1");
    illegal("pdp=1 pool_top=1", "height: a window of 1 over 1 with pads 1");
    illegal("pdp=1 splits=2", "strips of 0");
    illegal("sdp=1 pdp=1 splits=2", "no strips after SDP");
    illegal("cdp=1 lut=1 lut=0", "no CDP layer has loaded the tables");
    illegal("cdp=1 lut=1 length=4", "a window of 4 channels");
    illegal("conv=1 sdp=1 r=2", "height: a kernel that reaches over 2 on 1");
    illegal("conv=1 sdp=1 pad_left=1", "width: a kernel that reaches over 1 on 1 with pads 1");
    illegal("conv=1 sdp=1 post=2", "post-extension is for images");
    illegal("conv=1 sdp=1 h=8192 data_banks=15", "8192 lines of 1 entries do not fit into 15 banks");
    illegal("conv=1 sdp=1 data_banks=17", "17 + 16 banks, there are 32");
    illegal("conv=1 sdp=1 c=8192 r=4 h=4 k=8 weight_banks=16", "bytes of weights do not fit into 16 banks");
    illegal("conv=1 sdp=1 c=8192 r=6 s=6 w=6 h=6", "kernels of 294912 bytes");
    illegal("conv=1 sdp=1 reuse_data=1", "reuse_data: the convolution before left no such lines");
    illegal("conv=1 sdp=1 reuse_weights=1", "reuse_weights: the convolution before left no such weights");
    illegal("conv=1 sdp=1 keep=1", "keep: at least one of 1 lines is released");
    illegal("conv=2 sdp=1 format=1", "configuration small does not read format 1");
    illegal("conv=2 sdp=1 format=12", "format A8B8G8R8 has 4 components");
    illegal("conv=2 sdp=1 x_offset=8", "x_offset 8: the pixel lies in the next atom");
    illegal("conv=2 sdp=1 dilation_x=2", "images have no dilation");
    illegal("conv=2 sdp=1 sign=0", "unsigned pixels need the convertor");
    illegal("conv=2 sdp=1 post=3", "post-extension 3");
}

/* ---- shrinking ------------------------------------------------------------------------------- */

struct judge {
    bool (*fails)(const struct gen_case *gen);
    int calls;
};

static bool judge_case(void *context, struct program *prog) {
    struct judge *judge = context;
    struct gen_case gen;
    struct error err;
    judge->calls++;
    assert_true(gen_case_read(&gen, prog, &err));
    assert_true(gen_legal(&gen, &err));
    return judge->fails(&gen);
}

static bool wide_pooling(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].pdp && gen->layers[i].kernel_w >= 3)
            return true;
    return false;
}

static bool five_kernels(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].conv && gen->layers[i].k >= 5 && gen->layers[i].c >= 3)
            return true;
    return false;
}

static bool reused(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].reuse_data)
            return true;
    return false;
}

static bool float_table(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].sdp && gen->layers[i].ew.on && gen->layers[i].ew.lut &&
            gen->layers[i].precision == NVDLA_FP16)
            return true;
    return false;
}

static bool joined_copies(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].join && gen->layers[i].parts >= 3)
            return true;
    return false;
}

static bool contracted(const struct gen_case *gen) {
    for (int i = 0; i < gen->count; i++)
        if (gen->layers[i].rubik && gen->layers[i].source && gen->layers[gen->layers[i].source - 1].conv)
            return true;
    return false;
}

/* Shrinks the first seed that fails so; returns the result. */
static struct gen_case shrunk(const char *config, const char *engines, bool (*fails)(const struct gen_case *)) {
    struct judge judge = {.fails = fails};
    struct shrink shrink = {.fails = judge_case, .context = &judge, .attempts = 400};
    struct gen_case gen;
    uint64_t seed = 1;
    do
        gen_draw(&gen, nvdla_config_find(config), gen_engines(engines), seed++);
    while (!fails(&gen) || gen.count < 3);
    shrink_case(&shrink, &gen);
    assert_true(fails(&gen));
    assert_int_equal(judge.calls, 400 - shrink.attempts);
    return gen;
}

TEST(shrinking_finds_the_smallest_case) {
    struct gen_case gen = shrunk("small", "mix", wide_pooling);
    struct gen_layer plain;
    gen_layer_plain(&plain);
    assert_int_equal(gen.count, 1);
    assert_int_equal(gen.place, 0);
    plain.pdp = 1;
    plain.kernel_w = 3;
    plain.w = 3;
    plain.seed = gen.layers[0].seed;
    plain.serial = gen.layers[0].serial;
    assert_memory_equal(&gen.layers[0], &plain, sizeof plain);

    gen = shrunk("small", "conv", five_kernels);
    assert_int_equal(gen.count, 1);
    assert_int_equal(gen.layers[0].k, 5);
    assert_int_equal(gen.layers[0].c, 3);
    assert_int_equal(gen.layers[0].w * gen.layers[0].h * gen.layers[0].r * gen.layers[0].s, 1);

    gen = shrunk("small", "conv", reused);
    assert_int_equal(gen.count, 2);
    assert_int_equal(gen.layers[0].w * gen.layers[0].c * gen.layers[0].k, 1);

    gen = shrunk("full", "sdp", float_table);
    assert_int_equal(gen.count, 1);
    assert_int_equal(gen.layers[0].lut, 1);
    assert_int_equal(gen.layers[0].w * gen.layers[0].h * gen.layers[0].c, 1);

    gen = shrunk("full", "bdma", joined_copies);
    assert_int_equal(gen.count, 2);
    assert_int_equal(gen.layers[0].parts, 1);
    assert_int_equal(gen.layers[1].parts, 3);

    gen = shrunk("full", "deconv", contracted);
    assert_int_equal(gen.count, 2);
    assert_int_equal(gen.layers[0].full_r, 0);
    assert_int_equal(gen.layers[1].deconv_x * gen.layers[1].deconv_y, 1);
}

static bool never(const struct gen_case *gen) {
    (void)gen;
    return false;
}

TEST(shrinking_keeps_to_its_attempts) {
    struct judge judge = {.fails = never};
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
    char *text = nvt_text(prog, &n);
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
    free(text);
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
        struct program *prog = gen_build(&gen, "t.nvt", NULL);
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
        program_free(prog);
    }
    assert_true(cut > 5);
}

TEST(other_traces_lose_layers) {
    lose_layers("small", "sdp,pdp,cdp");
    lose_layers("full", "pdp,bdma,rubik");
}
