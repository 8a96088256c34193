/* Records every element of the streams it listens to, each tap in its own compressed file (tap_file.h).
 *
 * A file holds the launches of a tap in order of arrival, each element with its place and clock. It does not depend on
 * how elements were grouped into batches. Read it with tap_reader.h, compare it with tap_compare.h. */
#pragma once

#include "nvdla/error.h"
#include "observe/tap.h"

struct recorder;

/* Records into an existing folder. A file is created on the first element of its tap. */
struct recorder *recorder_new(const char *directory);

/* Records the streams of these units only (bit enum nvdla_unit). Default: all. */
void recorder_units(struct recorder *recorder, uint32_t units);

/* Records launches of the unit from this ordinal on. Default: from the first. */
void recorder_from(struct recorder *recorder, enum nvdla_unit unit, int ordinal);

/* The recorder's listener; the recorder must outlive it. A reset of the device empties the files. */
struct tap_listener recorder_listener(struct recorder *recorder);

/* Finishes the files, which may be moved then; a reset of the device begins new ones. */
void recorder_rest(struct recorder *recorder);

/* Ends the recording and frees the recorder. False, with a message that names the file, if something could not be
 * written. */
bool recorder_close(struct recorder *recorder, struct error *err);

/* Name of a stream's file: "SDP.SDP_OUT.tap", "CDMA.AXI_READ.8.tap" with the client's ID. Returns text. */
char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size);
