/* Recording of waves: a window of cycles, which SIGUSR1 overrides: each signal stops a recording that runs and starts
 * one that does not, for runs of which nobody knows beforehand where they go wrong.
 */
#ifndef TB_OBSERVERS_WAVES_H
#define TB_OBSERVERS_WAVES_H

#include "device/rtl_options.h"
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
    uint64_t armed, interrupt;   /* first launch armed, last rise of dla_intr while it was recorded; NEVER: none */
    bool line;                   /* dla_intr */
    uint64_t edge;               /* last rising edge */
    bool clocked;                /* there was one since reset */
    bool on_edge;                /* it is in the file */
    bool by_hand, on;            /* SIGUSR1 has taken over; what it chose */
    int signals;                 /* SIGUSR1 seen */
    bool open;                   /* the file exists: from the first cycle that belongs into it */
    uint64_t *recorded;          /* cycles in the files */
};

/* Nothing is recorded yet.
 *
 * marks     what stands in the waves beside the signals; they outlive the waves
 * recorded  counts the cycles that are recorded
 */
void waves_init(struct waves *waves, const struct simulator *simulator, const struct nvdla_config *config,
                struct marks *marks, uint64_t *recorded);

/* Begins to record, at any clock: a recording that goes on ends. The file is made when the first cycle comes that
 * belongs into it, so that a process may still be forked from this one until then.
 *
 * options   copied; its strings outlive the recording
 * Fails with a message if the simulator has no waves or the save file cannot be made.
 */
bool waves_begin(struct waves *waves, const struct wave_options *options, struct error *err);

/* waves outlives the observer. */
struct observer waves_observer(struct waves *waves);

#endif
