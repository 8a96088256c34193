#!/bin/bash
# The files that scripts give to Yosys, which source this: arrays sources, in the order of rtl/nvdla.f, and headers. Set rtl before if the RTL lies
# elsewhere.
rtl=${rtl:-rtl}
# shellcheck disable=SC2034 # used by what sources this
mapfile -t sources < <(sed -e 's://.*::' -e '/\.svh/d' -e '/^+/d' -e '/^[[:space:]]*$/d' -e "s:^:$rtl/:" "$rtl/nvdla.f")
# shellcheck disable=SC2034
mapfile -t headers < <(find "$rtl" -name '*.svh' | sort)
