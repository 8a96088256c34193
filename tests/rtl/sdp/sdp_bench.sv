// Bench top: nvdla_sdp with the words of its memory clients as single ports.
module sdp_bench
  import nvdla_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          csb_rdma_req_i,
    input  logic                          csb_req_i,
    input  logic                          csb_write_i,
    input  logic [9:0]                    csb_addr_i,
    input  logic [31:0]                   csb_wdata_i,
    output logic [31:0]                   csb_rdma_rdata_o,
    output logic [31:0]                   csb_rdata_o,
    input  logic                          cacc_valid_i,
    output logic                          cacc_ready_o,
    input  logic [SdpBsThroughput*32-1:0] cacc_data_i,
    output logic                          m_mif_valid_o,
    input  logic                          m_mif_ready_i,
    output logic                          m_mif_ram_o,
    output logic [AddrBits-1:0]           m_mif_addr_o,
    output logic [3:0]                    m_mif_len_o,
    input  logic                          m_mif_rsp_valid_i,
    input  logic [AtomBits-1:0]           m_mif_rsp_data_i,
    output logic                          b_mif_valid_o,
    input  logic                          b_mif_ready_i,
    output logic                          b_mif_ram_o,
    output logic [AddrBits-1:0]           b_mif_addr_o,
    output logic [3:0]                    b_mif_len_o,
    input  logic                          b_mif_rsp_valid_i,
    input  logic [AtomBits-1:0]           b_mif_rsp_data_i,
    output logic                          n_mif_valid_o,
    input  logic                          n_mif_ready_i,
    output logic                          n_mif_ram_o,
    output logic [AddrBits-1:0]           n_mif_addr_o,
    output logic [3:0]                    n_mif_len_o,
    input  logic                          n_mif_rsp_valid_i,
    input  logic [AtomBits-1:0]           n_mif_rsp_data_i,
    output logic                          w_mif_valid_o,
    input  logic                          w_mif_ready_i,
    output logic                          w_mif_ram_o,
    output logic [AddrBits-1:0]           w_mif_addr_o,
    output logic [3:0]                    w_mif_len_o,
    output logic                          w_mif_dat_valid_o,
    input  logic                          w_mif_dat_ready_i,
    output logic [AtomBits-1:0]           w_mif_dat_data_o,
    input  logic                          w_mif_rsp_i,
    output logic                          pdp_valid_o,
    input  logic                          pdp_ready_i,
    output logic [SdpBsThroughput*8-1:0]  pdp_data_o,
    output logic [1:0]                    done_intr_o
);
  mif_rd_req_t m_req;
  assign {m_mif_valid_o, m_mif_ram_o, m_mif_addr_o, m_mif_len_o} = m_req;
  mif_rd_req_t b_req;
  assign {b_mif_valid_o, b_mif_ram_o, b_mif_addr_o, b_mif_len_o} = b_req;
  mif_rd_req_t n_req;
  assign {n_mif_valid_o, n_mif_ram_o, n_mif_addr_o, n_mif_len_o} = n_req;
  mif_wr_req_t w_req;
  assign {w_mif_valid_o, w_mif_ram_o, w_mif_addr_o, w_mif_len_o, w_mif_dat_valid_o, w_mif_dat_data_o} = w_req;

  nvdla_sdp u_sdp (
      .m_mif_o(m_req),
      .m_mif_i({m_mif_ready_i, m_mif_rsp_valid_i, m_mif_rsp_data_i}),
      .b_mif_o(b_req),
      .b_mif_i({b_mif_ready_i, b_mif_rsp_valid_i, b_mif_rsp_data_i}),
      .n_mif_o(n_req),
      .n_mif_i({n_mif_ready_i, n_mif_rsp_valid_i, n_mif_rsp_data_i}),
      .w_mif_o(w_req),
      .w_mif_i({w_mif_ready_i, w_mif_dat_ready_i, w_mif_rsp_i}),
      .*
  );
endmodule
