/* Histograms of a run as a picture in text, as JSON, and as SVG. Layers stand in the order in which they were done,
 * streams in pipeline order; what was not done comes last. Spec: 90-statistics section B.8.
 */
#ifndef REPORT_HISTOGRAMS_H
#define REPORT_HISTOGRAMS_H

#include <stdbool.h>
#include <stdio.h>

#include "nvdla/error.h"
#include "observe/histogram.h"

/* The entries of a set in that order; free() them, not what they point to. */
const struct histogram_entry **histograms_sorted(const struct histogram_set *set);

/* Prints a picture of every stream: its numbers, and a line per bin with a bar to the left for negative values and one
 * to the right for positive ones. */
void histograms_print(FILE *out, const struct histogram_set *set);

/* An array with an object for each layer and stream; free() it.
 *
 * Keys of section B.8, and: unit and ordinal of the launch; nan and inf; at_ends (elements that are an end of the
 * type); saturated (elements that the convertor behind the stream clips, where there is one); mean and deviation. group
 * is the one of registers; layer is null for what was not done; floating point has width 0 and a bin per exponent. */
char *histograms_json(const struct histogram_set *set);

/* One chart for each layer and stream, positive bins up, negative ones down; free() it. title: of the whole. */
char *histograms_svg(const struct histogram_set *set, const char *title);

/* Writes histogram.json and histogram.svg to a directory that exists. */
bool histograms_write(const struct histogram_set *set, const char *title, const char *directory, struct error *err);

#endif
