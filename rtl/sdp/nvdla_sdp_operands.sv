// Operands of an X or Y stage in configurations with 16-bit precisions: pairs of memory atoms in, operands of
// SdpBsThroughput lanes out.
//
// A column's operands are SdpBsThroughput << size_log bytes a beat, one beat with wide_i (16-bit precisions), else two.
// What comes on rsp_* are the atoms of the layer's requests, request_i + 1 atoms each, two a word, the last one of an
// odd request alone. They wait in a ring of 16 atoms: long enough for two columns of 128 bytes, which all batches use
// (per element), while the next two come. per_element_i: each column has operands of its own; else those of a surface's
// first serve all its columns.
// Streams and done_o as in nvdla_sdp_rdma_operand. Latency from a response to the stream: 2 clocks; a beat a clock.
// Spec: 50-sdp section 4.
`include "nvdla_check.svh"
module nvdla_sdp_operands
  import nvdla_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          run_i,
    input  logic                          per_element_i,
    input  logic                          wide_i,
    input  logic                          both_i,  // two components
    input  logic                          two_bytes_i,
    input  logic [                  15:0] request_i,        // atoms minus 1
    input  logic [                  12:0] width_i,          // minus 1
    input  logic [                  12:0] height_i,         // minus 1
    input  logic [                  12:0] surface_count_i,  // minus 1
    input  logic [                   4:0] batches_i,        // minus 1
    input  logic                          rsp_valid_i,
    output logic                          rsp_ready_o,
    input  logic [     1:0][AtomBits-1:0] rsp_data_i,
    output logic                          step_o,  // a beat is cut
    output logic                          done_o,
    output logic                          valid_o,
    input  logic                          ready_i,
    output logic [SdpBsThroughput*16-1:0] alu_o,
    output logic [SdpBsThroughput*16-1:0] mul_o
);
  localparam int Part = SdpBsThroughput * 8;  // bits of a beat of one-byte operands

  // Atoms of a column.
  logic [1:0] size_log;
  logic [2:0] atoms;
  assign size_log = {1'b0, both_i} + {1'b0, two_bytes_i};
  assign atoms = wide_i ? (size_log[1] ? 3'd2 : 3'd1) : 3'd1 << size_log;

  // The ring: memories of its even and of its odd places, so that both atoms of an answer are written in one clock.
  logic [AtomBits-1:0] even_q[8], odd_q[8];
  logic [3:0] head_q, tail_q;
  logic [4:0] level_q;
  logic [15:0] gone_q, left;  // of the present request: atoms that have come, and those that have not, minus 1
  logic fill, pair, release_atoms;
  logic [4:0] filled, released;

  assign left = request_i - gone_q;
  assign pair = left != 16'd0;
  assign rsp_ready_o = level_q <= 5'd14;
  assign fill = rsp_valid_i && rsp_ready_o;
  assign filled = !fill ? 5'd0 : pair ? 5'd2 : 5'd1;

  always_ff @(posedge clk_i) begin
    if (fill && (!tail_q[0] || pair))
      even_q[tail_q[3:1]+3'(tail_q[0])] <= tail_q[0] ? rsp_data_i[1] : rsp_data_i[0];
    if (fill && (tail_q[0] || pair))
      odd_q[tail_q[3:1]] <= tail_q[0] ? rsp_data_i[0] : rsp_data_i[1];
    if (!run_i) gone_q <= 16'd0;
    else if (fill) gone_q <= (left <= 16'd1) ? 16'd0 : gone_q + 16'd2;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= 4'd0;
      tail_q <= 4'd0;
      level_q <= 5'd0;
    end else if (fill || release_atoms) begin
      tail_q <= tail_q + filled[3:0];
      head_q <= head_q + released[3:0];
      level_q <= level_q + filled - released;
    end
  end

  // Beats: the first atom of a beat, counted from the head, and the last one.
  logic [$clog2(MemAtom)-1:0] element;
  logic half, second, column_end, turn_end, round_end, surface_end, unused_open, unused_layer_end, upper;
  logic [3:0] first, last;
  assign half = element != '0;
  assign first = ((second && per_element_i) ? {1'b0, atoms} : 4'd0) + (!half ? 4'd0 : {2'd0, size_log});
  assign last = first + 4'(size_log[1]);
  assign upper = half && size_log == 2'd0;
  assign release_atoms = step_o && (per_element_i ? turn_end && round_end : surface_end);
  assign released = !release_atoms ? 5'd0 : (second && per_element_i) ? {1'b0, atoms, 1'b0} : {2'd0, atoms};

  nvdla_sdp_beats u_beats (
      .clk_i,
      .rst_ni,
      .run_i,
      .width_i,
      .height_i,
      .surface_count_i,
      .batches_i,
      .wide_i,
      .open_o       (unused_open),
      .available_i  (level_q > {1'b0, last}),
      .step_o,
      .element_o    (element),
      .atom_end_o   (column_end),
      .second_o     (second),
      .turn_end_o   (turn_end),
      .round_end_o  (round_end),
      .surface_end_o(surface_end),
      .layer_end_o  (unused_layer_end),
      .done_o,
      .valid_o,
      .ready_i
  );
  wire unused_column_end = column_end;

  logic [3:0] first_place, last_place;
  logic [AtomBits-1:0] first_atom;
  logic [2*AtomBits-1:0] window;
  assign first_place = head_q + first;
  assign last_place = head_q + last;
  assign first_atom = first_place[0] ? odd_q[first_place[3:1]] : even_q[first_place[3:1]];
  assign window = {last_place[0] ? odd_q[last_place[3:1]] : even_q[last_place[3:1]],
                   upper ? first_atom >> Part : first_atom};

  // Both operands of all lanes: MUL in the upper half.
  localparam int Lanes16 = SdpBsThroughput * 16;
  function automatic logic [2*Lanes16-1:0] cut(input logic [2*AtomBits-1:0] data, input logic two_bytes,
      input logic pairs);
    for (int g = 0; g < SdpBsThroughput; g++)
      case ({two_bytes, pairs})
        2'b00: begin
          cut[g*16+:16] = {{8{data[g*8+7]}}, data[g*8+:8]};
          cut[Lanes16+g*16+:16] = {{8{data[g*8+7]}}, data[g*8+:8]};
        end
        2'b01: begin
          cut[g*16+:16] = {{8{data[g*16+7]}}, data[g*16+:8]};
          cut[Lanes16+g*16+:16] = {{8{data[g*16+15]}}, data[g*16+8+:8]};
        end
        2'b10: begin
          cut[g*16+:16] = data[g*16+:16];
          cut[Lanes16+g*16+:16] = data[g*16+:16];
        end
        default: begin
          cut[g*16+:16] = data[g*32+:16];
          cut[Lanes16+g*16+:16] = data[g*32+16+:16];
        end
      endcase
  endfunction
  logic [2*Lanes16-1:0] operands_q;
  always_ff @(posedge clk_i) if (step_o) operands_q <= cut(window, two_bytes_i, both_i);
  assign {mul_o, alu_o} = operands_q;

  `NVDLA_PARAM(LanesOfHalfAnAtom, 2 * SdpBsThroughput == MemAtom)
  `NVDLA_CHECK(RingEmptyBetweenLayers, run_i || level_q == '0)
  // Memory atoms in the ring.
  `NVDLA_BALANCE(Ring, 16, fill, 32'(filled), release_atoms, 32'(released))
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(LevelAddsUp, 32'(level_q) == Ring.level_q)
  `NVDLA_CHECK(BeatOnlyOfAtomsThatAreThere, !step_o || Ring.level_q > 32'(last))
`endif
endmodule
