/* The parts of events.h's file, and the writer they share. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "report/layers.h"
#include "report/outcome.h"
#include "trace/network.h"

/* Groups of tracks, in their order on the screen. */
enum events_process {
    EVENTS_FINDINGS = 1,
    EVENTS_LAYERS,
    EVENTS_ENGINES,
    EVENTS_OCCUPANCY,
    EVENTS_GROUPS,
    EVENTS_HOST,
    EVENTS_MEMORY
};

struct events {
    FILE *out;
    const struct report *report;
    const struct timeline *timeline;
    struct report_layers layers;
    struct network network; /* empty if the trace names no layers */
    unsigned flows;         /* written so far: the next one's number */
};

/* Begins an event; the caller adds further members and ends it with "}". */
void events_begin(struct events *events, char phase, enum events_process process, int track, uint64_t clock);
/* A complete slice up to its arguments; the caller adds members of "args", each after a comma, and ends it with "}}".
 */
void events_slice(struct events *events, enum events_process process, int track, uint64_t start, uint64_t end,
                  const char *category, const char *name);
/* Names a track. */
void events_track(struct events *events, enum events_process process, int track, const char *name);
/* An arrow between two slices; clock: both are open, the second also in the clock after it. */
void events_flow(struct events *events, const char *name, enum events_process from, int from_track,
                 enum events_process to, int to_track, uint64_t from_clock, uint64_t to_clock);
/* Text as a JSON string, with quotes. */
void events_text(struct events *events, const char *text);

/* Slices of layers, of launches in engines and in register groups, and who feeds whom. */
void events_layers(struct events *events);
/* What engines do in each step of time, and counters. */
void events_occupancy(struct events *events);
/* Register accesses and interrupts. */
void events_host(struct events *events);
/* Findings, and where it went wrong. */
void events_findings(struct events *events);
