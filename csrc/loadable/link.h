/* Edges between the operations of a task, by which the driver's scheduler knows their order. Spec: 87-loadables
 * sections 4 and 5. */
#pragma once

#include "loadable/descriptors.h"

/* Sets the edges of operations that have none. They are in the order of their work, each fused SDP right after its
 * convolution; one reads what another wrote if their cubes have the same position.
 *
 * Those of a type run in order, so a layer waits explicitly only for the one right before it: two before it, its group
 * would not be free. SDP of a convolution is armed early, which arms the convolution when its input is complete. */
void operations_link(struct operation *const *ops, size_t count);
