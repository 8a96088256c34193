// Expander of compressed weights: bytes without gaps to the lanes whose mask bit is set, in order; the other lanes are
// 0.
//
// load_i takes mask_i. One clock later, with use_i, data_o is packed_i at those lanes. Combinational from packed_i.
// The hardware is a butterfly: stages of pairs of lanes that are Lanes/2, Lanes/4 .. 1 apart, each pair straight or
// crossed. In a block of B lanes in front of a stage the byte of number e of the stream is in lane e modulo B, behind
// it in lane e modulo B/2 of its half. The upper half begins with byte c, as many as mask bits are set before it: byte
// e >= c of lane e modulo B/2 comes from the upper half if bit log2(B/2) of e is set. The counts are registers, each as
// many bits as its block needs.
// Two forms: the hardware, or with NVDLA_FAST_FORMS a selection for each lane, which simulates faster. With
// NVDLA_BOTH_FORMS the hardware works and the other form is compared with it.
// Spec: 20-data-formats, section 6.
`include "nvdla_check.svh"
module nvdla_csc_expand #(
    parameter int Lanes  = 8,  // a power of two
    parameter int Stages = $clog2(Lanes)
) (
    input  logic               clk_i,
    input  logic               load_i,
    input  logic [  Lanes-1:0] mask_i,
    input  logic               use_i,
    input  logic [8*Lanes-1:0] packed_i,
    output logic [8*Lanes-1:0] data_o
);
`ifdef NVDLA_BOTH_FORMS
  `define NVDLA_EXPAND_HARDWARE
  `define NVDLA_EXPAND_FAST
`elsif NVDLA_FAST_FORMS
  `define NVDLA_EXPAND_FAST
`else
  `define NVDLA_EXPAND_HARDWARE
`endif
  logic [Lanes-1:0] mask_q;
  always_ff @(posedge clk_i) if (load_i) mask_q <= mask_i;

`ifdef NVDLA_EXPAND_HARDWARE
  // Mask bits before each lane, as a tree of sums: in each 2^(s+1) lanes those of the right half get the sum of the
  // left half.
  logic [Stages-1:0] sum[0:Lanes-1];
  always_comb begin
    sum[0] = '0;
    for (int i = 1; i < Lanes; i++) sum[i] = Stages'(mask_i[i-1]);
    for (int s = 0; s < Stages; s++)
      for (int i = 0; i < Lanes; i++) if ((i >> s) % 2 == 1) sum[i] = sum[i] + sum[((i>>s)<<s)-1];
  end

  logic [Stages*Lanes/2-1:0] straight;  // pairs of stage s (2^s lanes apart) from s * Lanes / 2 on
  for (genvar s = 0; s < Stages; s++) begin : gen_stage
    for (genvar b = 0; b < Lanes >> (s + 1); b++) begin : gen_block
      logic [s:0] count_q;  // modulo the lanes of the block
      always_ff @(posedge clk_i) if (load_i) count_q <= sum[(2*b+1)<<s][s:0];
      for (genvar t = 0; t < 1 << s; t++) begin : gen_pair
        assign straight[s*Lanes/2+(b<<s)+t] = (t < 32'(count_q) % (1 << s)) ^ count_q[s];
      end
    end
  end

  always_comb begin
    logic [7:0] low, high;
    data_o = packed_i;
    low = '0;
    high = '0;
    for (int s = Stages - 1; s >= 0; s--)
      for (int i = 0; i < Lanes; i++)
        if ((i >> s) % 2 == 0) begin
          low  = data_o[8*i+:8];
          high = data_o[8*(i+(1<<s))+:8];
          if (!straight[s*Lanes/2+((i>>(s+1))<<s)+i%(1<<s)]) begin
            data_o[8*i+:8]          = high;
            data_o[8*(i+(1<<s))+:8] = low;
          end
        end
    for (int i = 0; i < Lanes; i++) if (!mask_q[i]) data_o[8*i+:8] = '0;
  end
`endif

`ifdef NVDLA_EXPAND_FAST
  logic [8*Lanes-1:0] fast;
  always_comb begin
    logic [Stages-1:0] place;
    fast  = '0;
    place = '0;
    if (use_i)
      for (int i = 0; i < Lanes; i++)
        if (mask_q[i]) begin
          fast[8*i+:8] = packed_i[{place, 3'b0}+:8];
          place        = place + 1'b1;
        end
  end
`endif

`ifndef NVDLA_EXPAND_HARDWARE
  assign data_o = fast;
`elsif NVDLA_EXPAND_FAST
  `NVDLA_CHECK_AT(FormsAgree, clk_i, use_i, data_o == fast)
`else
  wire unused_use = &{1'b0, use_i};
`endif

  `NVDLA_PARAM(LanesLegal, Lanes == 2 ** Stages)
`undef NVDLA_EXPAND_HARDWARE
`undef NVDLA_EXPAND_FAST
endmodule
