#!/bin/bash
# Records waves: an FST that GTKWave's own tools can read, limited to the cycles asked for, and a .gtkw whose signals exist in it.
#
# usage: waves.sh BUILD
set -u
NVCOSIM=${NVCOSIM:-build/nvcosim}
build=$1
passed=0 failed=0
check() { # TITLE STATUS
    if [ "$2" -eq 0 ]; then echo "ok    $1"; passed=$((passed + 1)); else echo "FAIL  $1"; failed=$((failed + 1)); fi
}
dir=$build/tests/waves
rm -rf "$dir" && mkdir -p "$dir"
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/all.fst" --out "$dir"
check "run with waves" $?
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/part.fst" --wave-from 300 --wave-to 400 --out "$dir"
check "run with a window of waves" $?
fst2vcd "$dir/all.fst" >"$dir/all.vcd" && fst2vcd "$dir/part.fst" >"$dir/part.vcd"
check "fst2vcd reads both" $?
[ "$(wc -c <"$dir/part.vcd")" -lt "$(wc -c <"$dir/all.vcd")" ]
check "the window is smaller" $?
"$NVCOSIM" run traces/conformance/small/rand_sdp_pdp_001.nvt.gz --wave "$dir/new/folder/late.fst" --wave-from 9999999 --out "$dir" 2>"$dir/late.log"
check "run that ends before the window opens, waves into a new folder" $?
grep -E 'rand_sdp_pdp_001 had [0-9]+ cycles, so it was over before --wave-from 9999999: .*late.fst shows nothing of it' "$dir/late.log"
check "it warns and says how many cycles there were" $?
fst2vcd "$dir/new/folder/late.fst" >/dev/null
check "fst2vcd reads it all the same" $?
tests/replay/gtkw_names.py "$dir/all.vcd" "$dir/all.gtkw"
check "every signal of the .gtkw is in the waves" $?
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
