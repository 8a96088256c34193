#!/bin/bash
# nvcosim regress: Ctrl-C, signals and kill -9 of the runner; what was finished stays, the rest goes on with --resume, nothing is left running.
# usage: NVCOSIM=build/nvcosim tests/regress/interrupt.sh
export NVCOSIM=${NVCOSIM:-build/nvcosim}
. "$(dirname "$0")/../cli/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

# sql DATABASE QUERY: its rows, columns with | between
sql() { python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1], timeout=60).execute(sys.argv[2]): print(*row, sep="|")' "$@"; }

# Simulators pass at once, or (slow) when the file "go" is there; each notes its trace, its process and that of a child.
cat >tree/simulator <<'END'
#!/bin/bash
name=${*: -1}
name=${name##*/}
echo "${name%.cfg}" >>"$WORK/started"
echo $$ >>"$WORK/pids"
case $name in
slow*) ${SETSID-setsid} sleep 100 >/dev/null 2>&1 3>&- & echo $! >>"$WORK/pids"; sleep 100 & echo $! >>"$WORK/pids"
    while [ ! -e "$WORK/go" ]; do sleep 0.05; done ;;
esac
echo '{"verdict":"PASS","config":"@CONFIG@","compared":true}' >&3
exit 0
END
export WORK
{
    printf 'name: p\nitems:\n  - name: t\n    config: small\n    traces:\n'
    for name in fast1 fast2 slow1 slow2 fast3 fast4; do
        cp good/good.cfg $name.cfg
        [[ $name = slow* ]] && echo "# longer than the others" >>$name.cfg
        echo "      - $name.cfg"
    done
} >p.yml
for i in 1 2; do yes "# the longest run first" | head -n 200 >>fast$i.cfg; done

cat >interrupt.py <<'END'
# interrupt.py STATUS SIGNAL...: runs the plan, sends the signals one after the other when the slow tests run ("go" lets those pass). What was
# started must be gone, the exit status as given.
import os, signal, subprocess, sys, time
status, actions = int(sys.argv[1]), sys.argv[2:]
def wait_for(condition, what):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            run.kill()
            sys.exit(f"nothing happens: {what}")
        time.sleep(0.02)
def gone(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True
def pids():
    return [int(x) for x in open("pids").read().split()] if os.path.exists("pids") else []
for name in "pids", "go", "started":
    if os.path.exists(name):
        os.remove(name)
run = subprocess.Popen([os.environ["TREE"], "regress", "p.yml", "-j", "2"], stderr=open("said", "w"), start_new_session=True)
def heard(text):
    return text in open("said").read()
wait_for(lambda: len(pids()) == 2 + 6, "the slow tests do not start")
for action in actions:
    if action == "go":
        open("go", "w").close()
    elif action == "relink":  # somebody builds another simulator meanwhile
        path = os.environ["TREE"] + "-small"
        os.remove(path)
        with open(path, "w") as file:
            file.write("no program\n")
    elif action == "other":  # while this one lives
        for words in ["p.yml", "--resume"], ["--database=nvcosim-nights/nights.db", "--resume=1"]:
            other = subprocess.run([os.environ["TREE"], "regress", *words], capture_output=True, text=True)
            print(other.stdout, other.stderr)
            if other.returncode != 2 or f"is still running as process {run.pid}" not in other.stderr:
                sys.exit("a second runner is not refused")
    else:
        run.send_signal(int(action))
        if action == "2" and actions.count("2") + actions.count("go") > 1:
            wait_for(lambda: heard("interrupted: waiting for the 2 running tests; once more ends them at once"), "no word of the interruption")
run.wait()
print(open("said").read())
if run.returncode != status:
    sys.exit(f"exit status {run.returncode}, expected {status}")
wait_for(lambda: all(gone(p) for p in pids()), "processes are left")
END
export TREE
# state of the last night, and of how many tests it has results, those that a killed runner has left in its ledger too
state() { "$TREE" history --sql 'SELECT 1' >/dev/null; sql nvcosim-nights/nights.db "SELECT state, (SELECT count(verdict) FROM result WHERE night = id) FROM night ORDER BY id DESC LIMIT 1"; }
# resumes NAME FIRST: --resume runs what is left and nothing else; the tests that are done: FIRST and what comes after
resumes() {
    sort started >first
    rm -f started pids
    touch go
    command=("$TREE" regress p.yml --resume); check "$1_resumes" 0 "night 1 of p: $2 tests left of 6, " "All 6 tests pass"
    that "$1_runs_the_rest" test "$(wc -l <started)" = "$2"
    that "$1_state_done" test "$(state)" = "done|6"
}
# interrupted NAME STATUS DONE STATE ACTION...
interrupted() {
    local name=$1 status=$2 done=$3 state=$4
    shift 4
    rm -rf nvcosim-nights # with a history the slow ones ran first
    command=(python3 interrupt.py "$status" "$@"); check "$name" 0 '!nothing happens'
    that "${name}_state" test "$(state)" = "$state|$done"
    resumes "$name" $((6 - done))
}
interrupted ctrl_c 130 4 interrupted 2 go
interrupted ctrl_c_twice 130 2 interrupted 2 2
interrupted sigterm 143 2 interrupted 15
interrupted hangup 129 2 interrupted 1
export SETSID= # what has left its group goes with its runner, but not with one that cannot do anything any more
interrupted kill_9 -9 2 running 9
unset SETSID
interrupted second_runner 143 2 interrupted other 15
command=("$TREE" regress p.yml --resume); check resume_nothing 2 "no night of plan p is left to resume"

# a simulator that changes while the night runs: what has begun goes on with the one that it began with
rm -rf nvcosim-nights
command=(python3 interrupt.py 0 relink go); check relinked 0 "!is not played" "!CRASH"
that relinked_state test "$(state)" = "done|6"
that relinked_copies_are_gone test ! -e nvcosim-nights/night-1/simulators
rm -rf nvcosim-nights
command=(python3 interrupt.py 143 relink 15); check relinked_interrupted 0 '!nothing happens'
touch go
command=("$TREE" regress p.yml --resume); check relinked_resumed 0 "nvcosim-small has changed since the night began, which goes on with its copy of the old one" "All 6 tests pass"

# the time of the night is over
rm -rf go started nvcosim-nights
sed 's/^name: p/name: short\nnight_seconds: 1/' p.yml >short.yml
command=(bash -c '(sleep 2.5; touch go) & "$0" regress short.yml -j 2' "$TREE"); check night_is_over 1 "the time of the night is over: 2 tests not started" "4 pass"
that night_is_over_state test "$(state)" = "interrupted|4"
# traces that are gone
rm fast3.cfg
command=("$TREE" regress short.yml --resume); check resume_without_trace 2 "fast3.cfg: No such file or directory: the trace of t/fast3, which is still to run; nothing was resumed"
that resume_without_trace_state test "$(state)" = "interrupted|4"
finish
