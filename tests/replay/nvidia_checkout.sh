#!/bin/bash
# nvcosim build --vmod, on a checkout with the layout of NVIDIA's, in which this project's modules are stand-ins: files with several modules, RAM
# models apart, checks without their modules, and a top with the pin that NVIDIA's clock gates need.
#
# usage: nvidia_checkout.sh BUILD
. "$(dirname "$0")/frame.sh"
export OPT=-O0 # simulators of a few layers: compiling is the work
build=$1
checkout=$build/tests/nvidia/hw
rm -rf "$checkout" "$build/nvcosim-small-nvidia" && mkdir -p "$checkout"
ends "an RTL that was not generated is named with the step that makes it" 2 'outdir/nv_small/vmod/nvdla/top/NV_nvdla.v does not exist; generate it' \
    "$NVCOSIM" build --nvidia "$checkout"

vmod=$checkout/outdir/nv_small/vmod
mkdir -p "$vmod"/{nvdla/{top,nocif},rams/{fpga/model,synth},vlibs,include,fifos}
make -s "$build/gen/small/nvdla_pkg.sv"
cat rtl/common/nvdla_check.svh "$build/gen/small/nvdla_pkg.sv" >"$vmod/include/packages.vh"
while read -r file; do
    case $file in
    '' | //* | +* | *.svh) ;;
    *_pkg.sv) sed '/include "nvdla_check/d' "rtl/$file" >>"$vmod/include/packages.vh" ;;
    *) mkdir -p "$vmod/nvdla/$(dirname "$file")" && sed '/include "nvdla_check/d' "rtl/$file" >"$vmod/nvdla/${file%.sv}.v" ;;
    esac
done <rtl/nvdla.f
# CFGROM of an array of 16 channels.
for word in 14 18; do
    sed -Ei "s/(CfgromReset = .*_)[0-9a-f]{8}((_[0-9a-f]{8}){$word};)/\100000010\2/" "$vmod/include/packages.vh"
done
mv "$vmod/nvdla/common/nvdla_fifo.v" "$vmod/rams/fpga/model/"
mv "$vmod/nvdla/common/nvdla_sync.v" "$vmod/vlibs/nvdla_sync.vlib"
cat "$vmod"/nvdla/common/nvdla_{async_fifo,reset_sync}.v >"$vmod/fifos/two_modules.v"
mv "$vmod/nvdla/mcif/nvdla_wrr_arbiter.v" "$vmod/nvdla/nocif/NV_NVDLA_XXIF_libs.v"
rm "$vmod"/nvdla/common/nvdla_{async_fifo,reset_sync}.v
echo 'this must not be read' | tee "$vmod/rams/synth/nvdla_fifo.v" >"$vmod/vlibs/unused.vlib"
# With its clock gates free this top never gets an interrupt out. Our gate replaces its NV_CLK_gate_power, which does nothing.
{
    echo '`include "packages.vh"'
    echo '`ifndef SYNTHESIS'
    echo 'this must not be read'
    echo '`endif'
    sed -e 's/data_o(dla_intr)/data_o(dla_intr_raw)/' \
        -e 's/^ *input .* test_mode,/  input logic switch,\n&/' -e 's/^  logic core_rst_n, csb_rst_n;/  logic core_rst_n, csb_rst_n, dla_intr_raw;/' -e 's/^endmodule/  assign dla_intr = dla_intr_raw \& tmc2slcg_disable_clock_gating;\n  nv_assert_no_x #(0, 1, 0, "x") known (.clk(dla_core_clk), .reset_(1'"'b1), .start_event(1'b1"'), .test_expr(dla_intr));\nendmodule/' "$vmod/nvdla/NV_nvdla.v"
} >"$vmod/nvdla/top/NV_nvdla.v"
rm "$vmod/nvdla/NV_nvdla.v"
cat >"$vmod/nvdla/common/nvdla_clock_gate.v" <<'END'
module nvdla_clock_gate #(parameter int After = 1, parameter bit Inner = 0) (input clk_i, rst_ni, on_i, work_i, output clk_o);
  NV_CLK_gate_power gate (.clk(clk_i), .reset_(rst_ni), .clk_en(work_i | on_i), .clk_gated(clk_o));
endmodule
END
echo 'module NV_CLK_gate_power (input clk, reset_, clk_en, output clk_gated); CKLNQD12 cell_of_a_library (); endmodule' >"$vmod/vlibs/NV_CLK_gate_power.v"
echo 'module CKLNQD12 (); endmodule' >"$vmod/vlibs/CKLNQD12.v"

"$NVCOSIM" build --nvidia "$checkout" --pin tmc2slcg_disable_clock_gating=1 >"$checkout/log" 2>&1
check "nvcosim build --nvidia, with our clock gate in place of its" $?
that "an input that nothing drives is named" grep -q "warning: input switch of NV_nvdla is driven by nothing" "$checkout/log"
grep -qx "warning: CFGROM of this RTL has other values than small (c=16,bank_width=16); if they are true, build it with --config small,c=16,bank_width=16" "$checkout/log"
check "values of CFGROM that are those of no configuration by name are named with what to write" $?
grep -q "^RTL of no branch of NVIDIA's: [0-9]* files below $(realpath "$vmod")" "$checkout/log"
check "it says what the tree is" $?
"$NVCOSIM" info --build --json >"$checkout/info.json" && jq -e --arg vmod "$(realpath "$vmod")" '.[] | select(.simulator == "nvcosim-small-nvidia") |
    (.from | endswith(" files below " + $vmod)) and (.list | endswith("/small-nvidia/vmod.f")) and .top == "NV_nvdla" and
    .pins == "tmc2slcg_disable_clock_gating=1"' "$checkout/info.json"
check "info --build says where it came from, its top and pins" $?
out=$("$NVCOSIM" run --checks --dut rtl:nvidia traces/conformance/small/rand_sdp_pdp_001.nvt.gz 2>&1)
[ $? -eq 2 ] && grep -q 'the RTL of rtl:nvidia has no checks' <<<"$out" && ! grep -q building <<<"$out"
check "checks that it has not are refused before a build" $?
list() { "$NVCOSIM" build --vmod "$1" --print-filelist; }
list "$checkout" >"$checkout/vmod.f" && diff "$checkout/vmod.f" <(list "$vmod") && diff "$checkout/vmod.f" "$build/nvidia/small-nvidia/vmod.f"
check "the checkout and its vmod are the same list, which is printed" $?
mkdir "$checkout/flat" && find "$vmod" -type f ! -path '*/synth/*' -exec cp -t "$checkout/flat" {} + &&
    diff <(list "$checkout/flat" | sed '1d;/incdir/d;s:.*/::') <(sed '1d;/incdir/d;s:.*/::' "$checkout/vmod.f")
check "a flat folder is a list of the same files" $?

# wrong FILELIST [OPTION...]: prints what the build of a list that it must refuse says
wrong() {
    local list=$1
    shift
    "$NVCOSIM" build --filelist "$list" --name wrong "$@" 2>&1 && return 1
    return 0
}
out=$(wrong "$checkout/vmod.f" --config large)
check "the ports of another configuration are refused" $?
grep -qx 'port nvdla_core2dbb_w_wdata of NV_nvdla has 64 bits, configuration large 256' <<<"$out" && grep -q '^configurations with such ports: small, small_256' <<<"$out"
check "each is named, with the configurations that have them" $?
sed "s/^endmodule/wire other;\n&/" "$vmod/nvdla/csc/nvdla_csc_mask.v" >"$checkout/copy.v"
{ grep -v nvdla_csc_weight "$checkout/vmod.f"; echo copy.v; } >"$checkout/less.f"
line=$(grep -n '/csc/nvdla_csc.v' "$checkout/less.f" | cut -d: -f1)
out=$(wrong "$checkout/less.f")
grep "nvdla_csc.v:[0-9]*: there is no module nvdla_csc_weight; .*/less.f:$line names that file" <<<"$out"
check "a missing module is named with the line of the list that needs it" $?
grep "module nvdla_csc_mask: .*/csc/nvdla_csc_mask.v:[0-9]* is used, .*/copy.v:[0-9]* is not" <<<"$out"
check "a module that is there twice is named with both places" $?
echo 'module wrapper(input clk, input psel, input penable, output pready); endmodule' >"$checkout/wrapper.v"
echo wrapper.v >"$checkout/wrapper.f"
wrong "$checkout/wrapper.f" --top wrapper | grep 'top wrapper does not have NVDLA.s ports: .* it has clk, psel, penable, pready: an APB wrapper'
check "a wrapper is named as that" $?
trace=traces/conformance/small/rand_sdp_pdp_001.nvt.gz
that "it runs with the pin that build --pin brings" "$NVCOSIM" run --dut rtl:nvidia --out "$build/tests/nvidia/out" $trace
ends "--pin wins over it, and a hang comes with the hint at clock gating" 3 'try --pin tmc2slcg_disable_clock_gating=1' \
    "$NVCOSIM" run --dut rtl:nvidia --pin tmc2slcg_disable_clock_gating=0 --out "$build/tests/nvidia/out" --max-cycles 30000 $trace
out=$("$NVCOSIM" run --dut rtl:nvidia --out "$build/tests/nvidia/out" --max-cycles 1000 $trace 2>&1)
[ $? -eq 3 ] && ! grep -q 'try --pin' <<<"$out"
check "and without it where the gating is off" $?
"$NVCOSIM" build --filelist "$checkout/wrapper.f" --top wrapper --name nvidia 2>&1 | grep 'an APB wrapper'
check "a wrapper is named where another RTL was built before" $?
finish
