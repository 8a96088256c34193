/* Appends to the file of results. See ledger.h. */
#include "run/result/ledger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "nvdla/xalloc.h"

bool ledger_note(int file, size_t test, const char *host, const char *result) {
    char *head = xprintf("\n{\"test\":%zu,\"at\":%" PRId64 "%s%s%s,\"result\":", test, (int64_t)time(NULL),
                         host ? ",\"host\":\"" : "", host ? host : "", host ? "\"" : "");
    const struct iovec parts[] = {{.iov_base = head, .iov_len = strlen(head)},
                                  {.iov_base = (char *)result, .iov_len = strlen(result)},
                                  {.iov_base = "}\n", .iov_len = 2}};
    const size_t n = parts[0].iov_len + parts[1].iov_len + parts[2].iov_len;
    errno = ENOSPC; /* after a short write */
    const ssize_t written = writev(file, parts, sizeof parts / sizeof *parts);
    free(head);
    return written == (ssize_t)n;
}
