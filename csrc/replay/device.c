/* What the two kinds of device share: the list of findings and the memories they own. */
#include "replay/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Only the first findings are kept: a broken design repeats the same one every clock. */
enum { FINDINGS_KEPT = 100 };

void device_report(struct device *dev, uint64_t cycle, const char *rule, const char *format, ...) {
    if (dev->finding_count >= FINDINGS_KEPT) {
        dev->findings_dropped++;
        return;
    }
    if (dev->finding_count == dev->finding_capacity) {
        size_t capacity = dev->finding_capacity ? 2 * dev->finding_capacity : 8;
        struct finding *grown = realloc(dev->findings, capacity * sizeof *grown);
        if (!grown) {
            dev->findings_dropped++;
            return;
        }
        dev->findings = grown;
        dev->finding_capacity = capacity;
    }
    struct finding *finding = &dev->findings[dev->finding_count++];
    finding->cycle = cycle;
    finding->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
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
}
