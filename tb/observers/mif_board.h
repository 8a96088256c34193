/* Scoreboard of the memory interface: compares each atom at an engine's side of the interface with the same atom at the
 * AXI port, client by client in order. A read atom must come from the requested address and reach the engine with the
 * bytes from memory; a written atom must reach the memory at its address with the bytes from the engine. Any difference
 * is caused by the memory interface itself.
 *
 * The board always follows addresses, so that it can start to compare at any clock; bytes only while it compares. Spec:
 * 70-memory-interface sections 3 to 6. */
#pragma once

#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "observe/tap.h"

/* An atom that has passed the interface, with both sides known. */
struct mif_atom {
    uint64_t address, cycle; /* at the engine's side */
    int ordinal;             /* launch, as for the beat at the AXI port */
    const uint8_t *bytes;    /* at the engine's side */
};

struct mif_board;

/* listeners: receive the first difference of each client. */
struct mif_board *mif_board_new(const struct nvdla_config *config, const struct tap_listeners *listeners);
void mif_board_free(struct mif_board *board);

/* Forgets everything in flight, and all differences. */
void mif_board_reset(struct mif_board *board);

/* Starts to compare, or only follows. Atoms in flight are not compared. */
void mif_board_compare(struct mif_board *board, bool on);

/* A request of the client for `atoms` atoms is accepted; the interface drops the low bits of the address. port: 0
 * primary, 1 secondary. ordinal: of its launch; -1: taken from the beats of the port. */
void mif_board_ask(struct mif_board *board, enum nvdla_client client, int port, uint64_t address, int atoms,
                   int ordinal);

/* True if the client's next atom, at its side or at the port, is the first one of a request, or was not requested. In a
 * beat or a word of several atoms, such an atom is always the first. */
bool mif_board_begins(const struct mif_board *board, enum nvdla_client client, bool at_port);

/* True if the client waits for the atom at that address in a beat of read data, or waits for none. `behind`: it follows
 * another one that counted. A beat has whole lines of memory, whatever was requested. *ordinal becomes that of the
 * request, or stays unchanged if it is not known. */
bool mif_board_wants(const struct mif_board *board, enum nvdla_client client, uint64_t address, bool behind,
                     int *ordinal);

/* The client receives an atom (read) or gives one (write). bytes: NULL while nothing is compared. For a read client
 * *atom is the received one; false if it is not known. Atoms of write clients are known when they reach the port
 * (mif_board_axi). */
bool mif_board_atom(struct mif_board *board, enum nvdla_client client, uint64_t cycle, const uint8_t *bytes,
                    struct mif_atom *atom);

/* The same atom at the AXI port. True, with *atom, if it is a known written atom. */
bool mif_board_axi(struct mif_board *board, enum nvdla_client client, int port, uint64_t cycle, int ordinal,
                   uint64_t address, const uint8_t *bytes, struct mif_atom *atom);
