#!/bin/bash
# Plays the project's own traces (traces/) on RTL and model, twice: with the default memory and with a hostile one.
set -u
NVCOSIM=${NVCOSIM:-build/nvcosim}
passed=0 failed=0
for setting in "" "--stall 400 --reorder --latency 77 --seed 5"; do
    # shellcheck disable=SC2086 # the options are words
    out=$("$NVCOSIM" run -j "$(nproc)" --out build/own-reports $setting traces/*.nvt.gz 2>&1)
    status=$?
    echo "$out"
    p=$(grep -c '^PASS' <<<"$out")
    f=$(($(ls traces/*.nvt.gz | wc -l) - p))
    [ $status -eq 0 ] || [ $f -gt 0 ] || f=1
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
