#!/bin/bash
# Counts the steps of a test script, which sources it. NVCOSIM comes from the environment; log, if the script sets it, is the
# file whose end is shown with a step that failed.
set -u
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

# that TITLE COMMAND...: counts a step, the command, whose output goes to the log if there is one
that() {
    if [ -n "$log" ]; then "${@:2}" >"$log" 2>&1; else "${@:2}"; fi
    check "$1" $?
}

# ends TITLE STATUS TEXT COMMAND...: counts a step, the command, which has to end with the status and have the text, a pattern of grep,
# in its output; that is in out
ends() {
    local status log=
    out=$("${@:4}" 2>&1)
    status=$?
    [ $status -eq "$2" ] && grep -q -e "$3" <<<"$out"
    check "$1" $? || printf '    status %s, expected %s and "%s" in:\n%s\n' $status "$2" "$3" "$out"
}

# fresh BUILD NAME: sets build, and dir, the empty folder BUILD/tests/NAME
fresh() {
    # shellcheck disable=SC2034 # for the files that include this one
    build=$1 dir=$1/tests/$2
    rm -rf "$dir" && mkdir -p "$dir"
}

# The closing line and the exit status.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
