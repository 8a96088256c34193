// Address of the current block of a cube, in the order line, group of CdpColumns columns, surface.
//
// load_i starts a layer; step_i leaves a block and shows what it was last of. Strides in bytes. Byte sums of base and
// strides are passed on as they are (20-data-formats section 9).
// Spec: 62-cdp, section 9.
`include "nvdla_check.svh"
module nvdla_cdp_address
  import nvdla_pkg::*;
  import nvdla_cdp_pkg::*;
(
    input  logic                clk_i,
    input  logic                load_i,
    input  logic [AddrBits-1:0] base_i,
    input  logic [        31:0] line_stride_i,
    input  logic [        31:0] surface_stride_i,
    input  logic                step_i,
    input  logic                surface_last_i,
    input  logic                line_last_i,
    output logic [AddrBits-1:0] addr_o
);
  logic [AddrBits-1:0] line_q, column_q, addr_q;
  logic [AddrBits-1:0] line_next, column_next;

  assign line_next = line_q + AddrBits'(line_stride_i);
  assign column_next = line_last_i ? line_next : column_q + AddrBits'(CdpColumns * MemAtom);

  assign addr_o = addr_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      line_q <= base_i;
      column_q <= base_i;
      addr_q <= base_i;
    end else if (step_i) begin
      if (!surface_last_i) begin
        addr_q <= addr_q + AddrBits'(surface_stride_i);
      end else begin
        addr_q <= column_next;
        column_q <= column_next;
        if (line_last_i) line_q <= line_next;
      end
    end
  end

`ifdef NVDLA_CHECKS
  // There is no reset here: the checks begin with the first layer. Blocks that were left, as numbers of what they were
  // part of.
  logic begun_q;
  logic [AddrBits-1:0] base_seen_q, lines_seen_q, groups_seen_q, surfaces_seen_q;
  initial begun_q = 1'b0;
  always_ff @(posedge clk_i)
    if (load_i) begin
      begun_q         <= 1'b1;
      base_seen_q     <= base_i;
      lines_seen_q    <= '0;
      groups_seen_q   <= '0;
      surfaces_seen_q <= '0;
    end else if (step_i) begin
      surfaces_seen_q <= surface_last_i ? '0 : surfaces_seen_q + 1'b1;
      if (surface_last_i) groups_seen_q <= line_last_i ? '0 : groups_seen_q + 1'b1;
      if (surface_last_i && line_last_i) lines_seen_q <= lines_seen_q + 1'b1;
    end
  `NVDLA_CHECK_AT(AddressOfItsBlock, clk_i, begun_q,
                  !step_i || addr_o == base_seen_q + lines_seen_q * AddrBits'(line_stride_i) +
                  groups_seen_q * AddrBits'(CdpColumns * MemAtom) + surfaces_seen_q * AddrBits'(surface_stride_i))
  `NVDLA_CHECK_AT(NoStepWhileLoading, clk_i, begun_q, !(load_i && step_i))
`endif
endmodule
