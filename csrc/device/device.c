/* What the two kinds of device share: the lists of findings and warnings, and the memories they own. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Only the first findings are kept: a broken design repeats the same one every clock. */
enum { FINDINGS_KEPT = 100 };

/* Makes room for one more of `count` items. Returns the list, NULL if this one is to be dropped. */
static void *room(void *list, size_t count, size_t *capacity, size_t size) {
    if (count >= FINDINGS_KEPT)
        return NULL;
    if (count < *capacity)
        return list;
    size_t grown = *capacity ? 2 * *capacity : 8;
    void *bigger = realloc(list, grown * size);
    if (bigger)
        *capacity = grown;
    return bigger;
}

void device_report(struct device *dev, uint64_t cycle, const char *rule, const char *format, ...) {
    struct finding *list = room(dev->findings, dev->finding_count, &dev->finding_capacity, sizeof *list);
    if (!list) {
        dev->findings_dropped++;
        return;
    }
    dev->findings = list;
    struct finding *finding = &dev->findings[dev->finding_count++];
    finding->cycle = cycle;
    finding->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

void device_warn(struct device *dev, enum nvdla_unit unit, int ordinal, const char *format, ...) {
    struct device_warning *list = room(dev->warnings, dev->warning_count, &dev->warning_capacity, sizeof *list);
    if (!list) {
        dev->warnings_dropped++;
        return;
    }
    dev->warnings = list;
    struct device_warning *warning = &dev->warnings[dev->warning_count++];
    warning->unit = unit;
    warning->ordinal = ordinal;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

bool device_refuse(struct device *dev, struct error *err, enum nvdla_unit unit, int ordinal, const char *format, ...) {
    dev->refused = true;
    dev->refusal.unit = unit;
    dev->refusal.ordinal = ordinal;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(dev->refusal.text, sizeof dev->refusal.text, format, arguments);
    va_end(arguments);
    return error_set(err, "%s launch %d: %s", nvdla_unit_names[unit], ordinal, dev->refusal.text);
}

void device_release(struct device *dev) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (dev->memory[space])
            memory_free(dev->memory[space]);
        dev->memory[space] = NULL;
    }
    free(dev->findings);
    dev->findings = NULL;
    dev->finding_count = 0;
    dev->finding_capacity = 0;
    dev->findings_dropped = 0;
    free(dev->warnings);
    dev->warnings = NULL;
    dev->warning_count = 0;
    dev->warning_capacity = 0;
    dev->warnings_dropped = 0;
}
