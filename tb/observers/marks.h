/* The state of a run as text in its waves, beside the signals: the current launch of each unit, the waits of the
 * trace's streams, decoded register accesses and interrupts, the client of each AXI transfer.
 *
 * Marks are always tracked as data, at no cost in a clock without an access or a transfer. They become text only when a
 * clock is recorded. */
#pragma once

#include "nvdla/config.h"
#include "tb/observers/checks.h"
#include "tb/observers/observer.h"
#include "tb/provenance.h"
#include "tb/simulator.h"

struct marks;

/* prov: the source of launches, which a reset may replace. exact: marks_layer() reports when launches start and end;
 * otherwise a launch starts when it is armed, and ends when S_INTR_STATUS is read with its bit, or its group is armed
 * again. config and prov must outlive the marks. */
struct marks *marks_new(const struct nvdla_config *config, struct provenance *const *prov, bool exact);

/* Releasing the observer frees the marks. To be added before the observer of the waves. */
struct observer marks_observer(struct marks *marks);

/* A register group, given by its hierarchical name, starts or finishes a layer. */
void marks_layer(struct marks *marks, const char *scope, enum check_event event);

/* What a stream of the trace waits for; "": nothing. The name (of the first call for a stream) is copied. */
void marks_note(struct marks *marks, size_t stream, const char *name, const char *text);

enum launch_state { LAUNCH_TO_COME, LAUNCH_ARMED, LAUNCH_DONE };

/* State of the n-th launch of a unit, from 0. */
enum launch_state marks_launch(const struct marks *marks, enum nvdla_unit unit, int ordinal);

/* The marks of the configuration and of the streams noted so far, for the wave file to declare. The list lives as long
 * as the marks. */
const struct wave_mark *marks_list(struct marks *marks, size_t *count);

/* Number of changes of texts, as of the last marks_update(). */
const uint64_t *marks_changes(const struct marks *marks);

/* Brings the texts up to date. */
void marks_update(struct marks *marks);
