/* The ledger of a night: a file that results are noted in the moment they are there, a line each, by the processes of
 * the tests themselves and by their runner. What stands in it is known whoever is killed then; the database gets it
 * later, many at a time.
 *
 *   {"test":12,"at":1767222000,"result":{...}}               by the process of test 12, before it ends
 *   {"test":12,"at":1767222000,"host":"a","result":{...}}    by its runner: the result is final
 *
 * test: number in the night; at: seconds since 1970; result: docs/results.md. All append, each line in one write and
 * between two line ends: what a process that was killed, or a disk that is full, has left of a line spoils no other.
 * Who plays tests holds a lock on the file (flock), and so do the processes that it plays them with, so that the lock
 * is free when the last of them has ended.
 */
#ifndef RUN_RESULT_LEDGER_H
#define RUN_RESULT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* Opens the ledger of a folder, makes it where there is none (create), and locks it: waits some seconds for processes
 * of a runner that was killed, which end by themselves, and goes on without the lock then. The descriptor, not below 16
 * and not handed on by exec; -1 with a message, also if there is none and none is to be made: errno is ENOENT then. */
int ledger_open(const char *folder, bool create, struct error *err);

/* Closes it; remove: all of it is in the database. */
void ledger_close(int file, const char *folder, bool remove);

/* Notes a result, a line of JSON; host: NULL if the process of the test does so itself. False, with errno, if it is not
 * written as a whole. */
bool ledger_note(int file, size_t test, const char *host, const char *result);

/* Takes out what was noted. */
struct ledger_entry {
    size_t test;
    int64_t at;
    char *host, *result; /* host: NULL: noted by the process of the test */
};
struct ledger {
    struct ledger_entry *entries;
    size_t count;
};
/* False with a message if it cannot be read. Lines that are not whole are left out. */
bool ledger_read(int file, struct ledger *ledger, struct error *err);
void ledger_free(struct ledger *ledger);

#endif
