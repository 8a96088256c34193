/* Writes a lowered network as a loadable that this program and NVIDIA's runtime read. Spec: 87-loadables sections 2 to
 * 4 and 8. */
#pragma once

#include "nvdla/text.h"
#include "quantised/lower.h"

/* Name of the blob that says where layers come from: lines "TASK.LAYER OPERATOR TENSOR". */
#define ORIGINS_BLOB "origins"

/* The bytes of the file; free() its text. */
struct text lowered_write(const struct lowered *lowered);
