/* Scoreboard of CBUF: what CSC reads at an entry must be what was last written there, by CDMA or by the zero fill after
 * reset. It keeps a mirror of the buffer from the writes it sees, from the beginning, and compares what is read while
 * it is told to; slots whose writing it did not see are not compared. Spec: 30-cdma-cbuf section 4.
 */
#ifndef TB_OBSERVERS_CBUF_BOARD_H
#define TB_OBSERVERS_CBUF_BOARD_H

#include "nvdla/config.h"
#include "observe/scoreboard.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"

/* result: filled in while the observer is called; outlives it, as the configuration does. NULL if the source lacks one
 * of the streams CBUF_WR_* and CBUF_RD_*. */
struct cbuf_board *cbuf_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                  struct scoreboard *result);

/* Begins to compare what is read, or ends it. A new scoreboard only follows what is written. */
void cbuf_board_compare(struct cbuf_board *board, bool on);

/* Frees the scoreboard when it is released. */
struct observer cbuf_board_observer(struct cbuf_board *board);

#endif
