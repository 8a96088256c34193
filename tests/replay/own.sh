#!/bin/bash
# Plays the project's own traces (traces/) on RTL and model, twice: with the default memory and with a hostile one.
set -u
. "$(dirname "$0")/play.sh"
for setting in "" "--stall 400 --reorder --latency 77 --seed 5"; do
    # shellcheck disable=SC2086 # the options are words
    play "memory ${setting:-default}" --out build/own-reports $setting -- traces/*.nvt.gz
done
finish
