#!/bin/bash
# Runs all tests, as many groups at a time as there are cores, with the seconds of each, and ends with a line "N passed, N failed, N skipped".
#
# A step builds something; it counts only when it fails. A group is a command that ends with counts, its own "N passed, N failed[, N skipped]"
# or cmocka's: a group without counts has tested nothing and fails, and so does one that ends badly without a failure counted.
#
# usage: run.sh BUILD      in the environment:
#   NIGHTLY=1               long sweeps too
#   TESTS=PATTERN           only groups whose title matches the extended regular expression, and the steps that they need
#   LIST=1                  tells what would run and checks that it can be started, runs nothing
#   REQUIRE_CONFORMANCE=1   missing conformance traces, and whatever else is skipped, are failures
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
jobs=$(nproc)
passed=0 failed=0 skipped=0
logs=$build/test-logs
mkdir -p "$logs"
export NVCOSIM=$build/nvcosim
nightly=${NIGHTLY:-}
[ -n "${LIST:-}" ] && targets=$(make -qpRr 2>/dev/null)

sum() { awk '{ n += $1 } END { print n + 0 }'; }

# log_of TITLE
log_of() { echo "$logs/${1//[^a-z0-9]/_}.log"; }
# seconds_since START
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%7.1f s", b - a }'; }
show_log() {
    tail -n 25 "$1"
    echo "(whole log: $1)"
}

# startable COMMAND...: is there such a program, function or target of make?
startable() {
    local word
    [ "$1" = succeeds ] && shift
    if [ "$1" != make ]; then
        [ "$(type -t "$1")" = function ] || [ -x "$1" ]
        return
    fi
    for word in "${@:2}"; do
        [[ $word == -* || $word == *=* || $word =~ ^[0-9]+$ ]] && continue
        [[ $targets == *$'\n'"$word:"* ]] || return 1
    done
}
# list TITLE COMMAND...
list() {
    local title=$1
    shift
    if startable "$@"; then
        passed=$((passed + 1))
        printf '%-62s%s\n' "$title" "$*"
    else
        failed=$((failed + 1))
        printf '%-62sFAIL  %s can not be started: %s\n' "$title" "$1" "$*"
    fi
}

# wanted TITLE...: does TESTS ask for one of these groups?
wanted() {
    local title
    for title; do
        [[ $title =~ ${TESTS:-} ]] && return
    done
    return 1
}

# step TITLE GROUPS COMMAND...: what the groups with these titles (one a line; all: every group) need
step() {
    local title=$1 groups
    mapfile -t groups <<<"$2"
    shift 2
    [ "${groups[0]}" = all ] || wanted "${groups[@]}" || return
    set -- "$title" "$@"
    [ -n "${LIST:-}" ] && { list "$@"; return; }
    collect 0
    local log start=$EPOCHREALTIME
    log=$(log_of "$title")
    printf '%-62s' "$title ..."
    if "${@:2}" >"$log" 2>&1; then
        echo "$(seconds_since "$start")  done"
    else
        failed=$((failed + 1))
        echo "$(seconds_since "$start")  FAILED"
        show_log "$log"
    fi
}

# Groups run side by side, one for each core, as most of them wait for one compiler or one process; what is told comes in their order.
started=() # titles of those that are not told yet
declare -A process

trap 'trap - INT TERM; kill 0' INT TERM # all of them

# group TITLE COMMAND...: tests that are counted
group() {
    wanted "$1" || return
    [ -n "${LIST:-}" ] && { list "$@"; return; }
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
    done
    collect "${#started[@]}"
    local title=$1 log
    log=$(log_of "$title")
    shift
    {
        trap - INT QUIT # which a shell without job control ignores in what it starts in the background
        start=$EPOCHREALTIME
        "$@" >"$log" 2>&1 </dev/null
        echo "$? $(seconds_since "$start")" >"$log.end"
    } &
    process[$title]=$!
    started+=("$title")
}

# collect MOST: tells of groups that have ended, from the oldest on; waits until at most MOST are left
collect() {
    while [ ${#started[@]} -gt 0 ]; do
        local title=${started[0]}
        kill -0 "${process[$title]}" 2>/dev/null && [ "${#started[@]}" -le "$1" ] && return
        wait "${process[$title]}"
        tell "$title"
        started=("${started[@]:1}")
    done
}

# tell TITLE: what a group that has ended counts
tell() {
    local log p f s status seconds
    log=$(log_of "$1")
    read -r status seconds <"$log.end"
    p=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p; s/^([0-9]+) passed, [0-9]+ failed(, [0-9]+ skipped)?$/\1/p' "$log" | sum)
    f=$(sed -nE 's/^\[  FAILED  \] ([0-9]+) test\(s\), listed.*/\1/p; s/^[0-9]+ passed, ([0-9]+) failed(, [0-9]+ skipped)?$/\1/p' "$log" | sum)
    s=$(sed -nE 's/^[0-9]+ passed, [0-9]+ failed, ([0-9]+) skipped.*/\1/p' "$log" | sum)
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        echo "ends with status $status and counts no failure: one failure" >>"$log"
        f=1
    elif [ $((p + f + s)) -eq 0 ]; then
        echo "ends with status 0 and counts no test: one failure" >>"$log"
        f=1
    fi
    if [ -n "${REQUIRE_CONFORMANCE:-}" ] && [ "$s" -gt 0 ]; then
        echo "REQUIRE_CONFORMANCE: what is skipped counts as failed" >>"$log"
        f=$((f + s)) s=0
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-62s%9s  %s passed, %s failed, %s skipped\n' "$1 ..." "$seconds" "$p" "$f" "$s" | sed 's/, 0 skipped$//'
    grep -E '^SKIPPED' "$log"
    [ "$f" -eq 0 ] || show_log "$log"
}

# Only programs of tests that are still there: a test that was removed must not go on running.
unit_tests() {
    local source status=0
    for source in tests/unit/test_*.c; do
        "$1/$(basename "$source" .c)" || status=1
    done
    return $status
}
# engine_alone BENCH [OPTION...]
engine_alone() { "$build/benches/$1/bench" "${@:2}"; }
# A command that only has to succeed, as one test.
succeeds() {
    "$@" && echo "1 passed, 0 failed"
}

benches=$(make --no-print-directory list-benches)
step "build nvcosim and the small simulator" all make --no-print-directory -j "$jobs" build
step "build unit tests" "unit tests" make --no-print-directory -j "$jobs" unit-tests
step "build unit tests with address and undefined sanitizers" "unit tests with sanitizers" make --no-print-directory -j "$jobs" asan-tests
# shellcheck disable=SC2086 # the benches are words
step "build the benches of the engines" "$(printf 'engine alone: %s\n' $benches)" make --no-print-directory -j "$jobs" benches
group "unit tests" unit_tests "$build/tests"
group "unit tests with sanitizers" unit_tests "$build/asan/tests"
group "model against the plain definitions" tests/naive/run.sh "$build" ${nightly:+200000}
group "command line" tests/cli/cli.sh
group "lint" succeeds make --no-print-directory lint
group "proofs of leaf modules" tests/formal/prove.sh "$build"
for bench in $benches; do
    group "engine alone: $bench" engine_alone "$bench" ${nightly:+--seeds 1000}
done
if [ -n "$nightly" ]; then
    group "nightly plan" tests/regress/nightly.sh
else
    group "own traces on rtl and model" tests/replay/own.sh
    for config in small large_compressed full; do
        group "random layers on rtl and model, $config" tests/replay/random.sh $config 20
    done
    group "checks inside the rtl find nothing" tests/replay/checks.sh small 10
fi
group "checks inside the rtl name planted faults" tests/rtl/checks/planted.py "$build"
group "clock gates of the rtl" tests/replay/clock_gates.py "$build"
group "hangs" tests/replay/hang.sh "$build"
group "hangs: the engine that is named" tests/replay/hang_faults.py "$build"
group "stop at first, copies of a run" tests/replay/copies.sh "$build"
group "traces in pieces" tests/replay/split.sh "$build"
group "a reset for many traces" tests/replay/fork.py "$build"
group "how far it is, and where the time went" tests/replay/progress.py "$build"
group "another rtl with a bug is caught and reported" tests/replay/second_dut.sh "$build"
group "a checkout of the shape of NVIDIA's repository" tests/replay/nvidia_checkout.sh "$build"
group "another rtl with the ports of full" tests/replay/foreign_full.sh "$build"
group "compilers, profiles and threads of simulators" tests/replay/compilers.sh "$build"
group "make install" tests/replay/install.sh "$build"
group "taps" tests/replay/taps.sh "$build"
group "taps of another rtl" tests/replay/foreign_taps.sh "$build"
group "waves" tests/replay/waves.sh "$build"
group "nvcosim debug names the engine to blame for planted faults" tests/replay/debug.sh "$build"
group "regress: buckets of planted faults" tests/regress/buckets_planted.py "$build"
group "report.html in a browser" tests/replay/html.sh "$build"
step "build what writes about nights" "$(printf '%s\n' "junit.xml and summary of a night" "page of a night in a browser")" make --no-print-directory "$build/tests/outputs"
group "regress: simulators that crash, hang, eat, fill, babble" tests/regress/faults.sh
group "regress: interrupted and resumed" tests/regress/interrupt.sh
group "regress: failures come into buckets" tests/regress/buckets.sh
group "regress: killed at random moments and resumed" tests/regress/killed.py "$build"
group "junit.xml and summary of a night" tests/regress/outputs.py "$build"
group "page of a night in a browser" tests/regress/page.py "$build"
group "bisect over a repository of rtl" tests/regress/bisect.sh "$build"
group "regress: recipes for gitlab, github and cron" tests/regress/ci.py "$build"
group "regress: nights side by side" tests/regress/compare.py "$build"
group "qualify: faults that a corpus notices" tests/regress/qualify.sh "$build"
group "regress on a slurm cluster" tests/regress/slurm.sh "$build"
group "readme: commands and their outputs" tests/readme.py "$build"
group "icarus, four-state" make --no-print-directory icarus-smoke
group "icarus, four-state, full" make --no-print-directory icarus-smoke CONFIG=full
[ -n "$nightly" ] || for config in small small_256 medium_512 large full; do
    group "conformance traces, $config" tests/replay/conformance.sh "$config"
done
group "captures of drivers" tests/import/captures.py "$NVCOSIM" "$build/import/captures" --rtl
group "captures in every form that the formats have" tests/import/generate.py "$NVCOSIM" "$build/import/forms" 8
group "drivers that are simulated" tests/import/driver.py "$NVCOSIM" "$build" "$build/import/driver" --rtl --seeds=3,4 \
    traces/conformance/{small/rand_multi_00{2,5},full/rand_multi_003}.nvt.gz "${NVDLA_CONFORMANCE:-../shared/conformance}/small/net_lenet/net_lenet.cfg"
group "exported programs on the model, and for riscv64 and arm" tests/export/programs.sh "$build"
group "exported traces read as what they were made from" tests/export/formats.sh "$build"
group "cycles against the public rtl" tests/replay/cycles.py "$NVCOSIM"
step "build what damages loadables" "loadables" make --no-print-directory "$build/asan/tests/damage"
group "loadables" tests/loadable/run.sh "$build"
group "fuzzing" make --no-print-directory -j "$jobs" fuzz ${nightly:+FUZZ_RUNS=2000000}
if [ -n "$nightly" ]; then
    group "line coverage of the rtl, at least 95 %" succeeds make --no-print-directory coverage COVERAGE_MINIMUM=95
    group "make bench" succeeds make --no-print-directory bench
else
    # Every other target of the Makefile once, in its smallest form.
    group "make bench, one round" succeeds make --no-print-directory bench BENCH_ROUNDS=1 BENCH_TRACES=traces/conformance/small/rand_sdp_000.nvt.gz
    group "make coverage, own traces" succeeds make --no-print-directory coverage COVERAGE_LAYERS=0 NVDLA_CONFORMANCE=none
    group "make nightly, what it would run" make --no-print-directory nightly LIST=1
fi

collect 0
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
