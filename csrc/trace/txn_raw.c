/* See txn_raw.h. */
#include "trace/txn_raw.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/hex.h"
#include "trace/program.h"

enum {
    WORD_DIGITS = 32,
    WORD_BYTES = WORD_DIGITS / 2,
    NAME_MOST = 64, /* bytes of a file name, bits 383:128 and more */
};

enum raw_op { RAW_WRITE, RAW_READ, RAW_WRITE_MEMORY, RAW_READ_MEMORY, RAW_LOAD, RAW_DUMP, RAW_WAIT, RAW_END = 0xff };

static bool refuse(const struct lines *lines, struct span found, const char *expected, struct error *err) {
    char shown[SPAN_SHOW];
    return fail_at(err, lines->path, lines->line, "found %s; expected %s", span_show(found, shown), expected);
}

/* A line without its comment and underscores, as bytes: the name, then the word. */
static bool take_bytes(const struct lines *lines, struct span line, uint8_t bytes[NAME_MOST + WORD_BYTES], size_t *n,
                       struct error *err) {
    char digits[2 * (NAME_MOST + WORD_BYTES)];
    size_t count = 0;
    for (size_t i = 0; i < line.n && count < sizeof digits; i++)
        if (line.at[i] != '_')
            digits[count++] = line.at[i];
    *n = count / 2;
    return (count >= WORD_DIGITS && count % 2 == 0 && count < sizeof digits && hex_read(digits, count, bytes)) ||
           refuse(lines, line, "a word of 32 hexadecimal digits, after the name of a memory file if it names one", err);
}

static uint64_t number(const uint8_t *bytes, size_t n) {
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = value << 8 | bytes[i];
    return value;
}

/* The name before the word, without leading zeros, in text. */
static bool take_name(const struct lines *lines, struct span line, const uint8_t *bytes, size_t n,
                      char name[NAME_MOST + 1], struct error *err) {
    while (n > 0 && *bytes == 0)
        bytes++, n--;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] <= ' ' || bytes[i] > '~' || bytes[i] == '#' || bytes[i] == '/')
            return refuse(lines, line, "a file name of letters, digits and punctuation, without a folder", err);
    if (n == 0)
        return refuse(lines, line, "the name of a memory file in hexadecimal before the word", err);
    memcpy(name, bytes, n);
    name[n] = '\0';
    return true;
}

/* load and dump: address in bits 119:56, size in bits 55:24. */
static bool memory_command(const struct lines *lines, struct span line, const uint8_t *bytes, size_t n,
                           char text[TXN_RAW_TEXT], struct error *err) {
    static const char dumped[] = "mem-dump", expected[] = "mem-expect";
    const uint8_t *word = bytes + n - WORD_BYTES;
    const bool dump = word[0] == RAW_DUMP;
    char name[NAME_MOST + 1];
    if (!take_name(lines, line, bytes, n - WORD_BYTES, name, err))
        return false;
    const bool renamed = dump && strncmp(name, dumped, sizeof dumped - 1) == 0;
    snprintf(text, TXN_RAW_TEXT, "%s 0x%" PRIx64 " 0x%" PRIx64 " %s%s", dump ? "dump_mem" : "load_mem",
             number(word + 1, 8), number(word + 9, 4), renamed ? expected : "",
             renamed ? name + sizeof dumped - 1 : name);
    return true;
}

static bool register_command(const struct lines *lines, struct span line, const uint8_t *word, char text[TXN_RAW_TEXT],
                             struct error *err) {
    static const char *const relations[] = {"==", "<=", ">="};
    const uint64_t address = number(word + 1, 4), data = number(word + 5, 4);
    if (word[0] == RAW_WRITE) {
        snprintf(text, TXN_RAW_TEXT, "write_reg 0x%" PRIx64 " 0x%" PRIx64, address, data);
        return true;
    }
    if (word[13] >= sizeof relations / sizeof relations[0])
        return refuse(lines, line, "a comparison of 00 (==), 01 (<=) or 02 (>=) in bits 23:16", err);
    snprintf(text, TXN_RAW_TEXT, "read_reg 0x%" PRIx64 " 0x%" PRIx64 " %s 0x%" PRIx64 " %" PRIu64, address,
             number(word + 9, 4), relations[word[13]], data, number(word + 14, 2));
    return true;
}

/* The line before `//`. */
static struct span without_comment(struct span line) {
    for (size_t i = 0; i + 1 < line.n; i++)
        if (line.at[i] == '/' && line.at[i + 1] == '/')
            return span_trim((struct span){line.at, i});
    return span_trim(line);
}

bool txn_raw_command(const struct lines *lines, struct span line, char text[TXN_RAW_TEXT], bool *ended,
                     struct error *err) {
    uint8_t bytes[NAME_MOST + WORD_BYTES];
    size_t n;
    text[0] = '\0';
    line = without_comment(line);
    if (line.n == 0)
        return true;
    if (*ended)
        return refuse(lines, line, "nothing after the end line (FF)", err);
    if (!take_bytes(lines, line, bytes, &n, err))
        return false;
    const uint8_t *word = bytes + n - WORD_BYTES;
    switch (word[0]) {
    case RAW_WRITE:
    case RAW_READ:
        return register_command(lines, line, word, text, err);
    case RAW_LOAD:
    case RAW_DUMP:
        return memory_command(lines, line, bytes, n, text, err);
    case RAW_WAIT:
        snprintf(text, TXN_RAW_TEXT, "wait");
        return true;
    case RAW_END:
        *ended = true;
        return true;
    default:
        return refuse(lines, line,
                      "an operation of 00 (write_reg), 01 (read_reg), 04 (load), 05 (dump), 06 (wait) or FF (end) in "
                      "bits 127:120; 02 and 03 (write_mem, read_mem) have no place for their data",
                      err);
    }
}

struct blob *txn_raw_memory(const char *path, size_t most, size_t *found, struct error *err) {
    struct lines lines;
    struct span line;
    struct blob *blob = blob_new(path);
    bool good = lines_open_file(&lines, path, err);
    *found = 0;
    while (good && lines_next(&lines, &line)) {
        line = without_comment(line);
        for (struct span token = span_token(&line); good && token.n; token = span_token(&line)) {
            uint8_t word[4], bytes[4];
            good = (token.n == 8 && hex_read(token.at, 8, word)) ||
                   refuse(&lines, token, "words of 32 bits, each of 8 hexadecimal digits", err);
            for (size_t i = 0; i < 4; i++)
                bytes[i] = word[3 - i];
            if (good && *found < most)
                blob_append(blob, *found, bytes, most - *found < 4 ? most - *found : 4);
            *found += 4;
        }
    }
    good = good && !lines.failed;
    lines_close(&lines);
    if (good)
        return blob;
    blob_free(blob);
    return NULL;
}
