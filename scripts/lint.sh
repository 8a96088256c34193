#!/bin/bash
# Lint of everything: Verilator -Wall and Icarus over the RTL of every configuration, cppcheck and clang-format over the C.
#
# usage: lint.sh CONFIG...
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
result() {
    if [ "$2" -eq 0 ]; then echo "ok    $1"; else echo "FAIL  $1"; failed=1; fi
}
for config in "$@"; do
    verilator --lint-only -Wall --no-timing --top-module tb_top -f "build/gen/$config/config.f" "build/gen/$config/nvdla_pkg.sv" -F rtl/nvdla.f tb/tb_top.sv
    result "verilator -Wall $config" $?
    remarks=$(scripts/iverilog.sh "$config" -o /dev/null 2>&1)
    status=$?
    [ -n "$remarks" ] && echo "$remarks" | head -20
    result "iverilog -g2012 $config" $status
done
clang-format --dry-run --Werror csrc/*/*.[ch] tb/*.[ch] tests/*/*.c 2>&1 | head -20
result "clang-format" "${PIPESTATUS[0]}"
cppcheck -q --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr -Icsrc -I. -Ibuild/gen \
    --suppress=missingIncludeSystem csrc tb/*.c
result "cppcheck" $?
exit $failed
