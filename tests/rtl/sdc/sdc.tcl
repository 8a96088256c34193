# Reads the constraints of NV_nvdla ($SDC) for a netlist of its top ($NETLIST) without the engines, whose outputs are inputs of it, and prints
# what they leave open and how the clock crossings are timed.
read_liberty tests/rtl/sdc/cells.lib
read_verilog $env(NETLIST)
link_design NV_nvdla
puts "== constraints"
read_sdc $env(SDC)
set ports [split [exec sed -nE {s,^ +(input|output) +logic *(\[.*\])? +(\w+).*,\3,p} rtl/NV_nvdla.sv] \n]
foreach port [all_inputs] {
    if {[lsearch $ports [regsub {\[.*} [get_property $port full_name] {}]] < 0} {
        set_input_delay 0 -clock dla_core_clk $port
    }
}
puts "== inputs without a delay"
check_setup -verbose -no_input_delay
puts "== without a clock"
check_setup -verbose -no_clock
puts "== endpoints without a constraint"
check_setup -verbose -unconstrained_endpoints
puts "== from csb to core"
report_checks -from [get_clocks dla_csb_clk] -to [get_clocks dla_core_clk]
puts "== from core to csb"
report_checks -from [get_clocks dla_core_clk] -to [get_clocks dla_csb_clk]
puts "== hold between the clocks"
report_checks -path_delay min -from [get_clocks dla_csb_clk] -to [get_clocks dla_core_clk]
report_checks -path_delay min -from [get_clocks dla_core_clk] -to [get_clocks dla_csb_clk]
puts "== end"
