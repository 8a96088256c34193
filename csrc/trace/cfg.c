/* Reader of trace tests, NAME.cfg (chapter 80 section 3).
 *
 * A file is a sequence of `command(operand, ...);`. Line ends are blanks; `//` starts a comment anywhere. Register
 * commands go to the stream of their unit, memory commands and checks to stream "memory", intr_notify to stream
 * "interrupt". PATTERN X (four-state unknown in the reference bench) becomes a seeded random fill: a design that
 * depends on such bytes gives different results with different seeds. Polls that no published player implements:
 * poll_reg_greater, _less, _not_greater and _not_less compare as their names say; poll_reg_not_equal and poll_field_*
 * are rejected. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "trace/cfg_golden.h"
#include "trace/formats.h"
#include "trace/hint.h"
#include "trace/lex.h"
#include "trace/side_files.h"
#include "trace/verify.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCTUATION };

struct cfg_token {
    enum token_kind kind;
    struct span text; /* of a string: the text between the quotes */
    char *copy;       /* owns the text if that is from an earlier line; else NULL */
    int line;
};

enum { MAX_OPERANDS = 6 };

struct cfg {
    struct lines *lines;
    const char *path;
    const char *at, *end; /* of the line being read */
    struct program *prog;
    struct error *err;
    struct packet_files files;
    /* The command being read. */
    struct cfg_token name;
    struct cfg_token operand[MAX_OPERANDS];
    int operands;
};

struct cfg_command {
    const char *name;
    int fewest, most;
    bool (*handle)(struct cfg *cfg);
    const char *usage;
};

/* ---- tokens ---- */

static bool name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Adds a comment to the program as a note. */
static void take_comment(struct cfg *cfg) {
    program_comment(cfg->prog, "memory", cfg->lines->line, cfg->at + 2, (size_t)(cfg->end - cfg->at - 2));
    cfg->at = cfg->end;
}

static void keep_token(struct cfg_token *token) {
    if (token->copy || !token->text.n)
        return;
    token->copy = xstrndup(token->text.at, token->text.n);
    token->text.at = token->copy;
}

static void forget_tokens(struct cfg *cfg) {
    free(cfg->name.copy);
    cfg->name = (struct cfg_token){.kind = TOKEN_END};
    for (; cfg->operands > 0; cfg->operands--)
        free(cfg->operand[cfg->operands - 1].copy);
}

/* Reads the next line. Tokens of the current command survive, which may span several lines. */
static bool next_line(struct cfg *cfg) {
    struct span line;
    keep_token(&cfg->name);
    for (int i = 0; i < cfg->operands; i++)
        keep_token(&cfg->operand[i]);
    cfg->at = cfg->end = NULL; /* the line they pointed into is overwritten */
    if (!lines_next(cfg->lines, &line))
        return false;
    if (!program_fits(cfg->prog, cfg->path, cfg->lines->line, cfg->err)) {
        cfg->lines->failed = true;
        return false;
    }
    cfg->at = line.at;
    cfg->end = line.at + line.n;
    return true;
}

/* Reads the next token; comments before it become notes. Its text is valid until the next token is read; that of the
 * name and operands of a command, until the command has been processed. */
static bool next_token(struct cfg *cfg, struct cfg_token *token) {
    for (;;) {
        while (cfg->at < cfg->end && strchr(" \t\r\v\f", *cfg->at))
            cfg->at++;
        if (cfg->end - cfg->at >= 2 && cfg->at[0] == '/' && cfg->at[1] == '/')
            take_comment(cfg);
        else if (cfg->at < cfg->end || !next_line(cfg))
            break;
    }
    *token = (struct cfg_token){.kind = TOKEN_END, .text = {cfg->at, 0}, .line = cfg->lines->line};
    if (cfg->lines->failed)
        return false;
    if (cfg->at == cfg->end)
        return true;
    char c = *cfg->at;
    if (c == '"') {
        const char *start = ++cfg->at;
        while (cfg->at < cfg->end && *cfg->at != '"')
            cfg->at++;
        if (cfg->at == cfg->end)
            return fail_at(cfg->err, cfg->path, cfg->lines->line, "found a file name without its closing '\"'");
        token->kind = TOKEN_STRING;
        token->text = (struct span){start, (size_t)(cfg->at++ - start)};
    } else if (name_char(c) || ((c == '-' || c == '+') && cfg->end - cfg->at > 1 && name_char(cfg->at[1]))) {
        /* Numbers have no sign; it is read here only for a better message. */
        do
            cfg->at++, token->text.n++;
        while (cfg->at < cfg->end && name_char(*cfg->at));
        token->kind = (c >= '0' && c <= '9') || c == '-' || c == '+' ? TOKEN_NUMBER : TOKEN_NAME;
    } else if (strchr("(),;", c)) {
        cfg->at++;
        token->text.n = 1;
        token->kind = TOKEN_PUNCTUATION;
    } else {
        char shown[SPAN_SHOW];
        struct span one = {cfg->at, 1};
        return fail_at(cfg->err, cfg->path, cfg->lines->line,
                       "found %s; expected a command such as reg_write(UNIT.REGISTER, value);", span_show(one, shown));
    }
    return true;
}

static bool is_mark(const struct cfg_token *token, char mark) {
    return token->kind == TOKEN_PUNCTUATION && token->text.at[0] == mark;
}

static bool refuse(struct cfg *cfg, const struct cfg_token *token, const char *expected) {
    char shown[SPAN_SHOW];
    return fail_at(cfg->err, cfg->path, token->line, "found %s; expected %s",
                   token->kind == TOKEN_END ? "the end of the file" : span_show(token->text, shown), expected);
}

/* ---- operands ---- */

static bool get_number(struct cfg *cfg, int index, uint64_t limit, const char *what, uint64_t *value) {
    const struct cfg_token *token = &cfg->operand[index];
    if (token->kind != TOKEN_NUMBER || !span_number(token->text, false, value) || *value > limit) {
        char expected[120];
        snprintf(expected, sizeof expected, "%s, a number from 0 to 0x%" PRIx64, what, limit);
        return refuse(cfg, token, expected);
    }
    return true;
}

static bool get_word(struct cfg *cfg, int index, const char *what, uint32_t *value) {
    uint64_t number = 0;
    if (!get_number(cfg, index, UINT32_MAX, what, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

static enum nvdla_unit find_block(struct span name) {
    char text[64];
    if (span_starts(name, "NVDLA_"))
        name.at += 6, name.n -= 6;
    if (name.n >= sizeof text)
        return NVDLA_UNIT_COUNT;
    memcpy(text, name.at, name.n);
    text[name.n] = 0;
    return nvdla_unit_find(text);
}

static const struct nvdla_register *find_register(const struct nvdla_config *config, enum nvdla_unit unit,
                                                  struct span name) {
    char text[100];
    if (!name.n || name.n >= sizeof text)
        return NULL;
    memcpy(text, name.at, name.n);
    text[name.n] = 0;
    const struct nvdla_register *reg = NULL;
    if (name.n > 2 && !strcmp(text + name.n - 2, "_0")) {
        text[name.n - 2] = 0;
        reg = nvdla_register_find(config, unit, text);
        text[name.n - 2] = '_';
    }
    return reg ? reg : nvdla_register_find(config, unit, text);
}

/* BLOCK.REGISTER_0: address and stream of the operation. */
static bool get_register(struct cfg *cfg, int index, struct op *op) {
    const struct cfg_token *token = &cfg->operand[index];
    const struct nvdla_config *config = cfg->prog->config;
    const char *dot = token->kind == TOKEN_NAME ? memchr(token->text.at, '.', token->text.n) : NULL;
    if (!dot)
        return refuse(cfg, token, "a register, BLOCK.REGISTER as in NVDLA_SDP.D_OP_ENABLE_0");
    struct span block = {token->text.at, (size_t)(dot - token->text.at)};
    struct span name = {dot + 1, token->text.n - block.n - 1};
    char shown[SPAN_SHOW], hint[HINT];
    enum nvdla_unit unit = find_block(block);
    if (unit == NVDLA_UNIT_COUNT)
        return fail_at(cfg->err, cfg->path, token->line,
                       "unknown block %s; expected one such as NVDLA_SDP or NVDLA_CDMA%s", span_show(block, shown),
                       unit_hint(config, block, hint));
    const struct nvdla_register *reg = find_register(config, unit, name);
    if (!reg)
        return fail_at(
            cfg->err, cfg->path, token->line,
            "unknown register %s in block %s of configuration %s; is that the configuration this trace was made for?%s",
            span_show(name, shown), nvdla_unit_names[unit], config->name, register_hint(config, unit, name, hint));
    op->address = reg->address;
    op->stream = (uint16_t)program_stream(cfg->prog, nvdla_unit_names[unit]);
    return true;
}

static bool get_event(struct cfg *cfg, int index, int *event) {
    const struct cfg_token *token = &cfg->operand[index];
    if (token->kind != TOKEN_NAME && token->kind != TOKEN_NUMBER)
        return refuse(cfg, token, "a sync id");
    autofree char *name = xstrndup(token->text.at, token->text.n);
    *event = program_event(cfg->prog, name);
    return true;
}

/* The optional id, the last operand. */
static bool get_after(struct cfg *cfg, int index, struct op *op) {
    return index >= cfg->operands || get_event(cfg, index, &op->after);
}

static bool get_space(struct cfg *cfg, int index, struct op *op) {
    const struct cfg_token *token = &cfg->operand[index];
    uint64_t number;
    if (span_is(token->text, "pri_mem"))
        op->space = SPACE_PRIMARY;
    else if (span_is(token->text, "sec_mem"))
        op->space = SPACE_SECONDARY;
    else if (token->kind == TOKEN_NUMBER && span_number(token->text, false, &number) && number <= 1)
        op->space = number ? SPACE_PRIMARY : SPACE_SECONDARY;
    else
        return refuse(cfg, token, "a memory: pri_mem, sec_mem, 1 (primary) or 0 (secondary)");
    return true;
}

static const struct blob *get_file(struct cfg *cfg, int index) {
    const struct cfg_token *token = &cfg->operand[index];
    if (token->kind != TOKEN_STRING || !token->text.n) {
        refuse(cfg, token, "a file name in double quotes");
        return NULL;
    }
    return packet_files_get(&cfg->files, cfg->prog, cfg->path, token->line, token->text, cfg->err);
}

static bool get_pattern(struct cfg *cfg, int index, struct op *op) {
    static const struct {
        const char *name;
        enum mem_pattern pattern;
        uint8_t fill;
    } patterns[] = {
        {"RANDOM", PATTERN_RANDOM, 0}, {"ALL_ZERO", PATTERN_BYTE, 0}, {"ONES", PATTERN_BYTE, 0xff},
        {"X", PATTERN_RANDOM, 0},      {"AFIVE", PATTERN_BYTE, 0xa5}, {"FIVEA", PATTERN_BYTE, 0x5a},
        {"ADDR", PATTERN_ADDRESS, 0},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (cfg->operand[index].kind == TOKEN_NAME && span_is(cfg->operand[index].text, patterns[i].name)) {
            op->pattern = patterns[i].pattern;
            op->fill = patterns[i].fill;
            return true;
        }
    }
    return refuse(cfg, &cfg->operand[index], "a pattern: RANDOM, ALL_ZERO, ONES, X, AFIVE, FIVEA or ADDR");
}

/* ---- commands ---- */

static struct op make(struct cfg *cfg, enum op_kind kind, const char *stream) {
    struct op op = op_make(kind, cfg->name.line);
    if (stream)
        op.stream = (uint16_t)program_stream(cfg->prog, stream);
    return op;
}

static bool append(struct cfg *cfg, const struct op *op) {
    program_append(cfg->prog, op);
    return true;
}

static bool do_write(struct cfg *cfg) {
    struct op op = make(cfg, OP_WRITE, NULL);
    return get_register(cfg, 0, &op) && get_word(cfg, 1, "a register value", &op.value) && append(cfg, &op);
}

static bool do_read_check(struct cfg *cfg) {
    struct op op = make(cfg, OP_READ_CHECK, NULL);
    return get_register(cfg, 0, &op) && get_word(cfg, 1, "a register value", &op.value) && append(cfg, &op);
}

static bool do_read(struct cfg *cfg) {
    struct op op = make(cfg, OP_READ, NULL);
    if (!get_register(cfg, 0, &op))
        return false;
    if (cfg->operand[1].kind != TOKEN_NAME)
        return refuse(cfg, &cfg->operand[1], "the name of a variable");
    return append(cfg, &op);
}

/* step: added to the operand, for relations that exclude it. */
static bool poll(struct cfg *cfg, enum relation relation, int step) {
    struct op op = make(cfg, OP_POLL, NULL);
    op.relation = relation;
    if (!get_register(cfg, 0, &op) || !get_word(cfg, 1, "a register value", &op.value))
        return false;
    if (op.value == (step > 0 ? UINT32_MAX : 0) && step)
        return fail_at(cfg->err, cfg->path, cfg->name.line,
                       "this poll can never hold: no register value is %s 0x%" PRIx32,
                       step > 0 ? "greater than" : "less than", op.value);
    op.value += (uint32_t)step;
    return append(cfg, &op);
}

static bool do_poll_equal(struct cfg *cfg) {
    return poll(cfg, RELATION_EQUAL, 0);
}

static bool do_poll_greater(struct cfg *cfg) {
    return poll(cfg, RELATION_GREATER_EQUAL, 1);
}

static bool do_poll_less(struct cfg *cfg) {
    return poll(cfg, RELATION_LESS_EQUAL, -1);
}

static bool do_poll_not_greater(struct cfg *cfg) {
    return poll(cfg, RELATION_LESS_EQUAL, 0);
}

static bool do_poll_not_less(struct cfg *cfg) {
    return poll(cfg, RELATION_GREATER_EQUAL, 0);
}

static bool do_poll_undefined(struct cfg *cfg) {
    return fail_at(cfg->err, cfg->path, cfg->name.line,
                   "%.*s is documented, but no player implements it and its meaning is undefined; use poll_reg_equal, "
                   "poll_reg_greater, poll_reg_less, poll_reg_not_greater or poll_reg_not_less",
                   (int)cfg->name.text.n, cfg->name.text.at);
}

static bool get_block(struct cfg *cfg, struct op *op) {
    const struct cfg_token *token = &cfg->operand[0];
    enum nvdla_unit unit = token->kind == TOKEN_NAME ? find_block(token->text) : NVDLA_UNIT_COUNT;
    if (unit == NVDLA_UNIT_COUNT)
        return refuse(cfg, token, "a block such as NVDLA_SDP or NVDLA_CDMA");
    op->stream = (uint16_t)program_stream(cfg->prog, nvdla_unit_names[unit]);
    return true;
}

static bool do_sync_notify(struct cfg *cfg) {
    struct op op = make(cfg, OP_SYNC_NOTIFY, NULL);
    return get_block(cfg, &op) && get_event(cfg, 1, &op.event) && append(cfg, &op);
}

static bool do_sync_wait(struct cfg *cfg) {
    struct op op = make(cfg, OP_SYNC_WAIT, NULL);
    return get_block(cfg, &op) && get_event(cfg, 1, &op.event) && append(cfg, &op);
}

static bool do_intr_notify(struct cfg *cfg) {
    struct op op = make(cfg, OP_INTR_NOTIFY, "interrupt");
    op.bit = -1;
    if (cfg->operands == 2) {
        char name[32] = "";
        const struct cfg_token *token = &cfg->operand[0];
        if (token->kind == TOKEN_NAME && token->text.n < sizeof name)
            memcpy(name, token->text.at, token->text.n);
        op.bit = nvdla_interrupt_bit(name);
        if (op.bit < 0)
            return refuse(
                cfg, token,
                "an interrupt: SDP_g, CDP_g, PDP_g, BDMA_g, RUBIK_g, cdma_dat_g, cdma_wt_g or CACC_g, g = 0 or 1");
    }
    return get_event(cfg, cfg->operands - 1, &op.event) && append(cfg, &op);
}

static bool do_mem_load(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_LOAD, "memory");
    if (!get_space(cfg, 0, &op) || !get_number(cfg, 1, UINT64_MAX, "a base address", &op.base) ||
        !(op.blob = get_file(cfg, 2)) || !get_after(cfg, 3, &op))
        return false;
    op.size = op.blob->extent;
    return append(cfg, &op);
}

static bool do_mem_init(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_FILL, "memory");
    if (!get_space(cfg, 0, &op) || !get_number(cfg, 1, UINT64_MAX, "a base address", &op.base))
        return false;
    if (cfg->operand[2].kind == TOKEN_STRING) {
        const struct blob *blob = get_file(cfg, 2);
        if (!blob)
            return false;
        op.size = blob->extent;
    } else if (!get_number(cfg, 2, UINT64_MAX, "a size in bytes or a file name in quotes", &op.size)) {
        return false;
    }
    return get_pattern(cfg, 3, &op) && get_after(cfg, 4, &op) && append(cfg, &op);
}

static bool do_mem_reserve(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_RESERVE, "memory");
    return get_space(cfg, 0, &op) && get_number(cfg, 1, UINT64_MAX, "a base address", &op.base) &&
           get_number(cfg, 2, UINT64_MAX, "a size in bytes", &op.size) && get_after(cfg, 3, &op) && append(cfg, &op);
}

static bool do_mem_release(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_RELEASE, "memory");
    return get_space(cfg, 0, &op) && get_number(cfg, 1, UINT64_MAX, "a base address", &op.base) &&
           get_after(cfg, 2, &op) && append(cfg, &op);
}

static bool do_check_crc(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_CRC, "memory");
    return get_event(cfg, 0, &op.after) && get_space(cfg, 1, &op) &&
           get_number(cfg, 2, UINT64_MAX, "a base address", &op.base) &&
           get_number(cfg, 3, UINT64_MAX, "a size in bytes", &op.size) && get_word(cfg, 4, "a CRC-32", &op.value) &&
           append(cfg, &op);
}

static bool do_check_file(struct cfg *cfg) {
    struct op op = make(cfg, OP_MEM_CHECK, "memory");
    if (!get_event(cfg, 0, &op.after) || !get_space(cfg, 1, &op) ||
        !get_number(cfg, 2, UINT64_MAX, "a base address", &op.base) ||
        !get_number(cfg, 3, UINT64_MAX, "a size in bytes", &op.size) || !(op.blob = get_file(cfg, 4)))
        return false;
    if (op.blob->extent > op.size)
        op.blob = program_blob(cfg->prog, blob_cut(op.blob, op.size));
    op.size = op.blob->extent;
    return append(cfg, &op);
}

static bool do_check_nothing(struct cfg *cfg) {
    struct op op = make(cfg, OP_CHECK_EVENT, "memory");
    return get_event(cfg, 0, &op.after) && append(cfg, &op);
}

static const struct cfg_command commands[] = {
    {"reg_write", 2, 2, do_write, "BLOCK.REGISTER, value"},
    {"reg_read_check", 2, 2, do_read_check, "BLOCK.REGISTER, value"},
    {"reg_read_expected", 2, 2, do_read_check, "BLOCK.REGISTER, value"},
    {"reg_read", 2, 2, do_read, "BLOCK.REGISTER, variable"},
    {"poll_reg_equal", 2, 2, do_poll_equal, "BLOCK.REGISTER, value"},
    {"poll_reg_greater", 2, 2, do_poll_greater, "BLOCK.REGISTER, value"},
    {"poll_reg_less", 2, 2, do_poll_less, "BLOCK.REGISTER, value"},
    {"poll_reg_not_greater", 2, 2, do_poll_not_greater, "BLOCK.REGISTER, value"},
    {"poll_reg_not_less", 2, 2, do_poll_not_less, "BLOCK.REGISTER, value"},
    {"poll_reg_not_equal", 0, MAX_OPERANDS, do_poll_undefined, ""},
    {"sync_notify", 2, 2, do_sync_notify, "BLOCK, id"},
    {"sync_wait", 2, 2, do_sync_wait, "BLOCK, id"},
    {"intr_notify", 1, 2, do_intr_notify, "INTERRUPT, id or id alone"},
    {"mem_load", 3, 4, do_mem_load, "mem, base, \"file\"[, id]"},
    {"mem_init", 4, 5, do_mem_init, "mem, base, size or \"file\", PATTERN[, id]"},
    {"mem_reserve", 3, 4, do_mem_reserve, "mem, base, size[, id]"},
    {"mem_release", 3, 3, do_mem_release, "mem, base, id"},
    {"check_crc", 5, 5, do_check_crc, "id, mem, base, size, crc"},
    {"check_file", 5, 5, do_check_file, "id, mem, base, size, \"file\""},
    {"check_nothing", 1, 1, do_check_nothing, "id"},
};

static const struct cfg_command *find_command(struct span name) {
    static const struct cfg_command field = {"poll_field_*", 0, MAX_OPERANDS, do_poll_undefined, ""};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (span_is(name, commands[i].name))
            return &commands[i];
    return span_starts(name, "poll_field_") ? &field : NULL;
}

/* Reads the operands after the opening parenthesis, including the closing one. */
static bool read_operands(struct cfg *cfg, const struct cfg_command *command) {
    struct cfg_token token;
    char shown[SPAN_SHOW];
    int found = 0;
    if (!next_token(cfg, &token))
        return false;
    while (!is_mark(&token, ')')) {
        if (token.kind == TOKEN_END || token.kind == TOKEN_PUNCTUATION)
            return refuse(cfg, &token, "an operand or \")\"");
        if (found++ < MAX_OPERANDS)
            cfg->operand[cfg->operands++] = token;
        if (!next_token(cfg, &token))
            return false;
        if (is_mark(&token, ',')) {
            if (!next_token(cfg, &token))
                return false;
            if (is_mark(&token, ')'))
                return refuse(cfg, &token, "an operand after the comma");
        } else if (!is_mark(&token, ')')) {
            return refuse(cfg, &token, "\",\" or \")\"");
        }
    }
    if (found < command->fewest || found > command->most)
        return fail_at(cfg->err, cfg->path, cfg->name.line, "found %s with %d operands; expected %s(%s)",
                       span_show(cfg->name.text, shown), found, command->name, command->usage);
    return true;
}

static bool read_command(struct cfg *cfg) {
    char shown[SPAN_SHOW], hint[HINT];
    struct cfg_token token;
    if (cfg->name.kind != TOKEN_NAME)
        return refuse(cfg, &cfg->name, "a command such as reg_write(UNIT.REGISTER, value);");
    const struct cfg_command *command = find_command(cfg->name.text);
    if (!command) {
        struct guess guess = {.word = cfg->name.text.at, .n = cfg->name.text.n};
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            guess_try(&guess, commands[i].name);
        return fail_at(cfg->err, cfg->path, cfg->name.line,
                       "unknown command %s; expected reg_write, mem_load, check_crc, ...%s",
                       span_show(cfg->name.text, shown), guess_hint(&guess, hint));
    }
    if (!next_token(cfg, &token))
        return false;
    if (!is_mark(&token, '('))
        return refuse(cfg, &token, "\"(\" after the command");
    if (!read_operands(cfg, command))
        return false;
    int line = cfg->lines->line;
    if (!next_token(cfg, &token))
        return false;
    if (!is_mark(&token, ';'))
        return fail_at(cfg->err, cfg->path, line, "found no \";\" after %s(...); every command ends with one",
                       span_show(cfg->name.text, shown));
    return command->handle(cfg);
}

/* ---- the file ---- */

struct program *trace_read_cfg(struct lines *lines, const struct trace_options *options, struct error *err) {
    const struct nvdla_config *config = options && options->config ? options->config : nvdla_config_find("small");
    struct cfg cfg = {.lines = lines, .path = lines->path, .prog = program_new(config, lines->path), .err = err};
    struct cfg_token token;
    bool good = true;
    while (good && (good = next_token(&cfg, &token)) && token.kind != TOKEN_END) {
        if (is_mark(&token, ';'))
            continue;
        cfg.name = token;
        good = read_command(&cfg);
        forget_tokens(&cfg);
    }
    if (good && !(options && options->no_golden))
        good = cfg_read_goldens(cfg.prog, lines->path, err);
    good = good && program_verify(cfg.prog, err);
    packet_files_free(&cfg.files);
    if (good)
        return cfg.prog;
    program_free(cfg.prog);
    return NULL;
}
