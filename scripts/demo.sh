#!/bin/bash
# The demonstration: replays one trace on the Verilated RTL and on the model, compares all memory, and says where to look next.
#
# usage: demo.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
trace=traces/conformance/small/rand_sdp_pdp_001.nvt.gz
echo
echo "\$ $build/nvcosim run $trace --out $build/demo --stats"
"$build/nvcosim" run "$trace" --out "$build/demo" --stats || exit 1
echo
cat <<TEXT
The RTL and the reference model left the same memory behind. What to look at next:
what was compared
  $build/demo/rand_sdp_pdp_001/report.txt
what the trace programs, register by register
  $build/nvcosim info $trace
the same run as waves, buses grouped
  $build/nvcosim run $trace --wave demo.fst
  gtkwave demo.gtkw
everything else; docs/README.md is the index of the manual
  $build/nvcosim --help
TEXT
