/* Recognises formats, and collects remarks about the content of files. See source.h. */
#include "import/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/source_parts.h"
#include "memory/file.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"

enum { HEAD = 1 << 16 /* bytes used to recognise a format */ };

static const struct source_format *const formats[] = {&source_mmiotrace, &source_rwmmio, &source_kmd,     &source_vp,
                                                      &source_txn,       &source_csv,    &source_samples, &source_vcd,
                                                      &source_fst,       &source_pattern};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- for the formats ---- */

bool source_line(struct source *source, struct span *line) {
    while (!lines_next(&source->lines, line)) {
        if (source->lines.failed || source->file + 1 >= source->paths.count)
            return false;
        struct error *err = source->lines.err;
        source->path = source->paths.items[++source->file];
        source->done += source->lines.taken;
        lines_close(&source->lines);
        if (!lines_open_file(&source->lines, source->path, err)) {
            source->lines.failed = true;
            return false;
        }
    }
    return true;
}

static void add_note(const struct source *source, struct words *words, uint64_t *count, uint64_t line,
                     const char *format, va_list arguments) {
    if ((*count)++ >= SOURCE_NOTES)
        return;
    autofree char *text = xvprintf(format, arguments);
    if (line)
        words_add(words, "%s:%" PRIu64 ": %s", source->path, line, text);
    else
        words_add(words, "%s: %s", source->path, text);
}

void source_drop(struct source *source, uint64_t line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_note(source, &source->notes.dropped, &source->notes.dropped_count, line, format, arguments);
    va_end(arguments);
}

void source_guess(struct source *source, uint64_t line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_note(source, &source->notes.guessed, &source->notes.guessed_count, line, format, arguments);
    va_end(arguments);
}

static int fail(struct source *source, uint64_t line, struct error *err, const char *format, va_list arguments,
                const char *more) {
    autofree char *text = xvprintf(format, arguments);
    if (line)
        error_set(err, "%s:%" PRIu64 ": %s%s", source->path, line, text, more);
    else
        error_set(err, "%s: %s%s", source->path, text, more);
    return -1;
}

int source_fail(struct source *source, uint64_t line, struct error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(source, line, err, format, arguments, "");
    va_end(arguments);
    return -1;
}

int source_object(struct source *source, uint64_t line, struct error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int status = 0;
    if (source->options.force)
        add_note(source, &source->notes.dropped, &source->notes.dropped_count, line, format, arguments);
    else
        status = fail(source, line, err, format, arguments, "; --force imports the rest");
    va_end(arguments);
    return status;
}

int source_hole(struct source *source, uint64_t line, struct access *access, struct error *err, const char *format,
                ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int status = 1;
    if (source->options.force) {
        add_note(source, &source->notes.dropped, &source->notes.dropped_count, line, format, arguments);
        vsnprintf(source->text, sizeof source->text, format, again);
        *access = (struct access){.kind = ACCESS_HOLE, .line = line, .text = source->text};
    } else
        status = fail(source, line, err, format, arguments,
                      ": accesses are missing, and what follows may depend on them; --force imports the rest");
    va_end(again);
    va_end(arguments);
    return status;
}

void source_driver_line(struct source *source, struct span line) {
    const char *at = span_find(line, " HWLs done");
    uint64_t value = 0, unit = 1;
    for (; at && at > line.at && isdigit((unsigned char)at[-1]) && unit < 1000000000; at--, unit *= 10)
        value += (uint64_t)(at[-1] - '0') * unit;
    if (value > source->notes.layers_done)
        source->notes.layers_done = value;
}

bool source_window(struct source *source, uint64_t base, uint64_t size, uint64_t address, uint64_t *offset) {
    const bool inside = address >= base && address - base < size;
    *offset = address - base;
    source->notes.outside += !inside;
    return inside;
}

int source_offset(struct source *source, uint64_t address, uint64_t *offset, struct error *err) {
    const struct source_options *options = &source->options;
    const uint64_t size = options->size ? options->size : REGISTER_SPACE;
    if (!options->has_base && address >= size)
        return source_fail(source, (uint64_t)source->lines.line, err,
                           "address 0x%" PRIx64
                           " is not the byte offset of a register; give the base of the registers with --base",
                           address);
    return source_window(source, options->has_base ? options->base : 0, size, address, offset);
}

struct access source_register(enum access_kind kind, uint64_t line, uint64_t offset, uint32_t value) {
    return (struct access){.kind = kind, .line = line, .address = offset, .value = value, .mask = UINT32_MAX};
}

bool span_hex(struct span span, uint64_t *value) {
    if (span.n > 2 && span.at[0] == '0' && (span.at[1] == 'x' || span.at[1] == 'X')) {
        span.at += 2;
        span.n -= 2;
    }
    *value = 0;
    if (span.n == 0 || span.n > 16)
        return false;
    for (size_t i = 0; i < span.n; i++) {
        const unsigned char c = (unsigned char)span.at[i];
        if (!isxdigit(c))
            return false;
        *value = *value << 4 | (uint64_t)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    return true;
}

const char *span_find(struct span span, const char *text) {
    return span.n ? memmem(span.at, span.n, text, strlen(text)) : NULL;
}

const char *span_find_word(struct span span, const char *text) {
    for (;;) {
        const char *at = span_find(span, text);
        if (!at || at == span.at || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return at;
        span.n -= (size_t)(at + 1 - span.at);
        span.at = at + 1;
    }
}

/* ---- opening ---- */

/* Reads the start of the file. */
static bool read_head(const char *path, char *head, size_t *n, struct error *err) {
    struct file_reader *reader = file_reader_open(path, err);
    if (!reader)
        return false;
    ssize_t got = 1;
    for (*n = 0; *n < HEAD && got > 0; *n += got > 0 ? (size_t)got : 0)
        got = file_reader_read(reader, head + *n, HEAD - *n, err);
    file_reader_close(reader);
    return got >= 0 || *n > 0; /* damage is reported when it is reached */
}

/* The names of --from. free() it. */
static char *format_names(void) {
    struct text names = {0};
    for (size_t i = 0; i < FORMATS; i++)
        text_printf(&names, "%s, ", formats[i]->name);
    text_printf(&names, "cfg or nvt");
    return names.text;
}

static const struct source_format *guess_format(const char *path, const char *head, size_t n, struct error *err) {
    const struct source_format *best = NULL;
    int most = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        const int score = formats[i]->likely(head, n);
        if (score > most) {
            most = score;
            best = formats[i];
        }
    }
    if (n == 0)
        error_set(err, "%s: is empty", path);
    else if (!best && n >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        error_set(err, "%s: is UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8", path);
    else if (!best) {
        autofree char *names = format_names();
        error_set(err, "%s: no format of captures is recognised in it; name it with --from: %s", path, names);
    }
    return best;
}

static const struct source_format *find_format(const char *name, struct error *err) {
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    autofree char *names = format_names();
    error_set(err, "--from: found '%s', expected %s", name, names);
    return NULL;
}

struct source *source_open(const char *const *paths, size_t count, const char *format,
                           const struct source_options *options, struct error *err) {
    const char *path = paths[0];
    autofree char *head = xmalloc(HEAD);
    size_t n = 0;
    struct source *source = NULL;
    if (read_head(path, head, &n, err)) {
        const struct source_format *found = format ? find_format(format, err) : guess_format(path, head, n, err);
        if (found == &source_csv && (options->signals.count > 0 || source_samples.likely(head, n) > 0))
            found = &source_samples;
        if (found) {
            source = xcalloc(1, sizeof *source);
            source->format = found;
            source->options = *options;
            source->state = xcalloc(1, found->state_size);
            for (size_t i = 0; i < count; i++) {
                struct stat info;
                words_add(&source->paths, "%s", paths[i]);
                source->size += stat(paths[i], &info) == 0 ? (uint64_t)info.st_size : 0;
            }
            source->path = source->paths.items[0];
            const bool whole = found == &source_fst; /* read by another program */
            if ((whole && count > 1 && !error_set(err, "%s: waves come in one file, found %zu", path, count)) ||
                (!whole && !lines_open_file(&source->lines, source->path, err)) ||
                (found->open && !found->open(source, err))) {
                source_close(source);
                source = NULL;
            } else
                source->lines.err = err;
        }
    }
    return source;
}

void source_close(struct source *source) {
    if (!source)
        return;
    if (source->format->close)
        source->format->close(source);
    lines_close(&source->lines);
    words_free(&source->notes.dropped);
    words_free(&source->notes.guessed);
    words_free(&source->paths);
    free(source->state);
    free(source);
}

const char *source_format(const struct source *source) {
    return source->format->name;
}

const char *source_place(const struct source *source) {
    return source->format->place;
}

const struct source_notes *source_notes(const struct source *source) {
    return &source->notes;
}

void source_progress(const struct source *source, uint64_t *done, uint64_t *total) {
    *done = source->done + source->lines.taken;
    *total = source->size;
}

/* Checks that the configuration has the register. 1: take the access, 0: drop it, -1: with a message. */
static int check_register(struct source *source, const struct access *access, struct error *err) {
    const struct nvdla_config *config = source->options.config;
    if (access->address <= UINT32_MAX && access->address % 4 == 0 &&
        nvdla_register_at(config, (uint32_t)access->address))
        return 1;
    return source_object(source, access->line, err,
                         "byte address 0x%05" PRIx64 ": configuration %s has no register there; is that the "
                         "configuration of this capture, and the base of its registers?",
                         access->address, config->name);
}

int source_next(struct source *source, struct access *access, struct error *err) {
    source->lines.err = err;
    for (;;) {
        int more = 1;
        if (source->has_more) {
            *access = source->more;
            source->has_more = false;
        } else
            more = source->format->next(source, access, err);
        if (more == 0 && source->lines.failed)
            return -1;
        if (more <= 0)
            return more;
        if (access->kind != ACCESS_WRITE && access->kind != ACCESS_READ && access->kind != ACCESS_UNTIL)
            return 1;
        const int known = check_register(source, access, err);
        if (known != 0)
            return known;
    }
}
