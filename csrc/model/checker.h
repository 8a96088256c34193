/* Applies the rules of legal programming to a running model: when a group is armed, when a layer's units are all armed,
 * when a table or BDMA's queue is accessed, and when a run hangs.
 *
 * A broken rule is a warning of the device; one whose result the chapters leave open refuses the launch, unless that is
 * allowed. Engines decide for themselves what they carry out and what they wait for: nothing here changes that.
 */
#ifndef MODEL_CHECKER_H
#define MODEL_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "model/bdma.h"
#include "model/register_group.h"
#include "model/rules.h"
#include "nvdla/lut.h"

/* What is known of a table: SDP's or CDP's. */
struct checker_table {
    bool loaded[LUT_LE_ENTRIES + LUT_LO_ENTRIES]; /* entries that have been written since reset */
    bool selected;                                /* ACCESS_CFG has been written since reset and the last layer */
};

struct checker {
    struct device *dev;
    const struct register_group *units;
    bool allow_undefined;          /* warn instead of refusing */
    int checked[RULE_SETS];        /* launch of the set's first unit that has been checked; -1: none */
    int dropped[NVDLA_UNIT_COUNT]; /* launch whose dropped writes have been told; -1: none */
    struct checker_table sdp, cdp;
};

void checker_init(struct checker *checker, struct device *dev, const struct register_group *units,
                  bool allow_undefined);
void checker_reset(struct checker *checker);

/* All of these return false if the program asks for what is undefined; err then holds the first reason, of kind
 * ERROR_REFUSED. */

/* A write has armed group PRODUCER of the unit. */
bool checker_launched(struct checker *checker, enum nvdla_unit unit, struct error *err);

/* Looks for layers whose units are all armed now. */
bool checker_started(struct checker *checker, struct error *err);

/* A register of SDP's or CDP's look-up table is about to be written. address: of the entry, for S_LUT_ACCESS_DATA */
bool checker_table_write(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value,
                         unsigned address, struct error *err);

/* CFG_OP or CFG_LAUNCHn of BDMA is about to be written. */
bool checker_bdma_write(struct checker *checker, const struct bdma *bdma, uint32_t offset, uint32_t value,
                        struct error *err);

/* A write to the D registers of an armed group has been dropped. */
void checker_dropped(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value);

/* Warns of the partners that armed units wait for; for runs that hang. */
void checker_explain(struct checker *checker);

#endif
