#!/bin/bash
# rtl/nvdla.sdc: a static timing analyser takes it for a netlist of the top, the register bus, GLB and a memory interface of small (the
# engines are left out); no port nor register is without a constraint, and both clock crossings are bounded. Each group of
# constraints is noticed if it is missing. Skipped where Yosys cannot be installed.
#
# usage: sdc.sh BUILD
. "$(dirname "$0")/../../replay/frame.sh"
build=$1 gen=$1/gen/small out=$1/sdc here=tests/rtl/sdc
mkdir -p "$out"
make -s "$gen/nvdla_pkg.sv" || exit 1
engines=(nvdla_{sdp,pdp,cdp,cdma,cbuf,csc,cmac,cacc})
mapfile -t defines < <(sed -n 's/^+define+\([A-Z_]*\)$/-D \1/p' "$gen/config.f")
. scripts/yosys/rtl_files.sh
cat >"$out/top.ys" <<END
read_slang -j 1 --top NV_nvdla -D SYNTHESIS ${defines[*]} ${engines[*]/#/--blackboxed-module } -I $gen -I $rtl/common $gen/nvdla_pkg.sv ${sources[*]}
delete ${engines[*]/#/t:}
setundef -undriven -expose
synth -flatten -top NV_nvdla
dfflibmap -liberty $here/cells.lib
abc -liberty $here/cells.lib
setundef -zero
splitnets
opt_clean -purge
write_verilog -noattr -noexpr top.v
END
scripts/yosys/yosys.sh "$build" "$out/top.ys" "$out" $here/cells.lib "$gen"/nvdla_{pkg.sv,unused.svh} "${headers[@]}" "${sources[@]}" >"$out/yosys.log" 2>&1
status=$?
if [ $status -eq 3 ]; then
    echo "SKIPPED: the Yosys of scripts/yosys cannot be installed"
    echo "$passed passed, $failed failed, 1 skipped"
    exit
fi
check "a netlist of the top (log: $out/yosys.log)" $status || { finish; exit; }

# analyse SDC: what the analyser prints goes to $out/sta.log; fails if it has an error
analyse() { NETLIST=$out/top.v SDC=$1 sta -no_splash -exit $here/sdc.tcl >"$out/sta.log" 2>&1; }
# part TITLE: the lines after this title
part() { awk -v title="== $1" '/^== /{ on = $0 == title; next } on' "$out/sta.log"; }
# each of these looks at the log of the last analysis
accepted() { grep -q '^== end' "$out/sta.log" && ! grep -q '^Error' "$out/sta.log" && [ -z "$(part constraints)" ]; }
inputs() {
    [ "$(part 'inputs without a delay' | sed -n 's/^  \([a-z0-9_]*\).*/\1/p' | sort -u | tr '\n' ' ')" = "direct_reset_ dla_reset_rstn \
global_clk_ovr_on nvdla_pwrbus_ram_a_pd nvdla_pwrbus_ram_c_pd nvdla_pwrbus_ram_ma_pd nvdla_pwrbus_ram_mb_pd nvdla_pwrbus_ram_o_pd \
nvdla_pwrbus_ram_p_pd test_mode tmc2slcg_disable_clock_gating " ]
}
outputs() { # constants, and the first flip-flop of each reset
    [ "$(part 'endpoints without a constraint' | sed -n 's/^  _[0-9]*_.D$/flip-flop/p; s/^  \([a-z0-9_]*\).*/\1/p' | sort | uniq -c |
        awk '{ printf "%s ", $2 == "flip-flop" ? $1 " flip-flops" : $2 }')" = "2 flip-flops nvdla_core2dbb_ar_araddr nvdla_core2dbb_ar_arid \
nvdla_core2dbb_aw_awid nvdla_core2dbb_b_bready nvdla_core2dbb_r_rready nvdla_core2dbb_w_wstrb " ] && [ -z "$(part 'without a clock')" ]
}
crossings() {
    part 'from csb to core' | grep -q ' max_delay$' && part 'from core to csb' | grep -q ' max_delay$' &&
        [ "$(part 'hold between the clocks' | sort -u)" = 'No paths found.' ]
}

analyse rtl/nvdla.sdc
that "rtl/nvdla.sdc is read without a message (log: $out/sta.log)" accepted
that "inputs without a delay are static or asynchronous" inputs
that "endpoints without a constraint are constants" outputs
that "paths between the clocks are bounded, and not held" crossings

# broken WHAT SED LOOK: the constraints changed by SED, which LOOK notices
broken() {
    sed "$2" rtl/nvdla.sdc >"$out/broken.sdc"
    analyse "$out/broken.sdc"
    if [ "$3" = accepted ]; then ! accepted; else accepted && ! $3; fi
    check "noticed: $1" $?
}
broken "a port that does not exist" 's/csb2nvdla_wdat/csb2nvdla_wdata/' accepted
broken "an input without a delay" 's/csb2nvdla_write //' inputs
broken "an output without a delay" 's/ dla_intr}/}/' outputs
broken "AXI outputs without a delay" 's/nvdla_core2\*_aw_awlen //' outputs
broken "a crossing that is not bounded" '/set_max_delay/d' crossings
broken "a crossing whose hold is checked" '/set_false_path -hold/d' crossings
finish
