/* Builds simulators while nothing waits for them. */
#pragma once

#include <stdbool.h>

/* After a failure: starts to build the simulator with waves that `nvcosim debug` needs, if it is missing or old, and
 * says so in a line on stderr. A process of its own builds, at low priority; it ends with the build, not with its
 * caller. Nothing is started while another process builds it. always: otherwise only for a user at a terminal, outside
 * of CI, while a core is free. */
void build_waves_in_background(const char *config, const char *rtl_name, bool always);
