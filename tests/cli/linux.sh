#!/bin/bash
# nvcosim linux; tests/live/linux.sh boots guests.
# usage: NVCOSIM=build/nvcosim tests/cli/linux.sh
. "$(dirname "$0")/frame.sh"

nv linux --config small,macs=16x16; check linux_config 2 "--config: found 'small,macs=16x16', expected one of full, small," "NVIDIA's driver knows none by values"
nv linux net.nvdla; check linux_no_input 2 "--input is missing; expected the picture that net.nvdla reads"
printf 'x' >net.bin; nv linux net.bin --input p.pgm; check linux_no_loadable 2 "net.bin: "
nv linux "$ROOT/traces/networks/digits/digits.nvdla"; check linux_no_input_of_digits 2 "--input is missing; expected the picture"
nv linux --put a/x --put b/x; check linux_put_twice 2 "--put: found two files for /job/x, expected one"
nv linux --input p.pgm; check linux_no_network 2 "--input: expected a network with it"
nv linux --selftest net.nvdla --input p.pgm; check linux_both 2 "--selftest has programs of its own"
nv linux --selftest --config full; check linux_selftest_config 2 "--selftest: found --config full, expected small"
nv linux --selftest --guest none; check linux_no_guest 2 'none/vmlinuz: No such file or directory; `make guest` makes it'
finish
