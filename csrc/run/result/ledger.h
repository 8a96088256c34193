/* The ledger of a night: a file to which the tests' own processes and their runner append each result at once, one a
 * line. What is in it survives any killed process. The database gets the results later, in batches.
 *
 *     {"test":12,"at":1767222000,"result":{...}}               by the process of test 12, before it ends
 *     {"test":12,"at":1767222000,"host":"a","result":{...}}    by its runner: the result is final
 *
 * test: number in the night; at: seconds since 1970; result: docs/results.md. Every line is appended in one write,
 * between two line ends, so a partial line of a killed process or from a full disk spoils no other. The runner and all
 * processes that it plays tests with share a lock on the file (flock): it is free when the last of them has ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Notes a result, a line of JSON; host: NULL if the process of the test does so itself. False, with errno, if it was
 * not written completely. */
bool ledger_note(int file, size_t test, const char *host, const char *result);
