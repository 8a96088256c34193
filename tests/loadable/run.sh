#!/bin/bash
# Loadables: those with known results, those made here, and damaged ones.
# usage: NVCOSIM=build/nvcosim run.sh BUILD     NIGHTLY=1: every length and every byte of the damaged ones
# Ends with "N passed, N failed[, N skipped]" of each part.
set -u
build=$1
here=$(dirname "$0")
top=$here/../..
conformance=${NVDLA_CONFORMANCE:-$top/../shared/conformance}/loadables
work=$(mktemp -d "${TMPDIR:-/tmp}/nvcosim-loadable.XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
folders=("$top/traces/loadables")
if [ -d "$conformance" ]; then
    folders+=("$conformance")
else
    echo "SKIPPED: no loadables at $conformance"
    echo "0 passed, 0 failed, 1 skipped"
fi
python3 "$here/samples.py" "$NVCOSIM" --rtl=small "${folders[@]}" || status=1
python3 "$here/compile.py" "$NVCOSIM" || status=1
step=9
[ -n "${NIGHTLY:-}" ] && step=1
"$build/asan/tests/damage" "$top/tests/fuzz/corpus/loadable/sdp.nvdla" small $step || status=1
"$build/asan/tests/damage" "$top/tests/fuzz/corpus/loadable/cpu.nvdla" small $step || status=1

# A network as large as ResNet-50: at most 5 seconds of processor time and 500 MB.
python3 "$here/large.py" "$work/large.nvdla"
read -r seconds kilobytes < <(python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
cost = resource.getrusage(resource.RUSAGE_CHILDREN)
print(cost.ru_utime, cost.ru_maxrss)' "$NVCOSIM" compile "$work/large.nvdla" --input random:1 -o "$work/large.nvt.gz")
if awk -v s="$seconds" -v k="$kilobytes" 'BEGIN { exit !(s <= 5 && k <= 500000) }' && [ -s "$work/large.nvt.gz" ]; then
    echo "1 passed, 0 failed"
else
    echo "FAIL large network: $seconds s, $kilobytes KB; expected at most 5 s and 500000 KB"
    echo "0 passed, 1 failed"
    status=1
fi
exit $status
