#!/bin/bash
# Builds one simulator executable: Verilator over an RTL, then the C++ compiler, then the link with the testbench.
#
# usage: build_simulator.sh BUILD CONFIG [NAME] [WAVES] [FILELIST] [TOP] [VERILATOR_OPTIONS]
#   NAME       empty: the RTL in rtl/; else the name of another RTL, given by FILELIST, TOP (default NV_nvdla) and options
#   WAVES      1: records FST
# Result: BUILD/nvcosim-CONFIG[-NAME][-waves]. Prints one line per step that does something.
set -eu -o pipefail
build=$1 config=$2 name=${3:-} waves=${4:-} filelist=${5:-} top=${6:-} options=${7:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
variant=nvcosim-$config${name:+-$name}
[ "$waves" = 1 ] && variant+=-waves
dir=$build/sim/$variant
mkdir -p "$dir"

if [ -n "$name" ]; then
    [ -f "$filelist" ] || { echo "build_simulator: file list '$filelist' of RTL '$name' does not exist" >&2; exit 2; }
    # Foreign RTL is never lint clean: warnings are not this project's business.
    sources=(-Wno-fatal -Wno-lint -Wno-style +1800-2017ext+sv -F "$filelist" "+define+TB_TOP=${top:-NV_nvdla}")
    # shellcheck disable=SC2206 # the options are words
    sources+=($options)
else
    sources=("$build/gen/$config/nvdla_pkg.sv" -F rtl/nvdla.f)
fi
[ "$waves" = 1 ] && sources+=(--trace-fst --trace-structs)

stamp() { cksum "$dir/Vtb_top.mk" "$dir"/Vtb_top__verFiles.dat 2>/dev/null || true; }
before=$(stamp)
verilator --cc --vpi -O3 --no-timing --x-assign fast --x-initial fast --noassert --output-split 8000 --Mdir "$dir" \
    --top-module tb_top -f "$build/gen/$config/config.f" "${sources[@]}" tb/tb_top.sv >"$dir/verilator.log" 2>&1 ||
    { cat "$dir/verilator.log" >&2; exit 1; }
[ "$before" = "$(stamp)" ] || echo "compiling the Verilated RTL: $variant"

define=(-DCOSIM_CONFIG="\\\"$config\\\"" -DCOSIM_RTL="\\\"$name\\\"")
[ "$waves" = 1 ] && define+=(-DCOSIM_WAVES)
make -s -C "$dir" -f "$root/tb/simulator.mk" -j "$(nproc)" ROOT="$root" BUILD="$(realpath "$build")" EXE="$(realpath "$build")/$variant" \
    DEFINES="${define[*]}" >"$dir/make.log" 2>&1 || { cat "$dir/make.log" >&2; exit 1; }
