#!/bin/bash
# Proves properties of leaf modules of rtl/ (tests/formal/*.sv) for any inputs and any time after reset, with Yosys and the model checker of its
# ABC (property directed reachability). Also proves that the interesting states can be reached, so no proof is empty.
#
# usage: prove.sh BUILD     NIGHTLY=1: all sizes of a module, and of the MAC lane all claims; else one
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
out=$build/tests/formal
limit=300 # seconds for one proof, which needs a few; more is a failure, not a pass
mkdir -p "$out"
passed=0 failed=0

# claim NAME VERDICT PREPARATION SOURCES [YOSYS-OPTION]: VERDICT is what ABC prints
claim() {
    local name=$1 verdict=$2 log=$out/$1.log
    timeout $limit yosys -q -p "read_verilog -sv -formal -Irtl/common ${5:-} rtl/common/nvdla_check.svh tests/formal/proof.svh $4; $3; setundef -undriven -anyseq;
        techmap; opt -full; dffunmap; simplemap; aigmap; opt_clean; write_aiger -zinit $out/$name.aig" >"$log" 2>&1 &&
        timeout $limit yosys-abc -c "read_aiger $out/$name.aig; fold; pdr" >>"$log" 2>&1
    if grep -q "$verdict" "$log"; then
        echo "ok    $name"
        passed=$((passed + 1))
    else
        echo "FAIL  $name: $(tail -n 1 "$log") (whole log: $log)"
        failed=$((failed + 1))
    fi
}

# prove NAME PREPARATION SOURCES. Newer ABCs call a property that is constant "solved"; here nothing has a time limit inside ABC, and what
# is violated "was asserted".
prove() {
    claim "$1" "Property proved\|^All outputs solved" "$2" "$3"
    claim "$1_is_not_empty" "was asserted in frame" "$2" "$3" -DREACH
}

one_clock="prep -flatten -top proof; memory_map; async2sync; dffunmap; opt_clean"
ram=rtl/common/nvdla_ram.sv
for depth in 3 ${NIGHTLY:+1 2 5}; do
    prove "nvdla_fifo_$depth" "hierarchy -top proof -chparam Depth $depth; $one_clock" "$ram rtl/common/nvdla_fifo.sv tests/formal/fifo.sv"
    prove "nvdla_fifo_${depth}_registered" "hierarchy -top proof -chparam Depth $depth -chparam Registered 1; $one_clock" \
        "$ram rtl/common/nvdla_fifo.sv tests/formal/fifo.sv"
done
prove nvdla_skid "$one_clock" "rtl/common/nvdla_skid.sv tests/formal/skid.sv"
prove nvdla_wrr_arbiter "$one_clock" "rtl/mcif/nvdla_wrr_arbiter.sv tests/formal/arbiter.sv"
prove nvdla_async_fifo "prep -flatten -top proof; memory_map; clk2fflogic; opt_clean" \
    "rtl/common/nvdla_sync.sv rtl/common/nvdla_async_fifo.sv tests/formal/async_fifo.sv"
for inputs in 5 ${NIGHTLY:+2 3 10}; do
    prove "NV_DW02_tree_$inputs" "hierarchy -top proof -chparam Inputs $inputs; $one_clock" "tb/nvidia/NV_DW02_tree.sv tests/formal/dw02_tree.sv"
done
wires="memory_map; dffunmap; opt -full -nodffe -nosdff; techmap -map tests/formal/wires.v; opt_clean"
prove nvdla_csc_expand "prep -flatten -top proof; $wires" "rtl/csc/nvdla_csc_expand.sv tests/formal/csc_expand.sv"
prove nvdla_funnel "prep -flatten -top proof" "rtl/common/nvdla_funnel.sv tests/formal/funnel.sv"
claim nvdla_funnel_fast "Property proved\|^All outputs solved" "prep -flatten -top proof" "rtl/common/nvdla_funnel.sv tests/formal/funnel.sv" \
    -DNVDLA_FAST_FORMS

# A proof that can't fail proves nothing: each with a fault in a copy of the module.
# broken NAME MODULE SED PREPARATION OTHER-SOURCES
broken() {
    sed "$3" "rtl/$2" >"$out/$1.sv"
    cmp -s "rtl/$2" "$out/$1.sv" && { echo "FAIL  $1: the fault is not in"; failed=$((failed + 1)); return; }
    claim "$1" "was asserted in frame" "$4" "$out/$1.sv $5"
}
broken fifo_that_takes_one_too_many common/nvdla_fifo.sv 's/count_q != Full;/1;/' "$one_clock" "$ram tests/formal/fifo.sv"
broken fifo_that_wraps_wrongly common/nvdla_fifo.sv 's/rd_ptr_q <= after(rd_ptr_q)/rd_ptr_q <= (rd_ptr_q == Last - 1) ? 0 : after(rd_ptr_q)/' "$one_clock" "$ram tests/formal/fifo.sv"
broken fifo_that_reads_what_it_writes common/nvdla_fifo.sv 's/if (pass || pop) passed_q/if (pop) passed_q/' \
    "hierarchy -top proof -chparam Registered 1; $one_clock" "$ram tests/formal/fifo.sv"
broken skid_that_loses_what_waits_twice common/nvdla_skid.sv 's/held_q <= out_valid_o/held_q <= in_valid_i/' "$one_clock" tests/formal/skid.sv
broken arbiter_that_starves mcif/nvdla_wrr_arbiter.sv "s/keep ? left_q - 8'd1/keep ? left_q/" "$one_clock" tests/formal/arbiter.sv
broken async_fifo_that_overflows common/nvdla_async_fifo.sv 's/wr_ready_o = ~wr_level_o\[DepthLog2\]/wr_ready_o = 1/' \
    "prep -flatten -top proof; memory_map; clk2fflogic; opt_clean" "rtl/common/nvdla_sync.sv tests/formal/async_fifo.sv"
broken expander_that_crosses_too_few csc/nvdla_csc_expand.sv "s/(t < 32'(count_q) %/(t <= 32'(count_q) %/" "prep -flatten -top proof; $wires" \
    tests/formal/csc_expand.sv
broken funnel_that_turns_too_little common/nvdla_funnel.sv 's/s = AtBits - 2;/s = AtBits - 3;/' "prep -flatten -top proof" tests/formal/funnel.sv
broken tree_that_keeps_its_carries_in_place ../tb/nvidia/NV_DW02_tree.sv 's/ << 1;/;/' "hierarchy -top proof -chparam Inputs 5; $one_clock" \
    tests/formal/dw02_tree.sv

# ---- a lane of a MAC cell, hardware and fast form (cmac_lane.sv): for the SystemVerilog front end of scripts/yosys ----
skipped=0
cmac=rtl/cmac

# functions FILE NAME...: their text
functions() {
    local name
    for name in "${@:2}"; do
        awk -v name="$name" '$0 ~ "^  function automatic .* " name "[(]" { inside = 1 } inside { print; found = 1 } inside && /endfunction/ { exit }
            END { exit !found }' "$1" || { echo "prove.sh: $1: function $name is missing" >&2; return 1; }
    done
}

# lane_claim NAME CLAIM HARDWARE FAST: makes the claim's files and its part of the script; HARDWARE and FAST are the files of both forms
lane_claim() {
    local dir=$lanes/$1 ones="64'h0101010101010101"
    mkdir -p "$dir" && cp "$3" "$dir/lane.sv" && cp rtl/common/nvdla_check.svh "$dir/"
    {
        echo "package fast;  localparam logic [31:0] Bias = 32'h55550000;"
        functions "$4" decode add3 add3_sum add3_carry digit half truncated | sed "s/Ones/$ones/g"
        echo "endpackage"
    } >"$dir/fast.sv"
    {
        echo "package hardware;"
        functions "$3" digit add3 half
        echo "endpackage"
    } >"$dir/hardware.sv"
    awk '/for [(]int k = 0; k < 4; k[+][+][)] begin/ { inside = 1 } inside { print } inside && /^        end/ { exit }' "$4" >"$dir/lane_digits.svh"
    awk '/What the low four and eight bits of U and V carry/ { inside = 1 } inside && /c < ConvCells/ { exit } inside { print }' "$4" >"$dir/lane_carries.svh"
    files+=("$dir"/{fast,hardware,lane}.sv "$dir"/{lane_digits,lane_carries,nvdla_check}.svh)
    cat >>"$lanes/script.ys" <<END
design -reset
read_slang -j 1 --top proof -D SYNTHESIS -D $2 -I $dir $package $dir/fast.sv $dir/hardware.sv $dir/lane.sv tests/formal/cmac_lane.sv
proc
flatten
dffunmap
opt -full -nosdff -nodffe
techmap -map tests/formal/wires.v
check -assert
opt -full
techmap
opt -full
aigmap
opt_clean
write_aiger $1.aig
END
}

# lane CLAIM COMMANDS FORM SED: a claim, and with the fault SED in the FORM that it is about one that must fail. COMMANDS: ABC's, which prove it
lane() {
    local hardware=$cmac/nvdla_cmac_lane.sv fast=rtl/sim/nvdla_cmac_fast_fp16.sv broken=$lanes/$1_broken.sv
    lane_claim "$1" "$1" "$hardware" "$fast"
    sed "$4" "${!3}" >"$broken"
    cmp -s "${!3}" "$broken" && { echo "FAIL  lane_$1: the fault is not in"; failed=$((failed + 1)); }
    local "$3=$broken"
    lane_claim "$1_with_a_fault" "$1" "$hardware" "$fast"
    names+=("$1 UNSATISFIABLE $2" "$1_with_a_fault SATISFIABLE $2")
}
lanes=$out/lanes package=$build/gen/full/nvdla_pkg.sv names=()
files=("$package")
make -s "B=$build" "$package" || exit 1
rm -rf "$lanes" && mkdir -p "$lanes"
table="collapse -r -B 50000000; strash; dsat" # few operands: a decision diagram
search="dc2; iprove"
lane FP16_TERM "$search" fast 's/((u | v) & t)) >> 5)/((u | v) \& t)) >> 4)/'
if [ -n "${NIGHTLY:-}" ]; then
    lane INT8_PRODUCTS "$table" hardware "s/w\[7\] && !int8_i/w[7]/"
    lane INT16_SUM "$search" hardware "s/{high\[47:24\], 8'd0}/{high[46:24], 9'd0}/"
    lane HARDWARE_HALF "$table" hardware "s/bits == 3'b011 || bits == 3'b100/bits == 3'b100/"
    lane FAST_SUM "$search" fast 's/high\[63:32\] << 8/high[63:32] << 7/'
    lane FAST_HALF "$table" fast "s/bits == 3'b011 || bits == 3'b100/bits == 3'b100/"
fi
scripts/yosys/yosys.sh "$build" "$lanes/script.ys" "$lanes" "${files[@]}" tests/formal/{wires.v,cmac_lane.sv} >"$lanes/log" 2>&1
status=$?
for claim in "${names[@]}"; do
    read -r name verdict commands <<<"$claim"
    if [ $status -eq 3 ]; then
        skipped=$((skipped + 1))
        continue
    fi
    timeout $limit yosys-abc -c "read_aiger $lanes/$name.aig; strash; $commands" >"$lanes/$name.log" 2>&1
    if grep -q "^$verdict" "$lanes/$name.log"; then
        echo "ok    lane_$name"
        passed=$((passed + 1))
    else
        echo "FAIL  lane_$name: $(tail -n 1 "$lanes/$name.log") (whole log: $lanes/$name.log, of Yosys: $lanes/log)"
        failed=$((failed + 1))
    fi
done
[ $skipped -eq 0 ] || echo "SKIPPED: $skipped proofs of a MAC lane, for the Yosys of scripts/yosys cannot be installed"
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ]
