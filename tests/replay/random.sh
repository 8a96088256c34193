#!/bin/bash
# Plays generated random layers on RTL and model, with a memory behaviour that changes from engine to engine. Seeds are fixed.
#
# usage: random.sh CONFIG COUNT     COUNT cases of each engine (NVCOSIM from the environment)
. "$(dirname "$0")/play.sh"
config=$1 count=$2
dir=build/random/$config
rm -rf "$dir"
engines=(sdp pdp cdp conv img mix)
[ "$config" != full ] || engines+=(deconv bdma rubik)
settings=("" "--stall 300 --seed 11" "--latency 150" "--reorder --latency-kind uniform --latency-max 120 --seed 12" "--bandwidth 500 --seed 13" "--stall-b 700 --seed 14")
i=0
for engine in "${engines[@]}"; do
    setting=${settings[i % ${#settings[@]}]}
    "$NVCOSIM" gen --config "$config" --engine "$engine" --seed 1 --count "$count" --out "$dir/$engine" >/dev/null || exit 1
    # shellcheck disable=SC2086 # the options are words
    play "$config $engine, memory ${setting:-default}" --config "$config" --out build/random-reports $setting -- "$dir/$engine"/*.nvt.gz
    i=$((i + 1))
done
finish
