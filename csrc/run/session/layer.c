/* A random layer as the trace of a job. See layer.h. */
#include "run/session/layer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/gen.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/session/random_checks.h"
#include "trace/formats.h"

bool layer_write(const struct run_layer *layer, const struct nvdla_config *config, const char *path,
                 struct error *err) {
    struct gen_case drawn;
    if (access(path, R_OK) == 0)
        return true;
    char *folder = xstrdup(path), *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    gen_draw(&drawn, config, gen_engines(layer->generator), layer->seed);
    const bool there = !slash || directory_make(folder, err);
    struct program *program = there ? gen_build(&drawn, path, err) : NULL;
    if (program)
        random_checks_add(program);
    const bool well = program && trace_write(program, path, err);
    program_free(program);
    free(folder);
    return well || error_prefix(err, "the random layer cannot be written: ");
}
