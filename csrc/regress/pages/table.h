/* Tables of text on a terminal: columns as wide as their cells, cut or left out to fit. */
#ifndef REGRESS_PAGES_TABLE_H
#define REGRESS_PAGES_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum table_colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_BAD, COLOUR_ODD, COLOUR_DIM };

struct table_style {
    FILE *out;
    int width; /* columns of the terminal; 0: as wide as it gets */
    bool colour, utf8;
};

/* "…" and the escapes of a colour, or what replaces them if the terminal does not have them. */
const char *style_ellipsis(const struct table_style *style);
const char *style_begin(const struct table_style *style, enum table_colour colour);
const char *style_end(const struct table_style *style, enum table_colour colour);

struct table;

struct table *table_new(const struct table_style *style);
void table_free(struct table *table);

/* Adds a column. least: it may be cut to that many columns of the terminal, 0: never. spare: 0: it always stays; else
 * it is left out if all its cells are empty, and if cutting does not suffice those with the greatest spare go first. */
void table_column(struct table *table, const char *name, bool right, int least, int spare);

/* Begins a row; adds its cells in the order of the columns (printf text); "" is an empty one. What a cell holds is
 * shown as text_shown() has it. */
void table_row(struct table *table);
void table_cell(struct table *table, enum table_colour colour, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line below the row, as wide as the table; cut to the terminal. */
void table_note(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints names and rows and forgets the rows. Rows that are printed later have the widths of the first ones, and no
 * names above them. */
void table_print(struct table *table);

#endif
