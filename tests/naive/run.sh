#!/bin/bash
# The model against the plain definitions of the chapters (tests/naive): vectors, conformance traces with other data and settings, and
# random layers of every engine.
#
# usage: run.sh BUILD [LAYERS]     LAYERS random layers in all, 10000 by default (conformance traces: tests/conformance_traces.sh)
set -u -o pipefail
build=$1 layers=${2:-10000}
make --no-print-directory -s "$build/tests/naive" || exit 1
naive=$build/tests/naive
passed=0 failed=0

# play TITLE OPTION...
play() {
    local title=$1 out last
    shift
    out=$("$naive" "$@" 2>&1)
    last=$(tail -n 1 <<<"$out")
    echo "$title: $last"
    grep -v '^PASS' <<<"$out" | head -n 10 | sed '$d'
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    else
        failed=$((failed + 1))
    fi
}

play "vectors of the chapters" --vectors
for config in small full; do
    mapfile -t traces < <(tests/conformance_traces.sh $config)
    play "$config, conformance traces" --against-model --config $config "${traces[@]}"
    play "$config, conformance traces with other data and settings" --shake 2 --seed 1 --config $config "${traces[@]}"
done
# Parts of the layers, in hundredths.
while read -r config engine part option; do
    # shellcheck disable=SC2086 # the option may be absent
    play "$config, $engine" --random --config "$config" --engine "$engine" --seed 1 --count $((layers * part / 100)) $option
done <<END
full conv 15
full img 10
full sdp 15
full pdp 5
full cdp 10
full bdma 3
full rubik 4
full deconv 3
full mix 10
small pdp 5 --wraps
small mix 10 --wraps
large mix 5
medium_512 mix 5
full,macs=32x16 mix 5
full,macs=64x16 conv 3
full,macs=32x32 conv 3
full,macs=16x16,int16=0 mix 3
END
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
