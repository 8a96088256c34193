#!/bin/bash
# Coverage: plays all conformance traces and random layers on simulators that count executed lines, with the default and with a hostile memory.
# Prints a table of line coverage in rtl/, the lines that were not reached, and the kinds of layers that no trace has (nvcosim coverage).
#
# usage: coverage.sh BUILD CONFIGS COUNT [MINIMUM]
#   CONFIGS   one or several configurations; a line counts as covered if any of them executes it
#   COUNT     random layers per configuration
#   MINIMUM   per cent of the lines; less gives exit status 1 (default 0)
# COVERAGE_EVERY=N in the environment: every Nth of the conformance traces.
# tests/conformance_traces.sh lists the conformance traces.
# Result: BUILD/coverage/lines.txt (the table), lines.dat (merged counts), annotated/ (sources with counts), functional.txt (the table),
# functional-CONFIG.txt (counts, for nvcosim coverage --merge), run-CONFIG-N.jsonl (the result of each trace), run-CONFIG-N.log.
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
build=$1 count=$3 minimum=${4:-0}
read -ra configs <<<"$2"
nvcosim=$build/nvcosim
out=$build/coverage
rm -rf "$out"
mkdir -p "$out"

settings=("" "--stall 300 --stall-w 950 --latency-kind uniform --latency-max 90 --reorder --seed 1")
merge=()
for config in "${configs[@]}"; do
    mapfile -t traces < <(tests/conformance_traces.sh "$config" | awk "NR % ${COVERAGE_EVERY:-1} == 0")
    if [ "$count" -gt 0 ]; then
        "$nvcosim" gen --config "$config" --engine mix --seed 1 --count "$count" --out "$out/random-$config" >/dev/null || exit 1
        traces+=("$out/random-$config"/*.nvt.gz)
    fi
    [ ${#traces[@]} -gt 0 ] || { echo "coverage: there is no trace of configuration $config" >&2; exit 1; }
    for index in "${!settings[@]}"; do
        # shellcheck disable=SC2086 # the options are words
        "$nvcosim" run -j "$(nproc)" --config "$config" --out "$out/reports" --coverage "$out/counts/$config-$index" \
            --results "$out/run-$config-$index.jsonl" ${settings[index]} "${traces[@]}" >"$out/run-$config-$index.log" 2>&1
        jq -rs --arg title "$config, memory ${settings[index]:-default}: " --argjson count ${#traces[@]} \
            '$title + "\(map(select(.verdict == "PASS")) | length) of \($count) traces pass", (.[] | select(.verdict != "PASS") | "\(.verdict) \(.trace): \(.reason)")' \
            "$out/run-$config-$index.jsonl"
        verilator_coverage --write "$out/$config-$index.dat" "$out/counts/$config-$index"/*.dat >/dev/null || exit 1
    done
    "$nvcosim" coverage --play --config "$config" -o "$out/functional-$config.txt" "${traces[@]}" >/dev/null || exit 1
    merge+=(--merge "$out/functional-$config.txt")
done
rm -rf "$out/counts"
verilator_coverage --write "$out/lines.dat" "$out"/*-[0-9].dat >/dev/null &&
    verilator_coverage --annotate "$out/annotated" --annotate-all --annotate-min 1 "$out/lines.dat" >/dev/null || exit 1
"$nvcosim" coverage "${merge[@]}" >"$out/functional.txt" || exit 1
cat "$out/functional.txt"
echo
scripts/coverage_table.py "$out/lines.dat" "$minimum" >"$out/lines.txt"
status=$?
cat "$out/lines.txt"
exit $status
