/* Tables of bus and logic analysers (80-trace-formats section 6.5): one row per access; the first row or --columns
 * names the columns. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/source_parts.h"

enum { CELLS = 64 };
enum column { TIME, TYPE, ADDRESS, DATA, COLUMNS };

struct state {
    char separator;    /* 0: not known yet */
    int at[COLUMNS];   /* index of the cell, -1: absent */
    int most;          /* cells of a row that the columns need */
    bool known;        /* the columns are */
    bool any;          /* a row with an access has been read */
    size_t digits;     /* of the data of the last row */
    struct text clean; /* a row without quotes */
};

static int likely(const char *text, size_t n) {
    size_t line = 0, commas = 0;
    while (line < n && text[line] == '#') {
        while (line < n && text[line] != '\n')
            line++;
        line++;
    }
    for (size_t i = line; i < n && text[i] != '\n'; i++)
        commas += text[i] == ',' || text[i] == ';' || text[i] == '\t';
    return commas >= 2 && commas < CELLS ? 30 : 0;
}

/* "time:1,type:2,address:3,data:4" */
static bool take_columns(struct state *state, const char *text, struct error *err) {
    static const char *const names[COLUMNS] = {"time", "type", "address", "data"};
    struct span rest = {text, strlen(text)};
    while (rest.n > 0) {
        const char *comma = memchr(rest.at, ',', rest.n);
        const size_t n = comma ? (size_t)(comma - rest.at) : rest.n;
        const char *colon = memchr(rest.at, ':', n);
        uint64_t number = 0;
        int found = -1;
        for (int i = 0; colon && i < COLUMNS; i++)
            if (span_is((struct span){rest.at, (size_t)(colon - rest.at)}, names[i]))
                found = i;
        if (found < 0 || !span_number((struct span){colon + 1, (size_t)(rest.at + n - colon) - 1}, false, &number) ||
            number < 1 || number > CELLS)
            return error_set(err,
                             "--columns: found '%.*s', expected time:N, type:N, address:N or data:N, N from 1 to %d",
                             (int)n, rest.at, CELLS);
        state->at[found] = (int)number - 1;
        rest.at += n + (comma != NULL);
        rest.n -= n + (comma != NULL);
    }
    if (state->at[TYPE] < 0 || state->at[ADDRESS] < 0 || state->at[DATA] < 0)
        return error_set(err, "--columns: found '%s', expected columns for type, address and data", text);
    state->known = true;
    return true;
}

static bool open_state(struct source *source, struct error *err) {
    struct state *state = source->state;
    const struct source_options *options = &source->options;
    for (int i = 0; i < COLUMNS; i++)
        state->at[i] = -1;
    if (options->separator) {
        const bool tab = strcmp(options->separator, "\\t") == 0 || strcmp(options->separator, "tab") == 0;
        if (!tab && strlen(options->separator) != 1)
            return error_set(err, "--separator: found '%s', expected one character, or tab", options->separator);
        state->separator = tab ? '\t' : options->separator[0];
    }
    return !options->columns || take_columns(state, options->columns, err);
}

static void close_state(struct source *source) {
    struct state *state = source->state;
    free(state->clean.text);
}

char csv_separator(struct span line) {
    static const char candidates[] = ",;\t|";
    char best = ',';
    size_t most = 0;
    for (const char *c = candidates; *c; c++) {
        size_t count = 0;
        for (size_t i = 0; i < line.n; i++)
            count += line.at[i] == *c;
        if (count > most) {
            most = count;
            best = *c;
        }
    }
    return best;
}

int csv_cells(struct text *clean, char separator, struct span line, struct span *cells, int most) {
    int count = 0;
    bool quoted = false;
    size_t start = 0;
    clean->n = 0;
    text_add(clean, line.at, line.n); /* room for all cells, which are not longer */
    clean->n = 0;
    for (size_t i = 0; i <= line.n; i++) {
        const char c = i < line.n ? line.at[i] : separator;
        if (c == '"' && quoted && i + 1 < line.n && line.at[i + 1] == '"') {
            text_add(clean, "\"", 1);
            i++;
        } else if (c == '"' && i < line.n) {
            quoted = !quoted;
        } else if (i == line.n || (c == separator && !quoted)) {
            if (count < most)
                cells[count] = span_trim((struct span){clean->text + start, clean->n - start});
            count++;
            start = clean->n;
        } else {
            text_add(clean, &c, 1);
        }
    }
    return count < most ? count : most;
}

static bool has_word(struct span cell, const char *word) {
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= cell.n; i++)
        if (strncasecmp(cell.at + i, word, n) == 0)
            return true;
    return false;
}

/* Takes the columns from the first row, if that consists of names. */
static bool take_header(struct state *state, const struct span *cells, int count) {
    for (int i = 0; i < count && i < CELLS; i++) {
        const struct span cell = cells[i];
        if (state->at[ADDRESS] < 0 && has_word(cell, "addr"))
            state->at[ADDRESS] = i;
        else if (state->at[DATA] < 0 && (has_word(cell, "data") || has_word(cell, "value")))
            state->at[DATA] = i;
        else if (state->at[TYPE] < 0 && (has_word(cell, "r/w") || has_word(cell, "type") || has_word(cell, "dir") ||
                                         has_word(cell, "op") || has_word(cell, "rw") || has_word(cell, "write")))
            state->at[TYPE] = i;
        else if (state->at[TIME] < 0 && has_word(cell, "time"))
            state->at[TIME] = i;
    }
    return state->at[ADDRESS] >= 0 && state->at[DATA] >= 0 && state->at[TYPE] >= 0;
}

static bool take_type(struct span cell, bool *is_write) {
    static const char *const writes[] = {"w", "wr", "write", "1", "mwr"}, *const reads[] = {"r", "rd", "read", "0",
                                                                                            "mrd"};
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
        if (cell.n == strlen(writes[i]) && strncasecmp(cell.at, writes[i], cell.n) == 0)
            return *is_write = true;
        if (cell.n == strlen(reads[i]) && strncasecmp(cell.at, reads[i], cell.n) == 0) {
            *is_write = false;
            return true;
        }
    }
    return false;
}

/* Handles a bad row: the last one may be truncated; any other is an error. */
static int bad_row(struct source *source, struct error *err, const char *what) {
    const uint64_t line = (uint64_t)source->lines.line;
    if (source->lines.cut) {
        source_drop(source, line, "the file ends inside this line: dropped");
        return 0;
    }
    return source_object(source, line, err, "%s", what);
}

static int take_row(struct source *source, const struct span *cells, int count, struct access *access,
                    struct error *err) {
    struct state *state = source->state;
    uint64_t address = 0, value = 0, offset;
    char text[160];
    bool is_write;
    if (count < state->most) {
        snprintf(text, sizeof text, "found %d column%s, expected at least %d", count, count == 1 ? "" : "s",
                 state->most);
        return bad_row(source, err, text);
    }
    static const struct {
        enum column column;
        const char *name;
    } numbers[] = {{ADDRESS, "address"}, {DATA, "data"}};
    uint64_t *const values[] = {&address, &value};
    for (int i = 0; i < 2; i++) {
        const struct span cell = cells[state->at[numbers[i].column]];
        char shown[SPAN_SHOW];
        if (!span_hex(cell, values[i])) {
            snprintf(text, sizeof text, "%s: found %s, expected a hexadecimal number", numbers[i].name,
                     span_show(cell, shown));
            return bad_row(source, err, text);
        }
    }
    if (!take_type(cells[state->at[TYPE]], &is_write)) {
        char shown[SPAN_SHOW];
        snprintf(text, sizeof text, "type: found %s, expected R or W", span_show(cells[state->at[TYPE]], shown));
        return bad_row(source, err, text);
    }
    const struct source_options *options = &source->options;
    const uint64_t size = options->size ? options->size : REGISTER_SPACE;
    if (!source_window(source, options->has_base ? options->base : 0, size, address, &offset))
        return 0;
    if (value > UINT32_MAX)
        return bad_row(source, err, "data: found more than 32 bits");
    const size_t digits = cells[state->at[DATA]].n;
    if (source->lines.cut && state->at[DATA] == count - 1 && digits < state->digits)
        return bad_row(source, err, "");
    state->digits = digits;
    state->any = true;
    *access =
        source_register(is_write ? ACCESS_WRITE : ACCESS_READ, (uint64_t)source->lines.line, offset, (uint32_t)value);
    return 1;
}

/* Determines the columns from the first row with cells. 1: it is a row of data. */
static int take_first(struct source *source, const struct span *cells, int count, struct error *err) {
    struct state *state = source->state;
    uint64_t value;
    bool is_write;
    const bool given = state->known;
    int is_row = 0;
    if (given) {
        is_row = count > state->at[DATA] && span_hex(cells[state->at[DATA]], &value) && count > state->at[TYPE] &&
                 take_type(cells[state->at[TYPE]], &is_write);
    } else if (!take_header(state, cells, count)) {
        /* No names: time, type, address, data, or without time. */
        const int first = count >= 4 ? 1 : 0;
        if (count < 3 || !take_type(cells[first], &is_write))
            return source_fail(source, (uint64_t)source->lines.line, err,
                               "the columns are unknown: found no row of names (type, address, data); give --columns");
        state->at[TYPE] = first;
        state->at[ADDRESS] = first + 1;
        state->at[DATA] = first + 2;
        source_guess(source, (uint64_t)source->lines.line, "columns type:%d,address:%d,data:%d", first + 1, first + 2,
                     first + 3);
        is_row = 1;
    }
    state->known = true;
    for (int i = TYPE; i < COLUMNS; i++)
        if (state->at[i] >= state->most)
            state->most = state->at[i] + 1;
    return is_row;
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct state *state = source->state;
    struct span line, cells[CELLS];
    while (source_line(source, &line)) {
        const struct span trimmed = span_trim(line); /* do not skip: the line may begin with an empty cell */
        if (trimmed.n == 0 || trimmed.at[0] == '#')
            continue;
        if (!state->separator)
            state->separator = csv_separator(line);
        const int count = csv_cells(&state->clean, state->separator, line, cells, CELLS);
        if (state->most == 0) {
            const int first = take_first(source, cells, count, err);
            if (first <= 0) {
                if (first < 0)
                    return -1;
                continue;
            }
        }
        const int status = take_row(source, cells, count, access, err);
        if (status != 0)
            return status;
    }
    if (!source->lines.failed && !state->any && source->notes.outside > 0)
        return source_fail(source, 0, err,
                           "none of its %" PRIu64 " accesses is in the register window of 0x%" PRIx64
                           " bytes at 0x%" PRIx64 "; give --base and --size",
                           source->notes.outside,
                           source->options.size ? source->options.size : (uint64_t)REGISTER_SPACE,
                           source->options.base);
    return 0;
}

const struct source_format source_csv = {
    "csv", "table of a bus or logic analyser", likely, open_state, next, close_state, "line", sizeof(struct state)};
