/* What goes on in a run, as text that stands in its waves beside the signals: the launch that each unit works on, what
 * the trace's streams wait for, register accesses and interrupts decoded, the client behind each AXI transfer.
 *
 * The marks are kept as facts all the time, which costs nothing in a clock without an access or a transfer; they become
 * text only when a clock is recorded.
 */
#ifndef TB_OBSERVERS_MARKS_H
#define TB_OBSERVERS_MARKS_H

#include "nvdla/config.h"
#include "tb/observers/checks.h"
#include "tb/observers/observer.h"
#include "tb/provenance.h"
#include "tb/simulator.h"

struct marks;

/* prov: where the launches are found, which may be replaced by another at a reset. exact: marks_layer will tell when
 * launches start and end; else they count as started when they are armed, and as done when S_INTR_STATUS is read that
 * says so, or their group is armed again. Both as long as the marks. */
struct marks *marks_new(const struct nvdla_config *config, struct provenance *const *prov, bool exact);

/* Frees the marks when it is released. To be added before the observer of the waves. */
struct observer marks_observer(struct marks *marks);

/* A register group, by its hierarchical name, starts or finishes a layer. */
void marks_layer(struct marks *marks, const char *scope, enum check_event event);

/* What a stream of the trace waits for; "": for nothing. The name (of the first call for a stream) is copied. */
void marks_note(struct marks *marks, size_t stream, const char *name, const char *text);

enum launch_state { LAUNCH_TO_COME, LAUNCH_ARMED, LAUNCH_DONE };

/* How far the n-th launch of a unit, from 0, is. */
enum launch_state marks_launch(const struct marks *marks, enum nvdla_unit unit, int ordinal);

/* The marks of the configuration, and of the streams that were noted so far: what the wave file declares. The list
 * stays valid as long as the marks. */
const struct wave_mark *marks_list(struct marks *marks, size_t *count);

/* How often a text has changed, kept up by marks_update. */
const uint64_t *marks_changes(const struct marks *marks);

/* Brings their texts up to date. */
void marks_update(struct marks *marks);

#endif
