#!/bin/bash
# Configurations that are drawn: lint and the strict front end find nothing, the streams of random layers are those of the model, and
# the layers notice most faults planted in the RTL.
#
# usage: drawn.sh BUILD [COUNT [SEED]]     default: 6 configurations, from the day
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 count=${2:-6} seed=${3:-$(date +%Y%m%d)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
log=$work/log

for ((i = 0; i < count; i++)); do
    config=$("$build/nvcosim" info --draw $((seed + i)) | sed -n '1s/:.*//p')
    echo "seed $((seed + i)): $config"
    make -s "B=$build" "CONFIG=$config" "$build/gen/$config/nvdla_pkg.sv" >"$work/log" 2>&1 && scripts/lint.sh rtl "$config" >"$work/log" 2>&1
    check "lint of $config" $?
    that "strict front end, $config" scripts/strict.sh "$build" "$config"
    "$build/nvcosim" gen -q --config "$config" --engine mix --seed $((seed + i)) --count 20 --out "$work/$i" >"$work/log" 2>&1 &&
        "$build/nvcosim" run --config "$config" --tap all --no-waves --out "$work/reports" "$work/$i"/*.nvt.gz >"$work/log" 2>&1 &&
        grep -q 'tap .*: [0-9]* elements equal$' "$work/log" && ! grep 'tap .*elements equal, then\|has nothing of' "$work/log"
    check "streams of $config" $?
    "$build/nvcosim" qualify --config "$config" --count 12 --seed $((seed + i)) --at-least 60 --out "$work/nights" "$work/$i"/*.nvt.gz >"$work/log" 2>&1
    check "planted faults of $config" $?
done
finish
