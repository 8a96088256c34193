/* A mirror of CBUF; see cbuf_board.h. */
#include "tb/observers/cbuf_board.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Flags of CBUF_WR_*: the slots of the atoms, next to each other; a bit for each atom: the slots above it become 0, it
 * is valid. */
enum { CLEAR = 8, VALID = 16, FLAGS = 8 };

enum { WRITE_PORTS = 2, READ_PORTS = 4, PORT_ATOMS = 4 /* most that a port takes in a clock */ };

static const struct read_port {
    enum rtl_stream stream;
    const char *name;
} reads[READ_PORTS] = {{STREAM_CBUF_RD_DAT, "dat_rd"},
                       {STREAM_CBUF_RD_NEXT, "dat_rd_next"},
                       {STREAM_CBUF_RD_WT, "wt_rd"},
                       {STREAM_CBUF_RD_MASK, "mask_rd"}};

/* A write that the next clock's reads do not see yet. */
struct pending_write {
    bool valid;
    uint64_t cycle;
    size_t atoms;
    struct placed {
        size_t entry, slot;
        bool valid, clear;
    } at[PORT_ATOMS];
    uint8_t bytes[SCOREBOARD_BYTES];
};

struct cbuf_board {
    struct stream_source source;
    struct stream_layout layouts[STREAM_COUNT];
    enum rtl_stream writes[WRITE_PORTS];
    struct scoreboard *result;
    bool comparing;
    size_t entries, entry, atom; /* bytes of an entry, of a slot */
    size_t slots;                /* of an entry */
    uint8_t *bytes;              /* the mirror */
    bool *seen;                  /* valid slots */
    struct pending_write pending[WRITE_PORTS];
};

static bool moves(const uint32_t *words, enum rtl_stream stream) {
    return words[stream / 32] >> stream % 32 & 1;
}

static void apply_atom(struct cbuf_board *board, const uint8_t *atom, size_t entry, size_t slot, bool clear) {
    const size_t slots = board->slots;
    for (size_t s = slot; s < slots && (s == slot || clear); s++) {
        const size_t at = entry * slots + s;
        if (s == slot)
            memcpy(board->bytes + at * board->atom, atom, board->atom);
        else
            memset(board->bytes + at * board->atom, 0, board->atom);
        board->seen[at] = true;
    }
}

static void apply(struct cbuf_board *board, struct pending_write *write) {
    write->valid = false;
    for (size_t i = 0; i < write->atoms; i++)
        if (write->at[i].valid)
            apply_atom(board, write->bytes + i * board->atom, write->at[i].entry, write->at[i].slot,
                       write->at[i].clear);
}

/* Numbers of entries and slots are powers of two. */
static void take_write(struct cbuf_board *board, int port, uint64_t cycle) {
    const struct stream_layout *layout = &board->layouts[board->writes[port]];
    const uint32_t *words = board->source.read(board->source.context, board->writes[port], layout->words);
    const size_t slots = board->slots;
    struct pending_write *write = &board->pending[port];
    *write = (struct pending_write){.valid = true, .cycle = cycle, .atoms = (size_t)layout->lanes / board->atom};
    size_t entries = words[layout->address], places = layout->flags < 0 ? 0 : words[layout->flags] & ((1 << FLAGS) - 1);
    for (size_t i = 0; i < write->atoms; i++, entries /= board->entries, places /= slots > 1 ? slots : 2)
        write->at[i] = layout->flags < 0 ? (struct placed){.entry = words[layout->address] % board->entries,
                                                           .slot = i,
                                                           .valid = words[layout->select] >> i & 1}
                                         : (struct placed){.entry = entries % board->entries,
                                                           .slot = places % slots,
                                                           .valid = words[layout->flags] >> (VALID + i) & 1,
                                                           .clear = words[layout->flags] >> (CLEAR + i) & 1};
    memcpy(write->bytes, words, write->atoms * board->atom);
}

/* Atoms have whole words of 64 bits. */
static bool same_atom(const uint8_t *a, const uint8_t *b, size_t atom) {
    uint64_t differ = 0;
    for (size_t i = 0; i < atom; i += sizeof differ) {
        uint64_t of_a, of_b;
        memcpy(&of_a, a + i, sizeof of_a);
        memcpy(&of_b, b + i, sizeof of_b);
        differ |= of_a ^ of_b;
    }
    return differ == 0;
}

/* Compares a read entry with the mirror. */
static void compare(struct cbuf_board *board, const struct read_port *port, uint64_t cycle) {
    const struct stream_layout *layout = &board->layouts[port->stream];
    const uint32_t *words = board->source.read(board->source.context, port->stream, layout->words);
    const uint8_t *got = (const uint8_t *)words;
    const size_t entry = words[layout->address], slots = board->slots;
    if (entry >= board->entries)
        return;
    bool equal = true;
    for (size_t s = 0; s < slots; s++)
        equal =
            equal && (!board->seen[entry * slots + s] ||
                      same_atom(got + s * board->atom, board->bytes + (entry * slots + s) * board->atom, board->atom));
    board->result->compared++;
    if (equal)
        return;
    struct scoreboard_difference *first = &board->result->first;
    *first =
        (struct scoreboard_difference){.port = port->name, .cycle = cycle, .address = entry, .bytes = board->entry};
    memcpy(first->got, got, board->entry);
    memcpy(first->expected, board->bytes + entry * board->entry, board->entry);
}

/* Reads return their entry one clock after the request: they see what was written up to the clock before. */
static void take_moves(void *context, uint64_t cycle, const uint32_t *words) {
    struct cbuf_board *board = context;
    for (int i = 0; i < WRITE_PORTS; i++)
        if (board->pending[i].valid && board->pending[i].cycle + 1 < cycle)
            apply(board, &board->pending[i]);
    for (int i = 0; board->comparing && i < READ_PORTS && !board->result->first.port; i++)
        if (moves(words, reads[i].stream))
            compare(board, &reads[i], cycle);
    for (int i = 0; i < WRITE_PORTS; i++) {
        if (board->pending[i].valid)
            apply(board, &board->pending[i]);
        if (moves(words, board->writes[i]))
            take_write(board, i, cycle);
    }
}

/* The design fills CBUF with zeros after a reset; the mirror waits for these writes. */
static void reset_board(void *context) {
    struct cbuf_board *board = context;
    memset(board->seen, 0, board->entries * board->slots * sizeof *board->seen);
    memset(board->pending, 0, sizeof board->pending);
    *board->result = (struct scoreboard){.compared = 0};
}

static void release_board(void *context) {
    autofree struct cbuf_board *board = context;
    free(board->bytes);
    free(board->seen);
}

struct cbuf_board *cbuf_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                  struct scoreboard *result) {
    const enum rtl_stream data = source->has[STREAM_CBUF_WR_DAT] ? STREAM_CBUF_WR_DAT : STREAM_CBUF_WR_WIDE;
    bool complete = source->read && source->has[data] && source->has[STREAM_CBUF_WR_WT];
    for (int i = 0; i < READ_PORTS; i++)
        complete = complete && source->has[reads[i].stream];
    if (!complete)
        return NULL;
    struct cbuf_board *board = xcalloc(1, sizeof *board);
    board->source = *source;
    board->writes[0] = data;
    board->writes[1] = STREAM_CBUF_WR_WT;
    board->result = result;
    for (int i = 0; i < STREAM_COUNT; i++)
        board->layouts[i] = rtl_stream_layout(config, (enum rtl_stream)i);
    const size_t widths = nvdla_has_16_bits(config) ? 2 : 1; /* entries of twice the width, half as many */
    board->entry = (size_t)config->cbuf_bank_bytes * widths;
    board->atom = (size_t)config->mem_atom;
    board->slots = board->entry / board->atom;
    board->entries = (size_t)config->cbuf_banks * (size_t)config->cbuf_bank_depth / widths;
    board->bytes = xcalloc(board->entries, board->entry);
    board->seen = xcalloc(board->entries * board->slots, sizeof *board->seen);
    return board;
}

void cbuf_board_compare(struct cbuf_board *board, bool on) {
    board->comparing = on;
}

struct observer cbuf_board_observer(struct cbuf_board *board) {
    return (struct observer){.context = board, .reset = reset_board, .moved = take_moves, .release = release_board};
}
