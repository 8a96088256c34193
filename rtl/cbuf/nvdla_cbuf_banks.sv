// The memories of CBUF as hardware has them: every bank is two half banks, of its even and of its odd entries, and of
// these each slot a memory with one write and one read port (nvdla_ram).
//
// Write port 0 is data, 1 weights; each takes CbufWrAtoms atoms a clock. wr_en_i: the slots that atom a of port p
// writes, at (p * CbufWrAtoms + a) * Slots; wr_hit_i: the one that takes its data, the others become 0. Read ports are
// data, its next entry (of the other parity), weights, and mask bits (the last bank); rd_data_o comes in the clock
// after rd_valid_i and is meant only there. Data is never in the last bank, weights never in the first one, and those
// paths do not exist. In one clock at most one read and one write of a half bank's memory; nvdla_cbuf has the checks.
// Spec: 30-cdma-cbuf, sections 4.1 and 4.2.
`include "nvdla_check.svh"
module nvdla_cbuf_banks
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
(
    input  logic                                       clk_i,
    input  logic [            2*CbufWrAtoms*Slots-1:0] wr_en_i,
    input  logic [            2*CbufWrAtoms*Slots-1:0] wr_hit_i,
    input  logic [2*CbufWrAtoms-1:0][CbufAddrBits-1:0] wr_addr_i,
    input  logic [    2*CbufWrAtoms-1:0][AtomBits-1:0] wr_data_i,
    input  logic [                                3:0] rd_valid_i,
    input  logic [              3:0][CbufAddrBits-1:0] rd_addr_i,
    output logic [                 3:0][EntryBits-1:0] rd_data_o
);
  localparam int HalfEntries = BankEntries / 2;
  localparam int IndexBits = $clog2(HalfEntries);  // of an entry's place in its half bank
  localparam int BankBits = CbufAddrBits - IndexBits - 1;
  localparam int BankLow = IndexBits + 1;

  logic [1:0] pair_valid, wt_valid;
  logic [2*EntryBits-1:0] pair_data, wt_data, mask_data;  // of the even and odd entries
  logic [CbufAddrBits-1:0] wt_addr, mask_addr;
  logic [BankBits-1:0] wt_bank_q;
  assign wt_addr = rd_addr_i[2];
  assign mask_addr = rd_addr_i[3];

  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic [CbufBanks*EntryBits-1:0] half_data;  // what half banks give
    logic [BankBits-1:0] pair_bank_q;
    // What a port writes to a slot of the even or odd entries, of whatever bank. Of one atom a clock nothing depends on
    // the parity but the enable, so that both half banks of a bank share one choice between the ports.
    logic [2*Slots-1:0] port_en;
    logic [2*Slots*CbufAddrBits-1:0] port_addr;
    logic [2*Slots*AtomBits-1:0] port_data;
    always_comb begin
      logic here;
      port_en   = '0;
      port_addr = '0;
      port_data = '0;
      here      = 1'b0;
      for (int a = 0; a < 2 * CbufWrAtoms; a++)
        for (int s = 0; s < Slots; s++) begin
          here = wr_en_i[a*Slots+s] && 1'(wr_addr_i[a]) == 1'(h);
          if (here) port_en[a/CbufWrAtoms*Slots+s] = 1'b1;
          if (here || CbufWrAtoms == 1) begin
            port_addr[(a/CbufWrAtoms*Slots+s)*CbufAddrBits+:CbufAddrBits] = wr_addr_i[a];
            port_data[(a/CbufWrAtoms*Slots+s)*AtomBits+:AtomBits] = wr_hit_i[a*Slots+s] ? wr_data_i[a] : '0;
          end
        end
    end
    // The weight port writes to its address: what chooses it in front of a bank.
    logic [Slots-1:0] wt_writes;
    assign wt_writes = (CbufWrAtoms == 1) ? {Slots{wr_en_i[Slots+:Slots] != '0}} : port_en[Slots+:Slots];

    // The data entry of this parity, of both data ports: an entry and the next one are even and odd.
    logic first_here;
    logic [CbufAddrBits-1:0] pair_addr;
    assign first_here = rd_valid_i[0] && rd_addr_i[0][0] == 1'(h);
    assign pair_addr = first_here ? rd_addr_i[0] : rd_addr_i[1];
    assign pair_valid[h] = first_here || (rd_valid_i[1] && rd_addr_i[1][0] == 1'(h));
    assign wt_valid[h] = rd_valid_i[2] && wt_addr[0] == 1'(h);
    always_ff @(posedge clk_i) if (pair_valid[h]) pair_bank_q <= pair_addr[BankLow+:BankBits];

    for (genvar b = 0; b < CbufBanks; b++) begin : gen_bank
      localparam bit Data = b != CbufBanks - 1, Weights = b != 0;
      logic pair_here, wt_here, mask_here;
      logic [IndexBits-1:0] rd_index;
      assign pair_here = Data && pair_valid[h] && pair_addr[BankLow+:BankBits] == BankBits'(b);
      assign wt_here = Weights && wt_valid[h] && wt_addr[BankLow+:BankBits] == BankBits'(b);
      assign mask_here = !Data && rd_valid_i[3] && mask_addr[0] == 1'(h);
      assign rd_index = mask_here ? mask_addr[1+:IndexBits] : wt_here ? wt_addr[1+:IndexBits] : pair_addr[1+:IndexBits];

      for (genvar s = 0; s < Slots; s++) begin : gen_slot
        logic dat_en, wt_en, wt_wr;
        assign dat_en = Data && port_en[s] && port_addr[s*CbufAddrBits+BankLow+:BankBits] == BankBits'(b);
        assign wt_wr = Weights && wt_writes[s] && port_addr[(Slots+s)*CbufAddrBits+BankLow+:BankBits] == BankBits'(b);
        assign wt_en = wt_wr && port_en[Slots+s];
        nvdla_ram #(
            .Width(AtomBits),
            .Words(HalfEntries),
            .Style("block")
        ) u_ram (
            .clk_i,
            .wr_en_i  (dat_en || wt_en),
            .wr_addr_i((!Data || wt_wr) ? port_addr[(Slots+s)*CbufAddrBits+1+:IndexBits] :
                       port_addr[s*CbufAddrBits+1+:IndexBits]),
            .wr_data_i((!Data || wt_wr) ? port_data[(Slots+s)*AtomBits+:AtomBits] : port_data[s*AtomBits+:AtomBits]),
            .rd_en_i  (pair_here || wt_here || mask_here),
            .rd_addr_i(rd_index),
            .rd_data_o(half_data[(b*Slots+s)*AtomBits+:AtomBits])
        );
      end
    end

    assign pair_data[h*EntryBits+:EntryBits] = half_data[pair_bank_q*EntryBits+:EntryBits];
    assign wt_data[h*EntryBits+:EntryBits]   = half_data[wt_bank_q*EntryBits+:EntryBits];
    assign mask_data[h*EntryBits+:EntryBits] = half_data[(CbufBanks-1)*EntryBits+:EntryBits];

    logic [2*Slots-1:0] unused_even;
    for (genvar s = 0; s < 2 * Slots; s++) begin : gen_unused
      assign unused_even[s] = port_addr[s*CbufAddrBits];  // the same in all of a half
    end
    wire unused_parity = &{1'b0, unused_even, pair_addr[0]};
  end

  // The parity that a port has read.
  logic [3:0] odd_q;
  for (genvar r = 0; r < 4; r++) begin : gen_reader
    always_ff @(posedge clk_i) if (rd_valid_i[r]) odd_q[r] <= rd_addr_i[r][0];
  end
  always_ff @(posedge clk_i) if (rd_valid_i[2]) wt_bank_q <= wt_addr[BankLow+:BankBits];
  assign rd_data_o[0] = odd_q[0] ? pair_data[EntryBits+:EntryBits] : pair_data[0+:EntryBits];
  assign rd_data_o[1] = odd_q[1] ? pair_data[EntryBits+:EntryBits] : pair_data[0+:EntryBits];
  assign rd_data_o[2] = odd_q[2] ? wt_data[EntryBits+:EntryBits] : wt_data[0+:EntryBits];
  assign rd_data_o[3] = odd_q[3] ? mask_data[EntryBits+:EntryBits] : mask_data[0+:EntryBits];
  wire unused_bank = &{1'b0, mask_addr};

  `NVDLA_PARAM(BanksLegal, CbufBanks == 2 ** BankBits && BankEntries == 2 ** BankLow)
endmodule
