#!/bin/bash
# The RTL's infrastructure: register bus, GLB and register windows on NV_nvdla; DMA clients, memory interfaces and register groups on
# infra_bench. Prints one line 'ok' or 'FAIL' per check.
#
# usage: run.sh BUILD      results of the build go to BUILD/sim/infra-*
set -eu -o pipefail
cd "$(dirname "$0")/../../.."
mkdir -p "$1"
build=$(realpath "$1")
ccache=$(command -v ccache || true)
failed=0

# bench CONFIG TOP BENCH.cpp SOURCES-OR-OPTIONS...
bench() {
    local config=$1 top=$2 name=$3 dir=$build/sim/infra-$3-$1
    shift 3
    mkdir -p "$dir"
    python3 scripts/gen_tables.py sv "$dir/gen" "$config"
    verilator --cc --exe --build -j 2 -O3 --no-timing --x-assign fast --x-initial fast --Mdir "$dir" --top-module "$top" \
        -f "$dir/gen/config.f" "$dir/gen/nvdla_pkg.sv" -F rtl/nvdla.f "$@" -CFLAGS "-std=c++17 -I$PWD/csrc -I$build/sim/infra-tables" -o "$name" \
        -MAKEFLAGS "CXX='${ccache:+$ccache }clang++' LINK=clang++ OPT_FAST=-O1 OPT_GLOBAL=-O1" "$PWD/tests/rtl/infra/$name.cpp" >"$dir.log" 2>&1 ||
        { cat "$dir.log" >&2; exit 1; }
    echo "$name, configuration $config"
    "$dir/$name" "$config" || failed=1
}

# The register tables in C, for the bus bench.
tables=$build/sim/infra-tables
mkdir -p "$tables"
python3 scripts/gen_tables.py c "$tables"
objects=()
for source in "$tables/nvdla_tables.c" csrc/nvdla/registers.c csrc/nvdla/config.c; do
    object=$tables/$(basename "$source" .c).o
    gcc -std=c17 -O1 -D_GNU_SOURCE -Icsrc -I. -I"$tables" -c "$source" -o "$object"
    objects+=("$object")
done

bench small NV_nvdla bus_bench "${objects[@]}"
bench small infra_bench memory_bench -Wno-fatal -Wno-MULTITOP tests/rtl/infra/infra_bench.sv
bench small_256_full infra_bench memory_bench -Wno-fatal -Wno-MULTITOP tests/rtl/infra/infra_bench.sv
exit $failed
