/* Corners of the values that pass through the engines: ends of their range, ties and clipping of convertors, ends of
 * tables, special numbers of FP16. They are seen in the element streams of a device that plays the trace, and counted
 * as bins of coverage (coverage/coverage.h): "values.ASPECT=CORNER" counts the streams of launches that reach it. */
#pragma once

#include "layers/tracker.h"
#include "observe/tap.h"

struct corners;

/* Nothing seen yet. launches: all of the trace; they must outlive the result. */
struct corners *corners_new(const struct layer_tracker *launches);
void corners_free(struct corners *corners);

/* Looks at the streams of a device, which must have ended before the corners are counted. */
struct tap_listener corners_listener(struct corners *corners);

/* What stream `index` reached: its aspect of COVERAGE_VALUES, and a bit for each value of it. False after the last
 * one. */
bool corners_reached(const struct corners *corners, size_t index, int *aspect, uint32_t *values);
