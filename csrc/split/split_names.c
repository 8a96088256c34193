/* Names of pieces and launches. See split_names.h. */
#include "split/split_names.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "split/layer_order.h"

char *split_file_name(const struct split *split, size_t piece, const char *suffix) {
    int digits = 1;
    for (size_t last = split->piece_count; last >= 10; last /= 10)
        digits++;
    return xprintf("%s-%0*zu%s", split->name, digits, piece + 1, suffix);
}

/* The launch that gives a layer its name: the one that writes its result. */
static const struct split_launch *name_giver(const struct split_layer *layer) {
    static const enum nvdla_unit order[] = {NVDLA_PDP, NVDLA_SDP, NVDLA_CDP, NVDLA_BDMA, NVDLA_RBK, NVDLA_CACC};
    for (size_t o = 0; o < sizeof order / sizeof *order; o++)
        for (size_t i = 0; i < layer->launch_count; i++)
            if (layer->launches[i].unit == order[o])
                return &layer->launches[i];
    return &layer->launches[0];
}

void split_print_counts(FILE *out, const struct split *split) {
    size_t deferred = 0;
    for (size_t i = 0; i < split->piece_count; i++)
        deferred += split->pieces[i].deferred;
    fprintf(out, "%zu layer%s in %zu piece%s; at most %zu, of which %zu where the trace itself leaves every unit idle",
            split->layer_count, split->layer_count == 1 ? "" : "s", split->piece_count,
            split->piece_count == 1 ? "" : "s", split->most, split->idle);
    if (deferred > 0)
        fprintf(out, "; %zu arm%s layers after the cut that the trace arms before it", deferred,
                deferred == 1 ? "s" : "");
    fputc('\n', out);
    for (size_t l = 0; l + 1 < split->layer_count; l++) {
        const struct boundary *boundary = &split->order->boundaries[l];
        const struct split_launch *launch = name_giver(&split->layers[l]);
        if (boundary->forbidden)
            fprintf(out, "no cut after %s #%d: %s\n", nvdla_unit_names[launch->unit], launch->ordinal,
                    boundary->forbidden);
    }
}

const struct split_launch *split_launch(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal) {
    const struct split_launch *found = NULL;
    int first = INT32_MAX;
    for (size_t l = split->pieces[piece].first; l < split->pieces[piece].first + split->pieces[piece].count; l++)
        for (size_t i = 0; i < split->layers[l].launch_count; i++) {
            const struct split_launch *launch = &split->layers[l].launches[i];
            if (launch->unit == unit && launch->ordinal < first)
                first = launch->ordinal;
        }
    for (size_t l = split->pieces[piece].first; l < split->pieces[piece].first + split->pieces[piece].count; l++)
        for (size_t i = 0; i < split->layers[l].launch_count; i++) {
            const struct split_launch *launch = &split->layers[l].launches[i];
            if (launch->unit == unit && launch->ordinal - first == ordinal)
                found = launch;
        }
    return found;
}

char *split_launch_name(const struct split *split, size_t piece, enum nvdla_unit unit, int ordinal) {
    const struct split_launch *launch = split_launch(split, piece, unit, ordinal);
    if (!launch)
        return NULL;
    return xprintf("%s #%d (%s%s%s%s)", nvdla_unit_names[unit], launch->ordinal, launch->position,
                   launch->network ? ", layer " : "", launch->network ? launch->network : "",
                   launch->network ? " of the network" : "");
}

char *split_piece_name(const struct split *split, size_t piece) {
    const struct split_piece *of = &split->pieces[piece];
    if (of->count == 0)
        return xstrdup("no layer");
    const struct split_launch *first = name_giver(&split->layers[of->first]);
    const struct split_launch *last = name_giver(&split->layers[of->first + of->count - 1]);
    char *a = xprintf("%s #%d%s%s%s", nvdla_unit_names[first->unit], first->ordinal, first->network ? " (layer " : "",
                      first->network ? first->network : "", first->network ? ")" : "");
    if (first == last)
        return a;
    char *name = xprintf("%s to %s #%d%s%s%s", a, nvdla_unit_names[last->unit], last->ordinal,
                         last->network ? " (layer " : "", last->network ? last->network : "", last->network ? ")" : "");
    free(a);
    return name;
}
