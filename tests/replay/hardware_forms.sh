#!/bin/bash
# Plays convolutions on the hardware form of the multipliers, which simulators replace by a fast form (rtl/cmac/nvdla_cmac_mixed.sv), built by
# the list of make rtl, as a user takes it: all conformance traces of full, or COUNT random layers of another configuration.
#
# usage: hardware_forms.sh BUILD [CONFIG COUNT]
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/replay/play.sh
build=$1 config=${2:-full}
written=$build/tests/hardware
rm -rf "$written"
make -s rtl "B=$build" "CONFIG=$config" "OUT=$written" && "$NVCOSIM" build --config "$config" --name hardware --filelist "$written/nvdla.f" || exit 1
if [ -n "${3:-}" ]; then
    "$NVCOSIM" gen -q --config "$config" --engine conv --seed 1 --count "$3" --out "$written/layers" || exit 1
    chosen=("$written"/layers/*.gz)
else
    mapfile -t chosen < <(tests/conformance_traces.sh full | while read -r path; do
        if zcat -f "$path" | grep -q 'CSC.D_OP_ENABLE'; then echo "$path"; fi
    done)
    [ ${#chosen[@]} -ge 100 ] || { echo "FAIL found ${#chosen[@]} traces of full with a convolution, expected 100 and more"; failed=$((failed + 1)); }
fi
play "$config on its hardware form" --config "$config" --dut rtl:hardware --out "$build/hardware-reports" -- "${chosen[@]}"
finish
