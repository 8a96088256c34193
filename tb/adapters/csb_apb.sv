// From NVDLA's register bus (CSB) to APB: for an RTL whose top module is a wrapper with an APB slave.
//
// One CSB request at a time becomes one APB transfer: a clock of setup, then access until pready. paddr is the byte
// address. csb2nvdla_ready is low while a transfer lasts; nvdla2csb_valid and nvdla2csb_wr_complete are high for one
// clock after it. pslverr has no place in CSB: the data are passed on.
//
// Spec: 10-system section 4; AMBA APB.
module csb_apb (
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
    output logic        psel_o,
    output logic        penable_o,
    output logic        pwrite_o,
    output logic [31:0] paddr_o,
    output logic [31:0] pwdata_o,
    input  logic [31:0] prdata_i,
    input  logic        pready_i
);
    logic sel_q, enable_q, write_q, nposted_q, valid_q, complete_q;
    logic [15:0] addr_q;
    logic [31:0] wdata_q, rdata_q;

    wire start = csb2nvdla_valid_i & csb2nvdla_ready_o;
    wire done = sel_q & enable_q & pready_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
            sel_q      <= 1'b0;
            enable_q   <= 1'b0;
            write_q    <= 1'b0;
            nposted_q  <= 1'b0;
            addr_q     <= '0;
            wdata_q    <= '0;
            rdata_q    <= '0;
            valid_q    <= 1'b0;
            complete_q <= 1'b0;
        end else begin
            sel_q      <= start | (sel_q & ~done);
            enable_q   <= sel_q & ~done;
            valid_q    <= done & ~write_q;
            complete_q <= done & write_q & nposted_q;
            if (start) begin
                write_q   <= csb2nvdla_write_i;
                nposted_q <= csb2nvdla_nposted_i;
                addr_q    <= csb2nvdla_addr_i;
                wdata_q   <= csb2nvdla_wdat_i;
            end
            if (done) begin
                rdata_q <= prdata_i;
            end
        end
    end

    assign csb2nvdla_ready_o       = ~sel_q;
    assign nvdla2csb_valid_o       = valid_q;
    assign nvdla2csb_data_o        = rdata_q;
    assign nvdla2csb_wr_complete_o = complete_q;
    assign psel_o                  = sel_q;
    assign penable_o               = enable_q;
    assign pwrite_o                = write_q;
    assign paddr_o                 = {14'd0, addr_q, 2'd0};
    assign pwdata_o                = wdata_q;
endmodule
