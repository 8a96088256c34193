// BDMA's load engine: groups of descriptors and the read requests of their lines.
//
// push_i puts a descriptor into the queue; a full queue loses it, but still counts it. launch_i passes the descriptors
// pushed since the last taken group to the engine as group launch_group_i. A launch waits until the previous group is
// loaded; descriptors pushed meanwhile join it, and another launch replaces it. An empty launch is dropped. The queue
// is a memory and an output register, which holds the waiting or current descriptor; for lost pushes, the last
// descriptor is executed again.
// taken_o: a group has been taken. store_*: each descriptor for the store engine, store_last_o with the last one of
// store_group_o. free_o: free places in the queue's memory. idle_o: nothing is queued or loaded. req_*: one read
// request for each line. loading_o: the group in the engine. waiting_o: a launch waits.
// Spec: 64-bdma, sections 3 to 5.
`include "nvdla_check.svh"
module nvdla_bdma_load
  import nvdla_bdma_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             push_i,
    input  bdma_descriptor_t descriptor_i,
    input  logic             launch_i,
    input  logic             launch_group_i,
    output logic             taken_o,
    output logic [ 7:0]      free_o,
    output logic             idle_o,
    output logic [ 1:0]      loading_o,
    output logic             waiting_o,
    output logic             req_valid_o,
    input  logic             req_ready_i,
    output logic [63:0]      req_addr_o,
    output logic [15:0]      req_size_o,
    output logic             req_ram_o,
    output logic             store_valid_o,
    input  logic             store_ready_i,
    output bdma_descriptor_t store_o,
    output logic             store_last_o,
    output logic             store_group_o
);
  logic queue_valid, queue_ready, queue_free, stored, moved;
  logic [BdmaDescriptorBits-1:0] queue_flat, out_flat_q;
  bdma_descriptor_t out;
  logic out_valid_q;
  logic [7:0] free_q;

  logic waiting_q, waiting_group_q, loading_q, group_q, start, active, last, step, ends, take;
  logic [31:0] count_q, left_q;  // pushed for the next group; of the present one, not carried out

  assign queue_ready = ~out_valid_q;
  assign stored = push_i & queue_free;
  assign moved = queue_valid & queue_ready;
  nvdla_fifo #(
      .Width(BdmaDescriptorBits),
      .Depth(BdmaQueue),
      .Stays(1)  // descriptors that are not launched
  ) u_queue (
      .clk_i,
      .rst_ni,
      .in_valid_i (push_i),
      .in_ready_o (queue_free),
      .in_data_i  (descriptor_i),
      .out_valid_o(queue_valid),
      .out_ready_i(queue_ready),
      .out_data_o (queue_flat)
  );
  assign out = out_flat_q;

  // A descriptor is started when it is there; if the queue is empty it has been lost, and the last one is still in the
  // register.
  assign start = loading_q & ~active & store_ready_i & (out_valid_q | ~queue_valid);
  assign step = req_valid_o & req_ready_i;
  assign ends = step & last;
  assign take = waiting_q & ~loading_q;
  assign taken_o = take & (count_q != '0);

  nvdla_bdma_walk u_walk (
      .clk_i,
      .rst_ni,
      .start_i         (start),
      .base_i          (out.src),
      .lines_i         (out.lines),
      .surfaces_i      (out.surfaces),
      .line_stride_i   (out.src_line),
      .surface_stride_i(out.src_surface),
      .step_i          (step),
      .active_o        (active),
      .addr_o          (req_addr_o),
      .last_o          (last)
  );
  assign req_valid_o = active;
  assign req_size_o = 16'(out.size);
  assign req_ram_o = out.src_ram;
  assign store_valid_o = start;
  assign store_o = out;
  assign store_last_o = left_q == 32'd1;
  assign store_group_o = group_q;
  assign free_o = free_q;
  assign idle_o = ~queue_valid & ~out_valid_q & ~loading_q;
  assign waiting_o = waiting_q;
  assign loading_o = {loading_q & group_q, loading_q & ~group_q};

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      out_valid_q     <= 1'b0;
      free_q          <= 8'(BdmaQueue);
      waiting_q       <= 1'b0;
      waiting_group_q <= 1'b0;
      loading_q       <= 1'b0;
      group_q         <= 1'b0;
      count_q         <= '0;
      left_q          <= '0;
    end else begin
      free_q <= free_q - 8'(stored) + 8'(moved);
      count_q <= (taken_o ? '0 : count_q) + 32'(push_i);
      if (moved || start) out_valid_q <= 1'b1;
      else if (ends) out_valid_q <= 1'b0;
      if (launch_i) begin
        waiting_q       <= 1'b1;
        waiting_group_q <= launch_group_i;
      end else if (take) waiting_q <= 1'b0;
      if (taken_o) begin
        loading_q <= 1'b1;
        group_q   <= waiting_group_q;
        left_q    <= count_q;
      end else if (ends) begin
        loading_q <= left_q != 32'd1;
        left_q    <= left_q - 32'd1;
      end
    end

  always_ff @(posedge clk_i) if (moved) out_flat_q <= queue_flat;

  `NVDLA_STABLE(RequestStable, req_valid_o, req_ready_i, {req_addr_o, req_size_o, req_ram_o})
  `NVDLA_CHECK(GroupsHaveDescriptors, !loading_q || left_q != '0)
  `NVDLA_CHECK(FreePlaces, 32'(free_q) <= BdmaQueue)
  `NVDLA_CHECK(DescriptorStays, !moved || !(out_valid_q || active))
  `NVDLA_FINAL(NothingIsLoadedAtTheEnd, !loading_q && !waiting_q)

`ifdef NVDLA_CHECKS
  // Descriptors pushed since reset, those of them that launches have taken, and those carried out.
  logic [31:0] pushed_q, covered_q, ended_q;
  logic held_q;  // the output register has the descriptor that waits or is carried out
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      pushed_q  <= '0;
      covered_q <= '0;
      ended_q   <= '0;
      held_q    <= 1'b0;
    end else begin
      pushed_q <= pushed_q + 32'(push_i);
      ended_q  <= ended_q + 32'(req_valid_o && req_ready_i && last);
      if (moved || start) held_q <= 1'b1;
      else if (req_valid_o && req_ready_i && last) held_q <= 1'b0;
      if (taken_o) covered_q <= pushed_q;
    end
  `NVDLA_CHECK(EveryDescriptorCounts, count_q == pushed_q - covered_q)
  `NVDLA_CHECK(EachIsCarriedOut, (loading_q ? left_q : '0) == covered_q - ended_q)
  `NVDLA_CHECK(DescriptorIsHeld, out_valid_q == held_q)
  `NVDLA_CHECK(PlacesAddUp, 32'(free_q) + 32'(u_queue.count_q) == BdmaQueue)
`endif
endmodule
