#!/bin/bash
# nvcosim doctor.
# usage: NVCOSIM=build/nvcosim tests/cli/doctor.sh
. "$(dirname "$0")/frame.sh"

logs=$ROOT/traces/driver-logs
net=$ROOT/traces/loadables/own_concat_small_int8/net.nvdla

nv doctor "$logs/sdp-rdma-not-armed/log.txt" --loadable "$net"
check doctor_hang 1 "hang at task 0, layer 2: CONV 1x1, stride 1" "armed: SDP 3, Convolution 2, SDP 5" "likely: arming-lost" \
    "the layer takes about" "2 of 11 layers done"
nv doctor "$logs/no-interrupt/log.txt"
check doctor_alone 1 "layer 0: Convolution 0" "likely: interrupt-never" "/proc/interrupts"
nv doctor --json "$logs/good-residual/log.txt"; check doctor_json 0 '"verdict": "good"' '"layer": null' '"cause": "data"'
gzip -c "$logs/no-interrupt/log.txt" >log.gz
nv doctor log.gz; check doctor_gzip 1 "interrupt-never"
command=(sh -c "'$NVCOSIM' doctor - <'$logs/no-interrupt/log.txt'"); check doctor_stdin 1 "-: hang" "interrupt-never"

# Messages without a task.
printf '[ 1.0] nvdla 10200000.nvdla: no irq resource\n' >probe.txt
nv doctor probe.txt; check doctor_probe 1 "error" "certain: environment" "no irq resource"
printf 'Already some task in progress[ 3.1] Task execution failed\n' >busy.txt
nv doctor busy.txt; check doctor_busy 1 "certain: busy" "loaded anew"
printf 'NvDlaSubmit: Error IOCTL failed (Cannot allocate memory)\n' >ioctl.txt
nv doctor ioctl.txt; check doctor_ioctl 1 "likely: busy" '!environment'
printf 'INFO: task nvdla_runtime:212 blocked for more than 120 seconds.\n' >blocked.txt
nv doctor blocked.txt; check doctor_blocked 1 "hang" "possible: interrupt-never" "more than 120 seconds"
printf 'usb 1-1: new device\n' >other.txt
nv doctor other.txt; check doctor_no_driver 1 "unknown" "no line of the driver"
# An operation that completes without having been armed.
sed 's/Enable SDP operation index 3 ROI 0/a line of another program/' "$logs/good-residual/log.txt" >sticky.txt
nv doctor sticky.txt; check doctor_sticky 1 "likely: status-sticky" "SDP operation index 3"

# Damaged and hostile logs.
head -c 3000 "$logs/no-interrupt/log.txt" >cut.txt
nv doctor cut.txt; check doctor_cut 1 "unknown" "the log is cut"
{ head -c 100000 /dev/zero; cat "$logs/no-interrupt/log.txt"; printf 'Prepare SDP operation index 2147483647 ROI 0 dep_count 0\n'; } >zeros.txt
nv doctor zeros.txt; check doctor_zeros 1
printf 'Completed SDP operation index -7 ROI 0\n\033[31mAlready some task in progress\n' >escape.txt
nv doctor escape.txt; check doctor_escape 1 'line 2: \x1b[31mAlready' '!'$'\033'
nv doctor --loadable "$ROOT/traces/loadables/own_tasks_small_int8/net.nvdla" "$logs/sdp-rdma-not-armed/log.txt"
check doctor_other_network 1 "the log is not of this network"

# Outputs: right, wrong in ways that have a name, and of a layer.
concat=$ROOT/traces/loadables/own_concat_small_int8
residual=$ROOT/traces/loadables/own_res_small_int8
# Runs on the RTL are what tests/doctor/bus.py tests; here one call has them.
wrong() { nv doctor --run-clocks "${CLOCKS:-0}" --loadable "$residual/net.nvdla" --input "$residual/input.ppm" --output "$@"; }
wrong "$residual/output.bin"; check doctor_right 0 "prob is right: all 16 bytes are those of the model"
dd if="$residual/output.bin" of=swapped.bin conv=swab status=none
CLOCKS=300000 wrong swapped.bin; check doctor_swapped 1 "runs of this network on the RTL" "of 16 bytes differ from the model, first at byte 2: 0x47, expected 0x68" \
    "100 %: exchanged: neighbouring pieces of 1 byte" "!zeros" "!the input"
wrong swapped.bin --before swapped.bin --json; check doctor_stale 1 '"pattern": "stale: what the memory held before the run"' '"first": 2'
"$NVCOSIM" run --dut model --channels rgb --input "$residual/input.ppm" --outputs rgb "$residual/net.nvdla" >run.log 2>&1
wrong rgb/prob.bin; check doctor_channels 1 "the model gets the same bytes with --channels rgb" "!--mean"
wrong rgb/prob.bin --channels rgb; check doctor_channels_right 0 "is right"
"$NVCOSIM" run --dut model --input zero --outputs dark "$residual/net.nvdla" >run.log 2>&1
wrong dark/prob.bin; check doctor_no_input 1 "the input is missing"
"$NVCOSIM" run --dut model --mean 128 --input "$residual/input.ppm" --outputs mean "$residual/net.nvdla" >run.log 2>&1
wrong mean/prob.bin; check doctor_mean 1 "with --mean 128"
head -c 4096 /dev/zero >zeros.bin
wrong zeros.bin --layer 0.1; check doctor_layer 1 "layer 0.1: " "of 4096 bytes differ" "100 %: zeros"
nv doctor --loadable "$concat/net.nvdla" --input "$concat/input.ppm" --output "$concat/output.bin" --layer 0.10
check doctor_layer_right 0 "layer 0.10 is right"
wrong zeros.bin; check doctor_output_size 2 "--output: zeros.bin: found 4096 bytes, expected 16"
wrong swapped.bin --before zeros.bin; check doctor_before_size 2 "--before: zeros.bin: found 4096 bytes, expected 16"
wrong none.bin; check doctor_output_missing 2 "none.bin"
wrong zeros.bin --layer 0.99; check doctor_layer_missing 2 "--layer: found '0.99', expected TASK.OPERATION"
wrong swapped.bin --name fc; check doctor_output_name 2 "--name: found 'fc', expected"
wrong swapped.bin --name prob --layer 0.1; check doctor_name_layer 2 "found --name and --layer, expected one of them"
wrong swapped.bin log.gz; check doctor_log_and_output 2 "found 'log.gz' and --output, expected a log or an output"
nv doctor --output swapped.bin; check doctor_output_alone 2 "--output: found no --loadable"
nv doctor --output swapped.bin --loadable "$net"; check doctor_output_no_input 2 "--output: found no --input"
nv doctor log.gz --input zero; check doctor_input_alone 2 "expected --output as well"

# Usage.
: >empty.txt
nv doctor empty.txt; check doctor_empty 2 "found an empty file"
nv doctor none.txt; check doctor_missing 2 "none.txt"
nv doctor; check doctor_no_log 2 "expected the log of a driver"
nv doctor a b; check doctor_two 2 "found 'b', expected one log"
nv doctor --loadable "$logs/no-interrupt/log.txt" "$logs/no-interrupt/log.txt"; check doctor_bad_loadable 2 "log.txt"
finish
