#!/bin/bash
# nvcosim itself: help, version, unknown commands and options.
# usage: NVCOSIM=build/nvcosim tests/cli/command.sh
. "$(dirname "$0")/frame.sh"

nv; check no_command 2 "Usage: nvcosim"
nv --help; check help 0 "run TRACE..." "Examples:" "nvcosim info t.cfg" "Exit status:"
nv --version; check version 0 "nvcosim "
nv -V; check version_short 0 "nvcosim "
nv walk; check unknown_command 2 "there is no command 'walk'; expected run, info, convert, diff, build"
nv --what; check unknown_option 2 "unrecognized option '--what'"
for c in run info convert diff build gen shrink coverage calibrate; do
    nv $c --help; check "help_$c" 0 "Usage: nvcosim $c" "Example"
    nv $c --what; check "unknown_option_$c" 2 "unrecognized option '--what'"
done
finish
