#!/bin/bash
# nvcosim doctor.
# usage: NVCOSIM=build/nvcosim tests/cli/doctor.sh
. "$(dirname "$0")/frame.sh"

logs=$ROOT/traces/driver-logs
net=$ROOT/traces/loadables/own_concat_small_int8/net.nvdla

nv doctor "$logs/sdp-rdma-not-armed/log.txt" --loadable "$net"
check doctor_hang 1 "hang at task 0, layer 2: CONV 1x1, stride 1" "armed: SDP 3, Convolution 2, SDP 5" "likely: arming-lost" \
    "the layer needs at least" "2 of 11 layers done"
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
sed 's/Enable SDP operation index 3 ROI 0/xxx/' "$logs/good-residual/log.txt" >sticky.txt
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

# Usage.
: >empty.txt
nv doctor empty.txt; check doctor_empty 2 "found an empty file"
nv doctor none.txt; check doctor_missing 2 "none.txt"
nv doctor; check doctor_no_log 2 "expected the log of a driver"
nv doctor a b; check doctor_two 2 "found 'b', expected one log"
nv doctor --loadable "$logs/no-interrupt/log.txt" "$logs/no-interrupt/log.txt"; check doctor_bad_loadable 2 "log.txt"
finish
