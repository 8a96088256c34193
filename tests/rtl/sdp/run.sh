#!/bin/bash
# nvdla_sdp alone against the C model: Verilates it with its bench and plays random seeds (see sdp_bench.cpp).
#
# usage: run.sh BUILD CONFIG [SEEDS] [FIRST]     SEEDS defaults to 400, FIRST to 1; BUILD/libnvcosim.a must exist
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
build=$(realpath "$1") config=$2 seeds=${3:-400} first=${4:-1}
dir=$build/sim/sdp-$config
[ -f "$build/libnvcosim.a" ] || { echo "run.sh: $build/libnvcosim.a does not exist; run make build first" >&2; exit 2; }
python3 scripts/gen_tables.py sv "$dir/gen" "$config"
ccache=$(command -v ccache || true)
verilator --cc --exe --build -j 2 -O3 --no-timing --x-assign fast --x-initial fast --Mdir "$dir" --top-module sdp_bench --prefix Vnvdla_sdp \
    "$dir/gen/nvdla_pkg.sv" rtl/common/nvdla_check.svh rtl/common/nvdla_arith_pkg.sv rtl/sdp/nvdla_sdp_pkg.sv tests/rtl/sdp/sdp_bench.sv \
    +libext+.sv -y rtl/sdp -y rtl/common -y rtl/engine -y rtl/mcif \
    -CFLAGS "-std=c++17 -I$PWD/csrc -I$PWD -I$build/gen" -LDFLAGS "$build/libnvcosim.a -ljansson -lz" -o sdp_bench \
    -MAKEFLAGS "CXX='${ccache:+$ccache }clang++' LINK=clang++ OPT_FAST=-O2" "$PWD/tests/rtl/sdp/sdp_bench.cpp" >"$dir.log" 2>&1 ||
    { cat "$dir.log" >&2; exit 1; }
"$dir/sdp_bench" "$config" "$seeds" "$first"
