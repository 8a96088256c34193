#!/bin/bash
# A second RTL in the harness: our own sources with one arithmetic bug (buggy_rtl.sh). It is built by file list, and the mismatch must be reported
# with cube element and beat.
#
# usage: second_dut.sh BUILD
. "$(dirname "$0")/frame.sh"
export OPT=-O1 # simulators of a few layers: compiling is the work
fresh "$1" second_dut
that "the bug is in" tests/replay/buggy_rtl.sh "$build" "$dir"
"$NVCOSIM" build --config small --name buggy --filelist "$dir/buggy.f"
check "nvcosim build, of a list that names another list and no nvdla_pkg.sv" $?
that "it is recognised as a copy of the RTL in rtl/, with its streams" grep -qx TAPS=own "$build/small-buggy.variables"
out=$("$NVCOSIM" run --dut rtl:buggy --out "$dir/out" --results "$dir/results" traces/conformance/small/rand_sdp_000.nvt.gz 2>&1)
status=$?
echo "$out"
that "mismatch gives exit status 1 (got $status)" test $status -eq 1
that "the result as data names the layer, and the command that records the wrong beat" tests/replay/second_dut.py mismatch "$dir/results"
report=$(cat "$dir"/out/rand_sdp_000/report.txt)
echo "$report" | head -40
for word in 'surface' 'channel' 'cycle' 'AXI ID 1' 'SDP' 'CVT_OFFSET'; do
    that "report names $word" grep -q "$word" <<<"$report"
done
/usr/bin/python3 -m json.tool "$dir/out/rand_sdp_000/report.json" >/dev/null
check "report.json is JSON" $?
# The first wrong beat, in a layer near the end of a long trace: the offset with the bug is 0 in all others.
/usr/bin/python3 tests/replay/long_trace.py traces/conformance/small/rand_dc_019.nvt.gz 50 "$dir/long.nvt" --all SDP.D_CVT_OFFSET 0x0 --set 47 SDP.D_CVT_OFFSET 0x5
out=$("$NVCOSIM" run --dut rtl:buggy --stop-at-first --copies --out "$dir/out" --results "$dir/results" "$dir/long.nvt" 2>&1)
[ $? -eq 1 ] && grep -qE 'first wrong beat at cycle [0-9]+: primary port, AXI ID 1 \(SDP\): SDP #47 writes a wrong value at 0x[0-9a-f]+, surface 0, line 0, column 0, channel [0-9]+: got 0x[0-9a-f]+, expected 0x[0-9a-f]+' <<<"$out"
check "--stop-at-first names the beat" $?
tests/replay/second_dut.py first "$dir/results" "$dir/out/long/report.json" "$out"
check "as data too, and a copy from shortly before plays it again" $?
# In pieces, the piece with that layer fails and no other.
/usr/bin/python3 tests/replay/long_trace.py traces/conformance/small/rand_dc_019.nvt.gz 8 "$dir/few.nvt" --all SDP.D_CVT_OFFSET 0x0 --set 5 SDP.D_CVT_OFFSET 0x5
out=$("$NVCOSIM" run --dut rtl:buggy --pieces all -j2 --out "$dir/out" "$dir/few.nvt" 2>&1)
[ $? -eq 1 ] && grep -qE '^FAIL few: piece 6 of 8, SDP #5 \(few.nvt:[0-9]+\): .* SDP #5 surface 0' <<<"$out" &&
    tests/replay/second_dut.py piece "$dir/out/few.pieces/report.json" 6
check "in pieces: the piece with the layer that meets the bug fails, and no other" $?
"$NVCOSIM" gen --config small --engine mix --seed 30 --count 1 --out "$dir" >/dev/null
"$NVCOSIM" shrink -q --dut rtl:buggy --out "$dir/shrunk.nvt" "$dir/small_mix_30.nvt.gz"
"$NVCOSIM" run --dut rtl:buggy --out "$dir/out" "$dir/shrunk.nvt"
that "the shrunk trace still fails" test $? -eq 1
[ "$(grep -c reg_write "$dir/shrunk.nvt")" -lt 100 ] && [ "$(grep -c 'D_OP_ENABLE 0x1' "$dir/shrunk.nvt")" -eq 2 ]
check "a failing chain of layers shrinks to one SDP layer" $?
# Of another RTL only the ports are seen: the same limit that our own passes (hang.sh) is too short here, the default is not.
out=$("$NVCOSIM" run --dut rtl:buggy --still 250 --out "$dir/out" traces/conformance/small/rand_dc_000.nvt.gz 2>&1)
[ $? -eq 3 ] && ! grep -q 'try --pin' <<<"$out"
check "a hang of a copy of this RTL, whose clock gates open again, comes without the hint at them" $?
"$NVCOSIM" run --dut rtl:buggy --out "$dir/out" traces/conformance/small/rand_dc_000.nvt.gz >/dev/null 2>&1
that "the limit for ports alone is long enough" test $? -ne 3
that "copies of a simulator that was reset are as good as simulators" tests/replay/fork.py "$build" buggy
# Its source is mended: the next run builds it again, by itself.
cp rtl/sdp/nvdla_sdp_pkg.sv "$dir/nvdla_sdp_pkg.sv"
ends "an RTL whose source has changed is built again before it is played" 0 'nvdla_sdp_pkg.sv has changed since the simulator of rtl:buggy (small) was built: rebuilding it' \
    "$NVCOSIM" run --dut rtl:buggy --out "$dir/out" traces/conformance/small/rand_sdp_000.nvt.gz
"$NVCOSIM" run --dut rtl:nosuch traces/conformance/small/rand_sdp_000.nvt.gz >/dev/null 2>&1
that "an RTL that was never built gives exit status 2" test $? -eq 2
finish
