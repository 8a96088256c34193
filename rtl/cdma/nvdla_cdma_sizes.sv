// Group sizes of compressed weights (WGS): one 32-bit word per kernel group, bytes of its non-zero weights. Not stored
// in CBUF.
//
// Read one atom at a time, at most Ahead words ahead of the group that is being reported. start_i begins a layer of
// groups_i groups, enable_i says whether its weights are compressed. req_addr_o is a request while req_valid_o is 1;
// take_i accepts it. rsp_*: an atom. size_valid_o/size_o: the size of the next group to report; next_i: it has been
// reported.
// Spec: 30-cdma-cbuf, section 8.2; 20-data-formats, section 6.
`include "nvdla_check.svh"
module nvdla_cdma_sizes
  import nvdla_pkg::*;
  import nvdla_cdma_pkg::*;
(
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         start_i,
    input  logic                         enable_i,
    input  logic [         AddrBits-1:0] base_i,
    input  logic [         SizeBits-1:0] groups_i,
    output logic                         req_valid_o,
    input  logic                         take_i,
    output logic [         AddrBits-1:0] req_addr_o,
    input  logic                         rsp_valid_i,
    input  logic [AtomBits/32-1:0][31:0] rsp_data_i,
    output logic                         size_valid_o,
    output logic [                 31:0] size_o,
    input  logic                         next_i
);
  localparam int Ahead = 32;
  localparam int Words = MemAtom / 4;  // of an atom
  localparam int WordBits = $clog2(Words);
  localparam int Atoms = Ahead / Words;
  localparam int PtrBits = $clog2(Atoms);

  logic [SizeBits-1:0] todo_q;  // atoms not requested
  logic [AddrBits-1:0] addr_q;
  logic [PtrBits:0] reserved_q, stored_q;  // atoms requested and not used up; atoms here and not used up
  logic [PtrBits-1:0] wr_q, rd_q;
  logic [WordBits-1:0] word_q;
  logic [AtomBits-1:0] mem_q[0:Atoms-1];
  logic [AtomBits-1:0] atom;
  logic drop;

  assign req_valid_o  = todo_q != '0 && 32'(reserved_q) != Atoms;
  assign req_addr_o   = addr_q;
  assign size_valid_o = stored_q != '0;
  assign atom         = mem_q[rd_q];
  assign size_o       = atom[{word_q, 5'd0}+:32];
  assign drop         = next_i && word_q == '1;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      todo_q     <= '0;
      reserved_q <= '0;
      stored_q   <= '0;
      wr_q       <= '0;
      rd_q       <= '0;
      word_q     <= '0;
    end else if (start_i) begin
      todo_q     <= enable_i ? (groups_i + SizeBits'(Words - 1)) >> WordBits : '0;
      reserved_q <= '0;
      stored_q   <= '0;
      wr_q       <= '0;
      rd_q       <= '0;
      word_q     <= '0;
    end else begin
      if (take_i) todo_q <= todo_q - 1'b1;
      if (take_i != drop) reserved_q <= take_i ? reserved_q + 1'b1 : reserved_q - 1'b1;
      if (rsp_valid_i != drop) stored_q <= rsp_valid_i ? stored_q + 1'b1 : stored_q - 1'b1;
      if (rsp_valid_i) wr_q <= wr_q + 1'b1;
      if (next_i) word_q <= word_q + 1'b1;
      if (drop) rd_q <= rd_q + 1'b1;
    end

  always_ff @(posedge clk_i) begin
    if (start_i) addr_q <= base_i;
    else if (take_i) addr_q <= addr_q + AddrBits'(MemAtom);
    if (rsp_valid_i) mem_q[wr_q] <= rsp_data_i;
  end

  `NVDLA_PARAM(AheadLegal, Ahead % Words == 0 && Atoms == 2 ** PtrBits)
  `NVDLA_CHECK(TakesOnlyOffers, !take_i || req_valid_o)
  `NVDLA_CHECK(NextOnlyWhenThere, !next_i || size_valid_o)
  `NVDLA_CHECK(StoredAreReserved, stored_q <= reserved_q)
  `NVDLA_CHECK(ReservedFits, 32'(reserved_q) <= Atoms)

`ifdef NVDLA_CHECKS
  int way_q, words_q;  // atoms on their way, words used up
  logic [31:0] shadow_q[0:Ahead-1];
  int words_come_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      way_q        <= 0;
      words_q      <= 0;
      words_come_q <= 0;
    end else if (start_i) begin
      way_q        <= 0;
      words_q      <= 0;
      words_come_q <= 0;
    end else begin
      way_q <= way_q + 32'(take_i) - 32'(rsp_valid_i);
      if (rsp_valid_i) words_come_q <= words_come_q + Words;
      if (next_i) words_q <= words_q + 1;
    end
  always_ff @(posedge clk_i)
    if (rsp_valid_i) for (int i = 0; i < Words; i++) shadow_q[(words_come_q+i)%Ahead] <= rsp_data_i[i];
  `NVDLA_CHECK(AtomsOnlyAskedFor, !rsp_valid_i || way_q > 0)
  `NVDLA_CHECK(RoomForTheAtom, !rsp_valid_i || words_come_q - words_q + Words <= Ahead)
  `NVDLA_CHECK(SizeIsThere, size_valid_o == (words_come_q > words_q))
  `NVDLA_CHECK(SizesInOrder, !size_valid_o || size_o == shadow_q[words_q%Ahead])
`endif
endmodule
