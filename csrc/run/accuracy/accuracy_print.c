/* Prints the accuracy of a network; see accuracy.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/accuracy/accuracy.h"

enum { MATRIX_CLASSES = 20, FREQUENT = 20 };

/* How often pictures of one class were found to be another. */
struct confusion {
    unsigned label, found;
    size_t count;
};

static int confusion_order(const void *left, const void *right) {
    const struct confusion *a = left, *b = right;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return (a->found > b->found) - (a->found < b->found);
}

static int frequency_order(const void *left, const void *right) {
    const struct confusion *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : confusion_order(a, b);
}

/* All pairs of label and class found that occur, by label; free() them. */
static struct confusion *confusions(const struct accuracy *accuracy, size_t *count) {
    struct confusion *pairs = xcalloc(accuracy->labels.count, sizeof *pairs);
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < accuracy->labels.count; i++)
        if (accuracy->outcomes[i].state == PICTURE_DONE)
            pairs[n++] = (struct confusion){accuracy->labels.items[i].label, accuracy->outcomes[i].top[0], 1};
    qsort(pairs, n, sizeof *pairs, confusion_order);
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && confusion_order(&pairs[kept - 1], &pairs[i]) == 0)
            pairs[kept - 1].count++;
        else
            pairs[kept++] = pairs[i];
    *count = kept;
    return pairs;
}

static double percent(size_t part, size_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* "7", or "7 seven" where the class has a name. */
static void print_class(FILE *out, const struct accuracy *accuracy, unsigned number) {
    char *name = number < accuracy->classes.count ? text_shown(accuracy->classes.items[number]) : NULL;
    fprintf(out, "%u%s%s", number, name ? " " : "", name ? name : "");
    free(name);
}

/* ---- text ---- */

static void print_matrix(FILE *out, const struct accuracy *accuracy) {
    size_t count, at = 0;
    struct confusion *pairs = confusions(accuracy, &count);
    fputs("confusion (a row for each label, a column for each class found):\n     ", out);
    for (unsigned found = 0; found < accuracy->class_count; found++)
        fprintf(out, " %5u", found);
    for (unsigned label = 0; label < accuracy->class_count; label++) {
        fprintf(out, "\n%5u", label);
        for (unsigned found = 0; found < accuracy->class_count; found++) {
            const bool here = at < count && pairs[at].label == label && pairs[at].found == found;
            fprintf(out, " %5zu", here ? pairs[at].count : 0);
            at += here;
        }
    }
    fputc('\n', out);
    free(pairs);
}

/* Of many classes: the pairs that are confused most often. */
static void print_frequent(FILE *out, const struct accuracy *accuracy) {
    size_t count, printed = 0;
    struct confusion *pairs = confusions(accuracy, &count);
    qsort(pairs, count, sizeof *pairs, frequency_order);
    fputs("most frequent confusions (label: class found, pictures):\n", out);
    for (size_t i = 0; i < count && printed < FREQUENT; i++) {
        if (pairs[i].label == pairs[i].found)
            continue;
        fputs("  ", out);
        print_class(out, accuracy, pairs[i].label);
        fputs(": ", out);
        print_class(out, accuracy, pairs[i].found);
        fprintf(out, ", %zu\n", pairs[i].count);
        printed++;
    }
    if (printed == 0)
        fputs("  none\n", out);
    free(pairs);
}

/* After `listed` of `count`: how many more there are. */
static void print_more(FILE *out, const struct accuracy *accuracy, size_t count) {
    if (count > accuracy->options->list)
        fprintf(out, "  and %zu more (--list)\n", count - accuracy->options->list);
}

static void print_wrong(FILE *out, const struct accuracy *accuracy, size_t count) {
    size_t listed = 0;
    if (count > 0)
        fprintf(out, "%zu %s not recognised:\n", count, text_plural(count, "picture is", "pictures are"));
    for (size_t i = 0; i < accuracy->labels.count && listed < accuracy->options->list; i++) {
        const struct picture_outcome *outcome = &accuracy->outcomes[i];
        if (outcome->state != PICTURE_DONE || outcome->rank == 0)
            continue;
        char *name = text_shown(accuracy->labels.items[i].file);
        fprintf(out, "  %s: label ", name);
        print_class(out, accuracy, accuracy->labels.items[i].label);
        fputs(", found ", out);
        print_class(out, accuracy, outcome->top[0]);
        fprintf(out, "; the label has place %u\n", outcome->rank + 1);
        free(name);
        listed++;
    }
    print_more(out, accuracy, count);
}

static void print_state(FILE *out, const struct accuracy *accuracy, enum picture_state state, size_t count,
                        const char *what) {
    size_t listed = 0;
    if (count > 0)
        fprintf(out, "%zu %s %s:\n", count, text_plural(count, "label", "labels"), what);
    for (size_t i = 0; i < accuracy->labels.count && listed < accuracy->options->list; i++)
        if (accuracy->outcomes[i].state == state) {
            text_print_line(out, "  %s:%d: %s", accuracy->options->labels, accuracy->labels.items[i].line,
                            accuracy->outcomes[i].why.text);
            listed++;
        }
    print_more(out, accuracy, count);
}

static void print_unlabelled(FILE *out, const struct accuracy *accuracy) {
    const size_t count = accuracy->unlabelled.count;
    if (count > 0)
        fprintf(out, "%zu %s no label, so not counted:\n", count, text_plural(count, "picture has", "pictures have"));
    for (size_t i = 0; i < count && i < accuracy->options->list; i++)
        text_print_line(out, "  %s", accuracy->unlabelled.items[i]);
    print_more(out, accuracy, count);
}

static void print_rtl(FILE *out, const struct accuracy *accuracy, const struct accuracy_counts *counts) {
    if (accuracy->options->rtl == 0)
        return;
    fprintf(out, "rtl: %zu %s of seed %llu, %zu as on the model\n", accuracy->rtl_count,
            text_plural(accuracy->rtl_count, "picture", "pictures"), (unsigned long long)accuracy->options->run->seed,
            accuracy->rtl_count - counts->differ);
    for (size_t i = 0; i < accuracy->rtl_count; i++) {
        const struct rtl_outcome *rtl = &accuracy->rtl[i];
        if (!rtl->ended || rtl->status != EXIT_OK)
            text_print_line(out, "  %s %s (%s): %s", rtl->ended ? rtl->verdict : "NOT PLAYED",
                            accuracy->labels.items[rtl->picture].file, rtl->trace, rtl->ended ? rtl->reason : "");
    }
}

void accuracy_print(FILE *out, const struct accuracy *accuracy) {
    const struct accuracy_counts counts = accuracy_count(accuracy);
    char *name = text_shown(accuracy->options->network);
    fprintf(out, "%s (%s): %zu of %zu labelled pictures computed\n", name, accuracy->config->name, counts.done,
            accuracy->labels.count);
    free(name);
    fprintf(out, "top-1: %zu, %.2f %%\n", counts.top1, percent(counts.top1, counts.done));
    fprintf(out, "top-5: %zu, %.2f %%\n", counts.top5, percent(counts.top5, counts.done));
    if (accuracy->class_count <= MATRIX_CLASSES)
        print_matrix(out, accuracy);
    else
        print_frequent(out, accuracy);
    print_wrong(out, accuracy, counts.done - counts.top1);
    print_state(out, accuracy, PICTURE_MISSING, counts.missing, "without a picture");
    print_state(out, accuracy, PICTURE_DAMAGED, counts.damaged, "of pictures that cannot be computed");
    print_unlabelled(out, accuracy);
    print_rtl(out, accuracy, &counts);
}

/* ---- JSON ---- */

static void set_count(json_t *object, const char *key, size_t count) {
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

/* A picture, by file and line of its label. */
static json_t *json_picture(const struct accuracy *accuracy, size_t picture) {
    json_t *json = json_object();
    json_object_set_new(json, "file", json_text(accuracy->labels.items[picture].file));
    set_count(json, "line", (size_t)accuracy->labels.items[picture].line);
    return json;
}

static json_t *json_confusion(const struct accuracy *accuracy) {
    size_t count;
    struct confusion *pairs = confusions(accuracy, &count);
    json_t *json = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *pair = json_object();
        set_count(pair, "label", pairs[i].label);
        set_count(pair, "found", pairs[i].found);
        set_count(pair, "count", pairs[i].count);
        json_array_append_new(json, pair);
    }
    free(pairs);
    return json;
}

static json_t *json_wrong(const struct accuracy *accuracy) {
    json_t *json = json_array();
    for (size_t i = 0; i < accuracy->labels.count; i++) {
        const struct picture_outcome *outcome = &accuracy->outcomes[i];
        if (outcome->state != PICTURE_DONE || outcome->rank == 0)
            continue;
        json_t *picture = json_picture(accuracy, i), *top = json_array();
        set_count(picture, "label", accuracy->labels.items[i].label);
        for (size_t k = 0; k < ACCURACY_TOP && k < accuracy->class_count; k++)
            json_array_append_new(top, json_integer(outcome->top[k]));
        json_object_set_new(picture, "top", top);
        set_count(picture, "rank", outcome->rank);
        json_array_append_new(json, picture);
    }
    return json;
}

static json_t *json_state(const struct accuracy *accuracy, enum picture_state state) {
    json_t *json = json_array();
    for (size_t i = 0; i < accuracy->labels.count; i++) {
        if (accuracy->outcomes[i].state != state)
            continue;
        json_t *picture = json_picture(accuracy, i);
        json_object_set_new(picture, "message", json_text(accuracy->outcomes[i].why.text));
        json_array_append_new(json, picture);
    }
    return json;
}

static json_t *json_rtl(const struct accuracy *accuracy) {
    json_t *json = json_object(), *pictures = json_array();
    json_object_set_new(json, "seed", json_integer((json_int_t)accuracy->options->run->seed));
    for (size_t i = 0; i < accuracy->rtl_count; i++) {
        const struct rtl_outcome *rtl = &accuracy->rtl[i];
        json_t *picture = json_picture(accuracy, rtl->picture);
        json_object_set_new(picture, "trace", json_text(rtl->trace));
        json_object_set_new(picture, "verdict", rtl->ended ? json_string(rtl->verdict) : json_null());
        json_object_set_new(picture, "reason", rtl->ended ? json_text(rtl->reason) : json_null());
        json_array_append_new(pictures, picture);
    }
    json_object_set_new(json, "pictures", pictures);
    return json;
}

void accuracy_print_json(FILE *out, const struct accuracy *accuracy) {
    const struct accuracy_counts counts = accuracy_count(accuracy);
    json_t *json = json_object(), *names = json_array(), *unlabelled = json_array();
    json_object_set_new(json, "network", json_text(accuracy->options->network));
    json_object_set_new(json, "config", json_string(accuracy->config->name));
    set_count(json, "classes", accuracy->class_count);
    for (size_t i = 0; i < accuracy->classes.count; i++)
        json_array_append_new(names, json_text(accuracy->classes.items[i]));
    json_object_set_new(json, "class_names", names);
    set_count(json, "labelled", accuracy->labels.count);
    set_count(json, "computed", counts.done);
    set_count(json, "top1", counts.top1);
    set_count(json, "top5", counts.top5);
    json_object_set_new(json, "confusion", json_confusion(accuracy));
    json_object_set_new(json, "wrong", json_wrong(accuracy));
    json_object_set_new(json, "missing", json_state(accuracy, PICTURE_MISSING));
    json_object_set_new(json, "damaged", json_state(accuracy, PICTURE_DAMAGED));
    for (size_t i = 0; i < accuracy->unlabelled.count; i++)
        json_array_append_new(unlabelled, json_text(accuracy->unlabelled.items[i]));
    json_object_set_new(json, "unlabelled", unlabelled);
    if (accuracy->options->rtl > 0)
        json_object_set_new(json, "rtl", json_rtl(accuracy));
    char *text = json_to_text(json, JSON_INDENT(2));
    fprintf(out, "%s\n", text);
    free(text);
}
