#!/bin/bash
# CSC, CMAC, CACC and CBUF alone against a direct computation: Verilates them with their bench and plays random chains of layers (see
# conv_bench.cpp).
#
# usage: run.sh BUILD CONFIG [SEEDS] [FIRST]     SEEDS defaults to 200, FIRST to 1; BUILD/libnvcosim.a must exist
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
build=$(realpath "$1") config=$2 seeds=${3:-200} first=${4:-1}
dir=$build/sim/conv-$config
[ -f "$build/libnvcosim.a" ] || { echo "run.sh: $build/libnvcosim.a does not exist; run make build first" >&2; exit 2; }
python3 scripts/gen_tables.py sv "$dir/gen" "$config"
ccache=$(command -v ccache || true)
verilator --cc --exe --build -j 2 -O3 --no-timing --x-assign fast --x-initial fast --Mdir "$dir" --top-module conv_bench \
    "$dir/gen/nvdla_pkg.sv" rtl/common/nvdla_check.svh rtl/cbuf/nvdla_cbuf_pkg.sv rtl/csc/nvdla_conv_pkg.sv tests/rtl/conv/conv_bench.sv \
    +libext+.sv -y rtl/csc -y rtl/cmac -y rtl/cacc -y rtl/cbuf -y rtl/common \
    -CFLAGS "-std=c++17 -I$PWD/csrc -I$PWD -I$build/gen" -LDFLAGS "$build/libnvcosim.a -ljansson -lz" -o conv_bench \
    -MAKEFLAGS "CXX='${ccache:+$ccache }clang++' LINK=clang++ OPT_FAST=-O2" "$PWD/tests/rtl/conv/conv_bench.cpp" >"$dir.log" 2>&1 ||
    { cat "$dir.log" >&2; exit 1; }
"$dir/conv_bench" "$config" "$seeds" "$first"
