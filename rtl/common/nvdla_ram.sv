// Memory of Words words with one write port and one read port, as memory compilers and FPGAs have it.
//
// wr_en_i writes wr_data_i to wr_addr_i. rd_en_i reads rd_addr_i: rd_data_o comes in the next clock and stays until the
// next read. A read of the word that is written in the same clock gives an undefined word. Not reset. The macro of a
// memory compiler takes the place of mem_q; its pins for power (nvdla_pwrbus_ram_* of the top) and test are not here.
`include "nvdla_check.svh"
module nvdla_ram #(
    parameter int Width    = 8,
    parameter int Words    = 16,
    parameter int AddrBits = (Words > 1) ? $clog2(Words) : 1,
    parameter Style = "auto"  // ram_style of FPGA tools; "block": a RAM block even if it is shallow
) (
    input  logic                clk_i,
    input  logic                wr_en_i,
    input  logic [AddrBits-1:0] wr_addr_i,
    input  logic [   Width-1:0] wr_data_i,
    input  logic                rd_en_i,
    input  logic [AddrBits-1:0] rd_addr_i,
    output logic [   Width-1:0] rd_data_o
);
  wire unused_style = &{1'b0, Style == "auto"};  // simulators do not look at attributes
  (* no_rw_check, ram_style = Style *) logic [Width-1:0] mem_q[0:Words-1];

  always_ff @(posedge clk_i) if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
  always_ff @(posedge clk_i) if (rd_en_i) rd_data_o <= mem_q[rd_addr_i];

  `NVDLA_PARAM(AddressLegal, Words <= 2 ** AddrBits)
endmodule
