#!/bin/bash
# The nightly run of this project: plays plans/nightly.yml with `nvcosim regress` into nvcosim-nights/, which keeps all nights. The tests are
# counted from junit.xml; added traces that are missing (NVDLA_CONFORMANCE) count as skipped.
#
# usage: nightly.sh [PLAN]     NIGHTS=FOLDER in the environment: another folder than nvcosim-nights
set -u -o pipefail
cd "$(dirname "$0")/../.." || exit 2
nvcosim=${NVCOSIM:-build/nvcosim}
nights=${NIGHTS:-nvcosim-nights}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$nvcosim" regress "${1:-plans/nightly.yml}" --out "$nights" 2>&1 | tee "$log"
status=$?
folder=$(sed -nE 's/^night [0-9]+ of .*; (.*)$/\1/p' "$log" | head -n 1)
[ -n "$folder" ] || exit "$status"
tests/regress/junit_counts.py "$folder/junit.xml" "$log"
exit "$status"
