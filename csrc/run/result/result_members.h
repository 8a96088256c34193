/* The members of a result in the order of its line of JSON. Writer and readers use the same tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
 * of its mismatch, of who disagrees, and of a finding. */
extern const struct members result_head_members, result_device_members, result_mismatch_members, result_dissent_members,
    result_finding_members;
