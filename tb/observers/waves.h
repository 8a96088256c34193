/* Recording of waves: a window of cycles, which SIGUSR1 overrides: each signal stops a recording that runs and starts
 * one that does not, for runs of which nobody knows beforehand where they go wrong.
 */
#ifndef TB_OBSERVERS_WAVES_H
#define TB_OBSERVERS_WAVES_H

#include "device/rtl_options.h"
#include "nvdla/config.h"
#include "tb/observers/observer.h"
#include "tb/rtl_device.h"

struct waves {
    const struct simulator *simulator;
    const char *path;
    uint64_t from, to; /* cycles; to 0: to the end */
    uint64_t base;     /* wave time of cycle 0 */
    uint64_t edge;     /* last rising edge */
    bool clocked;      /* there was one since reset */
    bool on_edge;      /* it is in the file */
    bool by_hand, on;  /* SIGUSR1 has taken over; what it chose */
    int signals;       /* SIGUSR1 seen */
    bool open;
    uint64_t *recorded; /* cycles in the file */
};

/* Opens the wave file and writes its GTKWave save file beside it.
 *
 * own_rtl   the design is this project's
 * recorded  counts the cycles that are in the file
 * Fails with a message if the simulator has no waves or a file cannot be made.
 */
bool waves_open(struct waves *waves, const struct simulator *simulator, const struct nvdla_config *config,
                const struct rtl_options *options, bool own_rtl, uint64_t *recorded, struct error *err);

/* waves outlives the observer. */
struct observer waves_observer(struct waves *waves);

#endif
