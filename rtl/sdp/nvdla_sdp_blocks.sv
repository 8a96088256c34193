// DMA requests of a cube in any order of its blocks, in configurations with 16-bit precisions.
//
// While run_i is high the requests come out on a valid/ready stream, the first one clock after run_i's rise, last_o
// with the last one. Loops, outermost first: surfaces; lines, one by one or with band_i in bands of four; blocks of
// block_i columns of the line; the lines of the band; item_count_i + 1 items. A request is a block of a line of an
// item: base + surface * surface stride + line * line stride + column * column bytes + item * item stride, of size_o +
// 1 atoms. whole_i: a block is all columns of the line. With align_i a block that begins with an odd atom is one
// column. A column has 2^column_log_i atoms. stall_o, clear_i, count_i: nvdla_rdma_walk. Bases and strides must be
// aligned by the caller; lines of bands are a multiple of four.
// Spec: 50-sdp sections 3.2, 4 and 8.
`include "nvdla_check.svh"
module nvdla_sdp_blocks
  import nvdla_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic [AddrBits-1:0] item_stride_i,
    input  logic [        12:0] line_count_i,     // minus 1
    input  logic [        12:0] surface_count_i,  // minus 1
    input  logic [        13:0] column_count_i,   // minus 1
    input  logic [         4:0] item_count_i,     // minus 1
    input  logic [         1:0] column_log_i,
    input  logic                whole_i,
    input  logic                band_i,
    input  logic                align_i,
    input  logic [         3:0] block_i,
    input  logic                clear_i,
    input  logic                count_i,
    output logic [        31:0] stall_o,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AddrBits-1:0] addr_o,
    output logic [        15:0] size_o,  // minus 1
    output logic                last_o
);
  localparam int AtomShift = $clog2(MemAtom);
  logic issue, unused_start, unused_drain;

  // Addresses of the present surface, of the band's first line, of the block there, of the block in the present line,
  // of the item.
  logic [AddrBits-1:0] surface_q, band_q, block_q, line_q, addr_q;
  logic [12:0] surfaces_left_q, lines_left_q;  // of lines: below the first one of the band
  logic [13:0] columns_left_q;                 // minus 1, from the block on
  logic [4:0] item_q;
  logic [1:0] band_line_q;

  logic last_item, last_line, last_block, last_band;
  logic [13:0] columns;  // of the block
  assign columns = whole_i ? columns_left_q + 14'd1 : (align_i && block_q[AtomShift]) ? 14'd1 :
                   (columns_left_q < 14'(block_i)) ? columns_left_q + 14'd1 : 14'(block_i);
  assign last_item = item_q == item_count_i;
  assign last_line = !band_i || band_line_q == 2'd3;
  assign last_block = columns_left_q < columns;
  assign last_band = lines_left_q == (band_i ? 13'd3 : 13'd0);
  assign addr_o = addr_q;
  assign size_o = 16'(({4'd0, columns} << column_log_i) - 18'd1);
  assign last_o = last_item && last_line && last_block && last_band && surfaces_left_q == 13'd0;

  nvdla_rdma_walk u_walk (
      .clk_i,
      .rst_ni,
      .run_i,
      .done_i     (!run_i),
      .start_o    (unused_start),
      .drain_o    (unused_drain),
      .offer_i    (1'b1),
      .req_valid_o(valid_o),
      .req_ready_i(ready_i),
      .req_last_i (last_o),
      .issue_o    (issue),
      .clear_i,
      .count_i,
      .stall_o
  );

  // Where the next request of each loop begins.
  logic [AddrBits-1:0] next_surface, next_band, next_block, next_line;
  assign next_surface = surface_q + surface_stride_i;
  assign next_band = band_q + (band_i ? line_stride_i << 2 : line_stride_i);
  assign next_block = block_q + (AddrBits'(columns) << column_log_i << AtomShift);
  assign next_line = line_q + line_stride_i;

  always_ff @(posedge clk_i) begin
    if (!valid_o) begin
      {surface_q, band_q, block_q, line_q, addr_q} <= {5{base_i}};
      surfaces_left_q <= surface_count_i;
      lines_left_q <= line_count_i;
      columns_left_q <= column_count_i;
      item_q <= 5'd0;
      band_line_q <= 2'd0;
    end else if (issue) begin
      if (!last_item) begin
        item_q <= item_q + 5'd1;
        addr_q <= addr_q + item_stride_i;
      end else begin
        item_q <= 5'd0;
        if (!last_line) begin
          band_line_q <= band_line_q + 2'd1;
          {line_q, addr_q} <= {2{next_line}};
        end else begin
          band_line_q <= 2'd0;
          if (!last_block) begin
            columns_left_q <= columns_left_q - columns;
            {block_q, line_q, addr_q} <= {3{next_block}};
          end else begin
            columns_left_q <= column_count_i;
            if (!last_band) begin
              lines_left_q <= lines_left_q - (band_i ? 13'd4 : 13'd1);
              {band_q, block_q, line_q, addr_q} <= {4{next_band}};
            end else begin
              lines_left_q <= line_count_i;
              surfaces_left_q <= surfaces_left_q - 13'd1;
              {surface_q, band_q, block_q, line_q, addr_q} <= {5{next_surface}};
            end
          end
        end
      end
    end
  end

  `NVDLA_STABLE(RequestStable, valid_o, ready_i, {addr_o, size_o, last_o})
`ifdef NVDLA_CHECKS
  // Atoms of the layer.
  logic [63:0] atoms_q, atoms;
  assign atoms = ((64'(column_count_i) + 64'd1) << column_log_i) * (64'(line_count_i) + 64'd1) *
      (64'(surface_count_i) + 64'd1) *
                 (64'(item_count_i) + 64'd1);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) atoms_q <= '0;
    else if (!run_i) atoms_q <= '0;
    else if (valid_o && ready_i) atoms_q <= atoms_q + 64'(size_o) + 64'd1;
  `NVDLA_CHECK(LayerEndsWithItsLastAtom, !valid_o || last_o == (atoms_q + 64'(size_o) + 64'd1 == atoms))
  `NVDLA_CHECK(RequestsOfWholeAtoms, !valid_o || addr_o[$clog2(MemAtom)-1:0] == '0)
  `NVDLA_CHECK(WholeBands, !valid_o || !band_i || line_count_i[1:0] == 2'd3)
`endif
endmodule
