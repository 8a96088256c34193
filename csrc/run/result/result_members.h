/* The members of a result in the order of its line of JSON. Writer and readers use the same tables. */
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

/* Members of the result itself (without verdict and status, and those after `output`), of a device (without its beats),
 * of its mismatch and of a finding. */
extern const struct members result_head_members, result_device_members, result_mismatch_members, result_finding_members;

/* Reads a line made by result_json() for a trace that passed without findings, as most lines of a night are; several
 * times as fast as a JSON parser. False, with an empty result, for any other line, which a JSON parser may understand.
 */
bool result_scan(const char *line, struct result *result);

#endif
