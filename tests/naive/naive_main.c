/* naive: runs traces through the second, slow reading of the chapters, and compares it with the reference model.
 *
 *   naive [--config C] [--against-model] TRACE...
 *   naive --random --config C --engine E --seed N --count N [--wraps]
 *   naive --shake N [--seed N] [--config C] TRACE...
 *   naive --vectors
 *
 * --shake compares N variations of each trace: the same layers with other data and other arithmetic (naive_shake.h).
 *
 * --wraps: it is a failure if the sums of too few INT8 averages of PDP wrap.
 *
 * Prints PASS or FAIL for each case and how many of each last. Exit status 0 if everything passed, 1 if not, 2 for bad
 * usage. */
#include "gen/gen.h"
#include "model/model.h"
#include "naive.h"
#include "naive_parts.h"
#include "naive_shake.h"
#include "replay/player.h"
#include "report/hang_text.h"
#include "trace/formats.h"

struct options {
    const struct nvdla_config *config;
    bool against_model, random, vectors, wraps;
    const char *engine;
    uint64_t seed, count, shake;
};

static uint64_t averages[NAIVE_AVERAGE_KINDS]; /* of all cases, in layers */

static const char *const space_names[SPACE_COUNT] = {"primary", "secondary"};

static void writer(const struct memory *mem, uint64_t address, char *text, size_t size) {
    struct memory_origin origin;
    if (!memory_origin_of(mem, address, &origin))
        snprintf(text, size, "never written");
    else if (origin.unit < 0)
        snprintf(text, size, "loaded");
    else
        snprintf(text, size, "written by %s #%d", nvdla_unit_names[origin.unit], origin.ordinal);
}

/* All memory of both, byte by byte. */
static bool same_memory(const struct naive *m, const struct device *dev, struct error *err) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        const struct memory *a = m->memory[space], *b = dev->memory[space];
        uint64_t address;
        if (!a || !b || !memory_next_difference(a, b, 0, &address))
            continue;
        uint8_t naive_byte, model_byte;
        char naive_text[64], model_text[64];
        memory_read(a, address, &naive_byte, 1);
        memory_read(b, address, &model_byte, 1);
        writer(a, address, naive_text, sizeof naive_text);
        writer(b, address, model_text, sizeof model_text);
        return error_set(err, "%s 0x%" PRIx64 ": naive 0x%02x (%s), model 0x%02x (%s)", space_names[space], address,
                         naive_byte, naive_text, model_byte, model_text);
    }
    return true;
}

/* The status registers that are computed here, of both groups. */
static bool same_status(const struct naive *m, struct device *dev, struct error *err) {
    const struct nvdla_register_map *map = &nvdla_register_maps[m->config->map];
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const uint32_t offset = reg->address & 0xfff;
        if (!naive_computes(reg->unit, offset) || !(dev->units >> reg->unit & 1))
            continue;
        for (uint32_t group = 0; group < 2; group++) {
            const uint32_t want = m->units[reg->unit].words[group][offset / 4];
            uint32_t got;
            if (!dev->ops->csb_write(dev, reg->address - offset + SDP_S_POINTER, group, true, err) ||
                !dev->ops->csb_read(dev, reg->address, &got, err))
                return false;
            if (got != want)
                return error_set(err, "%s.%s of group %u: naive %u, model %u", nvdla_unit_names[reg->unit], reg->name,
                                 group, want, got);
        }
    }
    return true;
}

static bool compare_with_model(const struct naive *m, const struct program *prog, struct error *err) {
    const struct model_options lenient = {.allow_outside = true};
    struct device *dev = model_new(prog->config, &lenient);
    struct play_options options;
    struct play_result result = {0};
    play_options_default(&options);
    const enum play_outcome outcome = play(prog, dev, &options, &result);
    hang_explain(&result);
    bool same = outcome != PLAY_HUNG && outcome != PLAY_BROKEN;
    if (!same)
        error_set(err, "the model %s: %s", outcome == PLAY_HUNG ? "hangs" : "breaks",
                  result.message ? result.message : "");
    if (same)
        same = same_memory(m, dev, err);
    if (same)
        same = same_status(m, dev, err);
    play_result_free(&result);
    dev->ops->destroy(dev);
    return same;
}

static bool run(const struct program *prog, bool against_model, struct error *err) {
    struct play_options options;
    play_options_default(&options);
    struct naive *m = naive_new(prog->config);
    struct error model = {.text = ""};
    bool passed = naive_play(m, prog, options.seed, err);
    /* Where a check fails, the model shows whether it reads the chapters in the same way. */
    if (against_model && !m->failed && !compare_with_model(m, prog, &model)) {
        if (passed)
            error_set(err, "%s", model.text);
        else
            error_prefix(err, "%s; ", model.text);
        passed = false;
    }
    for (int kind = 0; kind < NAIVE_AVERAGE_KINDS; kind++)
        averages[kind] += m->averages[kind];
    naive_free(m);
    return passed;
}

/* Prints how many INT8 averages there were, and in what part of those with pads each sum wraps. False if that is wanted
 * and hardly happens: then the layers test nothing of it. */
static bool report_averages(bool wanted) {
    static const struct {
        const char *name;
        uint64_t least; /* per cent */
    } kinds[NAIVE_AVERAGE_KINDS] = {
        [NAIVE_SUM_WRAPS] = {"a sum wraps", 35}, [NAIVE_ROW_WRAPS] = {"row", 20},
        [NAIVE_PAD_WRAPS] = {"vertical pad", 8}, [NAIVE_TOTAL_PASSES] = {"total past 14 bits", 12},
        [NAIVE_PRODUCT_WRAPS] = {"product", 2},  [NAIVE_FIRST_WRAPS] = {"first mean", 25},
        [NAIVE_RESULT_WRAPS] = {"result", 40},
    };
    enum { FEW = 100 }; /* layers that tell nothing */
    const uint64_t padded = averages[NAIVE_PADDED];
    bool often = true;
    if (padded == 0)
        return true;
    printf("INT8 averages: %" PRIu64 " layers, %" PRIu64 " with pads; of these", averages[NAIVE_AVERAGES], padded);
    for (int kind = NAIVE_SUM_WRAPS; kind < NAIVE_AVERAGE_KINDS; kind++) {
        printf("%s %s %" PRIu64 " %%", kind > NAIVE_SUM_WRAPS ? "," : "", kinds[kind].name,
               100 * averages[kind] / padded);
        often = often && 100 * averages[kind] >= kinds[kind].least * padded;
    }
    printf("\n");
    if (often || !wanted || padded < FEW)
        return true;
    printf("FAIL: gen draws too few INT8 averages that wrap; at least");
    for (int kind = NAIVE_SUM_WRAPS; kind < NAIVE_AVERAGE_KINDS; kind++)
        printf("%s %s %" PRIu64 " %%", kind > NAIVE_SUM_WRAPS ? "," : "", kinds[kind].name, kinds[kind].least);
    printf("\n");
    return false;
}

static bool report(const char *name, bool passed, const struct error *err) {
    if (passed)
        printf("PASS %s\n", name);
    else
        printf("FAIL %s: %s\n", name, err->text);
    fflush(stdout);
    return passed;
}

static bool run_trace(const struct options *options, const char *path) {
    struct error err = {.text = ""};
    const struct trace_options trace = {.config = options->config};
    autoprogram struct program *prog = trace_read(path, &trace, &err);
    const bool passed = prog && run(prog, options->against_model, &err);
    return report(path, passed, &err);
}

static bool run_shaken(const struct options *options, const char *path, uint64_t seed) {
    struct error err = {.text = ""};
    char name[1024];
    const struct trace_options trace = {.config = options->config};
    autoprogram struct program *prog = trace_read(path, &trace, &err);
    if (prog)
        naive_shake(prog, seed);
    const bool passed = prog && run(prog, true, &err);
    snprintf(name, sizeof name, "%s, variation %" PRIu64, path, seed);
    return report(name, passed, &err);
}

static bool run_random(const struct options *options, uint64_t seed) {
    struct error err = {.text = ""};
    char name[128];
    struct gen_case gen;
    snprintf(name, sizeof name, "%s_%s_%" PRIu64, options->config->name, options->engine, seed);
    gen_draw(&gen, options->config, gen_engines(options->engine), seed);
    autoprogram struct program *prog = gen_build(&gen, name, &err);
    const bool passed = prog && run(prog, true, &err);
    return report(name, passed, &err);
}

static int usage(void) {
    fprintf(stderr, "usage: naive [--config C] [--against-model] TRACE...\n"
                    "       naive --random --config C --engine E [--seed N] [--count N] [--wraps]\n"
                    "       naive --shake N [--seed N] [--config C] TRACE...\n"
                    "       naive --vectors\n");
    return 2;
}

int main(int argc, char **argv) {
    struct options options = {.engine = "mix", .seed = 1, .count = 100};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--against-model")) {
            options.against_model = true;
            continue;
        }
        if (!strcmp(argv[i], "--random")) {
            options.random = true;
            continue;
        }
        if (!strcmp(argv[i], "--wraps")) {
            options.wraps = true;
            continue;
        }
        if (!strcmp(argv[i], "--vectors")) {
            options.vectors = true;
            continue;
        }
        if (!value)
            return usage();
        if (!strcmp(argv[i], "--config"))
            options.config = nvdla_config_find(value);
        else if (!strcmp(argv[i], "--engine"))
            options.engine = value;
        else if (!strcmp(argv[i], "--seed"))
            options.seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            options.count = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--shake"))
            options.shake = strtoull(value, NULL, 0);
        else
            return usage();
        if (!strcmp(argv[i], "--config") && !options.config)
            return usage();
        i++;
    }
    size_t passed = 0, failed = 0;
    if (options.random) {
        if (!options.config || !gen_engines(options.engine) || i < argc)
            return usage();
        for (uint64_t n = 0; n < options.count; n++)
            *(run_random(&options, options.seed + n) ? &passed : &failed) += 1;
    } else {
        if (i == argc && !options.vectors)
            return usage();
        if (options.vectors)
            naive_vectors(&passed, &failed);
        for (; i < argc; i++) {
            for (uint64_t n = 0; n < options.shake; n++)
                *(run_shaken(&options, argv[i], options.seed + n) ? &passed : &failed) += 1;
            if (options.shake == 0)
                *(run_trace(&options, argv[i]) ? &passed : &failed) += 1;
        }
    }
    if (!report_averages(options.wraps))
        failed++;
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed != 0;
}
