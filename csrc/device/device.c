/* Shared by both kinds of device: the lists of findings and warnings, and the memories they own. See device.h. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* Only the first findings are stored: a broken design repeats the same one every clock. */
enum { FINDINGS_KEPT = 100 };

/* Begins the text of a finding with its instance or launch. */
static void name_subject(struct finding *finding) {
    int n = 0;
    if (finding->instance)
        n = snprintf(finding->text, sizeof finding->text, "%s: ", finding->instance);
    else if (finding->owner.unit >= 0 && finding->owner.ordinal >= 0) {
        n = snprintf(finding->text, sizeof finding->text, "%s launch ", nvdla_unit_names[finding->owner.unit]);
        named_add(&finding->named, finding->owner.unit, finding->owner.ordinal, (size_t)n);
        n += snprintf(finding->text + n, sizeof finding->text - (size_t)n, "%d ", (int)finding->owner.ordinal);
    }
    finding->subject = (size_t)n < sizeof finding->text ? (unsigned)n : (unsigned)sizeof finding->text - 1;
}

void device_report(struct device *dev, const struct finding *facts, const char *format, ...) {
    if (dev->finding_count == FINDINGS_KEPT) {
        dev->findings_dropped++;
        return;
    }
    struct finding *finding = xadd(dev->findings, dev->finding_count);
    *finding = *facts;
    finding->named.count = 0;
    name_subject(finding);
    named_append(&finding->named, &facts->named, finding->subject);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text + finding->subject, sizeof finding->text - finding->subject, format, arguments);
    va_end(arguments);
}

void device_warning_word(const struct nvdla_config *config, struct device_warning *warning) {
    static const char *const effects[] = {[RULE_ERRATUM] = "",
                                          [RULE_WARNS] = "",
                                          [RULE_HANGS] = "; the hardware hangs",
                                          [RULE_REFUSED] = "; the result is undefined"};
    autotext struct text text = {0};
    for (size_t i = 0; i < warning->register_count; i++) {
        char name[64], fields[256];
        const struct warning_register *shown = &warning->registers[i];
        nvdla_register_name(config, shown->address, name, sizeof name);
        text_printf(&text, "%s%s = 0x%x", i ? ", " : "", name, (unsigned)shown->value);
        if (shown->fields)
            text_printf(
                &text, " (%s)",
                nvdla_register_decode(nvdla_register_at(config, shown->address), shown->value, fields, sizeof fields));
    }
    text_printf(&text, "%s%s (%s)%s", warning->register_count > 0 ? ": " : "", warning->rule, warning->section,
                effects[warning->effect]);
    snprintf(warning->text, sizeof warning->text, "%.*s", (int)sizeof warning->text - 1, text.text);
}

void device_warn(struct device *dev, const struct device_warning *warning) {
    if (dev->warning_count == FINDINGS_KEPT) {
        dev->warnings_dropped++;
        return;
    }
    dev->warnings = xgrow(dev->warnings, dev->warning_count, sizeof *dev->warnings);
    dev->warnings[dev->warning_count] = *warning;
    device_warning_word(dev->config, &dev->warnings[dev->warning_count++]);
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
