#!/bin/bash
# Runs every fuzzer of tests/fuzz on its corpus and on RUNS more inputs; ends with "N passed, N failed". The work depends on the number of
# inputs only, not on the clock. New inputs and crashes are kept in DIRECTORY; the corpus in tests/fuzz is only read.
#
# usage: run.sh DIRECTORY RUNS
# FUZZ_SECONDS in the environment ends each fuzzer after that many seconds; "N of M inputs" then shows how far it got.
set -u
here=$(cd "$(dirname "$0")" && pwd)
directory=$1 runs=$2
passed=0 failed=0
# The beginnings of captures, behind the byte that chooses the format (fuzz_import.c).
mkdir -p "$directory/captures"
# What C reads of logs are records of Python (python/nvcosim/captures).
root=$here/../..
while read -r format name from; do
    file=$root/traces/captures/synth_small_rand_dc_000/$name
    {
        printf %b "\\x$format"
        if [ -n "$from" ]; then PYTHONPATH=$root/python /usr/bin/python3 -m nvcosim.captures "$from" 0 force= -- "$file"; else cat "$file"; fi | head -c 3000
    } >"$directory/captures/$name"
done <<END
00 vp.log vp
01 mmiotrace_remap.txt mmiotrace
21 dmesg_dropped.log kmd
02 input.txn
02 input_byte.txn
04 csb.vcd
END
for source in "$here"/fuzz_*.c; do
    name=$(basename "$source" .c)
    fuzzer=$directory/$name
    name=${name#fuzz_}
    work=$directory/corpus-$name
    mkdir -p "$work" "$directory/crashes"
    inputs=$runs
    [[ $name == registers ]] && inputs=$((runs / 5)) # layers, not lines of text
    [[ $name == serve ]] && inputs=$((runs / 20))   # hundreds of messages each
    dictionary=() corpus=("$here/corpus/$name")
    [[ $name == import ]] && corpus+=("$directory/captures")
    [[ -e $here/$name.dict ]] && dictionary=("-dict=$here/$name.dict")
    "$fuzzer" -runs="$inputs" -max_total_time="${FUZZ_SECONDS:-0}" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -seed=1 -print_final_stats=1 \
        "${dictionary[@]}" -artifact_prefix="$directory/crashes/$name-" "$work" "${corpus[@]}" >"$work.log" 2>&1
    status=$?
    done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work.log")
    echo "fuzzing $name: ${done:-0} of $inputs inputs"
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 40 "$work.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
