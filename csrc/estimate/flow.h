/* A run of NVDLA as a flow of events: when the engines ask for data, wait, work and write, by lines, stripes and atoms
 * instead of clocks. It knows no data. One process for each part of an engine: a process is woken at a time, does what
 * is possible at that time, and says when it can continue; one that waits for another is woken by it. Times are core
 * clocks since reset.
 *
 * The parts follow the hardware: CDMA's two fetches with their rings in CBUF, CSC's stripes (layers/conv_order.h) that
 * wait for kernel groups and for the credits of CACC, SDP's atoms with their operands, PDP's lines, CDP's atoms. A
 * memory is a latency and a bandwidth, or the DRAM of a run with its other masters (dram/system.h). */
#pragma once

#include "device/device.h"
#include "dram/system.h"
#include "estimate/laws.h"
#include "layers/conv_order.h"
#include "layers/cubes.h"
#include "layers/tracker.h"
#include "model/register_group.h"
#include "nvdla/engines.h"

enum flow_process {
    FLOW_MEMORY,
    FLOW_DATA,
    FLOW_WEIGHTS,
    FLOW_CSC,
    FLOW_SDP_MAIN,
    FLOW_SDP_BS, /* operands, in the order of enum sdp_stage_index */
    FLOW_SDP_BN,
    FLOW_SDP_EW,
    FLOW_SDP,
    FLOW_PDP_READ,
    FLOW_PDP,
    FLOW_CDP_READ,
    FLOW_CDP,
    FLOW_BDMA_READ,
    FLOW_BDMA,
    FLOW_RUBIK_READ,
    FLOW_RUBIK,
    FLOW_PROCESSES
};

/* What a layer waits for, or does. */
enum flow_cause {
    FLOW_MACS,     /* the MAC array works */
    FLOW_LOAD,     /* the MAC array waits for the weights of its next operation, which go into it one after another */
    FLOW_PIPE,     /* the pipe of PDP or CDP works, or data are copied */
    FLOW_STAGES,   /* the pipe of SDP works */
    FLOW_INPUT,    /* data of the input cube have not come */
    FLOW_KERNELS,  /* weights have not come */
    FLOW_OPERANDS, /* operands of SDP have not come */
    FLOW_OUTPUT,   /* the memory does not take what is written */
    FLOW_CAUSES
};

struct flow_options {
    struct estimate_laws laws;
    double latency, write_latency, bandwidth; /* beats a clock, reads and writes together; without a DRAM */
    uint32_t reads;                           /* beats in flight, without a DRAM; 0: no limit */
    struct dram_config dram;                  /* name "": none */
    struct traffic_options traffic;
    uint64_t seed;
};

/* A launch: the clocks in which it was armed, began and ended, 0 if it did not, and what it spent its clocks on. */
struct flow_launch {
    double armed, begun, end;
    double clocks[FLOW_CAUSES];
    double port; /* clocks in which its reads waited for other reads, not for answers */
};

/* The launches of a unit, by ordinal. */
struct flow_launches {
    struct flow_launch **items;
    size_t count;
};

/* ---- reading ---- */

/* Requests for `atoms` atoms in four loops, the first one innermost. */
struct flow_walk {
    uint64_t base, stride[4];
    uint32_t atoms, count[4], at[4];
    bool over;
};

/* Atoms of one request that come together. */
struct flow_chunk {
    double asked, answered; /* clocks; by a DRAM, perhaps before those asked for earlier; 0: not yet */
    double first, last;     /* clocks of the first and of the last beat; first 0: unknown */
    double taken;           /* first atom taken; 0: not yet */
    uint32_t beats, atoms;
};

enum { FLOW_FLIGHT = 256 /* beats in flight, reads or writes; spec: 70-memory-interface section 3 */ };

enum { FLOW_CHUNKS = 1024, FLOW_LINE = 64 /* bytes of a chunk, if the port is not wider */ };

struct flow;

struct flow_reader {
    enum flow_process process, consumer;
    bool busy, primary, greedy; /* greedy: every atom is taken when it comes */
    bool next_primary;          /* of the next request: beats of one memory are awaited before the other is asked */
    int slot;                   /* its turn at the arbiter */
    uint32_t depth, ring;       /* beats of the latency buffer; beats that the engine takes before it needs them */
    struct flow_walk walk;
    bool (*more)(struct flow *flow, struct flow_reader *reader); /* sets the next walk; NULL: there is one */
    uint32_t more_index;
    uint64_t address; /* of the rest of the request */
    uint32_t left;    /* atoms of the request not asked for */
    uint32_t held;    /* beats asked for and not used */
    uint32_t flying;  /* beats asked for that have not come */
    uint32_t most;    /* atoms that the next chunk may have */
    struct flow_chunk chunks[FLOW_CHUNKS];
    uint32_t head, next, tail; /* oldest that holds places; that is being taken; free one */
    uint32_t known, come;      /* oldest whose clocks are not known; that has not come */
    uint32_t taken_atoms;      /* of `next` */
    uint32_t atoms_a_clock;    /* atoms of a beat that it takes in a clock */
    double first, latest;      /* clocks of the first beat and of the last one known */
    struct flow_launch *launch;
};

struct flow_writer;

/* Writes that wait for their time, or until the memory takes more. */
struct flow_burst {
    struct flow_writer *writer;
    double time;
    uint64_t address;
    uint32_t bytes; /* 0: none */
};

enum { FLOW_BURSTS = 128 };

struct flow_port {
    double ask_free, data_free, write_free; /* clocks from which an address, a read beat, a write beat may move */
    uint32_t bytes, burst, line;            /* of a beat; beats of the longest burst; what a chunk does not cross */
    double latency, beat;                   /* clocks of a read; of a beat */
    bool dram;                              /* behind it */
    bool shared;                            /* reads and writes share its bandwidth, without a DRAM */
    uint32_t reads;                         /* beats in flight at most */
    double arrivals[FLOW_FLIGHT];           /* of the last beats, if their clocks are known when they are asked for */
    uint64_t asked;                         /* beats */
    uint32_t reading, writing;              /* beats without answer, if they are not */
    struct flow_queued {
        struct flow_reader *reader;
        double due;
    } queue[FLOW_FLIGHT]; /* reads of a shared bandwidth, oldest first */
    uint32_t queue_head, queue_count;
    struct flow_burst bursts[FLOW_BURSTS];
    uint32_t first_burst, burst_count;
    double work_free;                /* with a shared bandwidth: the next beat */
    bool write_turn;                 /* it is a write's turn */
    uint32_t limit;                  /* transactions of all masters of the DRAM; 0: none */
    double leaving[2 * FLOW_FLIGHT]; /* clocks in which places become free, ascending */
    uint32_t leaving_count;
    double yielded;         /* the last clock in which writes let reads go first */
    uint32_t full;          /* processes that wait for an answer, as bits */
    uint32_t arrived;       /* processes whose oldest chunk a DRAM has answered, as bits */
    enum flow_process last; /* the last one that asked */
    uint32_t turn;          /* for so many beats */
};

struct flow_writer {
    enum flow_process process;
    bool primary;
    struct flow_burst burst; /* collects atoms */
    uint32_t open;           /* bursts without answer */
    uint64_t beat;           /* last beat, plus 1 */
    double last, latest;     /* last write; answer to it */
};

/* The writers of an engine's layers: the next one begins while the last writes of the one before are not answered. */
struct flow_output {
    struct flow_writer writers[2];
    int now;        /* of the current layer */
    int ordinal[2]; /* of layers that wait for answers, plus 1; 0: none */
};

/* ---- engines ---- */

/* Amounts that arrive later. */
enum { FLOW_UPDATES = 64 };

struct flow_account {
    double now_known; /* clock of the last update that counts */
    int64_t amount;
    struct flow_update {
        double time;
        int64_t amount;
    } updates[FLOW_UPDATES];
    uint32_t first, count;
};

enum flow_fetch_state { FETCH_IDLE, FETCH_PENDING, FETCH_BUSY, FETCH_DONE };

struct flow_cdma {
    int ordinal; /* of the current layer */
    enum flow_fetch_state data, weights;
    double data_from, weights_from; /* first requests; that of an image is a clock earlier */
    struct flow_launch *launch;
    bool first, last_image, last_winograd, last_skip_data, last_skip_weights, image, winograd;
    uint32_t last_data_bank, last_weight_bank, data_bank, weight_bank;
    bool skip_data_release, skip_weight_release;
    int64_t entries_used, entries, grain_entries; /* of the data ring; grain_entries: of a line */
    int64_t slices;                               /* that CSC gets */
    uint32_t grain_lines, lines_left, surfaces;
    struct cdma_cubes cubes;
    int64_t atoms_used, atoms;                      /* of the weight ring */
    uint64_t weight_atoms_asked, weight_atoms_come; /* with mask bits and sizes of groups */
    uint64_t group;                                 /* next one to report */
    uint32_t slots;
    int64_t band_lines;             /* Winograd: lines of the padded input for a band of tiles */
    double gather;                  /* image, Winograd: clocks until CBUF has all, from the first atom */
    uint64_t plane_address[2];      /* image of two planes: next ones of the line */
    uint32_t plane_atoms[2], plane; /* those to come; the plane whose turn it is */
};

enum flow_csc_state { CSC_IDLE, CSC_PEND, CSC_WAIT, CSC_STRIPE, CSC_FINAL, CSC_DRAIN };

enum { FLOW_ROWS = 2048 };

/* Rows of results, or atoms, between two engines. */
struct flow_rows {
    double come[FLOW_ROWS], taken[FLOW_ROWS];
    uint64_t written, read;
};

struct flow_csc {
    int ordinal, delivered; /* layers that SDP has taken */
    enum flow_csc_state state;
    struct flow_launch *launch;
    struct conv_order order;
    struct conv_operation operation;
    bool first, skip_data, skip_weights, last_skip_weights, last_image, last_winograd, image, winograd;
    uint32_t data_bank, weight_bank, last_data_bank, last_weight_bank;
    int64_t height, release_slices, left_slices, line_entries, last_left_slices, last_left_entries;
    int64_t kernels_seen, weight_entries, last_weight_entries, last_kernels;
    uint64_t released_kernels, released_entries;
    double at, final, clocks;  /* next operation; begin of the last one of a stripe; clocks of an operation */
    size_t atom, final_atoms;  /* of the last operation */
    unsigned results, credits; /* rows of an atom; rows that fit in CACC */
    struct flow_account slices, kernels;
};

struct flow_sdp {
    int ordinal;
    bool busy, flying, to_pdp, writes, reads, claimed, over,
        taken; /* claimed: what SDP_RDMA reads; over: the last atom will be taken; taken: it was */
    struct flow_launch *launch;
    struct memory_cube destination;
    uint32_t width, height, surfaces, batches, out_atoms; /* out_atoms: written for an atom of the pipe */
    uint32_t x, y, surface, batch;
    double at, beats;            /* next atom; clocks of an atom */
    double pipe[SDP_STAGES + 1]; /* clocks from the input to the stages and to the output */
    struct flow_output output;
};

struct flow_rdma {
    int ordinal;
    bool busy, claimed, main;
    struct flow_launch *launch;
    struct sdp_operands operands[SDP_STAGES];
    uint32_t atoms[SDP_STAGES]; /* of an operand for an atom of the pipe */
    uint32_t main_atoms;        /* of the input for it */
};

struct flow_pdp {
    int ordinal;
    bool busy, flying, claimed, over; /* claimed: what PDP_RDMA reads; over: the last atom is taken */
    struct flow_launch *launch, *read_launch;
    struct pdp_cubes cubes;
    struct pdp_rdma_cubes rdma;
    struct pdp_strip place;
    int kernel_width, stride_width, pad_left, kernel_height, stride_height, pad_top;
    int strip, surface, y, x, surfaces; /* x: the next window */
    int row, left, rows;     /* first row that is not finished; rows that the surface before has left; room for rows */
    bool used, emits, rides; /* the line: see begin_line() */
    int arrived;             /* columns of the line that have arrived, and those after it */
    struct flow_update freed[2]; /* places of columns that the last two windows give back */
    uint64_t columns;            /* of the layer that have not come */
    double at, taken, beats;     /* end of the window; last column; clocks of a window */
    struct flow_output output;
    bool read_busy, read_claimed;
    int read_ordinal;
};

struct flow_cdp {
    int ordinal;
    bool busy, read_busy, claimed; /* claimed: what is read belongs to the layer that runs */
    struct flow_launch *launch, *read_launch;
    struct cdp_cubes cubes, read_cubes;
    uint64_t atoms, done;
    double at, beats;
    struct flow_output output;
    int read_ordinal;
    uint32_t line, column;
};

/* A walk through RUBIK's blocks: surface, line, phase in y, first column, first phase in x; the row of the block. */
struct flow_blocks {
    int surface, line, line_phase, column, phase, row;
    bool over;
};

struct flow_rubik {
    int ordinal;
    bool busy, leaves; /* leaves: a half of the buffer */
    struct flow_launch *launch;
    struct rubik_cubes cubes;
    struct flow_blocks asked, in, out;
    uint32_t in_atoms; /* of the row that comes */
    int full;          /* halves of the buffer */
    double in_at, out_at;
    struct flow_output output;
};

/* BDMA. */
struct flow_move {
    int ordinal, next; /* next: the next launch */
    bool busy, over;   /* over: the last atom is taken */
    struct flow_launch *launch;
    struct launch_block block; /* that is written; its place */
    size_t index;              /* of the next one */
    int surface, line, column;
    double at;
    struct flow_output output;
};

struct flow {
    struct device dev;
    struct flow_options options;
    const double *law;
    struct register_group units[NVDLA_UNIT_COUNT];
    struct layer_tracker *tracker;
    size_t writes; /* register writes, the tags of launches */
    struct flow_launches launches[NVDLA_UNIT_COUNT];
    uint32_t interrupt_status;
    double risen; /* last rise of the interrupt line */
    double now;
    double wake[FLOW_PROCESSES];
    uint32_t woken;                         /* processes with a time, and perhaps others, as bits */
    uint64_t order[FLOW_PROCESSES], orders; /* of equal times the first one set goes first */
    struct memory_system *system;
    struct flow_request {
        struct flow_reader *reader;
        struct flow_writer *writer;
        uint32_t chunk, beats;
    } requests[SYSTEM_TAGS];
    uint32_t free_tags[SYSTEM_TAGS], free_count;
    struct flow_port ports[2]; /* primary, secondary */
    struct flow_reader readers[FLOW_PROCESSES];
    struct flow_cdma cdma;
    struct flow_csc csc;
    struct flow_rows rows, atoms; /* CACC to SDP; SDP to PDP */
    struct flow_sdp sdp;
    struct flow_rdma rdma;
    struct flow_pdp pdp;
    struct flow_cdp cdp;
    struct flow_move bdma;
    struct flow_rubik rubik;
};

/* A device (device.h) that answers register accesses in time. NULL with a message. */
struct device *flow_new(const struct nvdla_config *config, const struct flow_options *options, struct error *err);

/* The flow behind such a device. */
const struct flow *flow_of(const struct device *dev);

/* ---- between the parts ---- */

#define FLOW_NEVER 1e300

/* Wakes a process not later than that. */
void flow_wake(struct flow *flow, enum flow_process process, double time);

/* The clock in which the unit knows that its group CONSUMER is armed; FLOW_NEVER: it is not. */
double flow_armed(const struct flow *flow, enum nvdla_unit unit);

/* The record of the launch in the unit's group CONSUMER, which must be armed; *ordinal: its number. */
struct flow_launch *flow_begin(struct flow *flow, enum nvdla_unit unit, int *ordinal);

/* The view of a launch. */
struct registers_view flow_view(struct flow *flow, enum nvdla_unit unit, int ordinal);

/* Releases group CONSUMER of a unit. */
void flow_release(struct flow *flow, enum nvdla_unit unit);

/* Raises an interrupt of a pair: the bit of the group that launch `ordinal` had. */
void flow_interrupt(struct flow *flow, enum nvdla_interrupt source, enum nvdla_unit unit, int ordinal);

/* Ends the launch after its interrupt, in the clock that report.json says: the last rise of the interrupt line, or the
 * last beat that it wrote (0: none), if that is later. */
void flow_end(struct flow *flow, enum nvdla_unit unit, int ordinal, double last);

static inline double flow_later(double a, double b) {
    return a > b ? a : b;
}

/* Ports. */
void flow_ports_init(struct flow *flow);
double flow_memory_step(struct flow *flow);
/* The clocks of answers are known when they are asked for. */
static inline bool flow_port_direct(const struct flow_port *port) {
    return !port->dram && !port->shared;
}
/* When so many more beats may be asked for; FLOW_NEVER: after an answer. */
double flow_port_free(const struct flow *flow, const struct flow_port *port, uint32_t beats);
/* Asks for the reader's last chunk; flow_known() follows. */
void flow_port_read(struct flow *flow, struct flow_reader *reader, uint64_t address, uint32_t bytes);
/* A write to a DRAM or over a shared bandwidth. */
void flow_port_write(struct flow *flow, struct flow_port *port, const struct flow_burst *burst);
/* When such writes that wait leave room for another one; 0: now. */
double flow_port_slack(const struct flow *flow, const struct flow_port *port);

/* Clients. */
void flow_clients_init(struct flow *flow);
/* The reader's next chunk, which was due, comes at that clock; its last beat so many clocks later. */
void flow_known(struct flow *flow, struct flow_reader *reader, double due, double come, double spread);
struct flow_walk flow_walk_of(uint64_t base, uint32_t atoms);
void flow_walk_loop(struct flow_walk *walk, int loop, uint32_t count, uint64_t stride);
/* Begins to read: `walk`, and what more() adds. What was read before and not taken is taken first. */
void flow_read(struct flow *flow, enum flow_process process, const struct flow_walk *walk, bool primary,
               struct flow_launch *launch);
double flow_read_step(struct flow *flow, struct flow_reader *reader);
/* Atoms that CBUF takes in a clock. */
static inline uint32_t flow_cbuf_atoms(const struct nvdla_config *config) {
    return nvdla_has_16_bits(config) ? 2 : 1;
}
/* Clock of the atom that comes `ahead` atoms after the next one, FLOW_NEVER if unknown. */
double flow_atom(const struct flow *flow, const struct flow_reader *reader, uint32_t ahead);
/* Takes the next one. */
void flow_take(struct flow *flow, struct flow_reader *reader, double time);
/* True if everything was asked for, and taken if the reader is not greedy. */
bool flow_read_over(const struct flow_reader *reader);
/* The next atom begins a command: its beat is a new one. */
void flow_command(struct flow *flow, struct flow_writer *writer);
/* Goes to another memory when it has the answers of the one before. Returns when that is possible. */
double flow_write_to(struct flow *flow, struct flow_writer *writer, bool primary);
/* Writes an atom; returns the clock from which the next one may follow. */
double flow_write(struct flow *flow, struct flow_writer *writer, uint64_t address, double time);
/* A layer begins to write. False: the one before the last still waits for answers. */
bool flow_output_begin(struct flow_output *output, enum flow_process process, bool primary);
struct flow_writer *flow_output_writer(struct flow_output *output);
/* The layer has written all; flow_output_step ends it when memory has answered, and returns when it can do more. */
void flow_output_end(struct flow *flow, struct flow_output *output, int ordinal);
double flow_output_step(struct flow *flow, struct flow_output *output, enum nvdla_unit unit);

/* Accounts. */
void flow_account_add(struct flow_account *account, double time, int64_t amount);
int64_t flow_account_at(struct flow_account *account, double time);
/* When more arrives, or `other` if that is earlier. */
double flow_account_next(const struct flow_account *account, double other);

/* Engines: steps of the processes; the time of the next one, FLOW_NEVER: when woken. */
double flow_data_step(struct flow *flow);
double flow_weights_step(struct flow *flow);
double flow_csc_step(struct flow *flow);
double flow_sdp_read_step(struct flow *flow, enum flow_process process);
double flow_sdp_step(struct flow *flow);
double flow_pdp_read_step(struct flow *flow);
double flow_pdp_step(struct flow *flow);
double flow_cdp_read_step(struct flow *flow);
double flow_cdp_step(struct flow *flow);
double flow_bdma_step(struct flow *flow);
double flow_rubik_step(struct flow *flow);
double flow_move_read_step(struct flow *flow, enum flow_process process);
