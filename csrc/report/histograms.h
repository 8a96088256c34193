/* Histograms of a run as text charts, as JSON, and as SVG. Layers are in order of completion, streams in pipeline
 * order; unfinished layers come last. Spec: 90-statistics section B.8. */
#pragma once

#include <stdio.h>

#include "nvdla/error.h"
#include "observe/histogram.h"

/* The entries of a set in that order; free() the array only. */
const struct histogram_entry **histograms_sorted(const struct histogram_set *set);

/* Prints a chart of every stream: its statistics, and a line per bin with a bar to the left for negative and one to the
 * right for positive values. */
void histograms_print(FILE *out, const struct histogram_set *set);

/* An array with an object for each layer and stream; free() it.
 *
 * Keys of section B.8, and: unit and ordinal of the launch; nan and inf; at_ends (elements that are an end of the
 * type); saturated (elements clipped by the convertor after the stream, if any); mean and deviation. group is the
 * register group; layer is null if unfinished; floating point has width 0 and a bin per exponent. */
char *histograms_json(const struct histogram_set *set);

/* One chart for each layer and stream, positive bins up, negative ones down; free() it. title: of the picture. */
char *histograms_svg(const struct histogram_set *set, const char *title);

/* Writes histogram.json and histogram.svg to a directory that exists. */
bool histograms_write(const struct histogram_set *set, const char *title, const char *directory, struct error *err);
