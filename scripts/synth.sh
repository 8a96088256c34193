#!/bin/bash
# Maps modules of the RTL, in the hardware forms, with the pinned Yosys (scripts/yosys) to Xilinx 7 and to ECP5, and prints a table:
# look-up tables, flip-flops, block RAMs, multipliers (DSP), multiplications one behind the other in a clock, and cells on the longest
# path from register to register with its ends (scripts/synth.py row).
#
# usage: synth.sh BUILD CONFIG [TOP...]      default: all engines
# Environment:
#   TARGETS    default "xilinx7 ecp5"
#   HIERARCHY  1: each module is mapped by itself, once if it occurs more often (scripts/synth.py share), and what is mapped is
#              put together by scripts/synth.py row; for engines that are too big to be mapped flat (minutes and gigabytes of
#              memory). Default: 1 for configurations other than small and small_256
#   BARS       1: nothing is mapped but memories: the row has the multiplications in a row, and arrays that become flip-flops are
#              found, in a tenth of the time; Xilinx 7 only
#   WRITE      1: the rows replace those of the same modules, targets and configuration in rtl/README.md
#   LOGS       folder of scripts, logs and netlists, default BUILD/synth: calls at the same time need one each
# Exit status: 0, 1 if a module is not mapped or an array became flip-flops, 2 for a wrong command line, 3 if Yosys cannot be installed.
# The whole log is LOGS/CONFIG-TOP-TARGET.log.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
[ $# -ge 2 ] || { echo "synth.sh: found $# arguments, expected BUILD CONFIG [TOP...]" >&2; exit 2; }
build=$1 config=$2 logs=${LOGS:-$1/synth} gen=$1/gen/$2 failed=0
shift 2
case ${BARS:+bars}${HIERARCHY:-$config} in
    bars*) how=memories TARGETS=xilinx7 ;;
    0 | small | small_256) how=flat ;;
    *) how="by module" ;;
esac
mkdir -p "$logs"
make -s "B=$build" "CONFIG=$config" "$gen/nvdla_pkg.sv" || exit 1
if [ $# -eq 0 ]; then
    mapfile -t tops < <(scripts/synth.py engines "$gen/nvdla_pkg.sv")
    set -- "${tops[@]}"
fi
mapfile -t defines < <(sed -n 's/^+define+\([A-Z_]*\)$/-D \1/p' "$gen/config.f")
. scripts/yosys/rtl_files.sh
files=("$gen"/nvdla_{pkg.sv,unused.svh} "${headers[@]}" "${sources[@]}") # what the front end reads

# yosys SCRIPT FILE...: runs it in $logs and adds its messages to SCRIPT.log
yosys() {
    local script=$logs/$1
    shift
    scripts/yosys/yosys.sh "$build" "$script.ys" "$logs" "$@" 2>&1 | sed 's/\x1b\[[0-9;]*m//g' >>"${script%-front}.log"
}

# map_commands TOP TARGET NAME: what they write are NAME.json, and NAME-coarse.json before multiplications are mapped
map_commands() {
    local flatten=''
    if [ "$2" = ecp5 ]; then
        [ "$how" = flat ] || flatten=-noflatten
        echo "synth_ecp5 $flatten -top $1 -run begin:map_ffs"
        # Latches of clock gates: ECP5 has none. Without the ports of a cell they would vanish, with all that they drive.
        printf '%s\n' 'read_verilog -lib <<EOT' 'module LATCH(input D, E, output Q); endmodule' EOT 'chtype -set LATCH t:$_DLATCH_*'
        [ -z "${without_mfs:-}" ] || echo 'scratchpad -set abc9.script "+&scorr;&sweep;&dc2;&dch,-f,-r;&ps;&if,{W},{D},{R},-v"'
        echo "synth_ecp5 $flatten -top $1 -run map_ffs:check"
    else
        [ "$how" != flat ] || flatten=-flatten
        echo "synth_xilinx $flatten -noiopad -top $1 -run begin:map_dsp"
        echo "write_json -selected $3-coarse.json"
        if [ "$how" = memories ]; then
            echo "synth_xilinx -top $1 -run coarse:fine"
            return
        fi
        echo "synth_xilinx $flatten -noiopad -top $1 -run map_dsp:check"
    fi
    echo "write_json -selected $3.json" # without the cells of the target, which are not selected
}

# netlist TOP TARGET NAME: both files. By module, the front end makes a module of each instance; those that are the same become one.
netlist() {
    local read given=''
    [ "$1" != nvdla_csb ] || given=$(sed -n 's/.*localparam .*Csb\(Units\|Windows\) = \([^;]*\);.*/-G \1=\2/p' "$gen/nvdla_pkg.sv" | paste -sd ' ')
    read="read_slang -j 1 --top $1 $given -D SYNTHESIS ${defines[*]} -I $gen -I $rtl/common $gen/nvdla_pkg.sv ${sources[*]}"
    : >"$logs/$3.log"
    if [ "$how" = flat ]; then
        { echo "$read" && map_commands "$@"; } >"$logs/$3.ys"
        yosys "$3" "${files[@]}"
        return
    fi
    printf '%s\n' "$read --best-effort-hierarchy" "write_rtlil $3-front.il" >"$logs/$3-front.ys"
    yosys "$3-front" "${files[@]}" || return
    scripts/synth.py share "$logs/$3-front.il" >"$logs/$3.il" 2>>"$logs/$3.log" || return
    { echo "read_rtlil $logs/$3.il" && map_commands "$@"; } >"$logs/$3.ys"
    yosys "$3" "$logs/$3.il"
}

# map TOP TARGET: one module; prints its row of the table
map() {
    local name=$config-$1-$2 mapped=- coarse=- status
    echo "mapping $1 of $config to $2 ($how); log: $logs/$name.log" >&2
    netlist "$1" "$2" "$name"
    status=$?
    if [ $status -ne 0 ] && grep -aq Gia_ManInsertMfs "$logs/$name.log"; then # ABC's last step, which improves a little, crashes on some
        echo "mapping $1 again without &mfs, in which ABC crashed" >&2
        without_mfs=1 netlist "$1" "$2" "$name"
        status=$?
    fi
    rm -f "$logs/$name.il" "$logs/$name-front.il"
    [ $status -ne 3 ] || { tail -n 5 "$logs/$name.log" >&2; exit 3; }
    if [ $status -ne 0 ]; then
        grep -a -m 5 -iE 'error' "$logs/$name.log"
        echo "FAIL  $1 of $config for $2: exit status $status; whole log: $logs/$name.log"
        return 1
    fi
    [ "$2" = ecp5 ] || coarse=$logs/$name-coarse.json
    [ "$how" = memories ] || mapped=$logs/$name.json
    scripts/synth.py row "$logs/$name.log" "$mapped" "$coarse" "$1" "$2" "$how" | tee "$logs/$name.row"
    status=$?
    rm -f "$logs/$name.json" "$logs/$name-coarse.json"
    [ -z "${WRITE:-}" ] || scripts/synth.py write "$config" rtl/README.md "$logs/$name.row" || return 1
    return $status
}

scripts/synth.py head
for top in "$@"; do
    for target in ${TARGETS:-xilinx7 ecp5}; do
        map "$top" "$target" || failed=1
    done
done
exit $failed
