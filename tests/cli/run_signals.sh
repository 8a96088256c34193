#!/bin/bash
# nvcosim run: signals end the run and its simulators, and leave no report half written.
# usage: NVCOSIM=build/nvcosim tests/cli/run_signals.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

for s in "15 143" "2 130" "9 -9"; do
    rm -f pids
    # shellcheck disable=SC2206 # signal and status
    command=("$ROOT/tests/cli/signal_run.py" $s "$TREE" run -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check "run_signal_${s% *}" 0 '!HANG' '!passed'
done
# the same where the caller has them ignored, as a shell does for a job in the background
for s in "15 143" "2 130"; do
    rm -f pids
    # shellcheck disable=SC2206 # signal and status
    command=(env IGNORED="2 15" "$ROOT/tests/cli/signal_run.py" $s "$TREE" run -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check "run_ignored_signal_${s% *}" 0 '!HANG' '!passed'
done
mapfile -t many < <(yes good/good.cfg | head -n 400)
command=("$ROOT/tests/cli/signal_at_report.py" "$NVCOSIM" run --dut model --out killed "${many[@]}"); check run_killed_while_reporting 143
that no_half_written_report sh -c 'test -d killed/good && for d in killed/*; do test "$(ls -A $d | tr "\n" " ")" = "report.json report.txt " || exit 1; done'
finish
