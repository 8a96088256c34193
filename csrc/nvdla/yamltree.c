/* The tree of a YAML document, from the events of libyaml. See yamltree.h. */
#include "nvdla/yamltree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

struct anchor {
    char *name;
    struct yaml_node *node;
};

struct reader {
    struct yamltree *yaml;
    const char *name, *text;
    size_t n;
    struct error *err;
    yaml_parser_t parser;
    struct yaml_node *stack[YAML_DEPTH];
    int depth;
    struct anchor *anchors;
    size_t anchor_count;
};

bool yamltree_fail(struct error *err, const char *name, int line, int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = xvprintf(format, arguments);
    va_end(arguments);
    error_set(err, "%s:%d:%d: %s", name, line, column, text);
    free(text);
    return false;
}

static bool fail(const struct reader *reader, yaml_mark_t mark, const char *text) {
    return yamltree_fail(reader->err, reader->name, (int)mark.line + 1, (int)mark.column + 1, "%s", text);
}

/* libyaml reports bytes that are not text by their offset. */
static yaml_mark_t mark_of(const struct reader *reader, size_t offset) {
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < reader->n; i++) {
        mark.column++;
        if (reader->text[i] == '\n')
            mark = (yaml_mark_t){.line = mark.line + 1};
    }
    return mark;
}

/* What to do about a problem that libyaml reports in its own words. */
static const char *advice(const struct reader *reader) {
    const char *line = reader->text, *end = reader->text + reader->n;
    const yaml_mark_t mark = reader->parser.problem_mark;
    for (size_t i = 0; line && i < mark.line; i++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next ? next + 1 : NULL;
    }
    if (line && (size_t)(end - line) > mark.column && line[mark.column] == '\t')
        return "; a line is indented with blanks, not with tabs";
    if (strstr(reader->parser.problem, "did not find expected") ||
        strstr(reader->parser.problem, "not allowed in this"))
        return "; keys of one mapping, and the '-' of one list, begin in the same column";
    return "";
}

/* What libyaml says is wrong. */
static bool fail_syntax(const struct reader *reader) {
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        xexhausted();
    if (parser->error == YAML_READER_ERROR) {
        const bool control = strstr(parser->problem, "control characters") != NULL;
        const yaml_mark_t mark = mark_of(reader, parser->problem_offset);
        return yamltree_fail(reader->err, reader->name, (int)mark.line + 1, (int)mark.column + 1,
                             control ? "found a control character (0x%02x); expected text"
                                     : "found a byte that is not UTF-8 (0x%02x); expected text in UTF-8",
                             (unsigned)parser->problem_value);
    }
    char *context = parser->context
                        ? xprintf(" (%s, which begins in line %zu)", parser->context, parser->context_mark.line + 1)
                        : xstrdup("");
    char *problem = xprintf("not YAML: %s%s%s", parser->problem, context, advice(reader));
    free(context);
    fail(reader, parser->problem_mark, problem);
    free(problem);
    return false;
}

static struct yaml_node *new_node(struct reader *reader, enum yaml_kind kind, yaml_mark_t mark) {
    struct yamltree *yaml = reader->yaml;
    struct yaml_node *node = xcalloc(1, sizeof *node);
    *node = (struct yaml_node){
        .kind = kind, .line = (int)mark.line + 1, .column = (int)mark.column + 1, .weight = 1, .open = true};
    yaml->all = xgrow(yaml->all, yaml->count, sizeof *yaml->all);
    yaml->all[yaml->count++] = node;
    return node;
}

/* Gives the node its place: in the mapping or the list that is being read, or at the top. mark: where it stands, which
 * of an alias is another place than that of its node. */
static bool place(struct reader *reader, struct yaml_node *node, yaml_mark_t mark) {
    if (reader->depth == 0) {
        reader->yaml->root = node;
        return true;
    }
    struct yaml_node *parent = reader->stack[reader->depth - 1];
    const bool is_key = parent->kind == YAML_MAP && parent->count % 2 == 0;
    if (is_key && node->kind != YAML_TEXT)
        return fail(reader, mark, "found a list or a mapping as a key; expected a word");
    if (is_key && node->plain && strcmp(node->text, "<<") == 0)
        return fail(reader, mark, "found the merge key '<<', which is not known here; expected a word");
    if (parent->kind == YAML_MAP && parent->count >= (size_t)2 * YAML_MEMBERS)
        return yamltree_fail(reader->err, reader->name, (int)mark.line + 1, (int)mark.column + 1,
                             "found more than %d keys in one mapping", YAML_MEMBERS);
    for (size_t i = 0; is_key && i < parent->count; i += 2)
        if (strcmp(parent->nodes[i]->text, node->text) == 0) {
            char shown[YAML_SHOW];
            return yamltree_fail(reader->err, reader->name, (int)mark.line + 1, (int)mark.column + 1,
                                 "found the key %s again; it is in line %d already", yamltree_show(node, shown),
                                 parent->nodes[i]->line);
        }
    parent->nodes = xgrow(parent->nodes, parent->count, sizeof *parent->nodes);
    parent->nodes[parent->count++] = node;
    return true;
}

/* A node that is complete counts in the one around it. */
static bool count_in(struct reader *reader, struct yaml_node *node, yaml_mark_t mark) {
    node->open = false;
    if (reader->depth == 0)
        return true;
    struct yaml_node *parent = reader->stack[reader->depth - 1];
    parent->weight += node->weight;
    if (parent->weight <= YAML_NODES)
        return true;
    return yamltree_fail(reader->err, reader->name, (int)mark.line + 1, (int)mark.column + 1,
                         "found more than %d values, aliases counted as what they stand for", YAML_NODES);
}

static void keep_anchor(struct reader *reader, const yaml_char_t *name, struct yaml_node *node) {
    if (!name)
        return;
    reader->anchors = xgrow(reader->anchors, reader->anchor_count, sizeof *reader->anchors);
    reader->anchors[reader->anchor_count++] = (struct anchor){.name = xstrdup((const char *)name), .node = node};
}

static bool read_scalar(struct reader *reader, const yaml_event_t *event) {
    const yaml_char_t *value = event->data.scalar.value;
    const size_t n = event->data.scalar.length;
    if (event->data.scalar.tag)
        return fail(reader, event->start_mark, "found a tag (!...); expected a value without one");
    if (memchr(value, 0, n))
        return fail(reader, event->start_mark, "found a text with a zero character in it; expected one without");
    struct yaml_node *node = new_node(reader, YAML_TEXT, event->start_mark);
    node->text = xstrndup((const char *)value, n);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    keep_anchor(reader, event->data.scalar.anchor, node);
    return place(reader, node, event->start_mark) && count_in(reader, node, event->start_mark);
}

static bool begin(struct reader *reader, enum yaml_kind kind, const yaml_event_t *event, const yaml_char_t *anchor,
                  const yaml_char_t *tag) {
    if (tag)
        return fail(reader, event->start_mark, "found a tag (!...); expected a value without one");
    if (reader->depth == YAML_DEPTH)
        return yamltree_fail(reader->err, reader->name, (int)event->start_mark.line + 1,
                             (int)event->start_mark.column + 1, "found more than %d lists and mappings in one another",
                             YAML_DEPTH);
    struct yaml_node *node = new_node(reader, kind, event->start_mark);
    keep_anchor(reader, anchor, node);
    if (!place(reader, node, event->start_mark))
        return false;
    reader->stack[reader->depth++] = node;
    return true;
}

static bool end(struct reader *reader, const yaml_event_t *event) {
    struct yaml_node *node = reader->stack[--reader->depth];
    return count_in(reader, node, event->start_mark);
}

static bool read_alias(struct reader *reader, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    for (size_t i = reader->anchor_count; i-- > 0;) {
        struct yaml_node *node = reader->anchors[i].node;
        if (strcmp(reader->anchors[i].name, name) != 0)
            continue;
        if (node->open)
            return yamltree_fail(reader->err, reader->name, (int)event->start_mark.line + 1,
                                 (int)event->start_mark.column + 1, "found *%s inside of &%s, a circle", name, name);
        return place(reader, node, event->start_mark) && count_in(reader, node, event->start_mark);
    }
    return yamltree_fail(reader->err, reader->name, (int)event->start_mark.line + 1, (int)event->start_mark.column + 1,
                         "found *%s; expected the name of an anchor, there is no &%s before it", name, name);
}

/* Takes in an event; *done: it was the last. */
static bool take(struct reader *reader, const yaml_event_t *event, bool *done) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin(reader, YAML_LIST, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return begin(reader, YAML_MAP, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return end(reader, event);
    case YAML_ALIAS_EVENT:
        return read_alias(reader, event);
    case YAML_DOCUMENT_START_EVENT:
        return !reader->yaml->root || fail(reader, event->start_mark, "found a second document; expected one");
    case YAML_STREAM_END_EVENT:
        *done = true;
        return reader->yaml->root || fail(reader, event->start_mark, "found nothing; expected a document");
    case YAML_DOCUMENT_END_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_NO_EVENT:
        break;
    }
    return true;
}

bool yamltree_parse(struct yamltree *yaml, const char *name, const char *text, size_t n, struct error *err) {
    struct reader reader = {.yaml = yaml, .name = name, .text = text, .n = n, .err = err};
    bool good = true, done = false;
    *yaml = (struct yamltree){0};
    if (n > YAML_BYTES)
        return error_set(err, "%s: found more than %d bytes", name, YAML_BYTES);
    if (!yaml_parser_initialize(&reader.parser))
        xexhausted();
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text, n);
    while (good && !done) {
        yaml_event_t event;
        good = yaml_parser_parse(&reader.parser, &event);
        if (!good) {
            fail_syntax(&reader);
            break;
        }
        good = take(&reader, &event, &done);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&reader.parser);
    for (size_t i = 0; i < reader.anchor_count; i++)
        free(reader.anchors[i].name);
    free(reader.anchors);
    return good;
}

void yamltree_free(struct yamltree *yaml) {
    for (size_t i = 0; i < yaml->count; i++) {
        free(yaml->all[i]->text);
        free(yaml->all[i]->nodes);
        free(yaml->all[i]);
    }
    free(yaml->all);
    *yaml = (struct yamltree){0};
}

char *yamltree_show(const struct yaml_node *node, char out[YAML_SHOW]) {
    enum { SHOWN = 60 };
    char shown[YAML_SHOW - 8];
    if (node->kind != YAML_TEXT)
        snprintf(out, YAML_SHOW, "%s", node->kind == YAML_LIST ? "a list" : "a mapping");
    else if (node->text[0] == '\0' && node->plain)
        snprintf(out, YAML_SHOW, "nothing");
    else {
        text_shown_into(node->text, shown, SHOWN);
        snprintf(out, YAML_SHOW, "'%s%s'", shown, strlen(node->text) >= SHOWN ? "..." : "");
    }
    return out;
}
