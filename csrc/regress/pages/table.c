/* Tables of text on a terminal. See table.h. */
#include "regress/pages/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { GAP = 2, NOTE_INDENT = 4 };

struct cell {
    char *text;
    enum table_colour colour;
};

struct column {
    char *name;
    bool right;
    int least, spare, width;
};

struct row {
    struct cell *cells; /* one for each column */
    size_t count;
    char *note;
};

struct table {
    struct table_style style;
    struct column *columns;
    struct row *rows;
    size_t column_count, row_count;
    bool printed;
};

const char *style_ellipsis(const struct table_style *style) {
    return style->utf8 ? "\xe2\x80\xa6" : ">";
}

const char *style_begin(const struct table_style *style, enum table_colour colour) {
    static const char *const codes[] = {[COLOUR_NONE] = "",
                                        [COLOUR_GOOD] = "\033[32m",
                                        [COLOUR_BAD] = "\033[31m",
                                        [COLOUR_ODD] = "\033[33m",
                                        [COLOUR_DIM] = "\033[2m"};
    return style->colour ? codes[colour] : "";
}

const char *style_end(const struct table_style *style, enum table_colour colour) {
    return style->colour && colour != COLOUR_NONE ? "\033[0m" : "";
}

struct table *table_new(const struct table_style *style) {
    struct table *table = xcalloc(1, sizeof *table);
    table->style = *style;
    return table;
}

static void forget_rows(struct table *table) {
    for (size_t i = 0; i < table->row_count; i++) {
        for (size_t j = 0; j < table->rows[i].count; j++)
            free(table->rows[i].cells[j].text);
        free(table->rows[i].cells);
        free(table->rows[i].note);
    }
    free(table->rows);
    table->rows = NULL;
    table->row_count = 0;
}

void table_free(struct table *table) {
    forget_rows(table);
    for (size_t i = 0; i < table->column_count; i++)
        free(table->columns[i].name);
    free(table->columns);
    free(table);
}

void table_column(struct table *table, const char *name, bool right, int least, int spare) {
    table->columns = xgrow(table->columns, table->column_count, sizeof *table->columns);
    table->columns[table->column_count++] =
        (struct column){.name = text_shown(name), .right = right, .least = least, .spare = spare};
}

void table_row(struct table *table) {
    table->rows = xgrow(table->rows, table->row_count, sizeof *table->rows);
    table->rows[table->row_count++] = (struct row){.cells = xcalloc(table->column_count, sizeof(struct cell))};
}

static char *shown(const char *format, va_list arguments) {
    char *text = xvprintf(format, arguments), *safe = text_shown(text);
    free(text);
    return safe;
}

void table_cell(struct table *table, enum table_colour colour, const char *format, ...) {
    struct row *row = &table->rows[table->row_count - 1];
    va_list arguments;
    va_start(arguments, format);
    row->cells[row->count++] = (struct cell){.text = shown(format, arguments), .colour = colour};
    va_end(arguments);
}

void table_note(struct table *table, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    table->rows[table->row_count - 1].note = shown(format, arguments);
    va_end(arguments);
}

/* ---- widths ---- */

static int columns_of(const char *text) {
    return (int)text_columns(text);
}

/* What each column needs; 0 of one that is left out. */
static void measure(struct table *table) {
    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        for (size_t r = 0; r < table->row_count; r++) {
            const struct row *row = &table->rows[r];
            const int width = c < row->count ? columns_of(row->cells[c].text) : 0;
            if (width > column->width)
                column->width = width;
        }
        const int name = columns_of(column->name);
        if ((column->width > 0 || !column->spare) && name > column->width)
            column->width = name;
    }
}

static int total_width(const struct table *table) {
    int total = -GAP;
    for (size_t c = 0; c < table->column_count; c++)
        total += table->columns[c].width ? table->columns[c].width + GAP : 0;
    return total;
}

/* The widest column that may be cut; NULL: there is none. */
static struct column *widest(struct table *table) {
    struct column *found = NULL;
    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        if (column->least && column->width > column->least && (!found || column->width > found->width))
            found = column;
    }
    return found;
}

static struct column *most_spare(struct table *table) {
    struct column *found = NULL;
    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        if (column->spare && column->width && (!found || column->spare > found->spare))
            found = column;
    }
    return found;
}

/* Cuts the widest columns, then leaves columns out, then lets those that stay have the room. */
static void fit(struct table *table) {
    const int width = table->style.width;
    int *wanted = xcalloc(table->column_count + 1, sizeof *wanted);
    for (size_t c = 0; c < table->column_count; c++)
        wanted[c] = table->columns[c].width;
    while (width > 0 && total_width(table) > width) {
        struct column *column = widest(table);
        if (column)
            column->width--;
        else if ((column = most_spare(table)))
            column->width = 0;
        else
            break;
    }
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t c = 0; width > 0 && c < table->column_count; c++) {
            struct column *column = &table->columns[c];
            if (column->width && column->width < wanted[c] && total_width(table) < width) {
                column->width++;
                grown = true;
            }
        }
    }
    free(wanted);
}

/* ---- printing ---- */

/* The text in at most so many columns (0: all of it), cut with an ellipsis. */
static void put_cut(const struct table_style *style, const char *text, int width) {
    if (columns_of(text) <= width || width == 0)
        fputs(text, style->out);
    else
        fprintf(style->out, "%.*s%s", (int)text_fitting(text, (size_t)width - 1), text, style_ellipsis(style));
}

static void put_cell(const struct table_style *style, const struct column *column, const struct cell *cell, bool last) {
    const int wanted = columns_of(cell->text), blank = wanted < column->width ? column->width - wanted : 0;
    if (column->right)
        fprintf(style->out, "%*s", blank, "");
    const enum table_colour colour = cell->text[0] ? cell->colour : COLOUR_NONE;
    fputs(style_begin(style, colour), style->out);
    put_cut(style, cell->text, column->width);
    fputs(style_end(style, colour), style->out);
    if (!column->right && !last)
        fprintf(style->out, "%*s", blank, "");
}

static void put_row(const struct table *table, const struct row *row) {
    static char nothing[] = "";
    const struct table_style *style = &table->style;
    size_t end = 0; /* after the last cell that is not empty */
    bool first = true;
    for (size_t c = 0; c < row->count; c++)
        if (table->columns[c].width && row->cells[c].text[0])
            end = c + 1;
    for (size_t c = 0; c < end; c++) {
        if (!table->columns[c].width)
            continue;
        fprintf(style->out, "%*s", first ? 0 : GAP, "");
        put_cell(style, &table->columns[c], row->cells[c].text ? &row->cells[c] : &(struct cell){.text = nothing},
                 c + 1 == end);
        first = false;
    }
    fputc('\n', style->out);
    if (row->note) {
        fprintf(style->out, "%*s%s", NOTE_INDENT, "", style_begin(style, COLOUR_DIM));
        put_cut(style, row->note, style->width > NOTE_INDENT ? style->width - NOTE_INDENT : 0);
        fprintf(style->out, "%s\n", style_end(style, COLOUR_DIM));
    }
}

static void put_names(const struct table *table) {
    struct row names = {.cells = xcalloc(table->column_count + 1, sizeof(struct cell)), .count = table->column_count};
    for (size_t c = 0; c < table->column_count; c++)
        names.cells[c] = (struct cell){.text = table->columns[c].name, .colour = COLOUR_DIM};
    put_row(table, &names);
    free(names.cells);
}

void table_print(struct table *table) {
    if (!table->printed) {
        measure(table);
        fit(table);
        put_names(table);
    }
    for (size_t r = 0; r < table->row_count; r++)
        put_row(table, &table->rows[r]);
    table->printed = true;
    forget_rows(table);
}
