#!/bin/bash
# Maps modules of the RTL, in the hardware forms, with the pinned Yosys (scripts/yosys) to Xilinx 7 and to ECP5, each module flattened, and
# prints a table: look-up tables, flip-flops, block RAMs, multipliers (DSP), and cells on the longest path between flip-flops (ltp -noff),
# with the path's ends. Look-up tables used as memory count as such.
#
# usage: synth.sh BUILD CONFIG [TOP...]      default: the engines of the convolution pipeline
# Environment:
#   LOGS  folder of scripts and logs, default BUILD/synth: calls at the same time need one each
# Exit status: 0, 1 if a module is not mapped, 2 for a wrong command line, 3 if Yosys cannot be installed. The whole log is
# LOGS/CONFIG-TOP-TARGET.log.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
[ $# -ge 2 ] || { echo "synth.sh: found $# arguments, expected BUILD CONFIG [TOP...]" >&2; exit 2; }
build=$1 config=$2 logs=${LOGS:-$1/synth} gen=$1/gen/$2 failed=0
shift 2
[ $# -gt 0 ] || set -- nvdla_cdma nvdla_cbuf nvdla_csc nvdla_cmac nvdla_cacc
mkdir -p "$logs"
make -s "$gen/nvdla_pkg.sv" || exit 1
mapfile -t sources < <(sed -e 's://.*::' -e '/\.svh/d' -e '/^[[:space:]]*$/d' -e 's:^:rtl/:' rtl/nvdla.f)
mapfile -t headers < <(find rtl -name '*.svh' | sort)

# map TOP TARGET COMMAND: one module; prints its row of the table
map() {
    local log=$logs/$config-$1-$2.log
    {
        echo "read_slang -j 1 --top $1 -D SYNTHESIS -I $gen $gen/nvdla_pkg.sv ${sources[*]}"
        echo "$3"
        echo "ltp -noff"
        echo "stat"
    } >"$logs/$config-$1-$2.ys"
    scripts/yosys/yosys.sh "$build" "$logs/$config-$1-$2.ys" "$logs/out" "$gen"/nvdla_{pkg.sv,unused.svh} "${headers[@]}" "${sources[@]}" 2>&1 |
        sed 's/\x1b\[[0-9;]*m//g' >"$log"
    local status=$?
    [ $status -ne 3 ] || { tail -n 5 "$log" >&2; exit 3; }
    if [ $status -ne 0 ]; then
        grep -a -m 5 -iE 'error' "$log"
        echo "FAIL  $1 of $config for $2: exit status $status; whole log: $log"
        return 1
    fi
    awk -v top="$1" -v target="$2" '
        /Printing statistics/ { delete cells }
        /^ +[0-9]+ +[A-Za-z0-9_$]+$/ { cells[$2] = $1 }
        /Longest topological path/ { sub(/.*length=/, ""); length_of_path = $0 + 0; path = 1; next }
        path && /^ +[0-9]+: / { if (first == "") first = $2; last = $2 }
        /Printing statistics/ { path = 0 }
        END {
            for (c in cells) {
                if (c ~ /^(LUT|RAM(32|64|128|256)[XM]|TRELLIS_DPR)/) lut += cells[c] * (c ~ /^RAM.*M$|^TRELLIS_DPR/ ? 4 : 1)
                if (c ~ /^(FD|TRELLIS_FF)/) ff += cells[c]
                if (c ~ /^(RAMB|DP16KD|PDPW16KD)/) ram += cells[c]
                if (c ~ /^(DSP|MULT)/) dsp += cells[c]
            }
            printf "| %s | %s | %d | %d | %d | %d | %d | `%s` to `%s` |\n", top, target, lut, ff, ram, dsp, length_of_path, first, last
        }' "$log"
}

echo "| module | target | LUTs | flip-flops | block RAMs | DSPs | longest path | its ends |"
echo "|---|---|---|---|---|---|---|---|"
for top in "$@"; do
    map "$top" xilinx7 "synth_xilinx -flatten -noiopad" || failed=1
    map "$top" ecp5 "synth_ecp5" || failed=1
done
exit $failed
