/* A YAML document as a tree of nodes that know their place in the file. Made for files that people write by hand and
 * that may be wrong or hostile: bounded in size and depth, aliases cannot blow up, no key twice.
 *
 * What is read: one document of mappings with scalar keys, sequences, scalars, anchors and aliases. Every scalar is a
 * text; what it means is up to the caller. Tags ("!!int") and merge keys ("<<") are errors. */
#ifndef NVDLA_YAMLTREE_H
#define NVDLA_YAMLTREE_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"

/* Bounds: bytes of a file, mappings and sequences in one another, members of a mapping, nodes with each alias counted
 * as what it stands for. */
enum { YAML_BYTES = 1 << 20, YAML_DEPTH = 16, YAML_MEMBERS = 1000, YAML_NODES = 100000 };

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    int line, column; /* from 1 */
    bool plain;       /* a text without quotes */
    char *text;       /* YAML_TEXT: UTF-8 */
    /* YAML_LIST: elements. YAML_MAP: a key, which is a text, and its value, in turn. */
    struct yaml_node **nodes;
    size_t count;
    size_t weight; /* nodes in it, itself included */
    bool open;     /* being read: an alias to it would be a circle */
};

struct yamltree {
    struct yaml_node *root;
    struct yaml_node **all; /* each once; aliases share */
    size_t count;
};

/* Reads a document. False with "NAME:LINE:COLUMN: what was found, what was expected". Free it either way. */
bool yamltree_parse(struct yamltree *yaml, const char *name, const char *text, size_t n, struct error *err);
void yamltree_free(struct yamltree *yaml);

/* Sets err to "NAME:LINE:COLUMN: text". Returns false. */
bool yamltree_fail(struct error *err, const char *name, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* "'text'", "a list", "a mapping" or "nothing", for messages. Returns out. */
enum { YAML_SHOW = 100 };
char *yamltree_show(const struct yaml_node *node, char out[YAML_SHOW]);

#endif
