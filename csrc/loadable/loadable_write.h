/* Writes a loadable that this program and NVIDIA's runtime read. Spec: 87-loadables sections 2 and 3. */
#pragma once

#include "loadable/loadable.h"
#include "nvdla/text.h"

/* The bytes of the file; free() its text. The tasks run in their order, each after the one before it. */
struct text loadable_write(const struct loadable *loadable);
