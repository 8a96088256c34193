/* Launches and what their registers say: cubes and memory traffic, rows of layers.tsv, and the cases of layers.txt.
 * Chapter 10 section 6, chapter 64 section 2. */
#include "layers/cubes.h"
#include "layers/pairing.h"
#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla_offsets.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

struct bench {
    const struct nvdla_config *config;
    struct layer_tracker *tracker;
};

TEST_KEEPS(keep_tracker, struct layer_tracker, layer_tracker_free)

static struct bench bench(const char *name) {
    struct bench b = {.config = nvdla_config_find(name)};
    assert_non_null(b.config);
    b.tracker = keep_tracker(layer_tracker_new(b.config));
    assert_non_null(b.tracker);
    return b;
}

static void set_one(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct bench *b = context;
    layer_tracker_write(b->tracker, nvdla_unit_base(b->config, unit) + offset, value, 0);
}

static void set_all(struct bench *b, const char *text) {
    register_text(b->config, text, set_one, b);
}

static int feeder(const struct bench *b, enum nvdla_unit of, int ordinal, enum nvdla_unit unit) {
    const struct launch *found = layer_tracker_feeder(b->tracker, layer_tracker_find(b->tracker, of, ordinal), unit);
    return found ? found->ordinal : -1;
}

/* ---- cases of layers.txt ---- */

static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    *b = bench(title_config(title)->name);
    return b;
}

static void print_armed(const struct launch *launch, FILE *found) {
    if (launch)
        fprintf(found, "%s%s #%d group %u", ftell(found) ? ", " : "", nvdla_unit_names[launch->unit], launch->ordinal,
                launch->group);
}

static void print_cube(const struct cube *cube, bool primary, FILE *found) {
    fprintf(found, "%c:%dx%dx%dx%d", primary ? 'p' : 's', cube->width, cube->height, cube->channels,
            cube->element_bytes);
}

/* The atoms that the launch moves, client by client. */
static void print_traffic(const struct bench *b, const struct launch *launch, FILE *found) {
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++)
        if (launch_atoms(b->config, launch, client) > 0)
            fprintf(found, " %s:%s=%" PRIu64, nvdla_clients[client].write ? "write" : "read",
                    nvdla_clients[client].name, launch_atoms(b->config, launch, client));
}

static void print_block(const struct bench *b, const struct launch *launch, const struct step *step, FILE *found) {
    struct launch_block block;
    const size_t i = step_number(step, 3);
    if (!launch_block(b->config, launch, i, &block)) {
        fprintf(found, "none of %zu", launch->block_count);
        return;
    }
    print_cube(&block.source, block.source_primary, found);
    fputs(" to ", found);
    print_cube(&block.destination, block.destination_primary, found);
    const int surface = block.source.channels > 32, line = block.source.height - 1;
    fprintf(found, ", last 0x%" PRIx64 " 0x%" PRIx64 ", size %u", cube_atom_address(&block.source, surface, line, 0),
            cube_atom_address(&block.destination, surface, line, 0), launch_block_register(launch, i, BDMA_CFG_LINE));
}

static bool launch_step(const struct bench *b, const struct step *step, FILE *found) {
    const enum nvdla_unit unit = nvdla_unit_find(step->word[1]);
    const struct launch *launch =
        unit < NVDLA_UNIT_COUNT ? layer_tracker_find(b->tracker, unit, atoi(step->word[2])) : NULL;
    struct cube cube;
    bool primary;
    if (step_is(step, "feeder")) {
        fprintf(found, "%d", feeder(b, unit, atoi(step->word[2]), nvdla_unit_find(step->word[3])));
        return true;
    }
    if (step_is(step, "find")) {
        fprintf(found, "%s", launch ? "one" : "none");
        return true;
    }
    if (!launch)
        return false;
    if (step_is(step, "register"))
        fprintf(found, "0x%x",
                launch_register(
                    launch, legal_write_of(b->config, kept(xprintf("%s.%s", step->word[1], step->word[3]))).offset));
    else if (step_is(step, "cost"))
        fprintf(found, "%" PRIu64 " MACs, %" PRIu64 " clocks", launch_macs(launch), launch_clocks(b->config, launch));
    else if (step_is(step, "out")) {
        if (launch_output_cube(b->config, launch, &cube, &primary))
            print_cube(&cube, primary, found);
        else
            fputs("none", found);
        print_traffic(b, launch, found);
    } else if (step_is(step, "block"))
        print_block(b, launch, step, found);
    else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is_writes(step))
        FOR_WRITES(b->config, step,
                   print_armed(layer_tracker_write(b->tracker, write_.address, write_.value, 0), found))
    else if (step_is(step, "address"))
        print_armed(layer_tracker_write(b->tracker, (uint32_t)step_number(step, 1), (uint32_t)step_number(step, 2), 0),
                    found);
    else if (step_is(step, "count"))
        fprintf(found, "%zu", layer_tracker_count(b->tracker));
    else
        return launch_step(b, step, found);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/layers.txt", &(struct steps_player){begin, act});
}

TEST_ON(launches_are_numbered_per_unit_and_found_again, struct bench b, bench("small")) {
    for (int i = 0; i < 300; i++) {
        const enum nvdla_unit unit = i % 3 ? NVDLA_SDP : NVDLA_PDP;
        const uint32_t enable = i % 3 ? SDP_D_OP_ENABLE : PDP_D_OP_ENABLE;
        const struct launch *launch =
            layer_tracker_write(b.tracker, nvdla_unit_base(b.config, unit) + enable, 1, (size_t)i * 10);
        assert_non_null(launch);
        assert_int_equal(launch->tag, i * 10);
        assert_ptr_equal(launch, layer_tracker_launch(b.tracker, (size_t)i));
    }
    assert_int_equal(layer_tracker_find(b.tracker, NVDLA_PDP, 99)->tag, 297 * 10);
    assert_int_equal(layer_tracker_find(b.tracker, NVDLA_SDP, 199)->tag, 299 * 10);
    assert_null(layer_tracker_find(b.tracker, NVDLA_PDP, 100));
    assert_null(layer_tracker_find(b.tracker, NVDLA_PDP, -1));
    assert_null(layer_tracker_find(b.tracker, NVDLA_UNIT_COUNT, 0));
    assert_null(layer_tracker_launch(b.tracker, 300));
    layer_tracker_free(NULL);
}

/* ---- rows ---- */

/* Is there a word that begins so, up to its "="? */
static bool expects(const char *text, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += n)
        if ((at == text || at[-1] == ' ') && strchr(" =", at[n]))
            return true;
    return false;
}

/* What a word behind "in" or "out" says of the cube: itself with what is found. */
static void find_of_cube(const struct cube *cube, const char *word, char *found, size_t size) {
    const int n = (int)strcspn(word, "=");
    int surface, line, column;
    struct cube_element e = {0};
    if (sscanf(word, "@%d,%d,%d", &surface, &line, &column) == 3)
        snprintf(found, size, "%.*s=0x%" PRIx64, n, word, cube_atom_address(cube, surface, line, column));
    else if (*word == ':' && cube_locate(cube, strtoull(word + 1, NULL, 0), &e))
        snprintf(found, size, "%.*s=%d,%d,%d,%d", n, word, e.batch, e.channel, e.line, e.column);
    else if (strncmp(word, ".surfaces", (size_t)n) == 0)
        snprintf(found, size, ".surfaces=%d", cube_surfaces(cube));
    else if (strncmp(word, ".extent", (size_t)n) == 0)
        snprintf(found, size, ".extent=%" PRIu64, (uint64_t)cube_extent(cube));
    else if (strncmp(word, ".batch", (size_t)n) == 0)
        snprintf(found, size, ".batch=%d,0x%" PRIx64, cube->batches, (uint64_t)cube->batch_stride);
    else
        snprintf(found, size, "%s", cube->packed_1x1 ? ".packed" : "");
}

/* The words about the cube that the launch reads or writes. */
static void check_cube(const struct bench *b, const struct launch *launch, const char *side, const char *text,
                       int line) {
    struct cube cube;
    bool primary;
    char packed[16], found[100];
    const size_t n = strlen(side);
    const bool any = strcmp(side, "in") == 0 ? launch_input_cube(b->config, launch, &cube, &primary)
                                             : launch_output_cube(b->config, launch, &cube, &primary);
    snprintf(packed, sizeof packed, "%s.packed", side);
    if (any != expects(text, side) || (any && cube.packed_1x1 != expects(text, packed)))
        fail_msg("layers.tsv:%d: found %s cube of '%s', packed %d", line, any ? "a" : "no", side,
                 any && cube.packed_1x1);
    for (const char *word = text; any && *word; word += strcspn(word, " "), word += *word == ' ') {
        if (strncmp(word, side, n) != 0)
            continue;
        if (word[n] == '=')
            snprintf(found, sizeof found, "=%c:%dx%dx%dx%d", primary ? 'p' : 's', cube.width, cube.height,
                     cube.channels, cube.element_bytes);
        else
            find_of_cube(&cube, word + n, found, sizeof found);
        if (strlen(found) != strcspn(word + n, " ") || strncmp(found, word + n, strlen(found)) != 0)
            fail_msg("layers.tsv:%d: found %s%s, expected '%s'", line, side, found, word);
    }
}

static void check_traffic(const struct bench *b, const struct launch *launch, const char *text, int line) {
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[client];
        char word[40];
        snprintf(word, sizeof word, "%s:%s=", facts->write ? "write" : "read", facts->name);
        const char *at = strstr(text, word), *number = at ? at + strlen(word) : "0";
        const uint64_t found = launch_atoms(b->config, launch, client);
        if (found != strtoull(number, NULL, 0))
            fail_msg("layers.tsv:%d: found %s%" PRIu64 ", expected %s", line, word, found, number);
    }
}

TEST(cubes_and_traffic) {
    char *rest = test_text("tests/unit/layers.tsv");
    int line = 0;
    for (char *row; (row = strsep(&rest, "\n")) != NULL;) {
        line++;
        if (!row[0] || row[0] == '#')
            continue;
        struct bench b = bench(strsep(&row, "\t"));
        for (char *registers; (registers = strsep(&row, "\t")) != NULL;) {
            const char *expected = strsep(&row, "\t");
            set_all(&b, registers);
            const struct launch *launch = layer_tracker_launch(b.tracker, layer_tracker_count(b.tracker) - 1);
            assert_true(expected && launch);
            check_cube(&b, launch, "in", expected, line);
            check_cube(&b, launch, "out", expected, line);
            check_traffic(&b, launch, expected, line);
        }
    }
}

/* EW takes an operand of its ALU from memory, without MUL: SDP_RDMA belongs to the layer and its ERDMA reads where
 * there is an EW, and only there. */
TEST(ew_counts_where_it_is) {
    for (int i = 0; i < nvdla_config_count; i++) {
        struct bench b = bench(nvdla_configs[i].name);
        const bool has = nvdla_has(b.config, FEATURE_EW);
        set_all(&b, "SDP: D_FEATURE_MODE_CFG=1 D_DP_BS_CFG=1 D_DP_BN_CFG=1 D_DP_EW_CFG=0x10 D_DP_EW_ALU_CFG=1 "
                    "D_DATA_CUBE_CHANNEL=7 D_OP_ENABLE=1");
        const struct launch *sdp = layer_tracker_launch(b.tracker, 0);
        const int lanes = has ? b.config->sdp_ew_throughput : nvdla_sdp_lanes(b.config);
        assert_int_equal(launch_clocks(b.config, sdp), (8 + lanes - 1) / lanes);
        const uint64_t written = launch_atoms(b.config, sdp, NVDLA_WRITE_SDP) * (uint64_t)b.config->mem_atom;
        const uint64_t beat = (uint64_t)b.config->dbb_data_bits / 8;
        assert_true(written > 0);
        assert_int_equal(launch_beats(b.config, sdp), (written + beat - 1) / beat);
        assert_int_equal(launch_work(b.config, sdp), (2 * written + beat - 1) / beat);
        set_all(&b, "SDP_RDMA: D_FEATURE_MODE_CFG=1 D_ERDMA_CFG=2 D_DATA_CUBE_CHANNEL=7 D_OP_ENABLE=1");
        const struct launch *rdma = layer_tracker_launch(b.tracker, 1);
        assert_int_equal(launch_atoms(b.config, rdma, NVDLA_READ_SDP_E), has ? 1 : 0);
        assert_int_equal(launch_work(b.config, rdma), launch_beats(b.config, rdma));
        assert_int_equal(feeder(&b, NVDLA_SDP, 0, NVDLA_SDP_RDMA), has ? 0 : -1);
    }
}
