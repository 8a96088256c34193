/* Runs of nvcosim doctor; see doctor_plays.h. Each is a process that does what `nvcosim run` does. */
#include "cli/doctor_plays.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/options.h"
#include "run/process/process.h"
#include "run/simulators/simulators.h"
#include "trace/formats.h"
#include "trace/network.h"

/* Rounds that are played after the first run that left the same bytes: they show which other kinds do. */
enum { ROUNDS_BEHIND = 3 };

enum { DIRECTORY_SIZE = 512, RUNS_AT_ONCE = 64, RESET_CLOCKS = 10000 };

struct plays {
    const struct op *check;
    const struct output_bytes *bytes;
    struct fault_ranking *ranking;
    unsigned left, runs;
    char directory[DIRECTORY_SIZE];
};

/* A run that has been started. */
struct play {
    const char *directory;
    unsigned number; /* of its files */
    struct bus_fault fault;
    pid_t pid;
};

static char *file_of(const char *directory, const char *what, unsigned number) {
    return xprintf("%s/%s%u", directory, what, number);
}

/* The program as far as the check, without checks, and with the bytes of that check as its only output. Its blobs are
 * lent: program_back() frees it. */
static struct program *program_to_play(const struct program *prog, const struct op *check, uint64_t *clocks) {
    struct program *part = program_like(prog);
    part->sequential = prog->sequential;
    for (size_t i = 0; i < prog->stream_count; i++)
        program_stream(part, prog->streams[i]);
    for (size_t i = 0; i < prog->event_count; i++)
        program_event(part, prog->events[i]);
    part->blobs = prog->blobs;
    part->blob_count = prog->blob_count;
    uint64_t bytes = 0;
    for (const struct op *op = prog->ops; op < check; op++) {
        if (op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC ||
            (op->kind == OP_NOTE && strncmp(op->text, "network output", 14) == 0))
            continue;
        program_append(part, op);
        bytes += op->kind == OP_MEM_LOAD ? op->blob->size : 0;
    }
    const struct network_output output = {
        .name = "cube", .space = check->space, .base = check->base, .size = check->blob->extent};
    network_note_output(part, &output);
    *clocks = bytes / ((uint64_t)prog->config->dbb_data_bits / 8) + RESET_CLOCKS;
    return part;
}

static void program_back(struct program *part) {
    part->blobs = NULL;
    part->blob_count = 0;
    program_free(part);
}

/* The child of a run. */
static int play_fault(void *context) {
    const struct play *play = context;
    const struct bus_fault_info *info = &bus_fault_infos[play->fault.kind];
    struct words line = {0};
    char *log = file_of(play->directory, "log", play->number), *out = file_of(play->directory, "out", play->number);
    const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
        return EXIT_BAD_INPUT;
    words_add(&line, "nvcosim run");
    words_add(&line, "--dut=rtl");
    if (info->unit)
        words_add(&line, "--bus-fault=%s:%" PRIu32, info->name, play->fault.parameter);
    else
        words_add(&line, "--bus-fault=%s", info->name);
    words_add(&line, "--outputs=%s", out);
    words_add(&line, "--out=%s", out);
    words_add(&line, "--");
    words_add(&line, "%s/case.nvt", play->directory);
    return run_main((int)line.count, line.items);
}

struct overlay {
    uint8_t *to;
    const uint8_t *from;
};

static void take_range(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first) {
    const struct overlay *overlay = context;
    (void)bytes;
    (void)first;
    memcpy(overlay->to + offset, overlay->from + offset, n);
}

/* Takes what a run left into the ranking. A run that hangs leaves nothing. */
static void take_result(struct plays *plays, const struct play *play) {
    char *out = file_of(plays->directory, "out", play->number), *path = xprintf("%s/cube.bin", out), *left;
    size_t n;
    if (file_read(path, &left, &n, NULL)) {
        if (n == plays->bytes->n) {
            uint8_t *whole = xmalloc(n + 1);
            memcpy(whole, plays->bytes->expected, n);
            struct overlay overlay = {whole, (const uint8_t *)left};
            blob_ranges(plays->check->blob, take_range, &overlay);
            ranking_by_run(plays->ranking, plays->bytes, whole, &play->fault);
            free(whole);
        }
        free(left);
    }
    directory_remove(out);
    free(path);
    free(out);
}

/* Starts the runs, as many at a time as there are processors, and takes their results. */
static bool play_all(struct plays *plays, struct play *list, size_t count, struct error *err) {
    const size_t cores = (size_t)process_cores(), most = cores < RUNS_AT_ONCE ? cores : RUNS_AT_ONCE;
    bool fine = true;
    size_t started = 0;
    for (size_t ended = 0; ended < started || (fine && started < count); ended++) {
        for (; fine && started < count && started - ended < most; started += fine) {
            list[started].pid = process_start(play_fault, &list[started], err);
            fine = list[started].pid >= 0;
        }
        if (ended == started)
            break;
        process_wait(list[ended].pid, NULL, NULL);
        take_result(plays, &list[ended]);
    }
    return fine;
}

/* One fault of each kind. False if there is none left, or on failure (*err is set: has_failed). */
static bool play_round(struct plays *plays, unsigned round, bool *has_failed, struct error *err) {
    struct play list[BUS_FAULT_KINDS];
    size_t count = 0;
    for (int kind = BUS_FAULT_NONE + 1; kind < BUS_FAULT_KINDS; kind++) {
        struct bus_fault fault;
        if (!plays->left || !fault_trial((enum bus_fault_kind)kind, round, &fault))
            continue;
        list[count++] = (struct play){.directory = plays->directory, .number = plays->runs++, .fault = fault};
        plays->left--;
    }
    *has_failed = !play_all(plays, list, count, err);
    return count > 0 && !*has_failed;
}

bool doctor_plays(const struct program *prog, const struct op *check, const struct output_bytes *bytes, uint64_t clocks,
                  unsigned rounds, struct fault_ranking *ranking, unsigned *runs, struct error *err) {
    struct plays plays = {.check = check, .bytes = bytes, .ranking = ranking};
    char simulator[SIMULATOR_PATH];
    uint64_t each = 1;
    bool has_failed = false;
    *runs = 0;
    if (!simulator_path(prog->config->name, "", VARIANT_PLAIN, simulator, sizeof simulator, err))
        return false;
    struct program *part = program_to_play(prog, check, &each);
    plays.left = (unsigned)(clocks / each);
    const bool is_possible = access(simulator, X_OK) == 0 && plays.left >= BUS_FAULT_KINDS;
    if (is_possible && directory_temporary(plays.directory, sizeof plays.directory, err)) {
        char *path = xprintf("%s/case.nvt", plays.directory);
        has_failed = !trace_write(part, path, err);
        for (unsigned round = 0, last = rounds; !has_failed && round < last; round++) {
            if (!play_round(&plays, round, &has_failed, err))
                break;
            if (ranking_is_exact(ranking) && last > round + ROUNDS_BEHIND)
                last = round + ROUNDS_BEHIND;
        }
        directory_remove(plays.directory);
        free(path);
        *runs = plays.runs;
    } else
        has_failed = is_possible;
    program_back(part);
    return !has_failed;
}
