/* What the two kinds of device share: the lists of findings and warnings, and the memories they own. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

/* Only the first findings are kept: a broken design repeats the same one every clock. */
enum { FINDINGS_KEPT = 100 };

/* Begins the text of a finding with whose it is. */
static void name_subject(struct finding *finding) {
    int n = 0;
    if (finding->instance)
        n = snprintf(finding->text, sizeof finding->text, "%s: ", finding->instance);
    else if (finding->owner.unit >= 0 && finding->owner.ordinal >= 0)
        n = snprintf(finding->text, sizeof finding->text, "%s launch %d ", nvdla_unit_names[finding->owner.unit],
                     (int)finding->owner.ordinal);
    finding->subject = (size_t)n < sizeof finding->text ? (unsigned)n : (unsigned)sizeof finding->text - 1;
}

void device_report(struct device *dev, const struct finding *facts, const char *format, ...) {
    if (dev->finding_count == FINDINGS_KEPT) {
        dev->findings_dropped++;
        return;
    }
    dev->findings = xgrow(dev->findings, dev->finding_count, sizeof *dev->findings);
    struct finding *finding = &dev->findings[dev->finding_count++];
    *finding = *facts;
    name_subject(finding);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text + finding->subject, sizeof finding->text - finding->subject, format, arguments);
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
