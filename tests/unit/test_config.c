/* Configurations by values: words, files, and a random walk over legal and illegal ones, for which layers are drawn. */
#include "tests/unit/test.h"

#include <unistd.h>

#include "gen/gen.h"
#include "nvdla/config_text.h"
#include "tests/unit/random.h"
#include "tests/unit/steps.h"

enum { ROWS = 10000, LAYERS_EACH = 4 /* of the legal rows, one in so many gets a layer */ };

static const struct nvdla_config *config_of(const char *text) {
    struct error err = {.text = ""};
    const struct nvdla_config *config = nvdla_config_read(text, &err);
    if (!config)
        fail_msg("%s: %s", text, err.text);
    return config;
}

/* The message of a text that is read, or not, and is not legal. */
static void is_refused(const char *text, const char *message) {
    struct error err = {.text = ""};
    const struct nvdla_config *config = nvdla_config_read(text, &err);
    if (config && nvdla_config_legal(config, &err))
        fail_msg("%s is legal", text);
    if (!strstr(err.text, message))
        fail_msg("%s: \"%s\" lacks \"%s\"", text, err.text, message);
}

/* ---- cases of config.txt ---- */

static void *begin(const char *title) {
    return (void *)(uintptr_t)title;
}

/* read TEXT...: name and base of the configuration of values, or why it is none. */
static bool act(void *context, const struct step *step, FILE *found) {
    (void)context;
    for (size_t i = 1; i < step->count; i++) {
        struct error err = {.text = ""};
        const struct nvdla_config *config = nvdla_config_read(step->word[i], &err);
        const bool good = config && nvdla_config_legal(config, &err);
        assert_true(!good || config_of(config->name) == config);
        fprintf(found, "%s%s%s%s", i > 1 ? ", " : "", config ? config->name : "", config && !good ? ": " : "",
                good ? "" : err.text);
        if (good && strcmp(nvdla_config_base(config)->name, config->name) != 0)
            fprintf(found, " of %s", nvdla_config_base(config)->name);
    }
    return step_is(step, "read");
}

TEST(cases_find_what_they_say) {
    assert_ptr_equal(config_of("small"), nvdla_config_find("small"));
    assert_int_equal(config_of("small,secondary=1")->cvsram_data_bits, 64);
    steps_play("tests/unit/config.txt", &(struct steps_player){begin, act});
}

TEST(named_configurations_are_legal) {
    for (int i = 0; i < nvdla_config_count; i++) {
        struct error err = {.text = ""};
        if (!nvdla_config_legal(&nvdla_configs[i], &err))
            fail_msg("%s: %s", nvdla_configs[i].name, err.text);
    }
}

/* A file with that text. free() its name. */
static char *file_of(const char *extension, const char *text) {
    char *path = kept(xprintf("/tmp/config-%d.%s", (int)getpid(), extension));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return path;
}

TEST(files) {
    char *path = file_of("yml", "# mine\nbase: small\nmacs: 32x16 # channels by kernels\n\ncbuf: 256K\n");
    assert_ptr_equal(config_of(path), config_of("small,macs=32x16,cbuf=256K"));
    remove(path);
    path = file_of("yml", "cbuf: 256K\nmacs: 32x16\nbase: small\n");
    assert_ptr_equal(config_of(path), config_of("small,macs=32x16,cbuf=256K"));
    remove(path);
    path = file_of("yml", "base: small\nmacs 32x16\n");
    is_refused(path, ".yml:2: found 'macs 32x16', expected KEY: VALUE");
    remove(path);
    path =
        file_of("spec", "// a line\n#define MAC_ATOMIC_C_SIZE_32\n#define CBUF_BANK_WIDTH_32\n#define SDP_LUT_MAYBE\n");
    is_refused(path, ".spec:4: found 'SDP_LUT_MAYBE', expected a word of NVIDIA's spec/defs");
    remove(path);
    path = file_of("spec", "#define CDP_DISABLE\n");
    assert_ptr_equal(config_of(path), config_of("small,cdp=0"));
    remove(path);
}

TEST(a_spec_file_is_read_as_it_is_written) {
    for (int i = 0; i < nvdla_config_count; i++) {
        char *text;
        size_t size;
        if (nvdla_configs[i].map != NVDLA_MAP_SMALL)
            continue;
        FILE *out = xmemstream(&text, &size);
        nvdla_config_print_spec(out, &nvdla_configs[i]);
        xmemstream_close(out);
        char *path = file_of("spec", text);
        struct nvdla_config config;
        autotext struct text ignored = {0};
        struct error err = {.text = ""};
        if (!nvdla_config_file(path, &config, &ignored, &err))
            fail_msg("%s", err.text);
        assert_non_null(strstr(ignored.text, "RETIMING_DISABLE, MAX_BATCH_SIZE_x, NUM_DMA_READ_CLIENTS_"));
        assert_ptr_equal(config_of(path), &nvdla_configs[i]);
        remove(path);
        free(text);
    }
}

/* Values of every parameter, legal and near it; mostly those of the base. */
static char *random_text(uint64_t *random) {
    static const char *const values[] = {"0",  "1",  "2",  "3",   "4",   "8",   "16",
                                         "24", "32", "64", "128", "256", "512", "65536"};
    static const char *const features[] = {"int16=0", "fp16=0", "compression=0", "winograd=0",
                                           "batch=1", "bdma=0", "rubik=0",       "secondary=0"};
    struct text text = {0};
    text_put(&text, nvdla_configs[below(random, (uint64_t)nvdla_config_count)].name);
    if (below(random, 2))
        text_printf(&text, ",macs=%ux%u", 8u << below(random, 4), 8u << below(random, 3));
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strncmp(text.text, "full", 4) == 0 && below(random, 4) == 0)
            text_printf(&text, ",%s", features[i]);
    for (size_t i = 0; i < nvdla_parameter_count; i++)
        if (below(random, 8) == 0)
            text_printf(&text, ",%s=%s", nvdla_parameters[i].key,
                        values[below(random, sizeof values / sizeof *values)]);
    return text.text;
}

static void draw_layer(const struct nvdla_config *config, uint64_t seed) {
    struct gen_case gen;
    struct error err = {.text = ""};
    gen_draw(&gen, config, GEN_ENGINES_ALL, seed);
    autoprogram struct program *prog = gen_build(&gen, "t.nvt", &err);
    if (!prog)
        fail_msg("%s, seed %d: %s", config->name, (int)seed, err.text);
}

TEST(drawn_configurations_are_legal) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct error err = {.text = ""};
        const struct nvdla_config *config = gen_config_draw(seed);
        if (!nvdla_config_legal(config, &err) || (config->map == NVDLA_MAP_FULL) != (seed % 4 == 0))
            fail_msg("seed %d: %s: %s", (int)seed, config->name, err.text);
        assert_true(config->atomic_c * config->atomic_k <= 512);
        assert_ptr_equal(gen_config_draw(seed), config);
    }
    assert_ptr_not_equal(gen_config_draw(1), gen_config_draw(2));
}

TEST(random_rows_are_legal_or_refused) {
    uint64_t random = 46;
    unsigned legal = 0;
    for (uint64_t row = 0; row < seeds_of(ROWS); row++) {
        struct error err = {.text = ""};
        char *text = kept(random_text(&random));
        const struct nvdla_config *config = nvdla_config_read(text, &err);
        const bool good = config && nvdla_config_legal(config, &err);
        if (!good && !strstr(err.text, "expected"))
            fail_msg("%s: \"%s\"", text, err.text);
        if (config && config_of(config->name) != config)
            fail_msg("%s: %s is another configuration", text, config->name);
        if (good && !nvdla_config_divides(config, &err))
            fail_msg("%s: %s", text, err.text);
        if (good && legal++ % LAYERS_EACH == 0)
            draw_layer(config, row);
    }
    assert_true(legal > seeds_of(ROWS) / 50);
}
