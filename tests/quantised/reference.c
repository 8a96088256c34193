/* Computes a network on inputs and compares every tensor with reference outputs, by both rules.
 *
 * usage: reference NET.tflite FOLDER INPUTS     FOLDER: input.bin, cpu_tN.bin and micro_tN.bin with all inputs in a row
 *        reference NET INPUT                    writes the first output by rule cpu: height, width, channels
 * Ends with "N passed, N failed": tensors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/interpret.h"
#include "run/network/open.h"

static const char *const rules[] = {"cpu", "micro"};
static size_t passed, failed;

/* The bytes of a file of the folder, NULL if there is none. */
static char *read_file(const char *folder, const char *name, size_t *n) {
    struct error err;
    char *path = xprintf("%s/%s.bin", folder, name), *bytes = NULL;
    const bool fine = file_read(path, &bytes, n, &err);
    free(path);
    return fine ? bytes : NULL;
}

static void compare(const struct graph *graph, const struct node *node, const char *folder, int rule, size_t input,
                    size_t inputs, const int8_t *found) {
    const struct tensor *tensor = node_output(graph, node);
    char name[64];
    size_t n = 0, differ = 0;
    snprintf(name, sizeof name, "%s_t%d", rules[rule], node->output);
    autofree char *bytes = read_file(folder, name, &n);
    if (!bytes && node->kind == NODE_RESHAPE)
        return;
    const bool whole = bytes && n == inputs * tensor->count;
    for (size_t i = 0; whole && i < tensor->count; i++)
        differ += found[i] != (int8_t)bytes[input * tensor->count + i];
    if (!whole || differ)
        printf("FAIL %s, input %zu, tensor \"%s\": %zu of %zu differ%s\n", rules[rule], input, tensor->name, differ,
               tensor->count, whole ? "" : "; there is no such reference");
    whole && !differ ? passed++ : failed++;
}

/* Computes a network and writes its first output. */
static int write_output(const char *path, const char *from) {
    struct error err;
    autofree char *input = NULL;
    size_t n;
    struct graph *graph = graph_read(path, &err);
    if (!graph || !file_read(from, &input, &n, &err) || n != graph_tensor(graph, graph->inputs[0])->count) {
        fprintf(stderr, "%s\n", graph && input ? "the input has another size" : err.text);
        graph_free(graph);
        return 2;
    }
    int8_t **values = values_new(graph);
    memcpy(values[graph->inputs[0]], input, n);
    for (size_t k = 0; k < graph->node_count; k++)
        interpret_node(graph, &graph->nodes[k], RULE_CPU, values);
    fwrite(values[graph->outputs[0]], 1, tensor_bytes(graph_tensor(graph, graph->outputs[0])), stdout);
    values_free(graph, values);
    graph_free(graph);
    return 0;
}

int main(int argc, char **argv) {
    struct error err;
    size_t n;
    if (argc == 3)
        return write_output(argv[1], argv[2]);
    if (argc != 4)
        return 2;
    const size_t inputs = strtoul(argv[3], NULL, 10);
    struct graph *graph = graph_read(argv[1], &err);
    autofree char *input = read_file(argv[2], "input", &n);
    if (!graph || !input || n != inputs * graph_tensor(graph, graph->inputs[0])->count) {
        puts(graph ? "FAIL: no input of the right size" : err.text);
        return 2;
    }
    for (int rule = 0; rule < 2; rule++)
        for (size_t i = 0; i < inputs; i++) {
            int8_t **values = values_new(graph);
            memcpy(values[graph->inputs[0]], input + i * (n / inputs), n / inputs);
            for (size_t k = 0; k < graph->node_count; k++) {
                interpret_node(graph, &graph->nodes[k], (enum rounding_rule)rule, values);
                compare(graph, &graph->nodes[k], argv[2], rule, i, inputs, values[graph->nodes[k].output]);
            }
            values_free(graph, values);
        }
    graph_free(graph);
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed || !passed;
}
