/* Decides when waves are recorded, and checks that they reached the disk; see waves.h. The simulator writes the file.
 * Its library ignores disk errors and maps temporary files into memory, so a full disk shows as SIGBUS. */
#include "tb/observers/waves.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "tb/observers/wave_save.h"

enum {
    WHOLE_VIEW = 3000, /* clocks that fit on a screen */
    LAYER_VIEW = 300,  /* of a longer recording: after the start of its first layer */
    BEFORE_LAYER = 20,
    CYCLE = 1000,         /* wave time units (ps) of a clock: 1 ns on the screen is 1 cycle */
    FULL_DISK_STATUS = 2, /* exit status of bad input and of output that cannot be written */
};

#define NEVER UINT64_MAX

static volatile sig_atomic_t toggles;    /* SIGUSR1 received so far */
static const char *volatile broken_path; /* damaged by a SIGBUS */
static char *volatile broken_names;      /* the library's temporary file of names beside it */

static void toggle(int signal) {
    (void)signal;
    toggles++;
}

static void say(const char *text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* A page of the simulator's temporary files is not available. */
static void disk_full(int signal) {
    (void)signal;
    say("nvcosim: ");
    say(broken_path);
    say(": the waves cannot be recorded: no space left on their disk or on that of temporary files (/tmp); make room, "
        "or record fewer cycles (--wave-from, --wave-to)\n");
    unlink(broken_path);
    unlink(broken_names);
    _exit(FULL_DISK_STATUS);
}

void waves_init(struct waves *waves, const struct simulator *simulator, const struct nvdla_config *config,
                struct marks *marks, uint64_t *recorded) {
    *waves = (struct waves){.simulator = simulator, .config = config, .marks = marks, .recorded = recorded};
}

static bool end_waves(void *context, struct error *err);

bool waves_begin(struct waves *waves, const struct wave_options *options, struct error *err) {
    if (!waves->simulator->wave_open)
        return error_set(
            err, "this simulator was built without waves; build its wave variant with 'make simulator VARIANT=waves'");
    if (!end_waves(waves, err))
        return false;
    waves->options = *options;
    waves->by_hand = false;
    waves->first = waves->armed = waves->interrupt = NEVER;
    waves->end = 0;
    waves->signals = toggles;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = toggle, .sa_flags = SA_RESTART}, NULL);
    sigset_t by_hand;
    sigemptyset(&by_hand);
    sigaddset(&by_hand, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &by_hand, NULL); /* nvcosim starts its simulators with it blocked */
    return true;
}

/* Makes the file. */
static void open_file(struct waves *waves) {
    broken_path = waves->options.path;
    broken_names = xprintf("%s.hier", waves->options.path);
    sigaction(SIGBUS, &(struct sigaction){.sa_handler = disk_full}, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file size fails at the end, like a full disk */
    struct wave_content content = {.scopes = waves->options.scopes};
    content.changes = marks_changes(waves->marks);
    if (!waves->options.plain)
        content.marks = marks_list(waves->marks, &content.mark_count);
    waves->simulator->wave_open(waves->simulator->context, waves->options.path, &content);
    waves->open = true;
}

static void dump(struct waves *waves, uint64_t time) {
    if (!waves->open)
        open_file(waves);
    if (!waves->options.plain)
        marks_update(waves->marks);
    waves->simulator->wave_dump(waves->simulator->context, time);
}

/* Whether an edge is between the arming of the requested layer and its end. */
static bool in_layer(struct waves *waves, uint64_t edge) {
    const struct wave_options *options = &waves->options;
    bool begun = false, over = true;
    for (size_t i = 0; i < options->launch_count && !waves->end; i++) {
        const enum launch_state state =
            marks_launch(waves->marks, options->launches[i].unit, options->launches[i].ordinal);
        begun = begun || state != LAUNCH_TO_COME;
        over = over && state == LAUNCH_DONE;
    }
    if (!waves->end && begun && over)
        waves->end = edge + WAVE_AFTER_LAYER;
    return waves->end ? edge <= waves->end : begun;
}

static bool in_window(struct waves *waves, uint64_t edge) {
    if (waves->options.launch_count)
        return in_layer(waves, edge);
    return edge >= waves->options.from && (!waves->options.to || edge <= waves->options.to);
}

/* Whether the edge is to be recorded. */
static bool wanted(struct waves *waves, uint64_t edge) {
    if (waves->signals != toggles) {
        const bool running = waves->by_hand ? waves->on : in_window(waves, edge);
        waves->on = (toggles - waves->signals) % 2 ? !running : running;
        waves->by_hand = true;
        waves->signals = toggles;
        fprintf(stderr, "nvcosim: %s: recording %s at cycle %llu (SIGUSR1)\n", waves->options.path,
                waves->on ? "starts" : "stops", (unsigned long long)edge);
    }
    return waves->by_hand ? waves->on : in_window(waves, edge);
}

static void edge_waves(void *context, uint64_t edge) {
    struct waves *waves = context;
    waves->edge = edge;
    waves->clocked = true;
    waves->on_edge = waves->options.path && wanted(waves, edge);
    if (!waves->on_edge)
        return;
    dump(waves, waves->base + edge * CYCLE);
    waves->last = waves->base / CYCLE + edge;
    if (waves->first == NEVER)
        waves->first = waves->last;
    ++*waves->recorded;
}

static void clock_waves(void *context, const struct sampled *now) {
    struct waves *waves = context;
    if (now->interrupt && !waves->line && waves->on_edge)
        waves->interrupt = waves->last + 1;
    waves->line = now->interrupt;
}

static void write_waves(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct waves *waves = context;
    (void)cycle;
    const struct nvdla_register *reg = waves->armed == NEVER ? nvdla_register_at(waves->config, address) : NULL;
    if (reg && (value & 1) && waves->on_edge && strcmp(reg->name, "D_OP_ENABLE") == 0)
        waves->armed = waves->last + 1;
}

static void settled_waves(void *context) {
    struct waves *waves = context;
    if (waves->clocked && waves->on_edge)
        dump(waves, waves->base + waves->edge * CYCLE + CYCLE / 2);
}

static void reset_waves(void *context) {
    struct waves *waves = context;
    if (waves->clocked)
        waves->base += (waves->edge + 1) * CYCLE;
    waves->clocked = false;
    waves->end = 0;
}

static uint64_t big_endian(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* Follows the blocks of an FST file, each a byte of type and a length of 8 bytes that includes itself, to its end. If
 * the disk was full, a block is cut or the block of names (types 4, 6, 7) is missing. */
static bool complete(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        if (file)
            fclose(file);
        return false;
    }
    const uint64_t size = (uint64_t)ftell(file);
    uint64_t at = 0;
    bool names = false;
    uint8_t head[9];
    while (at + sizeof head <= size && !fseek(file, (long)at, SEEK_SET) && fread(head, sizeof head, 1, file) == 1) {
        const uint64_t length = big_endian(head + 1);
        if (length < 8 || length > size - at)
            break;
        names = names || head[0] == 4 || head[0] == 6 || head[0] == 7;
        at += 1 + length;
    }
    fclose(file);
    return names && at == size;
}

/* Writes a save file that shows all of a short recording, or the start of a longer one's first layer. */
static bool write_save(const struct waves *waves, const char *path, struct error *err) {
    struct wave_marker markers[2];
    struct wave_view view = {.from = waves->first == NEVER ? waves->base / CYCLE : waves->first,
                             .to = waves->last + 1,
                             .cursor = -1,
                             .markers = markers};
    if (waves->armed != NEVER)
        markers[view.marker_count++] = (struct wave_marker){"layer armed", waves->armed};
    if (waves->interrupt != NEVER)
        markers[view.marker_count++] = (struct wave_marker){"interrupt", waves->interrupt};
    if (view.to > view.from + WHOLE_VIEW) {
        if (waves->armed != NEVER && waves->armed > view.from + BEFORE_LAYER)
            view.from = waves->armed - BEFORE_LAYER;
        view.to = view.from + LAYER_VIEW;
    }
    return wave_save_write(path, waves->config, waves->simulator, waves->options.scopes, &view, err);
}

static bool end_waves(void *context, struct error *err) {
    struct waves *waves = context;
    if (!waves->options.path)
        return true;
    if (!waves->open) /* a file without any time cannot be read */
        dump(waves, waves->base + waves->edge * CYCLE);
    waves->open = waves->on_edge = false;
    waves->simulator->wave_close(waves->simulator->context);
    signal(SIGBUS, SIG_DFL);
    signal(SIGUSR1, SIG_IGN);
    const char *path = waves->options.path;
    waves->options.path = NULL;
    const bool good = complete(path);
    if (!good) {
        unlink(path);
        unlink(broken_names);
    }
    free(broken_names);
    broken_names = NULL;
    if (good && waves->options.saif) {
        activity_free(&waves->activity);
        if (!waves->simulator->wave_saif_write(path, waves->options.saif, &waves->activity, err))
            return false;
    }
    if (good && waves->options.plain)
        return true;
    if (good) {
        waves->written = path;
        return write_save(waves, path, err);
    }
    return error_set(err,
                     "%s: the waves could not be written to the end: no space left on the disk? Make room, or record "
                     "fewer cycles (--wave-from, --wave-to)",
                     path);
}

bool waves_show(const struct waves *waves, const struct wave_view *view, struct error *err) {
    return !waves->written || wave_save_write(waves->written, waves->config, waves->simulator, NULL, view, err);
}

struct observer waves_observer(struct waves *waves) {
    return (struct observer){.context = waves,
                             .reset = reset_waves,
                             .edge = edge_waves,
                             .clock = clock_waves,
                             .write = write_waves,
                             .settled = settled_waves,
                             .end = end_waves};
}
