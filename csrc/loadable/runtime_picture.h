/* Pictures as NVIDIA's runtime reads them (nvdla_runtime --image). It knows a form by the end of the file's name, .pgm
 * or .jpg, and runs on whatever its memory holds if it does not know it. */
#pragma once

#include "loadable/loadable.h"

/* Writes the picture for the one input of the network: as raw PGM of 8 bits if it has one channel; a JPEG in colour is
 * copied for one of 3 or 4 channels. Messages name what the picture should be: its size, its colours, its form. */
bool runtime_picture_write(const struct loadable *loadable, const char *in, const char *out, struct error *err);
