// Bench top: nvdla_cdp with the words of its memory clients as single ports.
module cdp_bench
  import nvdla_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                csb_rdma_req_i,
    input  logic                csb_req_i,
    input  logic                csb_write_i,
    input  logic [9:0]          csb_addr_i,
    input  logic [31:0]         csb_wdata_i,
    output logic [31:0]         csb_rdma_rdata_o,
    output logic [31:0]         csb_rdata_o,
    output logic                r_mif_valid_o,
    input  logic                r_mif_ready_i,
    output logic                r_mif_ram_o,
    output logic [AddrBits-1:0] r_mif_addr_o,
    output logic [3:0]          r_mif_len_o,
    input  logic                r_mif_rsp_valid_i,
    input  logic [AtomBits-1:0] r_mif_rsp_data_i,
    output logic                w_mif_valid_o,
    input  logic                w_mif_ready_i,
    output logic                w_mif_ram_o,
    output logic [AddrBits-1:0] w_mif_addr_o,
    output logic [3:0]          w_mif_len_o,
    output logic                w_mif_dat_valid_o,
    input  logic                w_mif_dat_ready_i,
    output logic [AtomBits-1:0] w_mif_dat_data_o,
    input  logic                w_mif_rsp_i,
    output logic [1:0]          done_intr_o
);
  mif_rd_req_t r_req;
  assign {r_mif_valid_o, r_mif_ram_o, r_mif_addr_o, r_mif_len_o} = r_req;
  mif_wr_req_t w_req;
  assign {w_mif_valid_o, w_mif_ram_o, w_mif_addr_o, w_mif_len_o, w_mif_dat_valid_o, w_mif_dat_data_o} = w_req;

  nvdla_cdp u_cdp (
      .r_mif_o(r_req),
      .r_mif_i({r_mif_ready_i, r_mif_rsp_valid_i, r_mif_rsp_data_i}),
      .w_mif_o(w_req),
      .w_mif_i({w_mif_ready_i, w_mif_dat_ready_i, w_mif_rsp_i}),
      .*
  );
endmodule
