#!/bin/bash
# Accesses outside the regions of a trace.
# usage: NVCOSIM=build/nvcosim tests/cli/outside.sh
. "$(dirname "$0")/frame.sh"

mkdir outside && cp good/in.dat outside && sed '/AFIVE/d' good/good.cfg >outside/outside.cfg
nv run --dut model outside/outside.cfg; check outside_fails 1 "FAIL outside" "outside every declared or loaded region"
nv run --dut model --allow-outside outside/outside.cfg; check outside_allowed 0 "PASS outside " '!FAIL'
finish
