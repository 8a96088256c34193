/* The words for a run that hung (replay/hang.h). */
#ifndef REPORT_HANG_TEXT_H
#define REPORT_HANG_TEXT_H

#include "replay/player.h"

/* Lines for a person: the reason, then what every stream, check and event waited for, the units that were armed, the
 * links between the engines, and what the device had found. The caller frees it. */
char *hang_text(const struct hang *hang);

/* Puts hang_text() into the message of a result whose run hung. */
void hang_explain(struct play_result *result);

#endif
