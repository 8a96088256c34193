// A window over two neighbouring words of Lanes lanes: lanes at_i .. Lanes-1 of low_i, then the first at_i lanes of
// high_i, or 0 without high_valid_i. at_i 0 is low_i, Lanes is high_i.
//
// Every lane of the window is in another place of its word, so each place is chosen from one of the words and what is
// chosen is rotated once. With NVDLA_FAST_FORMS alone both words are shifted instead, which simulates faster;
// tests/formal/prove.sh proves that both are the window. Combinational.
`include "nvdla_check.svh"
module nvdla_funnel #(
    parameter int Lanes    = 8,  // a power of two
    parameter int LaneBits = 8,  // a power of two
    parameter int AtBits   = $clog2(Lanes) + 1
) (
    input  logic [Lanes*LaneBits-1:0] low_i,
    input  logic [Lanes*LaneBits-1:0] high_i,
    input  logic                      high_valid_i,
    input  logic [        AtBits-1:0] at_i,
    output logic [Lanes*LaneBits-1:0] data_o
);
  localparam int Bits = Lanes * LaneBits;
  localparam int ShiftBits = $clog2(Bits) + 1;
`ifdef NVDLA_BOTH_FORMS
  localparam bit Fast = 1'b0;
`elsif NVDLA_FAST_FORMS
  localparam bit Fast = 1'b1;
`else
  localparam bit Fast = 1'b0;
`endif
  logic [ShiftBits-1:0] shift;
  assign shift = ShiftBits'(at_i) << $clog2(LaneBits);

  if (Fast) begin : gen_fast
    always_comb begin
      data_o = low_i;
      if (at_i != '0) begin
        data_o = low_i >> shift;
        if (high_valid_i) data_o = data_o | (high_i << (ShiftBits'(Bits) - shift));
      end
    end
  end else begin : gen_hardware
    always_comb begin
      logic [Bits-1:0] from_low;
      from_low = {Bits{1'b1}} << shift;
      data_o   = (low_i & from_low) | (high_valid_i ? high_i & ~from_low : '0);
      for (int s = AtBits - 2; s >= 0; s--)
        if (at_i[s]) data_o = (data_o >> (LaneBits << s)) | (data_o << (Bits - (LaneBits << s)));
    end
  end

  `NVDLA_PARAM(LanesLegal, Lanes == 2 ** (AtBits - 1) && LaneBits == 2 ** $clog2(LaneBits))
endmodule
