#!/bin/bash
# Traces in pieces. All pieces pass on the model, those of networks on the RTL too, and leave the memory that the whole leaves. The same trace gives
# the same bytes every time. A trace that is damaged or cannot be cut leaves no files.
#
# usage: split.sh BUILD
. "$(dirname "$0")/frame.sh"
fresh "$1" split

# split TRACE NAME [OPTION...]: pieces in $dir/NAME
split() {
    local trace=$1 name=$2
    shift 2
    "$NVCOSIM" split "$trace" -o "$dir/$name" "$@" >"$dir/$name.log" 2>&1
}
pieces() { grep -c '\.nvt\.gz ' "$dir/$1.log"; }

# Every trace of the repository in as many pieces as there can be: each equals the model of the whole at its end.
cut=0 bad=0 many=0
for trace in traces/conformance/small/*{multi,mixed,edge,dc_pdp}*.nvt.gz traces/conformance/full/*{multi,fused,bdma,lut,cdpe}*.nvt.gz; do
    [ -e "$trace" ] || continue
    name=$(basename "$trace" .nvt.gz)
    split "$trace" "$name" || { echo "$trace: $(tail -1 "$dir/$name.log")"; bad=$((bad + 1)); continue; }
    "$NVCOSIM" run -q --dut model --out "$dir/out" "$dir/$name"/*.nvt.gz >"$dir/run.log" 2>&1 || { cat "$dir/run.log"; bad=$((bad + 1)); }
    cut=$((cut + 1)) many=$((many + $(pieces "$name")))
    rm -r "${dir:?}/$name"
done
[ $bad -eq 0 ] && [ $cut -gt 20 ] && [ $many -gt $cut ]
check "$cut traces in $many pieces pass on the model, $bad do not" $?

"$NVCOSIM" compile traces/networks/digits/digits.nvdla --input traces/networks/digits/7.png -o "$dir/digits.nvt.gz"
split "$dir/digits.nvt.gz" digits && "$NVCOSIM" run -q -j2 --out "$dir/out" "$dir"/digits/*.nvt.gz
check "a network in $(pieces digits) pieces passes on RTL and model" $?
split "$dir/digits.nvt.gz" again && diff -r "$dir/digits" "$dir/again"
check "the same pieces every time" $?
split "$dir/digits.nvt.gz" all_memory --whole-memory --pieces 2 && "$NVCOSIM" run -q --dut model --out "$dir/out" "$dir"/all_memory/*.nvt.gz && [ "$(pieces all_memory)" -eq 2 ]
check "two pieces with all memory" $?
split "$dir/digits.nvt.gz" idle --idle-only && [ "$(pieces idle)" -eq 1 ] && [ "$(grep -c '5 arm layers after the cut' "$dir/digits.log")" -eq 1 ]
check "the driver leaves no unit idle: --idle-only has one piece, and the log tells" $?
# WEIGHT_BYTES of the first convolution is more than its kernels take, and the second has its banks
"$NVCOSIM" gen -q --engine conv --seed 194 --out "$dir"
split "$dir/small_conv_194.nvt.gz" surplus && [ "$(pieces surplus)" -eq 1 ] && grep -q "^no cut after SDP #0: the next convolution begins with unused weights of the last one" "$dir/surplus.log"
check "no cut between a convolution and the one that begins with its surplus weights" $?
split traces/loadables/own_tasks_small_int8/net.nvdla tasks --input random:3 && "$NVCOSIM" run -q -j2 --out "$dir/out" "$dir"/tasks/*.nvt.gz && [ "$(pieces tasks)" -gt 2 ]
check "a loadable whose tasks are part the processor's" $?

# The last piece ends with the memory of the whole.
that "the last piece has the outputs of the whole; pieces name their launches" tests/replay/split.py last "$NVCOSIM" "$dir"

# One run.
whole=$("$NVCOSIM" run "$dir/digits.nvt.gz" | grep -o ' op_cycles=[0-9]*')
out=$("$NVCOSIM" run --pieces 3 -j2 --out "$dir/out" --results "$dir/results" "$dir/digits.nvt.gz" 2>"$dir/err") && [ "$(wc -l <<<"$out")" -eq 1 ] &&
    tests/replay/split.py one "$dir/results" "$dir/out/digits.pieces/report.json" "${whole#*=}"
check "run --pieces: one line, one result, one report, the cycles summed" $?
"$NVCOSIM" run --sample 3 --seed 5 -j2 --out "$dir/out" "$dir/digits.nvt.gz" 2>"$dir/err" >/dev/null && grep -q 'seed 5' "$dir/err" &&
    tests/replay/split.py estimate "$(grep -o 'estimate of the whole: .*' "$dir/err")" "${whole#*=}"
check "run --sample estimates the cycles of the whole, with a standard error" $?

# RTL of full: a network in FP16 with convolutions, SDP, PDP, CDP and RUBIK, each layer a piece.
out=$("$NVCOSIM" run --pieces 15 -j2 --out "$dir/out" --results "$dir/results" traces/loadables/own_mix_full_fp16/net.nvdla --input random:1 2>"$dir/err") &&
    jq -e '.verdict == "PASS" and .config == "full" and .dut == "rtl+model"' "$dir/results" >/dev/null
check "15 pieces on the RTL of full: $out" $?

"$NVCOSIM" run --pieces 3 --max-cycles 9000 --out "$dir/out" "$dir/digits.nvt.gz" >"$dir/log" 2>&1
[ $? -eq 3 ] && grep -qE '^HANG digits: 3 of 3 pieces; the first is piece 1, ' "$dir/log" && [ "$(find "$dir/out/digits.pieces" -name 'digits-[123].nvt' | wc -l)" -eq 3 ] &&
    grep -qE '^piece 3, SDP #[0-9]+ \(digits.nvt.gz:[0-9]+, layer 0.[0-9]+ of the network\)' "$dir/out/digits.pieces/report.txt"
check "pieces that hang: exit status 3, the report names their launches in the whole" $?
# The region of the outputs is too short: pieces differ from the golden bytes of the model, which does not write outside
gzip -dc "$dir/digits.nvt.gz" | sed 's/^mem_fill primary 0x80007000 0x1e00/mem_fill primary 0x80007000 0x1000/' >"$dir/digits.nvt"
"$NVCOSIM" run -q --pieces 4 --out "$dir/out" "$dir/digits.nvt" >"$dir/log" 2>&1
[ $? -eq 1 ] && grep -q '^FAIL digits-3: .*: SDP #0 surface 0, .*; written by SDP #0 at' "$dir/log" &&
    grep -q '^  .*digits-3.nvt.*: SDP #1 surface 0, .*; written by SDP #1 at' "$dir/out/digits.pieces/report.txt"
check "the report of all pieces has the numbers of the whole in the reason of a piece" $?
"$NVCOSIM" run -q --dut model --pieces 2 --out "$dir/out" "$dir/digits.nvt.gz" && [ "$(ls "$dir/out/digits.pieces")" = "$(printf 'report.json\nreport.txt')" ]
check "the next run leaves nothing of them" $?

# What cannot be cut, or not there.
{ printf 'nvt 1\nconfig small\nmode streams\nreg_write SDP_RDMA.D_OP_ENABLE 0x1\nreg_write SDP.D_OP_ENABLE 0x1\n'; } >"$dir/hangs.nvt"
gzip -dc "$dir/digits.nvt.gz" | head -c 40000 >"$dir/cut.nvt"
for trace in hangs cut missing; do
    split "$dir/$trace.nvt" "$trace"
    [ $? -eq 2 ] && [ ! -e "$dir/$trace" ] && ! ls "$dir"/*.part >/dev/null 2>&1 && grep -q "$trace.nvt" "$dir/$trace.log"
    check "$trace.nvt: $(head -1 "$dir/$trace.log" | cut -c1-150)" $?
    "$NVCOSIM" run --pieces 2 --out "$dir/out" "$dir/$trace.nvt" >/dev/null 2>&1
    [ $? -eq 2 ] && [ ! -e "$dir/out/$trace.pieces" ]
    check "run --pieces refuses it too" $?
done
split "$dir/digits.nvt.gz" digits
[ $? -eq 2 ] && grep -q 'already exists' "$dir/digits.log"
check "a folder that holds something stays as it is" $?
finish
