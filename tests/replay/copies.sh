#!/bin/bash
# --stop-at-first, and the copies that a simulator keeps of itself. A long trace that fails near its end is played again from such a copy, and no
# copy survives the run, however that ends.
#
# usage: copies.sh BUILD
. "$(dirname "$0")/frame.sh"
fresh "$1" copies
layer=6150 # cycles of a layer of the long traces, or a few more

long() { # NAME COUNT OPTIONS...: a trace of COUNT layers
    /usr/bin/python3 tests/replay/long_trace.py traces/conformance/small/rand_dc_019.nvt.gz "$2" "$dir/$1.nvt" "${@:3}"
}
play() { # NAME OPTIONS...: output in out, status in status
    out=$("$NVCOSIM" run --stop-at-first --copies --out "$dir" --results "$dir/results" "${@:2}" "$dir/$1.nvt" 2>&1)
    status=$?
}
# again: what the copy had to simulate again is at most a quarter of the cycles, or a layer
again() {
    [[ $out =~ "copy of cycle "([0-9]+)" continued to the failure at cycle "([0-9]+)": "([0-9]+)" cycles simulated again, status 0" ]] || return 1
    local made=${BASH_REMATCH[1]} failure=${BASH_REMATCH[2]} cycles=${BASH_REMATCH[3]}
    echo "      copy of cycle $made, failure at $failure, $cycles cycles again"
    [ $((made + cycles)) -eq "$failure" ] && [ "$cycles" -le $((failure / 4 > layer ? failure / 4 : layer)) ]
}
# rest PATTERN: within some seconds no process remains whose command line has it
rest() {
    local i
    for ((i = 0; i < 50; i++)); do
        pgrep -f -- "$1" >/dev/null || return 0
        sleep 0.1
    done
    pgrep -af -- "$1"
    return 1
}

long fails 50 --fail-check 48
play fails
[ $status -eq 1 ] && grep -q "^FAIL fails: .*fails.nvt:[0-9]*: CRC-32" <<<"$out"
check "a failing check ends the run (status $status)" $?
that "a copy from shortly before plays it again" again
jq -e '.devices[0].outcome == "stopped" and .cycles > 290000 and .cycles < 330000 and (.mismatch | not)' "$dir/results" >/dev/null
check "the trace is not played to its end" $?
that "the report says that memories are not compared" grep -q 'memory of rtl and model is not compared' "$dir/fails/report.txt"

long hangs 50 --leave-out 46 CSC.D_OP_ENABLE
play hangs
that "a hang near the end is a hang (status $status)" test $status -eq 3
that "a copy from shortly before plays it again" again
that "and nothing is left" rest "$dir/hangs.nvt"

long fine 30
play fine
[ $status -eq 0 ] && grep -q "copies: [0-9]* made" <<<"$out"
check "a trace that passes (status $status)" $?
comparable() { # OPTIONS...: a result without what no two runs have in common
    "$NVCOSIM" run -q --out "$dir" --results "$dir/results" "$@" "$dir/fine.nvt" 2>/dev/null &&
        jq '[.verdict, .cycles, .op_cycles, (.devices | map(del(.cpu_seconds, .eval_share)))]' "$dir/results"
}
first=$(comparable) && [ "$first" = "$(comparable --copies)" ] && [ "$first" = "$(comparable --copies)" ]
check "results do not depend on copies" $?

"$NVCOSIM" run -q --stop-at-first --copies --wave "$dir/fails.fst" --out "$dir" "$dir/fails.nvt" >"$dir/wave.log" 2>&1
out=$(<"$dir/wave.log")
again && fst2vcd "$dir/fails.fst" >"$dir/fails.vcd"
check "with waves the copy records them" $?
[[ $out =~ "copy of cycle "([0-9]+)" continued to the failure at cycle "([0-9]+) ]]
awk -v made="${BASH_REMATCH[1]}" -v failure="${BASH_REMATCH[2]}" '
    /^#/ { at = substr($0, 2) / 1000; if (!n++) first = at }
    END { exit !(n > 1000 && first >= made && first < made + 10 && at >= failure && at < failure + 1000) }' "$dir/fails.vcd"
check "from where it was made to shortly after the failure" $?

# However a run ends, no copy keeps sleeping, and no process waits for the end of a pipe.
long longer 600
for signal in INT TERM KILL; do
    "$NVCOSIM" run -q --copies --out "$dir" "$dir/longer.nvt" >"$dir/log" 2>&1 &
    run=$!
    for ((i = 0; i < 50; i++)); do
        sleep 0.1
        simulator=$(pgrep -P "$run" -f 'nvcosim-small')
        [ "$(pgrep -c -P "${simulator:-0}")" -gt 2 ] && break
    done
    that "a run keeps copies of its simulator" test $i -lt 50
    kill -$signal "$run"
    wait "$run" 2>/dev/null
    that "SIG$signal to nvcosim: nothing is left" rest "$dir/longer.nvt"
    start=$SECONDS
    out=$("$NVCOSIM" run -q --copies --out "$dir" "$dir/longer.nvt" 2>&1 &
        sleep 1.5
        kill -$signal "$(pgrep -P $! -f nvcosim-small)"
        wait)
    [ $((SECONDS - start)) -lt 5 ] && grep -q 'ended by signal' <<<"$out" && rest "$dir/longer.nvt"
    check "SIG$signal to the simulator: a crash, nothing is left, no pipe stays open" $?
done
out=$("$NVCOSIM" run -q --copies --max-seconds 1 --out "$dir" "$dir/longer.nvt" 2>&1)
[ $? -eq 3 ] && rest "$dir/longer.nvt"
check "--max-seconds ends it, too" $?
finish
