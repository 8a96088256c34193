/* The tables of a result's members. See result_members.h. */
#include "run/result/result_members.h"

#include "run/result/result.h"

#define MEMBER(type, kind, member) {#member, kind, offsetof(struct type, member)}

static const struct member head[] = {
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

static const struct member device[] = {
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

static const struct member mismatch[] = {
    MEMBER(result_mismatch, TEXT, space),    MEMBER(result_mismatch, NUMBER, address),
    MEMBER(result_mismatch, NUMBER, bytes),  MEMBER(result_mismatch, TEXT, unit),
    MEMBER(result_mismatch, TEXT, position), MEMBER(result_mismatch, INTEGER, launch),
    MEMBER(result_mismatch, TEXT, element),  MEMBER(result_mismatch, NUMBER, cycle),
    MEMBER(result_mismatch, TRUTH, golden),
};

static const struct member dissent[] = {
    MEMBER(result_dissent, TEXT, who),      MEMBER(result_dissent, TEXT, certainty),
    MEMBER(result_dissent, TEXT, suspect),  MEMBER(result_dissent, TEXT, suspect_certainty),
    MEMBER(result_dissent, TEXT, position), MEMBER(result_dissent, TEXT, sentence),
};

static const struct member finding[] = {
    MEMBER(result_finding, TEXT, device),   MEMBER(result_finding, TEXT, rule), MEMBER(result_finding, NUMBER, cycle),
    MEMBER(result_finding, TEXT, text),     MEMBER(result_finding, TEXT, unit), MEMBER(result_finding, INTEGER, launch),
    MEMBER(result_finding, TEXT, instance),
};

#define TABLE(table) {.items = table, .count = sizeof(table) / sizeof *(table)}

const struct members result_head_members = TABLE(head), result_device_members = TABLE(device),
                     result_mismatch_members = TABLE(mismatch), result_dissent_members = TABLE(dissent),
                     result_finding_members = TABLE(finding);
