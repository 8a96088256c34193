// From NVDLA's register bus (CSB) to AXI4-Lite: for an RTL whose top module is a wrapper with an AXI4-Lite slave.
//
// One CSB request at a time becomes one read or write. Address and data of a write are offered together, and each is
// taken back once it is accepted. araddr and awaddr are byte addresses. nvdla2csb_valid and nvdla2csb_wr_complete are
// high for one clock after the response. Its status (rresp, bresp) has no place in CSB: the data are passed on.
//
// Spec: 10-system section 4; AMBA AXI4-Lite.
module csb_axi4lite (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        csb2nvdla_valid_i,
    output logic        csb2nvdla_ready_o,
    input  logic [15:0] csb2nvdla_addr_i,
    input  logic [31:0] csb2nvdla_wdat_i,
    input  logic        csb2nvdla_write_i,
    input  logic        csb2nvdla_nposted_i,
    output logic        nvdla2csb_valid_o,
    output logic [31:0] nvdla2csb_data_o,
    output logic        nvdla2csb_wr_complete_o,
    output logic        awvalid_o,
    input  logic        awready_i,
    output logic [31:0] awaddr_o,
    output logic        wvalid_o,
    input  logic        wready_i,
    output logic [31:0] wdata_o,
    output logic [ 3:0] wstrb_o,
    input  logic        bvalid_i,
    output logic        bready_o,
    output logic        arvalid_o,
    input  logic        arready_i,
    output logic [31:0] araddr_o,
    input  logic        rvalid_i,
    output logic        rready_o,
    input  logic [31:0] rdata_i
);
    logic busy_q, aw_q, w_q, ar_q, write_q, nposted_q, valid_q, complete_q;
    logic [15:0] addr_q;
    logic [31:0] wdata_q, rdata_q;

    wire start = csb2nvdla_valid_i & csb2nvdla_ready_o;
    wire done = busy_q & (write_q ? bvalid_i : rvalid_i);

    always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
            busy_q     <= 1'b0;
            aw_q       <= 1'b0;
            w_q        <= 1'b0;
            ar_q       <= 1'b0;
            write_q    <= 1'b0;
            nposted_q  <= 1'b0;
            addr_q     <= '0;
            wdata_q    <= '0;
            rdata_q    <= '0;
            valid_q    <= 1'b0;
            complete_q <= 1'b0;
        end else begin
            busy_q     <= start | (busy_q & ~done);
            aw_q       <= (start & csb2nvdla_write_i) | (aw_q & ~awready_i);
            w_q        <= (start & csb2nvdla_write_i) | (w_q & ~wready_i);
            ar_q       <= (start & ~csb2nvdla_write_i) | (ar_q & ~arready_i);
            valid_q    <= done & ~write_q;
            complete_q <= done & write_q & nposted_q;
            if (start) begin
                write_q   <= csb2nvdla_write_i;
                nposted_q <= csb2nvdla_nposted_i;
                addr_q    <= csb2nvdla_addr_i;
                wdata_q   <= csb2nvdla_wdat_i;
            end
            if (done) begin
                rdata_q <= rdata_i;
            end
        end
    end

    assign csb2nvdla_ready_o       = ~busy_q;
    assign nvdla2csb_valid_o       = valid_q;
    assign nvdla2csb_data_o        = rdata_q;
    assign nvdla2csb_wr_complete_o = complete_q;
    assign awvalid_o               = aw_q;
    assign awaddr_o                = {14'd0, addr_q, 2'd0};
    assign wvalid_o                = w_q;
    assign wdata_o                 = wdata_q;
    assign wstrb_o                 = 4'hf;
    assign bready_o                = busy_q & write_q;
    assign arvalid_o               = ar_q;
    assign araddr_o                = {14'd0, addr_q, 2'd0};
    assign rready_o                = busy_q & ~write_q;
endmodule
