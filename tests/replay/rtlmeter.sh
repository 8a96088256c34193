#!/bin/bash
# The traces of RTLMeter's NVDLA: a folder of the shape of its checkout, with exported traces as tests, is played and measured besides our own.
#
# usage: rtlmeter.sh BUILD
set -u
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/rtlmeter
rm -rf "$dir" && mkdir -p "$dir/checkout/designs"/{NVDLA/tests,Other} "$dir/empty"
for test in rand_dc_000 rand_pdp_000; do
    "$NVCOSIM" export traces/conformance/full/$test.nvt.gz --to txn -o "$dir/checkout/designs/NVDLA/tests/$test" >"$dir/export.log" 2>&1
done
echo "not a test of NVDLA" >"$dir/checkout/designs/Other/input.txn"
tests/bench/rtlmeter.py "$build" 1 "$dir/checkout" >"$dir/report"
check "a checkout is measured" $? || exit
for test in own_wino_w rand_comp_001 rand_dc_000 rand_pdp_000; do
    grep -qE "^nvcosim:full:$test +1( +[0-9.]+){5}$" "$dir/report"
    check "a line for $test, with clocks and speed" $?
done
! grep -q Other "$dir/report"
check "other designs are left alone" $?
"$NVCOSIM" run -q --config full --dut rtl --out "$dir" --results "$dir/results.jsonl" "$dir/checkout/designs/NVDLA/tests/rand_dc_000/input.txn" >"$dir/run.log" &&
    [ "$(jq .cycles "$dir/results.jsonl")" = "$(awk '/rand_dc_000/ { print $3 }' "$dir/report")" ]
check "the clocks are those of nvcosim run" $?
tests/bench/rtlmeter.py "$build" 1 "$dir/empty" >"$dir/empty.log" 2>&1
[ $? -eq 1 ] && grep -q "found no input.txn below $dir/empty, expected" "$dir/empty.log"
check "a folder without traces is refused" $?
sed -i 's/^write_reg.*/write_reg nothing/' "$dir/checkout/designs/NVDLA/tests/rand_dc_000/input.txn"
tests/bench/rtlmeter.py "$build" 1 "$dir/checkout" >"$dir/broken.log" 2>&1
[ $? -eq 1 ] && grep -qE "rand_dc_000/input.txn:[0-9]+: " "$dir/broken.log"
check "a broken trace ends it, named with its line" $?
finish
