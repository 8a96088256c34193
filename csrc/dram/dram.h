/* A DRAM with its controller: timing only, no data. Each channel chooses among its waiting accesses first-ready,
 * first-come-first-served (FR-FCFS): the oldest access whose row is open and whose command may be issued; otherwise the
 * oldest whose bank can be opened or closed. Reads come before writes until writes fill three quarters of their queue,
 * or no read waits; then writes are drained down to a quarter. Each rank is refreshed every tREFI, with all its banks
 * closed.
 *
 * A write is answered when it is in the queue; a read of a burst that waits to be written is answered from the queue; a
 * write to a burst that waits to be written joins it.
 *
 * All times are clocks of the memory (config.h). Requests and calls must not go back in time. */
#pragma once

#include "dram/config.h"

struct dram;

/* What a channel did for an access: its row was open; its bank was closed; another row was open. */
struct dram_counts {
    uint64_t reads, writes;     /* accesses with a command of their own */
    uint64_t forwarded, joined; /* reads answered from the queue, writes that joined another */
    uint64_t hits, misses, conflicts;
    uint64_t activates, precharges, refreshes;
    uint64_t data_clocks; /* in which the data pins of a channel moved, all channels */
};

enum dram_command_kind { DRAM_ACT, DRAM_PRE, DRAM_PREA, DRAM_READ, DRAM_WRITE, DRAM_REF };

struct dram_command {
    uint64_t clock;
    enum dram_command_kind kind;
    uint32_t channel, rank, group, bank, row, column; /* PREA and REF: channel and rank only */
    bool closes;                                      /* READ, WRITE: with auto-precharge */
    uint32_t tag;                                     /* READ, WRITE */
};

/* Hears every command when it is issued. */
struct dram_listener {
    void (*command)(void *context, const struct dram_command *command);
    void *context;
};

struct dram *dram_new(const struct dram_config *config);
void dram_free(struct dram *dram);
void dram_listen(struct dram *dram, struct dram_listener listener);

/* An access to the burst with that address, at a clock up to which the DRAM has advanced. False if the queue is full:
 * it may be repeated after dram_next(). */
bool dram_request(struct dram *dram, uint64_t clock, uint64_t address, bool write, uint32_t tag);

/* Issues the commands up to and including that clock. */
void dram_advance(struct dram *dram, uint64_t clock);

/* The next clock in which a command can be issued for a waiting access; UINT64_MAX: none waits. */
uint64_t dram_next(const struct dram *dram);

/* The next clock in which anything happens, an answer or a refresh too. */
uint64_t dram_event(const struct dram *dram);

/* Takes the oldest answer that is complete at that clock; its data have been moved. False: there is none. */
bool dram_completion(struct dram *dram, uint64_t clock, uint32_t *tag);

/* The clock of the next answer among those whose command was issued; UINT64_MAX: none. */
uint64_t dram_answer_clock(const struct dram *dram);

const struct dram_counts *dram_counts(const struct dram *dram);
