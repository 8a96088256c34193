// Accounts of CSC: lines and kernels that CDMA has reported and CSC has not used, and what CSC gives back.
// Spec: 30-cdma-cbuf, section 9; 40-convolution-core, section 4.
`include "nvdla_check.svh"
module nvdla_csc_account
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
  import nvdla_conv_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // What CDMA reports.
    input  logic                      dat_up_valid_i,
    input  logic                      wt_up_valid_i,
    input  logic [      SizeBits-1:0] dat_up_slices_i,
    input  logic [      SizeBits-1:0] wt_up_kernels_i,
    // Of the layer (nvdla_csc_layer).
    input  logic                      clear_data_i,
    input  logic                      clear_weight_i,
    input  logic                      drop_data_i,
    input  logic                      drop_weight_i,
    input  logic                      skip_data_i,
    input  logic [      SizeBits-1:0] last_left_i,
    input  logic [      SizeBits-1:0] last_kernels_i,
    input  logic [      SizeBits-1:0] release_slices_i,
    input  logic [      SizeBits-1:0] height_i,
    input  logic [EntryCountBits-1:0] last_left_entries_i,
    input  logic [EntryCountBits-1:0] last_weight_entries_i,
    input  logic [EntryCountBits-1:0] release_entries_i,
    input  logic [EntryCountBits-1:0] data_ring_i,
    // Its last input has been read; an operation takes kernels; entries of a group are free.
    input  logic                      read_done_i,
    input  logic                      take_valid_i,
    input  logic [      SizeBits-1:0] take_kernels_i,
    input  logic                      group_rl_valid_i,
    input  logic [EntryCountBits-1:0] group_rl_entries_i,
    output logic                      slices_ok_o,  // all lines of the layer are in CBUF
    output logic [      SizeBits-1:0] kernels_avl_o,
    output logic [  CbufAddrBits-1:0] base_o,  // the oldest line
    // Released to CDMA.
    output logic                      dat_rl_valid_o,
    output logic                      wt_rl_valid_o,
    output logic [      SizeBits-1:0] dat_rl_slices_o,
    output logic [EntryCountBits-1:0] dat_rl_entries_o,
    output logic [EntryCountBits-1:0] wt_rl_entries_o
);
  logic [SizeBits-1:0] slices_q;
  logic [EntryCountBits-1:0] base_q, moved;
  logic drop;

  assign base_o = base_q[CbufAddrBits-1:0];
  assign drop = read_done_i && !skip_data_i;
  assign moved = drop_data_i ? last_left_entries_i : release_entries_i;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      slices_q       <= '0;
      kernels_avl_o  <= '0;
      base_q         <= '0;
      slices_ok_o    <= 1'b0;
      dat_rl_valid_o <= 1'b0;
    end else begin
      dat_rl_valid_o <= drop_data_i || drop;
      slices_ok_o    <= slices_q >= height_i;
      if (clear_data_i) begin
        slices_q <= '0;
        base_q   <= '0;
      end else begin
        if (dat_up_valid_i || drop_data_i || drop)
          slices_q <= slices_q + (dat_up_valid_i ? dat_up_slices_i : '0) -
              (drop_data_i ? last_left_i : drop ? release_slices_i : '0);
        if (drop_data_i || drop)
          base_q <= conv_ring({1'b0, base_q} + {1'b0, moved}, data_ring_i);
      end
      if (clear_weight_i) kernels_avl_o <= '0;
      else if (wt_up_valid_i || drop_weight_i || take_valid_i)
        kernels_avl_o <= kernels_avl_o + (wt_up_valid_i ? wt_up_kernels_i : '0) -
            (drop_weight_i ? last_kernels_i : take_valid_i ? take_kernels_i : '0);
    end

  always_ff @(posedge clk_i)
    if (drop_data_i || drop) begin
      dat_rl_entries_o <= moved;
      dat_rl_slices_o  <= drop_data_i ? last_left_i : release_slices_i;
    end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) wt_rl_valid_o <= 1'b0;
    else wt_rl_valid_o <= drop_weight_i || (group_rl_valid_i && group_rl_entries_i != '0);

  always_ff @(posedge clk_i) if (drop_weight_i || group_rl_valid_i) wt_rl_entries_o <= drop_weight_i ?
      last_weight_entries_i :
      group_rl_entries_i;

`ifdef NVDLA_CHECKS
  int slices_held_q, kernels_held_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      slices_held_q  <= 0;
      kernels_held_q <= 0;
    end else begin
      if (clear_data_i) slices_held_q <= 0;
      else slices_held_q <= slices_held_q + (dat_up_valid_i ? 32'(dat_up_slices_i) : 0) -
          (dat_rl_valid_o ? 32'(dat_rl_slices_o) : 0);
      if (clear_weight_i) kernels_held_q <= 0;
      else
        kernels_held_q <= kernels_held_q + (wt_up_valid_i ? 32'(wt_up_kernels_i) : 0) -
            (take_valid_i ? 32'(take_kernels_i) : 0) -
            (drop_weight_i ? 32'(last_kernels_i) : 0);
    end
  `NVDLA_CHECK(SlicesAddUp, 32'(slices_q) == slices_held_q - (dat_rl_valid_o ? 32'(dat_rl_slices_o) : 0))
  `NVDLA_CHECK(KernelsAddUp, 32'(kernels_avl_o) == kernels_held_q)
  `NVDLA_CHECK(SlicesNeverNegative, slices_held_q >= 0)
  `NVDLA_CHECK(KernelsNeverNegative, kernels_held_q >= 0)
`endif
endmodule
