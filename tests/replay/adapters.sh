#!/bin/bash
# nvcosim build --adapter, --port-map and --pin: wrappers of this project's RTL with another register bus, other names of ports and inputs of
# their own are built and play like the RTL itself.
#
# usage: adapters.sh BUILD
. "$(dirname "$0")/frame.sh"
export OPT=-O0 # simulators of a few layers: compiling is the work
build=$1
dir=$build/tests/adapters
here=$PWD/tests/replay/wrappers
rm -rf "$dir" && mkdir -p "$dir"
make -s "$build/gen/small/nvdla_pkg.sv"
for wrapper in apb axi4lite; do
    printf '%s\n' "$(realpath "$build/gen/small/nvdla_pkg.sv")" "-F $PWD/rtl/nvdla.f" "+incdir+$here" "$here/${wrapper}_wrapper.sv" >"$dir/$wrapper.f"
done
traces="traces/conformance/small/rand_sdp_pdp_001.nvt.gz traces/conformance/small/rand_edge_intr_002.nvt.gz"

# builds NAME OPTION...: builds rtl:NAME from NAME.f
builds() {
    "$NVCOSIM" build --filelist "$dir/$1.f" --name "wrap_$1" "${@:2}" >"$dir/log" 2>&1
}
# plays NAME: the traces pass on it, with the same operations
plays() {
    # shellcheck disable=SC2086 # names of traces
    "$NVCOSIM" run -q --dut "rtl:wrap_$1" --out "$dir/out" --max-cycles 60000 $traces >"$dir/run.log" 2>&1
}
that "a wrapper with APB is built" builds apb --top apb_wrapper --adapter apb --pin dma_enable_i=1
grep -q '^an adapter connects apb_wrapper: ' "$dir/log" && grep -q 'inputs of them are 0 .*: s_apb_pslverr, nvdla_core2dbb_bresp, nvdla_core2dbb_awsize$' "$dir/log"
check "its adapter and its open ports are named" $?
that "traces pass on it" plays apb
builds axi4lite --wrapper axi4lite_wrapper --adapter axi4lite --port-map "$here/axi4lite_wrapper.map"
check "a wrapper with AXI4-Lite and names of a port map is built" $?
that "traces pass on it, too" plays axi4lite

# refused TITLE TEXT NAME OPTION...
refused() { ends "$1" 2 "$2" "$NVCOSIM" build --filelist "$dir/$3.f" --name "wrap_$3" "${@:4}"; }
refused "a wrapper with unknown names is refused, with these" \
    'axi4lite_wrapper has no port for dla_intr, nvdla_core2dbb_aw_awvalid, .*; say which one it is in a --port-map' \
    axi4lite --top axi4lite_wrapper --adapter axi4lite
refused "and a pin that it has not" 'apb_wrapper has no such port; its ports: core_clk, pclk' apb --top apb_wrapper --adapter apb --pin dma_enable=1
refused "and a module that is nowhere" 'no module none in the files' apb --top none --adapter apb
echo 'dla_intr' >"$dir/wrong.map"
refused "and a map without two names" "wrong.map:1: found 'dla_intr', expected the name" \
    apb --top apb_wrapper --adapter apb --port-map "$dir/wrong.map"
finish
