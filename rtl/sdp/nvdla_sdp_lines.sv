// Addresses of a cube's lines, one per DMA request: lines of a surface, then surfaces; or one request for the whole cube.
//
// While run_i is high the requests come out on a valid/ready stream: line_count_i+1 lines in each of surface_count_i+1
// surfaces, at base + surface * surface stride + line * line stride; with single_i one request at base. The request after
// run_i rises one clock later. last_o marks the last one; done_o stays high from then until run_i falls.
// Bases and strides must be aligned by the caller.
// Spec: 50-sdp sections 3.2, 4 and 8.1.
module nvdla_sdp_lines
  import nvdla_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                run_i,
    input  logic [AddrBits-1:0] base_i,
    input  logic [AddrBits-1:0] line_stride_i,
    input  logic [AddrBits-1:0] surface_stride_i,
    input  logic [12:0]         line_count_i,     // minus 1
    input  logic [12:0]         surface_count_i,  // minus 1
    input  logic                single_i,
    output logic                valid_o,
    input  logic                ready_i,
    output logic [AddrBits-1:0] addr_o,
    output logic                last_o,
    output logic                done_o
);
  logic busy_q, done_q;
  logic [AddrBits-1:0] surface_q, addr_q;
  logic [12:0] line_q, surface_left_q;
  logic last_line;

  assign valid_o = busy_q;
  assign addr_o = addr_q;
  assign done_o = done_q;
  assign last_line = line_q == 13'd0;
  assign last_o = last_line && surface_left_q == 13'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end else if (!run_i) begin
      busy_q <= 1'b0;
      done_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= !done_q;
    end else if (ready_i && last_o) begin
      busy_q <= 1'b0;
      done_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      addr_q <= base_i;
      surface_q <= base_i;
      line_q <= single_i ? 13'd0 : line_count_i;
      surface_left_q <= single_i ? 13'd0 : surface_count_i;
    end else if (ready_i) begin
      if (last_line) begin
        addr_q <= surface_q + surface_stride_i;
        surface_q <= surface_q + surface_stride_i;
        line_q <= line_count_i;
        surface_left_q <= surface_left_q - 13'd1;
      end else begin
        addr_q <= addr_q + line_stride_i;
        line_q <= line_q - 13'd1;
      end
    end
  end
endmodule
