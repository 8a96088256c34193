/* Faults that are known to change nothing. See equivalents.h. */
#include "regress/faults/equivalents.h"

#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "nvdla/yamltree.h"

static const char *const members[] = {"file", "statement", "reason"};
enum { MEMBERS = sizeof members / sizeof members[0] };

/* One entry. */
static bool take(const char *name, const struct yaml_node *node, struct equivalents *list, struct error *err) {
    const char *texts[MEMBERS];
    char shown[YAML_SHOW];
    if (node->kind != YAML_MAP)
        return yamltree_fail(err, name, node->line, node->column,
                             "found %s, expected a mapping of file, statement and reason", yamltree_show(node, shown));
    for (size_t i = 0; i < node->count; i += 2) {
        bool known = false;
        for (int m = 0; m < MEMBERS; m++)
            known = known || strcmp(node->nodes[i]->text, members[m]) == 0;
        if (!known)
            return yamltree_fail(err, name, node->nodes[i]->line, node->nodes[i]->column,
                                 "found '%s', expected file, statement or reason", node->nodes[i]->text);
    }
    for (int m = 0; m < MEMBERS; m++) {
        const struct yaml_node *value = yamltree_member(node, members[m]);
        if (!value || value->kind != YAML_TEXT || !value->text[0])
            return yamltree_fail(err, name, value ? value->line : node->line, value ? value->column : node->column,
                                 "found %s, expected the %s of a fault as a text",
                                 value ? yamltree_show(value, shown) : "none", members[m]);
        texts[m] = value->text;
    }
    if (equivalents_reason(list, texts[0], texts[1]))
        return yamltree_fail(err, name, node->line, node->column, "this fault is in the list twice");
    list->items = xgrow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = (struct equivalent){
        .file = xstrdup(texts[0]), .statement = xstrdup(texts[1]), .reason = xstrdup(texts[2]), .line = node->line};
    return true;
}

bool equivalents_read(const char *path, struct equivalents *list, struct error *err) {
    *list = (struct equivalents){0};
    char *text;
    size_t n;
    if (!file_read(path, &text, &n, err))
        return false;
    struct yamltree yaml;
    bool good = yamltree_parse(&yaml, path, text, n, err);
    if (good && yaml.root->kind != YAML_LIST) {
        char shown[YAML_SHOW];
        good = yamltree_fail(err, path, yaml.root->line, yaml.root->column, "found %s, expected a list of faults",
                             yamltree_show(yaml.root, shown));
    }
    for (size_t i = 0; good && i < yaml.root->count; i++)
        good = take(path, yaml.root->nodes[i], list, err);
    yamltree_free(&yaml);
    free(text);
    return good;
}

void equivalents_free(struct equivalents *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].file);
        free(list->items[i].statement);
        free(list->items[i].reason);
    }
    free(list->items);
    *list = (struct equivalents){0};
}

const char *equivalents_reason(const struct equivalents *list, const char *file, const char *statement) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].file, file) == 0 && strcmp(list->items[i].statement, statement) == 0)
            return list->items[i].reason;
    return NULL;
}
