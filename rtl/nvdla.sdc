# Timing constraints of NV_nvdla (SDC), for synthesis and static timing analysis; rtl/README.md says what they stand for.
# A flow that sets nvdla_core_period and nvdla_csb_period (ns) before it reads this file chooses the clocks.
if {![info exists nvdla_core_period]} { set nvdla_core_period 10.0 }
if {![info exists nvdla_csb_period]} { set nvdla_csb_period 10.0 }

create_clock -name dla_core_clk -period $nvdla_core_period [get_ports dla_core_clk]
create_clock -name dla_csb_clk -period $nvdla_csb_period [get_ports dla_csb_clk]

# The two clocks are asynchronous. What crosses are Gray-coded pointers, of which one bit changes at a time, words that such
# a pointer has announced, and the interrupt. A pointer's bits must not be spread over more than a clock of their source,
# and a word must be there before its pointer has passed two flip-flops: both hold within the shorter period.
set crossing [expr {min($nvdla_core_period, $nvdla_csb_period)}]
foreach {from to} {dla_core_clk dla_csb_clk dla_csb_clk dla_core_clk} {
    set_max_delay $crossing -from [get_clocks $from] -to [get_clocks $to]
    set_false_path -hold -from [get_clocks $from] -to [get_clocks $to]
}

# Resets may come at any time; they are released by a synchroniser in each clock domain, whose outputs are timed.
set_false_path -from [get_ports {dla_reset_rstn direct_reset_}]

# Static pins: normal operation, clock gates at work. A scan mode has test_mode and tmc2slcg_disable_clock_gating at 1.
set_case_analysis 0 [get_ports {test_mode global_clk_ovr_on tmc2slcg_disable_clock_gating}]
set_false_path -from [get_ports nvdla_pwrbus_ram_*]

# Ports: what is outside of them has three tenths of a clock. Both memories (dbb and cvsram) have AXI ports of the core clock.
set_input_delay [expr {0.3 * $nvdla_csb_period}] -clock dla_csb_clk [get_ports {
    csb2nvdla_valid csb2nvdla_addr csb2nvdla_wdat csb2nvdla_write csb2nvdla_nposted}]
set_output_delay [expr {0.3 * $nvdla_csb_period}] -clock dla_csb_clk [get_ports {
    csb2nvdla_ready nvdla2csb_valid nvdla2csb_data nvdla2csb_wr_complete dla_intr}]
set_input_delay [expr {0.3 * $nvdla_core_period}] -clock dla_core_clk [get_ports {
    nvdla_core2*_aw_awready nvdla_core2*_w_wready nvdla_core2*_ar_arready nvdla_core2*_b_bvalid nvdla_core2*_b_bid
    nvdla_core2*_r_rvalid nvdla_core2*_r_rid nvdla_core2*_r_rlast nvdla_core2*_r_rdata}]
set_output_delay [expr {0.3 * $nvdla_core_period}] -clock dla_core_clk [get_ports {
    nvdla_core2*_aw_awvalid nvdla_core2*_aw_awid nvdla_core2*_aw_awlen nvdla_core2*_aw_awaddr nvdla_core2*_w_wvalid
    nvdla_core2*_w_wdata nvdla_core2*_w_wstrb nvdla_core2*_w_wlast nvdla_core2*_b_bready nvdla_core2*_ar_arvalid
    nvdla_core2*_ar_arid nvdla_core2*_ar_arlen nvdla_core2*_ar_araddr nvdla_core2*_r_rready}]
