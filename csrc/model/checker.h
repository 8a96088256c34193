/* Applies the rules of legal programming to a running model: when a group is armed, when a layer's units are all armed,
 * when a table or BDMA's queue is accessed, and when a run hangs.
 *
 * A broken rule is a warning of the device. If the spec leaves the result open, the launch is refused, unless that is
 * allowed. The checker does not change what engines execute or wait for. */
#pragma once

#include "device/device.h"
#include "model/bdma.h"
#include "model/register_group.h"
#include "model/rules.h"
#include "nvdla/lut.h"

/* State of SDP's or CDP's table. */
struct checker_table {
    bool loaded[LUT_LE_ENTRIES + LUT_LO_ENTRIES]; /* entries written since reset */
    bool selected;                                /* ACCESS_CFG has been written since reset and since the last layer */
};

struct checker {
    struct device *dev;
    const struct register_group *units;
    bool allow_undefined;          /* warn instead of refusing */
    int checked[RULE_SETS];        /* last checked launch of the set's first unit; -1: none */
    int dropped[NVDLA_UNIT_COUNT]; /* launch whose dropped writes have been reported; -1: none */
    int passed;                    /* layers of CSC whose data may have passed CACC: those with a lower ordinal */
    int spoilt[NVDLA_UNIT_COUNT];  /* launch that breaks a rule which spoils the next one; -1: none */
    int reads;                     /* of registers since CDMA or CSC was armed */
    int surplus;                   /* layer of CSC that has left results in the pipe; -1: none */
    int untaken;                   /* first layer of SDP_RDMA that ran beside one of SDP that takes nothing; -1: none */
    struct checker_table sdp, cdp;
};

void checker_init(struct checker *checker, struct device *dev, const struct register_group *units,
                  bool allow_undefined);
void checker_reset(struct checker *checker);

/* All of these return false if the program asks for undefined behaviour; err then holds the first reason, of kind
 * ERROR_REFUSED. */

/* A write has armed group PRODUCER of the unit. */
bool checker_launched(struct checker *checker, enum nvdla_unit unit, struct error *err);

/* Checks layers whose units are all armed now. */
bool checker_started(struct checker *checker, struct error *err);

/* The program has been played. */
void checker_played(struct checker *checker);

/* A register has been read, which takes time on a bus, but none here. */
void checker_read(struct checker *checker);

/* Time has passed since the last write. */
void checker_waited(struct checker *checker);

/* A register of SDP's or CDP's look-up table is about to be written. address: of the entry, for S_LUT_ACCESS_DATA. */
bool checker_table_write(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value,
                         unsigned address, struct error *err);

/* CFG_OP or CFG_LAUNCHn of BDMA is about to be written. */
bool checker_bdma_write(struct checker *checker, const struct bdma *bdma, uint32_t offset, uint32_t value,
                        struct error *err);

/* A write to the D registers of an armed group has been dropped. */
void checker_dropped(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value);

/* For runs that hang: warns of the partners that armed units wait for. */
void checker_explain(struct checker *checker);
