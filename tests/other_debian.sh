#!/bin/bash
# The tests of a level on another release of Debian, in a chroot (scripts/on_debian.sh) that sets itself up. Skipped, loudly, where there can be
# no chroot.
#
# usage: other_debian.sh RELEASE [check|test|nightly]
cd "$(dirname "$0")/.." || exit 1
release=$1 level=${2:-check}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
scripts/on_debian.sh "$release" make "$level" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -eq 77 ]; then
    echo "SKIPPED: make $level on Debian $release: $(sed -n 's/^on_debian: //p' "$log" | tail -n 1)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
grep -qE '^[0-9]+ passed, [0-9]+ failed' "$log" || echo "0 passed, 1 failed"
exit "$status"
