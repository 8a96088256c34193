// CDP in FP16: the sums of squares of the neighbours in channels, FP32, in the order in which the hardware adds them.
//
// values_i: FP17 numbers of channels -4 .. Lanes + 3 of a beat, lowest first; sum_o: of channels 0 .. Lanes - 1.
// reach_i: 0 .. 3 for one to four neighbours on each side. Each sum is ((v[-1]^2 + v[1]^2) + v[0]^2) + (v[-2]^2 +
// v[2]^2) and so on. sum_o follows values_i by six clocks with en_i; reach_i does not change meanwhile.
// Spec: 62-cdp, section 5.
module nvdla_fp_square_sum #(
    parameter int Lanes = 8
) (
    input  logic                     clk_i,
    input  logic                     en_i,
    input  logic [              1:0] reach_i,
    input  logic [Lanes+8-1:0][16:0] values_i,
    output logic [  Lanes-1:0][31:0] sum_o
);
  logic [32*(Lanes+8)-1:0] square;
  for (genvar v = 0; v < Lanes + 8; v++) begin : gen_squares
    logic [31:0] wide;
    nvdla_fp_widen #(
        .ExpIn    (6),
        .ExpOut   (8),
        .ManOut   (23),
        .Denormals(0)
    ) u_widen (
        .a_i(values_i[v]),
        .z_o(wide)
    );
    nvdla_fp_mul u_square (
        .clk_i,
        .en_i,
        .a_i      (wide),
        .b_i      (wide),
        .product_o(square[32*v+:32])
    );
  end
  for (genvar l = 0; l < Lanes; l++) begin : gen_lanes
    // Sums of pairs wait for the sum of those nearer; further pairs than asked for are passed by.
    logic [31:0] pair[1:4];
    logic [31:0] total[1:4];
    logic [31:0] own_q, pair2_q, pair3_q[2], pair4_q[3], near_q[3], nearer_q[2], nearest_q;
    for (genvar k = 1; k <= 4; k++) begin : gen_pairs
      logic on;
      assign on = en_i && 32'(reach_i) + 1 >= k;
      nvdla_fp_add u_pair (
          .clk_i,
          .en_i (on),
          .a_i  (square[32*(l+4-k)+:32]),
          .b_i  (square[32*(l+4+k)+:32]),
          .sum_o(pair[k])
      );
    end
    nvdla_fp_add u_total1 (
        .clk_i,
        .en_i,
        .a_i  (pair[1]),
        .b_i  (own_q),
        .sum_o(total[1])
    );
    nvdla_fp_add u_total2 (
        .clk_i,
        .en_i (en_i && reach_i >= 2'd1),
        .a_i  (total[1]),
        .b_i  (pair2_q),
        .sum_o(total[2])
    );
    nvdla_fp_add u_total3 (
        .clk_i,
        .en_i (en_i && reach_i >= 2'd2),
        .a_i  (total[2]),
        .b_i  (pair3_q[1]),
        .sum_o(total[3])
    );
    nvdla_fp_add u_total4 (
        .clk_i,
        .en_i (en_i && reach_i >= 2'd3),
        .a_i  (total[3]),
        .b_i  (pair4_q[2]),
        .sum_o(total[4])
    );
    always_ff @(posedge clk_i)
      if (en_i) begin
        own_q <= square[32*(l+4)+:32];
        pair2_q <= pair[2];
        pair3_q[0] <= pair[3];
        pair3_q[1] <= pair3_q[0];
        pair4_q[0] <= pair[4];
        pair4_q[1] <= pair4_q[0];
        pair4_q[2] <= pair4_q[1];
        near_q[0] <= total[1];
        near_q[1] <= near_q[0];
        near_q[2] <= near_q[1];
        nearer_q[0] <= total[2];
        nearer_q[1] <= nearer_q[0];
        nearest_q <= total[3];
      end
    always_comb
      case (reach_i)
        2'd0: sum_o[l] = near_q[2];
        2'd1: sum_o[l] = nearer_q[1];
        2'd2: sum_o[l] = nearest_q;
        default: sum_o[l] = total[4];
      endcase
  end
endmodule
