#!/bin/bash
# nvcosim convert.
# usage: NVCOSIM=build/nvcosim tests/cli/convert.sh
. "$(dirname "$0")/frame.sh"

nv convert good/good.cfg good.nvt.gz; check convert_cfg 0
nv convert good/good.cfg good.nvt; check convert_plain 0
nv convert good.nvt again.nvt; check convert_again 0
that convert_is_stable cmp -s good.nvt again.nvt
that convert_gzip_is_the_same sh -c 'zcat good.nvt.gz | cmp -s - good.nvt'
that convert_keeps_comments grep -q 'a layer that copies' good.nvt
nv convert --no-golden good/good.cfg bare.nvt; check convert_no_golden 0
nv run --dut model bare.nvt; check convert_without_goldens_runs 0 "PASS bare " "checks=2"
nv convert plain.txn plain.nvt; check convert_txn 0
nv run plain.nvt; check convert_keeps_config 2 "configuration full has no RTL"
nv convert good/good.cfg good.bin; check convert_suffix 2 "found 'good.bin', expected the name of the output to end in .nvt or .nvt.gz"
nv convert good/good.cfg; check convert_one_argument 2 "expected two arguments"
nv convert a b c; check convert_three_arguments 2 "found 'c', expected IN and OUT only"
nv convert broken/broken.cfg broken.nvt; check convert_bad_trace 2 "broken.cfg:31:"
that convert_leaves_nothing test ! -e broken.nvt
nv convert good/good.cfg nodir/x.nvt; check convert_bad_target 2 "nodir/x.nvt"
finish
