// Bench top: CDMA and CBUF, with the read ports of CBUF and everything else of CDMA outside.
module cdma_bench
  import nvdla_pkg::*;
  import nvdla_cbuf_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    clk_on_i,
    input  logic                    rst_ni,
    input  logic                    csb_req_i,
    input  logic                    csb_write_i,
    input  logic [             9:0] csb_addr_i,
    input  logic [            31:0] csb_wdata_i,
    output logic [            31:0] csb_rdata_o,
    output mif_rd_req_t             dat_mif_o,
    input  mif_rd_rsp_t             dat_mif_i,
    output mif_rd_req_t             wt_mif_o,
    input  mif_rd_rsp_t             wt_mif_i,
    output logic                    dat_up_valid_o,
    output logic [            14:0] dat_up_entries_o,
    output logic [            13:0] dat_up_slices_o,
    output logic                    wt_up_valid_o,
    output logic [            13:0] wt_up_kernels_o,
    output logic [            14:0] wt_up_entries_o,
    input  logic                    dat_rl_valid_i,
    input  logic [            14:0] dat_rl_entries_i,
    input  logic [            13:0] dat_rl_slices_i,
    input  logic                    wt_rl_valid_i,
    input  logic [            14:0] wt_rl_entries_i,
    input  logic                    mask_rl_valid_i,
    input  logic [            14:0] mask_rl_entries_i,
    input  logic                    dat_pending_req_i,
    output logic                    dat_pending_ack_o,
    input  logic                    wt_pending_req_i,
    output logic                    wt_pending_ack_o,
    output logic [             1:0] dat_done_intr_o,
    output logic [             1:0] wt_done_intr_o,
    input  logic                    dat_rd_valid_i,
    input  logic [CbufAddrBits-1:0] dat_rd_addr_i,
    output logic [   EntryBits-1:0] dat_rd_data_o,
    input  logic                    dat_rd_next_valid_i,
    input  logic [CbufAddrBits-1:0] dat_rd_next_addr_i,
    output logic [   EntryBits-1:0] dat_rd_next_data_o,
    input  logic                    wt_rd_valid_i,
    input  logic [CbufAddrBits-1:0] wt_rd_addr_i,
    output logic [   EntryBits-1:0] wt_rd_data_o,
    input  logic                    mask_rd_valid_i,
    input  logic [CbufAddrBits-1:0] mask_rd_addr_i,
    output logic [   EntryBits-1:0] mask_rd_data_o
);
  cbuf_wr_t dat_wr, wt_wr;
  cdma2csc_t account;
  assign {dat_up_valid_o, dat_up_entries_o, dat_up_slices_o, wt_up_valid_o, wt_up_kernels_o, wt_up_entries_o,
      dat_pending_ack_o,
      wt_pending_ack_o} = account;

  nvdla_cdma u_cdma (
      .dat_wr_o(dat_wr),
      .wt_wr_o (wt_wr),
      .csc_o   (account),
      .csc_i   ({dat_rl_valid_i, dat_rl_entries_i, dat_rl_slices_i, wt_rl_valid_i, wt_rl_entries_i, mask_rl_valid_i,
                 mask_rl_entries_i,
                 dat_pending_req_i, wt_pending_req_i}),
      .*
  );

  nvdla_cbuf u_cbuf (
      .dat_wr_i     (dat_wr),
      .wt_wr_i      (wt_wr),
      .dat_rd_i     ({dat_rd_valid_i, dat_rd_addr_i}),
      .dat_rd_next_i({dat_rd_next_valid_i, dat_rd_next_addr_i}),
      .wt_rd_i      ({wt_rd_valid_i, wt_rd_addr_i}),
      .mask_rd_i    ({mask_rd_valid_i, mask_rd_addr_i}),
      .*
  );
endmodule
