// Check of NVIDIA's RTL (vlibs) that a signal is known: empty, because Verilator has two states. nvcosim build reads it
// last, for trees that have their modules without their checks.
module nv_assert_no_x #(
    parameter int severity_level = 0,
    parameter int width = 32,
    parameter int options = 0,
    parameter logic [511:0] msg = '0
) (
    input  logic             clk,
    input  logic             reset_,
    input  logic             start_event,
    input  logic [width-1:0] test_expr
);
  // Ports and parameters only.
endmodule
