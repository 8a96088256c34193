/* Scoreboard of the memory interface: each atom that an engine asks for or gives, at its side of the interface, beside
 * the same atom at the AXI port, client by client in order. A read atom must come from the address that was asked for
 * and reach the engine with the bytes that the memory gave; a written atom must reach the memory at its address with
 * the bytes that the engine gave. What differs is the memory interface's own doing.
 *
 * The board follows addresses always, so that it can begin to compare at any clock; bytes only while it compares.
 * Spec: 70-memory-interface sections 3 to 6.
 */
#ifndef TB_OBSERVERS_MIF_BOARD_H
#define TB_OBSERVERS_MIF_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "observe/tap.h"

/* An atom that has passed the interface, both sides known. */
struct mif_atom {
    uint64_t address, cycle; /* at the engine's side */
    int ordinal;             /* launch, as the AXI port's beat has it */
    const uint8_t *bytes;    /* as the engine got or gave them */
};

struct mif_board;

/* listeners: hear of differences, the first of each client. */
struct mif_board *mif_board_new(const struct nvdla_config *config, const struct tap_listeners *listeners);
void mif_board_free(struct mif_board *board);

/* Forgets what is under way, and all differences. */
void mif_board_reset(struct mif_board *board);

/* Compares from now on, or only follows. Atoms that are under way are not compared. */
void mif_board_compare(struct mif_board *board, bool on);

/* The client's piece of `atoms` atoms from an address on is taken, whose bits within an atom the interface drops. port:
 * 0 primary, 1 secondary. ordinal: of its launch; -1: the beats of the port tell it. */
void mif_board_ask(struct mif_board *board, enum nvdla_client client, int port, uint64_t address, int atoms,
                   int ordinal);

/* True if the client's next atom, at its side or at the port, is the first one of a piece, or of none that has been
 * asked for. A beat or a word of several atoms never holds such a one behind another atom. */
bool mif_board_begins(const struct mif_board *board, enum nvdla_client client, bool at_port);

/* True if the atom at that address, of a beat of read data, is the one that the client waits for, or if it waits for
 * none. `behind`: it stands behind another one that was. A beat holds whole lines of memory, whatever was asked for.
 * *ordinal becomes that of the piece; left as it is if that is not known. */
bool mif_board_wants(const struct mif_board *board, enum nvdla_client client, uint64_t address, bool behind,
                     int *ordinal);

/* The client gets an atom (read) or gives one (write). bytes: NULL while nothing is compared. Of a read client *atom is
 * what it got; returns false if nothing is known of it. Atoms of write clients are known when they reach the port
 * (mif_board_axi). */
bool mif_board_atom(struct mif_board *board, enum nvdla_client client, uint64_t cycle, const uint8_t *bytes,
                    struct mif_atom *atom);

/* The same atom at the AXI port. True, with *atom, if it is a written one that is known. */
bool mif_board_axi(struct mif_board *board, enum nvdla_client client, int port, uint64_t cycle, int ordinal,
                   uint64_t address, const uint8_t *bytes, struct mif_atom *atom);

#endif
