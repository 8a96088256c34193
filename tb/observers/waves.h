/* Records waves for a window of cycles. SIGUSR1 overrides the window, for failures at an unknown time: each signal
 * stops a running recording or starts one. */
#pragma once

#include "device/activity.h"
#include "device/rtl_options.h"
#include "device/wave_view.h"
#include "nvdla/config.h"
#include "tb/observers/marks.h"
#include "tb/observers/observer.h"
#include "tb/simulator.h"

struct waves {
    const struct simulator *simulator;
    const struct nvdla_config *config;
    struct marks *marks;
    struct wave_options options; /* path NULL: nothing is to be recorded */
    uint64_t base;               /* wave time of cycle 0 */
    uint64_t end;                /* of the window of a layer: last cycle; 0: not known yet */
    uint64_t first, last;        /* cycles in the file */
    uint64_t armed, interrupt;   /* first armed launch, last rise of dla_intr while recorded; NEVER: none */
    bool line;                   /* dla_intr */
    uint64_t edge;               /* last rising edge */
    bool clocked;                /* there was one since reset */
    bool on_edge;                /* it is in the file */
    bool by_hand, on;            /* SIGUSR1 has taken over; its choice */
    int signals;                 /* SIGUSR1 received */
    bool open;                   /* the file exists: since the first recorded cycle */
    uint64_t *recorded;          /* cycles in the files */
    struct activity activity;    /* of the last file with a SAIF file */
    const char *written;         /* the last file that is complete and has a save file; NULL: none */
};

/* Nothing is recorded yet.
 *
 *     marks     shown in the waves beside the signals; they outlive the waves
 *     recorded  counts the cycles that are recorded
 *
 * waves->activity is the caller's to free. */
void waves_init(struct waves *waves, const struct simulator *simulator, const struct nvdla_config *config,
                struct marks *marks, uint64_t *recorded);

/* Starts to record, at any clock, and ends a running recording. The file is created at the first cycle to record, so
 * the process may be forked until then.
 *
 *     options   copied; its strings outlive the recording
 *
 * Fails with a message if the simulator has no waves or the save file cannot be created. */
bool waves_begin(struct waves *waves, const struct wave_options *options, struct error *err);

/* Writes the save file of the last recording anew, with this view; nothing if there is none. */
bool waves_show(const struct waves *waves, const struct wave_view *view, struct error *err);

/* waves outlives the observer. */
struct observer waves_observer(struct waves *waves);
