#!/bin/bash
# Quantised networks: compiling, explaining, checking, info, what is refused.
# usage: NVCOSIM=build/nvcosim tests/cli/quantised.sh
. "$(dirname "$0")/frame.sh"
"$ROOT/tests/quantised/graph.py" 3 net.tflite

nv compile net.tflite -o net.nvdla; check quantised_loadable 0
nv compile net.tflite --explain
check quantised_explain 0 "node 0 CONV_2D, tensor \"t1\", 2 layers" "exact; 0 of 4 kernels" "65536 pairs differ by 1" "on the processor"
nv compile --explain "$ROOT/traces/networks/zoo/digits_conv.tflite"
check quantised_explain_each 0 "first factor" "before rounding"
nv compile net.tflite --check --input random:1
check quantised_check 0 "pass node 0 CONV_2D, tensor \"t1\": 0 of 120 differ from cpu" "pass node 3 ADD" "!FAIL"
nv run --dut model net.tflite --input random:1; check quantised_run 0 "PASS net" "output t" "times 0.00787402"
nv run --dut model net.nvdla --input random:1; check quantised_run_loadable 0 "PASS net"
for net in net.tflite net.nvdla; do "$NVCOSIM" run --dut model $net --input random:1 | sed -n '/^output/,$p' >$net.txt; done
that quantised_same cmp net.tflite.txt net.nvdla.txt
"$ROOT/tests/cli/quantised.py" relu.tflite RELU
nv run --dut model relu.tflite --input random:1; check quantised_real 0 "of int8, codes and (code +0) * 0.1:"
nv info net.nvdla; check quantised_info 0 "operator and tensor" "DEPTHWISE_CONV_2D t4" "SOFTMAX t" "for small"
nv info --json net.tflite; check quantised_info_json 0 "\"origin\": \"CONV_2D t1\""
nv compile net.tflite --config full -o full.nvdla; check quantised_full 0

nv compile net.tflite -o net.txt; check quantised_suffix 2 "found 'net.txt', expected the name of the output to end in .nvt or .nvt.gz, or .nvdla"
nv compile net.nvdla --explain; check quantised_explain_loadable 2 "--explain and --check are for quantised networks"
nv compile net.tflite --config medium_512 -o m.nvdla
check quantised_atoms 2 "found configuration medium_512 with atoms of 16 bytes, expected one of 8 or 32"
that quantised_nothing_written test ! -e m.nvdla
nv compile net.tflite --config small,macs=16x16 --check --input zero; check quantised_atoms_of_16 0 "pass node"
nv run --config small,macs=16x16 --dut model --input zero net.nvdla
check quantised_loadable_atoms 2 "net.nvdla: found configuration small+macs-16x16 with atoms of 16 bytes, expected one of 8 or 32: loadables have no"
nv estimate --config small,macs=32 net.tflite; check quantised_atoms_of_4 2 "atoms of 4 bytes; expected atoms of 8, 16 or 32 bytes, as many kernels"
head -c 900 net.tflite >cut.tflite
nv compile cut.tflite -o cut.nvdla; check quantised_cut 2 "cut.tflite: offset 0x" "expected"
that quantised_cut_nothing test ! -e cut.nvdla
printf 'no network at all' >text.tflite
nv compile text.tflite -o x.nvdla; check quantised_text 2 "text.tflite: offset 0x4: found no identifier TFL3, expected a TFLite file"
"$ROOT/tests/cli/quantised.py" tanh.tflite TANH
nv compile tanh.tflite -o x.nvdla
check quantised_operator 2 "node 0, TANH version 1, tensor \"t1\": found an operator that is not supported"
finish
