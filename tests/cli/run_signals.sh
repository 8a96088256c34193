#!/bin/bash
# nvcosim run: signals end the run and its simulators, and leave no report half written.
# usage: NVCOSIM=build/nvcosim tests/cli/run_signals.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

cat >signals.py <<'END'
# signals.py SIGNAL STATUS COMMAND...: sends the signal when two simulators are up; both must end, nvcosim with the status
import os, signal, subprocess, sys, time
number, status = int(sys.argv[1]), int(sys.argv[2])
ignored = signal.SIG_IGN if os.environ.get("IGNORED") else signal.SIG_DFL
def before():
    signal.signal(signal.SIGINT, ignored)
    signal.signal(signal.SIGTERM, ignored)
run = subprocess.Popen(sys.argv[3:], preexec_fn=before)
def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            sys.exit("nothing happens")
        time.sleep(0.02)
def pids():
    return [int(x) for x in open("pids").read().split()] if os.path.exists("pids") else []
def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "Z"
wait_for(lambda: len(pids()) == 2)
run.send_signal(number)
if run.wait() != status:
    sys.exit(f"exit status {run.returncode}, expected {status}")
wait_for(lambda: all(gone(p) for p in pids()))
END
for s in "15 143" "2 130" "9 -9"; do
    rm -f pids
    # shellcheck disable=SC2206 # signal and status
    command=(python3 signals.py $s "$TREE" run -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check "run_signal_${s% *}" 0 '!HANG' '!passed'
done
# the same where the caller has them ignored, as a shell does for a job in the background
for s in "15 143" "2 130"; do
    rm -f pids
    # shellcheck disable=SC2206 # signal and status
    command=(env IGNORED=1 python3 signals.py $s "$TREE" run -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check "run_ignored_signal_${s% *}" 0 '!HANG' '!passed'
done
cat >killed.py <<'END'
# killed.py COMMAND...: sends SIGTERM at the fifth report
import subprocess, sys
run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
reports = 0
for line in run.stderr:
    reports += "report:" in line
    if reports == 5:
        run.terminate()
        reports += 1
sys.exit(run.wait())
END
mapfile -t many < <(yes good/good.cfg | head -n 400)
command=(python3 killed.py "$NVCOSIM" run --dut model --out killed "${many[@]}"); check run_killed_while_reporting 143
that no_half_written_report sh -c 'test -d killed/good && for d in killed/*; do test "$(ls -A $d | tr "\n" " ")" = "report.json report.txt " || exit 1; done'
finish
