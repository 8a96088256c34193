/* Reader of trace-player files, input.txn (chapter 80 section 1; `until` of section 5.1).
 *
 * One command a line, played strictly in order: one stream "main". read_reg polls (100 attempts unless plusargs.txt
 * beside the trace says otherwise); one of a single attempt is a check, one with mask 0 a read whose result is not
 * used; reads of the registers of section 9.3 are informational. posedge and negedge waits become two level waits. The
 * format cannot declare memory regions, and its traces do not load the surfaces that layers write: a program starts
 * with one reservation per window of section 1.5. Lines of the raw form (txn_raw.h) are turned into these commands. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/hint.h"
#include "trace/lex.h"
#include "trace/side_files.h"
#include "trace/txn.h"
#include "trace/txn_raw.h"
#include "trace/verify.h"

enum { MAX_TOKENS = 8 };

struct txn {
    const char *path;
    int line;
    struct program *prog;
    struct error *err;
    uint32_t attempts;
    bool ignore_poll;
    bool raw;                      /* the raw form */
    struct span token[MAX_TOKENS]; /* [0] is the command */
    int tokens;                    /* may exceed MAX_TOKENS: the rest is dropped */
};

struct txn_command {
    const char *name;
    int fewest, most; /* operands */
    bool (*handle)(struct txn *txn);
    const char *usage;
};

static bool refuse(struct txn *txn, struct span found, const char *expected) {
    char shown[SPAN_SHOW];
    return fail_at(txn->err, txn->path, txn->line, "found %s; expected %s", span_show(found, shown), expected);
}

static bool get_number(struct txn *txn, int index, uint64_t limit, const char *what, uint64_t *value) {
    if (!span_number(txn->token[index], false, value) || *value > limit) {
        char expected[120];
        snprintf(expected, sizeof expected, "%s, a number from 0 to 0x%" PRIx64, what, limit);
        return refuse(txn, txn->token[index], expected);
    }
    return true;
}

static bool get_word(struct txn *txn, int index, const char *what, uint32_t *value) {
    uint64_t number;
    if (!get_number(txn, index, UINT32_MAX, what, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static struct op make(struct txn *txn, enum op_kind kind) {
    return op_make(kind, txn->line); /* stream 0 is "main" */
}

static bool append(struct txn *txn, const struct op *op) {
    program_append(txn->prog, op);
    return true;
}

/* The address word (section 1.3): bits 15:0 word address, 17 nposted. */
static bool get_register(struct txn *txn, int index, struct op *op) {
    uint32_t token;
    const struct nvdla_config *config = txn->prog->config;
    if (!get_word(txn, index, "a register address token", &token))
        return false;
    op->address = (token & 0xffff) * 4;
    op->nposted = op->kind == OP_WRITE && (token >> 17 & 1);
    if (nvdla_register_at(config, op->address))
        return true;
    enum nvdla_unit unit = nvdla_unit_at(config, op->address);
    char where[80];
    if (unit == NVDLA_UNIT_COUNT)
        snprintf(where, sizeof where, "no unit's window");
    else
        snprintf(where, sizeof where, "the window of %s, offset 0x%03" PRIx32, nvdla_unit_names[unit],
                 op->address & 0xfff);
    return fail_at(txn->err, txn->path, txn->line,
                   "token 0x%08" PRIx32 " is byte address 0x%05" PRIx32
                   ", %s: configuration %s has no register there; %s",
                   token, op->address, where, config->name,
                   token >> 16 ? "is that the configuration this trace was made for?"
                               : "a file that holds byte addresses is another dialect (chapter 80 section 5.1)");
}

static bool do_write_reg(struct txn *txn) {
    struct op op = make(txn, OP_WRITE);
    return get_register(txn, 1, &op) && get_word(txn, 2, "register data", &op.value) && append(txn, &op);
}

/* addr mask expected, or addr mask cmp expected [polls] */
static bool do_read_reg(struct txn *txn) {
    struct op op = make(txn, OP_POLL);
    op.attempts = txn->attempts;
    if (!get_register(txn, 1, &op) || !get_word(txn, 2, "a mask", &op.mask))
        return false;
    bool compared = true;
    if (span_is(txn->token[3], "=="))
        op.relation = RELATION_EQUAL;
    else if (span_is(txn->token[3], "<="))
        op.relation = RELATION_LESS_EQUAL;
    else if (span_is(txn->token[3], ">="))
        op.relation = RELATION_GREATER_EQUAL;
    else
        compared = false;
    if (!compared && txn->tokens > 4)
        return refuse(txn, txn->token[3], "==, <= or >= (read_reg addr mask cmp expected [polls])");
    if (compared && txn->tokens < 5)
        return refuse(txn, (struct span){NULL, 0}, "the expected value after the comparison");
    if (!get_word(txn, compared ? 4 : 3, "the expected value", &op.value))
        return false;
    if (txn->tokens > 5 && !get_word(txn, 5, "a number of polls", &op.attempts))
        return false;
    op.value &= op.mask;
    if (op.mask == 0) {
        op = make(txn, OP_READ);
        return get_register(txn, 1, &op) && append(txn, &op);
    }
    if (op.attempts == 1) {
        op.kind = OP_READ_CHECK;
        op.attempts = 0;
    }
    op.volatile_read = txn->ignore_poll || nvdla_register_volatile(txn->prog->config, op.address, op.mask);
    return append(txn, &op);
}

static bool do_until(struct txn *txn) {
    struct op op = make(txn, OP_POLL);
    if (!get_register(txn, 1, &op) || !get_word(txn, 2, "a value", &op.value))
        return false;
    op.mask = op.value;
    return append(txn, &op);
}

static bool add_wait(struct txn *txn, bool level) {
    struct op op = make(txn, OP_WAIT);
    op.level = level;
    return append(txn, &op);
}

static bool do_wait(struct txn *txn) {
    if (txn->tokens == 1)
        return add_wait(txn, true);
    if (txn->tokens != 3 || !span_is(txn->token[2], "dla_intr"))
        return refuse(txn, txn->tokens > 2 ? txn->token[2] : (struct span){NULL, 0}, "the signal dla_intr");
    struct span edge = txn->token[1];
    if (span_is(edge, "high"))
        return add_wait(txn, true);
    if (span_is(edge, "low"))
        return add_wait(txn, false);
    if (span_is(edge, "posedge"))
        return add_wait(txn, false) && add_wait(txn, true);
    if (span_is(edge, "negedge"))
        return add_wait(txn, true) && add_wait(txn, false);
    return refuse(txn, edge, "high, low, posedge or negedge");
}

/* A 32-bit memory address determines the space (chapter 80 section 1.5). Bit 31 set is primary memory in every bench;
 * traces made from captures of drivers use all of it, 0x80000000 to 0xffffffff. Below, the bench of full has one window
 * of secondary memory; that of the configurable branch maps all of it to secondary memory, if that port exists. */
static const struct txn_window primary_window = {SPACE_PRIMARY, 0x80000000, 0x80000000, "0x80000000 to 0xffffffff"};
static const struct txn_window full_secondary_window = {SPACE_SECONDARY, 0x50000000, 0x10000000,
                                                        "0x50000000 to 0x5fffffff"};
static const struct txn_window secondary_window = {SPACE_SECONDARY, 0, 0x80000000, "0x00000000 to 0x7fffffff"};

const struct txn_window *txn_window(const struct nvdla_config *config, enum memory_space space) {
    if (space == SPACE_PRIMARY)
        return &primary_window;
    if (!config->secondary_memory)
        return NULL;
    return config->map == NVDLA_MAP_FULL ? &full_secondary_window : &secondary_window;
}

static void reserve_window(struct txn *txn, const struct txn_window *window) {
    struct op op = make(txn, OP_MEM_RESERVE);
    op.space = window->space;
    op.base = window->base;
    op.size = window->size;
    append(txn, &op);
}

static void reserve_windows(struct txn *txn) {
    const struct txn_window *secondary = txn_window(txn->prog->config, SPACE_SECONDARY);
    reserve_window(txn, &primary_window);
    if (secondary)
        reserve_window(txn, secondary);
}

static bool in_window(const struct txn_window *window, uint64_t address) {
    return window && address >= window->base && address - window->base < window->size;
}

/* Address of a memory command. Determines the space; all `size` bytes must be in its window. */
static bool get_memory(struct txn *txn, int index, uint64_t size, struct op *op) {
    const struct txn_window *secondary = txn_window(txn->prog->config, SPACE_SECONDARY);
    if (!get_number(txn, index, UINT64_MAX, "a memory address", &op->base))
        return false;
    const struct txn_window *window = in_window(&primary_window, op->base) ? &primary_window
                                      : in_window(secondary, op->base)     ? secondary
                                                                           : NULL;
    if (!window) {
        char expected[160];
        snprintf(expected, sizeof expected, "an address of primary memory (%s)%s%s%s", primary_window.text,
                 secondary ? " or of secondary memory (" : "", secondary ? secondary->text : "",
                 secondary ? ")" : "; the configuration has no secondary memory");
        return refuse(txn, txn->token[index], expected);
    }
    if (size > window->size - (op->base - window->base))
        return fail_at(txn->err, txn->path, txn->line,
                       "0x%" PRIx64 " bytes at 0x%" PRIx64 " leave the %s memory; expected an end not above 0x%" PRIx64,
                       size, op->base, memory_space_name(window->space), window->base + window->size);
    op->space = window->space;
    return true;
}

/* addr nbytes file: the first nbytes of the file. */
static bool memory_command(struct txn *txn, enum op_kind kind) {
    struct op op = make(txn, kind);
    if (!get_number(txn, 2, TRACE_BLOB_LIMIT, "a number of bytes", &op.size) || !get_memory(txn, 1, op.size, &op))
        return false;
    struct span name = txn->token[3];
    for (size_t i = 0; i < txn->prog->blob_count && !op.blob; i++)
        if (txn->prog->blobs[i]->name && span_is(name, txn->prog->blobs[i]->name) &&
            txn->prog->blobs[i]->size == op.size)
            op.blob = txn->prog->blobs[i];
    if (op.blob)
        return append(txn, &op);

    autofree char *path = path_beside(txn->path, name);
    size_t found = 0;
    struct blob *blob = txn->raw ? txn_raw_memory(path, (size_t)op.size, &found, txn->err)
                                 : data_file_read(path, (size_t)op.size, &found, txn->err);
    if (!blob) {
        error_prefix(txn->err, "%s:%d: ", txn->path, txn->line);
    } else if (found < op.size) {
        fail_at(txn->err, txn->path, txn->line, "%s holds 0x%zx bytes; expected at least 0x%" PRIx64, path, found,
                op.size);
        blob_free(blob);
        blob = NULL;
    }
    if (!blob)
        return false;
    free(blob->name);
    blob->name = xstrndup(name.at, name.n);
    op.blob = program_blob(txn->prog, blob);
    return append(txn, &op);
}

static bool do_load_mem(struct txn *txn) {
    return memory_command(txn, OP_MEM_LOAD);
}

static bool do_dump_mem(struct txn *txn) {
    return memory_command(txn, OP_MEM_CHECK);
}

bool txn_quad(struct span token, uint8_t bytes[TXN_QUAD]) {
    uint64_t low;
    memset(bytes, 0, TXN_QUAD);
    if (token.n > 2 && token.at[0] == '0' && (token.at[1] == 'x' || token.at[1] == 'X')) {
        for (size_t i = 0; i < token.n - 2; i++) {
            uint64_t digit;
            char text[3] = {'0', 'x', token.at[token.n - 1 - i]};
            if (!span_number((struct span){text, 3}, false, &digit) || (i >= 2 * TXN_QUAD && digit))
                return false;
            if (i < 2 * TXN_QUAD)
                bytes[i / 2] = (uint8_t)(bytes[i / 2] | digit << (i % 2 * 4));
        }
        return true;
    }
    if (!span_number(token, false, &low))
        return false;
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(low >> (8 * i));
    return true;
}

static bool get_quad(struct txn *txn, int index, const char *what, uint8_t bytes[TXN_QUAD]) {
    return txn_quad(txn->token[index], bytes) || refuse(txn, txn->token[index], what);
}

/* 16 bytes with gaps as a blob. */
static const struct blob *quad_blob(struct txn *txn, const uint8_t bytes[TXN_QUAD], uint32_t enabled) {
    struct blob *blob = blob_new(NULL);
    for (size_t i = 0; i < TXN_QUAD; i++)
        if (enabled >> i & 1)
            blob_append(blob, i, &bytes[i], 1);
    return program_blob(txn->prog, blob);
}

/* addr bytemask data: 16 bytes, one mask bit a byte, byte 0 of the data is the least significant. */
static bool do_write_mem(struct txn *txn) {
    struct op op = make(txn, OP_MEM_LOAD);
    uint8_t data[TXN_QUAD];
    uint64_t mask;
    if (!get_memory(txn, 1, TXN_QUAD, &op) || !get_number(txn, 2, 0xffff, "a byte mask", &mask) ||
        !get_quad(txn, 3, "data, a number of up to 128 bits", data))
        return false;
    op.blob = quad_blob(txn, data, (uint32_t)mask);
    op.size = op.blob->extent;
    return append(txn, &op);
}

/* addr mask expected: 16 bytes; only masks of whole bytes can be checked. */
static bool do_read_mem(struct txn *txn) {
    struct op op = make(txn, OP_MEM_CHECK);
    uint8_t mask[TXN_QUAD], expected[TXN_QUAD];
    if (!get_memory(txn, 1, TXN_QUAD, &op) || !get_quad(txn, 2, "a mask, a number of up to 128 bits", mask) ||
        !get_quad(txn, 3, "the expected data, a number of up to 128 bits", expected))
        return false;
    uint32_t enabled = 0;
    for (size_t i = 0; i < TXN_QUAD; i++) {
        if (mask[i] != 0 && mask[i] != 0xff)
            return refuse(txn, txn->token[2],
                          "a read_mem mask of whole bytes, each 00 or ff (others are not supported)");
        enabled |= (mask[i] ? 1u : 0u) << i;
    }
    op.blob = quad_blob(txn, expected, enabled);
    op.size = op.blob->extent;
    return append(txn, &op);
}

static const struct txn_command commands[] = {
    {"write_reg", 2, 2, do_write_reg, "addr data"},
    {"read_reg", 3, 5, do_read_reg, "addr mask expected, or addr mask cmp expected [polls]"},
    {"load_mem", 3, 3, do_load_mem, "addr nbytes file"},
    {"dump_mem", 3, 3, do_dump_mem, "addr nbytes file"},
    {"wait", 0, 2, do_wait, "[high|low|posedge|negedge dla_intr]"},
    {"write_mem", 3, 3, do_write_mem, "addr bytemask data"},
    {"read_mem", 3, 3, do_read_mem, "addr mask expected"},
    {"until", 2, 2, do_until, "addr value"},
};

static bool read_command(struct txn *txn, struct span line) {
    char shown[SPAN_SHOW], hint[HINT];
    txn->tokens = 0;
    for (struct span token = span_token(&line); token.n; token = span_token(&line)) {
        if (txn->tokens < MAX_TOKENS)
            txn->token[txn->tokens] = token;
        txn->tokens++;
    }
    if (!txn->tokens)
        return true;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct txn_command *command = &commands[i];
        if (!span_is(txn->token[0], command->name))
            continue;
        int operands = txn->tokens - 1;
        if (operands < command->fewest || operands > command->most)
            return fail_at(txn->err, txn->path, txn->line, "found %s with %d operands; expected %s %s", command->name,
                           operands, command->name, command->usage);
        return command->handle(txn);
    }
    struct guess guess = {.word = txn->token[0].at, .n = txn->token[0].n};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        guess_try(&guess, commands[i].name);
    return fail_at(
        txn->err, txn->path, txn->line,
        "unknown command %s; expected write_reg, read_reg, load_mem, dump_mem, wait, write_mem, read_mem or until%s",
        span_show(txn->token[0], shown), guess_hint(&guess, hint));
}

/* ---- plusargs.txt ---- */

/* Known names without effect here: the harness has its own options for what they tune. */
static bool is_silent_plusarg(struct span name) {
    static const char *const names[] = {
        "continue_on_fail",
        "ignore_badf",
        "read_mem_poll_retries",
        "read_reg_poll_interval_clocks",
        "read_mem_poll_interval_clocks",
        "intr_timeout_clocks",
        "mem_read_latency",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (span_is(name, names[i]))
            return true;
    return false;
}

static bool read_plusarg(struct txn *txn, const char *path, int line, struct span word) {
    char shown[SPAN_SHOW];
    if (word.at[0] != '+')
        return fail_at(txn->err, path, line, "found %s; expected +name or +name=value", span_show(word, shown));
    struct span name = {word.at + 1, word.n - 1}, value = {NULL, 0};
    const char *equals = memchr(name.at, '=', name.n);
    if (equals) {
        value = (struct span){equals + 1, (size_t)(name.at + name.n - equals) - 1};
        name.n = (size_t)(equals - name.at);
    }
    uint64_t number = 1;
    if (equals && !span_number(value, false, &number))
        return fail_at(txn->err, path, line, "found %s; expected a number after =", span_show(value, shown));
    if (span_is(name, "read_reg_poll_retries")) {
        if (!equals || number > UINT32_MAX)
            return fail_at(txn->err, path, line, "found %s; expected +read_reg_poll_retries=N, N from 0 to 0xffffffff",
                           span_show(word, shown));
        txn->attempts = (uint32_t)number;
    } else if (span_is(name, "ignore_poll")) {
        txn->ignore_poll = number != 0;
    } else if (!is_silent_plusarg(name)) {
        program_warn(txn->prog, path, line, "unknown plusarg %s is ignored", span_show(word, shown));
    }
    return true;
}

static bool read_plusargs(struct txn *txn) {
    autofree char *path = path_beside(txn->path, (struct span){"plusargs.txt", strlen("plusargs.txt")});
    struct lines lines;
    struct span line;
    bool good = true;
    if (access(path, F_OK) == 0) {
        good = lines_open_file(&lines, path, txn->err);
        while (good && lines_next(&lines, &line))
            for (struct span word = span_token(&line); good && word.n; word = span_token(&line))
                good = read_plusarg(txn, path, lines.line, word);
        good = good && !lines.failed;
        lines_close(&lines);
    }
    return good;
}

/* A line of the text form: a command, and a comment, which is kept. */
static bool read_line(struct txn *txn, struct span line) {
    const char *hash = line.n ? memchr(line.at, '#', line.n) : NULL;
    struct span command = {line.at, hash ? (size_t)(hash - line.at) : line.n};
    if (!read_command(txn, command))
        return false;
    if (hash)
        program_comment(txn->prog, "main", txn->line, hash + 1, line.n - command.n - 1);
    return true;
}

static struct program *read_all(struct lines *lines, const struct trace_options *options, bool raw, struct error *err) {
    struct span line;
    char text[TXN_RAW_TEXT];
    const struct nvdla_config *config = options && options->config ? options->config : nvdla_config_find("full");
    struct txn txn = {.path = lines->path,
                      .prog = program_new(config, lines->path),
                      .err = err,
                      .attempts = TXN_ATTEMPTS,
                      .raw = raw};
    txn.prog->sequential = true;
    program_stream(txn.prog, "main");
    reserve_windows(&txn);
    bool good = read_plusargs(&txn), ended = !raw;
    while (good && lines_next(lines, &line)) {
        txn.line = lines->line;
        good = raw ? txn_raw_command(lines, line, text, &ended, err) &&
                         read_command(&txn, (struct span){text, strlen(text)})
                   : read_line(&txn, line);
        good = good && program_fits(txn.prog, txn.path, txn.line, err);
    }
    if (good && !lines->failed && !ended)
        good = fail_at(err, txn.path, txn.line, "found the end of the file; expected the end line, FF and 30 zeros");
    if (good && !lines->failed && program_verify(txn.prog, err))
        return txn.prog;
    program_free(txn.prog);
    return NULL;
}

struct program *trace_read_txn(struct lines *lines, const struct trace_options *options, struct error *err) {
    return read_all(lines, options, false, err);
}

struct program *trace_read_txn_raw(struct lines *lines, const struct trace_options *options, struct error *err) {
    return read_all(lines, options, true, err);
}
