/* X checks in a four-state simulator; signals.h defines the bits to check. */
#include "tb/observers/unknown.h"

enum { UNKNOWN_REPORTS = 8 };

static void clock_unknown(void *context, const struct sampled *now) {
    struct unknown *unknown = context;
    uint32_t any = 0;
    for (int i = 0; i < unknown->layout->out_words; i++)
        any |= now->bval[i];
    const char *name;
    const char *rule = any ? signals_unknown(unknown->layout, now->aval, now->bval, &name) : NULL;
    if (!rule)
        return;
    if (unknown->reports++ < UNKNOWN_REPORTS)
        device_report(unknown->dev, &(struct finding){.cycle = now->cycle, .rule = rule, .owner = {-1, -1}},
                      "%s is unknown (X or Z)", name);
    else
        unknown->dev->findings_dropped++;
}

struct observer unknown_observer(struct unknown *unknown, struct device *dev, const struct signal_layout *layout) {
    *unknown = (struct unknown){.dev = dev, .layout = layout};
    return (struct observer){.context = unknown, .clock = clock_unknown};
}
