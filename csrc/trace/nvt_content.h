/* The content of a blob in .nvt (traces/FORMAT.md): hex digits, runs of a byte and offsets, up to a line "end". */
#pragma once

#include "trace/lex.h"
#include "trace/program.h"

/* Reads it into the blob. *all: bytes of all blobs so far. False with a message. */
bool nvt_content_read(struct lines *lines, struct blob *blob, uint64_t *all, struct error *err);
