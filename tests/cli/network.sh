#!/bin/bash
# Compiled networks: compiling with pictures, running, the output in every form, layers in messages.
# usage: NVCOSIM=build/nvcosim tests/cli/network.sh
. "$(dirname "$0")/frame.sh"
digits=$ROOT/traces/networks/digits
net=$digits/digits.nvdla

# ---- the digits of the demonstration, on the model ----------------------------------------------------------------------------------
words=(zero one two three four five six seven eight nine)
for i in 0 1 2 3 4 5 6 7 8 9; do
    nv run --dut model "$net" --input "$digits/$i.png" --labels "$digits/labels.txt" --top 1
    check "network_digit_$i" 0 "PASS digits " "output digit: 10 x 1 x 1 (c, h, w) of int8, times 0.00787402:" "     $i  ${words[i]} "
done
that network_files cmp nvcosim-out/digits.outputs/digit.bin <(printf '\0\0\0\0\0\0\0\0\0\x7f\0\0\0\0\0\0')
that network_trace test -s nvcosim-out/digits.nvt.gz

nv run --dut model --outputs o --npy --dimg --top 2 --show-input "$net" --input "$digits/1.png"
check network_forms 0 "     1  1" "     0  0" "!  channel" "█"
that network_npy "$ROOT/tests/cli/network.py" npy
that network_dimg "$ROOT/tests/cli/network.py" dimg

# ---- pictures of every kind are the same input ---------------------------------------------------------------------------------------
"$ROOT/tests/cli/network.py" pictures "$digits/5.png"
nv compile "$net" --input "$digits/5.png" -o png.nvt; check network_compile 0
for input in 5.pgm 5.wide.pgm 5.plain.pgm raw:5.cube; do
    nv compile "$net" --input "$input" -o other.nvt; check "network_input_$input" 0
    that "network_same_$input" cmp png.nvt other.nvt
done

# ---- the picture for NVIDIA's runtime: PGM of 8 bits for one channel, a JPEG as it is for three ---------------------------------------
for input in "$digits/5.png" 5.wide.pgm 5.plain.pgm; do
    nv compile "$net" --input "$input" -o runtime.pgm; check "network_runtime_${input##*/}" 0
    that "network_runtime_same_${input##*/}" cmp <(tail -c 784 runtime.pgm) <(tail -c 784 5.pgm)
done
colours=$ROOT/traces/loadables/own_res_small_int8
nv compile "$net" --input 5.pgm -o 5.jpg; check network_runtime_name 2 "5.jpg: expected a name that ends in .pgm: the input has 1 channel"
nv compile "$net" --input "$colours/input.ppm" -o no.pgm; check network_runtime_size 2 "expected 28 x 28, the size of the network's input"
nv compile "$colours/net.nvdla" --input "$colours/input.ppm" -o no.jpg
check network_runtime_colours 2 "input.ppm: expected a JPEG in colour, the only form of 3 channels that NVIDIA's runtime reads"
nv compile "$net" -o no.pgm; check network_runtime_none 2 "-o no.pgm: expected a loadable (.nvdla), and --input with one picture"
that network_runtime_nothing test ! -e no.pgm -a ! -e no.jpg

nv compile "$net" --input 5.pgm --norm 255 --scale 0.00787401574803149 -o scaled.nvt; check network_scale 0
that network_same_scaled cmp png.nvt scaled.nvt
nv run -v --dut model png.nvt; check network_layers 0 "  model: layer 0.0 CONV done" "  model: layer 0.9 SDP done" "PASS png"
nv run --dut model png.nvt; check network_layers_quiet 0 "!model: layer"
nv run --dut model --outputs q -q png.nvt; check network_quiet 0 "!output"
that network_quiet_files test -s q/digit.bin
nv run --dut model --outputs two png.nvt other.nvt; check network_two 0 "PASS png " "PASS other " "output digit"
that network_two_files cmp two/png/digit.bin two/other/digit.bin

# ---- what is refused -----------------------------------------------------------------------------------------------------------------
nv run --dut model "$net"; check network_no_input 2 "nothing for input 0, \"picture\"; expected --input"
nv run --dut model "$net" --input random; check network_random 2 "--input random: expected random:SEED, a number"
nv compile "$digits/7.png" --input zero -o x.nvt; check network_no_loadable 2 "7.png: offset 0x0: found its first table at" "no loadable"
nv lint "$net"; check network_lint 2 "a compiled network; turn it into a trace with nvcosim compile"
nv run --dut model "$net" --input small.pgm; check network_wrong_size 2 "small.pgm: found a picture of 2 x 2 pixels; expected 28 x 28" "scale it before"
nv run --dut model "$net" --input 5.pgm --input 5.pgm; check network_two_pictures 2 "found 2 times --input; expected 1"
nv compile "$net" --input 5.pgm --norm 0 -o x.nvt; check network_norm_of_zero 2 "--norm: found '0', expected a number that is not 0"
nv compile "$net" --input 5.pgm --mean 1,2 -o x.nvt; check network_means 2 "found 2 means; expected one, or one for each of 1 channels"
nv run --dut model png.nvt --input 5.pgm; check network_input_for_trace 2 "are for networks"
nv run --dut model "$net" --input 5.pgm --labels none.txt; check network_labels 2 "--labels: none.txt" "!PASS digits"
sed 's/nchw 1 10/nchw 1 99/' png.nvt >large.nvt
nv run --dut model --outputs o large.nvt; check network_bad_note 2 "large.nvt:" "a tensor that is larger than its memory"

# ---- a layer that never begins: the driver's access that arms it is gone ---------------------------------------------------------------
awk '/layer 5: PDP, group/ { found = 1 } !(found && /PDP.D_OP_ENABLE/ && !gone++)' png.nvt >hang.nvt
nv run --dut model hang.nvt; check network_hang 3 "HANG hang" "it waits for the end of layer 0.2 PDP of the network"

# ---- info ------------------------------------------------------------------------------------------------------------------------------
nv info "$net"
check info_network 0 "for small; 2 tasks, 11 layers, 337,024 multiplications" "0.3    CONV  5x5, stride 1" "12x12x8" "8x8x16*" "204,800" \
    "CPU   softmax" "memory" "input" "task-0-op_list" "1 10 1 1   int8  37"
cat >report.json <<'END'
{"layers": [{"unit": "SDP", "launch": 1, "clocks": 5000, "utilisation": 0.64}, {"unit": "PDP", "launch": 1, "clocks": 321}]}
END
nv info --report report.json "$net"; check info_network_report 0 "5,000     64.0 %" "5,321 clocks by layer in the report"
nv info --dot --report report.json "$net"
check info_network_dot 0 "digraph network {" "l0_3 -> l0_4 [style=bold];" "l0_2 -> l0_3;" "0.4 SDP x1 add per kernel ReLU" "5,000 clocks, 64.0 % of the MACs" \
    "l0_9 -> l1_0;" "l1_0 -> m4;" "m3 -> l0_0;"
nv info --report good/good.cfg "$net"; check info_network_no_report 2 "expected report.json of a run"
echo '{"layers": []}' >none.json
nv info --report none.json "$net"; check info_network_other_report 2 "found no clocks of a layer"
nv info --json --report report.json "$net"
check info_network_json 0 '"config": "small"' '"multiplications": 204800' '"description": "5x5, stride 1"' '"least_clocks": 3200' '"nchw": ['
that info_network_json_content "$ROOT/tests/cli/network.py" info
nv info --json --dot "$net"; check info_network_json_and_dot 2 "exclude each other"
nv info --dot good/good.cfg; check info_dot_of_a_trace 2 "--dot and --report are for networks"
head -c 1000 "$net" >cut.nvdla
nv info cut.nvdla; check info_network_cut 2 "cut.nvdla: "

# ---- a wrong layer is named --------------------------------------------------------------------------------------------------------------
"$ROOT/tests/cli/network.py" damage
nv run --dut model wrong.nvt; check network_wrong_layer 1 "FAIL wrong" "PDP #1" "PDP #1 is layer 0.5 of the network, PDP"
finish
