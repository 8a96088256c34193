/* Reads files of labels; see labels.h. */
#include "run/accuracy/labels.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"

static const char blanks[] = " \t\r";

/* Cuts the blanks at both ends. Returns where the text begins. */
static char *trim(char *text) {
    text += strspn(text, blanks);
    for (size_t n = strlen(text); n > 0 && strchr(blanks, text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* The next line of a text, which becomes a string of its own; NULL at the end. */
static char *next_line(char **rest) {
    char *line = *rest;
    if (!line || !*line)
        return NULL;
    *rest = strchr(line, '\n');
    if (*rest)
        *(*rest)++ = '\0';
    return line;
}

bool classes_read(const char *path, struct words *classes, struct error *err) {
    char *text;
    size_t n;
    if (!file_read(path, &text, &n, err))
        return error_prefix(err, "--classes: ");
    for (char *rest = text, *line; (line = next_line(&rest));)
        words_put(classes, trim(line));
    free(text);
    return true;
}

/* Without the double quotes around it. */
static char *unquoted(char *text) {
    const size_t n = strlen(text);
    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return text;
    text[n - 1] = '\0';
    return text + 1;
}

/* Divides a line into FILE and LABEL. False if one is missing. */
static bool divide(char *line, char **file, char **label) {
    const size_t n = strlen(line);
    char *cut = NULL;
    if (n > 1 && line[n - 1] == '"') { /* a name of a class in quotes may have blanks and commas */
        for (cut = line + n - 2; cut > line && *cut != '"'; cut--)
            ;
        cut--;
    } else {
        for (char *c = line; *c; c++)
            cut = *c == ',' || strchr(blanks, *c) ? c : cut;
    }
    if (!cut || cut <= line || (*cut != ',' && !strchr(blanks, *cut)))
        return false;
    *label = unquoted(trim(cut + 1));
    *cut = '\0';
    line = trim(line);
    if (*line && line[strlen(line) - 1] == ',')
        line[strlen(line) - 1] = '\0';
    *file = unquoted(trim(line));
    if (strncmp(*file, "./", 2) == 0)
        *file += 2;
    return **file && **label;
}

/* The class of a label; false if there is none. */
static bool find_class(const char *label, const struct words *classes, size_t class_count, unsigned *found) {
    uint64_t number;
    for (size_t i = 0; i < classes->count && i < class_count; i++)
        if (strcmp(classes->items[i], label) == 0) {
            *found = (unsigned)i;
            return true;
        }
    if (class_count == 0 || !text_number(label, class_count - 1, &number))
        return false;
    *found = (unsigned)number;
    return true;
}

static int name_order(const void *left, const void *right) {
    const struct labelled *const *a = left, *const *b = right;
    const int order = strcmp((*a)->file, (*b)->file);
    return order ? order : ((*a)->line > (*b)->line) - ((*a)->line < (*b)->line);
}

/* Orders them by name. False with a message if one is there twice. */
static bool order_names(const char *path, struct labels *labels, struct error *err) {
    labels->by_name = xcalloc(labels->count ? labels->count : 1, sizeof *labels->by_name);
    for (size_t i = 0; i < labels->count; i++)
        labels->by_name[i] = &labels->items[i];
    qsort(labels->by_name, labels->count, sizeof *labels->by_name, name_order);
    for (size_t i = 1; i < labels->count; i++)
        if (strcmp(labels->by_name[i - 1]->file, labels->by_name[i]->file) == 0)
            return error_set(err, "%s:%d: found %s, which line %d names; expected one line for each picture", path,
                             labels->by_name[i]->line, labels->by_name[i]->file, labels->by_name[i - 1]->line);
    return true;
}

static bool read_line(const char *path, int number, char *line, const struct words *classes, size_t class_count,
                      struct labels *labels, struct error *err) {
    struct labelled labelled = {.line = number};
    char *file = line, *label = line, *shown = text_shown(line);
    bool fine = divide(line, &file, &label) ||
                error_set(err, "%s:%d: found '%s', expected FILE LABEL or FILE,LABEL", path, number, shown);
    free(shown);
    if (!fine || (number == 1 && strcasecmp(file, "file") == 0 && strcasecmp(label, "label") == 0))
        return fine;
    if (!find_class(label, classes, class_count, &labelled.label)) {
        shown = text_shown(label);
        error_set(err, "%s:%d: found the label '%s', expected a class from 0 to %zu%s", path, number, shown,
                  class_count - 1, classes->count ? ", or a name in the file of --classes" : "; names need --classes");
        free(shown);
        return false;
    }
    labelled.file = xstrdup(file);
    labels->items = xgrow(labels->items, labels->count, sizeof labelled);
    labels->items[labels->count++] = labelled;
    return true;
}

bool labels_read(const char *path, const struct words *classes, size_t class_count, struct labels *labels,
                 struct error *err) {
    char *text;
    size_t n;
    *labels = (struct labels){0};
    if (!file_read(path, &text, &n, err))
        return error_prefix(err, "--labels: ");
    bool fine = true;
    int number = 0;
    for (char *rest = text, *line; fine && (line = next_line(&rest));) {
        number++;
        line = trim(line);
        fine = !*line || read_line(path, number, line, classes, class_count, labels, err);
    }
    free(text);
    if (fine && labels->count == 0)
        fine = error_set(err, "%s: found no label, expected lines FILE LABEL", path);
    return fine && order_names(path, labels, err);
}

void labels_free(struct labels *labels) {
    for (size_t i = 0; i < labels->count; i++)
        free(labels->items[i].file);
    free(labels->items);
    free(labels->by_name);
    *labels = (struct labels){0};
}

bool labels_name(const struct labels *labels, const char *file) {
    size_t low = 0, high = labels->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(labels->by_name[middle]->file, file);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
