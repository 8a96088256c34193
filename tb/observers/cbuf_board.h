/* Scoreboard of CBUF: CSC must read from an entry what was last written there, by CDMA or by the zero fill after reset.
 * It always mirrors the writes it sees, and compares the reads when comparing is on; slots that it never saw written
 * are not compared. Spec: 30-cdma-cbuf section 4. */
#pragma once

#include "nvdla/config.h"
#include "observe/scoreboard.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"

/* result: filled in by the observer; it and the configuration must outlive the scoreboard. NULL if the source lacks one
 * of the streams CBUF_WR_* and CBUF_RD_*. */
struct cbuf_board *cbuf_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                  struct scoreboard *result);

/* Turns comparing of reads on or off. A new scoreboard only mirrors writes. */
void cbuf_board_compare(struct cbuf_board *board, bool on);

/* Releasing the observer frees the scoreboard. */
struct observer cbuf_board_observer(struct cbuf_board *board);
