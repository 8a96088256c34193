#!/bin/bash
# Runs a program on a screen that only exists in memory (Xvfb).
#
# usage: with_screen.sh COMMAND...
set -eu
command -v Xvfb >/dev/null || { echo "with_screen: Xvfb is not installed; \`make setup\` installs what is missing" >&2; exit 2; }
dir=$(mktemp -d)
Xvfb -displayfd 3 -screen 0 1260x1400x24 3>"$dir/display" 2>"$dir/log" &
screen=$!
trap 'kill $screen 2>/dev/null; rm -rf "$dir"' EXIT
for ((i = 0; i < 100; i++)); do
    [ -s "$dir/display" ] && break
    sleep 0.1
done
[ -s "$dir/display" ] || { cat "$dir/log" >&2; exit 2; }
DISPLAY=:$(cat "$dir/display") timeout 60 "$@"
