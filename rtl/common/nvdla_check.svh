// Checks inside the RTL: the contracts that module heads state, as statements that fail.
//
//   `NVDLA_CHECK(Name, Cond)                  Cond holds at every rising edge of clk_i out of reset
//   `NVDLA_CHECK_OTHERS(Name, Cond)           the same of a Cond that other engines keep: if it fails, this engine is not to blame
//   `NVDLA_STABLE(Name, Valid, Ready, Data)   a stream's word stays offered, unchanged, until it is taken
//   `NVDLA_PARAM(Name, Cond)                  Cond, a constant, holds for this instance's parameters; always compiled in
//   `NVDLA_QUEUE(Name, Bits, Room, Push, In, Valid, Pop, Out)   words of Bits pass in order, at most Room at a time (nvdla_check_queue)
//   `NVDLA_BALANCE(Name, Most, Up, Add, Down, Sub)        0 <= sum of Add when Up minus Sub when Down <= Most (nvdla_check_balance)
//   `NVDLA_FINAL(Name, Cond)                  Cond holds at the end of a run in which all layers have ended: what is queued, owed or counted
//   `NVDLA_CHECK_AT, `NVDLA_STABLE_AT         the same in another clock domain: (Name, Clock, ResetN, ...)
//   `NVDLA_CHECK_ON(Name, Clock, Cond)        Cond holds at every rising edge of a clock, for modules without a reset
//   `NVDLA_ONEHOT(Word), `NVDLA_ONEHOT0(Word)   $onehot and $onehot0, which synthesis tools need not know
//   `NVDLA_LAYER(Start, Done)                 reports to the testbench which layer a register group runs
//
// Only NVDLA_CHECKS (simulators of VARIANT=checks and waves) compiles them in. They see what flip-flops see: values just before the
// edge. State that only checks need is in `ifdef NVDLA_CHECKS and comes from the handshakes, never from the logic under check.
//
// The end of a run is the end of the simulation (`final`). Under Verilator the program decides when that is: this project's testbench
// evaluates these blocks when the trace has been played to its end, nothing moves, and no layer runs (tb/observers/checks.h).
//
// A failing check stops nothing. Under Verilator it calls nvdla_check_failed (or nvdla_check_others_failed) with its name and its
// scope; a program that compiles the RTL with NVDLA_CHECKS provides these functions and nvdla_check_layer (the testbench:
// tb/main_verilator.cpp). For a synthesis tool it is an assertion, elsewhere $error.
// Every file that uses it includes it; its folder is an include folder (rtl/nvdla.f).
`ifndef NVDLA_CHECK_SVH
`define NVDLA_CHECK_SVH

`define NVDLA_PARAM(Name, Cond) \
  initial if (!(Cond)) $fatal(1, "%m: parameter rule %s is broken", `"Name: Cond`");

// NVDLA_UNLESS: a failing Cond out of reset; for synthesis tools in the form of a flip-flop with a reset.
`ifdef SYNTHESIS
`define NVDLA_UNLESS(ResetN, Cond) if (!ResetN) begin end else if (!(Cond))
`define NVDLA_ONEHOT0(Word) (((Word) & ((Word) - 1'b1)) == '0)
`define NVDLA_ONEHOT(Word) ((Word) != '0 && `NVDLA_ONEHOT0(Word))
`else
`define NVDLA_UNLESS(ResetN, Cond) if (ResetN && !(Cond))
`define NVDLA_ONEHOT0(Word) $onehot0(Word)
`define NVDLA_ONEHOT(Word) $onehot(Word)
`endif

`ifdef NVDLA_CHECKS

`ifdef VERILATOR
// name: the check's own; scope: the hierarchical name of the block of that name, so that the instance is the part before it.
import "DPI-C" function void nvdla_check_failed(input string name, input string scope);
import "DPI-C" function void nvdla_check_others_failed(input string name, input string scope);
// scope: the register group. event_kind: 0 the group exists (once, at time 0), 1 a layer starts, 2 it is done.
import "DPI-C" function void nvdla_check_layer(input string scope, input int event_kind);
`define NVDLA_CHECK_FAILED(Name) nvdla_check_failed(`"Name`", $sformatf("%m"))
`define NVDLA_CHECK_OTHERS_FAILED(Name) nvdla_check_others_failed(`"Name`", $sformatf("%m"))
`define NVDLA_LAYER(Start, Done) \
  initial nvdla_check_layer($sformatf("%m"), 0); \
  always @(posedge clk_i or negedge rst_ni) \
    if (rst_ni && (Start)) nvdla_check_layer($sformatf("%m"), 1); \
    else if (rst_ni && (Done)) nvdla_check_layer($sformatf("%m"), 2);
`elsif SYNTHESIS
`define NVDLA_CHECK_FAILED(Name) assert (1'b0)
`define NVDLA_CHECK_OTHERS_FAILED(Name) assert (1'b0)
`define NVDLA_LAYER(Start, Done)
`else
`define NVDLA_CHECK_FAILED(Name) $error("check %s failed", `"Name`")
`define NVDLA_CHECK_OTHERS_FAILED(Name) `NVDLA_CHECK_FAILED(Name)
`define NVDLA_LAYER(Start, Done)
`endif

`ifdef SYNTHESIS
`define NVDLA_FINAL(Name, Cond)
`else
`define NVDLA_FINAL(Name, Cond) \
  final if (!(Cond)) `NVDLA_CHECK_FAILED(Name);
`endif

`define NVDLA_CHECK_AT(Name, Clock, ResetN, Cond) \
  always @(posedge Clock or negedge ResetN) begin : Name \
    `NVDLA_UNLESS(ResetN, Cond) `NVDLA_CHECK_FAILED(Name); \
  end

`define NVDLA_CHECK_ON(Name, Clock, Cond) \
  always @(posedge Clock) begin : Name \
    if (!(Cond)) `NVDLA_CHECK_FAILED(Name); \
  end

`define NVDLA_CHECK_OTHERS(Name, Cond) \
  always @(posedge clk_i or negedge rst_ni) begin : Name \
    `NVDLA_UNLESS(rst_ni, Cond) `NVDLA_CHECK_OTHERS_FAILED(Name); \
  end

`define NVDLA_STABLE_AT(Name, Clock, ResetN, Valid, Ready, Data) \
  if (1) begin : Name \
    logic check_waits_q; \
    logic [$bits(Data)-1:0] check_word_q; \
    always @(posedge Clock or negedge ResetN) \
      if (!ResetN) check_waits_q <= 1'b0; \
      else begin \
        check_waits_q <= (Valid) && !(Ready); \
        if (check_waits_q && !((Valid) && check_word_q == (Data))) `NVDLA_CHECK_FAILED(Name); \
      end \
    always @(posedge Clock) check_word_q <= (Data); \
  end

`define NVDLA_QUEUE(Name, Bits, Room, Push, In, Valid, Pop, Out) \
  nvdla_check_queue #(.Width(Bits), .Depth(Room)) Name ( \
      .clk_i(clk_i), .rst_ni(rst_ni), .push_i(Push), .in_i(In), .valid_i(Valid), .pop_i(Pop), .out_i(Out));

`define NVDLA_BALANCE(Name, Most, Up, Add, Down, Sub) \
  nvdla_check_balance #(.Max(Most)) Name ( \
      .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(1'b0), .up_i(Up), .add_i(Add), .down_i(Down), .sub_i(Sub));

`else

`define NVDLA_LAYER(Start, Done)
`define NVDLA_FINAL(Name, Cond)
`define NVDLA_QUEUE(Name, Bits, Room, Push, In, Valid, Pop, Out)
`define NVDLA_BALANCE(Name, Most, Up, Add, Down, Sub)
`define NVDLA_CHECK_AT(Name, Clock, ResetN, Cond)
`define NVDLA_CHECK_ON(Name, Clock, Cond)
`define NVDLA_CHECK_OTHERS(Name, Cond)
`define NVDLA_STABLE_AT(Name, Clock, ResetN, Valid, Ready, Data)

`endif

`define NVDLA_CHECK(Name, Cond) `NVDLA_CHECK_AT(Name, clk_i, rst_ni, Cond)
`define NVDLA_STABLE(Name, Valid, Ready, Data) `NVDLA_STABLE_AT(Name, clk_i, rst_ni, Valid, Ready, Data)

`endif
