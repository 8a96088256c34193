// MRDMA: reads the input cube of a layer and delivers it atom by atom in plain order (surface, line, column).
//
// run_i is high while a layer with a memory source is active. One DMA request per line; a 1x1 cube is packed and read
// by one request. done_o rises when the last atom has been taken and stays high until run_i falls.
// stall_o, clear_i, count_i: nvdla_sdp_reader (D_PERF_MRDMA_READ_STALL).
// split_i: an INT16 cube for INT8 processing, of which a column is an atom of each of two surfaces
// (nvdla_sdp_interleave); surface_count_i counts pairs of surfaces. specials_i: elements are FP16, and the lanes of all
// atoms with NaN and with infinity are counted in nans_o and infinities_o, which begin at 0 and stay at their largest
// value; without it they keep their values.
// Stream out: one atom (AtomBits) a transfer. Latency from run_i to the request: 1 clock; from response to stream:
// none.
// Spec: 50-sdp sections 3.2 and 10.
`include "nvdla_check.svh"
module nvdla_sdp_rdma_main
  import nvdla_pkg::*;
#(
    parameter int Depth = 8  // atoms of the latency buffer
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [        12:0] width_i,          // minus 1
    input  logic [        12:0] height_i,         // minus 1
    input  logic [        12:0] surface_count_i,  // minus 1
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic                ram_i,
    input  logic                split_i,
    input  logic                specials_i,
    output logic [        31:0] nans_o,
    output logic [        31:0] infinities_o,
    output logic                done_o,
    input  logic                clear_i,
    input  logic                count_i,
    output logic [        31:0] stall_o,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AtomBits-1:0] data_o,
    output logic                busy_o,
    output mif_rd_req_t         mif_o,
    input  mif_rd_rsp_t         mif_i
);
  logic single, step, column_end, last, done_q, unused_second, unused_turn_end, unused_round_end,
      unused_last_of_surface;
  logic read_valid, read_ready, reader_busy;
  logic [AtomBits-1:0] read_data;

  assign single = width_i == 13'd0 && height_i == 13'd0;
  assign step = valid_o && ready_i;
  assign done_o = done_q;

  nvdla_sdp_reader #(
      .Depth(Depth)
  ) u_reader (
      .clk_i,
      .rst_ni,
      .run_i,
      .base_i,
      .line_stride_i,
      .surface_stride_i,
      .line_count_i(height_i),
      .surface_count_i,
      .single_i    (single),
      .size_i      (single ? (split_i ? {2'd0, surface_count_i, 1'b1} : {3'd0, surface_count_i}) : {3'd0, width_i}),
      .split_i     (split_i && !single),
      .winograd_i  (1'b0),
      .column_log_i(2'd0),
      .ram_i,
      .clear_i,
      .count_i,
      .stall_o,
      .valid_o     (read_valid),
      .ready_i     (read_ready),
      .data_o      (read_data),
      .busy_o      (reader_busy),
      .mif_o,
      .mif_i
  );

  if (LaneBytes == 2) begin : gen_wide
    logic odd_q;  // of a split column, the second atom is next
    nvdla_sdp_interleave u_interleave (
        .clk_i,
        .rst_ni,
        .run_i,
        .on_i   (split_i && !single),
        .width_i,
        .valid_i(read_valid),
        .ready_o(read_ready),
        .data_i (read_data),
        .valid_o,
        .ready_i,
        .data_o
    );
    assign column_end = !split_i || odd_q;
    assign busy_o = reader_busy || (valid_o && ready_i);
    always_ff @(posedge clk_i) begin
      if (!run_i) odd_q <= 1'b0;
      else if (step) odd_q <= !odd_q;
    end
  end else begin : gen_int8
    assign valid_o = read_valid;
    assign read_ready = ready_i;
    assign data_o = read_data;
    assign busy_o = reader_busy;
    assign column_end = 1'b1;
  end

  if (Fp16 != 0) begin : gen_specials
    logic run_q;
    logic [31:0] nans_q, infinities_q;
    assign nans_o = nans_q;
    assign infinities_o = infinities_q;
    always_ff @(posedge clk_i or negedge rst_ni)
      if (!rst_ni) begin
        run_q <= 1'b0;
        nans_q <= 32'd0;
        infinities_q <= 32'd0;
      end else begin
        run_q <= run_i;
        if (specials_i && run_i && !run_q) begin
          nans_q <= 32'd0;
          infinities_q <= 32'd0;
        end else if (specials_i && step) begin
          nans_q <= nvdla_sdp_pkg::count_up(nans_q, nvdla_sdp_pkg::fp16_nans(data_o));
          infinities_q <= nvdla_sdp_pkg::count_up(infinities_q, nvdla_sdp_pkg::fp16_infinities(data_o));
        end
      end
  end else begin : gen_no_specials
    assign nans_o = '0;
    assign infinities_o = '0;
    wire unused_specials = &{1'b0, specials_i};
  end

  nvdla_sdp_walk u_walk (
      .clk_i            (clk_i),
      .clear_i          (!run_i),
      .step_i           (step && column_end),
      .width_i          (width_i),
      .height_i         (height_i),
      .surface_count_i  (surface_count_i),
      .batches_i        (5'd0),
      .second_o         (unused_second),
      .turn_end_o       (unused_turn_end),
      .round_end_o      (unused_round_end),
      .last_of_surface_o(unused_last_of_surface),
      .last_o           (last)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (!run_i) done_q <= 1'b0;
    else if (step && column_end && last) done_q <= 1'b1;
  end

  `NVDLA_STABLE(AtomStable, valid_o, ready_i, data_o)
  `NVDLA_CHECK(NothingAfterTheLastAtom, !(step && done_o))
  `NVDLA_CHECK(AtomsOnlyInLayer, !valid_o || run_i)
endmodule
