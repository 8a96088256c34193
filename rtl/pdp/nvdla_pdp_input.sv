// Input of PDP: takes exactly the cube of the active layer, atom by atom, from PDP_RDMA or from SDP.
//
// mem_*: atoms from PDP_RDMA (FLYING_MODE = 1). sdp_*: beats of SdpBsThroughput lanes, lane 0 first (FLYING_MODE = 0), collected
// to atoms. Nothing is accepted before the layer runs, nothing of the other source, nothing behind the last atom of the cube.
// atom_*: the atoms in the order strip, surface, line, column; no clock of latency. done_o: the whole cube has been taken.
// Spec: 60-pdp, sections 7, 8, 10.
module nvdla_pdp_input
  import nvdla_pkg::*;
  import nvdla_pdp_pkg::*;
(
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         run_i,
  input  pdp_d_t                       d_i,
  output logic                         done_o,
  input  logic                         mem_valid_i,
  output logic                         mem_ready_o,
  input  logic [AtomBits-1:0]          mem_data_i,
  input  logic                         sdp_valid_i,
  output logic                         sdp_ready_o,
  input  logic [SdpBsThroughput*8-1:0] sdp_data_i,
  output logic                         atom_valid_o,
  input  logic                         atom_ready_i,
  output logic [AtomBits-1:0]          atom_data_o
);
  localparam int SdpBits = SdpBsThroughput * 8;

  wire unused_d = &{1'b0, d_i};

  logic loaded_q, done_q;
  logic [7:0] strip_q;
  logic [12:0] surface_q, line_q;
  logic [13:0] width_q, column_q;              // columns of the strip; column of the line that comes next, from 1

  wire [12:0] surface_last = d_i.cube_in_channel >> PdpChannelShift;
  wire active = loaded_q && !done_q;
  wire from_memory = d_i.flying_mode;
  wire take = atom_valid_o && atom_ready_i;
  wire line_end = column_q == width_q;
  wire surface_end = line_end && line_q == d_i.cube_in_height;
  wire strip_end = surface_end && surface_q == surface_last;
  wire [7:0] strip_next = loaded_q ? strip_q + 8'd1 : 8'd0;
  wire load = run_i && !loaded_q;

  logic sdp_atom;                              // the beat of SDP completes an atom
  logic [AtomBits-1:0] sdp_atom_data;

  assign done_o = done_q;
  assign mem_ready_o = active && from_memory && atom_ready_i;
  assign sdp_ready_o = active && !from_memory && (atom_ready_i || !sdp_atom);
  assign atom_valid_o = active && (from_memory ? mem_valid_i : sdp_valid_i && sdp_atom);
  assign atom_data_o = from_memory ? mem_data_i : sdp_atom_data;

  if (AtomBits > SdpBits) begin : gen_collect
    localparam int Beats = AtomBits / SdpBits;
    localparam int BeatBits = $clog2(Beats);
    logic [BeatBits-1:0] beat_q;
    logic [AtomBits-SdpBits-1:0] lanes_q;      // the beats so far, newest highest

    assign sdp_atom = beat_q == BeatBits'(Beats - 1);
    assign sdp_atom_data = {sdp_data_i, lanes_q};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) beat_q <= '0;
      else if (sdp_valid_i && sdp_ready_o) beat_q <= sdp_atom ? '0 : beat_q + BeatBits'(1);
    end
    if (Beats > 2) begin : gen_shift
      always_ff @(posedge clk_i) if (sdp_valid_i && sdp_ready_o) lanes_q <= {sdp_data_i, lanes_q[AtomBits-SdpBits-1:SdpBits]};
    end else begin : gen_hold
      always_ff @(posedge clk_i) if (sdp_valid_i && sdp_ready_o) lanes_q <= sdp_data_i;
    end
  end else begin : gen_pass
    assign sdp_atom = 1'b1;
    assign sdp_atom_data = sdp_data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loaded_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      loaded_q <= run_i;
      if (!run_i) done_q <= 1'b0;
      else if (take && strip_end && strip_q == d_i.split_num) done_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load || (take && strip_end)) begin
      strip_q <= strip_next;
      surface_q <= 13'd0;
      line_q <= 13'd0;
      width_q <= pdp_strip_width_in(d_i.split_num, strip_next, d_i.cube_in_width, d_i.partial_width_in_first, d_i.partial_width_in_mid,
                                    d_i.partial_width_in_last, d_i.kernel_width, d_i.kernel_stride_width);
      column_q <= 14'd1;
    end else if (take) begin
      column_q <= line_end ? 14'd1 : column_q + 14'd1;
      if (line_end) line_q <= surface_end ? 13'd0 : line_q + 13'd1;
      if (surface_end) surface_q <= surface_q + 13'd1;
    end
  end
endmodule
