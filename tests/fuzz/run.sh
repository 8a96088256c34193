#!/bin/bash
# Runs every fuzzer in a directory over its corpus and RUNS inputs more; ends with "N passed, N failed". New inputs and crashes stay
# in that directory, the corpus under tests/fuzz is only read.
#
# usage: run.sh DIRECTORY RUNS
set -u
here=$(cd "$(dirname "$0")" && pwd)
directory=$1 runs=$2
passed=0 failed=0
for fuzzer in "$directory"/fuzz_*; do
    [[ -x $fuzzer && ! -d $fuzzer && $fuzzer != *.* ]] || continue
    name=$(basename "$fuzzer")
    name=${name#fuzz_}
    work=$directory/corpus-$name
    mkdir -p "$work" "$directory/crashes"
    inputs=$runs
    [[ $name == registers ]] && inputs=$((runs / 5)) # layers, not lines of text
    echo "fuzzing $name, $inputs inputs"
    dictionary=()
    [[ -e $here/$name.dict ]] && dictionary=("-dict=$here/$name.dict")
    if "$fuzzer" -runs="$inputs" -max_total_time="${FUZZ_SECONDS:-600}" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -seed=1 \
        "${dictionary[@]}" -artifact_prefix="$directory/crashes/$name-" "$work" "$here/corpus/$name" >"$work.log" 2>&1; then
        passed=$((passed + 1))
        tail -n 1 "$work.log"
    else
        failed=$((failed + 1))
        tail -n 40 "$work.log"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
