/* The text about a run that hung (replay/hang.h). */
#pragma once

#include "replay/player.h"

/* Lines of text: the reason; what every stream, check and event waits for; armed units; links between the engines;
 * findings of the device. free() it. */
char *hang_text(const struct hang *hang);

/* Puts hang_text() into the message of a result whose run hung. */
void hang_explain(struct play_result *result);
