#!/bin/bash
# Plays all conformance traces of full that have a convolution on the hardware form of the multipliers, which simulators replace by a fast form
# (rtl/cmac/nvdla_cmac_mixed.sv), built by the list of make rtl.
#
# usage: hardware_forms.sh BUILD [COUNT]     COUNT: no more than that many of each kind, as their names have it
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/replay/play.sh
build=$1 most=${2:-100000}
written=$build/tests/hardware # as a user takes it: the files of full alone, without the fast forms
rm -rf "$written"
make -s rtl "B=$build" CONFIG=full "OUT=$written" && "$NVCOSIM" build --config full --name hardware --filelist "$written/nvdla.f" || exit 1
chosen=() found=0
declare -A of_kind
while read -r path; do
    case $path in
    *.gz) text=$(zcat "$path") ;;
    *) text=$(<"$path") ;;
    esac
    grep -q 'CSC.D_OP_ENABLE' <<<"$text" || continue
    found=$((found + 1))
    kind=${path%/input.txn} && kind=${kind##*/} && kind=${kind%_*}
    of_kind[$kind]=$((${of_kind[$kind]:-0} + 1))
    if [ "${of_kind[$kind]}" -le "$most" ]; then chosen+=("$path"); fi
done < <(tests/conformance_traces.sh full)
[ $found -ge 100 ] || { echo "FAIL found $found traces of full with a convolution, expected 100 and more"; failed=$((failed + 1)); }
play "full on its hardware form" --config full --dut rtl:hardware --out "$build/hardware-reports" -- "${chosen[@]}"
finish
