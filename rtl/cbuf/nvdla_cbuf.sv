// Convolution buffer: a memory of CbufEntries entries between CDMA and CSC.
//
// Two write ports (data, weights) take CbufWrAtoms memory atoms per clock each, every one into slot slot of its entry
// addr; with clear the slots above it become 0. The atoms of a clock go to different slots or entries. Read ports
// deliver whole entries: the data port two of them at once (dat_rd_next_* is used by the unaligned reads of image
// layers), the weight port one, the mask port (where compressed weights exist) one. Read data come in the clock after
// valid and are meant only there.
// A read sees what was presented to a write port in an earlier clock. No arbitration, no back-pressure: the allocation
// of banks keeps the ports apart, and the two entries that the data port reads or writes at once are even and odd. Not
// reset: CDMA fills the buffer with zeros.
// Two forms: the hardware (nvdla_cbuf_banks: memories with one write and one read port), or with NVDLA_FAST_FORMS one
// array for each slot, which simulates faster. With NVDLA_BOTH_FORMS the hardware works and every read is compared.
// Spec: 30-cdma-cbuf, section 4.
`include "nvdla_check.svh"
module nvdla_cbuf
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 clk_on_i,  // keeps the clock running
    // From CDMA.
    input  cbuf_wr_t             dat_wr_i,
    input  cbuf_wr_t             wt_wr_i,
    // To CSC.
    input  cbuf_rd_t             dat_rd_i,
    output logic [EntryBits-1:0] dat_rd_data_o,
    input  cbuf_rd_t             dat_rd_next_i,
    output logic [EntryBits-1:0] dat_rd_next_data_o,
    input  cbuf_rd_t             wt_rd_i,
    output logic [EntryBits-1:0] wt_rd_data_o,
    input  cbuf_rd_t             mask_rd_i,
    output logic [EntryBits-1:0] mask_rd_data_o
);
`ifdef NVDLA_BOTH_FORMS
  `define NVDLA_CBUF_HARDWARE
  `define NVDLA_CBUF_FAST
`elsif NVDLA_FAST_FORMS
  `define NVDLA_CBUF_FAST
`else
  `define NVDLA_CBUF_HARDWARE
`endif
  logic clk, mask_rd_valid;  // the clock of everything below

  logic [CbufWrAtoms-1:0] dat_wr_valid, wt_wr_valid, dat_wr_clear, wt_wr_clear;
  logic dat_rd_valid, dat_rd_next_valid, wt_rd_valid;
  logic [CbufWrAtoms*CbufAddrBits-1:0] dat_wr_addr, wt_wr_addr;
  logic [CbufAddrBits-1:0] dat_rd_addr, dat_rd_next_addr, wt_rd_addr;
  logic [CbufWrAtoms*AtomBits-1:0] dat_wr_data, wt_wr_data;
  logic [CbufWrAtoms*SlotBits-1:0] dat_wr_slot, wt_wr_slot;
  assign dat_wr_slot       = dat_wr_i.slot;
  assign wt_wr_slot        = wt_wr_i.slot;
  assign dat_wr_clear      = dat_wr_i.clear;
  assign wt_wr_clear       = wt_wr_i.clear;
  assign dat_wr_valid      = dat_wr_i.valid;
  assign dat_wr_addr       = dat_wr_i.addr;
  assign dat_wr_data       = dat_wr_i.data;
  assign wt_wr_valid       = wt_wr_i.valid;
  assign wt_wr_addr        = wt_wr_i.addr;
  assign wt_wr_data        = wt_wr_i.data;
  assign dat_rd_valid      = dat_rd_i.valid;
  assign dat_rd_addr       = dat_rd_i.addr;
  assign dat_rd_next_valid = dat_rd_next_i.valid;
  assign dat_rd_next_addr  = dat_rd_next_i.addr;
  assign wt_rd_valid       = wt_rd_i.valid;
  assign wt_rd_addr        = wt_rd_i.addr;

  // Of each atom: the slot that takes it, and all slots that are written.
  logic [CbufWrAtoms*Slots-1:0] dat_hit, dat_en, wt_hit, wt_en;
  for (genvar a = 0; a < CbufWrAtoms; a++) begin : gen_atom
    logic [Slots-1:0] dat_slot, wt_slot;
    assign dat_slot = Slots'(1) << dat_wr_slot[a*SlotBits+:SlotBits];
    assign wt_slot  = Slots'(1) << wt_wr_slot[a*SlotBits+:SlotBits];
    assign dat_hit[a*Slots+:Slots] = dat_slot;
    assign wt_hit[a*Slots+:Slots]  = wt_slot;
    assign dat_en[a*Slots+:Slots]  = !dat_wr_valid[a] ? '0 : dat_wr_clear[a] ? ~(dat_slot - 1'b1) : dat_slot;
    assign wt_en[a*Slots+:Slots]   = !wt_wr_valid[a] ? '0 : wt_wr_clear[a] ? ~(wt_slot - 1'b1) : wt_slot;
  end

  // Clock: an access at a port.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni(1'b1),  // nothing here is reset
      .on_i  (clk_on_i),
      .work_i(dat_wr_valid != '0 || wt_wr_valid != '0 || dat_rd_valid || dat_rd_next_valid || wt_rd_valid ||
               mask_rd_valid),
      .clk_o (clk)
  );

  assign mask_rd_valid = WeightCompression != 0 && mask_rd_i.valid;

`ifdef NVDLA_CBUF_HARDWARE
  logic [4*EntryBits-1:0] rd_data;
  nvdla_cbuf_banks u_banks (
      .clk_i     (clk),
      .wr_en_i   ({wt_en, dat_en}),
      .wr_hit_i  ({wt_hit, dat_hit}),
      .wr_addr_i ({wt_wr_addr, dat_wr_addr}),
      .wr_data_i ({wt_wr_data, dat_wr_data}),
      .rd_valid_i({mask_rd_valid, wt_rd_valid, dat_rd_next_valid, dat_rd_valid}),
      .rd_addr_i ({mask_rd_i.addr, wt_rd_addr, dat_rd_next_addr, dat_rd_addr}),
      .rd_data_o (rd_data)
  );
  assign dat_rd_data_o      = rd_data[0+:EntryBits];
  assign dat_rd_next_data_o = rd_data[EntryBits+:EntryBits];
  assign wt_rd_data_o       = rd_data[2*EntryBits+:EntryBits];
  assign mask_rd_data_o     = (WeightCompression != 0) ? rd_data[3*EntryBits+:EntryBits] : '0;
`endif

`ifdef NVDLA_CBUF_FAST
  logic [EntryBits-1:0] fast_dat, fast_dat_next, fast_wt, fast_mask;
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    logic [AtomBits-1:0] mem_q[0:CbufEntries-1];
    logic [AtomBits-1:0] dat_q, dat_next_q, wt_q;

    always_ff @(posedge clk) begin
      for (int a = 0; a < CbufWrAtoms; a++) begin
        if (dat_en[a*Slots+s]) mem_q[dat_wr_addr[a*CbufAddrBits+:CbufAddrBits]] <= dat_hit[a*Slots+s] ?
            dat_wr_data[a*AtomBits+:AtomBits] : '0;
        if (wt_en[a*Slots+s]) mem_q[wt_wr_addr[a*CbufAddrBits+:CbufAddrBits]] <= wt_hit[a*Slots+s] ?
            wt_wr_data[a*AtomBits+:AtomBits] : '0;
      end
      if (dat_rd_valid) dat_q <= mem_q[dat_rd_addr];
      if (dat_rd_next_valid) dat_next_q <= mem_q[dat_rd_next_addr];
      if (wt_rd_valid) wt_q <= mem_q[wt_rd_addr];
    end

    assign fast_dat[s*AtomBits+:AtomBits]      = dat_q;
    assign fast_dat_next[s*AtomBits+:AtomBits] = dat_next_q;
    assign fast_wt[s*AtomBits+:AtomBits]       = wt_q;

    if (WeightCompression != 0) begin : gen_mask
      logic [AtomBits-1:0] mask_q;
      always_ff @(posedge clk) if (mask_rd_valid) mask_q <= mem_q[mask_rd_i.addr];
      assign fast_mask[s*AtomBits+:AtomBits] = mask_q;
    end else begin : gen_no_mask
      assign fast_mask[s*AtomBits+:AtomBits] = '0;
    end
  end
`ifdef NVDLA_CBUF_HARDWARE
  logic [3:0] read_q;
  always_ff @(posedge clk)
    read_q <= {mask_rd_valid, wt_rd_valid, dat_rd_next_valid, dat_rd_valid};
  wire unused_fast = &{1'b0, read_q, fast_dat, fast_dat_next, fast_wt, fast_mask};
`else
  assign dat_rd_data_o      = fast_dat;
  assign dat_rd_next_data_o = fast_dat_next;
  assign wt_rd_data_o       = fast_wt;
  assign mask_rd_data_o     = fast_mask;
`endif
`endif

  if (WeightCompression == 0) begin : gen_unused_mask
    wire unused_mask = &{1'b0, mask_rd_i};
  end

  `NVDLA_PARAM(ShapeLegal, CbufEntries == 2 ** CbufAddrBits && Slots * AtomBits == EntryBits)

`ifdef NVDLA_CHECKS
  // There is no reset here: the checks begin with the first clock.
  logic begun_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;
  // Data is never in the last bank, weights never in the first one (chapter 30 section 4.2).
  function automatic logic in_bank(input logic [CbufAddrBits-1:0] a, input int bank);
    return 32'(a) / BankEntries == bank;
  endfunction
  `NVDLA_CHECK_AT(ReadsKeepToTheirBanks, clk_i, begun_q,
                  !(dat_rd_valid && in_bank(dat_rd_addr, CbufBanks - 1)) &&
                  !(dat_rd_next_valid && in_bank(dat_rd_next_addr, CbufBanks - 1)) &&
                  !(wt_rd_valid && in_bank(wt_rd_addr, 0)) &&
                  !(mask_rd_valid && !in_bank(mask_rd_i.addr, CbufBanks - 1)))
  // Half banks (chapter 30 section 4.1) take one write and one read a clock: {even or odd, bank} of two must differ.
  function automatic logic one_half(input logic [CbufAddrBits-1:0] a, input logic [CbufAddrBits-1:0] b);
    return a[0] == b[0] && 32'(a) / BankEntries == 32'(b) / BankEntries;
  endfunction
  for (genvar a = 0; a < CbufWrAtoms; a++) begin : gen_checks
    for (genvar b = 0; b < CbufWrAtoms; b++) begin : gen_pair
      `NVDLA_CHECK_AT(PortsWriteApart, clk_i, begun_q,
                      !(dat_wr_valid[a] && wt_wr_valid[b] &&
                      one_half(dat_wr_addr[a*CbufAddrBits+:CbufAddrBits], wt_wr_addr[b*CbufAddrBits+:CbufAddrBits])))
      if (a < b) begin : gen_two
        `NVDLA_CHECK_AT(AtomsGoApart, clk_i, begun_q,
                        (dat_en[a*Slots+:Slots] & dat_en[b*Slots+:Slots]) == '0 ||
                        dat_wr_addr[a*CbufAddrBits] != dat_wr_addr[b*CbufAddrBits])
        `NVDLA_CHECK_AT(WeightsGoApart, clk_i, begun_q,
                        (wt_en[a*Slots+:Slots] & wt_en[b*Slots+:Slots]) == '0 ||
                        wt_wr_addr[a*CbufAddrBits] != wt_wr_addr[b*CbufAddrBits])
      end
    end
    `NVDLA_CHECK_AT(WritesKeepToTheirBanks, clk_i, begun_q,
                    !(dat_wr_valid[a] && in_bank(dat_wr_addr[a*CbufAddrBits+:CbufAddrBits], CbufBanks - 1)) &&
                    !(wt_wr_valid[a] && in_bank(wt_wr_addr[a*CbufAddrBits+:CbufAddrBits], 0)))
    `NVDLA_CHECK_AT(SlotLegal, clk_i, begun_q,
                    !(dat_wr_valid[a] && 32'(dat_wr_slot[a*SlotBits+:SlotBits]) >= Slots) &&
                    !(wt_wr_valid[a] && 32'(wt_wr_slot[a*SlotBits+:SlotBits]) >= Slots))
  end
  `NVDLA_CHECK_AT(NextIsOfTheOtherParity, clk_i, begun_q,
                  !(dat_rd_valid && dat_rd_next_valid) || dat_rd_addr[0] != dat_rd_next_addr[0])
  logic [3:0] reads;
  logic [4*CbufAddrBits-1:0] read_addr;
  assign reads = {mask_rd_valid, wt_rd_valid, dat_rd_next_valid, dat_rd_valid};
  assign read_addr = {mask_rd_i.addr, wt_rd_addr, dat_rd_next_addr, dat_rd_addr};
  for (genvar r = 0; r < 4; r++) begin : gen_readers
    for (genvar o = 0; o < r; o++) begin : gen_pair
      `NVDLA_CHECK_AT(PortsReadApart, clk_i, begun_q,
                      !(reads[r] && reads[o] &&
                      one_half(read_addr[r*CbufAddrBits+:CbufAddrBits], read_addr[o*CbufAddrBits+:CbufAddrBits])))
    end
    // The entry after the last one of an image may be written while it is read; nothing looks at it then.
    for (genvar a = 0; a < CbufWrAtoms && r != 1; a++) begin : gen_write
      `NVDLA_CHECK_AT(ReadsWhatIsThere, clk_i, begun_q,
                      !(reads[r] &&
                      ((dat_wr_valid[a] &&
                      dat_wr_addr[a*CbufAddrBits+:CbufAddrBits] == read_addr[r*CbufAddrBits+:CbufAddrBits]) ||
                      (wt_wr_valid[a] &&
                      wt_wr_addr[a*CbufAddrBits+:CbufAddrBits] == read_addr[r*CbufAddrBits+:CbufAddrBits]))))
    end
  end
`ifdef NVDLA_BOTH_FORMS
  `NVDLA_CHECK_AT(FormsAgree, clk_i, begun_q,
                  (!read_q[0] || dat_rd_data_o == fast_dat) && (!read_q[1] || dat_rd_next_data_o == fast_dat_next) &&
                  (!read_q[2] || wt_rd_data_o == fast_wt) && (!read_q[3] || mask_rd_data_o == fast_mask))
`endif
`endif

`undef NVDLA_CBUF_HARDWARE
`undef NVDLA_CBUF_FAST
endmodule
