/* Scoreboard of the accounts between CDMA, CSC and CACC. What CDMA reports to CSC must have been written into CBUF, and
 * be in sum what the registers of the launch say; what CSC releases must have been reported; rows that CSC issues as
 * final must have room in CACC's delivery buffer; CACC gives one credit back for each row that SDP has taken.
 *
 * Of an engine that gets its account wrong nothing else need differ until another one reads what is not there yet, or
 * stands still. INT8 configurations. Spec: 30-cdma-cbuf sections 5, 8 and 9, 40-convolution-core sections 6 and 8.3.
 */
#ifndef TB_OBSERVERS_ACCOUNT_BOARD_H
#define TB_OBSERVERS_ACCOUNT_BOARD_H

#include "nvdla/config.h"
#include "observe/scoreboard.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"

/* result: filled in while the observer is called; outlives it, as the configuration does. NULL if the source lacks one
 * of the streams CBUF_DAT, CBUF_WT, CACC_SAT, *_REPORT, *_RELEASE and ROW_*, or the configuration has 16-bit types. */
struct account_board *account_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                        struct account *result);

/* Frees the scoreboard when it is released. */
struct observer account_board_observer(struct account_board *board);

#endif
