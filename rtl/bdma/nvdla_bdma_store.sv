// BDMA's store engine: the write commands of the lines of each descriptor, in the order of the load engine.
//
// load_*: descriptors, load_last_i with the last one of group load_group_i. cmd_*: one command for each line; the last
// one of a group asks for an acknowledge. It counts lines and surfaces in 13 bits, whatever the load engine does.
// idle_o: there is nothing to do.
// Spec: 64-bdma, sections 3, 5 and 8.
`include "nvdla_check.svh"
module nvdla_bdma_store
  import nvdla_bdma_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             load_valid_i,
    output logic             load_ready_o,
    input  bdma_descriptor_t load_i,
    input  logic             load_last_i,
    input  logic             load_group_i,
    output logic             cmd_valid_o,
    input  logic             cmd_ready_i,
    output logic [63:0]      cmd_addr_o,
    output logic [15:0]      cmd_size_o,
    output logic             cmd_ram_o,
    output logic [ 1:0]      cmd_ack_o,
    output logic             idle_o
);
  localparam int JobBits = 59 + 13 + 1 + 2 * 13 + 2 * 27 + 2;
  logic job_valid, start, active, step, last;
  logic [JobBits-1:0] job;
  logic [58:0] base;
  logic [12:0] size, lines, surfaces, size_q;
  logic [26:0] line_stride, surface_stride;
  logic ram, group_last, group, ram_q, group_last_q, group_q;

  // As many as can be loaded while the first of them waits for its data.
  nvdla_fifo #(
      .Width(JobBits),
      .Depth(BdmaQueue)
  ) u_jobs (
      .clk_i,
      .rst_ni,
      .in_valid_i (load_valid_i),
      .in_ready_o (load_ready_o),
      .in_data_i  ({load_i.dst, load_i.size, load_i.dst_ram, load_i.lines[12:0], load_i.surfaces[12:0], load_i.dst_line,
                    load_i.dst_surface,
                    load_last_i, load_group_i}),
      .out_valid_o(job_valid),
      .out_ready_i(start),
      .out_data_o (job)
  );
  assign {base, size, ram, lines, surfaces, line_stride, surface_stride, group_last, group} = job;
  wire unused = &{1'b0, load_i.src, load_i.src_ram, load_i.lines[23:13], load_i.surfaces[23:13], load_i.src_line,
      load_i.src_surface};

  assign start = job_valid & ~active;
  assign step = cmd_valid_o & cmd_ready_i;
  nvdla_bdma_walk #(
      .CountBits(13)
  ) u_walk (
      .clk_i,
      .rst_ni,
      .start_i         (start),
      .base_i          (base),
      .lines_i         (lines),
      .surfaces_i      (surfaces),
      .line_stride_i   (line_stride),
      .surface_stride_i(surface_stride),
      .step_i          (step),
      .active_o        (active),
      .addr_o          (cmd_addr_o),
      .last_o          (last)
  );
  assign cmd_valid_o = active;
  assign cmd_size_o = 16'(size_q);
  assign cmd_ram_o = ram_q;
  assign cmd_ack_o = {2{last & group_last_q}} & {group_q, ~group_q};
  assign idle_o = ~job_valid & ~active;

  always_ff @(posedge clk_i)
    if (start) begin
      size_q       <= size;
      ram_q        <= ram;
      group_last_q <= group_last;
      group_q      <= group;
    end

  `NVDLA_STABLE(CommandStable, cmd_valid_o, cmd_ready_i, {cmd_addr_o, cmd_size_o, cmd_ram_o, cmd_ack_o})
  `NVDLA_CHECK(TakesWhatIsLoaded, !load_valid_i || load_ready_o)
  `NVDLA_FINAL(IdleAtTheEnd, idle_o)
endmodule
