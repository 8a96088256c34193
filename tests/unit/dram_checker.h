/* Checks the commands of a DRAM against JEDEC's rules: which commands a bank allows, and least distances between two
 * commands. It is written from the rules alone: it keeps all commands of the recent past and compares each new one with
 * every one of them, so it shares nothing with the scheduler. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "dram/dram.h"

enum { CHECKER_PAST = 4096, CHECKER_BANKS = 4 * 8 * 16 };

struct dram_checker {
    const struct dram_config *config;
    struct {
        struct dram_command past[CHECKER_PAST]; /* ring */
        uint64_t count;
        int64_t open[CHECKER_BANKS]; /* row, -1: closed */
        uint64_t activated[CHECKER_BANKS];
        uint64_t refreshes[DRAM_RANKS];
        struct dram_command refresh[DRAM_RANKS]; /* the last: its distance is far longer than all others */
    } channels[DRAM_CHANNELS];
    uint64_t commands, violations;
    char first[200]; /* what was wrong first */
};

static inline void checker_init(struct dram_checker *checker, const struct dram_config *config) {
    memset(checker, 0, sizeof *checker);
    checker->config = config;
    for (int c = 0; c < DRAM_CHANNELS; c++)
        for (int b = 0; b < CHECKER_BANKS; b++)
            checker->channels[c].open[b] = -1;
}

static inline void checker_fail(struct dram_checker *checker, const struct dram_command *at, const char *rule) {
    static const char *const names[] = {"ACT", "PRE", "PREA", "READ", "WRITE", "REF"};
    if (checker->violations++ == 0)
        snprintf(checker->first, sizeof checker->first, "%s at clock %llu, bank %u of group %u: %s", names[at->kind],
                 (unsigned long long)at->clock, at->bank, at->group, rule);
}

static inline bool is_column(const struct dram_command *command) {
    return command->kind == DRAM_READ || command->kind == DRAM_WRITE;
}

/* Clock of the first data of a column command. */
static inline uint64_t data_begin(const struct dram_config *config, const struct dram_command *command) {
    return command->clock + (command->kind == DRAM_READ ? config->t.tCL : config->t.tCWL);
}

/* When the bank closes by a command: PRE, PREA, or auto-precharge. UINT64_MAX: it does not. */
static inline uint64_t closes_at(const struct dram_config *config, const struct dram_command *command,
                                 uint64_t activated) {
    const struct dram_timing *t = &config->t;
    uint64_t clock = command->clock;
    if (command->kind == DRAM_PRE || command->kind == DRAM_PREA)
        return clock;
    if (!is_column(command) || !command->closes)
        return UINT64_MAX;
    clock += command->kind == DRAM_READ ? t->tRTP : t->tCWL + config->burst / 2 + t->tWR;
    return clock > activated + t->tRAS ? clock : activated + t->tRAS;
}

/* Least distance from an earlier command to a later one of the same rank. */
static inline uint64_t same_rank(const struct dram_config *config, const struct dram_command *a,
                                 const struct dram_command *b, const char **rule) {
    const struct dram_timing *t = &config->t;
    const uint64_t data = config->burst / 2;
    const bool group = a->group == b->group, bank = group && a->bank == b->bank;
    const bool all = b->kind == DRAM_PREA || b->kind == DRAM_REF;
#define DEMAND(condition, clocks, name)                                                                                \
    if ((condition) && least < (uint64_t)(clocks))                                                                     \
    least = (clocks), *rule = (name)
    uint64_t least = 0;
    if (a->kind == DRAM_REF) {
        DEMAND(b->kind == DRAM_ACT || b->kind == DRAM_REF, t->tRFC, "tRFC");
        return least;
    }
    if (a->kind == DRAM_ACT) {
        DEMAND(b->kind == DRAM_ACT && bank, t->tRC, "tRC");
        DEMAND(b->kind == DRAM_ACT && group, t->tRRD_L, "tRRD_L");
        DEMAND(b->kind == DRAM_ACT, t->tRRD_S, "tRRD_S");
        DEMAND(is_column(b) && bank, t->tRCD, "tRCD");
        DEMAND((b->kind == DRAM_PRE && bank) || b->kind == DRAM_PREA, t->tRAS, "tRAS");
    }
    if (a->kind == DRAM_READ) {
        DEMAND((b->kind == DRAM_PRE && bank) || all, t->tRTP, "tRTP");
        DEMAND(b->kind == DRAM_READ, group ? t->tCCD_L : t->tCCD_S, "tCCD");
        DEMAND(b->kind == DRAM_WRITE, t->tRTW, "read to write");
    }
    if (a->kind == DRAM_WRITE) {
        DEMAND((b->kind == DRAM_PRE && bank) || all, t->tCWL + data + t->tWR, "tWR");
        DEMAND(b->kind == DRAM_WRITE, group ? t->tCCD_L : t->tCCD_S, "tCCD");
        DEMAND(b->kind == DRAM_READ, t->tCWL + data + (group ? t->tWTR_L : t->tWTR_S), "tWTR");
    }
#undef DEMAND
    return least;
}

/* Compares a command with an earlier one of its channel. */
static inline void check_pair(struct dram_checker *checker, const struct dram_command *a, const struct dram_command *b,
                              const uint64_t *activated) {
    const struct dram_config *config = checker->config;
    const char *rule = "";
    const uint32_t busy = a->kind == DRAM_ACT ? config->act_clocks
                          : is_column(a)      ? config->cas_clocks
                                              : config->pre_clocks;
    if (b->clock < a->clock + busy)
        checker_fail(checker, b, "the command bus is busy");
    if (is_column(a) && is_column(b)) {
        const uint64_t gap = a->rank == b->rank ? 0 : config->t.tRTRS;
        const uint64_t x = data_begin(config, a), y = data_begin(config, b), data = config->burst / 2;
        if (y < x + data + gap && x < y + data + gap)
            checker_fail(checker, b, "the data pins are busy");
    }
    if (a->rank != b->rank)
        return;
    if (b->clock < a->clock + same_rank(config, a, b, &rule))
        checker_fail(checker, b, rule);
    if (a->kind == DRAM_REF)
        return;
    const uint64_t closed =
        closes_at(config, a, activated[(a->rank * config->groups + a->group) * config->banks + a->bank]);
    const bool bank = a->kind == DRAM_PREA || (a->group == b->group && a->bank == b->bank);
    if (closed != UINT64_MAX && ((b->kind == DRAM_ACT && bank) || b->kind == DRAM_REF) &&
        b->clock < closed + config->t.tRP)
        checker_fail(checker, b, "tRP");
}

/* What the states of the banks allow, and the four activates. */
static inline void check_state(struct dram_checker *checker, const struct dram_command *command) {
    const struct dram_config *config = checker->config;
    const uint32_t banks = config->groups * config->banks;
    int64_t *open = &checker->channels[command->channel].open[command->rank * banks];
    int64_t *bank = &open[command->group * config->banks + command->bank];
    if (command->kind == DRAM_ACT) {
        if (*bank >= 0)
            checker_fail(checker, command, "the bank is open");
        *bank = command->row;
        checker->channels[command->channel]
            .activated[command->rank * banks + command->group * config->banks + command->bank] = command->clock;
    }
    if (is_column(command) && *bank != command->row)
        checker_fail(checker, command, "its row is not open");
    if (command->kind == DRAM_PRE || (is_column(command) && command->closes))
        *bank = -1;
    for (uint32_t b = 0; b < banks && (command->kind == DRAM_PREA || command->kind == DRAM_REF); b++) {
        if (command->kind == DRAM_REF && open[b] >= 0)
            checker_fail(checker, command, "refresh of an open bank");
        open[b] = -1;
    }
    if (command->kind == DRAM_REF) {
        checker->channels[command->channel].refreshes[command->rank]++;
        checker->channels[command->channel].refresh[command->rank] = *command;
    } else if (config->refresh) /* at most 8 may be put off */
        for (uint32_t r = 0; r < config->ranks; r++)
            if (checker->channels[command->channel].refreshes[r] + 9 < command->clock / config->t.tREFI)
                checker_fail(checker, command, "tREFI");
}

/* For dram_listen(). */
static inline void checker_command(void *context, const struct dram_command *command) {
    struct dram_checker *checker = context;
    const struct dram_timing *t = &checker->config->t;
    const uint64_t window = (uint64_t)t->tRC + t->tFAW + t->tCL + t->tCWL + t->tWR + t->tWTR_L + 64;
    const uint64_t count = checker->channels[command->channel].count++;
    struct dram_command *past = checker->channels[command->channel].past;
    int activates = 0;
    checker->commands++;
    for (uint32_t r = 0; r < DRAM_RANKS; r++)
        if (checker->channels[command->channel].refreshes[r])
            check_pair(checker, &checker->channels[command->channel].refresh[r], command, NULL);
    for (uint64_t i = count; i > 0 && count - i < CHECKER_PAST; i--) {
        const struct dram_command *a = &past[(i - 1) % CHECKER_PAST];
        if (a->clock + window < command->clock)
            break;
        if (a->clock > command->clock)
            checker_fail(checker, command, "time runs backwards");
        if (a->kind != DRAM_REF)
            check_pair(checker, a, command, checker->channels[command->channel].activated);
        if (a->kind == DRAM_ACT && a->rank == command->rank && ++activates == 4 && command->kind == DRAM_ACT &&
            command->clock < a->clock + t->tFAW)
            checker_fail(checker, command, "tFAW");
    }
    check_state(checker, command);
    past[count % CHECKER_PAST] = *command;
}
