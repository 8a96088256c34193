// Output side of an engine: the write commands and atoms of a layer to the write DMA, the end of the layer, and its
// acknowledge.
//
// run_i is high while a layer that writes memory is active, group_i is its register group. cmd_* and atom_* as in
// nvdla_dma_write; cmd_last_i marks the layer's last command, atom_last_i its last atom. done_o rises in the clock
// after both have been taken and stays high until run_i falls. done_intr_o: one clock, by register group, when memory
// has acknowledged the layer's last write; layers may follow one another before that. busy_o: that of nvdla_dma_write.
// DatAtoms as in nvdla_dma_write: the number of atoms in a transfer on atom_*.
// Spec: 70-memory-interface, section 5; 10-system, section 6 (groups).
`include "nvdla_check.svh"
module nvdla_engine_output
  import nvdla_pkg::*;
#(
    parameter int DatAtoms = 1
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic                         run_i,
    input  logic                         group_i,
    input  logic                         cmd_valid_i,
    output logic                         cmd_ready_o,
    input  logic [         AddrBits-1:0] cmd_addr_i,
    input  logic [                 15:0] cmd_size_i,
    input  logic                         cmd_ram_i,
    input  logic                         cmd_last_i,
    input  logic                         atom_valid_i,
    output logic                         atom_ready_o,
    input  logic                         atom_last_i,
    input  logic [DatAtoms*AtomBits-1:0] atom_data_i,
    output logic                         done_o,
    output logic [                  1:0] done_intr_o,
    output logic                         busy_o,
    output mif_wr_req_t                  mif_o,
    input  mif_wr_rsp_t                  mif_i
);
  logic commands_done_q, atoms_done_q, commands_end, atoms_end;
  assign commands_end = cmd_valid_i & cmd_ready_o & cmd_last_i;
  assign atoms_end = atom_valid_i & atom_ready_o & atom_last_i;
  assign done_o = commands_done_q & atoms_done_q;

  nvdla_dma_write #(
      .DatAtoms(DatAtoms)
  ) u_dma (
      .clk_i,
      .rst_ni,
      .cmd_valid_i,
      .cmd_ready_o,
      .cmd_addr_i,
      .cmd_size_i,
      .cmd_ram_i,
      .cmd_ack_i  ({cmd_last_i & group_i, cmd_last_i & ~group_i}),
      .dat_valid_i(atom_valid_i),
      .dat_ready_o(atom_ready_o),
      .dat_data_i (atom_data_i),
      .ack_o      (done_intr_o),
      .busy_o,
      .mif_o,
      .mif_i
  );

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      commands_done_q <= 1'b0;
      atoms_done_q    <= 1'b0;
    end else begin
      commands_done_q <= run_i & (commands_done_q | commands_end);
      atoms_done_q    <= run_i & (atoms_done_q | atoms_end);
    end

  `NVDLA_CHECK(WorksOnlyInLayer, run_i || !(cmd_valid_i || atom_valid_i))
  `NVDLA_CHECK(NoCommandAfterTheLast, !commands_done_q || !run_i || !cmd_valid_i)
  `NVDLA_CHECK(NoAtomAfterTheLast, !atoms_done_q || !run_i || !atom_valid_i)
  `NVDLA_CHECK(InterruptOfOneGroup, `NVDLA_ONEHOT0(done_intr_o))
  // Layers whose last command has been taken and whose acknowledge is outstanding, by group.
  `NVDLA_QUEUE(Layers, 1, 512, cmd_valid_i && cmd_ready_o && cmd_last_i, group_i, done_intr_o != 2'b00,
               done_intr_o != 2'b00, done_intr_o[1])

`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(AtomsMatchCommands, !(run_i && done_o) || u_dma.unmatched_q == 0)
`endif
endmodule
