#!/bin/bash
# nvcosim build --nvidia, on a checkout with the layout of NVIDIA's, in which this project's modules are stand-ins: modules found by -y, by -v in
# files with several modules, RAM models apart, and a top with the pin that NVIDIA's RTL needs.
#
# usage: nvidia_checkout.sh BUILD
set -u
. "$(dirname "$0")/frame.sh"
export OPT=-O0 # simulators of a few layers: compiling is the work
build=$1
checkout=$build/tests/nvidia/hw
rm -rf "$checkout" "$build/nvcosim-small-nvidia" && mkdir -p "$checkout"
"$NVCOSIM" build --nvidia "$checkout" 2>"$checkout/log"
[ $? -eq 2 ] && grep -q 'outdir/nv_small/vmod/nvdla/top/NV_nvdla.v does not exist; generate it' "$checkout/log"
check "an RTL that was not generated is named with the step that makes it" $?

vmod=$checkout/outdir/nv_small/vmod
mkdir -p "$vmod"/{nvdla/{top,nocif},rams/fpga/model,vlibs,include,fifos}
make -s "$build/gen/small/nvdla_pkg.sv"
cat rtl/common/nvdla_check.svh "$build/gen/small/nvdla_pkg.sv" >"$vmod/include/packages.vh"
while read -r file; do
    case $file in
    '' | //* | *.svh) ;;
    *_pkg.sv) cat "rtl/$file" >>"$vmod/include/packages.vh" ;;
    *) mkdir -p "$vmod/nvdla/$(dirname "$file")" && cp "rtl/$file" "$vmod/nvdla/${file%.sv}.v" ;;
    esac
done <rtl/nvdla.f
mv "$vmod/nvdla/common/nvdla_fifo.v" "$vmod/rams/fpga/model/"
mv "$vmod/nvdla/common/nvdla_sync.v" "$vmod/vlibs/nvdla_sync.vlib"
cat "$vmod"/nvdla/common/nvdla_{async_fifo,reset_sync}.v >"$vmod/fifos/two_modules.v"
mv "$vmod/nvdla/mcif/nvdla_wrr_arbiter.v" "$vmod/nvdla/nocif/NV_NVDLA_XXIF_libs.v"
rm "$vmod"/nvdla/common/nvdla_{async_fifo,reset_sync}.v
echo '// nothing' | tee "$vmod/vlibs/RANDFUNC.vlib" >"$vmod/vlibs/nv_assert_no_x.vlib"
# With its clock gates free this top never gets an interrupt out.
{
    echo '`include "packages.vh"'
    echo '`ifndef SYNTHESIS'
    echo 'this must not be read'
    echo '`endif'
    sed -e 's/data_o(dla_intr)/data_o(dla_intr_raw)/' \
        -e 's/^  logic core_rst_n, csb_rst_n;/  logic core_rst_n, csb_rst_n, dla_intr_raw;/' -e 's/^endmodule/  assign dla_intr = dla_intr_raw \& tmc2slcg_disable_clock_gating;\nendmodule/' "$vmod/nvdla/NV_nvdla.v"
} >"$vmod/nvdla/top/NV_nvdla.v"
rm "$vmod/nvdla/NV_nvdla.v"

"$NVCOSIM" build --nvidia "$checkout"
check "nvcosim build --nvidia" $?
trace=traces/conformance/small/rand_sdp_pdp_001.nvt.gz
"$NVCOSIM" run --dut rtl:nvidia --out "$build/tests/nvidia/out" $trace
check "it runs with the pin that --nvidia brings" $?
out=$("$NVCOSIM" run --dut rtl:nvidia --pin tmc2slcg_disable_clock_gating=0 --out "$build/tests/nvidia/out" --max-cycles 30000 $trace 2>&1)
[ $? -eq 3 ] && grep -q 'try --pin tmc2slcg_disable_clock_gating=1' <<<"$out"
check "--pin wins over it, and a hang comes with the hint at clock gating" $?
out=$("$NVCOSIM" run --dut rtl:nvidia --out "$build/tests/nvidia/out" --max-cycles 1000 $trace 2>&1)
[ $? -eq 3 ] && ! grep -q 'try --pin' <<<"$out"
check "and without it where the gating is off" $?
finish
