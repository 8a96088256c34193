/* The GTKWave save file beside a recorded wave: which signals to show, in which groups, in which format, where to look
 * first.
 *
 * It is written when the recording is over, from what the wave file holds: every name in it exists there, and what
 * never moves is folded away. Translations of numbers into names (register addresses, AXI IDs, states, register fields)
 * stand in files of their own in a folder beside it.
 */
#ifndef TB_OBSERVERS_WAVE_SAVE_H
#define TB_OBSERVERS_WAVE_SAVE_H

#include "device/wave_view.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "tb/simulator.h"

/* Writes NAME.gtkw and NAME.filters/ for the wave file NAME.fst, which must be complete.
 *
 * scopes   what the recording was limited to (struct wave_options); one that holds no signal gets a warning to stderr
 * view     what to show first
 */
bool wave_save_write(const char *path, const struct nvdla_config *config, const struct simulator *simulator,
                     const char *const *scopes, const struct wave_view *view, struct error *err);

#endif
