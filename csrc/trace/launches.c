/* The launches of a program. See launches.h. */
#include "trace/launches.h"

struct layer_tracker *program_launches(const struct program *prog) {
    struct layer_tracker *layers = layer_tracker_new(prog->config);
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_WRITE)
            layer_tracker_write(layers, prog->ops[i].address, prog->ops[i].value, i);
    return layers;
}
