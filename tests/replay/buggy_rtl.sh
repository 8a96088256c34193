#!/bin/bash
# A second RTL for tests: our own sources with one arithmetic bug (the output convertor of SDP adds its offset instead of subtracting it).
#
# usage: buggy_rtl.sh BUILD DIR     writes the changed file and DIR/buggy.f, the file list, which includes the list of the sources
set -eu
mkdir -p "$2"
dir=$(realpath "$2")
cd "$(dirname "$0")/../.."
sed 's/ - \$signed({offset\[31\], offset})/ + $signed({offset[31], offset})/' rtl/sdp/nvdla_sdp_pkg.sv >"$dir/nvdla_sdp_pkg.sv"
! cmp -s rtl/sdp/nvdla_sdp_pkg.sv "$dir/nvdla_sdp_pkg.sv" || { echo "buggy_rtl: rtl/sdp/nvdla_sdp_pkg.sv has no line to put the bug into" >&2; exit 1; }
sed -e 's://.*::' -e '/^[[:space:]]*$/d' -e "s:^\(+incdir+\)\?:&$PWD/rtl/:" -e "s:.*/nvdla_sdp_pkg.sv:$dir/nvdla_sdp_pkg.sv:" rtl/nvdla.f >"$dir/sources.f"
echo "-F sources.f" >"$dir/buggy.f"
