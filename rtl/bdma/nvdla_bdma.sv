// BDMA: copies blocks of atoms between and within the two memories, by a list of descriptors that is launched in two
// groups.
//
//   registers -> load engine (queue, groups, read requests) -> store engine (write commands, acknowledges) -> done
//
// Read beats go directly to the write DMA: lines have the same length on both sides. csb_*: accesses to the register
// window, answered one clock later. r_*, w_*: read and write client of the memory interfaces. done_intr_o: one clock
// per launch whose last write has been acknowledged, by group. Registers may be written at any time; a push takes their
// current values.
// Spec: 64-bdma.
`ifdef NVDLA_BDMA  // without it there are no such registers
`include "nvdla_check.svh"
module nvdla_bdma
  import nvdla_pkg::*;
  import nvdla_bdma_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   clk_on_i,  // keeps the clock running
    input  logic                   rst_ni,
    input  logic                   csb_req_i,
    input  logic                   csb_write_i,
    input  logic [CsbAddrBits-1:0] csb_addr_i,
    input  logic [           31:0] csb_wdata_i,
    output logic [           31:0] csb_rdata_o,
    output mif_rd_req_t            r_mif_o,
    input  mif_rd_rsp_t            r_mif_i,
    output mif_wr_req_t            w_mif_o,
    input  mif_wr_rsp_t            w_mif_i,
    output logic [            1:0] done_intr_o
);
  localparam int ReadDepth = 245;      // beats in flight: 70-memory-interface, section 3
  localparam int Stored = BdmaStatus;  // words behind it are status

  // ---- registers ----------------------------------------------------------------------------------------------------
  logic clk, working, write_busy;  // the clock of everything below
  logic [Stored*32-1:0] q;
  logic [31:0] stored_rdata, status_rdata_q, status;
  logic command, push, launch, launch_group, stall_count;

  // Clock: an access, descriptors or a launch that waits, groups that are not acknowledged.
  nvdla_clock_gate u_clock (
      .clk_i,
      .rst_ni,
      .on_i  (clk_on_i),
      .work_i(csb_req_i || working || write_busy),
      .clk_o (clk)
  );

  nvdla_reg_file #(
      .Words    (Stored),
      .WriteMask(BdmaWriteMask[Stored*32-1:0]),
      .Reset    (BdmaReset[Stored*32-1:0])
  ) u_registers (
      .clk_i  (clk),
      .rst_ni,
      .req_i  (csb_req_i),
      .write_i(csb_write_i),
      .addr_i (csb_addr_i),
      .wdata_i(csb_wdata_i),
      .rdata_o(stored_rdata),
      .q_o    (q)
  );
  assign csb_rdata_o = stored_rdata | status_rdata_q;

  assign command = csb_req_i & csb_write_i & csb_wdata_i[0];
  assign push = command & (csb_addr_i == CsbAddrBits'(BdmaCfgOp));
  assign launch_group = csb_addr_i == CsbAddrBits'(BdmaCfgLaunch1);
  assign launch = command & (launch_group | (csb_addr_i == CsbAddrBits'(BdmaCfgLaunch0)));
  assign stall_count = q[BdmaCfgStatus*32];

  bdma_descriptor_t pushed;
  assign pushed.src = {q[BdmaCfgSrcAddrHigh*32+:32], q[BdmaCfgSrcAddrLow*32+5+:27]};
  assign pushed.dst = {q[BdmaCfgDstAddrHigh*32+:32], q[BdmaCfgDstAddrLow*32+5+:27]};
  assign pushed.size = q[BdmaCfgLine*32+:13];
  assign pushed.src_ram = q[BdmaCfgCmd*32];
  assign pushed.dst_ram = q[BdmaCfgCmd*32+1];
  assign pushed.lines = q[BdmaCfgLineRepeat*32+:24];
  assign pushed.surfaces = q[BdmaCfgSurfRepeat*32+:24];
  assign pushed.src_line = q[BdmaCfgSrcLine*32+5+:27];
  assign pushed.dst_line = q[BdmaCfgDstLine*32+5+:27];
  assign pushed.src_surface = q[BdmaCfgSrcSurf*32+5+:27];
  assign pushed.dst_surface = q[BdmaCfgDstSurf*32+5+:27];
  wire unused = &{1'b0, q};  // bits that are 0, and what only a write does

  // ---- engines ------------------------------------------------------------------------------------------------------
  logic taken, waiting, load_idle, store_idle, job_valid, job_ready, job_last, job_group;
  logic [1:0] loading, cmd_ack, ack;
  logic [7:0] free;
  bdma_descriptor_t job;
  logic req_valid, req_ready, req_ram, cmd_valid, cmd_ready, cmd_ram, beat_valid, beat_ready;
  logic [63:0] req_addr, cmd_addr;
  logic [15:0] req_size, cmd_size;
  logic [MifBits-1:0] beat;

  nvdla_bdma_load u_load (
      .clk_i         (clk),
      .rst_ni,
      .push_i        (push),
      .descriptor_i  (pushed),
      .launch_i      (launch),
      .launch_group_i(launch_group),
      .taken_o       (taken),
      .free_o        (free),
      .idle_o        (load_idle),
      .loading_o     (loading),
      .waiting_o     (waiting),
      .req_valid_o   (req_valid),
      .req_ready_i   (req_ready),
      .req_addr_o    (req_addr),
      .req_size_o    (req_size),
      .req_ram_o     (req_ram),
      .store_valid_o (job_valid),
      .store_ready_i (job_ready),
      .store_o       (job),
      .store_last_o  (job_last),
      .store_group_o (job_group)
  );

  nvdla_bdma_store u_store (
      .clk_i       (clk),
      .rst_ni,
      .load_valid_i(job_valid),
      .load_ready_o(job_ready),
      .load_i      (job),
      .load_last_i (job_last),
      .load_group_i(job_group),
      .cmd_valid_o (cmd_valid),
      .cmd_ready_i (cmd_ready),
      .cmd_addr_o  (cmd_addr),
      .cmd_size_o  (cmd_size),
      .cmd_ram_o   (cmd_ram),
      .cmd_ack_o   (cmd_ack),
      .idle_o      (store_idle)
  );

  logic unused_read_busy;
  nvdla_dma_read #(
      .Depth   (ReadDepth),
      .RspAtoms(MifAtoms)
  ) u_read (
      .clk_i      (clk),
      .rst_ni,
      .req_valid_i(req_valid),
      .req_ready_o(req_ready),
      .req_addr_i (AddrBits'(req_addr)),
      .req_size_i (req_size),
      .req_ram_i  (req_ram),
      .rsp_valid_o(beat_valid),
      .rsp_ready_i(beat_ready),
      .rsp_data_o (beat),
      .busy_o     (unused_read_busy),
      .mif_o      (r_mif_o),
      .mif_i      (r_mif_i)
  );

  nvdla_dma_write #(
      .DatAtoms(MifAtoms)
  ) u_write (
      .clk_i      (clk),
      .rst_ni,
      .cmd_valid_i(cmd_valid),
      .cmd_ready_o(cmd_ready),
      .cmd_addr_i (AddrBits'(cmd_addr)),
      .cmd_size_i (cmd_size),
      .cmd_ram_i  (cmd_ram),
      .cmd_ack_i  (cmd_ack),
      .dat_valid_i(beat_valid),
      .dat_ready_o(beat_ready),
      .dat_data_i (beat),
      .ack_o      (ack),
      .busy_o     (write_busy),
      .mif_o      (w_mif_o),
      .mif_i      (w_mif_i)
  );

  // ---- groups, status, stall counters -------------------------------------------------------------------------------
  logic [1:0] busy_q, launched;
  logic [31:0] open_q;  // groups that have been taken and not acknowledged
  logic [31:0] read_stall_q[0:1], write_stall_q, read_stalls_q[0:1], write_stalls_q[0:1];
  logic idle, write_stalls;
  logic [1:0] read_stalls;

  assign launched = {launch & launch_group, launch & ~launch_group};
  assign done_intr_o = ack & busy_q;
  assign idle = load_idle & store_idle & (open_q == '0);
  assign working = ~idle | waiting;
  assign status = {21'd0, busy_q, idle, free};
  assign read_stalls = {2{stall_count & req_valid & ~req_ready}} & loading;
  assign write_stalls = stall_count & ((cmd_valid & ~cmd_ready) | (beat_valid & ~beat_ready));

  always_ff @(posedge clk or negedge rst_ni)
    if (!rst_ni) begin
      busy_q         <= '0;
      open_q         <= '0;
      status_rdata_q <= '0;
      write_stall_q  <= '0;
      for (int g = 0; g < 2; g++) begin
        read_stall_q[g]   <= '0;
        read_stalls_q[g]  <= '0;
        write_stalls_q[g] <= '0;
      end
    end else begin
      busy_q <= (busy_q & ~ack) | launched;
      open_q <= open_q + 32'(taken) - 32'(ack != 2'b00);
      write_stall_q <= (ack != 2'b00) ? '0 : write_stall_q + 32'(write_stalls);
      for (int g = 0; g < 2; g++) begin
        read_stall_q[g] <= ack[g] ? '0 : read_stall_q[g] + 32'(read_stalls[g]);
        if (launched[g]) begin
          read_stalls_q[g]  <= '0;
          write_stalls_q[g] <= '0;
        end else if (ack[g] && stall_count) begin
          read_stalls_q[g]  <= read_stall_q[g];
          write_stalls_q[g] <= write_stall_q;
        end
      end
      status_rdata_q <= '0;
      if (csb_req_i && !csb_write_i)
        case (csb_addr_i)
          CsbAddrBits'(BdmaStatus): status_rdata_q <= status;
          CsbAddrBits'(BdmaStatusGrp0ReadStall): status_rdata_q <= read_stalls_q[0];
          CsbAddrBits'(BdmaStatusGrp0WriteStall): status_rdata_q <= write_stalls_q[0];
          CsbAddrBits'(BdmaStatusGrp1ReadStall): status_rdata_q <= read_stalls_q[1];
          CsbAddrBits'(BdmaStatusGrp1WriteStall): status_rdata_q <= write_stalls_q[1];
          default: ;
        endcase
    end

  `NVDLA_PARAM(HasBdma, Bdma != 0)
  `NVDLA_CHECK(OneGroupAtATime, ack != 2'b11)
  `NVDLA_FINAL(NoGroupIsOpenAtTheEnd, open_q == '0)
  `NVDLA_CHECK(AcknowledgesOfGroups, ack == 2'b00 || open_q != '0)
endmodule
`endif
