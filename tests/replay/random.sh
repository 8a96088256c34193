#!/bin/bash
# Plays generated random layers on RTL and model, with a memory behaviour that changes from engine to engine. Seeds are fixed.
#
# usage: random.sh CONFIG COUNT     COUNT cases of each engine (NVCOSIM from the environment)
set -u
NVCOSIM=${NVCOSIM:-build/nvcosim}
config=$1 count=$2
dir=build/random/$config
rm -rf "$dir"
passed=0 failed=0
settings=("" "--stall 300 --seed 11" "--latency 150" "--reorder --latency-kind uniform --latency-max 120 --seed 12" "--bandwidth 500 --seed 13" "--stall-b 700 --seed 14")
i=0
for engine in sdp pdp cdp conv img mix; do
    "$NVCOSIM" gen --config "$config" --engine $engine --seed 1 --count "$count" --out "$dir/$engine" >/dev/null || exit 1
    # shellcheck disable=SC2086 # the options are words
    out=$("$NVCOSIM" run -j "$(nproc)" --config "$config" --out build/random-reports ${settings[i]} "$dir/$engine"/*.nvt.gz 2>&1)
    p=$(grep -c '^PASS' <<<"$out")
    echo "$config $engine, memory ${settings[i]:-default}: $p of $count pass"
    grep -vE "^PASS|report:|^[0-9]+ passed" <<<"$out" | tail -n 12
    passed=$((passed + p)) failed=$((failed + count - p)) i=$((i + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
