#!/bin/bash
# Output that cannot be written must not look like success: a full disk and a closed pipe, with every command.
# usage: NVCOSIM=build/nvcosim tests/cli/output.sh
. "$(dirname "$0")/frame.sh"

nv convert good/good.cfg good.nvt; check output_setup 0
cp good/in.dat a.bin && cp badgold/badgold_golden_80010000.dat b.bin
# full NAME WORDS...: the words with standard output on a full disk
full() {
    local name=$1
    shift
    command=(bash -c 'exec "$@" >/dev/full' full "$@"); check "full_$name" 2 "could not be written: No space left on device"
}
full version "$NVCOSIM" --version
full help "$NVCOSIM" --help
full help_command "$NVCOSIM" help run
for c in run info convert diff build gen shrink coverage calibrate; do full "help_$c" "$NVCOSIM" $c --help; done
command=(bash -c 'exec "$0" run --dut model good/good.cfg >/dev/full' "$NVCOSIM"); check full_run 2 "could not be written"
command=(bash -c 'exec "$0" run --dut model -j 2 good/good.cfg good.nvt >/dev/full' "$NVCOSIM"); check full_run_several 2 "could not be written"
full info "$NVCOSIM" info good/good.cfg
full diff "$NVCOSIM" diff a.bin b.bin
full gen "$NVCOSIM" gen --out cases
full coverage "$NVCOSIM" coverage good.nvt
full calibrate "$NVCOSIM" calibrate good.nvt
full shrink "$NVCOSIM" shrink --dut model good.nvt
simulator=$(dirname "$NVCOSIM")/nvcosim-small
if [ -x "$simulator" ]; then
    full simulator_help "$simulator" --help
    full simulator_version "$simulator" --version
fi
# standard output that the caller has closed
command=(bash -c 'exec "$0" --version >&-' "$NVCOSIM"); check closed_version 2 "could not be written: Bad file descriptor"
command=(bash -c 'exec "$0" run --dut model --results closed.jsonl good/good.cfg >&-' "$NVCOSIM"); check closed_run 2 "could not be written: Bad file descriptor"
json closed_results_are_whole closed.jsonl 'j["verdict"] == "PASS"'
# a reader that has gone: the signal, or where that is ignored the message
for c in "info good/good.cfg" "run --dut model good/good.cfg" "--help" "--version"; do
    # shellcheck disable=SC2206 # words
    command=("$ROOT/tests/cli/closed_pipe.py" 1 "$NVCOSIM" $c); check "pipe_${c%% *}" 141
    # shellcheck disable=SC2206 # words
    command=("$ROOT/tests/cli/closed_pipe.py" 0 "$NVCOSIM" $c); check "pipe_ignored_${c%% *}" 2 "could not be written: Broken pipe"
done
finish
