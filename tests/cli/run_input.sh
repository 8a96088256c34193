#!/bin/bash
# nvcosim run: traces that cannot be read or do not fit the configuration.
# usage: NVCOSIM=build/nvcosim tests/cli/run_input.sh
. "$(dirname "$0")/frame.sh"

nv run --dut model nowhere.cfg; check run_missing_file 2 "nowhere.cfg"
nv run --dut model broken/broken.cfg; check run_unknown_register 2 "broken.cfg:31:" "D_CVT_SCALLOP"
nv run --dut model missing/missing.cfg; check run_missing_side_file 2 "missing.cfg:3" "in.dat"
nv run --dut model good/good.cfg broken/broken.cfg missing/missing.cfg
check run_nothing_runs_after_an_error 2 "D_CVT_SCALLOP" "missing.cfg:3" '!PASS'
nv run --dut model plain.txn; check run_txn_defaults_to_full 0 "(full, model)"
head -c 200 good.nvt.gz >cut.nvt.gz
nv run --dut model cut.nvt.gz; check run_truncated_gzip 2 "cut.nvt.gz" '!PASS'
nv run --dut model --config medium_512 --out other good.nvt.gz; check run_other_config_of_the_map 1 "FAIL good"
sed 's/^config small/config full/' <(zcat good.nvt.gz) >full.nvt
nv run --dut model --config small full.nvt; check run_header_of_other_map 2 "full.nvt:2: the trace was made for configuration full; small has another register map, so it cannot take its place" '!PASS'

# what a file unpacks to costs nothing: 128 MB in 128 KB are refused at the first line, in 100 MB of address space
{ echo hello; head -c 128M /dev/zero | tr '\0' '\n'; } | gzip >bomb.nvt.gz
command=(bash -c 'ulimit -v 100000; exec "$0" info bomb.nvt.gz' "$NVCOSIM")
check run_bomb_is_refused_at_its_first_line 2 'bomb.nvt.gz:1: found "hello"; expected the header line'
{ echo nvt 1; head -c 128M /dev/zero | tr '\0' ' '; } | gzip >bomb.nvt.gz
check run_line_without_end 2 'bomb.nvt.gz:2: found a line of more than 1048576 bytes'

# names do not reach the terminal as they are
cp good.nvt "$(printf 'b\nad\033[31m.nvt')" && printf 'wiat high\n' >>"$(printf 'b\nad\033[31m.nvt')"
nv info "$(printf 'b\nad\033[31m.nvt')"; check run_odd_name 2 'b\nad\x1b[31m.nvt:' 'found "wiat"; expected a command' 'did you mean wait?'
that run_odd_name_is_escaped sh -c '! grep -q "$(printf "\033")" stderr && test $(wc -l <stderr) = 1'

# goldens that would not be compared
mkdir -p golden && cp good/* golden/ && for f in golden/good*; do mv "$f" "${f/good/golden}"; done 2>/dev/null
cp good/good.cfg golden/golden.cfg
touch golden/golden_golden_zz.dat
nv run --dut model golden/golden.cfg; check run_golden_without_address 2 "golden_golden_zz.dat: would not be compared" '!PASS'
rm golden/golden_golden_zz.dat
printf '{\n{offset:0x0, size:1, payload:0x00},\n' >golden/golden_golden_80010000.dat
nv run --dut model golden/golden.cfg; check run_golden_cut 2 "golden_golden_80010000.dat:2: found the end of the file" '!PASS'

printf 'nvt 1\nconfig small\nmode streams\nsync_notify SDP go\npoll SDP.S_STATUS == 0x0 after=go\n' >deferred.nvt
nv run --dut model deferred.nvt; check run_deferred_poll 2 "deferred.nvt:5: found" "expected poll UNIT.REGISTER" '![after=EVENT]'
finish
