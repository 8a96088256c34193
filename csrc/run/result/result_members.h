/* The members of a result as they stand in its line of JSON, in their order there: whoever writes and whoever reads one
 * goes by the same tables.
 */
#ifndef RUN_RESULT_RESULT_MEMBERS_H
#define RUN_RESULT_RESULT_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct result; /* run/result/result.h */

enum member_kind { TEXT, NUMBER, INTEGER, REAL, TRUTH };

struct member {
    const char *key;
    enum member_kind kind;
    size_t offset;
};

struct members {
    const struct member *items;
    size_t count;
};

/* Of the result itself (without verdict and status, and what stands behind `output`), of a device (without its beats),
 * of its mismatch and of a finding. */
extern const struct members result_head_members, result_device_members, result_mismatch_members, result_finding_members;

/* Reads a line that result_json() has made, of a trace that passed without findings, which is most
 * of all lines of a night; several times as fast as a reader of JSON. False, and nothing is left in the result, if it
 * is another one: a reader of JSON may understand it. */
bool result_scan(const char *line, struct result *result);

#endif
