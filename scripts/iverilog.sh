#!/bin/bash
# Compiles the RTL of one configuration and the testbench top with Icarus. Suppresses warnings of Icarus that do not matter here (constant
# selects in always_*), and keeps its exit status.
#
# usage: iverilog.sh CONFIG IVERILOG-OPTIONS...
set -u -o pipefail
cd "$(dirname "$0")/.." || exit 1
config=$1
shift
list=$(sed -e 's://.*::' -e '/^[[:space:]]*$/d' -e '/^+/d' -e 's:^:rtl/:' rtl/nvdla.f)
# shellcheck disable=SC2086 # the list is words
iverilog -g2012 -Wall -Wno-timescale -s tb_top -c "build/gen/$config/config.f" -Irtl/common "$@" "build/gen/$config/nvdla_pkg.sv" $list tb/tb_top.sv 2>&1 |
    grep -v -e 'sorry: constant selects in always_' -e 'is sensitive to all' -e 'is declared here'
exit "${PIPESTATUS[0]}"
