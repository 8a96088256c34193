/* Tables of an on-chip logic analyser (Vivado's ILA, SignalTap, LiteScope; 80-trace-formats section 6.5): a row of
 * signals for each sample, below a row of their names. A second row may name radixes, or give widths. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/sampler.h"

enum { CELLS = 512, HEADER_ROWS = 64 /* in which the names are looked for */ };

struct samples_state {
    char separator;
    bool named, begun; /* the row of names, the first sample has been read */
    bool ended;
    int rows;
    int columns[PORTS]; /* index of the cell, -1: none */
    unsigned radix[CELLS];
    struct text clean;
    struct sampler sampler;
};

/* The character that separates the cells of a row. */
static char csv_separator(struct span line) {
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

/* A row's cells without quotes and blanks around them ("" in quotes is one quote), at most `most`, which stay in
 * *clean. Returns their number. */
static int csv_cells(struct text *clean, char separator, struct span line, struct span *cells, int most) {
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

static const int keys[] = {CSB_VALID, APB_SELECT, LITE_AWVALID};
enum { KEYS = sizeof keys / sizeof *keys };

/* The name of a column: without path and range. */
static struct span column_name(struct span cell) {
    const char *bracket = cell.n ? memchr(cell.at, '[', cell.n) : NULL;
    if (bracket)
        cell.n = (size_t)(bracket - cell.at);
    for (size_t i = cell.n; i > 0; i--)
        if (cell.at[i - 1] == '/' || cell.at[i - 1] == '.' || cell.at[i - 1] == '|')
            return span_trim((struct span){cell.at + i, cell.n - i});
    return span_trim(cell);
}

static int fits(const struct source *source, int port, struct span cell) {
    const int rank = sampler_fits(source, port, column_name(cell));
    return rank ? rank : sampler_fits(source, port, cell);
}

static int likely(const char *text, size_t n) {
    static const struct source plain;
    struct span rest = {text, n}, cells[CELLS];
    autotext struct text clean = {0};
    int score = 0;
    for (int row = 0; row < HEADER_ROWS && rest.n > 0 && !score; row++) {
        const char *end = memchr(rest.at, '\n', rest.n);
        const size_t length = end ? (size_t)(end - rest.at) : rest.n;
        const int count = csv_cells(&clean, csv_separator((struct span){rest.at, length}),
                                    (struct span){rest.at, length}, cells, CELLS);
        for (int i = 0; count > 3 && i < count; i++)
            for (int k = 0; k < KEYS; k++)
                score = fits(&plain, keys[k], cells[i]) ? 70 : score;
        rest = (struct span){rest.at + length + (end != NULL), rest.n - length - (end != NULL)};
    }
    return score;
}

static bool open_state(struct source *source, struct error *err) {
    struct samples_state *state = source->state;
    const char *radix = source->options.radix;
    const unsigned usual = !radix || strcmp(radix, "16") == 0 ? 16 : strcmp(radix, "10") == 0 ? 10 : 2;
    if (radix && usual == 2 && strcmp(radix, "2") != 0)
        return error_set(err, "--radix: found '%s', expected 2, 10 or 16", radix);
    for (int i = 0; i < CELLS; i++)
        state->radix[i] = usual;
    return true;
}

static void close_state(struct source *source) {
    struct samples_state *state = source->state;
    sampler_free(&state->sampler);
    free(state->clean.text);
}

/* ---- the rows above the samples ---- */

/* Takes the columns from a row of names: 1; 0: the row has none; -1: with a message. */
static int take_names(struct source *source, const struct span *cells, int count, struct error *err) {
    struct samples_state *state = source->state;
    bool any = false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < KEYS; k++)
            any = any || fits(source, keys[k], cells[i]);
    if (!any)
        return 0;
    for (int port = 0; port < PORTS; port++) {
        state->columns[port] = -1;
        for (int i = 0; i < count; i++) {
            const int rank = fits(source, port, cells[i]);
            const struct signal *signal = &state->sampler.signals[port];
            if (rank == 0 || (signal->width > 0 && rank < signal->rank))
                continue;
            if (!sampler_define(&state->sampler, port, column_name(cells[i]), rank, 1))
                return source_fail(source, (uint64_t)source->lines.line, err,
                                   "two columns may be %s: %.*s is the second; choose with --signal PORT=COLUMN",
                                   signal->name, (int)cells[i].n, cells[i].at);
            state->columns[port] = i;
        }
    }
    state->named = true;
    return sampler_check(source, &state->sampler, false, NULL, err);
}

/* "Radix - UNSIGNED", "HEX", ... in all cells. */
static bool take_radixes(struct samples_state *state, const struct span *cells, int count) {
    static const struct {
        const char *name;
        unsigned radix;
    } names[] = {{"HEX", 16}, {"UNSIGNED", 10}, {"SIGNED", 10}, {"BINARY", 2}, {"BIN", 2}, {"OCTAL", 8}};
    for (int i = 0; i < count; i++) {
        struct span cell = cells[i];
        if (span_starts(cell, "Radix - "))
            cell = (struct span){cell.at + 8, cell.n - 8};
        unsigned radix = 0;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (cell.n == strlen(names[k].name) && strncasecmp(cell.at, names[k].name, cell.n) == 0)
                radix = names[k].radix;
        if (radix == 0)
            return false;
        state->radix[i] = radix;
    }
    return true;
}

/* A row of widths: 1 for handshakes, 32 for data. */
static bool has_widths(const struct samples_state *state, const struct span *cells, int count) {
    static const int ones[] = {CSB_VALID, CSB_READY,    CSB_WRITE,    READ_VALID,  APB_SELECT, APB_ENABLE,
                               APB_WRITE, LITE_AWVALID, LITE_AWREADY, LITE_WVALID, LITE_WREADY};
    static const int words[] = {CSB_DATA, READ_DATA, APB_WDATA, APB_RDATA, LITE_WDATA, LITE_RDATA};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        if (state->columns[ones[i]] >= 0 &&
            (state->columns[ones[i]] >= count || !span_is(cells[state->columns[ones[i]]], "1")))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (state->columns[words[i]] >= 0 &&
            (state->columns[words[i]] >= count || !span_is(cells[state->columns[words[i]]], "32")))
            return false;
    return true;
}

/* ---- samples ---- */

/* Digits with their radix, 0x in front or h behind. False for anything else. */
static bool take_value(struct span cell, unsigned radix, struct value *value) {
    *value = (struct value){.unknown = cell.n == 0};
    if (cell.n > 2 && cell.at[0] == '0' && (cell.at[1] == 'x' || cell.at[1] == 'X')) {
        radix = 16;
        cell = (struct span){cell.at + 2, cell.n - 2};
    } else if (cell.n > 1 && (cell.at[cell.n - 1] == 'h' || cell.at[cell.n - 1] == 'H')) {
        radix = 16;
        cell.n--;
    }
    for (size_t i = 0; i < cell.n; i++) {
        const char c = (char)tolower((unsigned char)cell.at[i]);
        const unsigned digit = isdigit((unsigned char)c) ? (unsigned)(c - '0')
                               : c >= 'a'                ? (unsigned)(c - 'a') + 10
                                                         : 99;
        unsigned carry = digit;
        const bool unknown = c == 'x' || c == 'z' || c == 'u';
        if (!unknown && digit >= radix)
            return false;
        value->unknown |= unknown;
        for (size_t b = 0; !value->unknown && b < sizeof value->bytes; b++) {
            carry += value->bytes[b] * radix;
            value->bytes[b] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    return true;
}

static int take_sample(struct source *source, const struct span *cells, int count, struct error *err) {
    struct samples_state *state = source->state;
    const uint64_t line = (uint64_t)source->lines.line;
    for (int port = 0; port < PORTS; port++) {
        const int at = state->columns[port];
        struct signal *signal = &state->sampler.signals[port];
        char text[96], shown[SPAN_SHOW];
        if (at < 0)
            continue;
        if (at < count && take_value(cells[at], state->radix[at], &signal->now))
            continue;
        if (source->lines.cut) {
            source_drop(source, line, "the file ends inside this line: dropped");
            return 0;
        }
        return source_object(source, line, err, "%s: found %s, expected a number in radix %u (--radix)",
                             sampler_port_name(source, port, text, sizeof text),
                             at < count ? span_show(cells[at], shown) : "no cell", state->radix[at]);
    }
    state->sampler.time = line;
    sampler_sample(&state->sampler, true);
    sampler_sample(&state->sampler, false);
    return 0;
}

static int take_row(struct source *source, struct span line, struct error *err) {
    struct samples_state *state = source->state;
    struct span cells[CELLS];
    if (!state->named)
        state->separator = csv_separator(line);
    const int count = csv_cells(&state->clean, state->separator, line, cells, CELLS);
    if (!state->named) {
        if (take_names(source, cells, count, err) < 0)
            return -1;
        return state->named || ++state->rows < HEADER_ROWS
                   ? 0
                   : source_fail(
                         source, 0, err,
                         "found no row of names with csb2nvdla_valid, psel or awvalid; give --signal PORT=COLUMN");
    }
    const bool first = !state->begun;
    state->begun = true;
    if (first && (take_radixes(state, cells, count) || has_widths(state, cells, count)))
        return 0;
    return take_sample(source, cells, count, err);
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct samples_state *state = source->state;
    struct span line;
    for (;;) {
        const int taken = sampler_take(source, &state->sampler, access, err);
        if (taken != 0 || state->ended)
            return taken;
        if (source_line(source, &line)) {
            const struct span trimmed = span_trim(line);
            if (trimmed.n > 0 && trimmed.at[0] != '#' && take_row(source, line, err) < 0)
                return -1;
            continue;
        }
        if (source->lines.failed)
            return -1;
        if (!state->named)
            return source_fail(
                source, 0, err,
                "found no row of names with csb2nvdla_valid, psel or awvalid; give --signal PORT=COLUMN");
        sampler_finish(source, &state->sampler);
        state->ended = true;
    }
}

const struct source_format source_samples = {likely,      open_state, next,
                                             close_state, "line",     sizeof(struct samples_state)};
