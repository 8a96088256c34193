#!/bin/bash
# nvcosim coverage.
# usage: NVCOSIM=build/nvcosim tests/cli/coverage.sh
. "$(dirname "$0")/frame.sh"

nv coverage good/good.cfg good.nvt.gz; check coverage 0 "never exercised" "trace, 2 traces" "sdp, 2 layers" "source                                         1 of    2  conv" '!full'
nv coverage --play good; check coverage_play 0 "values, 4 streams" "sdp_out"
nv coverage -o counts.txt good; check coverage_out 0 '!values, '
that coverage_file grep -qx 'sdp.source\*destination=memory,memory 1' counts.txt
nv coverage --merge counts.txt --merge counts.txt -o sum.txt good; check coverage_merge 0 "sdp, 3 layers"
that coverage_sum grep -qx 'sdp.source\*destination=memory,memory 3' sum.txt
echo 'sdp.shape=round 1' >bad.txt
nv coverage --merge bad.txt; check coverage_bad_merge 2 "--merge: bad.txt:1: found the unknown bin 'sdp.shape=round'"
nv coverage good/good.cfg broken/broken.cfg -o none.txt; check coverage_bad_trace 2 "broken.cfg:31:" '!never exercised'
that coverage_leaves_nothing test ! -e none.txt
nv coverage -o nodir/x good; check coverage_bad_target 2 "nodir/x"
nv coverage --bits --play; check coverage_bits_alone 2 "--bits: found traces or other options as well"
nv coverage; check coverage_without_trace 2 "no trace is given"
finish
