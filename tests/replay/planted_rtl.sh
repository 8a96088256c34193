#!/bin/bash
# Faults of many modules (scripts/plant.py) in one copy of the RTL, built as rtl:planted, plain and with waves; one at a time is active (--fault).
# Does nothing if the copy is younger than what it was made from.
#
# usage: planted_rtl.sh BUILD [full]     writes BUILD/tests/planted, for full BUILD/tests/planted_full: the copy, its list faults.f, the table
#                                       faults.json
set -eu
cd "$(dirname "$0")/../.."
build=$1 config=${2:-small}
dir=$build/tests/planted
folders=(cacc cbuf cdma cdp cmac csb csc glb lut mcif pdp sdp) count=24 seed=7
if [ "$config" = full ]; then # what only full has, too
    # Not cmac: the multipliers are another form in simulators with waves (docs/architecture.md). Not fp: its modules are parts of several engines.
    dir+=_full folders=(bdma cacc cbuf cdma cdp csb csc glb lut mcif pdp rubik sdp) count=91
fi
mkdir -p "$build/tests"
exec 9>"$dir.lock"
flock 9
if [ ! -e "$dir/built" ] || [ -n "$(find rtl scripts/plant.py scripts/verilog_source.py -newer "$dir/built")" ]; then
    rm -rf "$dir"
    export OPT=-O1 # short traces: what the optimiser saves is less than what it takes
    /usr/bin/python3 scripts/plant.py "$dir" --config "$config" --count $count --seed $seed "${folders[@]}"
    "$build/nvcosim" build --config "$config" --name planted --filelist "$dir/faults.f"
    "$build/nvcosim" run -q --dut rtl:planted --wave "$dir/first.fst" --wave-to 1 --out "$dir" "traces/conformance/$config/rand_sdp_000.nvt.gz"
    touch "$dir/built"
fi
