/* When rules of legal programming are checked, and the effect of a broken one. See checker.h. */
#include "model/checker.h"

#include <stdio.h>

#include "model/pdp.h"
#include "model/sdp_layer.h"
#include "nvdla_offsets.h"

/* Reads that take longer than the first data to CMAC: measured are 10, and legal programs have none. */
enum { LATE_READS = 5 };

void checker_init(struct checker *checker, struct device *dev, const struct register_group *units,
                  bool allow_undefined) {
    *checker = (struct checker){.dev = dev, .units = units, .allow_undefined = allow_undefined};
    checker_reset(checker);
}

void checker_reset(struct checker *checker) {
    for (size_t i = 0; i < RULE_SETS; i++)
        checker->checked[i] = -1;
    for (size_t unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        checker->dropped[unit] = checker->spoilt[unit] = -1;
    checker->reads = 0;
    checker->passed = 0;
    checker->surplus = checker->untaken = -1;
    checker->sdp = checker->cdp = (struct checker_table){.selected = false};
}

/* ---- reports ---- */

/* A launch being checked, and where refusals go. */
struct launch_check {
    struct checker *checker;
    enum nvdla_unit unit;
    int ordinal;
    struct error *err;
    bool refused;
};

static void apply(void *context, bool spoils, struct device_warning *warning) {
    struct launch_check *check = context;
    if (check->refused)
        return; /* the first reason is enough */
    if (spoils)
        check->checker->spoilt[check->unit] = check->ordinal;
    warning->unit = check->unit;
    warning->ordinal += check->ordinal;
    if (warning->effect != RULE_REFUSED || check->checker->allow_undefined) {
        device_warn(check->checker->dev, warning);
        return;
    }
    device_warning_word(check->checker->dev->config, warning);
    check->refused = !error_refuse(check->err, (int)check->unit, check->ordinal, "%s", warning->text);
}

/* A rule about the write of `value` to a register. */
static void apply_to_write(struct launch_check *check, enum rule_effect effect, uint32_t offset, uint32_t value,
                           const char *rule, const char *section) {
    const uint32_t address = nvdla_unit_base(check->checker->dev->config, check->unit) + offset;
    struct device_warning warning = {
        .effect = effect, .section = section, .registers = {{address, value, false}}, .register_count = 1};
    snprintf(warning.rule, sizeof warning.rule, "%s", rule);
    apply(check, false, &warning);
}

static bool exists(const struct checker *checker, enum nvdla_unit unit) {
    return checker->dev->units >> unit & 1;
}

static bool running(const struct checker *checker, enum nvdla_unit unit) {
    return exists(checker, unit) && register_group_running(&checker->units[unit]);
}

/* ---- sets of rules ---- */

/* The launches whose registers a set of rules is about, and what is known about earlier ones. */
struct launches {
    unsigned group[NVDLA_UNIT_COUNT];
    struct registers_view view, before;
};

/* Adds all units in their groups, and their previous launches whose registers are still in the other groups. */
static void look(const struct checker *checker, struct launches *launches) {
    launches->view = launches->before = (struct registers_view){.config = checker->dev->config};
    launches->view.before = &launches->before;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const struct register_group *regs = &checker->units[unit];
        unsigned group = launches->group[unit];
        if (!exists(checker, unit))
            continue;
        launches->view.units[unit] = register_group_words(regs, group);
        if (regs->ordinal[group] > 0 && regs->ordinal[!group] == regs->ordinal[group] - 1)
            launches->before.units[unit] = register_group_words(regs, !group);
    }
}

static bool check_set(struct checker *checker, size_t index, const struct launches *launches, struct error *err) {
    const struct rule_set *set = rule_sets[index];
    enum nvdla_unit leader = set->units[0];
    struct launch_check check = {checker, leader, checker->units[leader].ordinal[launches->group[leader]], err, false};
    checker->checked[index] = check.ordinal;
    rules_check(set, &launches->view, apply, &check);
    return !check.refused;
}

/* Finds the launches of this ordinal. Returns false if one has not been armed yet, or its registers have changed
 * since. */
static bool find_launches(const struct checker *checker, const struct rule_set *set, int ordinal,
                          struct launches *launches) {
    *launches = (struct launches){.group = {0}};
    for (size_t i = 0; i < set->unit_count; i++) {
        const struct register_group *unit = &checker->units[set->units[i]];
        if (!exists(checker, set->units[i]) || (unit->ordinal[0] != ordinal && unit->ordinal[1] != ordinal))
            return false;
        launches->group[set->units[i]] = unit->ordinal[0] == ordinal ? 0 : 1;
    }
    look(checker, launches);
    return true;
}

/* The launches in the groups CONSUMER. */
static void find_running(const struct checker *checker, struct launches *launches) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        launches->group[unit] = checker->units[unit].consumer;
    look(checker, launches);
}

static bool has_unit(const struct rule_set *set, enum nvdla_unit unit) {
    for (size_t i = 0; i < set->unit_count; i++)
        if (set->units[i] == unit)
            return true;
    return false;
}

/* Whether the running layer of CSC finds data and weights in CBUF, so that CDMA fetches nothing. */
static bool all_is_kept(const struct register_group *csc) {
    const uint32_t reuse = CSC_D_MISC_CFG__DATA_REUSE_MASK | CSC_D_MISC_CFG__WEIGHT_REUSE_MASK;
    const uint32_t kept = CSC_D_MISC_CFG__SKIP_DATA_RLS_MASK | CSC_D_MISC_CFG__SKIP_WEIGHT_RLS_MASK;
    const unsigned now = csc->consumer, before = !now;
    return csc->ordinal[before] >= 0 && csc->ordinal[before] == csc->ordinal[now] - 1 &&
           (register_group_of(csc, now, CSC_D_MISC_CFG) & reuse) == reuse &&
           (register_group_of(csc, before, CSC_D_MISC_CFG) & kept) == kept;
}

void checker_waited(struct checker *checker) {
    const struct register_group *csc = &checker->units[NVDLA_CSC];
    if (!running(checker, NVDLA_CSC))
        return;
    const int layer = register_group_ordinal(csc);
    if (checker->units[NVDLA_CDMA].launches > layer || all_is_kept(csc))
        checker->passed = layer + 1;
}

void checker_read(struct checker *checker) {
    if (++checker->reads == LATE_READS)
        checker_waited(checker);
}

/* A launch behind one whose rest spoils it. */
static bool check_spoilt(struct checker *checker, enum nvdla_unit unit, int ordinal, struct error *err) {
    if (checker->spoilt[unit] < 0 || ordinal <= checker->spoilt[unit])
        return true;
    struct launch_check check = {checker, unit, ordinal, err, false};
    checker->spoilt[unit] = -1; /* reported once */
    apply_to_write(&check, RULE_REFUSED, (uint32_t)checker->units[unit].first_d * 4, 1,
                   "the layer before leaves a rest in the unit, with which this one hangs or is wrong",
                   "99-illegal-programming, table");
    return !check.refused;
}

bool checker_launched(struct checker *checker, enum nvdla_unit unit, struct error *err) {
    const struct register_group *regs = &checker->units[unit];
    int ordinal = regs->ordinal[regs->producer];
    if (unit == NVDLA_CDMA || unit == NVDLA_CSC)
        checker->reads = 0;
    if (!check_spoilt(checker, unit, ordinal, err))
        return false;
    if ((unit == NVDLA_CMAC_A || unit == NVDLA_CMAC_B || unit == NVDLA_CACC) && ordinal < checker->passed) {
        struct launch_check check = {checker, unit, ordinal, err, false};
        apply_to_write(&check, RULE_REFUSED, CMAC_A_D_OP_ENABLE, 1,
                       "armed after a wait, or reads of registers, at which CDMA and CSC of its layer were armed: if "
                       "the data has passed by then, the layer hangs or is wrong",
                       "99-illegal-programming section 4");
        if (check.refused)
            return false;
    }
    for (size_t i = 0; i < RULE_SETS; i++) {
        struct launches launches;
        if (rule_sets[i]->moment == RULES_AT_LAUNCH && has_unit(rule_sets[i], unit) &&
            find_launches(checker, rule_sets[i], ordinal, &launches) && !check_set(checker, i, &launches, err))
            return false;
    }
    return true;
}

static bool all_running(const struct checker *checker, const struct rule_set *set) {
    for (size_t i = 0; i < set->unit_count; i++)
        if (!running(checker, set->units[i]))
            return false;
    return true;
}

/* Warns of a table that the layer uses although not all of its entries have been written. */
static void check_loaded(struct checker *checker, enum nvdla_unit unit) {
    const struct checker_table *table = unit == NVDLA_SDP ? &checker->sdp : &checker->cdp;
    size_t missing = 0;
    for (size_t i = 0; i < LUT_LE_ENTRIES + LUT_LO_ENTRIES; i++)
        missing += !table->loaded[i];
    if (missing > 0) {
        struct device_warning warning = {.unit = unit,
                                         .ordinal = register_group_ordinal(&checker->units[unit]),
                                         .effect = RULE_WARNS,
                                         .section = "55-lut section 2"};
        snprintf(warning.rule, sizeof warning.rule,
                 "%zu entries of the look-up table have not been written since reset: the hardware's are undefined, "
                 "here they are 0",
                 missing);
        device_warn(checker->dev, &warning);
    }
}

/* A convolution after one that delivered more than SDP took. */
static bool check_surplus(struct checker *checker, struct error *err) {
    const int layer = running(checker, NVDLA_CSC) ? register_group_ordinal(&checker->units[NVDLA_CSC]) : -1;
    if (checker->surplus < 0 || layer <= checker->surplus || !running(checker, NVDLA_SDP))
        return true;
    struct launch_check check = {checker, NVDLA_CSC, layer, err, false};
    checker->surplus = -1; /* reported once */
    apply_to_write(&check, RULE_REFUSED, CSC_D_OP_ENABLE, 1,
                   "the previous convolution left results that SDP did not take: this one begins with them",
                   "99-illegal-programming section 1");
    return !check.refused;
}

/* SDP_RDMA may also be armed early, for a later layer: whether it was is known at the end. */
static void look_for_untaken(struct checker *checker) {
    if (checker->untaken >= 0 || !running(checker, NVDLA_SDP) || !running(checker, NVDLA_SDP_RDMA))
        return;
    struct launches launches;
    struct sdp_layer layer;
    find_running(checker, &launches);
    sdp_layer_decode(&layer, &launches.view);
    if (!layer.uses_rdma && sdp_rdma_busy(&launches.view))
        checker->untaken = register_group_ordinal(&checker->units[NVDLA_SDP_RDMA]);
}

void checker_played(struct checker *checker) {
    if (checker->untaken < 0 || running(checker, NVDLA_SDP) || !running(checker, NVDLA_SDP_RDMA))
        return;
    struct launch_check check = {checker, NVDLA_SDP_RDMA, checker->untaken, NULL, false};
    apply_to_write(&check, RULE_WARNS, SDP_RDMA_D_OP_ENABLE, 1,
                   "armed for a layer of SDP that takes nothing from it: SDP_RDMA stays RUNNING, and the next layer of "
                   "SDP that takes from it is wrong",
                   "99-illegal-programming section 4");
}

bool checker_started(struct checker *checker, struct error *err) {
    if (!check_surplus(checker, err))
        return false;
    look_for_untaken(checker);
    for (size_t i = 0; i < RULE_SETS; i++) {
        const struct rule_set *set = rule_sets[i];
        if (set->moment != RULES_AT_START || !all_running(checker, set) ||
            checker->checked[i] == register_group_ordinal(&checker->units[set->units[0]]))
            continue;
        struct launches launches;
        find_running(checker, &launches);
        if (set->applies && !set->applies(&launches.view))
            continue;
        if (!check_set(checker, i, &launches, err))
            return false;
        if (set == rules_of_sdp_table || set == rules_of_cdp_table)
            check_loaded(checker, set->units[0]);
    }
    return true;
}

/* ---- writes ---- */

void checker_dropped(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    const struct register_group *regs = &checker->units[unit];
    int ordinal = regs->ordinal[regs->producer];
    uint32_t enable = (uint32_t)regs->first_d * 4;
    bool changes = offset == enable || register_group_of(regs, regs->producer, offset) != value;
    if (changes && checker->dropped[unit] != ordinal) {
        struct launch_check check = {checker, unit, ordinal, NULL, false};
        checker->dropped[unit] = ordinal;
        apply_to_write(&check, RULE_WARNS, offset, value,
                       "dropped, and so is all that is written to this group while it is armed", "10-system section 6");
    }
}

/* The layer that SDP is to run, by the registers of groups CONSUMER. */
static struct sdp_layer sdp_layer_of(const struct checker *checker) {
    struct launches launches;
    struct sdp_layer layer;
    find_running(checker, &launches);
    sdp_layer_decode(&layer, &launches.view);
    return layer;
}

static bool pdp_flies(const struct checker *checker) {
    struct launches launches;
    struct pdp_layer layer;
    find_running(checker, &launches);
    pdp_layer_decode(&layer, &launches.view);
    return !layer.from_memory;
}

/* True if a layer that uses the table is complete: the hardware is running it. */
static bool table_in_use(const struct checker *checker, enum nvdla_unit unit) {
    if (unit == NVDLA_CDP)
        return running(checker, NVDLA_CDP) && running(checker, NVDLA_CDP_RDMA);
    if (!running(checker, NVDLA_SDP))
        return false;
    struct sdp_layer layer = sdp_layer_of(checker);
    return layer.table && (!layer.uses_rdma || running(checker, NVDLA_SDP_RDMA)) &&
           (!layer.shape.flying || (running(checker, NVDLA_CSC) && running(checker, NVDLA_CMAC_A) &&
                                    running(checker, NVDLA_CMAC_B) && running(checker, NVDLA_CACC))) &&
           (!layer.to_pdp || running(checker, NVDLA_PDP));
}

/* The access ports have the same layouts in both units. */
bool checker_table_write(struct checker *checker, enum nvdla_unit unit, uint32_t offset, uint32_t value,
                         unsigned address, struct error *err) {
    const struct register_group *regs = &checker->units[unit];
    struct checker_table *table = unit == NVDLA_SDP ? &checker->sdp : &checker->cdp;
    uint32_t cfg = offset == SDP_S_LUT_ACCESS_CFG ? value : register_group_value(regs, SDP_S_LUT_ACCESS_CFG);
    bool lo = REGISTER_FIELD(cfg, SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID);
    bool writes = REGISTER_FIELD(cfg, SDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE);
    unsigned entries = lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES;
    struct launch_check check = {checker, unit, regs->launches, err, false};
    if (offset == SDP_S_LUT_ACCESS_CFG) {
        table->selected = true;
        if (REGISTER_FIELD(cfg, SDP_S_LUT_ACCESS_CFG__LUT_ADDR) >= entries) {
            apply_to_write(
                &check, RULE_WARNS, offset, value,
                "the table has no such entry: SDP drops what is written there, CDP continues at its last entry",
                "55-lut section 3");
        }
        return true;
    }
    bool changes = offset == SDP_S_LUT_ACCESS_DATA ? writes : register_group_value(regs, offset) != value;
    if (changes && table_in_use(checker, unit)) {
        apply_to_write(&check, RULE_REFUSED, offset, value,
                       "written while a layer uses the table, which sees a mixture", "55-lut section 3.3");
        return !check.refused;
    }
    if (offset == SDP_S_LUT_ACCESS_DATA && writes && address < entries)
        table->loaded[lo ? LUT_LE_ENTRIES + address : address] = true;
    if (offset == SDP_S_LUT_ACCESS_DATA && unit == NVDLA_SDP && !table->selected) {
        table->selected = true; /* reported once */
        apply_to_write(&check, RULE_WARNS, offset, value,
                       "accessed without S_LUT_ACCESS_CFG since reset or the last layer: the hardware's table has no "
                       "clock then and can lose the write",
                       "55-lut section 3.1");
    }
    return true;
}

/* ---- BDMA ---- */

/* Reads run ahead of writes: the source of a copy may be read before an earlier copy of the same group has written
 * it. */
static bool group_reads_what_it_writes(const struct bdma_batch *batch) {
    for (size_t j = 0; j < batch->count; j++) {
        struct extent source = bdma_extent(&batch->descriptors[j], &batch->descriptors[j].source);
        for (size_t i = 0; i <= j; i++) {
            struct extent destination = bdma_extent(&batch->descriptors[i], &batch->descriptors[i].destination);
            if (extents_overlap(&destination, &source))
                return true;
        }
    }
    return false;
}

static bool group_writes_both_memories(const struct bdma_batch *batch) {
    for (size_t i = 1; i < batch->count; i++)
        if (batch->descriptors[i].destination.primary != batch->descriptors[0].destination.primary)
            return true;
    return false;
}

static void check_push(struct launch_check *check, const struct bdma *bdma) {
    struct launches launches = {.group = {0}};
    look(check->checker, &launches);
    rules_check(&rules_of_descriptor, &launches.view, apply, check);
    if (bdma->queue.count == BDMA_DESCRIPTORS) {
        apply_to_write(check, RULE_WARNS, BDMA_CFG_OP, 1,
                       "FREE_SLOT is 0: the descriptor is lost, the last one of the group is carried out once more",
                       "64-bdma section 4");
    }
    if (bdma->waiting) {
        apply_to_write(check, RULE_WARNS, BDMA_CFG_OP, 1,
                       "pushed while a launch waits for the group before it: the descriptor joins that launch",
                       "64-bdma section 5");
    } else if (bdma->busy[0] && bdma->busy[1]) {
        apply_to_write(check, RULE_WARNS, BDMA_CFG_OP, 1, "pushed while both groups are busy", "64-bdma section 8");
    }
}

static void check_launch(struct launch_check *check, const struct bdma *bdma, uint32_t offset) {
    unsigned group = offset == BDMA_CFG_LAUNCH1;
    if (group_reads_what_it_writes(&bdma->queue)) {
        apply_to_write(check, RULE_REFUSED, offset, 1,
                       "the group reads bytes that it writes: its reads run ahead of its writes", "64-bdma section 3");
    }
    if (bdma->queue.count == 0) {
        apply_to_write(check, RULE_WARNS, offset, 1,
                       "launched without descriptors: the group stays busy and raises no interrupt",
                       "64-bdma section 5");
    }
    if (bdma->waiting) {
        apply_to_write(check, RULE_WARNS, offset, 1,
                       "launched while another launch waits: it replaces that launch, whose group stays busy",
                       "64-bdma section 5");
    } else if (bdma->busy[group]) {
        apply_to_write(check, RULE_WARNS, offset, 1,
                       "launched while the group is busy: one of the two interrupts is lost", "64-bdma section 5");
    }
    if (group_writes_both_memories(&bdma->queue)) {
        apply_to_write(check, RULE_WARNS, offset, 1,
                       "the group writes both memories: its interrupt reports only the one it writes last",
                       "64-bdma section 8");
    }
}

bool checker_bdma_write(struct checker *checker, const struct bdma *bdma, uint32_t offset, uint32_t value,
                        struct error *err) {
    struct launch_check check = {checker, NVDLA_BDMA, bdma->launches, err, false};
    if ((value & 1) != 0 && offset == BDMA_CFG_OP)
        check_push(&check, bdma);
    else if ((value & 1) != 0 && (offset == BDMA_CFG_LAUNCH0 || offset == BDMA_CFG_LAUNCH1))
        check_launch(&check, bdma, offset);
    return !check.refused;
}

/* ---- hangs ---- */

/* A unit waits for a unit that is not armed. Without clock gating NVIDIA's RTL does not wait for CMAC and CACC. */
static void waits_for(struct checker *checker, enum nvdla_unit unit, enum nvdla_unit partner) {
    const bool open = partner == NVDLA_CMAC_A || partner == NVDLA_CMAC_B || partner == NVDLA_CACC;
    if (running(checker, unit) && !running(checker, partner)) {
        struct device_warning warning = {.unit = unit,
                                         .ordinal = register_group_ordinal(&checker->units[unit]),
                                         .effect = open ? RULE_REFUSED : RULE_HANGS,
                                         .section = "10-system section 6"};
        snprintf(warning.rule, sizeof warning.rule, "waits for %s, which is not armed in its group CONSUMER",
                 nvdla_unit_names[partner]);
        device_warn(checker->dev, &warning);
    }
}

/* Groups alternate: arming one out of turn is legal, but it waits until the other has been armed and is done. */
static void waits_for_its_turn(struct checker *checker, enum nvdla_unit unit) {
    const struct register_group *regs = &checker->units[unit];
    if (!exists(checker, unit) || regs->op_en[regs->consumer] || !regs->op_en[!regs->consumer])
        return;
    const uint32_t pointer = regs->producer << SDP_S_POINTER__PRODUCER_LSB | regs->consumer
                                                                                 << SDP_S_POINTER__CONSUMER_LSB;
    struct device_warning warning = {
        .unit = unit,
        .ordinal = regs->ordinal[!regs->consumer],
        .effect = RULE_HANGS,
        .registers = {{nvdla_unit_base(checker->dev->config, unit) + SDP_S_POINTER, pointer, false}},
        .register_count = 1,
        .section = "10-system section 6"};
    snprintf(warning.rule, sizeof warning.rule,
             "group %d is armed, but it is the turn of group %u, CONSUMER's, which is not", !regs->consumer,
             regs->consumer);
    device_warn(checker->dev, &warning);
}

void checker_explain(struct checker *checker) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        waits_for_its_turn(checker, unit);
    static const enum nvdla_unit core[] = {NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC};
    for (size_t i = 0; i < sizeof core / sizeof core[0]; i++) {
        waits_for(checker, NVDLA_CSC, core[i]);
        waits_for(checker, core[i], NVDLA_CSC);
    }
    waits_for(checker, NVDLA_CDMA, NVDLA_CSC);
    waits_for(checker, NVDLA_CSC, NVDLA_SDP);
    waits_for(checker, NVDLA_SDP_RDMA, NVDLA_SDP);
    waits_for(checker, NVDLA_CDP_RDMA, NVDLA_CDP);
    waits_for(checker, NVDLA_CDP, NVDLA_CDP_RDMA);
    waits_for(checker, NVDLA_PDP_RDMA, NVDLA_PDP);
    if (running(checker, NVDLA_SDP)) {
        struct sdp_layer layer = sdp_layer_of(checker);
        if (layer.uses_rdma)
            waits_for(checker, NVDLA_SDP, NVDLA_SDP_RDMA);
        if (layer.shape.flying)
            waits_for(checker, NVDLA_SDP, NVDLA_CSC);
        if (layer.to_pdp)
            waits_for(checker, NVDLA_SDP, NVDLA_PDP);
    }
    if (running(checker, NVDLA_PDP))
        waits_for(checker, NVDLA_PDP, pdp_flies(checker) ? NVDLA_SDP : NVDLA_PDP_RDMA);
}
