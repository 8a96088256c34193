/* The raw form of input.txn, as commercial simulators and RTLMeter read it (80-trace-formats section 2.2): a word of
 * 128 bits a line, with the name of a memory file before it. */
#pragma once

#include "trace/lex.h"

enum { TXN_RAW_TEXT = 400 }; /* bytes of the longest command with its zero */

/* The command of input.txn that a line of the raw form says; "" for an empty line or a comment. *ended: the end line
 * was read, after which no command may follow. A dump into mem-dump-N.hex is compared with mem-expect-N.hex, as
 * RTLMeter does. False with a message that names the line. */
bool txn_raw_command(const struct lines *lines, struct span line, char text[TXN_RAW_TEXT], bool *ended,
                     struct error *err);

/* Reads the first `most` bytes of a memory file of words of 32 bits in hexadecimal, least significant byte first in
 * memory. *found: bytes in the file. NULL with a message. */
struct blob *txn_raw_memory(const char *path, size_t most, size_t *found, struct error *err);
