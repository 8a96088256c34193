/* The model beside a live device; see judge.h. */
#include "live/judge.h"

#include <stdlib.h>

#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

/* ---- what was written ---- */

static void add_range(struct judge_ranges *ranges, uint64_t address, uint64_t n) {
    struct judge_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->address + last->size == address) {
        last->size += n;
        return;
    }
    *xadd(ranges->items, ranges->count) = (struct judge_range){address, n};
}

static struct judge_launch *launch_of(struct judge *judge, int unit, int ordinal) {
    for (size_t i = 0; i < judge->count; i++)
        if ((int)judge->launches[i].unit == unit && judge->launches[i].ordinal == ordinal)
            return &judge->launches[i];
    struct judge_launch *launch = xadd(judge->launches, judge->count);
    *launch = (struct judge_launch){.unit = (enum nvdla_unit)unit, .ordinal = ordinal};
    return launch;
}

static bool owns(const struct memory_origin *origin, int unit, int ordinal) {
    return origin->unit == unit && origin->ordinal == ordinal;
}

/* Forgets what a launch has written, and no launch since. */
static void drop(struct memory *mem, struct judge_ranges *ranges, const struct judge_launch *launch) {
    struct memory_origin origin;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct judge_range *range = &ranges->items[i];
        for (uint64_t at = 0, run; at < range->size; at += run)
            if (memory_origin_run(mem, range->address + at, range->size - at, &origin, &run) &&
                owns(&origin, (int)launch->unit, launch->ordinal))
                memory_drop(mem, range->address + at, run);
    }
    free(ranges->items);
}

static void end_launch(struct judge *judge, struct judge_launch *launch) {
    drop(judge->image, &launch->model, launch);
    drop(judge->written, &launch->device, launch);
    *launch = judge->launches[--judge->count];
}

/* As in struct memory_listener, of the image. */
static void note_written(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    add_range(&launch_of(context, origin->unit, origin->ordinal)->model, address, n);
}

/* Likewise. */
static void note_read(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    struct judge *judge = context;
    uint8_t bytes[MEMORY_PAGE];
    for (size_t part; n > 0; address += part, n -= part) {
        part = n < sizeof bytes ? n : sizeof bytes;
        memory_read(judge->image, address, bytes, part);
        memory_write(judge->read, address, bytes, part, NULL, origin);
    }
}

/* ---- life ---- */

/* Three empty memories. */
static void begin(struct judge *judge) {
    judge->image = judge->model->memory[SPACE_PRIMARY] = memory_new();
    if (judge->model->memory[SPACE_SECONDARY])
        judge->model->memory[SPACE_SECONDARY] = judge->image;
    memory_over(judge->image, judge->dut->memory[SPACE_PRIMARY]);
    memory_confine(judge->image);
    memory_listen(judge->image, (struct memory_listener){note_written, note_read, judge});
    judge->written = memory_new();
    judge->read = memory_new();
}

static void end(struct judge *judge) {
    while (judge->count > 0)
        end_launch(judge, &judge->launches[judge->count - 1]);
    if (judge->model->memory[SPACE_SECONDARY] != judge->image)
        memory_free(judge->model->memory[SPACE_SECONDARY]);
    memory_free(judge->image);
    memory_free(judge->written);
    memory_free(judge->read);
}

void judge_open(struct judge *judge, struct device *model, struct judge_listener listener) {
    *judge = (struct judge){.model = model, .listener = listener, .glb = nvdla_unit_base(model->config, NVDLA_GLB)};
}

void judge_attach(struct judge *judge, const struct device *dut) {
    judge->dut = dut;
    memory_free(judge->model->memory[SPACE_PRIMARY]);
    memory_free(judge->model->memory[SPACE_SECONDARY]);
    begin(judge);
}

void judge_close(struct judge *judge) {
    if (judge->dut) {
        end(judge);
        judge->model->memory[SPACE_PRIMARY] = judge->model->memory[SPACE_SECONDARY] = NULL;
    }
    free(judge->launches);
    judge->model->ops->destroy(judge->model);
}

void judge_rest(struct judge *judge) {
    if (judge->due)
        return;
    end(judge);
    begin(judge);
    judge->changed = judge->strayed = false;
}

void judge_reset(struct judge *judge) {
    struct error err;
    judge->due = false;
    judge->lost = !judge->model->ops->reset(judge->model, &err);
    judge_rest(judge);
}

/* The model cannot follow any longer. */
static void lose(struct judge *judge, const struct error *err) {
    judge->lost = true;
    judge->due = false;
    judge->listener.heard(judge->listener.context, NULL, err->text);
}

/* ---- the model ---- */

void judge_write(struct judge *judge, uint32_t address, uint32_t value, const struct launch *launch) {
    struct error err;
    if (judge->lost)
        return;
    const uint32_t mask = launch ? nvdla_unit_interrupt(launch->unit, launch->group) : 0;
    if (mask)
        judge->armed[__builtin_ctz(mask)] = (struct owner){(int16_t)launch->unit, launch->ordinal};
    if (!judge->model->ops->csb_write(judge->model, address, value, false, &err)) {
        lose(judge, &err);
        return;
    }
    judge->due |= launch != NULL;
    if (launch)
        judge_run(judge);
}

void judge_read(struct judge *judge, uint32_t address) {
    struct error err;
    uint32_t value;
    if (!judge->lost && !judge->model->ops->csb_read(judge->model, address, &value, &err))
        lose(judge, &err);
}

/* Notes which launches the model has ended, and clears their bits. */
static bool see_status(struct judge *judge, struct error *err) {
    const uint32_t address = judge->glb + GLB_S_INTR_STATUS;
    uint32_t status;
    if (!judge->model->ops->csb_read(judge->model, address, &status, err))
        return false;
    for (int bit = 0; bit < JUDGE_INTERRUPT_BITS; bit++)
        if (status >> bit & 1)
            launch_of(judge, judge->armed[bit].unit, judge->armed[bit].ordinal)->run = true;
    return status == 0 || judge->model->ops->csb_write(judge->model, address, status, false, err);
}

void judge_run(struct judge *judge) {
    struct error err;
    enum device_state state = DEVICE_RUNNING;
    if (!judge->due || memory_held(judge->dut->memory[SPACE_PRIMARY]))
        return;
    judge->due = false;
    while (state == DEVICE_RUNNING) {
        state = judge->model->ops->advance(judge->model, 1, false, &err);
        if (state == DEVICE_FAILED || !see_status(judge, &err)) {
            lose(judge, &err);
            return;
        }
    }
}

/* ---- the device ---- */

/* Notes a byte that the device reads with another value than the model did, if that is the memory's value now. */
static void check_read(struct judge *judge, const struct axi_beat *beat) {
    const struct memory *mem = judge->dut->memory[beat->port];
    struct memory_origin origin;
    uint64_t run;
    for (uint64_t at = 0; at < (uint64_t)beat->bytes; at += run) {
        uint8_t model[64], now[64];
        const uint64_t address = beat->address + at;
        const bool known = memory_origin_run(judge->read, address, (uint64_t)beat->bytes - at, &origin, &run);
        if (!known || !owns(&origin, beat->owner.unit, beat->owner.ordinal))
            continue;
        memory_read(judge->read, address, model, (size_t)run);
        memory_read(mem, address, now, (size_t)run);
        for (uint64_t i = 0; i < run; i++)
            if (beat->data[at + i] != model[i] && now[i] != model[i]) {
                judge->changed = true;
                judge->clock = beat->cycle;
                judge->address = address + i;
                return;
            }
    }
}

/* A write though no launch has anything left to write. */
static void stray(struct judge *judge, const struct axi_beat *beat) {
    const int at = beat->strobe ? __builtin_ctzll(beat->strobe) : 0;
    const struct judge_finding finding = {.outcome = JUDGE_ELSEWHERE,
                                          .ordinal = -1,
                                          .address = beat->address + (uint64_t)at,
                                          .bytes = (uint64_t)__builtin_popcountll(beat->strobe),
                                          .cycle = beat->cycle,
                                          .found = beat->data[at]};
    if (judge->strayed)
        return;
    judge->strayed = true;
    judge->wrong++;
    judge->listener.heard(judge->listener.context, &finding, NULL);
}

void judge_beat(void *context, const struct axi_beat *beat) {
    struct judge *judge = context;
    const struct memory_origin origin = {
        .cycle = beat->cycle, .unit = beat->owner.unit, .axi_id = (int16_t)beat->id, .ordinal = beat->owner.ordinal};
    if (judge->lost || !judge->dut)
        return;
    if (!beat->write) {
        check_read(judge, beat);
        return;
    }
    if (beat->owner.ordinal < 0) {
        stray(judge, beat);
        return;
    }
    struct judge_launch *launch = launch_of(judge, origin.unit, origin.ordinal);
    for (int i = 0; i < beat->bytes; i++) {
        const uint64_t address = beat->address + (uint64_t)i;
        if (!(beat->strobe >> i & 1) || !memory_all_declared(judge->image, address, 1))
            continue;
        memory_write(judge->written, address, &beat->data[i], 1, NULL, &origin);
        add_range(&launch->device, address, 1);
    }
}

/* ---- comparison ---- */

/* Notes a wrong byte; the first is the one that was written first. */
static void note(struct judge_finding *finding, enum judge_outcome outcome, uint64_t address, uint64_t cycle,
                 uint8_t found, uint8_t expected) {
    const uint64_t order = cycle ? cycle : UINT64_MAX, first = finding->cycle ? finding->cycle : UINT64_MAX;
    if (finding->bytes++ > 0 && order >= first)
        return;
    finding->outcome = outcome;
    finding->address = address;
    finding->cycle = cycle;
    finding->found = found;
    finding->expected = expected;
}

/* Compares a byte that the model has written for the launch. A byte that another launch has written since on one side
 * is not compared. A byte whose beat was right counts as left out if the memory never took it. */
static void compare_byte(const struct judge *judge, uint64_t address, struct judge_finding *finding) {
    const struct memory *mem = judge->dut->memory[SPACE_PRIMARY];
    struct memory_origin model, device, stored;
    uint8_t expected, found;
    if (!memory_origin_of(judge->image, address, &model) || !owns(&model, (int)finding->unit, finding->ordinal))
        return;
    const bool has = memory_origin_of(judge->written, address, &device);
    memory_read(judge->image, address, &expected, 1);
    memory_read(has ? judge->written : mem, address, &found, 1);
    if (has && !owns(&device, (int)finding->unit, finding->ordinal)) {
        /* Groups armed in the other order: beats may be counted for the unit's other launch. */
        if (device.unit == (int)finding->unit && found == expected)
            memory_drop(judge->written, address, 1);
        return;
    }
    if (found != expected) {
        note(finding, has ? JUDGE_WRONG : JUDGE_LEFT_OUT, address, has ? device.cycle : 0, found, expected);
        return;
    }
    memory_read(mem, address, &found, 1);
    if (has && found != expected &&
        !(memory_origin_of(mem, address, &stored) && owns(&stored, (int)finding->unit, finding->ordinal)))
        note(finding, JUDGE_LEFT_OUT, address, device.cycle, found, expected);
}

/* Notes a byte that only the device has written. */
static void check_place(const struct judge *judge, uint64_t address, struct judge_finding *finding) {
    struct memory_origin device;
    uint8_t found;
    if (memory_origin_of(judge->image, address, NULL) || !memory_origin_of(judge->written, address, &device) ||
        !owns(&device, (int)finding->unit, finding->ordinal))
        return;
    memory_read(judge->written, address, &found, 1);
    note(finding, JUDGE_ELSEWHERE, address, device.cycle, found, 0);
}

static void compare(const struct judge *judge, const struct judge_launch *launch, struct judge_finding *finding) {
    for (size_t i = 0; i < launch->model.count; i++)
        for (uint64_t at = 0; at < launch->model.items[i].size; at++)
            compare_byte(judge, launch->model.items[i].address + at, finding);
    for (size_t i = 0; i < launch->device.count; i++)
        for (uint64_t at = 0; at < launch->device.items[i].size; at++)
            check_place(judge, launch->device.items[i].address + at, finding);
}

bool judge_compares(enum nvdla_unit unit) {
    return unit == NVDLA_SDP || unit == NVDLA_PDP || unit == NVDLA_CDP || unit == NVDLA_BDMA || unit == NVDLA_RBK;
}

void judge_done(struct judge *judge, enum nvdla_unit unit, int ordinal, uint64_t since) {
    struct judge_finding finding = {.unit = unit, .ordinal = ordinal};
    if (!judge_compares(unit))
        return;
    judge_run(judge);
    if (judge->lost) {
        judge->unjudged++;
        return;
    }
    struct judge_launch *launch = launch_of(judge, (int)unit, ordinal);
    if (launch->run)
        compare(judge, launch, &finding);
    else
        finding.outcome = JUDGE_NOT_RUN;
    if (finding.bytes > 0 && judge->changed && judge->clock >= since) {
        finding.outcome = JUDGE_CHANGED;
        finding.address = judge->address;
    }
    const bool open = finding.outcome == JUDGE_NOT_RUN || finding.outcome == JUDGE_CHANGED;
    judge->unjudged += open;
    judge->judged += !open;
    judge->wrong += !open && finding.bytes > 0;
    end_launch(judge, launch);
    if (open || finding.bytes > 0)
        judge->listener.heard(judge->listener.context, &finding, NULL);
}
