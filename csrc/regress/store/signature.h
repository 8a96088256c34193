/* What a failure looks like, in one word: failures of the same signature probably have the same cause. nvcosim debug is
 * more precise, but looks at few failures. */
#ifndef REGRESS_STORE_SIGNATURE_H
#define REGRESS_STORE_SIGNATURE_H

#include "run/result/result.h"

/* NULL for a result that passed; else free() it:
 *
 *     rule:AXI-RULE             a finding of a device: its first rule
 *     value:UNIT, golden:UNIT   memory differs between the devices, or from a golden: the unit that wrote the first
 *                               byte; none: no layer did
 *     check                     a check of the trace failed, no memory differs
 *     hang:ENGINE               nothing moves: the engine at the end of the waits; hang without it
 *     limit                     it moves, but is not done within its limits
 *     refused                   the spec leaves the result open
 *     crash:SIGSEGV, crash:3    the simulator ended without a verdict: by a signal, with a status
 *     error                     it was not played
 */
char *result_signature(const struct result *result);

/* The same, and the words of its reason where the signature says little: of crashes, errors, refusals, and where no RTL
 * was compared with a model. Numbers and paths, which differ from trace to trace, are left out of them. */
char *result_likeness(const struct result *result);

#endif
