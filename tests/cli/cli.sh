#!/bin/bash
# Tests the command line of nvcosim: every command, exit status and error path. Each file tests/cli/*.sh is a group of checks; frame.sh has
# what they share.
#
# usage: NVCOSIM=build/nvcosim tests/cli/cli.sh [NAME...]      NAME: of a file (run_usage), or of a check (run_dut_empty_name)
cd "$(dirname "$0")/../.." || exit 2
export NVCOSIM=${NVCOSIM:-build/nvcosim}
files() { printf '%s\n' tests/cli/*.sh | grep -vE '/(cli|frame|traces|source_tree)\.sh$'; }
status=0
if [ $# -eq 0 ]; then
    for file in $(files); do
        echo "--- $file"
        bash "$file" || status=1
    done
fi
for name; do
    if files | grep -qxF "tests/cli/$name.sh"; then
        bash "tests/cli/$name.sh" || status=1
        continue
    fi
    # The name of a check may be composed in its file. If no file has it as it is, all files are tried.
    # shellcheck disable=SC2046 # the names are words
    candidates=$(grep -lwE "(check|that|lines) $name" $(files) || files)
    judged=0
    for file in $candidates; do
        out=$(ONLY="^$name\$" bash "$file") || status=1
        [ "$(tail -n 1 <<<"$out")" = "0 passed, 0 failed" ] && continue
        echo "--- $file"
        echo "$out"
        judged=1
    done
    if [ $judged = 0 ]; then
        echo "there is no test of the command line called '$name'; expected the name of a file in tests/cli or of a check" >&2
        status=2
    fi
done
exit $status
