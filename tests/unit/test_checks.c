/* Failing checks of the RTL become findings: name, instance, the layer that runs, and a limit for each. Cases of
 * checks.txt. */
#include "tb/observers/checks.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

static uint64_t cycle;
static void (*told)(void *, const char *, const char *, bool); /* what the simulator was given */

static void connect(void *context, void (*failed)(void *, const char *, const char *, bool),
                    void (*layer)(void *, const char *, int), void *arg) {
    (void)context;
    (void)layer;
    (void)arg;
    told = failed;
}

static int finals; /* evaluations of the checks of the end of a run */

static void count_final(void *context) {
    (void)context;
    finals++;
    told(context, "EmptyAtTheEnd", "TOP.tb_top.dut.u_sdp.u_wdma.u_fifo.Queue", false);
}

static struct checks *open_checks(struct device *dev) {
    static struct simulator simulator = {.checks_connect = connect, .checks_final = count_final};
    struct error err;
    struct checks *checks = checks_open(dev, &simulator, &cycle, &err);
    simulator.context = checks; /* which `told` gets */
    return checks;
}

static void close_checks(struct checks *checks) {
    const struct observer observer = checks_observer(checks);
    observer.release(observer.context);
}

TEST_KEEPS(keep_device, struct device, device_release)

static struct device *device_new(void) {
    struct device *dev = test_new(sizeof *dev);
    *dev = (struct device){.name = "rtl", .config = nvdla_config_find("small")};
    return keep_device(dev);
}

/* ---- cases of checks.txt ---- */

struct bench {
    struct device *dev;
    struct checks *checks;
};

static void release_bench(struct bench *b) {
    close_checks(b->checks);
}
TEST_KEEPS(keep_bench, struct bench, release_bench)

static void *begin(const char *title) {
    struct device *dev = device_new();
    struct bench *b = keep_bench(test_new(sizeof *b));
    (void)title;
    b->dev = dev;
    b->checks = open_checks(b->dev);
    finals = 0;
    cycle = 0;
    return b;
}

/* The findings from one on; they name launches where their texts do. */
static void print_findings(const struct device *dev, size_t from, FILE *found) {
    for (size_t i = from; i < dev->finding_count; i++) {
        const struct finding *finding = &dev->findings[i];
        assert_int_equal(finding->kind, FINDING_CHECK);
        fprintf(found, "%s%" PRIu64 " %s %s (%s) '%s'%s", i > from ? ", " : "", finding->cycle, finding->rule,
                finding->instance, finding->owner.unit < 0 ? "none" : nvdla_unit_names[finding->owner.unit],
                finding->text, finding->of_others ? " of others" : "");
        if (finding->owner.ordinal >= 0)
            fprintf(found, " #%d", finding->owner.ordinal);
        for (size_t n = 0; n < finding->named.count; n++) {
            fprintf(found, " %s", nvdla_unit_names[finding->named.items[n].launch.unit]);
            assert_int_equal(atoi(finding->text + finding->named.items[n].at), finding->named.items[n].launch.ordinal);
        }
    }
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    const char *scope = kept(xprintf("TOP.tb_top.dut.%s", step->word[2]));
    if (step_is(step, "at"))
        cycle = step_number(step, 1);
    else if (step_is(step, "fail") || step_is(step, "mcif")) { /* mcif: it checks what others do */
        const size_t before = b->dev->finding_count;
        checks_failed(b->checks, step->word[1], scope, step_is(step, "mcif"));
        print_findings(b->dev, before, found);
    } else if (step_is(step, "exists"))
        checks_layer(b->checks, kept(xprintf("TOP.tb_top.dut.%s", step->word[1])), CHECK_GROUP_EXISTS);
    else if (step_is(step, "starts"))
        checks_layer(b->checks, kept(xprintf("TOP.tb_top.dut.%s", step->word[1])), CHECK_LAYER_STARTS);
    else if (step_is(step, "done"))
        checks_layer(b->checks, kept(xprintf("TOP.tb_top.dut.%s", step->word[1])), CHECK_LAYER_DONE);
    else if (step_is(step, "reset"))
        checks_observer(b->checks).reset(b->checks);
    else if (step_is(step, "mute"))
        checks_mute(b->checks, true);
    else if (step_is(step, "end")) {
        const size_t before = b->dev->finding_count;
        checks_end(b->checks);
        fprintf(found, "%d%s", finals, b->dev->finding_count > before ? ": " : "");
        print_findings(b->dev, before, found);
    } else if (step_is(step, "count"))
        fprintf(found, "%zu %" PRIu64, b->dev->finding_count, b->dev->findings_dropped);
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/checks.txt", &(struct steps_player){begin, act});
}

TEST_ON(test_many_different_checks, struct device *dev, device_new()) {
    struct checks *checks = open_checks(dev);
    char name[16], scope[64];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "N%d", i);
        snprintf(scope, sizeof scope, "TOP.tb_top.dut.u_csc.%s", name);
        cycle = 5;
        checks_failed(checks, name, scope, false);
    }
    assert_int_equal(dev->finding_count + dev->findings_dropped, 300);
    assert_string_equal(dev->findings[0].rule, "check-N0");
    assert_string_equal(dev->findings[dev->finding_count - 1].text, "u_csc: CSC before its first launch");
    close_checks(checks);
}

TEST_ON(test_needs_a_simulator_with_checks, struct device *dev, device_new()) {
    struct error err;
    const struct simulator without = {0};
    assert_null(checks_open(dev, &without, &cycle, &err));
    assert_non_null(strstr(err.text, "holds no checks"));
    struct checks *checks = open_checks(dev);
    assert_non_null(checks);
    assert_non_null(told);
    close_checks(checks);
}
