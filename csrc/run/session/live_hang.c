/* What the launches of a live session wait for. See live_hang.h. */
#include "run/session/live_hang.h"

#include <inttypes.h>
#include <string.h>

#include "nvdla/text.h"
#include "replay/hang.h"
#include "replay/hang_triage.h"
#include "replay/stream.h"
#include "trace/program.h"

static void print_armed(const struct live_device *live, uint64_t moved) {
    char since[64] = "";
    if (moved)
        snprintf(since, sizeof since, " since clock %" PRIu64, moved);
    for (int bit = 0; bit < LIVE_INTERRUPT_BITS; bit++) {
        const struct live_launch *launch = &live->launches[bit];
        if (launch->armed)
            text_print_line(stderr,
                            "nvcosim: hang: %s #%d, armed at clock %" PRIu64
                            ", does not end; nothing has moved%s, and the driver is silent",
                            nvdla_unit_names[launch->unit], launch->ordinal, launch->clock, since);
    }
}

/* The triage speaks of a trace; here it is the driver that does not continue. */
static const char *without_trace(const char *text, const char **driver) {
    static const char trace[] = "trace";
    const bool begins = strncmp(text, trace, sizeof trace - 1) == 0;
    *driver = begins ? "the driver" : "";
    return begins ? text + sizeof trace - 1 : text;
}

static void print_chain(const struct hang_triage *triage) {
    const char *driver, *rest = without_trace(triage->sentence, &driver);
    text_print_line(stderr, "nvcosim: hang: %s%s", driver, rest);
    for (size_t i = 0; i < triage->chain_count; i++) {
        rest = without_trace(triage->chain[i].engine->name, &driver);
        if (triage->chain[i].text[0])
            text_print_line(stderr, "  %s%s %s", driver, rest, triage->chain[i].text);
    }
}

void live_hang_print(const struct live_device *live) {
    struct device *dev = live->dev;
    const uint32_t glb = live->glb;
    struct program *prog = program_new(dev->config, "a live session");
    const struct player player = {
        .prog = prog, .dev = dev, .glb_status = glb + GLB_S_INTR_STATUS, .glb_mask = glb + GLB_S_INTR_MASK};
    const size_t warned = dev->warning_count;
    struct hang *hang = hang_new(&player, HANG_STILL, dev->still_limit);
    print_armed(live, hang->waits ? hang->waits->moved : dev->ops->time(dev));
    if (hang->triage)
        print_chain(hang->triage);
    for (size_t i = warned; i < dev->warning_count; i++)
        text_print_line(stderr, "  %s", dev->warnings[i].text);
    hang_free(hang);
    program_free(prog);
}
