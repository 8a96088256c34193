/* Quantised networks as loadables. See open.h. */
#include "run/network/open.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "quantised/read.h"
#include "quantised/write.h"
#include "run/simulators/python_output.h"

struct graph *graph_read(const char *path, struct error *err) {
    autowords struct words arguments = {0};
    size_t n;
    words_put(&arguments, path);
    char *bytes = python_output("networks", &arguments, &n, err);
    struct graph *graph = bytes ? described_parse(path, bytes, n, err) : NULL;
    if (graph)
        graph->file = bytes;
    else
        free(bytes);
    return graph;
}

bool quantised_compile(const char *path, const struct nvdla_config **config, struct quantised *quantised,
                       struct error *err) {
    *quantised = (struct quantised){0};
    if (!*config)
        *config = nvdla_config_find("small");
    const int atom = (*config)->mem_atom;
    if ((atom != 8 && atom != 16 && atom != 32) || (*config)->atomic_k != atom || (*config)->atomic_c < atom)
        return error_set(err,
                         "%s: found configuration %s with %d channels x %d kernels and atoms of %d bytes; expected "
                         "atoms of 8, 16 or 32 bytes, as many kernels, and no fewer channels",
                         path, (*config)->name, (*config)->atomic_c, (*config)->atomic_k, atom);
    quantised->graph = graph_read(path, err);
    quantised->lowered = quantised->graph ? lower_graph(quantised->graph, *config, err) : NULL;
    if (!quantised->lowered)
        return false;
    quantised->file = lowered_write(quantised->lowered);
    return true;
}

void quantised_free(struct quantised *quantised) {
    lowered_free(quantised->lowered);
    graph_free(quantised->graph);
    free(quantised->file.text);
    *quantised = (struct quantised){0};
}

/* What a loadable's format does not say: of inputs, then outputs, which are its tensors. */
static void note_ends(struct loadable *loadable, const struct graph *graph, const struct nvdla_config *config) {
    static const enum loadable_data_type file_types[] = {DATA_INT8, DATA_UINT8, DATA_FLOAT};
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        struct loadable_tensor *to = &loadable->tensors[i];
        const bool in = i < graph->input_count;
        const struct tensor *from = graph_tensor(graph, in ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        to->atom = (unsigned)config->mem_atom;
        to->order = layout_of_end(graph, i);
        to->file_type = file_types[from->in_file];
        to->scale = from->type == TENSOR_INDEX ? 0 : from->scales[0];
        to->zero = from->zero;
    }
}

struct loadable *quantised_loadable(const struct quantised *quantised, struct error *err) {
    struct loadable *loadable = loadable_parse(quantised->graph->path, quantised->file.text, quantised->file.n, err);
    if (loadable)
        note_ends(loadable, quantised->graph, quantised->lowered->config);
    return loadable;
}

struct loadable *network_open(const char *path, const struct nvdla_config **config, struct error *err) {
    struct quantised quantised;
    if (!is_quantised(path))
        return loadable_read(path, err);
    struct loadable *loadable =
        quantised_compile(path, config, &quantised, err) ? quantised_loadable(&quantised, err) : NULL;
    if (loadable) {
        loadable->file = quantised.file.text;
        quantised.file.text = NULL;
    }
    quantised_free(&quantised);
    return loadable;
}

void quantised_input(const char *path, struct compile_options *options) {
    struct input_options *input = &options->input;
    if (!is_quantised(path))
        return;
    if (!options->order_given)
        input->rgb = true;
    if (input->mean_count || input->norm != 0 || input->scale != 0)
        return;
    input->mean = xcalloc(1, sizeof *input->mean);
    input->mean[0] = 128;
    input->mean_count = 1;
    input->scale = 1;
}

void quantised_explain(FILE *out, const struct quantised *quantised) {
    const struct lowered *lowered = quantised->lowered;
    const struct graph *graph = quantised->graph;
    for (size_t i = 0; i < lowered->note_count; i++) {
        const struct lowered_note *note = &lowered->notes[i];
        const struct node *node = &graph->nodes[note->node];
        const bool first = i == 0 || lowered->notes[i - 1].node != note->node;
        size_t layers = 0;
        for (size_t k = 0; k < lowered->op_count; k++)
            layers += lowered->ops[k].node == note->node;
        if (first)
            fprintf(out, "node %zu %s, tensor \"%s\", %zu %s\n", node->number, node_name(node),
                    node_output(graph, node)->name, layers, text_plural(layers, "layer", "layers"));
        fprintf(out, "    %s\n", note->text);
    }
}
