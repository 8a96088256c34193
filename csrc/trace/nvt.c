/* Reader of .nvt (traces/FORMAT.md), line by line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/config_text.h"
#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/hex.h"
#include "trace/hint.h"
#include "trace/nvt.h"
#include "trace/nvt_content.h"
#include "trace/side_files.h"
#include "trace/verify.h"

enum { MAX_TOKENS = 16, HEADER_BYTES = 512 /* holds the header, unless there are long comments */ };

/* A word of a line. text has no quotes and escapes; the key is the part before the first '=' outside quotes. */
struct token {
    const char *text; /* zero-terminated, in nvt.line_text */
    size_t key;       /* length of KEY in KEY=VALUE, 0 if there is no '=' */
};

enum { KNOWN = 256 };

struct nvt {
    struct lines *lines;
    struct program *prog;
    struct error *err;
    struct packet_files files;
    struct blob **blobs; /* by label; owned by the program */
    size_t blob_count;
    uint64_t content; /* bytes of all blobs */
    char *line_text;  /* room for the words of one line */
    size_t line_room;
    struct token token[MAX_TOKENS]; /* [0] is the command */
    int tokens;
    int used; /* tokens used as operands so far */
    struct known {
        char name[44]; /* UNIT.REGISTER; "": none */
        uint32_t address;
    } known[KNOWN];
};

const struct nvt_command nvt_commands[] = {
    [OP_WRITE] = {"reg_write", "UNIT.REGISTER VALUE [nposted]"},
    [OP_READ] = {"reg_read", "UNIT.REGISTER"},
    [OP_READ_CHECK] = {"read_check", "UNIT.REGISTER ==|<=|>= VALUE [mask=M] [volatile]"},
    [OP_POLL] = {"poll", "UNIT.REGISTER ==|<=|>= VALUE [mask=M] [attempts=N] [volatile]"},
    [OP_WAIT] = {"wait", "high|low"},
    [OP_INTR_NOTIFY] = {"intr_notify", "INTERRUPT|any EVENT"},
    [OP_SYNC_NOTIFY] = {"sync_notify", "STREAM EVENT"},
    [OP_SYNC_WAIT] = {"sync_wait", "STREAM EVENT"},
    [OP_MEM_LOAD] = {"mem_load", "primary|secondary ADDRESS blob=LABEL|file=NAME"},
    [OP_MEM_FILL] = {"mem_fill", "primary|secondary ADDRESS SIZE BYTE|address|random"},
    [OP_MEM_RESERVE] = {"mem_reserve", "primary|secondary ADDRESS SIZE"},
    [OP_MEM_RELEASE] = {"mem_release", "primary|secondary ADDRESS"},
    [OP_MEM_CHECK] = {"mem_check", "primary|secondary ADDRESS blob=LABEL|file=NAME"},
    [OP_MEM_CRC] = {"mem_crc", "primary|secondary ADDRESS SIZE CRC"},
    [OP_CHECK_EVENT] = {"check_event", "after=EVENT"},
};

static struct span text_span(const char *text) {
    return (struct span){text, strlen(text)};
}

static bool refuse(struct nvt *nvt, const char *found, const char *expected) {
    char shown[SPAN_SHOW];
    return fail_at(nvt->err, nvt->lines->path, nvt->lines->line, "found %s; expected %s",
                   span_show(text_span(found ? found : ""), shown), expected);
}

/* ---- words of a line ---- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Copies a quoted text from *at (after the opening quote) to *out; advances both. */
static bool take_quoted(struct nvt *nvt, const char **at, const char *end, char **out) {
    for (; *at < end && **at != '"'; ++*at) {
        char c = **at;
        if (c == '\\') {
            if (++*at == end)
                break;
            c = **at;
            if (c == 'x') {
                uint8_t byte;
                if (end - *at <= 2 || !hex_read(*at + 1, 2, &byte) || byte == 0)
                    return refuse(nvt, "\\x", "two hex digits after \\x, not 00");
                c = (char)byte;
                *at += 2;
            } else if (c != '"' && c != '\\') {
                return refuse(nvt, "\\", "\\\", \\\\ or \\xHH");
            }
        }
        *(*out)++ = c;
    }
    if (*at == end)
        return refuse(nvt, "\"", "the closing quote on the same line");
    ++*at;
    return true;
}

/* Splits a line into tokens. *note: the comment after them (at is NULL if there is none). */
static bool split_line(struct nvt *nvt, struct span line, struct span *note) {
    if (line.n + MAX_TOKENS + 1 > nvt->line_room) {
        nvt->line_room = (line.n + MAX_TOKENS + 1) * 2;
        nvt->line_text = xrealloc(nvt->line_text, nvt->line_room);
    }
    const char *at = line.at, *end = line.at + line.n;
    char *out = nvt->line_text;
    *note = (struct span){NULL, 0};
    nvt->tokens = 0;
    nvt->used = 1;
    for (;;) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            return true;
        if (*at == '#') {
            *note = (struct span){at + 1, (size_t)(end - at - 1)};
            return true;
        }
        if (nvt->tokens == MAX_TOKENS)
            return refuse(nvt, nvt->token[MAX_TOKENS - 1].text, "fewer words on one line");
        struct token *token = &nvt->token[nvt->tokens++];
        *token = (struct token){out, 0};
        while (at < end && !is_blank(*at) && *at != '#') {
            if (*at == '"') {
                at++;
                if (!take_quoted(nvt, &at, end, &out))
                    return false;
            } else {
                if (*at == '=' && !token->key && !strchr("=<>", out > token->text ? out[-1] : '=') &&
                    !(at + 1 < end && at[1] == '='))
                    token->key = (size_t)(out - token->text);
                *out++ = *at++;
            }
        }
        *out++ = 0;
    }
}

/* Next operand, NULL if there is none. */
static const char *take(struct nvt *nvt) {
    return nvt->used < nvt->tokens ? nvt->token[nvt->used++].text : NULL;
}

static bool take_number(struct nvt *nvt, uint64_t limit, const char *what, uint64_t *value) {
    const char *text = take(nvt);
    if (!text || !span_number(text_span(text), false, value) || *value > limit) {
        char expected[120];
        snprintf(expected, sizeof expected, "%s, a number from 0 to 0x%" PRIx64, what, limit);
        return refuse(nvt, text, expected);
    }
    return true;
}

static bool take_word(struct nvt *nvt, const char *what, uint32_t *value) {
    uint64_t number = 0;
    if (!take_number(nvt, UINT32_MAX, what, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

/* Cache slot of a register's name: traces repeat the same names. */
static struct known *known_register(struct nvt *nvt, const char *text) {
    uint32_t hash = 0;
    for (const char *at = text; *at; at++)
        hash = hash * 31 + (unsigned char)*at;
    return &nvt->known[hash % KNOWN];
}

static bool take_register(struct nvt *nvt, struct op *op) {
    const struct nvdla_config *config = nvt->prog->config;
    const char *text = take(nvt);
    struct known *known = text ? known_register(nvt, text) : NULL;
    if (known && text[0] && !strcmp(known->name, text)) {
        op->address = known->address;
        return true;
    }
    uint64_t number;
    char unit_name[32] = "";
    const char *dot = text ? strchr(text, '.') : NULL;
    if (text && span_number(text_span(text), false, &number)) {
        if (number > 0x3fffc || number % 4)
            return refuse(nvt, text, "a register byte address, a multiple of 4 up to 0x3fffc");
        op->address = (uint32_t)number;
        return true;
    }
    if (!dot)
        return refuse(nvt, text, "a register, UNIT.REGISTER as in SDP.D_OP_ENABLE");
    if ((size_t)(dot - text) < sizeof unit_name)
        memcpy(unit_name, text, (size_t)(dot - text));
    enum nvdla_unit unit = nvdla_unit_find(unit_name);
    char shown[SPAN_SHOW], hint[HINT], expected[200];
    if (unit == NVDLA_UNIT_COUNT) {
        const struct span name = {text, (size_t)(dot - text)};
        snprintf(expected, sizeof expected, "a register of a known unit such as SDP or CDMA%s",
                 unit_hint(config, name, hint));
        return refuse(nvt, text, expected);
    }
    const struct nvdla_register *reg = nvdla_register_find(config, unit, dot + 1);
    if (!reg)
        return fail_at(nvt->err, nvt->lines->path, nvt->lines->line,
                       "unknown register %s; configuration %s has none of that name%s",
                       span_show(text_span(text), shown), config->name,
                       register_hint(config, unit, text_span(dot + 1), hint));
    op->address = reg->address;
    if (strlen(text) < sizeof known->name) {
        memcpy(known->name, text, strlen(text) + 1);
        known->address = reg->address;
    }
    return true;
}

static bool take_relation(struct nvt *nvt, struct op *op) {
    const char *text = take(nvt);
    if (text && !strcmp(text, "=="))
        op->relation = RELATION_EQUAL;
    else if (text && !strcmp(text, "<="))
        op->relation = RELATION_LESS_EQUAL;
    else if (text && !strcmp(text, ">="))
        op->relation = RELATION_GREATER_EQUAL;
    else
        return refuse(nvt, text, "==, <= or >=");
    return take_word(nvt, "a register value", &op->value);
}

static bool take_event(struct nvt *nvt, int *event) {
    const char *text = take(nvt);
    if (!text || !*text)
        return refuse(nvt, text, "the name of an event");
    *event = program_event(nvt->prog, text);
    return true;
}

static bool set_stream(struct nvt *nvt, const char *name, struct op *op) {
    if (!*name || (nvt->prog->sequential && strcmp(name, "main") != 0))
        return refuse(nvt, name,
                      nvt->prog->sequential ? "stream main, the only one of a sequential program" : "a stream");
    int index = program_stream(nvt->prog, name);
    if (index > UINT16_MAX)
        return refuse(nvt, name, "fewer than 65536 streams");
    op->stream = (uint16_t)index;
    return true;
}

static bool take_sync(struct nvt *nvt, struct op *op) {
    const char *stream = take(nvt);
    if (!stream)
        return refuse(nvt, stream, "the name of a stream");
    return set_stream(nvt, stream, op) && take_event(nvt, &op->event);
}

static bool take_interrupt(struct nvt *nvt, struct op *op) {
    const char *text = take(nvt);
    uint64_t bit;
    if (text && !strcmp(text, "any"))
        op->bit = -1;
    else if (text && span_number(text_span(text), false, &bit) && bit < 32)
        op->bit = (int)bit;
    else if (!text || (op->bit = nvdla_interrupt_bit(text)) < 0)
        return refuse(nvt, text, "an interrupt such as SDP_0 or CACC_1, or any");
    return take_event(nvt, &op->event);
}

static bool take_memory(struct nvt *nvt, struct op *op) {
    const char *text = take(nvt);
    if (!text || !memory_space_find(text, &op->space))
        return refuse(nvt, text, "primary or secondary");
    return take_number(nvt, UINT64_MAX, "a memory address", &op->base);
}

static bool take_pattern(struct nvt *nvt, struct op *op) {
    const char *text = take(nvt);
    uint64_t byte;
    op->pattern = PATTERN_BYTE;
    if (text && !strcmp(text, "address"))
        op->pattern = PATTERN_ADDRESS;
    else if (text && !strcmp(text, "random"))
        op->pattern = PATTERN_RANDOM;
    else if (text && span_number(text_span(text), false, &byte) && byte <= 0xff)
        op->fill = (uint8_t)byte;
    else
        return refuse(nvt, text, "a byte (0 to 0xff), address or random");
    return true;
}

static bool take_operands(struct nvt *nvt, struct op *op) {
    switch (op->kind) {
    case OP_NOTE:
    case OP_CHECK_EVENT:
        return true;
    case OP_WRITE:
        return take_register(nvt, op) && take_word(nvt, "a register value", &op->value);
    case OP_READ:
        return take_register(nvt, op);
    case OP_READ_CHECK:
    case OP_POLL:
        return take_register(nvt, op) && take_relation(nvt, op);
    case OP_WAIT: {
        const char *text = take(nvt);
        if (!text || (strcmp(text, "high") != 0 && strcmp(text, "low") != 0))
            return refuse(nvt, text, "high or low");
        op->level = text[0] == 'h';
        return true;
    }
    case OP_INTR_NOTIFY:
        return take_interrupt(nvt, op);
    case OP_SYNC_NOTIFY:
    case OP_SYNC_WAIT:
        return take_sync(nvt, op);
    case OP_MEM_LOAD:
    case OP_MEM_CHECK:
    case OP_MEM_RELEASE:
        return take_memory(nvt, op);
    case OP_MEM_FILL:
        return take_memory(nvt, op) && take_number(nvt, UINT64_MAX, "a size in bytes", &op->size) &&
               take_pattern(nvt, op);
    case OP_MEM_RESERVE:
        return take_memory(nvt, op) && take_number(nvt, UINT64_MAX, "a size in bytes", &op->size);
    case OP_MEM_CRC:
        return take_memory(nvt, op) && take_number(nvt, UINT64_MAX, "a size in bytes", &op->size) &&
               take_word(nvt, "a CRC-32", &op->value);
    }
    return true;
}

static bool number_option(struct nvt *nvt, const char *value, const char *expected, uint32_t *number) {
    uint64_t wide;
    if (!span_number(text_span(value), false, &wide) || wide > UINT32_MAX)
        return refuse(nvt, value, expected);
    *number = (uint32_t)wide;
    return true;
}

static bool blob_option(struct nvt *nvt, const char *value, struct op *op) {
    uint64_t label;
    if (!span_number(text_span(value), false, &label) || label >= nvt->blob_count)
        return refuse(nvt, value, "the label of a blob above");
    op->blob = nvt->blobs[label];
    return true;
}

static bool file_option(struct nvt *nvt, const char *value, struct op *op) {
    if (!*value)
        return refuse(nvt, value, "a file name");
    op->blob = packet_files_get(&nvt->files, nvt->prog, nvt->lines->path, nvt->lines->line, text_span(value), nvt->err);
    return op->blob != NULL;
}

/* Reads the options after the operands, in any order. */
static bool take_options(struct nvt *nvt, struct op *op) {
    bool has_stream = op->kind == OP_SYNC_NOTIFY || op->kind == OP_SYNC_WAIT;
    bool content = op->kind == OP_MEM_LOAD || op->kind == OP_MEM_CHECK;
    bool reads = op->kind == OP_READ_CHECK || op->kind == OP_POLL;
    bool waits = op->kind == OP_POLL || op->kind == OP_WAIT || op->kind == OP_SYNC_WAIT; /* by blocking its stream */
    while (nvt->used < nvt->tokens) {
        const struct token *token = &nvt->token[nvt->used++];
        struct span key = {token->text, token->key};
        const char *value = token->text + token->key + 1;
        bool good = true;
        if (!token->key && !strcmp(token->text, "end"))
            op->at_end = true;
        else if (!token->key && !strcmp(token->text, "nposted") && op->kind == OP_WRITE)
            op->nposted = true;
        else if (!token->key && !strcmp(token->text, "volatile") && reads)
            op->volatile_read = true;
        else if (span_is(key, "after") && *value && !waits)
            op->after = program_event(nvt->prog, value);
        else if (span_is(key, "stream") && !has_stream)
            good = has_stream = set_stream(nvt, value, op);
        else if (span_is(key, "mask") && reads)
            good = number_option(nvt, value, "a mask, 0 to 0xffffffff", &op->mask);
        else if (span_is(key, "attempts") && op->kind == OP_POLL)
            good = number_option(nvt, value, "a number of attempts, 0 to 0xffffffff", &op->attempts);
        else if (span_is(key, "blob") && content)
            good = blob_option(nvt, value, op);
        else if (span_is(key, "file") && content)
            good = file_option(nvt, value, op);
        else {
            const struct nvt_command *command = &nvt_commands[op->kind];
            char expected[200];
            snprintf(expected, sizeof expected, "%s %s%s [stream=NAME] [end]", command->name, command->usage,
                     waits ? "" : " [after=EVENT]");
            return refuse(nvt, token->text, expected);
        }
        if (!good)
            return false;
    }
    if (content && !op->blob)
        return refuse(nvt, NULL, "blob=LABEL or file=NAME");
    if (op->kind == OP_CHECK_EVENT && op->after < 0)
        return refuse(nvt, NULL, "after=EVENT");
    return has_stream || set_stream(nvt, nvt_default_stream(nvt->prog, op), op);
}

/* ---- blobs ---- */

/* blob LABEL [NAME], content lines, end. Labels count up from 0. */
static bool read_blob(struct nvt *nvt) {
    uint64_t label = 0;
    if (!take_number(nvt, UINT64_MAX, "the label of the blob", &label))
        return false;
    if (label != nvt->blob_count) {
        char expected[80];
        snprintf(expected, sizeof expected, "label %zu: blobs are numbered 0, 1, 2, ...", nvt->blob_count);
        return refuse(nvt, nvt->token[1].text, expected);
    }
    const char *name = take(nvt);
    if (nvt->used < nvt->tokens)
        return refuse(nvt, nvt->token[nvt->used].text, "blob LABEL [NAME] and nothing else on the line");
    struct blob *blob = program_blob(nvt->prog, blob_new(name));
    *xadd(nvt->blobs, nvt->blob_count) = blob;
    return nvt_content_read(nvt->lines, blob, &nvt->content, nvt->err);
}

/* ---- the file ---- */

static void add_note(struct nvt *nvt, struct span text) {
    program_comment(nvt->prog, nvt->prog->sequential ? "main" : "memory", nvt->lines->line, text.at, text.n);
}

static bool refuse_command(struct nvt *nvt, const char *name) {
    struct guess guess = {.word = name, .n = strlen(name)};
    char hint[HINT], expected[200];
    guess_try(&guess, "blob");
    for (enum op_kind kind = OP_WRITE; kind <= OP_CHECK_EVENT; kind++)
        guess_try(&guess, nvt_commands[kind].name);
    snprintf(expected, sizeof expected, "a command: reg_write, poll, read_check, mem_load, blob, ...%s",
             guess_hint(&guess, hint));
    return refuse(nvt, name, expected);
}

static bool read_line(struct nvt *nvt, struct span line) {
    struct span note;
    if (!split_line(nvt, line, &note))
        return false;
    if (nvt->tokens && !strcmp(nvt->token[0].text, "blob")) {
        /* The note first, because reading the blob overwrites the line. */
        if (note.at)
            add_note(nvt, note);
        return read_blob(nvt);
    }
    if (nvt->tokens) {
        enum op_kind kind = OP_CHECK_EVENT;
        while (kind != OP_NOTE && strcmp(nvt->token[0].text, nvt_commands[kind].name) != 0)
            kind--;
        if (kind == OP_NOTE)
            return refuse_command(nvt, nvt->token[0].text);
        struct op op = op_make(kind, nvt->lines->line);
        if (!take_operands(nvt, &op) || !take_options(nvt, &op))
            return false;
        if (op.kind == OP_MEM_LOAD || op.kind == OP_MEM_CHECK)
            op.size = op.blob->extent;
        program_append(nvt->prog, &op);
    }
    if (note.at)
        add_note(nvt, note);
    return program_fits(nvt->prog, nvt->lines->path, nvt->lines->line, nvt->err);
}

/* A header line "WORD VALUE". */
static bool read_header(struct nvt *nvt, const char *word, const char *values, const char **value) {
    struct span line = {NULL, 0}, note;
    if (!lines_next(nvt->lines, &line)) {
        if (nvt->lines->failed)
            return false;
        nvt->lines->line++;
    }
    char expected[120];
    snprintf(expected, sizeof expected, "the header line \"%s %s\"", word, values);
    nvt->tokens = 0;
    if (line.at && !split_line(nvt, line, &note))
        return false;
    if (nvt->tokens != 2 || strcmp(nvt->token[0].text, word) != 0)
        return refuse(nvt, nvt->tokens ? nvt->token[0].text : NULL, expected);
    *value = nvt->token[1].text;
    return true;
}

/* Reads the three header lines and creates the program. */
static bool read_headers(struct nvt *nvt, const struct nvdla_config *override) {
    const char *value = "";
    if (!read_header(nvt, "nvt", "1", &value))
        return false;
    if (strcmp(value, "1") != 0)
        return refuse(nvt, value, "version 1 of the format, the only one this program reads");
    if (!read_header(nvt, "config", "NAME", &value))
        return false;
    struct error err;
    const struct nvdla_config *config = nvdla_config_read(value, &err);
    if (!config)
        return refuse(nvt, value,
                      "a configuration: full, small, small_256, small_256_full, medium_512, medium_1024_full, large or "
                      "NAME,KEY=VALUE,...");
    if (!nvdla_config_legal(config, &err))
        return fail_at(nvt->err, nvt->lines->path, nvt->lines->line, "%s", err.text);
    if (override && override->map != config->map)
        return fail_at(
            nvt->err, nvt->lines->path, nvt->lines->line,
            "the trace was made for configuration %s; %s has another register map, so it cannot take its place",
            config->name, override->name);
    if (!read_header(nvt, "mode", "sequential|streams", &value))
        return false;
    if (strcmp(value, "sequential") != 0 && strcmp(value, "streams") != 0)
        return refuse(nvt, value, "sequential or streams");
    nvt->prog = program_new(override ? override : config, nvt->lines->path);
    nvt->prog->sequential = value[1] == 'e';
    if (nvt->prog->sequential)
        program_stream(nvt->prog, "main");
    return true;
}

const struct nvdla_config *nvt_config(struct lines *lines, struct error *err) {
    struct nvt nvt = {.lines = lines, .err = err};
    lines->piece = HEADER_BYTES;
    const struct nvdla_config *config = read_headers(&nvt, NULL) ? nvt.prog->config : NULL;
    program_free(nvt.prog);
    free(nvt.line_text);
    return config;
}

struct program *trace_read_nvt(struct lines *lines, const struct trace_options *options, struct error *err) {
    struct nvt nvt = {.lines = lines, .err = err};
    struct span line;
    bool good = read_headers(&nvt, options ? options->config : NULL);
    while (good && lines_next(lines, &line))
        good = read_line(&nvt, line);
    good = good && !lines->failed && program_verify(nvt.prog, err);
    packet_files_free(&nvt.files);
    free(nvt.blobs);
    free(nvt.line_text);
    if (good)
        return nvt.prog;
    program_free(nvt.prog);
    return NULL;
}
