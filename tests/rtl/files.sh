#!/bin/bash
# make rtl: the RTL of a configuration elaborates by its list alone, and has no file that the configuration does not use.
# usage: files.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
log=$work/log

for config in small small,macs=16x16,secondary=1; do
    that "make rtl CONFIG=$config" make -s rtl "B=$build" "CONFIG=$config" "OUT=$work/$config"
    (cd "$work/$config" && verilator --lint-only -Wno-lint --top-module NV_nvdla -F nvdla.f) >"$work/log" 2>&1
    check "$config elaborates by its list" $?
    find "$work/$config" -name 'nvdla_bdma*' -o -name 'nvdla_rubik*' -o -name 'nvdla_*winograd*' | tee "$work/log" | grep -q .
    [ $? -eq 1 ] && [ -f "$work/$config/sdp/nvdla_sdp.sv" ]
    check "$config has no BDMA, RUBIK or Winograd" $?
done
ends "a folder with files is left alone" 2 "rtl: $work/small: found a file, or a folder with files, expected an empty one or none" \
    make -s rtl "B=$build" CONFIG=small "OUT=$work/small"
make -s rtl "B=$build" CONFIG=small+macs-8x16 "OUT=$work/no" >"$work/log" 2>&1
[ $? -eq 2 ] && grep -q "k=16: expected 8, with c=8" "$work/log" && [ ! -e "$work/no" ]
check "a configuration without an RTL is refused" $?
finish
