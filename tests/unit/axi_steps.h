/* Steps (steps.h) of the signals of an AXI port:
 *
 *     ar, aw ID ADDRESS BEATS        offers a burst; of one beat at 0 if nothing is said
 *     w, wlast STROBES VALUE         offers a beat of data
 *     r, rlast ID, b ID              the memory answers
 *     idle, no-ar, no-aw, no-r       nothing of that is offered
 *     take, refuse; busy, ready      the design takes no answers, or does; the memory takes nothing, anything
 *     take-ar, take-aw               the memory takes one of these
 */
#pragma once

#include "tb/axi.h"
#include "tests/unit/steps.h"

static inline bool axi_design_step(struct axi_outputs *out, const struct step *step) {
    const uint8_t id = (uint8_t)strtoul(step->word[1], NULL, 0);
    const uint64_t address = strtoull(step->word[2], NULL, 0);
    const uint8_t length = step->count > 3 ? (uint8_t)(step_number(step, 3) - 1) : 0;
    if (step_is(step, "ar")) {
        out->arvalid = true;
        out->arid = id;
        out->araddr = address;
        out->arlen = length;
    } else if (step_is(step, "aw")) {
        out->awvalid = true;
        out->awid = id;
        out->awaddr = address;
        out->awlen = length;
    } else if (step_is(step, "w") || step_is(step, "wlast")) {
        out->wvalid = true;
        out->wstrb = strtoull(step->word[1], NULL, 0);
        out->wlast = step_is(step, "wlast");
        memset(out->wdata, (int)address, sizeof out->wdata);
    } else if (step_is(step, "idle"))
        out->arvalid = out->awvalid = out->wvalid = false;
    else if (step_is(step, "no-ar"))
        out->arvalid = false;
    else if (step_is(step, "no-aw"))
        out->awvalid = false;
    else if (step_is(step, "take") || step_is(step, "refuse"))
        out->rready = out->bready = step_is(step, "take");
    else
        return false;
    return true;
}

static inline bool axi_memory_step(struct axi_inputs *in, const struct step *step) {
    const uint8_t id = (uint8_t)strtoul(step->word[1], NULL, 0);
    if (step_is(step, "r") || step_is(step, "rlast") || step_is(step, "no-r")) {
        in->rvalid = !step_is(step, "no-r");
        in->rlast = step_is(step, "rlast");
        in->rid = id;
    } else if (step_is(step, "b")) {
        in->bvalid = true;
        in->bid = id;
    } else if (step_is(step, "busy") || step_is(step, "ready"))
        in->arready = in->awready = in->wready = step_is(step, "ready");
    else if (step_is(step, "take-ar"))
        in->arready = true;
    else if (step_is(step, "take-aw"))
        in->awready = true;
    else
        return false;
    return true;
}
