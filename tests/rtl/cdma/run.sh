#!/bin/bash
# nvdla_cdma with nvdla_cbuf, Verilated, against the formulas of chapters 20 and 30.
#
# usage: run.sh BUILD CONFIG [SEEDS] [FIRST]     SEEDS random chains of layers (100 if empty), from seed FIRST on
# Needs BUILD/libnvcosim.a and BUILD/gen (make build). Prints ok / FAIL lines, then "N passed, N failed".
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
build=$1 config=$2 seeds=${3:-100} first=${4:-}
dir=$build/tests/rtl/cdma-$config
mkdir -p "$dir"
python3 scripts/gen_tables.py sv "$build/gen/$config" "$config"
verilator --cc -O3 --no-timing --x-assign fast --x-initial fast --Mdir "$dir" --top-module cdma_bench -Wall \
    -y rtl/common -y rtl/mcif -y rtl/cdma -y rtl/cbuf "$build/gen/$config/nvdla_pkg.sv" rtl/common/nvdla_check.svh rtl/common/nvdla_arith_pkg.sv rtl/cbuf/nvdla_cbuf_pkg.sv \
    rtl/cdma/nvdla_cdma_pkg.sv tests/rtl/cdma/cdma_bench.sv
make -s -C "$dir" -f Vcdma_bench.mk CXX=clang++ OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2 Vcdma_bench__ALL.a verilated.o verilated_threads.o >"$dir/make.log" 2>&1 ||
    { cat "$dir/make.log"; exit 1; }
root=$(verilator -getenv VERILATOR_ROOT)
clang++ -std=c++17 -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -I"$dir" -Icsrc -I"$build/gen" -isystem "$root/include" -isystem "$root/include/vltstd" \
    -o "$dir/bench" tests/rtl/cdma/bench.cpp "$dir/Vcdma_bench__ALL.a" "$dir/verilated.o" "$dir/verilated_threads.o" "$build/libnvcosim.a" \
    -lz -ljansson -lpthread -latomic
# shellcheck disable=SC2086 # FIRST may be absent
exec "$dir/bench" "$config" "$seeds" $first
