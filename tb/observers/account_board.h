/* Scoreboard of the accounts between CDMA, CSC and CACC. What CDMA reports to CSC must have been written into CBUF,
 * with totals as in the registers of the launch; what CSC releases must have been reported; rows that CSC issues as
 * final must have room in CACC's delivery buffer; CACC returns one credit for each row that SDP has taken.
 *
 * A wrong account often shows nothing else until another engine reads missing data or hangs. Spec: 30-cdma-cbuf
 * sections 5, 8 and 9, 40-convolution-core sections 6 and 8.3. */
#pragma once

#include "nvdla/config.h"
#include "observe/scoreboard.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"

/* result: filled in by the observer; it and the configuration must outlive the scoreboard. NULL if the source lacks one
 * of the streams CBUF_DAT, CBUF_WT, CACC_SAT, *_REPORT, *_RELEASE and ROW_*. */
struct account_board *account_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                        struct account *result);

/* Releasing the observer frees the scoreboard. */
struct observer account_board_observer(struct account_board *board);
