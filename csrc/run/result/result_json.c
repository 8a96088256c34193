/* Writes and reads results as JSON. Tables list the members that are plain values, so that both directions agree. */
#include "run/result/result.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"
#include "run/options/options.h"
#include "run/simulators/version.h"

/* The members of a result in the order of its line of JSON. Writer and readers use the same tables. */
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

#define MEMBER(type, kind, member) {#member, kind, offsetof(struct type, member)}

static const struct member of_result[] = {
    MEMBER(result, TEXT, trace),
    MEMBER(result, TEXT, path),
    MEMBER(result, TEXT, config),
    MEMBER(result, TEXT, dut),
    MEMBER(result, NUMBER, seed),
    /* verdict and status come here, see result_json() */
    MEMBER(result, TEXT, reason),
    MEMBER(result, TEXT, sign),
    MEMBER(result, TEXT, limit),
    MEMBER(result, TRUTH, compared),
    MEMBER(result, INTEGER, exit_status),
    MEMBER(result, REAL, seconds),
    MEMBER(result, REAL, cpu_seconds),
    MEMBER(result, NUMBER, memory_peak),
    MEMBER(result, NUMBER, operations),
    MEMBER(result, NUMBER, launches),
    MEMBER(result, NUMBER, layers),
    MEMBER(result, NUMBER, macs),
    MEMBER(result, REAL, load_seconds),
    MEMBER(result, REAL, rtl_seconds),
    MEMBER(result, REAL, model_seconds),
    MEMBER(result, REAL, compare_seconds),
    MEMBER(result, NUMBER, warnings_dropped),
    MEMBER(result, TEXT, report),
    MEMBER(result, TEXT, page),
    MEMBER(result, TEXT, histogram),
    MEMBER(result, TEXT, coverage),
    MEMBER(result, TEXT, command),
    MEMBER(result, TEXT, wave_command),
    MEMBER(result, TEXT, debug_command),
    MEMBER(result, TEXT, output),
};

static const struct member of_device[] = {
    MEMBER(result_device, TEXT, name),           MEMBER(result_device, TEXT, outcome),
    MEMBER(result_device, TEXT, details),        MEMBER(result_device, NUMBER, checks),
    MEMBER(result_device, TEXT, engine),         MEMBER(result_device, NUMBER, stopped),
    MEMBER(result_device, NUMBER, not_compared), MEMBER(result_device, NUMBER, volatile_mismatches),
    MEMBER(result_device, NUMBER, interrupts),   MEMBER(result_device, NUMBER, failures),
    MEMBER(result_device, NUMBER, findings),     MEMBER(result_device, TRUTH, clocked),
    MEMBER(result_device, NUMBER, cycles),       MEMBER(result_device, NUMBER, op_cycles),
    MEMBER(result_device, NUMBER, outside),      MEMBER(result_device, NUMBER, vpi_calls),
    MEMBER(result_device, NUMBER, quiet_cycles), MEMBER(result_device, NUMBER, most_vpi_per_cycle),
    MEMBER(result_device, NUMBER, wave_cycles),  MEMBER(result_device, REAL, cpu_seconds),
    MEMBER(result_device, REAL, eval_share),     MEMBER(result_device, NUMBER, table_hits),
    MEMBER(result_device, NUMBER, table_builds), MEMBER(result_device, NUMBER, op_start),
    MEMBER(result_device, TEXT, memory),
};

static const struct member of_mismatch[] = {
    MEMBER(result_mismatch, TEXT, space),    MEMBER(result_mismatch, NUMBER, address),
    MEMBER(result_mismatch, NUMBER, bytes),  MEMBER(result_mismatch, TEXT, unit),
    MEMBER(result_mismatch, TEXT, position), MEMBER(result_mismatch, INTEGER, launch),
    MEMBER(result_mismatch, TEXT, element),  MEMBER(result_mismatch, NUMBER, cycle),
    MEMBER(result_mismatch, TRUTH, golden),
};

static const struct member of_dissent[] = {
    MEMBER(result_dissent, TEXT, who),      MEMBER(result_dissent, TEXT, certainty),
    MEMBER(result_dissent, TEXT, suspect),  MEMBER(result_dissent, TEXT, suspect_certainty),
    MEMBER(result_dissent, TEXT, position), MEMBER(result_dissent, TEXT, sentence),
};

static const struct member of_finding[] = {
    MEMBER(result_finding, TEXT, device),   MEMBER(result_finding, TEXT, rule), MEMBER(result_finding, NUMBER, cycle),
    MEMBER(result_finding, TEXT, text),     MEMBER(result_finding, TEXT, unit), MEMBER(result_finding, INTEGER, launch),
    MEMBER(result_finding, TEXT, instance),
};

#define TABLE(table) {.items = table, .count = sizeof(table) / sizeof *(table)}

/* Members of the result itself (without verdict and status, and those after `output`), of a device (without its beats),
 * of its mismatch, of who disagrees, and of a finding. */
static const struct members result_head_members = TABLE(of_result), result_device_members = TABLE(of_device),
                            result_mismatch_members = TABLE(of_mismatch), result_dissent_members = TABLE(of_dissent),
                            result_finding_members = TABLE(of_finding);

const char *const verdict_names[VERDICT_COUNT] = {"PASS", "FAIL", "HANG", "REFUSED", "CRASH", "ERROR"};

int verdict_find(const char *name) {
    for (int i = 0; name && i < VERDICT_COUNT; i++)
        if (strcmp(name, verdict_names[i]) == 0)
            return i;
    return -1;
}

int verdict_status(enum verdict verdict) {
    static const int statuses[VERDICT_COUNT] = {
        [VERDICT_PASS] = EXIT_OK,           [VERDICT_FAIL] = EXIT_DIFFERENT, [VERDICT_HANG] = EXIT_HUNG,
        [VERDICT_REFUSED] = EXIT_BAD_INPUT, [VERDICT_CRASH] = EXIT_CRASHED,  [VERDICT_ERROR] = EXIT_BAD_INPUT,
    };
    return statuses[verdict];
}

/* ---- out ---- */

static json_t *json_member(const void *object, const struct member *member) {
    const void *at = (const char *)object + member->offset;
    const char *text;
    switch (member->kind) {
    case TEXT:
        memcpy(&text, at, sizeof text);
        return text ? json_text(text) : NULL;
    case NUMBER:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case INTEGER:
        return json_integer(*(const int *)at);
    case REAL:
        return json_real(*(const double *)at);
    case TRUTH:
        return json_boolean(*(const bool *)at);
    }
    return NULL;
}

/* NULL texts are omitted. */
static json_t *put(json_t *json, const void *object, const struct members *members) {
    for (size_t i = 0; i < members->count; i++) {
        json_t *value = json_member(object, &members->items[i]);
        if (value)
            json_object_set_new(json, members->items[i].key, value);
    }
    return json;
}

static json_t *json_words(const struct words *words) {
    json_t *json = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(json, json_text(words->items[i]));
    return json;
}

static json_t *json_beats(const uint64_t *beats, bool write) {
    json_t *json = json_object();
    for (int id = 0; id < AXI_IDS; id++)
        if (beats[id] > 0)
            json_object_set_new(json, nvdla_client_name(id, write), json_integer((json_int_t)beats[id]));
    return json;
}

static json_t *json_device(const struct result_device *device) {
    json_t *json = put(json_object(), device, &result_device_members);
    json_object_set_new(json, "read_beats", json_beats(device->read_beats, false));
    json_object_set_new(json, "write_beats", json_beats(device->write_beats, true));
    return json;
}

static json_t *json_faults(const struct result *result) {
    json_t *json = json_array();
    for (size_t i = 0; i < result->fault_count; i++)
        json_array_append_new(json, json_integer(result->faults[i]));
    return json;
}

static json_t *json_named(const struct named_launches *named) {
    json_t *json = json_array();
    for (size_t i = 0; i < named->count; i++)
        json_array_append_new(json, json_pack("{s:s, s:i, s:I}", "unit", nvdla_unit_names[named->items[i].launch.unit],
                                              "launch", (int)named->items[i].launch.ordinal, "at",
                                              (json_int_t)named->items[i].at));
    return json;
}

static char *line_of(const json_t *json) {
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9));
    return text ? text : xstrdup("{}");
}

/* The JSON that the result was read from, updated. */
static char *same_again(const struct result *result) {
    json_t *json = result->same;
    json_object_set_new(json, "exit_status", json_integer(result->exit_status));
    json_object_set_new(json, "seconds", json_real(result->seconds));
    json_object_set_new(json, "cpu_seconds", json_real(result->cpu_seconds));
    json_object_set_new(json, "memory_peak", json_integer((json_int_t)result->memory_peak));
    if (result->command)
        json_object_set_new(json, "command", json_text(result->command));
    if (!result->coverage)
        json_object_del(json, "coverage");
    return line_of(json);
}

char *result_json(const struct result *result) {
    if (result->same)
        return same_again(result);
    json_t *json = json_object(), *devices = json_array(), *findings = json_array();
    const struct result_device *first = &result->devices[0];
    json_object_set_new(json, "verdict", json_string(verdict_names[result->verdict]));
    json_object_set_new(json, "status", json_integer(verdict_status(result->verdict)));
    put(json, result, &result_head_members);
    if (result->named.count > 0)
        json_object_set_new(json, "named", json_named(&result->named));
    json_object_set_new(json, "cycles", json_integer((json_int_t)first->cycles));
    json_object_set_new(json, "op_cycles", json_integer((json_int_t)first->op_cycles));
    json_object_set_new(json, "checks", json_integer((json_int_t)first->checks));
    json_object_set_new(json, "not_compared", json_integer((json_int_t)first->not_compared));
    if (result->mismatch.space)
        json_object_set_new(json, "mismatch", put(json_object(), &result->mismatch, &result_mismatch_members));
    if (result->disagrees.who)
        json_object_set_new(json, "disagrees", put(json_object(), &result->disagrees, &result_dissent_members));
    for (size_t i = 0; i < result->finding_count; i++)
        json_array_append_new(findings, put(json_object(), &result->findings[i], &result_finding_members));
    json_object_set_new(json, "findings", findings);
    json_object_set_new(json, "warnings", json_words(&result->warnings));
    json_object_set_new(json, "notes", json_words(&result->notes));
    for (int i = 0; i < result->device_count; i++)
        json_array_append_new(devices, json_device(&result->devices[i]));
    json_object_set_new(json, "devices", devices);
    if (result->fault_count > 0)
        json_object_set_new(json, "faults", json_faults(result));
    json_object_set_new(json, "version", json_string(nvcosim_version()));
    char *text = line_of(json);
    json_decref(json);
    return text;
}

/* ---- in ---- */

static void take_member(void *object, const struct member *member, const json_t *value) {
    void *at = (char *)object + member->offset;
    const char *text = json_string_value(value);
    switch (member->kind) {
    case TEXT:
        memcpy(at, &(char *){text ? xstrdup(text) : NULL}, sizeof(char *));
        break;
    case NUMBER:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        break;
    case INTEGER:
        *(int *)at = (int)json_integer_value(value);
        break;
    case REAL:
        *(double *)at = json_number_value(value);
        break;
    case TRUTH:
        *(bool *)at = json_is_true(value);
        break;
    }
}

static void take(void *object, const struct members *members, const json_t *json) {
    for (size_t i = 0; i < members->count; i++)
        take_member(object, &members->items[i], json_object_get(json, members->items[i].key));
}

static void take_words(struct words *words, const json_t *json) {
    for (size_t i = 0; i < json_array_size(json); i++) {
        const char *text = json_string_value(json_array_get(json, i));
        words_add(words, "%s", text ? text : "");
    }
}

static void take_beats(uint64_t *beats, bool write, const json_t *json) {
    for (int id = 0; id < AXI_IDS; id++)
        beats[id] = (uint64_t)json_integer_value(json_object_get(json, nvdla_client_name(id, write)));
}

static void take_named(struct named_launches *named, const json_t *json) {
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *launch = json_array_get(json, i);
        const char *name = json_string_value(json_object_get(launch, "unit"));
        const enum nvdla_unit unit = name ? nvdla_unit_find(name) : NVDLA_UNIT_COUNT;
        if (unit != NVDLA_UNIT_COUNT)
            named_add(named, (int)unit, (int)json_integer_value(json_object_get(launch, "launch")),
                      (size_t)json_integer_value(json_object_get(launch, "at")));
    }
}

bool result_read(const json_t *json, struct result *result) {
    const json_t *faults = json_object_get(json, "faults");
    const int verdict = verdict_find(json_string_value(json_object_get(json, "verdict")));
    const json_t *devices = json_object_get(json, "devices"), *findings = json_object_get(json, "findings");
    *result = (struct result){.verdict = verdict < 0 ? VERDICT_COUNT : (enum verdict)verdict};
    if (verdict < 0 || !json_is_string(json_object_get(json, "config")))
        return false;
    take(result, &result_head_members, json);
    take_named(&result->named, json_object_get(json, "named"));
    take(&result->mismatch, &result_mismatch_members, json_object_get(json, "mismatch"));
    take(&result->disagrees, &result_dissent_members, json_object_get(json, "disagrees"));
    take_words(&result->warnings, json_object_get(json, "warnings"));
    take_words(&result->notes, json_object_get(json, "notes"));
    for (size_t i = 0; i < json_array_size(findings); i++)
        take(xadd(result->findings, result->finding_count), &result_finding_members, json_array_get(findings, i));
    for (size_t i = 0; i < json_array_size(faults); i++)
        result_add_fault(result, (uint32_t)json_integer_value(json_array_get(faults, i)));
    for (size_t i = 0; i < json_array_size(devices) && i < RESULT_DEVICES; i++) {
        struct result_device *device = &result->devices[result->device_count++];
        const json_t *from = json_array_get(devices, i);
        take(device, &result_device_members, from);
        take_beats(device->read_beats, false, json_object_get(from, "read_beats"));
        take_beats(device->write_beats, true, json_object_get(from, "write_beats"));
    }
    return true;
}

bool result_parse(const char *line, struct result *result) {
    json_t *json = json_loads(line, 0, NULL);
    const bool well = result_read(json, result);
    json_decref(json);
    return well;
}

/* ---- life ---- */

static void drop(void *object, const struct members *members) {
    for (size_t i = 0; i < members->count; i++) {
        autofree char *text = NULL;
        if (members->items[i].kind == TEXT)
            memcpy(&text, (char *)object + members->items[i].offset, sizeof text);
    }
}

void result_free(struct result *result) {
    drop(result, &result_head_members);
    drop(&result->mismatch, &result_mismatch_members);
    drop(&result->disagrees, &result_dissent_members);
    for (size_t i = 0; i < result->finding_count; i++)
        drop(&result->findings[i], &result_finding_members);
    free(result->findings);
    for (int i = 0; i < result->device_count; i++)
        drop(&result->devices[i], &result_device_members);
    free(result->faults);
    json_decref(result->same);
    words_free(&result->warnings);
    words_free(&result->notes);
    *result = (struct result){.verdict = VERDICT_ERROR};
}

void result_add_finding(struct result *result, const char *device, const struct finding *finding) {
    *xadd(result->findings, result->finding_count) =
        (struct result_finding){.device = xstrdup(device),
                                .rule = xstrdup(finding->rule),
                                .text = xstrdup(finding->text),
                                .cycle = finding->cycle,
                                .unit = finding->owner.unit < 0 ? NULL : xstrdup(nvdla_unit_names[finding->owner.unit]),
                                .instance = finding->instance ? xstrdup(finding->instance) : NULL,
                                .launch = finding->owner.unit < 0 ? -1 : finding->owner.ordinal};
}

void result_add_fault(struct result *result, uint32_t fault) {
    *xadd(result->faults, result->fault_count) = fault;
}

/* ---- the ledger ---- */

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
