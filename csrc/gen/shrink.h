/* Makes a failing trace smaller while it keeps failing.
 *
 * A case of `nvcosim gen` shrinks by its description: fewer layers, shorter chains, plain settings, smaller sizes,
 * every candidate legal. From any other trace whole layers are removed: the registers of a layer, its waits, interrupts
 * and checks; later layers move to the other register groups if needed. */
#pragma once

#include "gen/spec.h"
#include "nvdla/error.h"
#include "trace/program.h"

struct shrink {
    /* Plays a candidate, which it may change; true if it fails like the original. */
    bool (*fails)(void *context, struct program *prog);
    void *context;
    int attempts; /* calls of fails() that may still be made; counts down */
};

/* Shrinks a failing case; *gen becomes the smallest failing one found. */
void shrink_case(struct shrink *shrink, struct gen_case *gen);

/* Removes layers from a failing program, in place: operations are dropped or changed. */
void shrink_program(struct shrink *shrink, struct program *prog);
