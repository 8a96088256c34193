/* What the testbench shows of a stopped design (device/waits.h): tb_top's waits if the simulator has them, else the
 * beats on the links in outs; and what each memory port still owes. */
#pragma once

#include "device/waits.h"
#include "tb/axi_memory.h"
#include "tb/signals.h"

enum { LINK_PLANES = 40 };

/* Beats on the links of outs word 0, counted in bit planes: plane p has bit p of all counts, so that a clock costs two
 * operations for each plane that changes, whatever the number of moving links. */
struct link_beats {
    uint32_t planes[LINK_PLANES];
};

/* Counts a clock. links: a bit for each moving link. */
static inline void link_beats_add(struct link_beats *beats, uint32_t links) {
    for (int p = 0; links && p < LINK_PLANES; p++) {
        const uint32_t carry = beats->planes[p] & links;
        beats->planes[p] ^= links;
        links = carry;
    }
}

/* Beats on link i of signal_links since reset. */
uint64_t link_beats_of(const struct link_beats *beats, int i);

/* Clears the counts and names all pairs, states and counters. bursts is freed by the next call, finally by
 * waits_begin(waits, 0). */
void waits_begin(struct device_waits *waits, uint64_t cycle);

/* Stores the words of tb_top's waits, read when waits->cycle was the coming clock. */
void waits_words(struct device_waits *waits, const uint32_t *words);

/* Stores the beats on the links instead. last: clock of the last one on each, 0: none. */
void waits_links(struct device_waits *waits, const struct link_beats *beats, const uint64_t last[SIGNAL_LINKS]);

/* Adds what moved on a memory port, and what it owes. Without waits_words(), the elements that each client moved are
 * counted here; bytes: of the port, atom: of a memory atom. */
void waits_port(struct device_waits *waits, enum memory_space port, const struct axi_memory *memory, int bytes,
                int atom);
