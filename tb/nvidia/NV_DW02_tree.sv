// Carry-save tree of NVIDIA's RTL (vlibs), on whole words: nvcosim build --nvidia reads this file before theirs, whose
// loops over single bits cost Verilator three times the memory and hours of compilation.
//
// INPUT has num_inputs words of input_width bits, the first one in the low bits. OUT0 + OUT1 is their sum modulo
// 2^input_width; which of the sums with that property the two are is part of the contract, because each is used alone:
// as long as more than two words are left, they are taken in threes from the lowest on. Words 3i to 3i+2 become their
// sum without carries, word 2i, and their carries, word 2i+1. The one or two left over follow unchanged. The last two
// words are OUT0 and OUT1. Combinational.
module NV_DW02_tree #(
    parameter int num_inputs = 8,
    parameter int input_width = 8
) (
    input  logic [num_inputs*input_width-1:0] INPUT,
    output logic [           input_width-1:0] OUT0,
    output logic [           input_width-1:0] OUT1
);
  // Words that are left after some levels.
  function automatic integer words(input integer levels);
    words = num_inputs;
    for (integer i = 0; i < levels; i = i + 1) if (words > 2) words = words - words / 3;
  endfunction

  localparam int Levels = 32;  // enough for 100,000 words; those with two words only pass them on
  for (genvar level = 0; level <= Levels; level++) begin : gen_level
    localparam int Words = words(level);
    wire [Words*input_width-1:0] w;
    if (level == 0) begin : gen_input
      assign w = INPUT;
    end else begin : gen_sums
      localparam int Before = words(level - 1);
      localparam int Threes = (Before > 2) ? Before / 3 : 0;
      for (genvar i = 0; i < Threes; i++) begin : gen_three
        wire [input_width-1:0] a, b, c;
        assign {c, b, a} = gen_level[level-1].w[3*i*input_width+:3*input_width];
        assign w[2*i*input_width+:input_width] = a ^ b ^ c;
        assign w[(2*i+1)*input_width+:input_width] = ((a & b) | (a & c) | (b & c)) << 1;
      end
      if (Before > 3 * Threes) begin : gen_rest
        assign w[Words*input_width-1:2*Threes*input_width] =
            gen_level[level-1].w[Before*input_width-1:3*Threes*input_width];
      end
    end
  end
  assign OUT0 = gen_level[Levels].w[0+:input_width];
  if (num_inputs > 1) begin : gen_second
    assign OUT1 = gen_level[Levels].w[input_width+:input_width];
  end else begin : gen_one
    assign OUT1 = '0;
  end
endmodule
