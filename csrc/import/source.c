/* Recognises formats, and collects remarks about the content of files. See source.h. */
#include "import/source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import/log.h"
#include "memory/file.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"

enum { HEAD = 1 << 16 /* bytes used to recognise a format */, CERTAIN = 100, REGISTER_SPACE = 0x40000 };

/* The first of equally likely ones counts; python/nvcosim/captures chooses among the logs. */
static const struct {
    const char *name;
    const struct source_format *format;
} formats[] = {{"mmiotrace", &source_log}, {"rwmmio", &source_log}, {"kmd", &source_log},         {"vp", &source_log},
               {"txn", &source_txn},       {"csv", &source_log},    {"samples", &source_samples}, {"vcd", &source_vcd},
               {"fst", &source_fst},       {"pattern", &source_log}};
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

int source_offset(struct source *source, uint64_t address, uint64_t *offset, struct error *err) {
    const struct source_options *options = &source->options;
    const uint64_t size = options->size ? options->size : REGISTER_SPACE;
    if (!options->has_base && address >= size)
        return source_fail(source, (uint64_t)source->lines.line, err,
                           "address 0x%" PRIx64
                           " is not the byte offset of a register; give the base of the registers with --base",
                           address);
    *offset = address - (options->has_base ? options->base : 0);
    const bool inside = *offset < size && *offset <= address;
    source->notes.outside += !inside;
    return inside;
}

struct access source_register(enum access_kind kind, uint64_t line, uint64_t offset, uint32_t value) {
    return (struct access){.kind = kind, .line = line, .address = offset, .value = value, .mask = UINT32_MAX};
}

const char *span_find(struct span span, const char *text) {
    return span.n ? memmem(span.at, span.n, text, strlen(text)) : NULL;
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
        text_printf(&names, "%s, ", formats[i].name);
    text_printf(&names, "cfg or nvt");
    return names.text;
}

/* The most likely format that is read here, with its likelihood. */
static const char *guess_format(const char *head, size_t n, int *most) {
    const char *best = "";
    *most = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        const int score = formats[i].format->likely ? formats[i].format->likely(head, n) : 0;
        if (score > *most) {
            *most = score;
            best = formats[i].name;
        }
    }
    return best;
}

static bool refuse_format(const char *path, const char *head, size_t n, struct error *err) {
    if (n >= 2 && (memcmp(head, "\xff\xfe", 2) == 0 || memcmp(head, "\xfe\xff", 2) == 0))
        return error_set(err, "%s: is UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8", path);
    autofree char *names = format_names();
    return error_set(err, "%s: no format of captures is recognised in it; name it with --from: %s", path, names);
}

static const struct source_format *find_format(const char *name, struct error *err) {
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].format;
    autofree char *names = format_names();
    error_set(err, "--from: found '%s', expected %s", name, names);
    return NULL;
}

static void set_format(struct source *source, const struct source_format *format) {
    if (source->format && source->format->close)
        source->format->close(source);
    free(source->state);
    source->format = format;
    source->state = xcalloc(1, format->state_size);
}

/* Opens a log; format as for log_open(). 0 if another format is more likely, which source->name says. */
static int open_log(struct source *source, const char *format, const char *other, int least, struct error *err) {
    set_format(source, &source_log);
    source->name = log_open(source, format, least, err);
    if (source->name && !*source->name) {
        free(source->name);
        source->name = xstrdup(other);
    }
    if (!source->name)
        return -1;
    const struct source_format *found = *source->name ? find_format(source->name, err) : NULL;
    return found == &source_log;
}

/* Opens a file of a format that is read here. */
static bool open_here(struct source *source, struct error *err) {
    const struct source_format *format = find_format(source->name, err);
    if (!format)
        return false;
    set_format(source, format);
    const bool whole = format == &source_fst; /* read by another program */
    if (whole && source->paths.count > 1)
        return error_set(err, "%s: found %zu files, expected waves in one", source->path, source->paths.count);
    return (whole || lines_open_file(&source->lines, source->path, err)) &&
           (!format->open || format->open(source, err));
}

/* Opens the files as the format, which may be NULL, or as what their content is. */
static bool open_as(struct source *source, const char *format, const char *head, size_t n, struct error *err) {
    int most = 0, log = 0;
    if (!format && n == 0)
        return error_set(err, "%s: is empty", source->path);
    const char *guess = format ? format : guess_format(head, n, &most);
    if (format && strcmp(format, "csv") == 0 &&
        (source->options.signals.count > 0 || source_samples.likely(head, n) > 0))
        guess = "samples";
    if (format ? find_format(guess, err) == &source_log : most < CERTAIN)
        log = open_log(source, format, guess, most, err);
    else
        source->name = xstrdup(guess);
    if (log == 0 && !*source->name)
        return refuse_format(source->path, head, n, err);
    return log > 0 || (log == 0 && open_here(source, err));
}

struct source *source_open(const char *const *paths, size_t count, const char *format,
                           const struct source_options *options, struct error *err) {
    autofree char *head = xmalloc(HEAD);
    size_t n = 0;
    if (!read_head(paths[0], head, &n, err))
        return NULL;
    struct source *source = xcalloc(1, sizeof *source);
    source->options = *options;
    for (size_t i = 0; i < count; i++) {
        struct stat info;
        words_add(&source->paths, "%s", paths[i]);
        source->size += stat(paths[i], &info) == 0 ? (uint64_t)info.st_size : 0;
    }
    source->path = source->paths.items[0];
    if (open_as(source, format, head, n, err)) {
        source->lines.err = err;
        return source;
    }
    source_close(source);
    return NULL;
}

void source_close(struct source *source) {
    if (!source)
        return;
    if (source->format && source->format->close)
        source->format->close(source);
    lines_close(&source->lines);
    words_free(&source->notes.dropped);
    words_free(&source->notes.guessed);
    words_free(&source->paths);
    free(source->state);
    free(source->name);
    free(source);
}

const char *source_format(const struct source *source) {
    return source->name;
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
        const int more = source->format->next(source, access, err);
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
