#!/bin/bash
# Sourced by each file tests/cli/NAME.sh. A test runs commands in a folder of its own, which has the traces of traces.sh, checks their
# output, and ends with finish. No simulator is needed: source_tree.sh has stand-ins.
#
# Environment: NVCOSIM, path of the program; ONLY, an extended regular expression: checks of other names run but are not judged.
set -u
NVCOSIM=$(realpath "${NVCOSIM:?set it to the path of nvcosim}")
# shellcheck disable=SC2034 # for the files that include this one
ROOT=$(realpath "$(dirname "$0")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 2
passed=0
failed=0

judged() { [ -z "${ONLY:-}" ] || [[ $1 =~ $ONLY ]]; }

# check NAME STATUS [TEXT...]: runs "${command[@]}", wants the status and every text in its output (a text that begins with ! must not be there).
check() {
    local name=$1 status=$2 got text ok=1
    shift 2
    timeout 600 "${command[@]}" >stdout 2>stderr </dev/null
    got=$?
    cat stdout stderr >both
    judged "$name" || return 0
    [ "$got" = "$status" ] || { ok=0; echo "  $name: exit status $got, expected $status"; }
    for text in "$@"; do
        if [ "${text#!}" != "$text" ]; then
            if grep -qF -e "${text#!}" both; then ok=0; echo "  $name: did not expect: ${text#!}"; fi
        elif ! grep -qF -e "$text" both; then
            ok=0; echo "  $name: expected in the output: $text"
        fi
    done
    if [ $ok = 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: ${command[*]}"
        sed 's/^/    | /' both | head -20
    fi
}

nv() { command=("$NVCOSIM" "$@"); }

# The last command printed that many lines to stdout.
lines() { that "$1" test "$(wc -l <stdout)" = "$2"; }

# that NAME TEST...: a plain condition
that() {
    local name=$1
    shift
    judged "$name" || return 0
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name: $*"; fi
}

# json NAME FILE EXPRESSION: of the JSON values in a file (json_holds.py)
json() { that "$1" "$ROOT/tests/cli/json_holds.py" "$2" "$3"; }

# The closing line and the exit status.
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}

. "$ROOT/tests/cli/traces.sh"
