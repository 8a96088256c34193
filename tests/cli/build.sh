#!/bin/bash
# nvcosim build: another RTL, with a stand-in for the source tree.
# usage: NVCOSIM=build/nvcosim tests/cli/build.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

echo "a.sv" >"mine.f"
command=("$TREE" build --filelist mine.f); check build_needs_name 2 "--filelist FILE.f and --name NAME, or --nvidia CHECKOUT, are needed"
command=("$TREE" build --filelist mine.f --name Mine); check build_bad_name 2 "--name: found 'Mine', expected a-z, 0-9 and _"
command=("$TREE" build --filelist mine.f --name waves); check build_reserved_name 2 "--name: found 'waves'"
command=("$TREE" build --filelist none.f --name mine); check build_missing_filelist 2 "none.f: No such file"
command=("$TREE" build --filelist mine.f --name theirs --config full); check build_config 0 "nvcosim run --config full --dut rtl:theirs TRACE"
command=("$TREE" run --config full --dut rtl:theirs good/good.cfg); check run_other_rtl_of_full 0 "simulator full-theirs: --config=full --dut=rtl:theirs" "PASS good"
command=("$TREE" build --filelist mine.f --name mine --top "a b"); check build_top 2 "--top: found 'a b', expected the name of a module"
command=("$TREE" build mine.f); check build_argument 2 "found 'mine.f', expected options only"
touch tree/fail
command=("$TREE" build --filelist mine.f --name mine); check build_fails 2 "compiling small-mine" "could not be built"
rm tree/fail
command=("$TREE" build --filelist mine.f --name mine --top MY_top --verilator-option=-Wno-fatal --verilator-option=-DX=1)
check build_works 0 "nvcosim run --config small --dut rtl:mine TRACE"
that build_passes_variables grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_other_rtl 0 "simulator small-mine: --dut=rtl:mine --config=small --name=good"
rm tree/build/made
command=("$TREE" run --dut rtl:mine --wave w.fst good/good.cfg); check run_other_rtl_waves 0 "building the simulator of rtl:mine (small) with waves" "simulator small-mine-waves"
that build_settings_are_kept grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
finish
