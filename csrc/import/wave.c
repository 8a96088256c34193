/* Wave dumps, VCD or FST (through fst2vcd): the ports of NVDLA in another simulation (80-trace-formats section 6.5).
 * Register accesses come from CSB; the content of memory from the AXI ports, if the dump has them.
 *
 * Signals are sampled just before rising clock edges: dumps record the changes of an edge with the time stamp of that
 * edge. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/sampler.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"

enum { CODE = 16 /* bytes of an identifier code */, SCOPES = 64, CANDIDATES = 8 };

struct wave_state {
    FILE *pipe; /* fst2vcd */
    char *path[SCOPES];
    size_t depth;
    char ids[PORTS][CODE];       /* identifier codes of the signals */
    char codes[CANDIDATES][256]; /* scopes with a CSB */
    size_t candidates;
    bool defined; /* the header has been read */
    bool clocked; /* false: each time stamp is a sample */
    bool ended, cut;
    struct sampler sampler;
};

static int likely_vcd(const char *text, size_t n) {
    const struct span head = {text, n};
    return span_find(head, "$enddefinitions") || (span_find(head, "$timescale") && span_find(head, "$scope")) ? 95
           : n > 0 && text[0] == '$' && span_find(head, "$end")                                               ? 60
                                                                                                              : 0;
}

static int likely_fst(const char *text, size_t n) {
    static const char header[] = {0, 0, 0, 0, 0, 0, 0, 1, 0x49};
    return n > sizeof header && (memcmp(text, header, sizeof header) == 0 || (uint8_t)text[0] == 0xfe) ? 100 : 0;
}

/* ---- values ---- */

/* Digits of a vector, highest first, without leading ones. False if malformed. */
static bool set_value(struct signal *signal, struct span digits) {
    struct value *value = &signal->later;
    *value = (struct value){.unknown = false};
    if (digits.n == 0)
        return false;
    for (size_t i = 0; i < digits.n && i < SIGNAL_BITS; i++) {
        const char c = digits.at[digits.n - 1 - i];
        if (c == '1')
            value->bytes[i / 8] |= (uint8_t)(1u << i % 8);
        else if (c != '0') {
            if (!strchr("xXzZuUwW-", c))
                return false;
            value->unknown = true;
        }
    }
    signal->changed = true;
    return true;
}

/* ---- one edge ---- */

static bool rises(const struct signal *clock) {
    return clock->changed && !clock->later.unknown && (clock->later.bytes[0] & 1) &&
           !(!clock->now.unknown && (clock->now.bytes[0] & 1)) && !clock->now.unknown;
}

/* Ends a time stamp. Dumps record the changes of an edge with the time stamp of that edge, so a clock samples what was
 * before; without a clock, what is there now is a sample. */
static void end_of_time(struct wave_state *state) {
    struct sampler *sampler = &state->sampler;
    const struct signal *signals = sampler->signals;
    if (!state->clocked)
        sampler_step(sampler);
    if (!state->clocked || rises(&signals[CORE_CLOCK]))
        sampler_sample(sampler, true);
    if (!state->clocked || rises(&signals[BUS_CLOCK]))
        sampler_sample(sampler, false);
    sampler_step(sampler);
}

/* ---- the header ---- */

static char *scope_path(const struct wave_state *state) {
    struct text text = {0};
    text_add(&text, "", 0);
    for (size_t i = 0; i < state->depth; i++)
        text_printf(&text, "%s%s", i ? "." : "", state->path[i]);
    return text.text;
}

/* True if a scope is the requested one: its full path, or the end of it. */
static bool scope_fits(const char *path, const char *wanted) {
    const size_t n = strlen(path), m = strlen(wanted);
    return n >= m && strcmp(path + n - m, wanted) == 0 && (n == m || path[n - m - 1] == '.');
}

/* $var TYPE WIDTH CODE NAME [RANGE] $end */
static int take_variable(struct source *source, struct span rest, struct error *err) {
    struct wave_state *state = source->state;
    span_token(&rest);
    uint64_t width;
    const struct span size = span_token(&rest), code = span_token(&rest);
    struct span name = span_token(&rest);
    const char *bracket = name.n ? memchr(name.at, '[', name.n) : NULL;
    if (bracket)
        name.n = (size_t)(bracket - name.at);
    if (!span_number(size, false, &width) || width == 0 || width > SIGNAL_BITS || code.n == 0 || code.n >= CODE)
        return 0;
    autofree char *path = scope_path(state);
    const bool mine = !source->options.scope || scope_fits(path, source->options.scope);
    if (mine && sampler_fits(source, CSB_VALID, name) && state->candidates < CANDIDATES)
        snprintf(state->codes[state->candidates++], sizeof state->codes[0], "%s", path);
    for (int port = 0; mine && port < PORTS; port++) {
        const int rank = sampler_fits(source, port, name);
        const struct signal *signal = &state->sampler.signals[port];
        if (rank == 0 || (signal->width > 0 && rank <= signal->rank && span_is(code, state->ids[port])))
            continue;
        if (!sampler_define(&state->sampler, port, name, rank, (unsigned)width)) {
            char text[96];
            const char *usual = sampler_port_name(source, port, text, sizeof text);
            return source_fail(source, (uint64_t)source->lines.line, err,
                               "two signals may be %s: %s and %.*s; choose with --scope, or --signal %s=NAME", usual,
                               signal->name, (int)name.n, name.at, usual);
        }
        if (signal->rank == rank)
            snprintf(state->ids[port], CODE, "%.*s", (int)code.n, code.at);
    }
    return 0;
}

static void take_scope(struct wave_state *state, struct span rest) {
    span_token(&rest);
    const struct span name = span_token(&rest);
    if (state->depth < SCOPES)
        state->path[state->depth++] = xstrndup(name.at, name.n);
}

/* Checks after the header that all signals exist. */
static int check_header(struct source *source, struct error *err) {
    struct wave_state *state = source->state;
    char text[96];
    if (state->candidates > 1) {
        autotext struct text list = {0};
        for (size_t i = 0; i < state->candidates; i++)
            text_printf(&list, "%s%s", i ? ", " : "", state->codes[i]);
        source_fail(source, 0, err, "several scopes have a signal %s: %s; choose one with --scope",
                    sampler_port_name(source, CSB_VALID, text, sizeof text), list.text);
        return -1;
    }
    if (sampler_check(source, &state->sampler, state->clocked, source->options.scope, err) < 0)
        return -1;
    if (!source->options.scope && state->candidates == 1)
        source_guess(source, 0, "NVDLA is scope %s", state->codes[0]);
    return 1;
}

/* ---- lines ---- */

static int take_header(struct source *source, struct span line, struct error *err) {
    struct wave_state *state = source->state;
    struct span rest = line;
    const struct span word = span_token(&rest);
    if (span_is(word, "$scope"))
        take_scope(state, rest);
    else if (span_is(word, "$upscope")) {
        if (state->depth > 0)
            free(state->path[--state->depth]);
    } else if (span_is(word, "$var"))
        return take_variable(source, rest, err);
    else if (span_is(word, "$enddefinitions")) {
        state->defined = true;
        return check_header(source, err) < 0 ? -1 : 0;
    }
    return 0;
}

static int bad_line(struct source *source, struct error *err) {
    struct wave_state *state = source->state;
    if (source->lines.cut) {
        source_drop(source, (uint64_t)source->lines.line,
                    "ends inside a value change after time stamp #%" PRIu64 ": dropped", state->sampler.time);
        state->cut = true;
        return 0;
    }
    return source_fail(source, (uint64_t)source->lines.line, err, "a malformed value change");
}

/* "1!", "b0101 !", "#1000", "$dumpvars" */
static int take_change(struct source *source, struct span line, struct error *err) {
    struct wave_state *state = source->state;
    struct span rest = line, digits, code;
    const struct span word = span_token(&rest);
    if (word.n == 0 || word.at[0] == '$' || word.at[0] == 'r' || word.at[0] == 's')
        return 0;
    if (word.at[0] == '#') {
        uint64_t time;
        if (!span_number((struct span){word.at + 1, word.n - 1}, false, &time))
            return bad_line(source, err);
        end_of_time(state);
        state->sampler.time = time;
        return 0;
    }
    if (word.at[0] == 'b' || word.at[0] == 'B') {
        digits = (struct span){word.at + 1, word.n - 1};
        code = span_token(&rest);
    } else {
        digits = (struct span){word.at, 1};
        code = (struct span){word.at + 1, word.n - 1};
    }
    if (code.n == 0 || source->lines.cut)
        return bad_line(source, err);
    for (int port = 0; port < PORTS; port++) {
        struct signal *signal = &state->sampler.signals[port];
        if (signal->width > 0 && span_is(code, state->ids[port]) && !set_value(signal, digits))
            return bad_line(source, err);
    }
    return 0;
}

static int finish(struct source *source) {
    struct wave_state *state = source->state;
    if (!state->cut)
        end_of_time(state);
    state->ended = true;
    sampler_finish(source, &state->sampler);
    return 0;
}

/* Ends the output of fst2vcd: -1 with a message if it could not read the file. */
static int end_fst2vcd(struct source *source, struct error *err) {
    struct wave_state *state = source->state;
    const int status = pclose(state->pipe);
    state->pipe = NULL;
    if (WIFSIGNALED(status))
        return source_fail(source, 0, err, "the file is damaged: fst2vcd was ended by signal %d (%s)", WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) == 127)
        return source_fail(source, 0, err, "fst2vcd, which reads FST files, is not installed (Debian package gtkwave)");
    return status == 0
               ? 0
               : source_fail(source, 0, err, "the file is damaged: fst2vcd ended with status %d", WEXITSTATUS(status));
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct wave_state *state = source->state;
    struct span line;
    for (;;) {
        const int taken = sampler_take(source, &state->sampler, access, err);
        if (taken != 0)
            return taken;
        if (state->ended)
            return 0;
        if (!source_line(source, &line)) {
            if (source->lines.failed)
                return -1;
            if (state->pipe && end_fst2vcd(source, err) < 0)
                return -1;
            if (!state->defined)
                return source_fail(source, 0, err, "ends before $enddefinitions");
            finish(source);
            continue;
        }
        if ((state->defined ? take_change(source, line, err) : take_header(source, line, err)) < 0)
            return -1;
    }
}

static struct wave_state *new_state(struct source *source) {
    struct wave_state *state = source->state;
    state->clocked = !source->options.clock || strcmp(source->options.clock, "none") != 0;
    return state;
}

static bool open_vcd(struct source *source, struct error *err) {
    (void)err;
    new_state(source);
    return true;
}

/* False with a message if an FST file ends inside a block: fst2vcd never ends on some truncated files. A block is a
 * type, its length without the type (64 bits, big-endian), and content. */
static bool is_whole(const char *path, struct error *err) {
    enum { HEAD = 9, UNFINISHED = 255 /* type of a block not closed by its writer, which fst2vcd handles */ };
    uint8_t head[HEAD];
    struct stat info;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return error_set(err, "%s: cannot open: %m", path);
    const uint64_t size = fstat(fileno(file), &info) == 0 ? (uint64_t)info.st_size : 0;
    uint64_t at = 0;
    bool whole = true;
    while (whole && at < size && fseeko(file, (off_t)at, SEEK_SET) == 0) {
        uint64_t length = 0;
        whole = fread(head, 1, HEAD, file) == HEAD;
        for (int i = 1; i < HEAD; i++)
            length = length << 8 | head[i];
        if (head[0] == UNFINISHED)
            break;
        whole = whole && length >= HEAD - 1 && length < size - at;
        at += whole ? 1 + length : 0;
    }
    fclose(file);
    return whole || error_set(err,
                              "%s: the file is truncated: it has %" PRIu64 " bytes, and its block at byte %" PRIu64
                              " is longer; write the waves again",
                              path, size, at);
}

static bool open_fst(struct source *source, struct error *err) {
    enum { SECONDS = 60, BYTES_PER_SECOND = 100000 /* a tenth of its usual speed */ };
    struct wave_state *state = new_state(source);
    struct stat info;
    if (!is_whole(source->path, err) || stat(source->path, &info) != 0)
        return false;
    autofree char *quoted = text_quoted(source->path);
    /* fst2vcd ends with this process, and at its limit of CPU time if a damaged file makes it run forever. */
    autofree char *command = xprintf("ulimit -t %lld; exec setpriv --pdeathsig KILL fst2vcd -f %s 2>/dev/null",
                                     (long long)(SECONDS + info.st_size / BYTES_PER_SECOND), quoted);
    state->pipe = popen(command, "re");
    if (!state->pipe)
        return error_set(err, "%s: fst2vcd cannot be started: %m", source->path);
    source->lines = (struct lines){.path = source->path, .err = err, .piece = 1 << 16};
    source->lines.file = file_reader_take(dup(fileno(state->pipe)), source->path, err);
    return source->lines.file != NULL;
}

static void close_state(struct source *source) {
    struct wave_state *state = source->state;
    /* fst2vcd writes until its pipe has no reader. */
    if (state->pipe) {
        lines_close(&source->lines);
        pclose(state->pipe);
    }
    for (size_t i = 0; i < state->depth; i++)
        free(state->path[i]);
    sampler_free(&state->sampler);
}

const struct source_format source_vcd = {likely_vcd, open_vcd, next, close_state, "time", sizeof(struct wave_state)};
const struct source_format source_fst = {likely_fst, open_fst, next, close_state, "time", sizeof(struct wave_state)};
