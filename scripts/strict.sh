#!/bin/bash
# Reads the RTL with a strict SystemVerilog front end, the slang of a pinned Yosys (scripts/yosys): every file is a compilation unit of
# its own and includes what it uses. No tolerance option is given. Errors are:
#   - whatever slang refuses, and each warning that scripts/yosys/allowed.tsv does not list with its reason
#   - what Yosys' `check` finds in the elaborated design: several drivers, none, loops of logic
#   - a latch outside rtl/common/nvdla_clock_gate.sv and its cell
#
# usage: strict.sh BUILD CONFIG...        each configuration without and with the checks inside the RTL
# Environment:
#   RTL   folder of the RTL, default rtl; a copy has the same files
#   TOP   top module, default NV_nvdla: with another one only what is below it is elaborated
#   LOGS  folder of scripts and logs, default BUILD/strict: calls at the same time need one each
#   CHECKS  "": only without the checks inside the RTL; NVDLA_CHECKS: only with them
# Exit status: 0 nothing found, 1 something, 3 Yosys cannot be installed. The whole log is LOGS/CONFIG.log.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
build=$1 logs=${LOGS:-$1/strict} rtl=${RTL:-rtl} top=${TOP:-NV_nvdla} failed=0
shift
[ $# -gt 0 ] || { echo "strict.sh: found no configuration, expected BUILD CONFIG..." >&2; exit 2; }
mkdir -p "$logs"
. scripts/yosys/rtl_files.sh

# Modules with many instances, which would be elaborated one by one: they are read on their own, where the design has them, and are boxes in
# what is around them. No input may lead to an output but through registers: a loop of logic through a box would not be found.
cells=(nvdla_cmac_cell nvdla_cmac_array_cell)

# read_rtl CONFIG DEFINE TOP: one form of a configuration, from a module on
read_rtl() {
    local gen=$build/gen/$1 name=$1${2:+-checks} log found defines cell boxes=() through=
    [ "$3" = "$top" ] || { name+=-$3 through='select -assert-none o:* %ci*:-$dff,-$adff i:* %i'; }
    log=$logs/$name.log
    make -s "$gen/nvdla_pkg.sv" || return
    defines=$(sed -n 's/^+define+/-D /p' "$gen/config.f" | paste -sd ' ')
    for cell in "${cells[@]}"; do [ "$3" = "$cell" ] || boxes+=(--blackboxed-module "$cell"); done
    cat >"$logs/$name.ys" <<END
read_slang -j 1 --top $3 ${boxes[*]} $defines ${2:+-D $2} -I $gen -I $rtl/common $gen/nvdla_pkg.sv ${sources[*]}
check -assert
select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr %u %u %u a:src=*nvdla_clock_gate*.sv* %d
$through
tee -q -o $name.cells stat
END
    rm -f "$logs/out/$name.cells"
    scripts/yosys/yosys.sh "$build" "$logs/$name.ys" "$logs/out" "$gen"/nvdla_{pkg.sv,unused.svh} "${headers[@]}" "${sources[@]}" 2>&1 |
        sed 's/\x1b\[[0-9;]*m//g' >"$log"
    local status=$?
    [ $status -ne 3 ] || { tail -n 5 "$log" >&2; exit 3; }
    # Warnings that are not listed, of slang and of Yosys.
    found=$(grep -aiE '(^|[^0-9a-z])warning: ' "$log" | grep -a -v -E -f <(sed -e '/^#/d' -e 's/\t.*//' scripts/yosys/allowed.tsv))
    if [ $status -ne 0 ] || [ -n "$found" ]; then
        grep -a -E -A3 '(error|ERROR|warning|Warning): |RangeError|^Assertion' "$log" | head -n 40
        echo "FAIL  strict $name: whole log: $log"
        return 1
    fi
    echo "ok    strict $name"
    for cell in "${cells[@]}"; do
        [ "$3" != "$top" ] || ! grep -qw "$cell" "$logs/out/$name.cells" || read_rtl "$1" "$2" "$cell" || return
    done
}
for config in "$@"; do
    forms=("" NVDLA_CHECKS)
    [ -z "${CHECKS+x}" ] || forms=("$CHECKS")
    for define in "${forms[@]}"; do
        read_rtl "$config" "$define" "$top" || failed=1
    done
done
exit $failed
