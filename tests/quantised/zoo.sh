#!/bin/bash
# The zoo of networks: the table in docs/networks.md is what is measured, a wrong one is noticed, and training our own networks is repeatable.
# usage: zoo.sh BUILD     NIGHTLY=1: also the networks of MLPerf Tiny, 20 inputs each, four configurations, RTL of all of them
# NVDLA_NETWORKS in the environment: folder of the networks of MLPerf Tiny (default ../shared/networks)
# Ends with "N passed, N failed[, N skipped]" for each part.
set -u
build=$1
here=$(dirname "$0")
. "$here/../replay/frame.sh"
networks=${NVDLA_NETWORKS:-$here/../../../shared/networks}
unset NVDLA_NETWORKS
work=$(mktemp -d "${TMPDIR:-/tmp}/nvcosim-zoo.XXXXXX")
trap 'rm -rf "$work"' EXIT
options=(--page docs/networks.md)
[ -z "${NIGHTLY:-}" ] || options+=(--checks 20 --config small --config large --config full --config small_256 --rtl small --rtl large --rtl full --rtl small_256)
if [ -n "${NIGHTLY:-}" ] && [ -d "$networks" ]; then
    options+=(--networks "$networks")
elif [ -n "${NIGHTLY:-}" ]; then
    echo "SKIPPED: no networks at $networks"
    echo "0 passed, 0 failed, 1 skipped"
fi
that "networks of the zoo" scripts/zoo.py "$build" "${options[@]}"

# A page whose clocks of one network are others.
sed 's/^\(| digits_conv | [0-9,]* | \)[0-9]/\17/' docs/networks.md >"$work/wrong.md"
scripts/zoo.py "$build" --page "$work/wrong.md" >"$work/out"
[ $? -eq 1 ] && grep -q "^FAIL digits_conv: .*wrong.md:[0-9]*: found" "$work/out" && grep -q "^1 passed, 1 failed" "$work/out"
check "a wrong row is noticed" $?
scripts/zoo.py "$build" --page "$work/wrong.md" --write >"$work/out" && cmp "$work/wrong.md" docs/networks.md
check "and put right" $?

for time in 1 2; do
    scripts/digits/quantised.py --pictures 100 --epochs 1 "$work/trained$time" >"$work/out$time"
    check "training, time $time" $?
done
that "the same seed gives the same networks" diff -r "$work/trained1" "$work/trained2"
for name in digits_conv digits_residual; do
    "$NVCOSIM" compile --check --input random:1 "$work/trained1/$name.tflite" | grep -q "^pass node"
    check "$name, freshly trained" $?
done
finish
