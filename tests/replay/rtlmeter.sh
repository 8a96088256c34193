#!/bin/bash
# The traces of RTLMeter's NVDLA: a folder of the shape of its checkout, with exported traces in the raw form as tests, is played and measured
# besides our own.
#
# usage: rtlmeter.sh BUILD
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/rtlmeter
design=$dir/checkout/designs/NVDLA
rm -rf "$dir" && mkdir -p "$design/tests" "$dir/checkout/designs/Other" "$dir/empty"
for test in rand_dc_000 rand_pdp_000; do
    "$NVCOSIM" export traces/conformance/full/$test.nvt.gz --to txn -o "$design/tests/$test" >"$dir/export.log" 2>&1
    "$NVCOSIM" run -q --config full --dut model --strict --out "$dir" --results "$dir/text.jsonl" "$design/tests/$test/input.txn" >"$dir/run.log" 2>&1
    tests/replay/raw_form.py "$design/tests/$test"
    "$NVCOSIM" run -q --config full --dut model --strict --out "$dir" --results "$dir/raw.jsonl" "$design/tests/$test/input.txn.raw" >>"$dir/run.log" 2>&1 &&
        [ "$(jq -c '[.checks, .trace]' "$dir/text.jsonl")" = "$(jq -c '[.checks, .trace]' "$dir/raw.jsonl")" ]
    check "$test in the raw form passes, with the same checks" $?
done
printf '%s\n' 180 40 1c0 "b4  // Slave 0 Read Latency (180)" "1e  // Slave 0 Write Latency (30)" >"$design/tests/slave_mem.cfg"
list() {
    printf '    %s:\n      files: [tests/%s/input.txn.raw]\n' "$1" "$2"
}
{
    printf 'execute:\n  tests:\n'
    list once rand_dc_000
    list twice rand_dc_000
    printf '      args: [+iterations=2]\n'
    list pool rand_pdp_000
} >"$design/descriptor.yaml"
echo "not a test of NVDLA" >"$dir/checkout/designs/Other/input.txn"
tests/bench/rtlmeter.py "$build" 1 "$dir/checkout" >"$dir/report" 2>"$dir/report.log"
check "a checkout is measured" $? || exit
grep -qE '^│ Case +│ +# │ +Sim speed \[kHz\] │ +Elapsed time \[s\] │ +CPU Total \[s\] │ +Peak memory \[MB\] │ +Sim clock cycles \[count\] │$' "$dir/report"
check "its table has RTLMeter's columns" $?
for test in own_wino_w rand_comp_001 once twice pool; do
    that "a row for $test, with clocks and speed" grep -qE "^│ nvcosim:full:$test +│ +1( │ +[0-9]+\.[0-9]{2}){5} │$" "$dir/report"
done
! grep -q Other "$dir/report"
check "other designs are left alone" $?
clocks() {
    awk -F │ -v test=":$1 " 'index($2, test) { print $8 + 0 }' "$dir/report"
}
"$NVCOSIM" run -q --config full --dut rtl --latency 180 --write-latency 30 --out "$dir" --results "$dir/results.jsonl" "$design/tests/rand_dc_000/input.txn.raw" >"$dir/run.log" &&
    [ "$(jq .cycles "$dir/results.jsonl")" = "$(clocks once)" ]
check "the clocks are those of nvcosim run with the latencies of the checkout" $?
[ "$(clocks twice)" = $((2 * $(clocks once))) ]
check "a test with two iterations is played twice" $?
for command in "$build 1 $dir/empty" "--find $dir/empty"; do
    # shellcheck disable=SC2086 # words of a command
    ends "a folder without traces is refused" 1 "found no input.txn or input.txn.raw below $dir/empty, expected" \
        tests/bench/rtlmeter.py $command
done
sed -i '20s/^00/07/; 20s/^01/07/' "$design/tests/rand_dc_000/input.txn.raw"
ends "a broken trace ends it, named with its line" 1 "rand_dc_000/input.txn.raw:20: found " \
    tests/bench/rtlmeter.py "$build" 1 "$dir/checkout"
rm "$design/tests/slave_mem.cfg"
ends "a checkout without its memory's latencies is refused" 1 "descriptor.yaml: .*slave_mem.cfg.*expected RTLMeter's list of tests" \
    tests/bench/rtlmeter.py --find "$dir/checkout"
finish
