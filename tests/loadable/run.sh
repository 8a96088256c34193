#!/bin/bash
# Tests of loadables: with known results, built by scripts, and damaged ones.
# usage: NVCOSIM=build/nvcosim run.sh BUILD     NIGHTLY=1: plays them on the RTL of large too, and damages more of them
# Ends with "N passed, N failed[, N skipped]" for each part.
set -u
build=$1
here=$(dirname "$0")
top=$here/../..
conformance=${NVDLA_CONFORMANCE:-$top/../shared/conformance}/loadables
work=$(mktemp -d "${TMPDIR:-/tmp}/nvcosim-loadable.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
rtl=small${NIGHTLY:+,large}
folders=("$top/traces/loadables")
if [ -d "$conformance" ]; then
    folders+=("$conformance")
else
    echo "SKIPPED: no loadables at $conformance"
    echo "0 passed, 0 failed, 1 skipped"
fi
/usr/bin/python3 "$here/samples.py" "$NVCOSIM" "--rtl=$rtl,full" "${folders[@]}" || status=1
/usr/bin/python3 "$here/compile.py" "$NVCOSIM" || status=1
/usr/bin/python3 "$here/engines.py" "$NVCOSIM" "$rtl" || status=1
damage=$build/asan/tests/damage
for net in sdp cpu; do
    "$damage" "$top/tests/fuzz/corpus/loadable/$net.nvdla" small || status=1
done
if [ -n "${NIGHTLY:-}" ] && [ -d "$conformance" ]; then
    for net in kmd_PDP_L0_0_small kmd_CDP_L0_0_small kmd_SDP_X1_L0_0_small; do
        "$damage" "$conformance/$net/net.nvdla" small || status=1
    done
    for net in kmd_BDMA_L0_0 kmd_SDP_X1_L0_0; do
        "$damage" "$conformance/$net/net.nvdla" full || status=1
    done
    "$damage" "$top/traces/loadables/own_tasks_small_int8/net.nvdla" small 7 || status=1
    "$damage" "$top/traces/loadables/own_mix_full_fp16/net.nvdla" full 41 || status=1
fi

# A network as large as ResNet-50: at most 5 seconds of processor time and 500 MB.
/usr/bin/python3 "$here/large.py" "$work/large.nvdla"
read -r seconds kilobytes < <(/usr/bin/python3 "$here/cost.py" "$NVCOSIM" compile "$work/large.nvdla" --input random:1 -o "$work/large.nvt.gz")
if awk -v s="$seconds" -v k="$kilobytes" 'BEGIN { exit !(s <= 5 && k <= 500000) }' && [ -s "$work/large.nvt.gz" ]; then
    echo "1 passed, 0 failed"
else
    echo "FAIL large network: $seconds s, $kilobytes KB; expected at most 5 s and 500000 KB"
    echo "0 passed, 1 failed"
    status=1
fi
exit $status
