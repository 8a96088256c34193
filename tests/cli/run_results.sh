#!/bin/bash
# nvcosim run: the result of each trace, as data and as lines: --results, when lines appear, what they say, progress and colour.
# usage: NVCOSIM=build/nvcosim tests/cli/run_results.sh
. "$(dirname "$0")/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

# ---- --results -----------------------------------------------------------------------------------------------------------------
# holds NAME EXPRESSION: of r, the results that the last command wrote to results.jsonl, by name of the trace
holds() { json "$1" results.jsonl "$2"; }
nv run --dut model --results results.jsonl good/good.cfg badgold/badgold.cfg badcrc/badcrc.cfg hang/hang.cfg outside/outside.cfg open/open.cfg odd/odd.cfg
mkdir -p outside && cp good/in.dat outside && sed '/AFIVE/d' good/good.cfg >outside/outside.cfg
check results 2 "2 passed, 4 failed, 1 hung"
holds results_one_line_each 'len(all) == 7'
holds results_verdicts '{n: (x["verdict"], x["status"]) for n, x in r.items()} == {"good": ("PASS", 0), "odd": ("PASS", 0), "badgold": ("FAIL", 1), "badcrc": ("FAIL", 1), "outside": ("FAIL", 1), "hang": ("HANG", 3), "open": ("REFUSED", 2)}'
holds results_of_a_pass 'r["good"]["config"] == "small" and r["good"]["dut"] == "model" and r["good"]["path"] == "good/good.cfg" and r["good"]["seed"] == 1 and r["good"]["checks"] == 6 and r["good"]["layers"] == 1 and r["good"]["exit_status"] == 0 and r["good"]["seconds"] > 0 and r["good"]["cpu_seconds"] > 0 and "report" not in r["good"] and "mismatch" not in r["good"]'
holds results_command 'r["good"]["command"] == "nvcosim run --dut=model good/good.cfg"'
holds results_mismatch 'r["badgold"]["mismatch"] == {"space": "primary", "address": 0x80010009, "bytes": 1, "golden": True, "unit": "SDP", "launch": 0, "position": "badgold/badgold.cfg:34", "element": "surface 0, line 0, column 1, channel 1", "cycle": 0}'
holds results_report 'r["badgold"]["report"] == "nvcosim-out/badgold/report.json"'
holds results_findings '{f["rule"] for f in r["outside"]["findings"]} == {"region-write"}'
holds results_warnings 'len(r["odd"]["warnings"]) == 1 and r["odd"]["warnings"][0].startswith("odd/odd.cfg:34: SDP launch 0: ")'
holds results_hang '"stream SDP stands at" in r["hang"]["devices"][0]["details"]'
nv run --dut model --seed 9 --results results.jsonl good/good.cfg; check results_again 0
holds results_begin_anew 'len(all) == 1 and all[0]["seed"] == 9'
holds results_no_bins '"coverage" not in r["good"]'
nv run --dut model --functional-coverage --results results.jsonl good/good.cfg; check results_functional 0
holds results_bins 'len(bytes.fromhex(r["good"]["coverage"])) > 200 and "--functional" not in r["good"]["command"]'
nv run --dut model --results - good/good.cfg; check results_to_stdout 0 "PASS good"
json results_stdout_is_json stdout 'j["verdict"] == "PASS"'
that results_line_goes_to_stderr grep -q '^PASS good' stderr
nv run --dut model --results nodir/r good/good.cfg; check results_bad_file 2 "--results: nodir/r: No such file" '!PASS'
nv run --dut model --results '' good/good.cfg; check results_empty 2 "--results: found ''"
nv run --dut model --results /dev/full good/good.cfg; check results_full_disk 2 "--results: /dev/full: No space left on device" "PASS good"
# a file that may not grow: the line that does not fit is missing
command=(bash -c 'trap "" XFSZ; ulimit -f 1; exec "$0" run --dut model --results results.jsonl good/good.cfg good/good.cfg good/good.cfg' "$NVCOSIM")
check results_no_room 2 "--results: results.jsonl: "
holds results_no_half_line 'len(all) >= 0'
mapfile -t sixty < <(yes good/good.cfg | head -n 60)
nv run --dut model -j 4 --results results.jsonl "${sixty[@]}"; check results_parallel 0 "60 passed"
holds results_parallel_whole 'len(all) == 60 and len(r) == 60'
command=("$TREE" run --results results.jsonl badreg/badreg.cfg good/good.cfg); check results_crash 4
holds results_of_a_crash 'r["badreg"]["verdict"] == "CRASH" and r["badreg"]["exit_status"] == 139 and r["badreg"]["report"] == "nvcosim-out/badreg/report.json" and r["good"]["verdict"] == "PASS"'
nv run --dut model --results results.jsonl "good/good.cfg" --pin 'a=1'; check results_quoting 0
mkdir 'odd name' && cp good/in.dat 'odd name' && cp good/good.cfg "odd name/it's.cfg"
nv run --dut model --results results.jsonl "odd name/it's.cfg"; check results_quoted 0
holds results_command_can_be_copied 'split(j["command"]) == ["nvcosim", "run", "--dut=model", "odd name/it\x27s.cfg"]'

# ---- nothing compared ------------------------------------------------------------------------------------------------------------
mkdir bare && cp good/in.dat bare && grep -vE 'check_crc|reg_read_check' good/good.cfg >bare/bare.cfg
nv run --dut model bare; check nothing_compared 0 "PASS bare " "checks=0 (small, model): nothing was compared"
nv run --dut model good; check something_compared 0 '!nothing was compared'
nv run --dut model --strict --out strict bare; check nothing_compared_strict 1 "FAIL bare: nothing was compared: the trace has no check, and only one device played it (--strict)"
that nothing_compared_report grep -q '^FAIL bare' strict/bare/report.txt
nv run --dut model --strict --results results.jsonl good bare; check nothing_compared_results 1 "1 passed, 1 failed"
holds nothing_compared_is_data 'r["good"]["compared"] and not r["bare"]["compared"]'

# ---- lines -----------------------------------------------------------------------------------------------------------------------
# a name that would break the line or drive the terminal
mkdir names && cp good/in.dat names && cp good/good.cfg names/$'new\nline\e[31m.cfg'
nv run --dut model --out names/out names/$'new\nline\e[31m.cfg'; check name_is_shown 0 'PASS new\nline\x1b[31m ' 'report: names/out/new\nline\x1b[31m/report.txt'
lines name_is_one_line 1
nv run --dut model names/$'no\nfile.cfg'; check name_in_an_error 2 'names/no\nfile.cfg: ' "No such file"
# "report:" after its line, also where both go to the same place
command=(bash -c '"$0" run --dut model -j 2 -o pair badcrc/badcrc.cfg badreg/badreg.cfg badgold/badgold.cfg 2>&1' "$NVCOSIM"); check lines_and_reports 1
that report_after_its_line awk '/^FAIL/ { n = $2; sub(":", "", n) } /report:/ { if ($0 !~ "pair/" n "/") bad = 1 } END { exit bad }' stdout
# warnings: the first of a kind, then their number
nv run --dut model odd/odd.cfg odd/odd.cfg odd/odd.cfg; check warnings_are_counted 0 "nvcosim: 2 more warnings like: odd/odd.cfg:34: SDP launch 0"
that warning_once test "$(grep -c 'warning: odd' stderr)" = 1
nv run --dut model -v odd/odd.cfg odd/odd.cfg odd/odd.cfg; check warnings_verbose 0 '!more warnings'
that warning_every_time test "$(grep -c 'warning: odd' stderr)" = 3
# a finished trace is reported while others still run, and its line stays however the run ends
for s in "2 130" "15 143"; do
    # shellcheck disable=SC2206 # signal and status
    command=(timeout 50 "$ROOT/tests/cli/signal_when_done.py" $s "$TREE" run -j 2 --results results.jsonl sleeps/sleeps.cfg good/good.cfg); check "line_when_done_${s% *}" 0 "ended with 1 trace running, 1 of 2 done"
    holds "result_when_done_${s% *}" 'list(r) == ["good"]'
done

# ---- on a terminal ---------------------------------------------------------------------------------------------------------------
unset NO_COLOR
terminal=("$ROOT/tests/cli/on_terminal.py" 200)
command=("${terminal[@]}" "$NVCOSIM" run --dut model good/good.cfg badcrc/badcrc.cfg); check colour 1 $'\e[32mPASS\e[0m good' $'\e[31mFAIL\e[0m badcrc'
command=("${terminal[@]}" env NO_COLOR=1 "$NVCOSIM" run --dut model good/good.cfg); check no_colour 0 'PASS good' '!'$'\e[32m'
command=("${terminal[@]}" env TERM=dumb "$NVCOSIM" run --dut model good/good.cfg); check dumb_terminal 0 'PASS good' '!'$'\e[32m'
command=("$NVCOSIM" run --dut model good/good.cfg); check no_colour_in_a_pipe 0 "PASS good" '!'$'\e['
nv run --dut model good/good.cfg
sed -i 's/^\*sleeps\*.*/*sleeps*) for i in 1 2 3 4; do echo "{\\"device\\":\\"rtl\\",\\"layer\\":$i,\\"layers\\":4,\\"cycles\\":${i}234000,\\"rate\\":1000,\\"part\\":0.$((i * 2))}" >\&3; sleep 0.8; done; verdict PASS; exit 0 ;;/' tree/simulator
rm tree/build/nvcosim-small
command=("${terminal[@]}" "$TREE" run sleeps/sleeps.cfg); check progress_of_one 0 'sleeps on rtl: layer 4 of 4, 4.23M cycles, 1.00k cycles/s, 0:0' $' left\e[K' $'\r\e[K\e[32mPASS\e[0m sleeps'
command=("${terminal[@]}" "$TREE" run -q -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check progress_of_several 0 " of 3 traces done, 2.00k cycles/s, 0:0" "left; sleeps-2 on rtl: layer" "3 passed"
command=("$TREE" run sleeps/sleeps.cfg); check no_progress_in_a_pipe 0 "PASS sleeps" '!layer 4' '!--progress'
sed -i 's/^\t@test ! -e fail/\t@test ! -e fail; sleep 3/' tree/Makefile
rm tree/build/nvcosim-small
command=("${terminal[@]}" "$TREE" run good/good.cfg); check progress_of_a_build 0 "building nvcosim-small: 2 s" "good/good.cfg"
finish
