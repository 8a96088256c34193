#!/bin/bash
# Failures from the trace to the page, on RTL and model of small, in seconds: a golden of which one byte is wrong, and a hang. debug.sh and
# second_dut.sh do this with faults in the RTL.
#
# usage: failure.sh BUILD
. "$(dirname "$0")/frame.sh"
NVCOSIM=$(realpath "$NVCOSIM") dir=$1/tests/failure tree=$PWD
rm -rf "$dir" && mkdir -p "$dir"
(cd "$dir" && . "$tree/tests/cli/traces.sh")
zcat traces/conformance/small/rand_dc_000.nvt.gz | grep -v 'reg_write CACC.D_OP_ENABLE' >"$dir/partner.nvt"
"$NVCOSIM" run --out "$dir/out" --results "$dir/results" "$dir/good/good.cfg" "$dir/badgold/badgold.cfg" "$dir/partner.nvt" >"$dir/log" 2>&1
[ $? -eq 3 ] && grep -q '^PASS good' "$dir/log" && grep -q '^FAIL badgold' "$dir/log" && grep -q '^HANG partner' "$dir/log"
check "a run with a trace that fails and one that hangs" $?
verdict() { grep "\"trace\":\"$1\"" "$dir/results" | grep -q "\"verdict\":\"$2\",\"status\":$3,.*\"dut\":\"rtl+model\""; }
verdict good PASS 0 && verdict badgold FAIL 1 && verdict partner HANG 3
check "as data" $?
grep -qF '[1,0,1,8,0,1,1,238,254,1]' "$dir/out/badgold/report.html"
check "report.html has the byte of its map: line 0, column 1, channel 1, expected ee, got fe" $?
grep -qi 'cacc' "$dir/out/partner/report.txt" && [ -s "$dir/out/partner/report.html" ]
check "the report of the hang names the engine that was not started" $?
[ ! -e "$dir/out/good" ] || [ ! -e "$dir/out/good/report.html" ]
check "what passes has no page" $?
finish
