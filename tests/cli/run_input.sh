#!/bin/bash
# nvcosim run: traces that cannot be read or do not fit the configuration.
# usage: NVCOSIM=build/nvcosim tests/cli/run_input.sh
. "$(dirname "$0")/frame.sh"

nv run --dut model nowhere.cfg; check run_missing_file 2 "nowhere.cfg"
nv run --dut model broken/broken.cfg; check run_unknown_register 2 "broken.cfg:31:" "D_CVT_SCALLOP"
nv run --dut model missing/missing.cfg; check run_missing_side_file 2 "missing.cfg:3" "in.dat"
nv run --dut model good/good.cfg broken/broken.cfg missing/missing.cfg
check run_nothing_runs_after_an_error 2 "D_CVT_SCALLOP" "missing.cfg:3" '!PASS'
nv run --config full good/good.cfg; check run_config_without_rtl 2 "configuration full has no RTL" "--dut model"
nv run --config full broken/broken.cfg missing/missing.cfg; check run_config_comes_first 2 "configuration full has no RTL" '!broken.cfg' '!in.dat'
nv run plain.txn; check run_txn_defaults_to_full 2 "configuration full has no RTL"
head -c 200 good.nvt.gz >cut.nvt.gz
nv run --dut model cut.nvt.gz; check run_truncated_gzip 2 "cut.nvt.gz" '!PASS'
nv run --dut model --config medium_512 --out other good.nvt.gz; check run_other_config_of_the_map 1 "FAIL good"
sed 's/^config small/config full/' <(zcat good.nvt.gz) >full.nvt
nv run --dut model --config small full.nvt; check run_header_of_other_map 2 "full.nvt:2: the trace was made for configuration full; small has another register map, so it cannot take its place" '!PASS'

printf 'nvt 1\nconfig small\nmode streams\nsync_notify SDP go\npoll SDP.S_STATUS == 0x0 after=go\n' >deferred.nvt
nv run --dut model deferred.nvt; check run_deferred_poll 2 "deferred.nvt:5: found" "expected poll UNIT.REGISTER" '![after=EVENT]'
finish
