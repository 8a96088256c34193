/* Collects the facts of hang_facts.h from the player and its device. */
#pragma once

#include "replay/hang_facts.h"

struct player;

/* Collects the facts; reads registers of the device and its own explanation. clocks: see struct hang. */
struct hang *hang_new(const struct player *p, enum hang_reason reason, uint64_t clocks);

/* hang may be NULL. */
void hang_free(struct hang *hang);
