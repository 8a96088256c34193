#!/bin/bash
# Counts the results of nvcosim run (--results) for tests that play many traces, which source it.
#
# Sets passed and failed; needs NVCOSIM (default build/nvcosim).
. "$(dirname "${BASH_SOURCE[0]}")/frame.sh"

# play TITLE OPTIONS... -- TRACES...: plays the traces, prints those that do not pass and "TITLE: P of N pass", counts. A trace without a
# result counts as failed, and so does a status that the results do not account for.
play() {
    local title=$1 results log status counts p n
    shift
    results=$(mktemp) log=$(mktemp)
    for ((n = $#; n > 0; n--)); do [ "${!n}" = -- ] && break; done
    n=$(($# - n))
    "$NVCOSIM" run -q -j "$(nproc)" --results "$results" "$@" >"$log" 2>&1
    status=$?
    counts=$(tests/replay/play_counts.py "$results") || counts="0 False"
    p=${counts% *}
    [ "$status" -eq 0 ] || [ "${counts#* }" = True ] || { tail -n 12 "$log"; [ "$p" -lt "$n" ] || failed=$((failed + 1)); }
    echo "$title: $p of $n pass"
    passed=$((passed + p)) failed=$((failed + n - p))
    rm -f "$results" "$log"
}
