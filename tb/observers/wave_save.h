/* The GTKWave save file beside a recorded wave: which signals to show, in which groups, in which format. */
#ifndef TB_OBSERVERS_WAVE_SAVE_H
#define TB_OBSERVERS_WAVE_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

/* Writes NAME.gtkw for the wave file NAME.fst (or PATH.gtkw if path has another ending).
 *
 * path     the wave file, as the run names it
 * from     cycle at which the display starts
 * own_rtl  the design is this project's: the streams between its engines are shown too; of other RTL only the ports
 */
bool waves_write_save(const char *path, const struct nvdla_config *config, bool own_rtl, uint64_t from,
                      struct error *err);

#endif
