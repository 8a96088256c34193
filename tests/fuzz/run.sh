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
while read -r format name; do
    { printf %b "\\x$format" && head -c 3000 "$here/../../traces/captures/synth_small_rand_dc_000/$name"; } >"$directory/captures/$name"
done <<END
01 mmiotrace.txt
01 mmiotrace_remap.txt
03 dmesg_wrapped.log
03 journal.log
05 input.txn
05 input_byte.txn
06 accesses.csv
07 csb.vcd
16 analyser.csv
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
