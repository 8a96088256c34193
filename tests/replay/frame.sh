#!/bin/bash
# Counts the steps of a test script, which sources it. NVCOSIM comes from the environment; log, if the script sets it, is the
# file whose end is shown with a step that failed.
NVCOSIM=${NVCOSIM:-build/nvcosim}
passed=0 failed=0 log=

# check TITLE STATUS: counts a step, which passed if its status is 0; returns the status
check() {
    if [ "$2" -eq 0 ]; then
        echo "ok    $1"
        passed=$((passed + 1))
    else
        echo "FAIL  $1"
        failed=$((failed + 1))
        [ -z "$log" ] || tail -n 15 "$log" | sed 's/^/    | /'
    fi
    return "$2"
}

# that TITLE COMMAND...: counts a step, the command, whose output goes to the log
that() {
    "${@:2}" >"$log" 2>&1
    check "$1" $?
}

# The closing line and the exit status.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
