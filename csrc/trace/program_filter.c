/* Changes register values of launches. See program_filter.h. */
#include "trace/program_filter.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/launches.h"

/* One register of one unit in all launches of a program. */
struct rewriter {
    const struct launch_setting *settings;
    size_t count;
    struct layer_tracker *layers;
    const struct nvdla_register *reg;
    uint32_t pointer; /* address of S_POINTER */
    uint32_t offset;
    int next; /* ordinal of the unit's next launch */
    unsigned producer;
    uint32_t value[2]; /* by group */
};

/* The wanted value of a launch: its last setting, or else its old value. */
static uint32_t wanted(const struct rewriter *rewriter, const struct launch *launch) {
    for (size_t i = rewriter->count; i-- > 0;) {
        const struct launch_setting *setting = &rewriter->settings[i];
        if (setting->unit == launch->unit && setting->ordinal == launch->ordinal && setting->offset == rewriter->offset)
            return setting->value;
    }
    return launch_register(launch, rewriter->offset);
}

/* The next launch of the group; NULL: none. */
static const struct launch *next_launch(const struct rewriter *rewriter, unsigned group) {
    const struct launch *launch;
    for (int ordinal = rewriter->next;
         (launch = layer_tracker_find(rewriter->layers, rewriter->reg->unit, ordinal)) != NULL; ordinal++)
        if (launch->group == (int)group)
            return launch;
    return NULL;
}

/* Processes one operation and may change its value. Returns true if *added must be inserted before it. */
static bool pass(struct rewriter *rewriter, size_t index, struct op *op, struct op *added) {
    const struct nvdla_register *reg = rewriter->reg;
    const struct launch *launch = layer_tracker_find(rewriter->layers, reg->unit, rewriter->next);
    if (op->kind != OP_WRITE)
        return false;
    if (op->address == rewriter->pointer) {
        rewriter->producer = op->value & SDP_S_POINTER__PRODUCER_MASK;
    } else if (op->address == reg->address) {
        const struct launch *next = next_launch(rewriter, rewriter->producer);
        op->value = next ? wanted(rewriter, next) : op->value;
        rewriter->value[rewriter->producer] = op->value & reg->stored_mask;
    } else if (launch && launch->tag == index) {
        uint32_t value = wanted(rewriter, launch) & reg->stored_mask;
        bool differs = rewriter->value[launch->group] != value;
        *added = *op;
        added->address = reg->address;
        added->value = value;
        rewriter->value[launch->group] = value;
        rewriter->next++;
        return differs;
    }
    return false;
}

/* Rewrites the register of a setting in all launches of the unit. */
static void rewrite(struct program *prog, const struct launch_setting *settings, size_t count,
                    const struct launch_setting *which) {
    uint32_t base = nvdla_unit_base(prog->config, which->unit);
    const struct nvdla_register *reg = nvdla_register_at(prog->config, base + which->offset);
    /* Each operation arms one launch at most. */
    struct op *ops = xmalloc(2 * (prog->count + 1) * sizeof *ops);
    struct rewriter rewriter = {.settings = settings,
                                .count = count,
                                .layers = program_launches(prog),
                                .reg = reg,
                                .pointer = base + SDP_S_POINTER,
                                .offset = which->offset,
                                .value = {reg->reset, reg->reset}};
    size_t n = 0;
    for (size_t i = 0; i < prog->count; i++) {
        struct op op = prog->ops[i], added;
        if (pass(&rewriter, i, &op, &added))
            ops[n++] = added;
        ops[n++] = op;
    }
    free(prog->ops);
    prog->ops = ops;
    prog->capacity = 2 * (prog->count + 1);
    prog->count = n;
    layer_tracker_free(rewriter.layers);
}

void program_set_launches(struct program *prog, const struct launch_setting *settings, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool done = false; /* with an earlier setting of the same register */
        for (size_t k = 0; k < i; k++)
            done = done || (settings[k].unit == settings[i].unit && settings[k].offset == settings[i].offset);
        if (!done)
            rewrite(prog, settings, count, &settings[i]);
    }
}
