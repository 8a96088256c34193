// Sums along W of averages of FP16: the columns of a window, from left to right, and T17(nx), in FP17.
//
// columns_i: 8 columns of PdpThroughput lanes, leftmost lowest, those of present_i count; pad_i is added if padded_i.
// They stand with valid_i and beat_i until ready_o. last_i: kernel width less one, the same for all of a layer. A
// column is added per clock, so that row_o and beat_o follow after last_i + 1 clocks, one beat per clock. A beat
// without columns (of a flush) brings anything in row_o. The banks that it reads (read_o, at read_addr_o)
// are named in the clock before it comes.
// Spec: 60-pdp, section 5.4.
`include "nvdla_check.svh"
module nvdla_pdp_fp17_row
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  logic [                      2:0] last_i,
    input  logic                             valid_i,
    output logic                             ready_o,
    input  pdp_beat_t                        beat_i,
    input  logic [7:0][PdpThroughput*17-1:0] columns_i,
    input  logic [                      7:0] present_i,
    input  logic [                     16:0] pad_i,
    input  logic                             padded_i,
    output logic                             valid_o,
    input  logic                             ready_i,
    output pdp_beat_t                        beat_o,
    output logic [  PdpThroughput-1:0][16:0] row_o,
    output logic [                      7:0] read_o,
    output logic [      PdpBankAddrBits-1:0] read_addr_o
);
  localparam int WordBits = PdpThroughput * 17;

  // Stage s holds the sum of columns 0 .. s, and the columns after them. Stage 0 is the input; the last stage leads
  // to the pad.
  logic step, exit_valid, exit_padded, add_pad;
  logic [7:0] valid, padded;
  logic [8*17-1:0] pad;
  logic [8*WordBits-1:0] totals;

  assign step = !valid_o || ready_i;
  assign ready_o = step;

  for (genvar s = 0; s < 8; s++) begin : gen_stage
    pdp_beat_t beat;
    logic [7:0] present;
    wire unused_present = &{1'b0, present};  // of the last stage
    if (s == 0) begin : gen_input
      assign valid[0] = valid_i;
      assign padded[0] = padded_i;
      assign pad[16:0] = pad_i;
      assign beat = beat_i;
      assign present = present_i;
      assign totals[WordBits-1:0] = columns_i[0];
    end else begin : gen_sum
      pdp_beat_t beat_q;
      logic valid_q, padded_q, added_q, move, add;
      logic [7:0] present_q;
      logic [16:0] pad_q;
      assign valid[s] = valid_q;
      assign padded[s] = padded_q;
      assign pad[s*17+:17] = pad_q;
      assign beat = beat_q;
      assign present = present_q;
      assign move = step && valid[s-1] && last_i >= 3'(s);
      assign add = move && gen_stage[s-1].present[s] && gen_stage[s-1].present[s-1:0] != '0;

      always_ff @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) valid_q <= 1'b0;
        else if (step) valid_q <= move;
      always_ff @(posedge clk_i) begin
        if (move) begin
          beat_q <= gen_stage[s-1].beat;
          present_q <= gen_stage[s-1].present;
          pad_q <= pad[s*17-17+:17];
          padded_q <= padded[s-1];
          added_q <= add;
        end
      end

      for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
        logic [16:0] sum, pass_q;
        nvdla_fp_add #(
            .ExpBits(6),
            .ManBits(10)
        ) u_add (
            .clk_i,
            .en_i (add),
            .a_i  (totals[(s-1)*WordBits+p*17+:17]),
            .b_i  (gen_stage[s-1].gen_column[s].column[p*17+:17]),
            .sum_o(sum)
        );
        always_ff @(posedge clk_i)
          if (move && !add)
            pass_q <= gen_stage[s-1].present[s] ? gen_stage[s-1].gen_column[s].column[p*17+:17] :
                totals[(s-1)*WordBits+p*17+:17];
        assign totals[s*WordBits+p*17+:17] = added_q ? sum : pass_q;
      end
    end

    for (genvar k = s + 1; k < 8; k++) begin : gen_column
      logic [WordBits-1:0] column;
      if (s == 0) begin : gen_input
        assign column = columns_i[k];
      end else begin : gen_move
        logic [WordBits-1:0] column_q;
        assign column = column_q;
        always_ff @(posedge clk_i)
          if (gen_stage[s].gen_sum.move && gen_stage[s-1].present[k]) column_q <= gen_stage[s-1].gen_column[k].column;
      end
    end
  end

  // ---- exit and pad -------------------------------------------------------------------------------------------------
  pdp_beat_t exit_beat, beat_q;
  logic valid_q, padded_q;
  assign exit_valid = valid[last_i];
  assign exit_padded = padded[last_i];
  assign add_pad = step && exit_valid && exit_padded;
  assign valid_o = valid_q;
  assign beat_o = beat_q;
  assign read_o = (step && exit_valid) ?
      pdp_banks_read(exit_beat.write, exit_beat.first, exit_beat.emit && (exit_beat.flush || !exit_beat.emit_first),
                     exit_beat.bank) : 8'd0;
  assign read_addr_o = exit_beat.addr;
  always_comb
    case (last_i)
      3'd0: exit_beat = gen_stage[0].beat;
      3'd1: exit_beat = gen_stage[1].beat;
      3'd2: exit_beat = gen_stage[2].beat;
      3'd3: exit_beat = gen_stage[3].beat;
      3'd4: exit_beat = gen_stage[4].beat;
      3'd5: exit_beat = gen_stage[5].beat;
      3'd6: exit_beat = gen_stage[6].beat;
      default: exit_beat = gen_stage[7].beat;
    endcase

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) valid_q <= 1'b0;
    else if (step) valid_q <= exit_valid;
  always_ff @(posedge clk_i)
    if (step && exit_valid) begin
      beat_q <= exit_beat;
      padded_q <= exit_padded;
    end

  for (genvar p = 0; p < PdpThroughput; p++) begin : gen_lane
    logic [16:0] total, sum, pass_q;
    assign total = totals[32'(last_i)*WordBits+p*17+:17];
    nvdla_fp_add #(
        .ExpBits(6),
        .ManBits(10)
    ) u_pad (
        .clk_i,
        .en_i (add_pad),
        .a_i  (total),
        .b_i  (pad[32'(last_i)*17+:17]),
        .sum_o(sum)
    );
    always_ff @(posedge clk_i) if (step && exit_valid && !exit_padded) pass_q <= total;
    assign row_o[p] = padded_q ? sum : pass_q;
  end

  `NVDLA_STABLE(InputStable, valid_i, ready_o, {beat_i, present_i, padded_i})
  `NVDLA_STABLE(OutputStable, valid_o, ready_i, beat_o)
  `NVDLA_QUEUE(Beats, $bits(pdp_beat_t), 9, valid_i && ready_o, beat_i, valid_o, valid_o && ready_i, beat_o)
`ifdef NVDLA_CHECKS
  `NVDLA_CHECK(NothingIsLost, Beats.level_q == 32'($countones({valid[7:1], valid_q})))
`endif
endmodule
