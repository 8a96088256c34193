#!/bin/bash
# Runs the unit tests in FOLDER of which there is a source: a test that was removed must no longer run.
#
# usage: run.sh FOLDER
status=0
for source in "$(dirname "$0")"/test_*.c; do
    "$1/$(basename "$source" .c)" || status=1
done
exit $status
