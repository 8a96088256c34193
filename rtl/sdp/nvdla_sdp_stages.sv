// Control of three register stages that move together, with the layer's last transfer marked.
//
// move_o: the stages move, because the last one is empty or taken. take_i: a transfer enters in this clock (only while
// they move). first_o and second_o say that stage 1 and 2 hold one; valid_o, ready_i and last_o are stage 3's.
`include "nvdla_check.svh"
module nvdla_sdp_stages (
    input  logic clk_i,
    input  logic rst_ni,
    output logic move_o,
    input  logic take_i,
    input  logic last_i,
    output logic first_o,
    output logic second_o,
    output logic busy_o,
    output logic valid_o,
    input  logic ready_i,
    output logic last_o
);
  logic valid1_q, valid2_q, valid3_q, last1_q, last2_q, last3_q;

  assign move_o = !valid3_q || ready_i;
  assign first_o = valid1_q;
  assign second_o = valid2_q;
  assign busy_o = valid1_q || valid2_q || valid3_q;
  assign valid_o = valid3_q;
  assign last_o = last3_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      valid3_q <= 1'b0;
    end else if (move_o) begin
      valid1_q <= take_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (move_o) begin
      last1_q <= last_i;
      last2_q <= last1_q;
      last3_q <= last2_q;
    end
  end

  `NVDLA_STABLE(OutputStable, valid_o, ready_i, last_o)
  `NVDLA_QUEUE(Beats, 1, 4, take_i && move_o, last_i, valid_o, valid_o && ready_i, last_o)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(StagesAddUp, Beats.level_q == 32'(valid1_q) + 32'(valid2_q) + 32'(valid3_q))
`endif
endmodule
