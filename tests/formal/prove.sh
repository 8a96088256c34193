#!/bin/bash
# Proves properties of leaf modules of rtl/ (tests/formal/*.sv) for any inputs and any time after reset, with Yosys and the model checker of its
# ABC (property directed reachability). Also proves that the interesting states can be reached, so no proof is empty.
#
# usage: prove.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$1/tests/formal
limit=300 # seconds for one proof, which needs a few; more is a failure, not a pass
mkdir -p "$out"
passed=0 failed=0

# claim NAME VERDICT PREPARATION SOURCES [YOSYS-OPTION]: VERDICT is what ABC prints
claim() {
    local name=$1 verdict=$2 log=$out/$1.log
    timeout $limit yosys -q -p "read_verilog -sv -formal ${5:-} rtl/common/nvdla_check.svh tests/formal/proof.svh $4; $3; setundef -undriven -anyseq;
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
for depth in 1 2 3 5; do
    prove "nvdla_fifo_$depth" "hierarchy -top proof -chparam Depth $depth; $one_clock" "$ram rtl/common/nvdla_fifo.sv tests/formal/fifo.sv"
    prove "nvdla_fifo_${depth}_registered" "hierarchy -top proof -chparam Depth $depth -chparam Registered 1; $one_clock" \
        "$ram rtl/common/nvdla_fifo.sv tests/formal/fifo.sv"
done
prove nvdla_wrr_arbiter "$one_clock" "rtl/mcif/nvdla_wrr_arbiter.sv tests/formal/arbiter.sv"
prove nvdla_async_fifo "prep -flatten -top proof; memory_map; clk2fflogic; opt_clean" \
    "rtl/common/nvdla_sync.sv rtl/common/nvdla_async_fifo.sv tests/formal/async_fifo.sv"
for inputs in 2 3 5 10; do
    prove "NV_DW02_tree_$inputs" "hierarchy -top proof -chparam Inputs $inputs; $one_clock" "tb/nvidia/NV_DW02_tree.sv tests/formal/dw02_tree.sv"
done

# A proof that can't fail proves nothing: each with a fault in a copy of the module.
# broken NAME MODULE SED PREPARATION OTHER-SOURCES
broken() {
    sed "$3" "rtl/$2" >"$out/$1.sv"
    cmp -s "rtl/$2" "$out/$1.sv" && { echo "FAIL  $1: the fault is not in"; failed=$((failed + 1)); return; }
    claim "$1" "was asserted in frame" "$4" "$out/$1.sv $5"
}
broken fifo_that_takes_one_too_many common/nvdla_fifo.sv 's/count_q != Full;/1;/' "$one_clock" "$ram tests/formal/fifo.sv"
broken fifo_that_wraps_wrongly common/nvdla_fifo.sv 's/rd_ptr_next = (rd_ptr_q == Last)/rd_ptr_next = (rd_ptr_q == Last - 1)/' "$one_clock" "$ram tests/formal/fifo.sv"
broken fifo_that_reads_what_it_writes common/nvdla_fifo.sv 's/if (pass || pop) passed_q/if (pop) passed_q/' \
    "hierarchy -top proof -chparam Registered 1; $one_clock" "$ram tests/formal/fifo.sv"
broken arbiter_that_starves mcif/nvdla_wrr_arbiter.sv "s/keep ? left_q - 8'd1/keep ? left_q/" "$one_clock" tests/formal/arbiter.sv
broken async_fifo_that_overflows common/nvdla_async_fifo.sv 's/wr_ready_o = ~wr_level_o\[DepthLog2\]/wr_ready_o = 1/' \
    "prep -flatten -top proof; memory_map; clk2fflogic; opt_clean" "rtl/common/nvdla_sync.sv tests/formal/async_fifo.sv"
broken tree_that_keeps_its_carries_in_place ../tb/nvidia/NV_DW02_tree.sv 's/ << 1;/;/' "hierarchy -top proof -chparam Inputs 5; $one_clock" \
    tests/formal/dw02_tree.sv
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
