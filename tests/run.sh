#!/bin/bash
# Runs all tests, group by group, and ends with a line "N passed, N failed, N skipped". A group is a command whose own last
# "N passed, N failed" line (or cmocka's) is counted; a group that fails without counting counts as one failure.
#
# usage: run.sh BUILD      NIGHTLY=1 in the environment: long sweeps too
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
jobs=$(nproc)
passed=0 failed=0 skipped=0
logs=$build/test-logs
mkdir -p "$logs"
export NVCOSIM=$build/nvcosim
export NVDLA_CONFORMANCE=${NVDLA_CONFORMANCE:-../shared/conformance}

sum() { awk '{ n += $1 } END { print n + 0 }'; }

# group TITLE COMMAND...
group() {
    local title=$1 log status p f s
    shift
    log=$logs/${title//[^a-z0-9]/_}.log
    printf '%-58s' "$title ..."
    "$@" >"$log" 2>&1
    status=$?
    p=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) test.*/\1/p; s/^([0-9]+) passed, [0-9]+ failed(, [0-9]+ skipped)?$/\1/p' "$log" | sum)
    f=$(sed -nE 's/^\[  FAILED  \] ([0-9]+) test\(s\), listed.*/\1/p; s/^[0-9]+ passed, ([0-9]+) failed(, [0-9]+ skipped)?$/\1/p' "$log" | sum)
    s=$(sed -nE 's/^[0-9]+ passed, [0-9]+ failed, ([0-9]+) skipped.*/\1/p' "$log" | sum)
    [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && f=1
    [ "$status" -eq 0 ] && [ $((p + f + s)) -eq 0 ] && p=1
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    echo "$p passed, $f failed${s:+, $s skipped}" | sed 's/, 0 skipped//'
    grep -E '^SKIPPED' "$log"
    [ "$f" -eq 0 ] || { tail -n 25 "$log"; echo "(whole log: $log)"; }
}

unit_tests() {
    local t status=0
    for t in "$1"/test_*; do
        [[ $t == *.* ]] && continue
        "$t" || status=1
    done
    return $status
}

group "build nvcosim and the small simulator" make --no-print-directory -j "$jobs" build
group "build unit tests" make --no-print-directory -j "$jobs" unit-tests
group "unit tests" unit_tests "$build/tests"
group "build unit tests with address and undefined sanitizers" make --no-print-directory -j "$jobs" asan-tests
group "unit tests with sanitizers" unit_tests "$build/asan"
group "model against the plain definitions" tests/naive/run.sh "$build" ${NIGHTLY:+200000}
group "command line" tests/cli/cli.sh
group "lint" make --no-print-directory lint
group "csb, glb, mcif alone" tests/rtl/infra/run.sh "$build"
for config in small large; do
    for engine in sdp pdp cdp cdma conv; do
        group "$engine alone on random layers, $config" "tests/rtl/$engine/run.sh" "$build" $config ${NIGHTLY:+1000}
    done
done
for engine in cdma conv; do # compressed weights
    group "$engine alone on random layers, large_compressed" "tests/rtl/$engine/run.sh" "$build" large_compressed ${NIGHTLY:+1000}
done
group "own traces on rtl and model" tests/replay/own.sh
for config in small large large_compressed ${NIGHTLY:+small_256 small_256_full medium_512 medium_1024_full}; do
    group "random layers on rtl and model, $config" tests/replay/random.sh $config $([ -n "${NIGHTLY:-}" ] && echo 1000 || echo 20)
done
group "hangs" tests/replay/hang.sh "$build"
group "another rtl with a bug is caught and reported" tests/replay/second_dut.sh "$build"
group "a checkout of the shape of NVIDIA's repository" tests/replay/nvidia_checkout.sh "$build"
group "another rtl of a configuration without our own" tests/replay/foreign_full.sh "$build"
group "make install" tests/replay/install.sh "$build"
group "taps" tests/replay/taps.sh "$build"
group "waves" tests/replay/waves.sh "$build"
group "icarus, four-state" make --no-print-directory icarus-smoke
for config in small small_256 medium_512 large full ${NIGHTLY:+medium_1024_full small_256_full}; do
    group "conformance traces, $config" tests/replay/conformance.sh "$config"
done
group "cycles against the public rtl" tests/replay/cycles.py "$NVCOSIM" "$NVDLA_CONFORMANCE/small"
[ -n "${NIGHTLY:-}" ] && group "line coverage of the rtl, at least 95 %" make --no-print-directory coverage COVERAGE_MINIMUM=95
group "fuzzing" make --no-print-directory -j "$jobs" fuzz ${NIGHTLY:+FUZZ_RUNS=2000000}

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
