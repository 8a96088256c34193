/* Reference interpreter: computes the nodes of a quantised network in TFLite's integers, by either of its rules. Spec:
 * 88-quantised-networks section 2. */
#pragma once

#include "quantised/graph.h"
#include "quantised/requant.h"

/* The values of all tensors of INT8, in the order height, width, channels; NULL for other tensors. Those of constants
 * are set, the others are 0. Free with values_free. */
int8_t **values_new(const struct graph *graph);
void values_free(const struct graph *graph, int8_t **values);

/* Computes the output of a node from its inputs. SOFTMAX is computed in float32 for both rules, which give the same
 * bytes. */
void interpret_node(const struct graph *graph, const struct node *node, enum rounding_rule rule, int8_t *const *values);

/* The result of an addition of two elements. */
struct addition {
    struct multiplier of_a, of_b, of_sum;
    int zero_a, zero_b, zero_out;
    struct limits limits;
};
struct addition addition_of(const struct graph *graph, const struct node *node);
int add_elements(const struct addition *addition, int a, int b);

/* A sum of n elements divided by n: halves away from zero. */
static inline int average_of(int64_t sum, int64_t n) {
    return (int)((sum > 0 ? sum + n / 2 : sum - n / 2) / n);
}
