/* Keeps every element of the streams that it hears, each tap in a compressed file of its own (tap_file.h).
 *
 * A file holds the launches of a tap in the order in which they were heard, each element with its place and clock.
 * The batches in which elements came leave no trace. Read with tap_reader.h, compared with tap_compare.h.
 */
#ifndef OBSERVE_RECORDER_H
#define OBSERVE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "observe/tap.h"

struct recorder;

/* Records into a folder, which exists. Files are made when their tap is first heard. */
struct recorder *recorder_new(const char *directory);

/* Records the streams of these units only (bit enum nvdla_unit); of all otherwise. */
void recorder_units(struct recorder *recorder, uint32_t units);

/* Records only launches of the unit from this ordinal on; from the first one on otherwise. */
void recorder_from(struct recorder *recorder, enum nvdla_unit unit, int ordinal);

/* What hears for the recorder, which outlives it. A reset of the device empties the files. */
struct tap_listener recorder_listener(struct recorder *recorder);

/* Ends the recording and frees the recorder. False, with a message that names the file, if something could not be
 * written. */
bool recorder_close(struct recorder *recorder, struct error *err);

/* Name of a stream's file: "SDP.SDP_OUT.tap", "CDMA.AXI_READ.8.tap" with the client's ID. Returns text. */
char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size);

#endif
