/* The GTKWave save file beside a wave file: the signals to show, their groups and formats, and the initial view.
 *
 * It is written after the recording, from the contents of the wave file: every name in it exists, and signals that
 * never change are folded away. Translations of numbers to names (register addresses, AXI IDs, states, register fields)
 * are in separate files in a folder beside it. */
#pragma once

#include "device/wave_view.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "tb/simulator.h"

/* Writes NAME.gtkw and NAME.filters/, and for the viewer Surfer the same signals as commands in NAME.sucl, for the wave
 * file NAME.fst, which must be complete.
 *
 *     scopes   the scopes of the recording (struct wave_options); warns on stderr of each that has no signal
 *     view     the initial view */
bool wave_save_write(const char *path, const struct nvdla_config *config, const struct simulator *simulator,
                     const char *const *scopes, const struct wave_view *view, struct error *err);
