// SystemVerilog: an enumeration, a case of its names, selections.
module steps (
    input  logic       clk,
    input  logic       rst_n,
    input  logic [7:0] x,
    output logic [3:0] y
);
  typedef enum logic [1:0] {
    Idle,
    Busy,
    Last
  } step_e;
  step_e step_q;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) step_q <= Idle;
    else
      case (step_q)
        Idle: if (x[0]) step_q <= Busy;
        Busy, Last: step_q <= x[7] ? Last : Idle;
        default: step_q <= step_q;
      endcase
  always_comb begin
    y = x[3:0] - x[7-:4];
    if (step_q == Last) y = {&x, 3'd2};
  end
endmodule
