/* Collects the facts of a hang from the player's state and the device's registers; changes neither. */
#include "replay/hang.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "replay/hang_triage.h"
#include "replay/stream.h"

/* Reads a register of a unit that the device implements. Returns false if there is none or it cannot be read. */
static bool peek(const struct player *p, const struct nvdla_register *reg, uint32_t *value) {
    return reg && (p->dev->units >> reg->unit & 1u) && p->dev->ops->csb_read(p->dev, reg->address, value, NULL);
}

static void find_streams(const struct player *p, struct hang *hang) {
    hang->streams = xcalloc(p->prog->stream_count + 1, sizeof *hang->streams);
    for (size_t i = 0; i < p->prog->stream_count; i++) {
        const struct stream *stream = &p->streams[i];
        if (stream->next >= stream->count)
            continue;
        const size_t op = stream->ops[stream->next];
        hang->streams[hang->stream_count++] = (struct hang_stream){
            .stream = i,
            .op = op,
            .index = stream->next,
            .count = stream->count,
            .unit_absent = p->prog->ops[op].kind == OP_POLL && !unit_is_there(p, p->prog->ops[op].address),
        };
    }
}

static void find_checks_and_events(const struct player *p, struct hang *hang) {
    hang->checks = xcalloc(p->deferred_count + 1, sizeof *hang->checks);
    memcpy(hang->checks, p->deferred, p->deferred_count * sizeof *hang->checks);
    hang->check_count = p->deferred_count;
    hang->events = xcalloc(p->prog->event_count + 1, sizeof *hang->events);
    for (size_t event = 0; event < p->prog->event_count; event++)
        if (!p->raised[event])
            hang->events[hang->event_count++] = (int)event;
}

/* Units with armed register groups: they have not ended, or wait for a unit that is not armed. */
static void find_armed(const struct player *p, struct hang *hang) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const bool bdma = unit == NVDLA_BDMA;
        const struct nvdla_register *reg = nvdla_register_find(p->prog->config, unit, bdma ? "STATUS" : "S_STATUS");
        uint32_t value;
        if (!peek(p, reg, &value))
            continue;
        for (size_t i = 0; i < reg->field_count && hang->armed_count < HANG_ARMED; i++) {
            const char *digit = strpbrk(reg->fields[i].name, "01"); /* STATUS_0, STATUS_1, GRP0_BUSY, GRP1_BUSY */
            const uint32_t state = nvdla_field_value(&reg->fields[i], value);
            if (state && digit)
                hang->armed[hang->armed_count++] = (struct hang_armed){unit, *digit - '0', state == 2};
        }
    }
}

static void find_blocked(const struct player *p, struct hang *hang) {
    const struct nvdla_register_map *map = &nvdla_register_maps[p->prog->config->map];
    for (size_t r = 0; r < map->count; r++) {
        const struct nvdla_register *reg = &map->registers[r];
        uint32_t value;
        if (!(reg->kinds & REGISTER_WEIGHT) || !nvdla_has_unit(p->prog->config, reg->unit) || !peek(p, reg, &value))
            continue;
        for (size_t i = 0; i < reg->field_count && hang->blocked_count < HANG_BLOCKED; i++)
            if (nvdla_field_value(&reg->fields[i], value) == 0 && !strstr(reg->fields[i].name, "RSV"))
                hang->blocked[hang->blocked_count++] = (struct hang_blocked){reg, &reg->fields[i]};
    }
}

struct hang *hang_new(const struct player *p, enum hang_reason reason, uint64_t clocks) {
    struct device *dev = p->dev;
    struct hang *hang = xcalloc(1, sizeof *hang);
    *hang = (struct hang){
        .reason = reason,
        .clocks = clocks,
        .prog = p->prog,
        .dev = dev,
        .now = dev->ops->time(dev),
        .last_done = p->progress_time,
        .done = p->done,
        .total = p->total,
        .kept = p->kept,
    };
    if (dev->ops->waits)
        hang->waits = dev->ops->waits(dev);
    if (dev->ops->explain)
        dev->ops->explain(dev);
    find_streams(p, hang);
    find_checks_and_events(p, hang);
    hang->answers = dev->ops->csb_read(dev, p->glb_status, &hang->intr_status, NULL) &&
                    dev->ops->csb_read(dev, p->glb_mask, &hang->intr_mask, NULL) && !p->strange.found &&
                    !nvdla_register_excess(p->prog->config, p->glb_status, hang->intr_status);
    if (hang->answers) {
        hang->intr_line = dev->ops->interrupt(dev);
        find_armed(p, hang);
        find_blocked(p, hang);
    }
    hang->triage = hang_triage_new(hang);
    return hang;
}

void hang_free(struct hang *hang) {
    if (!hang)
        return;
    hang_triage_free(hang->triage);
    free(hang->streams);
    free(hang->checks);
    free(hang->events);
    free(hang);
}
