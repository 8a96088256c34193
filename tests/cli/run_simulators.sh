#!/bin/bash
# nvcosim run: how simulators are built and started, with a stand-in for the source tree.
# usage: NVCOSIM=build/nvcosim tests/cli/run_simulators.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

mv tree/Makefile Makefile.kept
command=("$TREE" run good/good.cfg)
check run_without_source_tree 2 "tree/Makefile: not found" '!building'
mv Makefile.kept tree/Makefile
touch tree/fail
check run_build_fails 2 "building the small simulator (once, about a minute) ..." "compiling small" "the simulator could not be built"
rm tree/fail
check run_builds_on_demand 0 "building the small simulator" "simulator small: --name=good --" "good/good.cfg" '!compiling'
check run_does_not_build_again 0 '!building' "simulator small:"
command=("$TREE" run --latency 200 --latency-kind uniform --latency-max 300 --stall 5 --stall-b=7 --reorder --seed 9 --pin a=1 --pin b=0x2 --strict --timeout 77 -q good/good.cfg)
check run_hands_options_on 0 "--latency=200 --latency-kind=uniform --latency-max=300 --stall=5 --stall-b=7 --reorder --seed=9 --pin=a=1 --pin=b=0x2 --strict --timeout=77 --quiet --name=good -- good/good.cfg"
command=("$TREE" run badcrc/badcrc.cfg); check run_simulator_fails 1
command=("$TREE" run hang/hang.cfg good/good.cfg); check run_simulator_hangs 3 "1 passed, 0 failed, 1 hung"
command=("$TREE" run badreg/badreg.cfg); check run_simulator_crashes 3 "HANG badreg: the simulator was ended by signal 11"
command=("$TREE" run -j 2 badreg/badreg.cfg badreg/badreg.cfg); check run_simulator_crashes_captured 3 "HANG badreg: the simulator was ended by signal 11" "0 passed, 0 failed, 2 hung"
lines run_simulator_crashes_lines 3
command=("$TREE" run badgold/badgold.cfg); check run_simulator_odd_status 3 "HANG badgold: the simulator ended with status 77"
command=("$TREE" run -j 3 good/good.cfg badcrc/badcrc.cfg badreg/badreg.cfg); check run_simulators_parallel 3 "--no-progress" "1 passed, 1 failed, 1 hung"
command=("$TREE" run --histogram good/good.cfg); check run_histogram_is_handed_on 0 "simulator small: --histogram --name=good"
command=("$TREE" run --checks good/good.cfg); check run_checks_builds_variant 0 "building the small simulator with checks" "simulator small-checks: --checks --name=good"
command=("$TREE" run --wave w.fst good/good.cfg); check run_waves_builds_variant 0 "building the small simulator with waves" "simulator small-waves: --wave=w.fst"
command=("$TREE" run --checks --wave c.fst good/good.cfg); check run_checks_with_waves 0 "simulator small-waves: --checks --wave=c.fst"
command=("$TREE" run --wave new/folder/w.fst good/good.cfg); check run_waves_make_the_folder 0 "--wave=new/folder/w.fst"
that waves_folder test -d new/folder
rm tree/build/nvcosim-small-waves
command=("$TREE" run --wave plain.txn/w.fst good/good.cfg); check run_waves_bad_folder 2 "--wave: plain.txn/w.fst: " '!building'
mkdir folder.fst
command=("$TREE" run --wave folder.fst good/good.cfg); check run_waves_name_a_folder 2 "--wave: folder.fst: cannot be written" '!building'
command=("$TREE" run --coverage c.dat good/good.cfg); check run_coverage_builds_variant 0 "building the small simulator with line coverage" "simulator small-coverage: --coverage=c.dat --name=good"
command=("$TREE" run --coverage counts good/good.cfg badcrc/badcrc.cfg); check run_coverage_of_several 1 "--coverage=counts/good.dat" "--coverage=counts/badcrc.dat"
that coverage_directory test -d counts
command=("$TREE" run --coverage plain.txn/x good/good.cfg); check run_coverage_bad_directory 2 "--coverage: plain.txn"
command=("$TREE" run --coverage c.dat --coverage-kind toggle good/good.cfg); check run_coverage_toggle 0 "building the small simulator with toggle coverage" "simulator small-toggle: --coverage=c.dat"
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_unknown_rtl 2 "no RTL named mine was built for configuration small; build it with: nvcosim build"
finish
