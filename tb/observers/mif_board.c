/* One queue of atoms for each client; see mif_board.h. */
#include "tb/observers/mif_board.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* An atom in flight. */
struct atom {
    uint64_t address; /* requested */
    uint64_t cycle;   /* when the first of its two sides moved */
    int port, ordinal;
    bool known;  /* its bytes were seen at the first side */
    bool begins; /* a request begins with it */
    uint8_t bytes[TAP_ATOM];
};

/* The atoms of a client, oldest first. A read atom is requested, then delivered by the port, then received by the
 * engine; a written one is requested and given by the engine, in either order, then accepted by the port. */
struct atom_queue {
    struct atom *atoms;
    size_t room;    /* of atoms[], a power of two */
    uint64_t asked; /* atoms since reset */
    uint64_t given;
    uint64_t gone;
};

struct mif_board {
    const struct nvdla_config *config;
    const struct tap_listeners *listeners;
    bool comparing;
    struct atom_queue queues[NVDLA_CLIENT_COUNT];
    bool differs[NVDLA_CLIENT_COUNT]; /* reported */
    uint8_t last[TAP_ATOM];           /* bytes of the written atom shown last */
};

struct mif_board *mif_board_new(const struct nvdla_config *config, const struct tap_listeners *listeners) {
    struct mif_board *board = xcalloc(1, sizeof *board);
    board->config = config;
    board->listeners = listeners;
    return board;
}

void mif_board_free(struct mif_board *board) {
    for (int i = 0; board && i < NVDLA_CLIENT_COUNT; i++)
        free(board->queues[i].atoms);
    free(board);
}

void mif_board_reset(struct mif_board *board) {
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        board->queues[i].asked = board->queues[i].given = board->queues[i].gone = 0;
    memset(board->differs, 0, sizeof board->differs);
}

void mif_board_compare(struct mif_board *board, bool on) {
    board->comparing = on;
}

static struct atom *at(const struct atom_queue *queue, uint64_t number) {
    return &queue->atoms[number & (queue->room - 1)];
}

/* Makes room for atom `number`. */
static void reach(struct atom_queue *queue, uint64_t number) {
    if (number - queue->gone < queue->room)
        return;
    const size_t room = queue->room ? 2 * queue->room : 64;
    struct atom *atoms = xcalloc(room, sizeof *atoms);
    for (uint64_t i = queue->gone; i < number; i++)
        atoms[i & (room - 1)] = *at(queue, i);
    free(queue->atoms);
    queue->atoms = atoms;
    queue->room = room;
}

/* Reports a difference if it is the first of its client. */
static void differ(struct mif_board *board, const struct mif_difference *difference) {
    if (board->comparing && !board->differs[difference->client]) {
        board->differs[difference->client] = true;
        tap_memory(board->listeners, difference);
    }
}

void mif_board_ask(struct mif_board *board, enum nvdla_client client, int port, uint64_t address, int atoms,
                   int ordinal) {
    struct atom_queue *queue = &board->queues[client];
    const uint64_t size = (uint64_t)board->config->mem_atom;
    for (int i = 0; i < atoms; i++) {
        const bool new = queue->asked >= queue->given || !nvdla_clients[client].write;
        reach(queue, queue->asked);
        struct atom *atom = at(queue, queue->asked++);
        if (new)
            atom->known = false;
        atom->address = (address & ~(size - 1)) + (uint64_t)i * size;
        atom->port = port;
        atom->begins = i == 0;
        atom->ordinal = ordinal;
    }
}

bool mif_board_begins(const struct mif_board *board, enum nvdla_client client, bool at_port) {
    const struct atom_queue *queue = &board->queues[client];
    const uint64_t next = nvdla_clients[client].write == at_port ? queue->gone : queue->given;
    return next >= queue->asked || at(queue, next)->begins;
}

bool mif_board_wants(const struct mif_board *board, enum nvdla_client client, uint64_t address, bool behind,
                     int *ordinal) {
    const struct atom_queue *queue = &board->queues[client];
    const uint64_t line = (uint64_t)board->config->dbb_data_bits / 8;
    if (behind && mif_board_begins(board, client, true))
        return false;
    if (queue->given >= queue->asked)
        return true;
    const struct atom *next = at(queue, queue->given);
    if (next->ordinal >= 0)
        *ordinal = next->ordinal;
    return next->address % line == address % line;
}

/* Compares the bytes of an atom at both sides. */
static void compare(struct mif_board *board, enum nvdla_client client, const struct atom *atom, uint64_t cycle,
                    const uint8_t *got, int ordinal) {
    const size_t size = (size_t)board->config->mem_atom;
    if (!atom->known || !got || memcmp(atom->bytes, got, size) == 0)
        return;
    struct mif_difference difference = {.client = client,
                                        .fault = MIF_BYTES,
                                        .cycle = cycle,
                                        .ordinal = ordinal,
                                        .address = atom->address,
                                        .port_address = atom->address};
    memcpy(difference.expected, atom->bytes, size);
    memcpy(difference.got, got, size);
    differ(board, &difference);
}

static void put_bytes(const struct mif_board *board, struct atom *atom, const uint8_t *bytes) {
    atom->known = board->comparing && bytes;
    if (atom->known)
        memcpy(atom->bytes, bytes, (size_t)board->config->mem_atom);
}

bool mif_board_atom(struct mif_board *board, enum nvdla_client client, uint64_t cycle, const uint8_t *bytes,
                    struct mif_atom *known) {
    struct atom_queue *queue = &board->queues[client];
    if (nvdla_clients[client].write) {
        reach(queue, queue->given);
        struct atom *atom = at(queue, queue->given++);
        atom->cycle = cycle;
        put_bytes(board, atom, bytes);
        return false;
    }
    if (queue->gone == queue->given) {
        const uint64_t address = queue->asked > queue->gone ? at(queue, queue->gone)->address : 0;
        differ(board, &(struct mif_difference){.client = client,
                                               .fault = MIF_UNANSWERED,
                                               .cycle = cycle,
                                               .ordinal = -1,
                                               .address = address,
                                               .port_address = address});
        return false;
    }
    const struct atom *atom = at(queue, queue->gone++);
    compare(board, client, atom, cycle, bytes, atom->ordinal);
    *known = (struct mif_atom){.address = atom->address, .cycle = cycle, .ordinal = atom->ordinal, .bytes = bytes};
    return bytes;
}

/* Compares the address at the port with the requested one. */
static void compare_address(struct mif_board *board, enum nvdla_client client, const struct atom *atom, int port,
                            uint64_t cycle, int ordinal, uint64_t address) {
    if (atom->address == address && atom->port == port)
        return;
    differ(board, &(struct mif_difference){.client = client,
                                           .fault = MIF_ADDRESS,
                                           .cycle = cycle,
                                           .ordinal = ordinal,
                                           .address = atom->address,
                                           .port_address = address});
}

bool mif_board_axi(struct mif_board *board, enum nvdla_client client, int port, uint64_t cycle, int ordinal,
                   uint64_t address, const uint8_t *bytes, struct mif_atom *known) {
    struct atom_queue *queue = &board->queues[client];
    const bool write = nvdla_clients[client].write;
    const uint64_t next = write ? queue->gone : queue->given;
    if (next >= queue->asked || (write && next >= queue->given)) {
        differ(board, &(struct mif_difference){.client = client,
                                               .fault = MIF_UNASKED,
                                               .cycle = cycle,
                                               .ordinal = ordinal,
                                               .address = address,
                                               .port_address = address});
        return false;
    }
    struct atom *atom = at(queue, next);
    compare_address(board, client, atom, port, cycle, ordinal, address);
    if (!write) {
        atom->ordinal = ordinal;
        atom->cycle = cycle;
        put_bytes(board, atom, bytes);
        queue->given++;
        return false;
    }
    queue->gone++;
    compare(board, client, atom, cycle, bytes, ordinal);
    memcpy(board->last, atom->bytes, (size_t)board->config->mem_atom);
    *known =
        (struct mif_atom){.address = atom->address, .cycle = atom->cycle, .ordinal = ordinal, .bytes = board->last};
    return atom->known;
}
