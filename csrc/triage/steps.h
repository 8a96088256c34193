/* The steps along the data path: each stream of both sides compared, and each passage that needs no model. */
#pragma once

#include "nvdla/error.h"
#include "observe/recorder.h"
#include "observe/tap_compare.h"
#include "report/diagnosis.h"
#include "triage/triage_input.h"

/* A stream, and the engine that produces it. */
struct passage {
    enum nvdla_unit unit;
    enum tap tap;
    enum nvdla_engine engine;
};

/* Facts about a step in addition to the walk. */
struct step_facts {
    bool value, missing; /* an element differs; one side has ended */
    struct tap_difference difference;
    const struct passage *passage;        /* NULL: a passage without a model */
    const struct triage_passage *checked; /* of that */
};

/* True if this is the last stream of an engine, before its write DMA. */
bool passage_leaves(const struct passage *passage);

/* Adds the steps to the walk, and facts for each; free() these. False with a message if a stream cannot be read. */
bool steps_look(const struct triage_input *input, struct walk *walk, struct step_facts **facts, struct error *err);

/* Makes the recorder of the model skip the launches missing in the RTL's streams of that folder, whose recording began
 * later. */
void steps_begin_with(const char *rtl, struct recorder *model);
