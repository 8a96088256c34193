#!/bin/bash
# nvcosim estimate: its laws agree with the RTL on random layers, wrong laws are noticed, and what is refused.
# usage: tests/replay/estimate.sh BUILD
set -u
B=$(realpath "${1:?usage: estimate.sh BUILD}")
ROOT=$(realpath "$(dirname "$0")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$ROOT" || exit 2
passed=0
failed=0
trace=traces/conformance/small/rand_dc_000.nvt.gz

# judge NAME STATUS TEXT COMMAND...: the command ends with that status, and its output has the text.
judge() {
    local name=$1 status=$2 text=$3 got
    shift 3
    timeout 300 "$@" >"$WORK/output" 2>&1
    got=$?
    if [ $got = "$status" ] && grep -qF -e "$text" "$WORK/output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: status $got, expected $status and '$text'"
        tail -5 "$WORK/output"
    fi
}

laws=$ROOT/csrc/estimate/laws.csv
judge "the laws agree with the rtl" 0 "mean error" scripts/fit.py "$B" --check --count 8 --work "$WORK/fit" --most 25
sed 's/^\(conv\|sdp\|pdp\|cdp\),[^,]*/\1,900/' "$laws" >"$WORK/wrong.csv"
judge "wrong laws do not" 1 "mean error" scripts/fit.py "$B" --check --count 8 --work "$WORK/fit" --most 25 --laws "$WORK/wrong.csv"
judge "a trace with a latency" 0 "latency 32" "$B/nvcosim" estimate "$trace"
judge "several memories" 0 "lpddr4-3200" "$B/nvcosim" estimate --memory ddr4-2400 --memory lpddr4-3200 --csv "$trace"
judge "the clock is that of the memory" 0 "at 100 MHz" "$B/nvcosim" estimate --memory zcu102 "$trace"
judge "no trace" 2 "no trace is given" "$B/nvcosim" estimate
judge "no such trace" 2 "missing.nvt" "$B/nvcosim" estimate missing.nvt
judge "no such memory" 2 "did you mean ddr4-2400" "$B/nvcosim" estimate --memory ddr4-2401 "$trace"
sed 's/^sdp,.*/sdp,1,2/' "$laws" >"$WORK/short.csv"
judge "laws of too few numbers" 2 "short.csv:3: found 'sdp,1,2', expected" "$B/nvcosim" estimate --laws "$WORK/short.csv" "$trace"
grep -v '^cdp' "$laws" >"$WORK/less.csv"
judge "a missing law" 2 "expected a line for each of" "$B/nvcosim" estimate --laws "$WORK/less.csv" "$trace"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
