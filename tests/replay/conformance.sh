#!/bin/bash
# Plays the conformance traces of one configuration on RTL and model: goldens, register read-back, all memory. small is played with every
# memory behaviour, the others with the default and one random one; full, which has no RTL, on the model alone.
#
# usage: conformance.sh CONFIG     (NVCOSIM, NVDLA_CONFORMANCE from the environment)
set -u
. "$(dirname "$0")/play.sh"
NVDLA_CONFORMANCE=${NVDLA_CONFORMANCE:-../shared/conformance}
config=$1
folder=$NVDLA_CONFORMANCE/$config
if [ ! -d "$folder" ]; then
    echo "SKIPPED: no conformance traces: $folder does not exist (set NVDLA_CONFORMANCE)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
shopt -s nullglob
traces=("$folder"/*/*.cfg "$folder"/*/*.nvt.gz "$folder"/*/input.txn)
echo "$config: ${#traces[@]} traces"

settings=("" "--stall 300 --reorder --seed 1")
if [ "$config" = full ]; then
    settings=("--dut model" "--dut model --threads 4")
elif [ "$config" = small ]; then
    settings=("" "--latency 200" "--stall 300 --reorder --seed 1" "--stall 500 --latency-kind uniform --latency-max 90 --seed 2"
        "--stall 700 --bandwidth 400 --seed 3")
fi
for setting in "${settings[@]}"; do
    # shellcheck disable=SC2086 # the options are words
    play "memory ${setting:-default}" --config "$config" --out build/conformance-reports $setting -- "${traces[@]}"
done
finish
