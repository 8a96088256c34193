/* What the two kinds of device share: the lists of findings and warnings, and the memories they own. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

/* Only the first findings are kept: a broken design repeats the same one every clock. */
enum { FINDINGS_KEPT = 100 };

void device_report(struct device *dev, uint64_t cycle, const char *rule, const char *format, ...) {
    if (dev->finding_count == FINDINGS_KEPT) {
        dev->findings_dropped++;
        return;
    }
    dev->findings = xgrow(dev->findings, dev->finding_count, sizeof *dev->findings);
    struct finding *finding = &dev->findings[dev->finding_count++];
    finding->cycle = cycle;
    finding->rule = rule;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

const char *rule_effect_words(enum rule_effect effect) {
    static const char *const words[] = {
        [RULE_WARNS] = "", [RULE_HANGS] = "; the hardware hangs", [RULE_REFUSED] = "; the result is undefined"};
    return words[effect];
}

void device_warn(struct device *dev, enum nvdla_unit unit, int ordinal, enum rule_effect effect, const char *format,
                 ...) {
    if (dev->warning_count == FINDINGS_KEPT) {
        dev->warnings_dropped++;
        return;
    }
    dev->warnings = xgrow(dev->warnings, dev->warning_count, sizeof *dev->warnings);
    struct device_warning *warning = &dev->warnings[dev->warning_count++];
    warning->unit = unit;
    warning->ordinal = ordinal;
    warning->effect = effect;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof warning->text)
        snprintf(warning->text + length, sizeof warning->text - (size_t)length, "%s", rule_effect_words(effect));
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
    dev->findings_dropped = 0;
    free(dev->warnings);
    dev->warnings = NULL;
    dev->warning_count = 0;
    dev->warnings_dropped = 0;
}
