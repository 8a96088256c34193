/* Findings from checks inside the RTL. See checks.h. */
#include "tb/observers/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/engines.h"
#include "nvdla/xalloc.h"

enum {
    REPORTS_PER_CHECK = 2, /* the first says what is wrong, the second whether it continues */
    CHECKS_KEPT = 64, /* different checks whose rule names are kept; a design that violates more is broken enough */
    NAME_MAX_LENGTH = 64,
};

struct check {
    char rule[NAME_MAX_LENGTH]; /* "check-NAME" */
    char *instance;
    unsigned reports;
};

struct checks {
    struct device *dev;
    const struct simulator *simulator; /* of the device */
    const uint64_t *cycle;
    bool muted;
    int started[NVDLA_UNIT_COUNT]; /* layers since reset */
    bool running[NVDLA_UNIT_COUNT];
    void (*layer)(void *arg, const char *scope, int event); /* NULL: no other listener */
    void *layer_arg;
    struct check kept[CHECKS_KEPT];
    size_t count;
};

/* The part of a hierarchical name below the design's top, "u_sdp.u_x"; the whole name if it is not below it. */
static const char *below_top(const char *scope) {
    static const char top[] = "tb_top.dut.";
    const char *found = strstr(scope, top);
    return found ? found + sizeof top - 1 : scope;
}

int checks_unit(const char *scope) {
    const enum nvdla_unit unit = nvdla_unit_of_instance(below_top(scope));
    return unit == NVDLA_UNIT_COUNT ? -1 : (int)unit;
}

void checks_listen(struct checks *checks, void (*layer)(void *arg, const char *scope, int event), void *arg) {
    checks->layer = layer;
    checks->layer_arg = arg;
}

void checks_layer(struct checks *checks, const char *scope, enum check_event event) {
    const int unit = checks_unit(scope);
    if (checks->layer)
        checks->layer(checks->layer_arg, scope, (int)event);
    if (unit < 0 || event == CHECK_GROUP_EXISTS)
        return;
    checks->running[unit] = event == CHECK_LAYER_STARTS;
    checks->started[unit] += event == CHECK_LAYER_STARTS;
}

/* Adds "SDP launch 3", or with other words between. */
static void add_launch(const struct checks *checks, int unit, const char *words, char *text, size_t size,
                       struct named_launches *named) {
    const int ordinal = checks->started[unit] - 1;
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, size - n, "%s %s ", nvdla_unit_names[unit], words);
    if (n >= size)
        return;
    named_add(named, unit, ordinal, n);
    snprintf(text + n, size - n, "%d", ordinal);
}

/* Describes where a check is, as text: "SDP launch 3", "SDP after launch 3", "CDMA launch 4, CSC launch 4 running". */
static void describe(const struct checks *checks, const char *instance, char *text, size_t size,
                     struct named_launches *named) {
    text[0] = '\0';
    const int unit = checks_unit(instance);
    if (unit == NVDLA_BDMA) { /* it does not tell when a launch begins */
        snprintf(text, size, "%s", nvdla_unit_names[unit]);
        return;
    }
    if (unit >= 0) {
        if (checks->started[unit] == 0)
            snprintf(text, size, "%s before its first launch", nvdla_unit_names[unit]);
        else
            add_launch(checks, unit, checks->running[unit] ? "launch" : "after launch", text, size, named);
        return;
    }
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++) {
        const size_t n = strlen(text);
        if (!checks->running[u])
            continue;
        snprintf(text + n, size - n, "%s", n ? ", " : "");
        add_launch(checks, u, "launch", text, size, named);
    }
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s running", n ? "" : "no layer");
}

static struct check *find(struct checks *checks, const char *name, const char *instance) {
    for (size_t i = 0; i < checks->count; i++) {
        struct check *check = &checks->kept[i];
        if (strcmp(check->rule + strlen("check-"), name) == 0 && strcmp(check->instance, instance) == 0)
            return check;
    }
    if (checks->count == CHECKS_KEPT)
        return NULL;
    struct check *check = &checks->kept[checks->count++];
    snprintf(check->rule, sizeof check->rule, "check-%s", name);
    check->instance = xstrdup(instance);
    return check;
}

void checks_mute(struct checks *checks, bool muted) {
    checks->muted = muted;
}

void checks_end(struct checks *checks) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (checks->running[unit])
            return;
    checks->simulator->checks_final(checks->simulator->context);
}

void checks_failed(struct checks *checks, const char *name, const char *scope, bool of_others) {
    char instance[512], where[200];
    if (checks->muted || *checks->cycle == 0) /* before the reset is over, registers hold anything */
        return;
    snprintf(instance, sizeof instance, "%s", below_top(scope));
    const size_t n = strlen(instance), tail = strlen(name);
    if (n > tail + 1 && instance[n - tail - 1] == '.' && strcmp(instance + n - tail, name) == 0)
        instance[n - tail - 1] = '\0';
    struct check *check = find(checks, name, instance);
    if (!check || check->reports >= REPORTS_PER_CHECK) {
        checks->dev->findings_dropped++;
        return;
    }
    check->reports++;
    struct named_launches named = {.count = 0};
    describe(checks, instance, where, sizeof where, &named);
    const int unit = checks_unit(instance);
    const struct finding finding = {.cycle = *checks->cycle,
                                    .rule = check->rule,
                                    .kind = FINDING_CHECK,
                                    .owner = {(int16_t)unit, unit < 0 ? -1 : checks->started[unit] - 1},
                                    .instance = check->instance,
                                    .of_others = of_others,
                                    .named = named};
    device_report(checks->dev, &finding, "%s", where);
}

static void failed(void *arg, const char *name, const char *scope, bool of_others) {
    checks_failed(arg, name, scope, of_others);
}

static void layer(void *arg, const char *scope, int event) {
    checks_layer(arg, scope, (enum check_event)event);
}

struct checks *checks_open(struct device *dev, const struct simulator *simulator, const uint64_t *cycle,
                           struct error *err) {
    if (!simulator->checks_connect) {
        error_set(err,
                  "%s: this simulator holds no checks: either it is not the checks variant ('make simulator "
                  "VARIANT=checks'), or its sources have none (rtl/common/nvdla_check.svh)",
                  dev->name);
        return NULL;
    }
    struct checks *checks = xcalloc(1, sizeof *checks);
    checks->dev = dev;
    checks->simulator = simulator;
    checks->cycle = cycle;
    simulator->checks_connect(simulator->context, failed, layer, checks);
    return checks;
}

static void reset(void *context) {
    struct checks *checks = context;
    memset(checks->started, 0, sizeof checks->started);
    memset(checks->running, 0, sizeof checks->running);
}

static void release(void *context) {
    autofree struct checks *checks = context;
    for (size_t i = 0; i < checks->count; i++)
        free(checks->kept[i].instance);
}

struct observer checks_observer(struct checks *checks) {
    return (struct observer){.context = checks, .reset = reset, .release = release};
}
