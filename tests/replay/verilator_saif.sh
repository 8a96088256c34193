#!/bin/bash
# The activity of a layer as Verilator's own SAIF (--trace-saif, from 5.036) has it, compared with that of the recorded waves.
#
# usage: verilator_saif.sh BUILD
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/verilator_saif waves=$build/sim/nvcosim-small-waves gen=$build/gen/small
rm -rf "$dir" && mkdir -p "$dir/sim"
layer=(--config=small --dut=rtl --wave-layer 4 --out "$dir" traces/conformance/small/rand_mixed_000.nvt.gz)
that "a layer, its activity counted from waves" "$NVCOSIM" run "${layer[@]}" --wave "$dir/layer.fst" --wave-plain --saif "$dir/layer.saif"
verilator --cc --vpi -f scripts/verilator.f --noassert --Mdir "$dir/sim" --top-module tb_top -f "$gen/config.f" "$gen/nvdla_pkg.sv" -F rtl/nvdla.f \
    --trace-saif --trace-structs +define+NVDLA_CHECKS +define+TB_WAITS "+incdir+$build/gen" +define+TB_TAPS "+incdir+$waves" tb/tb_top.sv >"$dir/log" 2>&1 &&
    cp "$waves"/{made.h,defines,settings} "$dir/sim" &&
    make -s -C "$dir/sim" -f "$PWD/tb/simulator.mk" -j "$(nproc)" ROOT="$PWD" BUILD="$(realpath "$build")" EXE="$(realpath "$dir")/simulator" \
        COMPILER="${COMPILER:-${DEFAULT_COMPILER:-g++}}" OPT= OPTIMIZE=-O1 PROFILE_OPTIONS= UNITS= DEFINES="$(cat "$waves/defines") -include $PWD/tests/replay/verilator_saif.h" >>"$dir/log" 2>&1 &&
    [ -x "$dir/simulator" ]
check "a simulator with Verilator's own SAIF" $? || tail -n 20 "$dir/log"
"$dir/simulator" "${layer[@]}" --wave "$dir/own.fst" --wave-plain >"$dir/own.log" 2>&1 # which finds no waves
tests/replay/saif.py "$dir/layer.fst" "$dir/layer.saif" && tests/replay/saif.py "$dir/layer.fst" "$dir/own.fst.saif"
check "both count the same" $? || cat "$dir/own.log"
finish
