/* Wave dumps, VCD or FST (through fst2vcd): the ports of NVDLA in another simulation (80-trace-formats section 6.5).
 * Register accesses come from CSB; the content of memory from the AXI ports, if the dump has them.
 *
 * Signals are sampled just before rising clock edges: dumps record the changes of an edge with the time stamp of that
 * edge. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "import/source_parts.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"

enum port {
    CSB_CLOCK,
    CSB_VALID,
    CSB_READY,
    CSB_ADDRESS,
    CSB_DATA,
    CSB_WRITE,
    READ_VALID,
    READ_DATA,
    INTERRUPT,
    CORE_CLOCK,
    AXI_PORTS, /* of the primary port; the secondary port follows */
    AXI_AWVALID = AXI_PORTS,
    AXI_AWREADY,
    AXI_AWLEN,
    AXI_AWADDR,
    AXI_WVALID,
    AXI_WREADY,
    AXI_WDATA,
    AXI_WSTRB,
    AXI_ARVALID,
    AXI_ARREADY,
    AXI_ARID,
    AXI_ARLEN,
    AXI_ARADDR,
    AXI_RVALID,
    AXI_RREADY,
    AXI_RID,
    AXI_RLAST,
    AXI_RDATA,
    AXI_END,
    AXI_COUNT = AXI_END - AXI_PORTS,
    PORTS = AXI_PORTS + SPACE_COUNT * AXI_COUNT
};

static const char *const csb_names[AXI_PORTS] = {
    "dla_csb_clk",     "csb2nvdla_valid", "csb2nvdla_ready", "csb2nvdla_addr", "csb2nvdla_wdat",
    "csb2nvdla_write", "nvdla2csb_valid", "nvdla2csb_data",  "dla_intr",       "dla_core_clk"};

static const char *const axi_names[AXI_COUNT] = {
    "aw_awvalid", "aw_awready", "aw_awlen", "aw_awaddr", "w_wvalid", "w_wready", "w_wdata", "w_wstrb", "ar_arvalid",
    "ar_arready", "ar_arid",    "ar_arlen", "ar_araddr", "r_rvalid", "r_rready", "r_rid",   "r_rlast", "r_rdata"};

static const char *const axi_prefixes[SPACE_COUNT] = {"nvdla_core2dbb_", "nvdla_core2cvsram_"};

enum { BITS = 512, CODE = 16 /* bytes of an identifier code */, SCOPES = 64, CANDIDATES = 8, BURST = 16, IDS = 256 };

/* A signal's value: bits, and whether any of them is x or z. */
struct value {
    uint8_t bytes[BITS / 8];
    bool unknown;
};

/* The signal of a port. */
struct signal {
    char code[CODE];
    unsigned width; /* 0: not in the dump */
    struct value now, later;
    bool changed;
};

/* Queue of requests; grows. */
struct request {
    uint64_t address, time;
    uint32_t value;
    unsigned beats, beat; /* of a burst */
    bool is_write, answered;
};
struct queue {
    struct request *items;
    size_t first, count, capacity;
};

struct state {
    FILE *pipe;  /* fst2vcd */
    char *scope; /* the current one */
    char *path[SCOPES];
    size_t depth;
    struct signal signals[PORTS];
    char codes[CANDIDATES][256]; /* scopes with a CSB */
    size_t candidates;
    bool defined; /* the header has been read */
    uint64_t time;
    bool ended, cut;
    struct queue csb;                 /* register accesses not yet returned */
    struct queue writes[SPACE_COUNT]; /* bursts waiting for data */
    struct queue reads[SPACE_COUNT][IDS];
    /* Complete accesses. */
    struct access *ready;
    uint8_t (*data)[2][BITS / 8]; /* of memory accesses: bytes, enabled */
    size_t ready_first, ready_count, ready_capacity;
    uint32_t level;
    uint64_t early; /* AXI write beats before their address */
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

/* ---- queues ---- */

static struct request *push(struct queue *queue) {
    if (queue->first > 0 && queue->first == queue->count)
        queue->first = queue->count = 0;
    if (queue->count == queue->capacity) {
        if (queue->first > queue->count / 2) {
            memmove(queue->items, queue->items + queue->first, (queue->count - queue->first) * sizeof *queue->items);
            queue->count -= queue->first;
            queue->first = 0;
        } else {
            queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
            queue->items = xrealloc(queue->items, queue->capacity * sizeof *queue->items);
        }
    }
    queue->items[queue->count] = (struct request){0};
    return &queue->items[queue->count++];
}

static struct request *front(struct queue *queue) {
    return queue->first < queue->count ? &queue->items[queue->first] : NULL;
}

/* Appends a complete access; *data: for its bytes. */
static struct access *make_ready(struct state *state) {
    if (state->ready_first == state->ready_count)
        state->ready_first = state->ready_count = 0;
    if (state->ready_count == state->ready_capacity) {
        state->ready_capacity = state->ready_capacity ? 2 * state->ready_capacity : 16;
        state->ready = xrealloc(state->ready, state->ready_capacity * sizeof *state->ready);
        state->data = xrealloc(state->data, state->ready_capacity * sizeof *state->data);
    }
    return &state->ready[state->ready_count++];
}

/* ---- values ---- */

static bool is_high(const struct state *state, int port) {
    const struct signal *signal = &state->signals[port];
    return signal->width > 0 && !signal->now.unknown && (signal->now.bytes[0] & 1);
}

static uint64_t number(const struct state *state, int port) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | state->signals[port].now.bytes[i];
    return value;
}

/* Digits of a vector, highest first, without leading ones. False if malformed. */
static bool set_value(struct signal *signal, struct span digits) {
    struct value *value = &signal->later;
    *value = (struct value){.unknown = false};
    if (digits.n == 0)
        return false;
    for (size_t i = 0; i < digits.n && i < BITS; i++) {
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

static void sample_csb(struct state *state) {
    if (is_high(state, READ_VALID) && !state->signals[READ_DATA].now.unknown)
        for (size_t i = state->csb.first; i < state->csb.count; i++) {
            struct request *request = &state->csb.items[i];
            if (!request->is_write && !request->answered) {
                request->answered = true;
                request->value = (uint32_t)number(state, READ_DATA);
                break;
            }
        }
    if (is_high(state, CSB_VALID) && is_high(state, CSB_READY)) {
        struct request *request = push(&state->csb);
        request->time = state->time;
        request->address = (number(state, CSB_ADDRESS) & 0xffff) * 4; /* a word address */
        request->is_write = request->answered = is_high(state, CSB_WRITE);
        request->value = (uint32_t)number(state, CSB_DATA);
    }
    for (struct request *request = front(&state->csb); request && request->answered; request = front(&state->csb)) {
        *make_ready(state) = source_register(request->is_write ? ACCESS_WRITE : ACCESS_READ, request->time,
                                             request->address, request->value);
        state->csb.first++;
    }
    if (state->signals[INTERRUPT].width > 0 && is_high(state, INTERRUPT) != state->level) {
        state->level = !state->level;
        *make_ready(state) = (struct access){.kind = ACCESS_INTERRUPT, .line = state->time, .value = state->level};
    }
}

/* A beat of a burst as an access. */
static void put_beat(struct state *state, enum access_kind kind, enum memory_space space, struct request *burst,
                     int data, int strobes) {
    const unsigned bytes = state->signals[data].width / 8;
    struct access *access = make_ready(state);
    uint8_t(*copy)[BITS / 8] = state->data[state->ready_count - 1];
    *access = (struct access){.kind = kind,
                              .line = state->time,
                              .address = burst->address / bytes * bytes + (uint64_t)burst->beat * bytes,
                              .space = space,
                              .size = bytes};
    memcpy(copy[0], state->signals[data].now.bytes, bytes);
    for (unsigned i = 0; i < bytes; i++)
        copy[1][i] = strobes < 0 || (state->signals[strobes].now.bytes[i / 8] >> i % 8 & 1);
    burst->beat++;
}

static void sample_axi(struct state *state, enum memory_space space) {
    const int at = AXI_PORTS + (int)space * AXI_COUNT - AXI_PORTS;
    if (is_high(state, at + AXI_AWVALID) && is_high(state, at + AXI_AWREADY)) {
        struct request *burst = push(&state->writes[space]);
        burst->address = number(state, at + AXI_AWADDR);
        burst->beats = (unsigned)(number(state, at + AXI_AWLEN) & 0xf) + 1;
    }
    if (is_high(state, at + AXI_ARVALID) && is_high(state, at + AXI_ARREADY)) {
        struct request *burst = push(&state->reads[space][number(state, at + AXI_ARID) & (IDS - 1)]);
        burst->address = number(state, at + AXI_ARADDR);
        burst->beats = (unsigned)(number(state, at + AXI_ARLEN) & 0xf) + 1;
    }
    if (is_high(state, at + AXI_WVALID) && is_high(state, at + AXI_WREADY)) {
        struct request *burst = front(&state->writes[space]);
        if (burst) {
            put_beat(state, ACCESS_MEMORY_WRITE, space, burst, at + AXI_WDATA, at + AXI_WSTRB);
            state->writes[space].first += burst->beat == burst->beats;
        } else
            state->early++;
    }
    if (is_high(state, at + AXI_RVALID) && is_high(state, at + AXI_RREADY)) {
        struct queue *queue = &state->reads[space][number(state, at + AXI_RID) & (IDS - 1)];
        struct request *burst = front(queue);
        if (burst) {
            put_beat(state, ACCESS_MEMORY_READ, space, burst, at + AXI_RDATA, -1);
            queue->first += burst->beat == burst->beats;
        }
    }
}

static bool rises(const struct signal *clock) {
    return clock->changed && !clock->later.unknown && (clock->later.bytes[0] & 1) &&
           !(!clock->now.unknown && (clock->now.bytes[0] & 1)) && !clock->now.unknown;
}

static bool has_axi(const struct state *state, enum memory_space space) {
    for (int i = 0; i < AXI_COUNT; i++)
        if (state->signals[AXI_PORTS + (int)space * AXI_COUNT + i].width == 0)
            return false;
    return true;
}

/* Ends a time stamp: samples if a clock rises, then applies the changes. */
static void end_of_time(struct state *state) {
    if (rises(&state->signals[CORE_CLOCK]))
        for (int space = 0; space < SPACE_COUNT; space++)
            if (has_axi(state, (enum memory_space)space))
                sample_axi(state, (enum memory_space)space);
    if (rises(&state->signals[CSB_CLOCK]))
        sample_csb(state);
    for (int i = 0; i < PORTS; i++) {
        struct signal *signal = &state->signals[i];
        if (signal->changed)
            signal->now = signal->later;
        signal->changed = false;
    }
}

/* ---- the header ---- */

static char *scope_path(const struct state *state) {
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

/* Name of a port in this dump. */
static const char *port_name(const struct source *source, int port, char *text, size_t size) {
    if (port < AXI_PORTS)
        snprintf(text, size, "%s", csb_names[port]);
    else
        snprintf(text, size, "%s%s", axi_prefixes[(port - AXI_PORTS) / AXI_COUNT],
                 axi_names[(port - AXI_PORTS) % AXI_COUNT]);
    const struct words *given = &source->options.signals;
    const size_t n = strlen(text);
    for (size_t i = 0; i < given->count; i++)
        if (strncmp(given->items[i], text, n) == 0 && given->items[i][n] == '=')
            return given->items[i] + n + 1;
    if ((port == CSB_CLOCK || port == CORE_CLOCK) && source->options.clock)
        return source->options.clock;
    return text;
}

/* $var TYPE WIDTH CODE NAME [RANGE] $end */
static void take_variable(struct source *source, struct span rest) {
    struct state *state = source->state;
    span_token(&rest);
    uint64_t width;
    const struct span size = span_token(&rest), code = span_token(&rest);
    struct span name = span_token(&rest);
    const char *bracket = name.n ? memchr(name.at, '[', name.n) : NULL;
    if (bracket)
        name.n = (size_t)(bracket - name.at);
    if (!span_number(size, false, &width) || width == 0 || width > BITS || code.n == 0 || code.n >= CODE)
        return;
    char *path = scope_path(state);
    char text[96];
    if (span_is(name, port_name(source, CSB_VALID, text, sizeof text)) && state->candidates < CANDIDATES &&
        (!source->options.scope || scope_fits(path, source->options.scope)))
        snprintf(state->codes[state->candidates++], sizeof state->codes[0], "%s", path);
    const bool mine = source->options.scope ? scope_fits(path, source->options.scope) : true;
    for (int port = 0; mine && port < PORTS; port++) {
        struct signal *signal = &state->signals[port];
        const bool clock = port == CSB_CLOCK || port == CORE_CLOCK;
        const char *wanted = port_name(source, port, text, sizeof text);
        if (!span_is(name, wanted) && !(clock && !source->options.clock && signal->width == 0 && span_is(name, "clk")))
            continue;
        signal->width = (unsigned)width;
        snprintf(signal->code, sizeof signal->code, "%.*s", (int)code.n, code.at);
        signal->now.unknown = signal->later.unknown = true;
    }
    free(path);
}

static void take_scope(struct state *state, struct span rest) {
    span_token(&rest);
    const struct span name = span_token(&rest);
    if (state->depth < SCOPES)
        state->path[state->depth++] = xstrndup(name.at, name.n);
}

/* Checks after the header that all signals exist. */
static int check_header(struct source *source, struct error *err) {
    struct state *state = source->state;
    static const int needed[] = {CSB_CLOCK, CSB_VALID, CSB_READY,  CSB_ADDRESS,
                                 CSB_DATA,  CSB_WRITE, READ_VALID, READ_DATA};
    char text[96];
    if (state->candidates > 1) {
        struct text list = {0};
        for (size_t i = 0; i < state->candidates; i++)
            text_printf(&list, "%s%s", i ? ", " : "", state->codes[i]);
        source_fail(source, 0, err, "several scopes have a signal %s: %s; choose one with --scope",
                    port_name(source, CSB_VALID, text, sizeof text), list.text);
        free(list.text);
        return -1;
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (state->signals[needed[i]].width == 0)
            return source_fail(
                source, 0, err,
                "found no signal %s%s%s; give --scope and --clock, or --signal PORT=NAME for other names",
                port_name(source, needed[i], text, sizeof text), source->options.scope ? " in scope " : "",
                source->options.scope ? source->options.scope : "");
    if (!source->options.scope && state->candidates == 1)
        source_guess(source, 0, "NVDLA is scope %s", state->codes[0]);
    for (int space = 0; space < SPACE_COUNT; space++) {
        int found = 0;
        for (int i = 0; i < AXI_COUNT; i++)
            found += state->signals[AXI_PORTS + space * AXI_COUNT + i].width > 0;
        if (found > 0 && found < AXI_COUNT)
            source_guess(source, 0, "%d of %d signals of %s*: accesses to that memory are unknown", found, AXI_COUNT,
                         axi_prefixes[space]);
    }
    return 1;
}

/* ---- lines ---- */

static int take_header(struct source *source, struct span line, struct error *err) {
    struct state *state = source->state;
    struct span rest = line;
    const struct span word = span_token(&rest);
    if (span_is(word, "$scope"))
        take_scope(state, rest);
    else if (span_is(word, "$upscope")) {
        if (state->depth > 0)
            free(state->path[--state->depth]);
    } else if (span_is(word, "$var"))
        take_variable(source, rest);
    else if (span_is(word, "$enddefinitions")) {
        state->defined = true;
        return check_header(source, err) < 0 ? -1 : 0;
    }
    return 0;
}

static int bad_line(struct source *source, struct error *err) {
    struct state *state = source->state;
    if (source->lines.cut) {
        source_drop(source, (uint64_t)source->lines.line,
                    "ends inside a value change after time stamp #%" PRIu64 ": dropped", state->time);
        state->cut = true;
        return 0;
    }
    return source_fail(source, (uint64_t)source->lines.line, err, "a malformed value change");
}

/* "1!", "b0101 !", "#1000", "$dumpvars" */
static int take_change(struct source *source, struct span line, struct error *err) {
    struct state *state = source->state;
    struct span rest = line, digits, code;
    const struct span word = span_token(&rest);
    if (word.n == 0 || word.at[0] == '$' || word.at[0] == 'r' || word.at[0] == 's')
        return 0;
    if (word.at[0] == '#') {
        uint64_t time;
        if (!span_number((struct span){word.at + 1, word.n - 1}, false, &time))
            return bad_line(source, err);
        end_of_time(state);
        state->time = time;
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
        struct signal *signal = &state->signals[port];
        if (signal->width > 0 && span_is(code, signal->code) && !set_value(signal, digits))
            return bad_line(source, err);
    }
    return 0;
}

static int finish(struct source *source) {
    struct state *state = source->state;
    if (!state->cut)
        end_of_time(state);
    state->ended = true;
    size_t open = 0;
    if (state->early > 0)
        source_drop(source, 0,
                    "%" PRIu64
                    " AXI write beats before their address, or with an address before the start of the file: dropped",
                    state->early);
    for (size_t i = state->csb.first; i < state->csb.count; i++)
        open += !state->csb.items[i].answered;
    if (open > 0)
        source_drop(source, 0, "%zu read%s without a response in the file: dropped, with all later requests", open,
                    open == 1 ? "" : "s");
    return 0;
}

/* Ends the output of fst2vcd: -1 with a message if it could not read the file. */
static int end_fst2vcd(struct source *source, struct error *err) {
    struct state *state = source->state;
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
    struct state *state = source->state;
    struct span line;
    for (;;) {
        if (state->ready_first < state->ready_count) {
            const size_t at = state->ready_first++;
            *access = state->ready[at];
            if (access->size > 0) {
                memcpy(source->bytes, state->data[at][0], access->size);
                memcpy(source->enabled, state->data[at][1], access->size);
                access->bytes = source->bytes;
                access->enabled = source->enabled;
            }
            return 1;
        }
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

static bool open_vcd(struct source *source, struct error *err) {
    (void)err;
    source->state = xcalloc(1, sizeof(struct state));
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
        return error_set(err, "%s: cannot open: %s", path, strerror(errno));
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
    struct state *state = source->state = xcalloc(1, sizeof *state);
    struct stat info;
    if (!is_whole(source->path, err) || stat(source->path, &info) != 0)
        return false;
    char *quoted = text_quoted(source->path);
    /* fst2vcd ends with this process, and at its limit of CPU time if a damaged file makes it run forever. */
    char *command = xprintf("ulimit -t %lld; exec setpriv --pdeathsig KILL fst2vcd -f %s 2>/dev/null",
                            (long long)(SECONDS + info.st_size / BYTES_PER_SECOND), quoted);
    state->pipe = popen(command, "re");
    free(command);
    free(quoted);
    if (!state->pipe)
        return error_set(err, "%s: fst2vcd cannot be started: %s", source->path, strerror(errno));
    source->lines = (struct lines){.path = source->path, .err = err, .piece = 1 << 16};
    source->lines.file = file_reader_take(dup(fileno(state->pipe)), source->path, err);
    return source->lines.file != NULL;
}

static void close_state(struct source *source) {
    struct state *state = source->state;
    if (!state)
        return;
    /* fst2vcd writes until its pipe has no reader. */
    if (state->pipe) {
        lines_close(&source->lines);
        pclose(state->pipe);
    }
    for (size_t i = 0; i < state->depth; i++)
        free(state->path[i]);
    free(state->csb.items);
    for (int space = 0; space < SPACE_COUNT; space++) {
        free(state->writes[space].items);
        for (int id = 0; id < IDS; id++)
            free(state->reads[space][id].items);
    }
    free(state->ready);
    free(state->data);
    free(state);
}

const struct source_format source_vcd = {"vcd", "wave dump, VCD", likely_vcd, open_vcd, next, close_state, "time"};
const struct source_format source_fst = {"fst", "wave dump, FST", likely_fst, open_fst, next, close_state, "time"};
