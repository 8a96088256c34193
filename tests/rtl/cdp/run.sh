#!/bin/bash
# nvdla_cdp alone, Verilated, against the C model's CDP.
#
# usage: run.sh BUILD CONFIG [SEEDS] [FIRST]     SEEDS random chains of layers (200 if empty), from seed FIRST on
# Needs BUILD/libnvcosim.a and BUILD/gen (make build). Prints ok / FAIL lines, then "N passed, N failed".
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
build=$1 config=$2 seeds=${3:-200} first=${4:-}
dir=$build/tests/rtl/cdp-$config
mkdir -p "$dir"
python3 scripts/gen_tables.py sv "$build/gen/$config" "$config"
verilator --cc -O3 --no-timing --x-assign fast --x-initial fast --Mdir "$dir" --top-module cdp_bench --prefix Vnvdla_cdp -Wall -y rtl/common -y rtl/engine -y rtl/mcif \
    -y rtl/lut -y rtl/cdp "$build/gen/$config/nvdla_pkg.sv" rtl/common/nvdla_check.svh rtl/common/nvdla_arith_pkg.sv rtl/lut/nvdla_lut_pkg.sv rtl/cdp/nvdla_cdp_pkg.sv \
    tests/rtl/cdp/cdp_bench.sv
make -s -C "$dir" -f Vnvdla_cdp.mk CXX=clang++ OPT_FAST=-O2 OPT_SLOW=-O1 OPT_GLOBAL=-O2 Vnvdla_cdp__ALL.a verilated.o verilated_threads.o >"$dir/make.log" 2>&1 ||
    { cat "$dir/make.log"; exit 1; }
root=$(verilator -getenv VERILATOR_ROOT)
warn=(-Wall -Wextra -Wshadow -Wconversion -Werror)
gcc -std=c17 -O2 "${warn[@]}" -D_GNU_SOURCE -Icsrc -I"$build/gen" -c -o "$dir/reference.o" tests/rtl/cdp/reference.c
clang++ -std=c++17 -O2 "${warn[@]}" -I"$dir" -isystem "$root/include" -isystem "$root/include/vltstd" -I"$build/gen" \
    -Itests/rtl/cdp -o "$dir/bench" tests/rtl/cdp/bench.cpp "$dir/reference.o" "$dir/Vnvdla_cdp__ALL.a" "$dir/verilated.o" "$dir/verilated_threads.o" \
    "$build/libnvcosim.a" -lz -ljansson -lpthread -latomic
# shellcheck disable=SC2086 # FIRST may be absent
exec "$dir/bench" "$config" "$seeds" $first
