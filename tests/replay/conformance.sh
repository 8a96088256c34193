#!/bin/bash
# Plays the conformance traces of one configuration on RTL and model: goldens, register read-back, all memory. Our own traces of small are played
# with every memory behaviour. Added traces (NVDLA_CONFORMANCE, see tests/conformance_traces.sh) and those of other configurations are
# played with the default and with a random one; those of full also on the model with several threads. plans/nightly.yml plays all with every one.
#
# usage: conformance.sh CONFIG [model]     model: on the model alone (NVCOSIM, NVDLA_CONFORMANCE from the environment)
#                                          REQUIRE_CONFORMANCE=1: missing added traces are a failure
. "$(dirname "$0")/play.sh"
config=$1
mapfile -t own < <(tests/conformance_traces.sh "$config" --own)
mapfile -t added < <(tests/conformance_traces.sh "$config" --added)
echo "$config: ${#own[@]} traces of our own, ${#added[@]} added"

few=("" "--stall 300 --reorder --seed 1")
all=("${few[@]}" "--latency 200" "--stall 500 --latency-kind uniform --latency-max 90 --seed 2" "--stall 700 --bandwidth 400 --seed 3")
[ "$config" = small ] || all=("${few[@]}")
[ "${2:-}" != model ] || few=("--dut model") all=("--dut model")
# shellcheck disable=SC2034 # play_all gets the name of the array
[ "$config" != full ] || few+=("--dut model --threads 4") all=("${few[@]}")

# play_all TITLE ARRAY-OF-SETTINGS ARRAY-OF-TRACES
play_all() {
    local -n settings=$2 traces=$3
    local setting
    [ ${#traces[@]} -gt 0 ] || return
    for setting in "${settings[@]}"; do
        # shellcheck disable=SC2086 # the options are words
        play "$1, memory ${setting:-default}" --config "$config" --out "build/conformance-reports/$config" $setting -- "${traces[@]}"
    done
}
play_all "our own traces" all own
play_all "added traces" few added

if [ ${#added[@]} -eq 0 ]; then
    missing="no added traces of $config: ${NVDLA_CONFORMANCE:-../shared/conformance}/$config holds none (NVDLA_CONFORMANCE)"
    if [ -n "${REQUIRE_CONFORMANCE:-}" ]; then
        echo "FAIL $missing"
        failed=$((failed + 1))
    elif [ ${#own[@]} -eq 0 ]; then
        echo "SKIPPED: $missing, and none are our own"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    else
        echo "$missing"
    fi
fi
finish
