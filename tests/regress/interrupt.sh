#!/bin/bash
# nvcosim regress: Ctrl-C, signals and kill -9 of the runner; what was finished stays, --resume continues with the rest, and no process remains.
# usage: NVCOSIM=build/nvcosim tests/regress/interrupt.sh
export NVCOSIM=${NVCOSIM:-build/nvcosim}
. "$(dirname "$0")/../cli/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"


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

export TREE
# state of the last night, and of how many tests it has results, those that a killed runner has left in its ledger too
state() { "$TREE" history --sql 'SELECT 1' >/dev/null; "$ROOT/tests/regress/sql.py" nvcosim-nights/nights.db "SELECT state, (SELECT count(verdict) FROM result WHERE night = id) FROM night ORDER BY id DESC LIMIT 1"; }
# resumes NAME FIRST: --resume runs the remaining tests and no others, FIRST of 6
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
    command=("$ROOT/tests/cli/signal_night.py" "$status" "$@"); check "$name" 0 '!nothing happens'
    that "${name}_state" test "$(state)" = "$state|$done"
    resumes "$name" $((6 - done))
}
interrupted ctrl_c 130 4 interrupted 2 go
interrupted ctrl_c_twice 130 2 interrupted 2 2
interrupted sigterm 143 2 interrupted 15
interrupted hangup 129 2 interrupted 1
export SETSID= # a process that has left its group is ended by its runner, but not by one that was killed
interrupted kill_9 -9 2 running 9
unset SETSID
interrupted second_runner 143 2 interrupted other 15
command=("$TREE" regress p.yml --resume); check resume_nothing 2 "no night of plan p is left to resume"

# a simulator that changes while the night runs: a night continues with the one that it began with
rm -rf nvcosim-nights
command=("$ROOT/tests/cli/signal_night.py" 0 relink go); check relinked 0 "!is not played" "!CRASH"
that relinked_state test "$(state)" = "done|6"
that relinked_copies_are_gone test ! -e nvcosim-nights/night-1/simulators
rm -rf nvcosim-nights
command=("$ROOT/tests/cli/signal_night.py" 143 relink 15); check relinked_interrupted 0 '!nothing happens'
touch go
command=("$TREE" regress p.yml --resume); check relinked_resumed 0 "nvcosim-small has changed since the night began, which keeps using its copy of the old one" "All 6 tests pass"

# the time of the night is over
rm -rf go started nvcosim-nights
sed 's/^name: p/name: short\nnight_seconds: 8/' p.yml >short.yml
command=(bash -c '"$0" regress short.yml -j 2 2> >(while read -r line; do echo "$line"; touch go; done)' "$TREE"); check night_is_over 1 "the time of the night is over: 2 tests not started" "4 pass"
that night_is_over_state test "$(state)" = "interrupted|4"
# traces that are gone
rm fast3.cfg
command=("$TREE" regress short.yml --resume); check resume_without_trace 2 "fast3.cfg: No such file or directory: the trace of t/fast3, which is still to run; nothing was resumed"
that resume_without_trace_state test "$(state)" = "interrupted|4"
finish
