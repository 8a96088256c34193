/* Time and launches of a device under a live driver; see live_device.h. */
#include "live/live_device.h"

#include <inttypes.h>
#include <string.h>

#include "layers/cubes.h"
#include "nvdla/engines.h"
#include "nvdla/text.h"

/* Clocks of a slice, which every access may have to wait for; slices between two looks at the finished launches; slices
 * without a write after which a device without armed launches stands still; clocks after which the line shows what
 * was written to GLB. */
enum { SLICE = 200, LOOK = 5, QUIET = 10, SETTLE = 64 };

/* Clocks between two looks at the client that lets clocks pass. */
enum { RUN_SLICE = 20000 };

/* Launches whose registers are kept. */
enum { KEPT = 64, TRIM_EVERY = 1024 };

/* Origins of written bytes beyond which a quiet memory begins anew. */
enum { ORIGINS_MOST = 1 << 20 };

static void forget_launches(struct live_device *live) {
    layer_tracker_free(live->tracker);
    live->tracker = layer_tracker_new(live->dev->config);
    memset(live->launches, 0, sizeof live->launches);
    live->status = 0;
    live->moving = false;
    live->fresh = true;
}

bool live_device_open(struct live_device *live, struct device *dev, FILE *log, struct recording *recording,
                      struct error *err) {
    *live = (struct live_device){
        .dev = dev, .log = log, .recording = recording, .glb = nvdla_unit_base(dev->config, NVDLA_GLB)};
    for (int space = 0; space < SPACE_COUNT; space++)
        if (dev->memory[space])
            memory_confine(dev->memory[space]);
    forget_launches(live);
    return dev->ops->reset(dev, err);
}

void live_device_close(struct live_device *live) {
    layer_tracker_free(live->tracker);
    live->dev->ops->destroy(live->dev);
}

bool live_device_end(struct live_device *live, struct error *err) {
    return live->fresh || !live->owner.ended || live->owner.ended(live->owner.context, err);
}

bool live_device_reset(struct live_device *live, struct error *err) {
    if (live->fresh)
        return true;
    if (!live_device_end(live, err))
        return false;
    if (live->recording && !recording_end(live->recording, err))
        return false;
    live->hangs += live->hung;
    live->hung = false;
    live->clocks += live->dev->ops->time(live->dev);
    forget_launches(live);
    if (live->judge)
        judge_reset(live->judge);
    return live->dev->ops->reset(live->dev, err);
}

uint64_t live_device_clocks(const struct live_device *live) {
    return live->clocks + live->dev->ops->time(live->dev);
}

bool live_device_interrupt(struct live_device *live) {
    return live->dev->ops->interrupt(live->dev);
}

/* ---- launches ---- */

static void print_launch(const struct live_device *live, const struct live_launch *launch, bool done) {
    const uint64_t now = live->dev->ops->time(live->dev);
    if (!live->log)
        return;
    fprintf(live->log, "%s #%d %s at clock %" PRIu64, nvdla_unit_names[launch->unit], launch->ordinal,
            done ? "done" : "armed", now);
    if (done && !live->dev->timeless)
        fprintf(live->log, ", after %" PRIu64, now - launch->clock);
    fputc('\n', live->log);
    fflush(live->log);
}

/* Clock at which the first launch was armed that is at work. */
static uint64_t first_armed(const struct live_device *live) {
    uint64_t first = UINT64_MAX;
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS; bit++)
        if (live->launches[bit].armed && live->launches[bit].clock < first)
            first = live->launches[bit].clock;
    return first;
}

/* A bit of S_INTR_STATUS has risen, or its group is armed again. */
static void end_launch(struct live_device *live, int bit) {
    struct live_launch *launch = &live->launches[bit];
    if (!launch->armed)
        return;
    print_launch(live, launch, true);
    live->layers++;
    if (live->judge)
        judge_done(live->judge, launch->unit, launch->ordinal, first_armed(live));
    launch->armed = false;
}

static void note_launch(struct live_device *live, const struct launch *launch) {
    const uint32_t mask = nvdla_unit_interrupt(launch->unit, launch->group);
    if (mask) {
        const int bit = __builtin_ctz(mask);
        end_launch(live, bit);
        live->launches[bit] = (struct live_launch){.armed = true,
                                                   .unit = launch->unit,
                                                   .ordinal = launch->ordinal,
                                                   .group = launch->group,
                                                   .clock = live->dev->ops->time(live->dev)};
        print_launch(live, &live->launches[bit], false);
    }
    if (layer_tracker_count(live->tracker) % TRIM_EVERY == 0)
        layer_tracker_trim(live->tracker, KEPT);
}

static bool any_armed(const struct live_device *live) {
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS; bit++)
        if (live->launches[bit].armed)
            return true;
    return false;
}

static void see_status(struct live_device *live, uint32_t status) {
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS; bit++)
        if ((status & ~live->status) >> bit & 1)
            end_launch(live, bit);
    live->status = status;
}

/* Ends launches whose interrupt was not seen, because the driver had left its bit set or has cleared it at once: their
 * group is idle, and so is the memory. S_STATUS has the same offset in all units with groups. */
static bool end_idle(struct live_device *live, struct error *err) {
    struct device *dev = live->dev;
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS && dev->ops->at_rest(dev); bit++) {
        const struct live_launch *launch = &live->launches[bit];
        uint32_t status;
        if (!launch->armed || launch->unit == NVDLA_BDMA)
            continue;
        if (!dev->ops->csb_read(dev, nvdla_unit_base(dev->config, launch->unit) + SDP_S_STATUS, &status, err))
            return false;
        const uint32_t mask = launch->group ? SDP_S_STATUS__STATUS_1_MASK : SDP_S_STATUS__STATUS_0_MASK;
        if ((status & mask) == 0)
            end_launch(live, bit);
    }
    return true;
}

/* Reads which launches are done; that has no effect on the device. */
static bool look(struct live_device *live, struct error *err) {
    uint32_t status;
    if (!live->dev->ops->csb_read(live->dev, live->glb + GLB_S_INTR_STATUS, &status, err))
        return false;
    see_status(live, status);
    return true;
}

/* ---- accesses ---- */

/* True if the driver has not cleared the interrupt of a layer that wrote memory: it may yet read it. */
static bool owes_clearing(const struct live_device *live) {
    uint32_t bits = 0;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (judge_compares(unit))
            bits |= nvdla_unit_interrupt(unit, 0) | nvdla_unit_interrupt(unit, 1);
    return (live->status & bits) != 0;
}

/* Before the first launch after a moment without work, the recording may be cut. */
static bool offer_cut(struct live_device *live, struct error *err) {
    struct device *dev = live->dev;
    const struct recording_keeper *keeper = &live->recording->keeper;
    if (!keeper->can_cut(keeper->context))
        return true;
    if (!dev->ops->at_rest(dev) && dev->ops->advance(dev, SLICE, false, err) == DEVICE_FAILED)
        return false;
    if (!look(live, err) || !end_idle(live, err))
        return false;
    if (!any_armed(live) && !owes_clearing(live) && dev->ops->at_rest(dev))
        keeper->cut(keeper->context, &live->recording->log);
    return true;
}

static bool writes_memory(const struct live_device *live, const struct launch *launch) {
    struct cube cube;
    bool primary;
    return launch->block_count > 0 || launch_output_cube(live->dev->config, launch, &cube, &primary);
}

bool live_device_write(struct live_device *live, uint32_t address, uint32_t value, struct error *err) {
    struct device *dev = live->dev;
    live->writes++;
    live->quiet = 0;
    live->fresh = live->hung = false;
    const bool kept = live->recording && live->recording->keeper.context;
    if (kept && register_write_arms(dev->config, address, value) && !offer_cut(live, err))
        return false;
    if (live->recording)
        recording_register(live->recording, true, address, value);
    const struct launch *launch = layer_tracker_write(live->tracker, address, value, dev->ops->time(dev));
    if (launch) {
        live->moving = true;
        note_launch(live, launch);
        if (kept && writes_memory(live, launch))
            live->recording->keeper.layer(live->recording->keeper.context);
        if (live->listener.arming)
            live->listener.arming(live->listener.context, launch);
    }
    if (live->judge)
        judge_write(live->judge, address, value, launch);
    if (!dev->ops->csb_write(dev, address, value, false, err))
        return false;
    if (address == live->glb + GLB_S_INTR_STATUS)
        live->status &= ~value;
    const bool line = address >= live->glb + GLB_S_INTR_MASK && address <= live->glb + GLB_S_INTR_STATUS;
    return !line || dev->timeless || dev->ops->advance(dev, SETTLE, false, err) != DEVICE_FAILED;
}

bool live_device_read(struct live_device *live, uint32_t address, uint32_t *value, struct error *err) {
    live->reads++;
    if (live->judge)
        judge_read(live->judge, address);
    if (!live->dev->ops->csb_read(live->dev, address, value, err))
        return false;
    if (live->recording)
        recording_register(live->recording, false, address, *value);
    if (address == live->glb + GLB_S_INTR_STATUS)
        see_status(live, *value);
    return true;
}

/* ---- time ---- */

/* A moment without work: what grows in a long session is dropped. */
static void rest(struct live_device *live) {
    live->moving = false;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (live->dev->memory[space] && memory_origins(live->dev->memory[space]) > ORIGINS_MOST)
            memory_forget_origins(live->dev->memory[space]);
    if (live->judge && !any_armed(live))
        judge_rest(live->judge);
}

bool live_device_work(struct live_device *live, struct error *err) {
    struct device *dev = live->dev;
    const bool line = live_device_interrupt(live);
    if (!live->moving)
        return true;
    if (live->judge)
        judge_run(live->judge);
    const enum device_state state = dev->ops->advance(dev, SLICE, !line, err);
    if (state == DEVICE_FAILED) {
        live->moving = false;
        return false;
    }
    const bool rose = !line && live_device_interrupt(live);
    if ((rose || state == DEVICE_IDLE || ++live->quiet % LOOK == 0) && !look(live, err))
        return false;
    if (live->quiet > QUIET && live->quiet % LOOK == 0 && !end_idle(live, err))
        return false;
    const uint64_t limit = dev->still_limit;
    const bool stuck = dev->ops->still && limit && dev->ops->still(dev) > limit;
    if (state == DEVICE_IDLE || stuck || (live->quiet > QUIET && !any_armed(live) && dev->ops->at_rest(dev)))
        rest(live);
    return true;
}

bool live_device_run(struct live_device *live, uint64_t clocks, bool until_interrupt, struct error *err) {
    struct device *dev = live->dev;
    enum device_state state = DEVICE_RUNNING;
    const uint64_t most = dev->timeless ? 1 : RUN_SLICE;
    live->fresh = false;
    for (uint64_t part; clocks > 0 && state == DEVICE_RUNNING; clocks -= part) {
        part = clocks < most ? clocks : most;
        state = dev->ops->advance(dev, part, until_interrupt, err);
        if (live->listener.left && live->listener.left(live->listener.context))
            break;
    }
    if (state == DEVICE_FAILED || !look(live, err))
        return false;
    if (!any_armed(live) && dev->ops->at_rest(dev))
        rest(live);
    return true;
}

bool live_device_waits(const struct live_device *live) {
    return !live->moving && any_armed(live);
}

bool live_device_hung(struct live_device *live, struct error *err) {
    const uint64_t layers = live->layers;
    if (!look(live, err) || !end_idle(live, err))
        return false;
    if (live->layers != layers)
        return true;
    live->hung = true;
    if (live->owner.hung)
        live->owner.hung(live->owner.context);
    return true;
}

void live_device_print_findings(struct live_device *live) {
    const struct device *dev = live->dev;
    for (; live->findings < dev->finding_count; live->findings++) {
        const struct finding *finding = &dev->findings[live->findings];
        text_print_line(stderr, "nvcosim: finding at clock %" PRIu64 " (%s): %s", finding->cycle, finding->rule,
                        finding->text);
    }
}
