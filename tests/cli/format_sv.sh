#!/bin/bash
# scripts/format_sv.py lays SystemVerilog out, names what it would change, and refuses lines that it cannot break.
# usage: NVCOSIM=build/nvcosim tests/cli/format_sv.sh
# shellcheck source=tests/cli/frame.sh
. "$(dirname "$0")/frame.sh"

format() { command=(/usr/bin/python3 "$ROOT/scripts/format_sv.py" "$@"); }

cat >crooked.sv <<'SV'
// Adds two words.
module adder (
    input logic on_i,
  input  logic [7:0] a_i,   // words
    output logic [ 8:0] sum_o
);
  logic first_q; // of two
  logic [3:0] second_q;  // of two
  assign sum_o = condition_that_is_long_a && condition_that_is_long_b ? {1'b0, a_i} + {1'b0, b_i} : {1'b0, a_i} - {1'b0, b_i};
  other u_other (
      .clk_i(clk_i),
      .long_name_i(a_i)
  );
endmodule
SV
cat >straight.sv <<'SV'
// Adds two words.
module adder (
    input  logic       on_i,
    input  logic [7:0] a_i,  // words
    output logic [8:0] sum_o
);
  logic first_q;         // of two
  logic [3:0] second_q;  // of two
  assign sum_o = condition_that_is_long_a && condition_that_is_long_b ? {1'b0, a_i} + {1'b0, b_i} :
      {1'b0, a_i} - {1'b0, b_i};
  other u_other (
      .clk_i      (clk_i),
      .long_name_i(a_i)
  );
endmodule
SV
cp crooked.sv was.sv
format --check crooked.sv
check layout_check 1 "crooked.sv:3: not in the layout of scripts/format_sv.py; run it on this file"
that layout_check_writes_nothing cmp crooked.sv was.sv
format crooked.sv
check layout_write 0
that layout_result diff crooked.sv straight.sv
format --check straight.sv
check layout_good 0 "!straight.sv"
printf 'module wide (\n    input logic a_i, b_i\n);\n  assign %0125d = 1;\nendmodule\n' 0 >wide.sv
format wide.sv
check layout_refuses 1 "wide.sv:4: 139 columns, at most 120: break this line" "wide.sv:2: several ports, expected one in each line"
finish
