/* Running sums of atoms written, reported, released, issued and returned; see account_board.h. */
#include "tb/observers/account_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "layers/conv_order.h"
#include "layers/cubes.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

/* Credits that CACC may still owe for rows that SDP has taken: it returns them some clocks later. */
enum { OWED = 4 };

/* One of CDMA's two engines, with lines of data or kernels as pieces. */
struct cdma_side {
    struct launch_turn turn;
    bool open;                                   /* inside a launch */
    int ordinal;                                 /* of the launch */
    uint64_t written;                            /* memory atoms since reset */
    uint64_t before;                             /* written by earlier launches */
    uint64_t pieces, piece_bytes, piece_entries; /* of the launch; of a piece (0: a kernel need not fill entries) */
    uint64_t atoms, group;                       /* of the launch; kernels of a report (0: any number of lines) */
    bool compressed;                             /* kernels have no fixed size */
    uint64_t reported, entries;                  /* pieces and entries of the launch */
    uint64_t all_pieces, all_entries;            /* reported since reset */
    uint64_t released_pieces, released_entries;
};

struct account_board {
    const struct nvdla_config *config;
    struct stream_source source;
    struct layer_tracker *tracker;
    struct account *result;
    struct cdma_side data, weights;
    enum rtl_stream data_port;       /* writes of data into CBUF */
    size_t entry;                    /* bytes of an entry */
    uint64_t issued, beats, credits; /* rows; beats that SDP has taken; rows */
    uint64_t rows, row_beats;        /* of the delivery buffer; of a row */
};

static bool moves(const uint32_t *words, enum rtl_stream stream) {
    return words[stream / 32] >> stream % 32 & 1;
}

static const uint32_t *read_stream(const struct account_board *board, enum rtl_stream stream) {
    return board->source.read(board->source.context, stream, rtl_stream_layout(board->config, stream).words);
}

/* Keeps the first wrong entry: `engine` reports or moves `got` of `what`, but must `limit` ("at most", "exactly")
 * `expected`. */
static void blame(struct account_board *board, uint64_t cycle, enum nvdla_engine engine, const char *action,
                  uint64_t got, const char *limit, uint64_t expected, const char *what) {
    struct account *result = board->result;
    if (result->differs)
        return;
    result->differs = true;
    result->engine = engine;
    result->cycle = cycle;
    snprintf(result->got, sizeof result->got, "%" PRIu64 " %s", got, what);
    snprintf(result->expected, sizeof result->expected, "%s %" PRIu64 " %s", limit, expected, what);
    snprintf(result->text, sizeof result->text, "%s %" PRIu64 " %s, expected %s %" PRIu64, action, got, what, limit,
             expected);
}

/* ---- reports of CDMA ---- */

static enum nvdla_engine cdma_of(bool weights) {
    return weights ? ENGINE_CDMA_WT : ENGINE_CDMA_DAT;
}

/* The launch that the next report belongs to. False if no armed launch fetches. */
static bool begin(struct account_board *board, struct cdma_side *side, bool weights) {
    for (;;) {
        const struct launch *launch = layer_tracker_turn(board->tracker, NVDLA_CDMA, &side->turn);
        if (!launch)
            return false;
        if (!(weights ? launch->fetches_weights : launch->fetches_data))
            continue;
        const struct registers_view view = launch_view(board->config, launch);
        const struct cdma_cubes cubes = cdma_cubes(&view);
        const struct conv_atoms atoms = conv_atoms(&view);
        side->open = true;
        side->ordinal = launch->ordinal;
        side->reported = side->entries = 0;
        side->atoms = weights ? atoms.weights : atoms.data;
        side->pieces = weights ? cubes.kernels : cubes.mode == CDMA_WINOGRAD ? cubes.extended_height : cubes.height;
        side->piece_bytes =
            weights ? cubes.kernel_bytes : atoms.data / side->pieces * (uint64_t)board->config->mem_atom;
        side->piece_entries = weights ? 0 : (launch_register(launch, CDMA_D_ENTRY_PER_SLICE) + 1) * cubes.batches;
        side->group = weights ? cubes.kernel_group : 0;
        side->compressed = weights && cubes.compressed;
        return true;
    }
}

static uint64_t bytes_of(const struct account_board *board, const struct cdma_side *side) {
    return (side->written - side->before) * (uint64_t)board->config->mem_atom;
}

static void check_pieces(struct account_board *board, const struct cdma_side *side, uint64_t cycle, uint64_t pieces) {
    const bool weights = side->group > 0;
    const char *what = weights ? "kernels" : "lines";
    const uint64_t left = side->pieces - side->reported, sum = side->reported + pieces;
    const uint64_t bytes = bytes_of(board, side), needed = side->atoms * (uint64_t)board->config->mem_atom;
    char action[96];
    snprintf(action, sizeof action, "CDMA launch %d reports", side->ordinal);
    if (weights && pieces != lesser(side->group, left))
        blame(board, cycle, cdma_of(weights), action, pieces, "exactly", lesser(side->group, left), what);
    else if (pieces > left)
        blame(board, cycle, cdma_of(weights), action, pieces, "at most", left, what);
    else if (sum == side->pieces ? bytes < needed : !side->compressed && sum * side->piece_bytes > bytes) {
        snprintf(action, sizeof action, "with %" PRIu64 " bytes in CBUF CDMA launch %d reports", bytes, side->ordinal);
        blame(board, cycle, cdma_of(weights), action, sum, "at most", side->piece_bytes ? bytes / side->piece_bytes : 0,
              what);
    }
}

static void check_entries(struct account_board *board, const struct cdma_side *side, uint64_t cycle, uint64_t pieces,
                          uint64_t entries) {
    const bool weights = side->group > 0, last = side->reported + pieces >= side->pieces;
    const uint64_t size = board->entry, atom = (uint64_t)board->config->mem_atom;
    const uint64_t all = side->entries + entries,
                   expected = weights ? side->atoms * atom / size : pieces * side->piece_entries;
    char action[96];
    snprintf(action, sizeof action, "CDMA launch %d reports %s in", side->ordinal, weights ? "weights" : "data");
    if (!weights && entries != expected)
        blame(board, cycle, cdma_of(weights), action, entries, "exactly", expected, "entries");
    else if (weights && last && all != expected)
        blame(board, cycle, cdma_of(weights), action, all, "exactly", expected, "entries");
    else if (weights && all * size > bytes_of(board, side))
        blame(board, cycle, cdma_of(weights), action, all, "at most", bytes_of(board, side) / size, "entries");
}

static void take_report(struct account_board *board, struct cdma_side *side, bool weights, uint64_t cycle,
                        uint64_t pieces, uint64_t entries) {
    board->result->entries++;
    if (!side->open && !begin(board, side, weights)) {
        blame(board, cycle, cdma_of(weights), "without a launch that fetches CDMA reports", pieces, "exactly", 0,
              weights ? "kernels" : "lines");
        return;
    }
    check_pieces(board, side, cycle, pieces);
    check_entries(board, side, cycle, pieces, entries);
    side->reported += pieces;
    side->entries += entries;
    side->all_pieces += pieces;
    side->all_entries += entries;
    if (side->reported < side->pieces)
        return;
    side->open = false;
    side->before += side->atoms;
}

/* ---- CSC and CACC ---- */

static void take_release(struct account_board *board, struct cdma_side *side, uint64_t cycle, uint64_t pieces,
                         uint64_t entries) {
    board->result->entries++;
    side->released_pieces += pieces;
    side->released_entries += entries;
    if (side->released_pieces > side->all_pieces)
        blame(board, cycle, ENGINE_CSC, "since reset CSC has released", side->released_pieces, "at most",
              side->all_pieces, "lines");
    else if (side->released_entries > side->all_entries)
        blame(board, cycle, ENGINE_CSC, "since reset CSC has released", side->released_entries, "at most",
              side->all_entries, side == &board->data ? "entries of data" : "entries of weights");
}

static void take_rows(struct account_board *board, uint64_t cycle, const uint32_t *words) {
    if (moves(words, STREAM_ROW_ISSUED)) {
        const uint32_t *row = read_stream(board, STREAM_ROW_ISSUED);
        board->rows = row[0];
        board->issued += row[1];
        board->result->entries++;
    }
    if (moves(words, STREAM_ROW_CREDIT))
        board->credits++;
    const uint64_t taken = board->beats / board->row_beats;
    if (board->credits > board->issued || board->credits > taken)
        blame(board, cycle, ENGINE_CACC, "since reset CACC has returned", board->credits, "at most",
              lesser(board->issued, taken), "credits");
    else if (board->issued - board->credits > board->rows)
        blame(board, cycle, ENGINE_CSC, "without credits of CACC CSC has issued", board->issued - board->credits,
              "at most", board->rows, "rows");
    else if (taken > board->credits + OWED)
        blame(board, cycle, ENGINE_CACC, "since reset CACC has returned", board->credits, "at least", taken - OWED,
              "credits");
    if (moves(words, STREAM_CACC_SAT))
        board->beats++;
}

/* ---- observer ---- */

/* Atoms that a beat writes into CBUF: it has an address for each, or a bit for each atom of an entry. */
static uint64_t atoms_of_beat(const struct account_board *board, enum rtl_stream stream) {
    const struct stream_layout layout = rtl_stream_layout(board->config, stream);
    const size_t port = (size_t)(layout.lanes / board->config->mem_atom);
    if (port == 1)
        return 1;
    const uint32_t *words = read_stream(board, stream);
    if (layout.select >= 0)
        return (uint64_t)__builtin_popcount(words[layout.select]);
    uint64_t atoms = 0;
    for (size_t i = 0; i < port; i++)
        atoms += words[layout.address + (int)i] != STREAM_NO_ATOM;
    return atoms;
}

static void take_moves(void *context, uint64_t cycle, const uint32_t *words) {
    struct account_board *board = context;
    if (moves(words, board->data_port))
        board->data.written += atoms_of_beat(board, board->data_port);
    if (moves(words, STREAM_CBUF_WT))
        board->weights.written += atoms_of_beat(board, STREAM_CBUF_WT);
    if (moves(words, STREAM_DAT_REPORT)) {
        const uint32_t *report = read_stream(board, STREAM_DAT_REPORT);
        take_report(board, &board->data, false, cycle, report[0], report[1]);
    }
    if (moves(words, STREAM_WT_REPORT)) {
        const uint32_t *report = read_stream(board, STREAM_WT_REPORT);
        take_report(board, &board->weights, true, cycle, report[0], report[1]);
    }
    if (moves(words, STREAM_DAT_RELEASE)) {
        const uint32_t *release = read_stream(board, STREAM_DAT_RELEASE);
        take_release(board, &board->data, cycle, release[0], release[1]);
    }
    if (moves(words, STREAM_WT_RELEASE))
        take_release(board, &board->weights, cycle, 0, read_stream(board, STREAM_WT_RELEASE)[0]);
    take_rows(board, cycle, words);
}

static void write_board(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct account_board *board = context;
    layer_tracker_write(board->tracker, address, value, (size_t)cycle);
}

static void reset_board(void *context) {
    struct account_board *board = context;
    layer_tracker_free(board->tracker);
    board->tracker = layer_tracker_new(board->config);
    board->data = board->weights = (struct cdma_side){.open = false};
    board->issued = board->beats = board->credits = 0;
    *board->result = (struct account){.entries = 0};
}

static void release_board(void *context) {
    autofree struct account_board *board = context;
    layer_tracker_free(board->tracker);
}

struct account_board *account_board_new(const struct nvdla_config *config, const struct stream_source *source,
                                        struct account *result) {
    static const enum rtl_stream needed[] = {STREAM_CBUF_WT,    STREAM_CACC_SAT,    STREAM_DAT_REPORT,
                                             STREAM_WT_REPORT,  STREAM_DAT_RELEASE, STREAM_WT_RELEASE,
                                             STREAM_ROW_ISSUED, STREAM_ROW_CREDIT};
    const enum rtl_stream data_port = source->has[STREAM_CBUF_DAT] ? STREAM_CBUF_DAT : STREAM_CBUF_DAT_WIDE;
    bool complete = source->read && source->has[data_port];
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        complete = complete && source->has[needed[i]];
    if (!complete)
        return NULL;
    struct account_board *board = xcalloc(1, sizeof *board);
    board->config = config;
    board->source = *source;
    board->tracker = layer_tracker_new(config);
    board->result = result;
    const size_t widths = nvdla_has_16_bits(config) ? 2 : 1; /* entries of twice the width, rows of half the kernels */
    board->entry = (size_t)config->cbuf_bank_bytes * widths;
    board->data_port = data_port;
    board->row_beats = (uint64_t)config->atomic_k / widths / (uint64_t)rtl_stream_layout(config, STREAM_CACC_SAT).lanes;
    return board;
}

struct observer account_board_observer(struct account_board *board) {
    return (struct observer){
        .context = board, .reset = reset_board, .moved = take_moves, .write = write_board, .release = release_board};
}
