#!/bin/bash
# Plays conformance traces and random layers with the checks inside the RTL (--checks), with the default and with a hostile memory. No check may
# fail: one that fails on a correct design is itself wrong. plans/nightly.yml plays more.
#
# usage: checks.sh CONFIG [COUNT]     COUNT random layers of each engine (default 10); every third trace
. "$(dirname "$0")/play.sh"
config=$1 count=${2:-10}
shopt -s nullglob
traces=(traces/conformance/"$config"/*.nvt.gz)
chosen=()
for ((i = 0; i < ${#traces[@]}; i += 3)); do chosen+=("${traces[i]}"); done
dir=build/random-checks/$config
rm -rf "$dir"
for engine in sdp pdp cdp conv img mix; do
    "$NVCOSIM" gen --config "$config" --engine $engine --seed 5001 --count "$count" --out "$dir" >/dev/null || exit 1
done
for setting in "" "--stall 500 --latency-kind uniform --latency-max 90 --reorder --seed 2"; do
    # shellcheck disable=SC2086 # the options are words
    play "$config with checks, memory ${setting:-default}" --config "$config" --checks --out "build/checks-reports/$config" $setting -- \
        "${chosen[@]}" "$dir"/*.nvt.gz
done
finish
