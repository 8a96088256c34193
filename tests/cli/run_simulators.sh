#!/bin/bash
# nvcosim run: how simulators are built and started, with a stand-in for the source tree.
# usage: NVCOSIM=build/nvcosim tests/cli/run_simulators.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

mv tree/Makefile Makefile.kept
command=("$TREE" run good/good.cfg)
check run_without_source_tree 2 "tree/build/../Makefile: not found" '!building'
mv Makefile.kept tree/Makefile
touch tree/fail
check run_build_fails 2 "building the small simulator (once, about a minute) ..." "compiling small" "the simulator could not be built"
rm tree/fail
check run_builds_on_demand 0 "building the small simulator" "simulator small: --config=small --name=good --result-fd=3 -- good/good.cfg" "PASS good" '!compiling'
check run_does_not_build_again 0 '!building' "simulator small:"
command=("$TREE" run --latency 200 --latency-kind uniform --latency-max 300 --stall 5 --stall-b=7 --reorder --seed 9 --pin a=1 --pin b=0x2 --strict --timeout 77 -q good/good.cfg)
check run_hands_options_on 0 "--latency=200 --latency-kind=uniform --latency-max=300 --stall=5 --stall-b=7 --reorder --seed=9 --pin=a=1 --pin=b=0x2 --strict --timeout=77 --quiet --config=small --name=good --result-fd=3 -- good/good.cfg"
# what it was made from, by Verilator's list, has changed since
echo "module a; endmodule" >tree/a.sv
mkdir -p tree/build/sim/nvcosim-small
made_from() { stat -c 'S %s %i %Z 0 %Y %y "a.sv"' "$1" | sed -E 's/ ([0-9-]+) [0-9:]+\.([0-9]+) [+0-9]+ / \2 /' >tree/build/sim/nvcosim-small/Vtb_top__verFiles.dat; }
made_from tree/a.sv
check run_sources_as_they_were 0 '!building' "simulator small:"
sed -i 's:"a.sv":"2hPqVtz" &:' tree/build/sim/nvcosim-small/Vtb_top__verFiles.dat # as newer versions write it
check run_sources_with_sums_as_they_were 0 '!building' "simulator small:"
echo "// more" >>tree/a.sv
check run_sources_with_sums_have_changed 0 "a.sv has changed since the small simulator was built: rebuilding it" "simulator small:"
sed -i 's:"2hPqVtz" ::' tree/build/sim/nvcosim-small/Vtb_top__verFiles.dat
check run_sources_have_changed 0 "a.sv has changed since the small simulator was built: rebuilding it" "simulator small:"
touch tree/fail
check run_changed_sources_fail 2 "a.sv has changed" "the simulator could not be built" '!PASS'
rm tree/fail tree/a.sv
check run_sources_are_gone 0 '!building' "simulator small:"
rm -r tree/build/sim
command=("$TREE" run badcrc/badcrc.cfg); check run_simulator_fails 1
command=("$TREE" run hang/hang.cfg good/good.cfg); check run_simulator_hangs 3 "1 passed, 0 failed, 1 hung"
# a simulator without a verdict is never a pass
command=("$TREE" run badreg/badreg.cfg); check run_simulator_crashes 4 "CRASH badreg: the simulator was ended by signal 11 (Segmentation fault) before it gave a verdict" "report: nvcosim-out/badreg/report.txt"
that crash_report grep -q '^CRASH badreg' nvcosim-out/badreg/report.txt
json crash_report_json nvcosim-out/badreg/report.json 'j["verdict"] == "CRASH" and j["exit_status"] == 139 and j["output"].startswith("simulator small")'
command=("$TREE" run -j 2 badreg/badreg.cfg badreg/badreg.cfg); check run_simulator_crashes_captured 4 "CRASH badreg: the simulator was ended by signal 11" "0 passed, 0 failed, 0 hung, 2 crashed"
lines run_simulator_crashes_lines 3
command=("$TREE" run badgold/badgold.cfg); check run_simulator_odd_status 4 "CRASH badgold: the simulator ended with status 77 and gave no verdict: out of luck"
command=("$TREE" run -j 2 badgold/badgold.cfg good/good.cfg); check run_simulator_last_words 4 "CRASH badgold" "out of luck" "1 passed, 0 failed, 0 hung, 1 crashed"
cp good/good.cfg broken/broken.cfg
command=("$TREE" run broken/broken.cfg); check run_simulator_without_verdict 4 "CRASH broken: the simulator ended with status 0 and gave no verdict" '!PASS'
command=("$TREE" run odd/odd.cfg); check run_simulator_status_and_verdict_differ 4 "CRASH odd: the simulator ended with status 1 after its verdict PASS" '!PASS odd'
command=("$TREE" run stuck/stuck.cfg); check run_simulator_dies_after_its_verdict 4 "CRASH stuck: the simulator was ended by signal 7 (Bus error) after its verdict PASS"
command=("$TREE" run open/open.cfg); check run_simulator_of_other_configuration 2 "ERROR open: the simulator is rtl of configuration large, but small is needed; rebuild it" '!PASS'
cp good/good.cfg refused/refused.cfg
command=("$TREE" run refused/refused.cfg); check run_simulator_of_other_rtl 2 "ERROR refused: the simulator is rtl:other of configuration small" '!PASS'
mv tree/build/nvcosim-small kept
: >tree/build/nvcosim-small
command=("$TREE" run good/good.cfg); check run_simulator_not_executable 4 "CRASH good: the simulator ended with status 126 and gave no verdict: $WORK/tree/build/nvcosim-small: Permission denied"
printf '\177ELF no more' >tree/build/nvcosim-small && chmod +x tree/build/nvcosim-small
command=("$TREE" run good/good.cfg); check run_simulator_bad_format 4 "CRASH good" "nvcosim-small: Exec format error"
printf '#!/bin/sh\n' >tree/build/nvcosim-small
command=("$TREE" run good/good.cfg); check run_simulator_empty 4 "CRASH good: the simulator ended with status 0 and gave no verdict"
mv kept tree/build/nvcosim-small
command=("$TREE" run -j 3 good/good.cfg badcrc/badcrc.cfg badreg/badreg.cfg); check run_simulators_parallel 4 "1 passed, 1 failed, 0 hung, 1 crashed"
command=("$TREE" run --max-seconds 1 sleeps/sleeps.cfg); check run_max_seconds 3 "HANG sleeps: not done after 1 second, its time limit"
command=("$TREE" run --max-seconds 0 sleeps/sleeps.cfg); check run_max_seconds_zero 2 "--max-seconds: found '0', expected a number from 1"
command=("$TREE" run --histogram good/good.cfg); check run_histogram_is_handed_on 0 "simulator small: --histogram --config=small --name=good"
command=("$TREE" run --checks good/good.cfg); check run_checks_builds_variant 0 "building the small simulator with checks" "simulator small-checks: --checks --config=small --name=good"
command=("$TREE" run --wave w.fst good/good.cfg); check run_waves_builds_variant 0 "building the small simulator with waves" "simulator small-waves: --wave=w.fst"
command=("$TREE" run --checks --wave c.fst good/good.cfg); check run_checks_with_waves 0 "simulator small-waves: --checks --wave=c.fst"
command=("$TREE" run --wave new/folder/w.fst good/good.cfg); check run_waves_make_the_folder 0 "--wave=new/folder/w.fst"
that waves_folder test -d new/folder
rm tree/build/nvcosim-small-waves
command=("$TREE" run --wave plain.txn/w.fst good/good.cfg); check run_waves_bad_folder 2 "--wave: plain.txn/w.fst: " '!building'
mkdir folder.fst
command=("$TREE" run --wave folder.fst good/good.cfg); check run_waves_name_a_folder 2 "--wave: folder.fst: cannot be written" '!building'
command=("$TREE" run --coverage c.dat good/good.cfg); check run_coverage_builds_variant 0 "building the small simulator with line coverage" "simulator small-coverage: --config=small --coverage=c.dat --name=good"
command=("$TREE" run --coverage counts good/good.cfg badcrc/badcrc.cfg); check run_coverage_of_several 1 "--coverage=counts/good.dat" "--coverage=counts/badcrc.dat"
that coverage_directory test -d counts
command=("$TREE" run --coverage plain.txn/x good/good.cfg); check run_coverage_bad_directory 2 "--coverage: plain.txn"
command=("$TREE" run --coverage c.dat --coverage-kind toggle good/good.cfg); check run_coverage_toggle 0 "building the small simulator with toggle coverage" "simulator small-toggle: --config=small --coverage=c.dat"
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_unknown_rtl 2 "no RTL named mine was built for configuration small; build it with: nvcosim build"
# another's RTL, as its build says
theirs() { printf '%s\n' FILELIST=their.f "$@" >tree/build/small-theirs.variables; }
sed 's/@WHO@/theirs/; s/@CONFIG@/small/' tree/simulator >tree/build/nvcosim-small-theirs && chmod +x tree/build/nvcosim-small-theirs
theirs FOREIGN=true HAS_CHECKS=false PINS=
command=("$TREE" run --checks --dut rtl:theirs good/good.cfg); check run_checks_that_are_not_there 2 "--checks: the RTL of rtl:theirs has no checks" '!building'
command=("$TREE" run --checks --wave w.fst --dut rtl:theirs good/good.cfg); check run_checks_with_waves_that_are_not_there 2 "has no checks" '!building'
command=("$TREE" run --check-options --config=small --checks --dut=rtl:theirs); check run_check_options_knows 0 "has no checks"
command=("$TREE" serve --socket s.sock --once --dut rtl:theirs); check serve_theirs 0 "rtl:theirs is another's RTL: it has no checks inside; the streams inside it are not known"
command=("$TREE" serve --socket s.sock --once -q --checks --dut rtl:theirs); check serve_checks_that_are_not_there 2 "has no checks" '!another'
command=("$TREE" run --max-seconds 1 --dut rtl:theirs sleeps/sleeps.cfg); check run_max_seconds_of_theirs 3 "HANG sleeps" "clock gates of another RTL may stay closed under Verilator: try --pin tmc2slcg_disable_clock_gating=1"
command=("$TREE" run --coverage c.dat --dut rtl:theirs good/good.cfg); check run_coverage_of_theirs 0 "--coverage: rtl:theirs is another's RTL: its lines are counted, but" "PASS good"
theirs FOREIGN=true HAS_CHECKS=true "PINS=x=1 tmc2slcg_disable_clock_gating=1" TAPS=t.csv
command=("$TREE" run --max-seconds 1 --dut rtl:theirs sleeps/sleeps.cfg); check run_max_seconds_without_gates 3 "HANG sleeps" '!clock gates'
command=("$TREE" serve --socket s.sock --once --dut rtl:theirs); check serve_what_they_have 0 "rtl:theirs is another's RTL: timelines and reports"
theirs FOREIGN=false HAS_CHECKS=true
command=("$TREE" run --checks --dut rtl:theirs good/good.cfg); check run_checks_of_a_copy 0 "PASS good"
command=("$TREE" serve --socket s.sock --once --dut rtl:theirs); check serve_a_copy 0 '!another'
mv tree/build/small-theirs.variables tree/build/full-theirs.variables
command=("$TREE" run --config full --coverage c.dat --dut rtl:theirs good/good.cfg); check run_full_of_theirs_takes_long 0 "building the simulator of rtl:theirs (full) with line coverage (once, about 15 minutes) ..." "PASS good"
# three runs at once, no simulator yet: one of them builds it
rm -f tree/build/nvcosim-small tree/build/builds
sed -i 's/^\t@test ! -e fail/\t@test ! -e fail; sleep 0.5/' tree/Makefile
command=(bash -c '"$0" run good/good.cfg & "$0" run good/good.cfg & "$0" run good/good.cfg; s=$?; wait; exit $s' "$TREE")
check run_builds_once 0 "waiting for it" "PASS good"
that run_built_once test "$(wc -l <tree/build/builds)" = 1
# a failure builds the simulator for debug in the background: when asked, or at a terminal
command=("$TREE" run badcrc/badcrc.cfg); check run_background_not_here 1 "FAIL badcrc" '!background'
command=(env CI=1 "$ROOT/tests/cli/on_terminal.py" 200 "$TREE" run badcrc/badcrc.cfg); check run_background_not_in_ci 1 "badcrc: the CRC is wrong" '!background'
command=("$TREE" run --background --no-background badcrc/badcrc.cfg); check run_no_background 1 "FAIL badcrc" '!background'
command=("$TREE" run --background good/good.cfg); check run_background_not_needed 0 "PASS good" '!background'
rm -f tree/build/builds
touch tree/hold # until debug waits, at most a minute
cp tree/Makefile Makefile.kept
sed -i 's/sleep 0.5/for i in $$(seq 600); do test ! -e hold || sleep 0.1; done/' tree/Makefile
command=("$TREE" run --background badcrc/badcrc.cfg); check run_background 1 "FAIL badcrc" "nvcosim: building nvcosim-small-waves in the background, for nvcosim debug (about a minute; log: $WORK/tree/build/nvcosim-small-waves.log; kill "
check run_background_once 1 "nvcosim-small-waves is being built in the background; nvcosim debug waits for it"
command=(bash -c '"$0" debug badcrc/badcrc.cfg 2>&1 | while read -r line; do echo "$line"; case $line in *waiting*) rm tree/hold ;; esac; done; exit ${PIPESTATUS[0]}' "$TREE"); check debug_waits_for_the_background 1 "another build runs in $WORK/tree/build/sim/nvcosim-small-waves: waiting for it" "simulator small-waves:"
that run_background_built test "$(wc -l <tree/build/builds)" = 1
that run_background_log grep -q "building the small simulator with waves" tree/build/nvcosim-small-waves.log
command=("$TREE" run --background badcrc/badcrc.cfg); check run_background_is_there 1 "FAIL badcrc" '!background'
rm -f tree/build/nvcosim-small-waves
cp Makefile.kept tree/Makefile
sed -i 's/sleep 0.5/sleep 60/' tree/Makefile
"$TREE" run --background badcrc/badcrc.cfg 2>&1 | sed -n 's/.*kill \([0-9]*\) ends it.*/\1/p' >pid
that run_background_ends sh -c 'kill $(cat pid); for i in $(seq 300); do flock -n tree/build/nvcosim-small-waves.log.lock true && ! pgrep -s $(cat pid) >/dev/null && exit 0; sleep 0.1; done; exit 1'
that run_background_leaves_nothing test ! -e tree/build/nvcosim-small-waves
sed -i 's/sleep 60/sleep 0.5/' tree/Makefile
# a build ends with its runner, and all that it has started
rm -f tree/build/nvcosim-small pids
sed -i 's/sleep 0.5/echo $$$$ >..\/pids; sh -c "echo \\$$\\$$ >>..\/pids; sleep 60 \& wait"/' tree/Makefile
for s in 2 15 9; do
    rm -f pids
    command=(env IGNORED=2 "$ROOT/tests/cli/signal_run.py" "$s" - "$TREE" run good/good.cfg); check "run_ends_its_build_$s" 0 '!nothing happens'
done
# A tree that cannot be written, and one that is installed: simulators are made in the user's cache, once, and again when the program is newer.
cp -r tree locked
rm -f locked/build/nvcosim-*
sed -i '/sleep 60/d' locked/Makefile
mkdir cache
chmod 777 cache
chmod -R a-w,a+rX locked
chmod 755 .
user=()
[ "$(id -u)" = 0 ] && user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
locked() { command=("${user[@]}" env HOME=/nonexistent XDG_CACHE_HOME="$WORK/cache" "$WORK/locked/build/nvcosim" run --out "$WORK/cache/out" "$@"); }
locked good/good.cfg; check run_read_only_tree 0 "building the small simulator" "simulator small: --out"
locked good/good.cfg; check run_read_only_tree_again 0 '!building' "simulator small: --out"
that run_read_only_tree_cache sh -c 'ls cache/nvcosim/*/nvcosim-small'
touch -d '1 minute ago' cache/nvcosim/*/nvcosim-small
locked good/good.cfg; check run_cached_simulator_is_older 0 "building the small simulator"
command=("${user[@]}" env -u HOME -u XDG_CACHE_HOME "$WORK/locked/build/nvcosim" run --config large --out "$WORK/cache/out" good/good.cfg)
check run_nowhere_to_build 2 "cannot be written, and neither XDG_CACHE_HOME nor HOME names a folder"
chmod -R u+w locked
mkdir -p prefix/bin prefix/share prefix/lib/nvcosim
cp tree/build/nvcosim prefix/bin/
cp -r locked prefix/share/nvcosim
sed 's/@WHO@/ready/; s/@CONFIG@/small/' tree/simulator >prefix/lib/nvcosim/nvcosim-small
chmod +x prefix/lib/nvcosim/nvcosim-small
command=(env XDG_CACHE_HOME="$WORK/cache" prefix/bin/nvcosim run good/good.cfg); check run_installed 0 "simulator ready:" '!building'
command=(env XDG_CACHE_HOME="$WORK/cache" prefix/bin/nvcosim run --checks good/good.cfg); check run_installed_builds_in_the_cache 0 "building the small simulator with checks" "simulator small-checks:"
that run_installed_leaves_the_prefix test ! -e prefix/share/nvcosim/build/nvcosim-small-checks

finish
