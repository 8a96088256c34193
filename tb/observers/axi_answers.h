/* Protocol rules for the answers that the memory, or a bus before it, gives on one AXI port. Each violation is a
 * finding; repeated ones are only counted after a few reports.
 *
 *     axi-r-id      a read beat whose ID has no open request
 *     axi-r-last    rlast missing at the last beat of the oldest request of that ID, or before it: a beat was lost or
 *                   repeated, or bursts of different lengths changed places
 *     axi-r-stable  rvalid fell, or its ID, data or rlast changed, before rready
 *     axi-b-id      a write response whose ID has no open write
 *     axi-b-early   a write response before the last beat of its burst
 *     axi-b-stable  bvalid fell, or its ID changed, before bready
 *
 * Data is not looked at: two answers of one ID and one length that changed places are legal for anyone who sees only
 * the bus. Spec: 70-memory-interface section 2. */
#pragma once

#include "device/device.h"
#include "tb/axi.h"
#include "tb/observers/observer.h"

enum {
    ANSWER_RULES = 6,
    ANSWER_IDS = 256,
    ANSWER_OPEN = 1024 /* requests in flight per direction; more than the memory takes */
};

struct axi_answers {
    struct device *dev; /* receives the findings */
    int port, bytes;    /* 0 primary, 1 secondary; data bus */
    struct open_read {
        uint8_t id, left; /* beats; 0: answered */
    } reads[ANSWER_OPEN]; /* ring in AR order */
    unsigned read_head, read_count;
    uint8_t writes[ANSWER_OPEN]; /* ring of IDs of bursts with incomplete data, in AW order */
    unsigned write_head, write_count;
    unsigned ahead;                                   /* whole bursts of data before their AW */
    uint16_t incomplete[ANSWER_IDS], due[ANSWER_IDS]; /* writes without all data; with, and not answered */
    uint16_t answered_early[ANSWER_IDS];              /* answered before their data was complete */
    struct axi_inputs held;
    bool r_held, b_held; /* offered, not taken */
    unsigned reports[ANSWER_RULES];
};

void axi_answers_init(struct axi_answers *answers, struct device *dev, int port);

/* Forgets everything in flight (reset of the design). */
void axi_answers_reset(struct axi_answers *answers);

/* Checks one clock of the design and the memory. */
void axi_answers_clock(struct axi_answers *answers, uint64_t cycle, const struct axi_outputs *out,
                       const struct axi_inputs *in);

/* The observer that feeds answers with the clocks of its port; answers must outlive it. */
struct observer axi_answers_observer(struct axi_answers *answers);
