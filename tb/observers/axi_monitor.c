/* AXI protocol rules; see axi_monitor.h. */
#include "tb/observers/axi_monitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum rule {
    AR_STABLE,
    AW_STABLE,
    W_STABLE,
    W_LAST,
    W_LEAD,
    W_STROBE,
    AR_4K,
    AW_4K,
    AR_LENGTH,
    AW_LENGTH,
    AR_ALIGN,
    AW_ALIGN,
    AR_ID,
    AW_ID,
    OUTSTANDING,
    RULE_COUNT
};

_Static_assert((int)RULE_COUNT == (int)MONITOR_RULES, "a counter per rule");

static const char *const rule_names[RULE_COUNT] = {
    "axi-ar-stable", "axi-aw-stable", "axi-w-stable", "axi-w-last",    "axi-w-lead",
    "axi-w-strobe",  "axi-ar-4k",     "axi-aw-4k",    "axi-ar-length", "axi-aw-length",
    "axi-ar-align",  "axi-aw-align",  "axi-ar-id",    "axi-aw-id",     "axi-outstanding",
};

enum { REPORTS_PER_RULE = 4 };

__attribute__((format(printf, 4, 5))) static void broken(struct axi_monitor *mon, uint64_t cycle, enum rule rule,
                                                         const char *format, ...) {
    if (mon->reports[rule]++ >= REPORTS_PER_RULE) {
        mon->dev->findings_dropped++;
        return;
    }
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct finding finding = {.cycle = cycle, .rule = rule_names[rule], .kind = FINDING_AXI, .owner = {-1, -1}};
    device_report(mon->dev, &finding, "%s port: %s", memory_space_name((enum memory_space)mon->port), text);
}

void axi_monitor_init(struct axi_monitor *mon, struct device *dev, int port) {
    const struct nvdla_config *config = dev->config;
    *mon = (struct axi_monitor){
        .dev = dev,
        .port = port,
        .bytes = (port ? config->cvsram_data_bits : config->dbb_data_bits) / 8,
        .burst_beats = port ? config->cvsram_burst_beats : config->dbb_burst_beats,
        .read_ids = nvdla_client_ids(config, false),
        .write_ids = nvdla_client_ids(config, true),
    };
    mon->atom = mon->bytes < config->mem_atom ? mon->bytes : config->mem_atom;
}

void axi_monitor_reset(struct axi_monitor *mon) {
    mon->ar_held = mon->aw_held = mon->w_held = false;
    mon->length_head = mon->length_count = 0;
    mon->early_head = mon->early_count = 0;
    mon->beat = 0;
    mon->reads = mon->writes = 0;
}

bool axi_monitor_holds(const struct axi_monitor *mon) {
    return mon->ar_held || mon->aw_held || mon->w_held;
}

struct axi_request {
    uint64_t address;
    int id, length;
};

static struct axi_request read_request(const struct axi_outputs *out) {
    return (struct axi_request){out->araddr, out->arid, out->arlen};
}

static struct axi_request write_request(const struct axi_outputs *out) {
    return (struct axi_request){out->awaddr, out->awid, out->awlen};
}

/* AR or AW, as it waited for ready in the previous clock and as it is now. */
static void check_held_request(struct axi_monitor *mon, uint64_t cycle, bool write, bool valid, struct axi_request held,
                               struct axi_request now) {
    const enum rule rule = write ? AW_STABLE : AR_STABLE;
    const char *name = write ? "aw" : "ar";
    if (!valid)
        broken(mon, cycle, rule, "%svalid fell before %sready (%saddr 0x%llx, %sid %d)", name, name, name,
               (unsigned long long)held.address, name, held.id);
    else if (now.address != held.address || now.id != held.id || now.length != held.length)
        broken(mon, cycle, rule, "%s changed before %sready: %saddr 0x%llx to 0x%llx, %sid %d to %d, %slen %d to %d",
               write ? "AW" : "AR", name, name, (unsigned long long)held.address, (unsigned long long)now.address, name,
               held.id, now.id, name, held.length, now.length);
}

/* Rules of a channel that waited for ready in the previous clock. */
static void check_held(struct axi_monitor *mon, uint64_t cycle, const struct axi_outputs *out) {
    const struct axi_outputs *held = &mon->held;
    if (mon->ar_held)
        check_held_request(mon, cycle, false, out->arvalid, read_request(held), read_request(out));
    if (mon->aw_held)
        check_held_request(mon, cycle, true, out->awvalid, write_request(held), write_request(out));
    if (mon->w_held) {
        if (!out->wvalid)
            broken(mon, cycle, W_STABLE, "wvalid fell before wready");
        else if (out->wstrb != held->wstrb || out->wlast != held->wlast ||
                 memcmp(out->wdata, held->wdata, (size_t)mon->bytes))
            broken(mon, cycle, W_STABLE, "wdata, wstrb or wlast changed before wready");
    }
}

static void check_address(struct axi_monitor *mon, uint64_t cycle, bool write, uint64_t address, int id, int beats) {
    const char *name = write ? "aw" : "ar";
    const uint32_t known = write ? mon->write_ids : mon->read_ids;
    const uint64_t aligned = address & ~(uint64_t)(mon->bytes - 1);
    if (id > 15 || !(known >> id & 1))
        broken(mon, cycle, write ? AW_ID : AR_ID, "%sid %d has no client in this configuration (%saddr 0x%llx)", name,
               id, name, (unsigned long long)address);
    if (beats > mon->burst_beats)
        broken(mon, cycle, write ? AW_LENGTH : AR_LENGTH,
               "burst of %d beats, at most %d in this configuration (%sid %d)", beats, mon->burst_beats, name, id);
    if ((aligned & 4095) + (uint64_t)(beats * mon->bytes) > 4096)
        broken(mon, cycle, write ? AW_4K : AR_4K, "burst of %d beats from 0x%llx crosses 4 KiB (%sid %d)", beats,
               (unsigned long long)address, name, id);
    if (!write && aligned != address)
        broken(mon, cycle, AR_ALIGN, "araddr 0x%llx is not a multiple of %d (arid %d)", (unsigned long long)address,
               mon->bytes, id);
    if (write && id != 2 && id != 3 && address % (uint64_t)mon->atom)
        broken(mon, cycle, AW_ALIGN, "awaddr 0x%llx is not a multiple of %d (awid %d)", (unsigned long long)address,
               mon->atom, id);
}

static void check_length(struct axi_monitor *mon, uint64_t cycle, int got, int expected) {
    if (got != expected)
        broken(mon, cycle, W_LAST, "wlast at beat %d of a burst whose awlen says %d", got, expected);
}

static void write_address(struct axi_monitor *mon, uint64_t cycle, const struct axi_outputs *out) {
    check_address(mon, cycle, true, out->awaddr, out->awid, out->awlen + 1);
    if (++mon->writes > MONITOR_OUTSTANDING)
        broken(mon, cycle, OUTSTANDING, "%u write bursts in flight, at most %d", mon->writes, MONITOR_OUTSTANDING);
    if (mon->early_count) { /* its data is already complete */
        check_length(mon, cycle, mon->early[mon->early_head], out->awlen + 1);
        mon->early_head = (mon->early_head + 1) % MONITOR_W_LEAD;
        mon->early_count--;
        return;
    }
    if (mon->length_count < sizeof mon->lengths)
        mon->lengths[(mon->length_head + mon->length_count++) % sizeof mon->lengths] = (uint8_t)(out->awlen + 1);
}

static void write_data(struct axi_monitor *mon, uint64_t cycle, const struct axi_outputs *out) {
    const uint64_t atom = mon->atom == 64 ? UINT64_MAX : ((uint64_t)1 << mon->atom) - 1;
    bool constant = true;
    for (int i = 0; i < mon->bytes; i += mon->atom) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a port has at most 64 bytes */
        const uint64_t part = out->wstrb >> i & atom;
        constant = constant && (part == 0 || part == atom);
    }
    if (!out->wstrb || !constant)
        broken(mon, cycle, W_STROBE, "wstrb 0x%llx is %s", (unsigned long long)out->wstrb,
               out->wstrb ? "not constant over an atom" : "0");
    mon->beat++;
    if (mon->length_count && !out->wlast && mon->beat >= mon->lengths[mon->length_head]) {
        broken(mon, cycle, W_LAST, "no wlast at beat %u, the last of its burst by awlen", mon->beat);
    } else if (!out->wlast) {
        return;
    } else if (mon->length_count) {
        check_length(mon, cycle, (int)mon->beat, mon->lengths[mon->length_head]);
    } else {
        if (mon->early_count == MONITOR_W_LEAD)
            broken(mon, cycle, W_LEAD, "more than %d bursts of write data without address", MONITOR_W_LEAD);
        else
            mon->early[(mon->early_head + mon->early_count++) % MONITOR_W_LEAD] = (uint8_t)mon->beat;
        mon->beat = 0;
        return;
    }
    mon->beat = 0;
    mon->length_head = (mon->length_head + 1) % (unsigned)sizeof mon->lengths;
    mon->length_count--;
}

void axi_monitor_clock(struct axi_monitor *mon, uint64_t cycle, const struct axi_outputs *out,
                       const struct axi_inputs *in) {
    if (axi_monitor_holds(mon))
        check_held(mon, cycle, out);
    mon->ar_held = out->arvalid && !in->arready;
    mon->aw_held = out->awvalid && !in->awready;
    mon->w_held = out->wvalid && !in->wready;
    if (axi_monitor_holds(mon))
        mon->held = *out;

    if (in->rvalid && out->rready && in->rlast && mon->reads)
        mon->reads--;
    if (in->bvalid && out->bready && mon->writes)
        mon->writes--;
    if (out->arvalid && in->arready) {
        check_address(mon, cycle, false, out->araddr, out->arid, out->arlen + 1);
        if (++mon->reads > MONITOR_OUTSTANDING)
            broken(mon, cycle, OUTSTANDING, "%u reads in flight, at most %d", mon->reads, MONITOR_OUTSTANDING);
    }
    if (out->awvalid && in->awready)
        write_address(mon, cycle, out);
    if (out->wvalid && in->wready)
        write_data(mon, cycle, out);
}

static void reset_monitor(void *context) {
    axi_monitor_reset(context);
}

static bool port_monitor(void *context, const struct sampled *now, int port) {
    struct axi_monitor *mon = context;
    if (port != mon->port)
        return false;
    axi_monitor_clock(mon, now->cycle, now->out[port], now->in[port]);
    return axi_monitor_holds(mon);
}

struct observer axi_monitor_observer(struct axi_monitor *mon) {
    return (struct observer){.context = mon, .reset = reset_monitor, .port = port_monitor};
}
