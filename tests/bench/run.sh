#!/bin/bash
# All benches, one after the other; at the end the names of those that failed or fell short of their bar.
#
# usage: run.sh BUILD ROUNDS RTLMETER TRACES
here=$(dirname "$0") build=$1 rounds=$2 rtlmeter=$3
read -ra traces <<<"$4"
short=()

# part NAME ARGUMENTS...
part() {
    "$here/$1" "$build" "${@:2}" || short+=("$1")
}
part rtlmeter.py "$rounds" ${rtlmeter:+"$rtlmeter"}
part bench.sh "$rounds" "${traces[@]}"
part taps.py "$rounds" "${traces[@]}"
part copies.py "$rounds"
[ "$rounds" -lt 3 ] || part simulator.py "$rounds" "${traces[@]}"
part model.sh "$rounds"
part compile.py "$rounds"
part waves.py "$rounds"
part pieces.py "$rounds"
part regress.py ${traces[0]:+20}
[ ${#short[@]} -eq 0 ] || { echo "make bench: failed, or fell short of a bar: ${short[*]}"; exit 1; }
