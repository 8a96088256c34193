/* CSB master; see csb_master.h. */
#include "tb/csb_master.h"

#include "nvdla/registers.h"

enum { REPORTS = 8 };

void csb_master_start(struct csb_master *csb, bool write, bool nposted, uint32_t address, uint32_t value) {
    csb->state = CSB_REQUEST;
    csb->write = write;
    csb->nposted = nposted;
    csb->address = address & 0x3fffc;
    csb->value = value;
}

/* Registers of a unit are mostly accessed one after the other: such a response is of the unit of the last access. */
static void unrequested(struct csb_master *csb, struct device *dev, uint64_t cycle, const char *rule,
                        const char *text) {
    const enum nvdla_unit unit = nvdla_unit_at(dev->config, csb->address);
    const struct owner owner = {unit < NVDLA_UNIT_COUNT ? (int16_t)unit : -1, -1};
    if (csb->reports++ < REPORTS)
        device_report(dev, &(struct finding){.cycle = cycle, .rule = rule, .owner = owner},
                      "%s; the last access is to %s", text,
                      unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[unit] : "no unit");
    else
        dev->findings_dropped++;
}

bool csb_master_clock(struct csb_master *csb, struct device *dev, uint64_t cycle, bool ready, bool valid, bool complete,
                      uint32_t data) {
    const bool reading = csb->state == CSB_RESPONSE && !csb->write;
    const bool completing = csb->state == CSB_RESPONSE && csb->write;
    if (valid && !reading)
        unrequested(csb, dev, cycle, "csb-read-unrequested", "nvdla2csb_valid without a read outstanding");
    if (complete && !completing)
        unrequested(csb, dev, cycle, "csb-complete-unrequested",
                    "nvdla2csb_wr_complete without a non-posted write outstanding");
    if (valid && reading) {
        csb->value = data;
        csb->state = CSB_IDLE;
    }
    if (complete && completing)
        csb->state = CSB_IDLE;
    if (csb->state != CSB_REQUEST || !ready)
        return false;
    csb->state = csb->write && !csb->nposted ? CSB_IDLE : CSB_RESPONSE;
    return true;
}
