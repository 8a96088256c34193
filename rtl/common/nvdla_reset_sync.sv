// Reset of one clock domain: asserted at once with rst_ni, released two clocks after it. In test mode direct_rst_ni
// replaces it.
// Spec: 10-system, sections 2 and 3.
`include "nvdla_check.svh"
module nvdla_reset_sync (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic direct_rst_ni,
    input  logic test_mode_i,
    output logic rst_no
);
  logic [1:0] release_q;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) release_q <= '0;
    else release_q <= {release_q[0], 1'b1};

  assign rst_no = test_mode_i ? direct_rst_ni : release_q[1];

  `NVDLA_CHECK_AT(ReleasedInOrder, clk_i, rst_ni, !release_q[1] || release_q[0])
endmodule
