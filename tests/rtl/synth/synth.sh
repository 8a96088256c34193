#!/bin/bash
# `make synth`: a row says of a netlist what it must; a small engine is mapped and its table says what it must. Skipped
# where Yosys cannot be installed.
#
# usage: synth.sh BUILD          NIGHTLY=1 in the environment: also for ECP5, and CBUF, which has to be block RAMs
. "$(dirname "$0")/../../replay/frame.sh"
build=$1 table=$1/synth/test.md
mkdir -p "$build/synth"

here=tests/rtl/synth
row() { scripts/synth.py row "$1" $here/netlist.json - nvdla_glb xilinx7 flat; }
found=$(row $here/netlist.log)
[ "$found" = '| `nvdla_glb` | xilinx7, flat | 6 | 2 | 1 | 1 | - | 3 | `here_q` to `ram` |' ]
check "the row of a netlist with a module in it, of which an output is not read, and a constant: $found" $?
{ cat $here/netlist.log; sed 's/few/many/; s/created 64/created 65/' $here/netlist.log; } >"$build/synth/many.log"
found=$(row "$build/synth/many.log" 2>&1 >/dev/null)
[ $? -eq 1 ] && [[ "$found" = *"array \\u_many.mem_q of 2080 bits became flip-flops"* ]]
check "an array that became flip-flops is named" $?

# Of instances that are the same one is mapped, and all others are its.
found=$(scripts/synth.py share $here/instances.il 2>/dev/null | sed -n 's/^module //p; s/^  cell \(\\leaf[^ ]*\).*/-> \1/p' | tr '\n' ' ')
[ "$found" = '\top -> \leaf$top.u[0] -> \leaf$top.u[0] -> \leaf$top.u[2] \leaf$top.u[0] \leaf$top.u[2] ' ]
check "modules that are the same become one: $found" $?

make -s "B=$build" CONFIG=small+pdp-0 "$build/gen/small+pdp-0/nvdla_pkg.sv"
found=$(scripts/synth.py engines "$build/gen/small+pdp-0/nvdla_pkg.sv" | tr '\n' ' ')
[ "$found" = 'nvdla_cdma nvdla_cbuf nvdla_csc nvdla_cmac nvdla_cacc nvdla_sdp nvdla_cdp nvdla_mif nvdla_csb nvdla_glb ' ]
check "an engine that the configuration has not is not mapped: $found" $?

# WRITE=1 puts a row in place of the one of the same module and target, and leaves the others.
page=$build/synth/page.md
printf '%s\n' 'Before.' '<!-- synth: small -->' '' '| `nvdla_glb` | ecp5, flat | old |' '| `nvdla_cdma` | ecp5, flat | stays |' '' 'After.' >"$page"
echo '| `nvdla_glb` | ecp5, flat | new |' >"$build/synth/new.row"
scripts/synth.py write small "$page" "$build/synth/new.row" &&
    [ "$(grep -v '^$\|---\|LUTs' "$page" | tr '\n' ' ')" = \
        'Before. <!-- synth: small --> | `nvdla_cdma` | ecp5, flat | stays | | `nvdla_glb` | ecp5, flat | new | After. ' ]
check "a row of the page is replaced" $?

# column TARGET TOP NUMBER: one of the table
column() { awk -F' *[|] *' -v t="$1, flat" -v m="\`$2\`" -v n="$3" '$2 == m && $3 == t { print $(n + 3) }' "$table"; }

targets="xilinx7 ${NIGHTLY:+ecp5}"
TARGETS=$targets LOGS=$build/synth scripts/synth.sh "$build" small nvdla_cmac ${NIGHTLY:+nvdla_cbuf} >"$table"
status=$?
if [ $status -eq 3 ]; then
    echo "SKIPPED: the Yosys of scripts/yosys cannot be installed"
    echo "$passed passed, $failed failed, 1 skipped"
    exit
fi
check "engines are mapped" $status
for target in $targets; do
    dsps=$(column "$target" nvdla_cmac 4)
    that "a DSP for each of the 32 multipliers of a CMAC of small, $target: ${dsps:-none}" test "$dsps" = 32
    [ -z "${NIGHTLY:-}" ] && continue
    rams=$(column "$target" nvdla_cbuf 3)
    [ "$rams" = 64 ] || [ "$target:$rams" = ecp5:128 ]
    check "CBUF of small is block RAMs, $target: ${rams:-none}" $?
done
if [ -n "${NIGHTLY:-}" ]; then
    luts=()
    for config in full full+fp16-0; do
        HIERARCHY=0 TARGETS=xilinx7 LOGS=$build/synth scripts/synth.sh "$build" "$config" nvdla_cmac_lane >"$table"
        luts+=("$(column xilinx7 nvdla_cmac_lane 1)")
    done
    [ "${luts[1]}" -lt $((luts[0] * 3 / 4)) ]
    check "a MAC lane without FP16 is a quarter smaller: ${luts[*]}" $?
fi
TARGETS=ecp5 LOGS=$build/synth scripts/synth.sh "$build" small nvdla_clock_gate >"$table"
check "a clock gate is mapped to ECP5, which has no latches" $?
[ "$(column ecp5 nvdla_clock_gate 2)" = 2 ]
check "a latch and a flip-flop: $(column ecp5 nvdla_clock_gate 2)" $?
scripts/synth.sh "$build" small no_such_module >"$table"
that "a module that does not exist is refused" test $? -eq 1
finish
