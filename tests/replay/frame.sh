#!/bin/bash
# Counts the steps of a test script, which sources it. NVCOSIM comes from the environment.
NVCOSIM=${NVCOSIM:-build/nvcosim}
passed=0 failed=0

# check TITLE STATUS: counts a step, which passed if its status is 0; returns the status
check() {
    if [ "$2" -eq 0 ]; then echo "ok    $1"; passed=$((passed + 1)); else echo "FAIL  $1"; failed=$((failed + 1)); fi
    return "$2"
}

# The closing line and the exit status.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
