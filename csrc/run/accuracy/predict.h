/* A network that is prepared once and then computed on the model for one picture after the other: its memories stay as
 * they are, and only the input and what the layers write is new. */
#ifndef RUN_ACCURACY_PREDICT_H
#define RUN_ACCURACY_PREDICT_H

#include "nvdla/config.h"
#include "run/network/compile.h"

struct predictor;

/* Compiles the network and computes it once. It must have one input and one output, each a tensor for one picture. The
 * compiler's warnings are printed to stderr. The loadable is used until predictor_free. NULL with a message. */
struct predictor *predictor_new(struct loadable *loadable, const struct compile_options *options, struct error *err);
void predictor_free(struct predictor *predictor);

/* Number of elements of the output, which are the classes, in the order channel, line, column. */
size_t predictor_classes(const struct predictor *predictor);
const struct nvdla_config *predictor_config(const struct predictor *predictor);

/* The values of the classes for the picture in a file. The result depends on nothing but the picture. free() it. NULL
 * with a message. */
float *predictor_run(struct predictor *predictor, const char *path, struct error *err);

#endif
