#!/bin/bash
# Trace files that are empty or have odd bytes, and folders instead of files.
# usage: NVCOSIM=build/nvcosim tests/cli/odd_files.sh
. "$(dirname "$0")/frame.sh"

: >nothing.cfg
printf '# nothing\n' >nothing.txn
nv run --dut model nothing.cfg good/good.cfg; check empty_cfg 2 "nothing.cfg: holds no operations" '!PASS'
nv run --config small --dut model nothing.txn; check empty_txn 2 "nothing.txn: holds no operations"
mkdir marked && cp good/in.dat marked && { printf '\357\273\277'; cat good/good.cfg; } >marked/marked.cfg
nv run --dut model marked; check byte_order_mark 0 "PASS marked "
printf 'reg_write(\001\377, 0);\n' >odd.cfg
nv run --dut model odd.cfg; check odd_bytes 2 'odd.cfg:1:' 'found "\x01"'
mkdir nopacket && cp good/good.cfg nopacket/nopacket.cfg && echo '# nothing' >nopacket/in.dat
nv run --dut model nopacket; check no_packet 2 "nopacket.cfg:3:" "in.dat: holds no packet"
mkdir onlynvt && cp good.nvt.gz onlynvt
nv run --dut model onlynvt; check directory_with_nvt 0 "PASS onlynvt "
# what never ends, under every name that takes a file
ln -s /dev/zero zero.nvdla; ln -s /dev/zero zero.bin; mkfifo waits.yml
digits=$ROOT/traces/networks/digits
nv run --dut model zero.nvdla --input zero; check device_as_network 2 "zero.nvdla: is not a regular file"
nv run --dut model "$digits/digits.nvdla" --input zero.bin; check device_as_picture 2 "zero.bin: is not a regular file"
nv run --dut model "$digits/digits.nvdla" --input raw:zero.bin; check device_as_input 2 "zero.bin: is not a regular file"
nv run --dut model --labels zero.bin "$digits/digits.nvdla" --input zero; check device_as_labels 2 "--labels: zero.bin: is not a regular file" '!PASS'
nv diff zero.bin good/good.cfg; check device_to_compare 2 "zero.bin: is not a regular file"
nv regress waits.yml; check fifo_as_plan 2 "waits.yml: is not a regular file"
# a packed network is a network
gzip -c "$digits/digits.nvdla" >packed.nvdla.gz
nv run --dut model packed.nvdla.gz --input zero; check packed_network 0 "PASS packed "
nv run nothing.nvdla.gz; check missing_network 2 "nothing.nvdla.gz: cannot open: No such file"
finish
