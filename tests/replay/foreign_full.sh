#!/bin/bash
# Another RTL with the ports of full: `make simulator` builds it by file list, a trace is played on it, and the variant with waves is built later
# from what the first build kept. The design is a stand-in, a file of registers that CSB reads and writes (standin.py).
#
# usage: foreign_full.sh BUILD
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/foreign_full
rm -rf "$dir" "$build"/nvcosim-full-standin* "$build/full-standin.variables" && mkdir -p "$dir"
# The ports are those that the testbench connects, macros resolved: what it drives is an input.
make -s "$build/gen/full/nvdla_pkg.sv"
verilator -E -P -f "$build/gen/full/config.f" +define+TB_TOP=STANDIN tb/tb_top.sv >"$dir/tb_top.sv"
tests/replay/standin.py "$dir/tb_top.sv" >"$dir/standin.sv"
echo standin.sv >"$dir/standin.f"
printf 'nvt 1\nconfig full\nmode sequential\nreg_write SDP.D_DST_LINE_STRIDE 0x40\nread_check SDP.D_DST_LINE_STRIDE == 0x40\n' >"$dir/registers.nvt"
that "make simulator CONFIG=full NAME=standin" make -s simulator CONFIG=full NAME=standin FILELIST="$dir/standin.f" TOP=STANDIN
that "it plays" "$NVCOSIM" run --dut rtl:standin --results "$dir/results" --out "$dir/out" "$dir/registers.nvt"
that "as what it is" grep -q '"config":"full","dut":"rtl:standin+model"' "$dir/results"
"$NVCOSIM" run --dut rtl:standin --wave "$dir/standin.fst" --out "$dir/out" "$dir/registers.nvt" && [ -s "$dir/standin.fst" ]
check "waves are recorded, from what make simulator kept" $?
fst2vcd "$dir/standin.fst" >"$dir/standin.vcd" && tests/replay/gtkw_names.py "$dir/standin.vcd" "$dir/standin.gtkw" Marks 10 \
    "CSB and interrupt" 12 "AXI read, secondary" 12 "AXI write, primary" 16 && ! grep -q -- "-CDMA" "$dir/standin.gtkw" &&
    tests/replay/wave_values.py mark "$dir/standin.fst" CSB "SDP.D_DST_LINE_STRIDE = 0x40" "SDP.D_DST_LINE_STRIDE -> 0x40"
check "with marks, and its ports in the save file" $?
that "nvcosim build --config full" "$NVCOSIM" build --config full --name standin --filelist "$dir/standin.f" --top STANDIN
finish
