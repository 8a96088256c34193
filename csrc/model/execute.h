/* Runs a layer and ends it: memory, status registers, groups, interrupts, taps. */
#pragma once

#include "model/machine.h"
#include "model/schedule.h"

/* Executes what schedule_find() has found. */
void execute(struct model *model, const struct work *work);
