#!/bin/bash
# Element streams of another RTL. A copy of ours with a bug uses rtl/taps.csv automatically, and the first stream that differs is the first one
# downstream of the bug. A table of its own gives the places of the streams in an RTL; a wrong table is reported. If rtl/taps.csv or rtl/waits.csv
# does not fit a copy, that is reported, and the verdict of nvcosim debug comes from the ports.
#
# usage: foreign_taps.sh BUILD     NIGHTLY=1: the RTLs that need a table of their own are built, too
. "$(dirname "$0")/frame.sh"
export OPT=-O0 # simulators of a few layers: compiling is the work
fresh "$1" foreign_taps
that "the bug is in" tests/replay/buggy_rtl.sh "$build" "$dir"
trace=traces/conformance/small/rand_sdp_000.nvt.gz

"$NVCOSIM" build --config small --name tapped --filelist "$dir/buggy.f" >"$dir/build.txt" 2>&1
check "nvcosim build" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --dut rtl:tapped --tap all --out "$dir/out" $trace 2>&1)
[ $? -eq 1 ] && grep -q 'tap SDP.SDP_CVT_IN: [0-9]* elements equal$' <<<"$out" && grep -q 'tap SDP.SDP_OUT: .*, then launch .*: RTL .*, model' <<<"$out"
check "the first stream of a copy of ours that differs is the one behind the bug" $? || echo "$out"

# wrong TEXT ROW...: what is said of a table with these rows
wrong() {
    printf '%s\n' "${@:2}" >"$dir/wrong.csv"
    ends "a wrong table is reported: $1" 2 "$1" \
        "$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/wrong.csv"
}
wrong "its first line is 'stream,data'" 'stream,data'
wrong "row 2, stream 'SDP_OUTT': there is no such stream; expected one of" 'stream,valid,end,data' 'SDP_OUTT,a,,b'
wrong "row 3, stream 'SDP_OUT': is in the table twice" 'stream,valid,end,data' 'SDP_OUT,a,,b' 'SDP_OUT,a,,b'
wrong "row 2, stream 'SDP_OUT': has no data" 'stream,valid,end,data' 'SDP_OUT,a,,'
wrong "row 2, stream 'SDP_OUT': late is '17', expected at most 16" 'stream,valid,end,data,late' 'SDP_OUT,a,,b,17'
wrong "a row is 'stripes,own', expected 'stripes,specified'" 'stream,valid,end,data' 'stripes,own'
wrong "row 2, stream 'SDP_OUT': has 3 columns, expected 4" 'stream,valid,end,data' 'SDP_OUT,a,b'
ends "a table that does not exist is reported" 2 'none.csv: No such file' \
    "$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/none.csv"

# A stand-in for NVIDIA's RTL in a wrapper, which has their first partition, the link behind CACC, and nothing else of their tables.
tests/replay/nvidia_standin.py "$build" "$dir"
"$NVCOSIM" build --config small --name standin --filelist "$dir/standin.f" --top wrapped >"$dir/build.txt" 2>&1
check "a stand-in for NVIDIA's RTL is built" $? || cat "$dir/build.txt"
conv=traces/conformance/small/rand_dc_000.nvt.gz
out=$("$NVCOSIM" run --dut rtl:standin --tap all --out "$dir/out" $conv 2>&1)
[ $? -eq 0 ] && grep -q 'tap CACC.CACC_SAT: [0-9]* elements equal$' <<<"$out" && ! grep -q 'tap CSC.CSC_DAT' <<<"$out"
check "the streams of NVIDIA's table that fit are used" $? || echo "$out"
[ "$(grep -c 'warning: tb/nvidia/taps_small.csv has names that this RTL has not, so these streams are not heard: CBUF_DAT .* names: accu2sc_credit_vld' <<<"$out")" = 1 ]
check "those that do not fit are listed once" $? || echo "$out"
[ "$(grep -c 'warning: tb/nvidia/waits_small.csv has [a-z0-9_]*, which this RTL has not: what waits for what is seen at links and ports alone' <<<"$out")" = 1 ]
check "a table of waits that does not fit is left out" $? || echo "$out"
out=$("$NVCOSIM" run --dut rtl:standin --tap all --out "$dir/out" $conv 2>&1)
! grep -q 'building' <<<"$out"
check "nothing is built again as long as nothing has changed" $? || echo "$out"
sed -i '/taps_small/s/^S [0-9]* /S 1 /' "$build/sim/nvcosim-small-standin-taps/tables" # the table had another size then
ends "the simulator is built again when its table of streams has changed" 0 'tb/nvidia/taps_small.csv has changed since the simulator of rtl:standin (small) with taps was built: rebuilding it' \
    "$NVCOSIM" run --dut rtl:standin --tap all --out "$dir/out" $conv
if [ -z "${NIGHTLY:-}" ]; then
    finish
    exit
fi

# Data that come two clocks after their handshake; stripes that this RTL has not: atoms and their flags are compared with chapter 40's.
"$NVCOSIM" build --config small --name late --filelist "$dir/standin.f" --taps "$dir/late.csv" >"$dir/build.txt" 2>&1
check "nvcosim build of a table of a stand-in" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --dut rtl:late --tap all --out "$dir/out" $conv 2>&1)
grep -q 'tap SDP.SDP_OUT: [0-9]* elements equal$' <<<"$out" && grep -q 'tap CSC.CSC_DAT: .* then' <<<"$out"
check "late data and stripes as specified" $? || echo "$out"

# The names in NVIDIA's tables are those of trees with other bursts and latencies, too.
"$NVCOSIM" build --config small,latency=128 --name standin --filelist "$dir/standin.f" --top wrapped >"$dir/build.txt" 2>&1
check "a stand-in is built for a configuration by values" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --config small,latency=128 --dut rtl:standin --tap all --out "$dir/out" $conv 2>&1)
[ $? -eq 0 ] && grep -q 'tap CACC.CACC_SAT: [0-9]* elements equal$' <<<"$out" && grep -q 'warning: tb/nvidia/taps_small.csv has names' <<<"$out"
check "and read by the table of the named one" $? || echo "$out"

printf '%s\n' 'stream,valid,end,data' 'SDP_OUT,u_sdp.out_valid & u_sdp.out_ready,,u_sdp.out_data' \
    'PDP_OUT,nvdla_core2dbb_w_wvalid & nvdla_core2dbb_w_wready,,{i=7..0: nvdla_core2dbb_w_wdata[$(i*8+7):$(8*i)]}' >"$dir/mine.csv"
"$NVCOSIM" build --config small --name mapped --filelist "$dir/buggy.f" --taps "$dir/mine.csv" >"$dir/build.txt" 2>&1
check "nvcosim build --taps" $? || cat "$dir/build.txt"
out=$("$NVCOSIM" run --dut rtl:mapped --tap all --out "$dir/out" $trace 2>&1)
[ $? -eq 1 ] && grep -q 'tap SDP.SDP_OUT: .*, then launch' <<<"$out" && ! grep -q 'SDP_CVT_IN' <<<"$out"
check "the streams of a table are those that are compared" $? || echo "$out"

ends "names of published ports work" 0 'tap PDP.PDP_OUT: 48 elements equal$' \
    "$NVCOSIM" run --dut rtl:mapped --tap PDP --out "$dir/out" traces/conformance/small/rand_pdp_001.nvt.gz

printf '%s\n' 'stream,valid,end,data' 'SDP_OUT,u_sdp.nothing,,u_sdp.out_data' >"$dir/wrong.csv"
"$NVCOSIM" build --config small --name wrong --filelist "$dir/buggy.f" --taps "$dir/wrong.csv" >"$dir/build.txt" 2>&1
out=$("$NVCOSIM" run --dut rtl:wrong --tap all --out "$dir/out" $trace 2>&1)
[ $? -ne 0 ] && grep -q "nothing" <<<"$out" && grep -q "taps.svh is made from .*wrong.csv: are its names those of the RTL" <<<"$out"
check "a name that the RTL does not have is reported with the table" $? || echo "$out"

# renamed NAME INSTANCE FILE: a copy with the bug in which an instance has another name, as rtl:NAME
renamed() {
    sed "s/\<$2\>/u_other/g" "rtl/$3" >"$dir/${3##*/}"
    ! cmp -s "rtl/$3" "$dir/${3##*/}" && sed "s:.*/${3##*/}:${3##*/}:" "$dir/sources.f" >"$dir/$1.f" &&
        "$NVCOSIM" build --config small --name "$1" --filelist "$dir/$1.f" >"$dir/build.txt" 2>&1
    check "a copy whose $2 has another name is built" $? || cat "$dir/build.txt"
    rm -rf "$dir/debug"
    out=$("$NVCOSIM" debug --dut "rtl:$1" --out "$dir/debug" $trace 2>&1)
    status=$?
}
renamed lrn u_lrn cdp/nvdla_cdp.sv
[ $status -eq 1 ] && grep -q "warning: rtl/taps.csv does not fit this RTL (%Error: .*u_lrn.*): its AXI streams alone are heard; --taps FILE brings" <<<"$out"
check "that rtl/taps.csv does not fit is reported" $? || echo "$out"
grep -q 'sdp is to blame: client SDP writes the first wrong beat' <<<"$out" && jq -e '.verdict | .engine == "sdp" and .kind == "value" and .cycle > 0' \
    "$dir/debug/rand_sdp_000/report.json" >/dev/null
check "and the verdict comes from the ports" $? || echo "$out"
renamed output u_output sdp/nvdla_sdp_wdma.sv
[ $status -eq 1 ] && grep -q 'warning: rtl/taps.csv and rtl/waits.csv do not fit this RTL (%Error: .*u_output.*)' <<<"$out" &&
    grep -q 'sdp is to blame: client SDP writes the first wrong beat' <<<"$out"
check "that neither table fits is reported, with the same verdict" $? || echo "$out"
finish
