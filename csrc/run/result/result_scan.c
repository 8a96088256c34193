/* Reads the lines of passing tests without building a JSON tree. See result_members.h. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "run/result/result.h"
#include "run/result/result_members.h"

/* A position in the line. Every function returns false where it does not find what it expects. */
struct scan {
    const char *at;
};

static bool literal(struct scan *scan, const char *text) {
    const char *c = scan->at; /* most are a single character */
    for (; *text; text++)
        if (*c++ != *text)
            return false;
    scan->at = c;
    return true;
}

static bool is_plain(char c) {
    /* All except control characters, quote, backslash, DEL and anything beyond ASCII. */
    static const bool plain[1 << CHAR_BIT] = {[' '] = true, ['!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};
    return plain[(unsigned char)c];
}

/* A text of printable ASCII without escapes. */
static bool text(struct scan *scan, const char **begin, size_t *n) {
    if (*scan->at != '"')
        return false;
    const char *c = *begin = ++scan->at;
    while (is_plain(*c))
        c++;
    *n = (size_t)(c - *begin);
    scan->at = c + 1;
    return *c == '"';
}

/* Digits, without leading zeros. */
static bool digits(struct scan *scan, bool whole) {
    const char *begin = scan->at;
    while (*scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    return scan->at > begin && (!whole || *begin != '0' || scan->at == begin + 1);
}

static bool ends(const struct scan *scan) {
    return *scan->at == ',' || *scan->at == '}' || *scan->at == ']';
}

/* A whole number below 10^18. */
static bool number(struct scan *scan, uint64_t *value) {
    const char *begin = scan->at;
    if (!digits(scan, true) || scan->at - begin > 18 || !ends(scan))
        return false;
    for (*value = 0; begin < scan->at; begin++)
        *value = *value * 10 + (uint64_t)(*begin - '0');
    return true;
}

/* 1.5, 2.4e-5. */
static bool real(struct scan *scan, double *value) {
    const char *begin = scan->at;
    if (!digits(scan, true) || (literal(scan, ".") && !digits(scan, false)))
        return false;
    if (*scan->at == 'e') {
        scan->at += scan->at[1] == '-' || scan->at[1] == '+' ? 2 : 1;
        if (!digits(scan, false))
            return false;
    }
    *value = strtod(begin, NULL);
    return ends(scan) && isfinite(*value);
}

static bool member(struct scan *scan, void *object, const struct member *member) {
    void *to = (char *)object + member->offset;
    const char *begin;
    size_t n;
    uint64_t value;
    switch (member->kind) {
    case TEXT:
        if (!text(scan, &begin, &n))
            return false;
        memcpy(to, &(char *){xstrndup(begin, n)}, sizeof(char *));
        return true;
    case NUMBER:
        return number(scan, to);
    case INTEGER:
        if (!number(scan, &value) || value > INT32_MAX)
            return false;
        *(int *)to = (int)value;
        return true;
    case REAL:
        return real(scan, to);
    case TRUTH:
        *(bool *)to = *scan->at == 't';
        return literal(scan, *scan->at == 't' ? "true" : "false");
    }
    return false;
}

/* The key of the next member and its colon, after a comma unless it is the first; end: there is no member. */
static bool next_key(struct scan *scan, bool first, const char **key, size_t *n, bool *end) {
    *end = literal(scan, "}");
    return *end || ((first || literal(scan, ",")) && text(scan, key, n) && literal(scan, ":"));
}

/* The member of that name at or after *next, where it is unless some were omitted. *next then follows it. */
static const struct member *find(const struct members *members, const char *key, size_t n, size_t *next) {
    for (size_t i = *next; i < members->count; i++)
        if (strncmp(members->items[i].key, key, n) == 0 && members->items[i].key[n] == '\0') {
            *next = i + 1;
            return &members->items[i];
        }
    return NULL;
}

static bool is(const char *key, size_t n, const char *name) {
    return strlen(name) == n && memcmp(key, name, n) == 0;
}

/* {"SDP":16,...} of named clients. */
static bool beats(struct scan *scan, uint64_t *numbers, bool write) {
    const char *key;
    size_t n;
    bool end, first = true;
    if (!literal(scan, "{"))
        return false;
    for (; next_key(scan, first, &key, &n, &end); first = false) {
        int client = 0;
        if (end)
            return true;
        while (client < NVDLA_CLIENT_COUNT &&
               (nvdla_clients[client].write != write || !is(key, n, nvdla_clients[client].name)))
            client++;
        if (client == NVDLA_CLIENT_COUNT || !number(scan, &numbers[nvdla_clients[client].id]))
            return false;
    }
    return false;
}

static bool device(struct scan *scan, struct result_device *device) {
    const char *key;
    size_t n, next = 0;
    bool end, first = true;
    if (!literal(scan, "{"))
        return false;
    for (; next_key(scan, first, &key, &n, &end); first = false) {
        const struct member *found = end ? NULL : find(&result_device_members, key, n, &next);
        if (end)
            return true;
        if (found                      ? !member(scan, device, found)
            : is(key, n, "read_beats") ? !beats(scan, device->read_beats, false)
                                       : !is(key, n, "write_beats") || !beats(scan, device->write_beats, true))
            return false;
    }
    return false;
}

static bool devices(struct scan *scan, struct result *result) {
    if (!literal(scan, "["))
        return false;
    while (result->device_count < RESULT_DEVICES && device(scan, &result->devices[result->device_count++]))
        if (!literal(scan, ","))
            return literal(scan, "]");
    return false;
}

static bool faults(struct scan *scan, struct result *result) {
    uint64_t value;
    if (!literal(scan, "["))
        return false;
    while (number(scan, &value) && value <= UINT32_MAX) {
        result_add_fault(result, (uint32_t)value);
        if (!literal(scan, ","))
            return literal(scan, "]");
    }
    return false;
}

static bool texts(struct scan *scan, struct words *words) {
    const char *begin;
    size_t n;
    if (literal(scan, "[]"))
        return true;
    if (!literal(scan, "["))
        return false;
    while (text(scan, &begin, &n)) {
        words_add(words, "%.*s", (int)n, begin);
        if (!literal(scan, ","))
            return literal(scan, "]");
    }
    return false;
}

/* Members that are in no table. Some numbers of the first device occur again here, as a number. */
static bool other(struct scan *scan, struct result *result, const char *key, size_t n) {
    static const char *const numbers[] = {"cycles", "op_cycles", "checks", "not_compared"};
    const char *begin;
    uint64_t value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(key, n, numbers[i]))
            return number(scan, &value);
    if (is(key, n, "findings"))
        return literal(scan, "[]");
    if (is(key, n, "warnings") || is(key, n, "notes"))
        return texts(scan, key[0] == 'w' ? &result->warnings : &result->notes);
    if (is(key, n, "version"))
        return text(scan, &begin, &n);
    return is(key, n, "devices") ? devices(scan, result) : is(key, n, "faults") && faults(scan, result);
}

static bool members(struct scan *scan, struct result *result) {
    const char *key;
    size_t n, next = 0;
    bool end;
    while (next_key(scan, false, &key, &n, &end)) {
        const struct member *found = end ? NULL : find(&result_head_members, key, n, &next);
        if (end)
            return *scan->at == '\0' && result->config;
        if (found ? !member(scan, result, found) : !other(scan, result, key, n))
            return false;
    }
    return false;
}

bool result_scan(const char *line, struct result *result) {
    struct scan scan = {.at = line};
    *result = (struct result){.verdict = VERDICT_PASS};
    if (literal(&scan, "{\"verdict\":\"PASS\",\"status\":0") && members(&scan, result))
        return true;
    result_free(result);
    return false;
}
