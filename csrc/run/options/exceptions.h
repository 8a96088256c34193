/* Bits of registers that a run does not compare: known differences of an RTL, as --except tells them, and bits of
 * engines that the configuration lacks, on an RTL that is another's. */
#pragma once

#include "nvdla/error.h"
#include "nvdla/text.h"
#include "replay/player.h"

struct exceptions {
    struct read_exception *list;
    size_t count;
};

/* Whether a text has the form UNIT.REGISTER[.FIELD][=MASK][:REASON], with names of some configuration. MASK: bits of
 * the field, or of the register. False with a message. */
bool exception_check(const char *text, struct error *err);

/* The exceptions of these texts for a configuration; those of registers that it has not are left out. foreign: the RTL
 * is neither this project's nor a copy of it. */
void exceptions_open(struct exceptions *exceptions, const struct words *texts, const struct nvdla_config *config,
                     bool foreign);
void exceptions_free(struct exceptions *exceptions);

/* A line for the result of `reads` reads that differ only there. malloc'd. */
char *exceptions_note(const struct exceptions *exceptions, const struct nvdla_config *config, const char *device,
                      uint64_t reads);
