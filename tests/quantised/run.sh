#!/bin/bash
# Tests of quantised networks: random ones, those of MLPerf Tiny, damaged ones.
# usage: NVCOSIM=build/nvcosim run.sh BUILD     NIGHTLY=1: more of them, other configurations
# NVDLA_NETWORKS in the environment: folder of the networks of MLPerf Tiny (default ../shared/networks)
# Ends with "N passed, N failed[, N skipped]" for each part.
set -u
build=$1
here=$(dirname "$0")
networks=${NVDLA_NETWORKS:-$here/../../../shared/networks}
work=$(mktemp -d "${TMPDIR:-/tmp}/nvcosim-quantised.XXXXXX")
trap 'rm -rf "$work"' EXIT
damage=$(realpath -m "$build/asan/tests/damage")
status=0
if [ -n "${NIGHTLY:-}" ]; then
    /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 1000 50 || status=1
    CONFIG=large /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 200 20 || status=1
    CONFIG=full /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 100 20 || status=1
    CONFIG=small_256 /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 100 20 || status=1
else
    /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 50 8 || status=1
    CONFIG=full /usr/bin/python3 "$here/graphs.py" "$NVCOSIM" 12 || status=1
fi
for config in small full ${NIGHTLY:+large small_256}; do
    /usr/bin/python3 "$here/splits.py" "$NVCOSIM" "$config" || status=1
    /usr/bin/python3 "$here/cases.py" "$NVCOSIM" "$config" || status=1
done
if [ -d "$networks" ]; then
    /usr/bin/python3 "$here/networks.py" "$NVCOSIM" "$build/reference" "$networks" small ${NIGHTLY:+large full small_256} || status=1
else
    echo "SKIPPED: no networks at $networks"
    echo "0 passed, 0 failed, 1 skipped"
fi
/usr/bin/python3 "$here/fields.py" "$NVCOSIM" "$here"/../../traces/networks/zoo/*.tflite ${NIGHTLY:+"$networks"/*.tflite} || status=1
/usr/bin/python3 "$here/onnx.py" "$NVCOSIM" "${NIGHTLY:+9}20" || status=1
/usr/bin/python3 "$here/exports.py" "$NVCOSIM" "$build/reference" "${NIGHTLY:+10}60" "${NIGHTLY:+3}8" || status=1
/usr/bin/python3 "$here/exports.py" 300 --page "$here/../../docs/networks.md" || status=1
/usr/bin/python3 "$here/opsets.py" "$build/reference" || status=1
/usr/bin/python3 "$here/mobilenet.py" "$NVCOSIM" "$build/reference" || status=1
/usr/bin/python3 "$here/refusals.py" "$NVCOSIM" || status=1
/usr/bin/python3 "$here/ends.py" "$NVCOSIM" || status=1
for seed in 3 ${NIGHTLY:+9 17 25 33}; do
    /usr/bin/python3 "$here/graph.py" "$seed" "$work/$seed.tflite"
    for file in "$work/$seed".*.onnx "$work/$seed.tflite"; do
        PYTHONPATH=$here/../../python /usr/bin/python3 -m nvcosim.networks "$file" >"$file.graph" || status=1
    done
    for file in "$work/$seed".*.graph; do
        "$damage" "$file" small "${NIGHTLY:-11}" || status=1
    done
done
exit $status
