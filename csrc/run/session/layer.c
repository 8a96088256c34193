/* A random layer as the trace of a job. See layer.h. */
#include "run/session/layer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/vary.h"
#include "layers/image_errata.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/session/model_plays.h"
#include "trace/formats.h"
#include "trace/launches.h"

enum { SEEDS_APART = 1000000007 }; /* cases drawn instead of one with an erratum */

struct program *layer_program(const struct nvdla_config *config, uint32_t engines, uint64_t seed, const char *varied,
                              bool errata, const char *path, struct gen_case *drawn, struct error *err) {
    for (;; seed += SEEDS_APART) {
        gen_draw(drawn, config, engines, seed);
        if (varied && !gen_variation_apply(varied, drawn, err))
            return NULL;
        struct program *program = gen_build(drawn, path, err);
        if (errata || !program)
            return program;
        struct layer_tracker *launches = program_launches(program);
        const bool has = launches_have_erratum(launches);
        layer_tracker_free(launches);
        if (!has)
            return program;
        program_free(program);
        if (varied) {
            error_set(err, "NVIDIA's hardware computes the layer with %s wrongly", varied);
            return NULL;
        }
    }
}

bool layer_write(const struct run_layer *layer, const struct nvdla_config *config, bool errata, const char *path,
                 struct error *err) {
    struct gen_case drawn;
    if (access(path, R_OK) == 0)
        return true;
    char *folder = xstrdup(path), *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    const bool there = !slash || directory_make(folder, err);
    char *engines = xstrdup(layer->generator), *varied = strchr(engines, ';');
    if (varied)
        *varied++ = '\0';
    struct program *program =
        there ? layer_program(config, gen_engines(engines), layer->seed, varied, errata, path, &drawn, err) : NULL;
    free(engines);
    if (program)
        random_checks_add(program);
    const bool well = program && trace_write(program, path, err);
    program_free(program);
    free(folder);
    return well || error_prefix(err, "the random layer cannot be written: ");
}
