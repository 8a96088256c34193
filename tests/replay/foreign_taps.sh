#!/bin/bash
# Element streams of another RTL: a copy of ours with a bug gets rtl/taps.csv by itself, and the first stream that differs is the one
# behind the bug; a table of its own says where an RTL has its streams; a table that is wrong is told.
#
# usage: foreign_taps.sh BUILD
set -u
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/foreign_taps
rm -rf "$dir" && mkdir -p "$dir"
tests/replay/buggy_rtl.sh "$build" "$dir"
check "the bug is in" $?
trace=traces/conformance/small/rand_sdp_000.nvt.gz

"$NVCOSIM" build --config small --name tapped --filelist "$dir/buggy.f" >"$dir/build.txt" 2>&1
check "nvcosim build" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --dut rtl:tapped --tap all --out "$dir/out" $trace 2>&1)
[ $? -eq 1 ] && grep -q 'tap SDP.SDP_CVT_IN: [0-9]* elements equal$' <<<"$out" && grep -q 'tap SDP.SDP_OUT: .*, then launch .*: RTL .*, model' <<<"$out"
check "the first stream of a copy of ours that differs is the one behind the bug" $? || echo "$out"

printf '%s\n' 'stream,valid,end,data' 'SDP_OUT,u_sdp.out_valid & u_sdp.out_ready,,u_sdp.out_data' \
    'PDP_OUT,nvdla_core2dbb_w_wvalid & nvdla_core2dbb_w_wready,,nvdla_core2dbb_w_wdata' >"$dir/mine.csv"
"$NVCOSIM" build --config small --name mapped --filelist "$dir/buggy.f" --taps "$dir/mine.csv" >"$dir/build.txt" 2>&1
check "nvcosim build --taps" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --dut rtl:mapped --tap all --out "$dir/out" $trace 2>&1)
[ $? -eq 1 ] && grep -q 'tap SDP.SDP_OUT: .*, then launch' <<<"$out" && ! grep -q 'SDP_CVT_IN' <<<"$out"
check "the streams of a table are those that are compared" $? || echo "$out"

out=$("$NVCOSIM" run --dut rtl:mapped --tap PDP --out "$dir/out" traces/conformance/small/rand_pdp_001.nvt.gz 2>&1)
[ $? -eq 0 ] && grep -q 'tap PDP.PDP_OUT: 48 elements equal$' <<<"$out"
check "names of published ports will do" $? || echo "$out"

# wrong TEXT ROW...: what is said of a table with these rows
wrong() {
    local text=$1
    shift
    printf '%s\n' "$@" >"$dir/wrong.csv"
    out=$("$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/wrong.csv" 2>&1)
    [ $? -eq 2 ] && grep -qF -- "$text" <<<"$out"
    check "a wrong table is told: $text" $? || echo "$out"
}
wrong "its first line is 'stream,data'" 'stream,data'
wrong "row 2, stream 'SDP_OUTT': there is no such stream; expected one of" 'stream,valid,end,data' 'SDP_OUTT,a,,b'
wrong "row 3, stream 'SDP_OUT': is in the table twice" 'stream,valid,end,data' 'SDP_OUT,a,,b' 'SDP_OUT,a,,b'
wrong "row 2, stream 'SDP_OUT': has no data" 'stream,valid,end,data' 'SDP_OUT,a,,'
wrong "row 2, stream 'SDP_OUT': has 3 columns, expected 4" 'stream,valid,end,data' 'SDP_OUT,a,b'
out=$("$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/none.csv" 2>&1)
[ $? -eq 2 ] && grep -q 'none.csv: No such file' <<<"$out"
check "a table that is not there is told" $? || echo "$out"
printf '%s\n' 'stream,valid,end,data' 'SDP_OUT,u_sdp.nothing,,u_sdp.out_data' >"$dir/wrong.csv"
"$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/wrong.csv" >"$dir/build.txt" 2>&1
out=$("$NVCOSIM" run --dut rtl:wrong --tap all --out "$dir/out" $trace 2>&1)
[ $? -ne 0 ] && grep -q "nothing" <<<"$out" && grep -q "taps.svh is made from .*wrong.csv: are its names those of the RTL" <<<"$out"
check "a name that the RTL does not have is told with the table" $? || echo "$out"
finish
