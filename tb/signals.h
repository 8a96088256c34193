/* The packed vectors of tb_top.sv as arrays of 32-bit words, word 0 = bits 31:0. Only data handling: no VPI here.
 *
 *     outs    word 0 flags (bits 31:16: links between engines), word 1 nvdla2csb_data
 *             per AXI port: {8'd0, awid, awlen, arlen, arid}, araddr, awaddr, wstrb, wdata
 *             with TB_TAPS: MOVE_WORDS, a bit for each stream of tb/streams.csv that moves
 *             with TB_TAPS: MOVE_WORDS, a bit for each of them whose launch ends
 *     ins     word 0 flags and csb2nvdla_addr (bits 31:16), word 1 csb2nvdla_wdat
 *             per AXI port: {16'd0, bid, rid}, rdata
 *     t0, t1  with TB_TAPS: the streams of the simulator's table of taps, one vector each: the lanes without gaps,
 *             the other fields from the next word on
 *     pins    word 0 the four one-bit pins, words 1..6 the power vectors
 *
 * Addresses take 1 word (up to 32 bits) or 2, strobes 1 word (up to 32 bytes) or 2, data data_bits / 32. */
#pragma once

#include "device/link.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "tap_streams.h"
#include "tb/axi.h"

/* Flags of outs word 0; those of AXI port p are shifted left by p * PORT_FLAGS. */
enum {
    OUT_INTR = 1 << 0,
    OUT_CSB_READY = 1 << 1,
    OUT_CSB_VALID = 1 << 2,
    OUT_CSB_COMPLETE = 1 << 3,
    OUT_ARVALID = 1 << 4,
    OUT_RREADY = 1 << 5,
    OUT_AWVALID = 1 << 6,
    OUT_WVALID = 1 << 7,
    OUT_WLAST = 1 << 8,
    OUT_BREADY = 1 << 9,
};

/* Flags of ins word 0. */
enum {
    IN_RESET_N = 1 << 0,
    IN_CSB_VALID = 1 << 1,
    IN_CSB_WRITE = 1 << 2,
    IN_CSB_NPOSTED = 1 << 3,
    IN_ARREADY = 1 << 4,
    IN_RVALID = 1 << 5,
    IN_RLAST = 1 << 6,
    IN_AWREADY = 1 << 7,
    IN_WREADY = 1 << 8,
    IN_BVALID = 1 << 9,
};

enum {
    PORT_FLAGS = 6,
    OUT_LINKS_LSB = 16,
    SIGNAL_LINKS = 9,
    SIGNAL_OUT_WORDS = 2 + AXI_PORTS * (1 + 2 + 2 + 2 + AXI_BYTES / 4) + 2 * MOVE_WORDS,
    SIGNAL_IN_WORDS = 2 + AXI_PORTS * (1 + AXI_BYTES / 4),
    SIGNAL_PIN_WORDS = 7,
};

struct port_layout {
    int bytes;                             /* data bus */
    int ids, araddr, awaddr, wstrb, wdata; /* first word in outs */
    int strobe_words;
    int in_ids, rdata; /* first word in ins */
};

struct signal_layout {
    int ports; /* 1, or 2 with a secondary memory */
    struct port_layout port[AXI_PORTS];
    int address_words;
    int out_words, in_words; /* out_words: without those of TB_TAPS */
    uint32_t id;             /* expected value of tb_top's layout: {1, secondary bytes, primary bytes, address bits} */
};

/* Set in tb_top's layout, beside the id, if the links of this project's RTL are wired. */
enum { LAYOUT_LINKS = 1 << 30 };

/* Set there if the simulator was built with TB_TAPS, and if the stripes of its table's RTL are those of chapter 40. */
enum { LAYOUT_TAPS = 1 << 29, LAYOUT_STRIPES = 1 << 28 };

/* Names of the links between the engines: bit OUT_LINKS_LSB + i of outs is 1 in a clock in which link i moves. */
extern const struct link_facts signal_links[SIGNAL_LINKS];

/* Computes the layout of a configuration (addresses up to 64 bits, buses of 64 to 512 bits). */
struct signal_layout signal_layout(const struct nvdla_config *config);

/* Register bus: driven by the testbench. */
struct csb_inputs {
    bool valid, write, nposted;
    uint32_t address; /* byte address from the NVDLA base, bits 17:2 count */
    uint32_t data;    /* of a write */
};

/* Register bus: driven by the design. */
struct csb_outputs {
    bool ready, valid, complete;
    uint32_t data; /* of a read; defined while valid is true */
};

/* Encodes a request into the words of ins. Changes only csb2nvdla_valid while valid is false, and everything except the
 * data for a read, so that an idle bus never changes the vector. */
void signals_encode_csb(const struct csb_inputs *inputs, uint32_t *in);

/* Decodes the register bus from the words of outs. */
void signals_decode_csb(const uint32_t *out, struct csb_outputs *outputs);

/* Sets every word of ins to 0, except dla_reset_rstn. */
void signals_encode_reset(const struct signal_layout *layout, bool reset_n, uint32_t *in);

/* Decodes a port from the words of outs. Copies wdata only while wvalid is true. */
void signals_decode_port(const struct signal_layout *layout, int port, const uint32_t *out,
                         struct axi_outputs *outputs);

/* Encodes what the memory drives on a port into the words of ins. Changes rid, rlast and rdata only while rvalid is
 * true, and bid only while bvalid is true, so that idle channels never change the vector. */
void signals_encode_port(const struct signal_layout *layout, int port, const struct axi_inputs *inputs, uint32_t *in);

/* Searches for unknown bits (X, Z) that the design must not drive: valid and ready outputs and dla_intr always, payload
 * while its valid is 1 (write data only in enabled lanes).
 *
 *     aval, bval   words of outs in VPI's four-state encoding; bval bit 1 = X or Z
 *     unknown      receives the port name of the first such signal, e.g. "nvdla_core2dbb_w_wdata"
 *     return       the violated rule, "x-on-csb" or "x-on-axi"; NULL if there is no such bit */
const char *signals_unknown(const struct signal_layout *layout, const uint32_t *aval, const uint32_t *bval,
                            const char **unknown);

/* Static inputs: fills the words of pins with the defaults (all 0 except direct_reset_ = 1), then applies pins.
 *
 *     pins     "NAME=VALUE" strings, NULL-terminated: port names of chapter 10 section 2, numbers in C notation; or
 * NULL
 *
 * Errors: unknown name, no value, value too wide. */
bool signals_pins(const char *const *pins, uint32_t words[SIGNAL_PIN_WORDS], struct error *err);
