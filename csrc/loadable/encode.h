/* The descriptors of a loadable as bytes, in the new layout: the inverse of descriptors.h. Spec: 87-loadables section
 * 4. */
#ifndef LOADABLE_ENCODE_H
#define LOADABLE_ENCODE_H

#include "loadable/descriptors.h"

/* Into NETWORK_BYTES and DEPENDENCY_BYTES bytes; index: of the operation in its task. */
void network_encode(const struct network_descriptor *network, uint8_t *bytes);
void dependency_encode(const struct operation *op, int index, uint8_t *bytes);

/* Into OPERATION_BYTES and SURFACE_BYTES bytes that are 0. For CONV, SDP and PDP. */
void operation_encode(const struct operation *op, uint8_t *operation, uint8_t *surface);

#endif
