#!/bin/bash
# nvcosim itself: help, version, unknown commands and options.
# usage: NVCOSIM=build/nvcosim tests/cli/command.sh
. "$(dirname "$0")/frame.sh"

nv; check no_command 2 "Usage: nvcosim" "Commands:" "  shrink TRACE " "help [COMMAND]"
nv help; check help_command 0 "Usage: nvcosim" "run TRACE..." "Examples:"
nv help diff; check help_of_a_command 0 "Usage: nvcosim diff" "--cube=CUBE"
nv help walk; check help_of_no_command 2 "there is no command 'walk'"
nv help run diff; check help_of_two_commands 2 "found 'diff', expected one command"
nv --help; check help 0 "run TRACE..." "Examples:" "nvcosim info t.cfg" "Exit status:"
nv --version; check version 0 "nvcosim $(cat "$ROOT/VERSION")"
nv -V; check version_short 0 "nvcosim "
nv walk; check unknown_command 2 "there is no command 'walk'; expected run, regress, history, qualify, info, convert, diff, build"
nv histroy; check misspelled_command 2 "or help; did you mean history?"
nv run --latncy=3 x.nvt; check misspelled_option 2 "unrecognized option '--latncy=3'; did you mean --latency?"
nv run --out --latncy x.nvt; check value_like_an_option 2 "x.nvt"
nv --what; check unknown_option 2 "unrecognized option '--what'"
for c in run debug lint import export info convert compile diff build gen shrink coverage calibrate doctor; do
    nv $c --help; check "help_$c" 0 "Usage: nvcosim $c" "Example"
    nv $c --what; check "unknown_option_$c" 2 "unrecognized option '--what'"
done
# what fits on a terminal of 80 columns, and can be copied from it
fits() { ! awk 'length > 80' "$1" | grep -q .; }
whole_examples() { ! sed -n '/^Example/,/^$/p' "$1" | grep -vE '^Examples?:$|^$|^  nvcosim ' | grep -q .; }
"$NVCOSIM" --help >help_nvcosim
for c in run debug lint import export info convert compile diff build gen shrink coverage calibrate doctor; do "$NVCOSIM" $c --help >help_$c; done
for c in nvcosim run debug lint import export info convert compile diff build gen shrink coverage calibrate doctor; do
    that help_fits_$c fits help_$c
    that help_examples_$c whole_examples help_$c
    that help_has_examples_$c grep -q '^Example' help_$c
done
finish
