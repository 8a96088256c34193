#!/bin/bash
# nvcosim run on the model: verdicts, reports, exit statuses, several traces.
# usage: NVCOSIM=build/nvcosim tests/cli/run_model.sh
. "$(dirname "$0")/frame.sh"

nv run --dut model good/good.cfg; check run_pass 0 "PASS good " "checks=6 (small, model)" '!report:'
that no_report_without_failure test ! -e nvcosim-out
nv run --dut model good/; check run_directory 0 "PASS good "
nv run --dut model good.nvt.gz; check run_nvt_carries_goldens 0 "PASS good " "checks=6"
nv run --dut model --no-golden good/good.cfg; check run_no_golden 0 "PASS good " "checks=2"
nv run --dut model -q good/good.cfg; check run_quiet 0 '!PASS'
nv run --dut model -v good/good.cfg; check run_verbose 0 "model: 6 checks done, 0 not compared"
lines run_verbose_line 1
nv run --dut model --out rep good/good.cfg; check run_out 0 "report: rep/good/report.txt"
lines run_out_line 1
that report_text grep -q '^PASS good' rep/good/report.txt
json report_json rep/good/report.json 'j["status"] == "PASS" and j["devices"][0]["device"] == "model"'
nv run --dut model badgold/badgold.cfg
check run_golden_mismatch 1 "FAIL badgold:" "1 byte of primary memory differs from badgold_golden_80010000.dat on the model, first at 0x80010009" "report: nvcosim-out/badgold/report.txt"
lines run_golden_mismatch_line 1
that report_on_failure grep -q 'first: output of layer SDP #0 (armed at badgold/badgold.cfg:34), surface 0, line 0, column 1, channel 1' nvcosim-out/badgold/report.txt
that report_window grep -q 'golden  01 02 03 04 05 06 07 08 ff ee fd fc' nvcosim-out/badgold/report.txt
that report_dump sh -c 'zcat nvcosim-out/badgold/primary_80010000_check1_golden.bin.gz | cmp -s - /dev/null; test $? = 1'
that no_half_written_files sh -c '! ls -A nvcosim-out/badgold | grep -v -E "^(report\.(txt|json|html)|primary_80010000_check1_(golden|model)\.bin\.gz)$"'
# the folder is the trace's own: what a failure left there goes with the next run of that name
mkdir -p rerun/badgold rerun2/badgold
cp badgold/* rerun/badgold && cp badgold/* rerun2/badgold && rm rerun2/badgold/*golden*
nv run --dut model --out failed --only-failed good/good.cfg badgold/badgold.cfg; check run_only_failed 1 "report: failed/badgold/report.txt" '!failed/good'
nv run --dut model -q --out own rerun/badgold/badgold.cfg; check run_leaves_dumps 1
nv run --dut model -q --out own rerun2/badgold/badgold.cfg; check run_passes_into_the_folder 0
that run_removes_old_dumps sh -c 'test "$(ls own/badgold | tr "\n" " ")" = "report.json report.txt "'
nv run --dut model -q rerun2/badgold/badgold.cfg; check run_passes_without_report 0
that run_removes_old_report test ! -e nvcosim-out/badgold
nv run --dut model badcrc/badcrc.cfg; check run_crc_mismatch 1 "FAIL badcrc: badcrc/badcrc.cfg:38: CRC-32 of primary memory 0x80010000" "is $crc on the model, expected 0x12345678"
nv run --dut model badreg/badreg.cfg; check run_register_mismatch 1 "FAIL badreg: badreg/badreg.cfg:37: SDP.D_DATA_CUBE_WIDTH is 0x00000007 on the model, expected 0x00000001"
nv run --dut model --except SDP.D_DATA_CUBE_WIDTH.WIDTH=6:theirs badreg/badreg.cfg; check run_except 0 "model: 1 read differs only in bits that are not compared: SDP.D_DATA_CUBE_WIDTH 0x00000006 (theirs)"
nv run -q --dut model --except SDP.D_DATA_CUBE_WIDTH.WIDTH=6:theirs badreg/badreg.cfg; check run_except_quiet 0 '!not compared' '!SDP'
nv run --dut model --except SDP.D_DATA_CUBE_WIDTH=4 badreg/badreg.cfg; check run_except_other_bits 1 "FAIL badreg"
nv run --dut model --except SDP.NONE badreg/badreg.cfg; check run_except_unknown 2 "nvcosim run: --except: found 'SDP.NONE', expected a register or a field of it"
nv run --dut model hang/hang.cfg
check run_hang 3 "HANG hang:" "stream SDP stands at hang/hang.cfg:35: a wait for event done" "event done is outstanding: raised by interrupt SDP_0, hang/hang.cfg:34" "GLB.S_INTR_STATUS 0x00000000" "armed and not finished: SDP_RDMA group 0"
lines run_hang_line 1
that hang_details_go_to_stderr grep -q 'stream SDP stands at' stderr
that hang_says_why grep -q 'warning: hang/hang.cfg:[0-9]*: SDP_RDMA launch 0: waits for SDP, which is not armed in its group CONSUMER (10-system section 6); the hardware hangs' stderr
# illegal programming: what a chapter defines is carried out, what hangs hangs, what is undefined is refused
nv run --dut model odd/odd.cfg
check run_warns 0 "nvcosim: warning: odd/odd.cfg:34: SDP launch 0: SDP.D_DP_EW_CFG = 0x12 (" "the configuration has no EW stage: the data passes unchanged (50-sdp section 12)" "PASS odd "
nv run --dut model -q odd/odd.cfg; check run_warns_quietly 0 '!warning'
nv run --dut model -o reports odd/odd.cfg stuck/stuck.cfg open/open.cfg
check run_illegal 2 "warning: stuck/stuck.cfg:34: SDP launch 0: SDP.D_DATA_CUBE_WIDTH = 0x7, SDP_RDMA.D_DATA_CUBE_WIDTH = 0x6, " \
    "SDP and SDP_RDMA must have the same cube (50-sdp section 2.3); the hardware hangs" "HANG stuck: model: the device is idle" \
    "REFUSED open: model: open/open.cfg:34: SDP launch 0: SDP.D_DST_BASE_ADDR_LOW = 0x80000008" "without being the same (50-sdp, illegal programming); the result is undefined" \
    "1 passed, 1 failed, 1 hung; 1 of the failed refused or not played"
that report_of_a_warning grep -q 'warning: odd/odd.cfg:34: SDP launch 0: SDP.D_DP_EW_CFG = 0x12' reports/odd/report.txt
that report_of_a_hang grep -q 'warning: stuck/stuck.cfg:34: SDP launch 0: .*; the hardware hangs' reports/stuck/report.txt
that report_of_a_refusal grep -q 'open/open.cfg:34: SDP launch 0: .*; the result is undefined' reports/open/report.txt
json report_of_a_hang_json reports/stuck/report.json '"the hardware hangs" in str(j)'
nv run --dut model -q stuck/stuck.cfg; check run_hangs_quietly 3 "HANG stuck" "; the hardware hangs"
nv run --dut model open/open.cfg; check run_refuses 2 "REFUSED open:" '!PASS'
nv run --dut model --allow-undefined open/open.cfg; check run_undefined_goes_on 0 "warning: open/open.cfg:34: SDP launch 0: " "; the result is undefined" "PASS open "

nv run --dut model good/good.cfg badcrc/badcrc.cfg; check run_several_fail 1 "1 passed, 1 failed, 0 hung"
nv run --dut model hang/hang.cfg badcrc/badcrc.cfg good/good.cfg; check run_hang_is_worse 3 "1 passed, 1 failed, 1 hung"
nv run --dut model good/good.cfg good.nvt.gz; check run_same_name_twice 0 "PASS good " "PASS good-2 " "2 passed, 0 failed, 0 hung"
nv run --dut model -j 3 good/good.cfg hang/hang.cfg badcrc/badcrc.cfg badreg/badreg.cfg good.nvt.gz
check run_parallel 3 "2 passed, 2 failed, 1 hung"
lines run_parallel_lines 6
that parallel_output_is_complete sh -c 'grep -E "^(PASS|FAIL|HANG)" stdout | awk "{print \$2}" | tr -d ":" | sort | tr "\n" " " | grep -q "^badcrc badreg good good-2 hang "'
nv run --dut model --config full refused/refused.cfg
check run_refused 2 "REFUSED refused: model: refused/refused.cfg:" "SDP.D_DATA_FORMAT = 0xf (" "the configuration has no such precision" "the result is undefined" "--allow-undefined plays it" "was this trace made for configuration full?"
nv run --dut model --config full -q refused/refused.cfg; check run_refused_quiet 2 "REFUSED" '!--allow-undefined'
nv run --dut model --config full --allow-undefined refused/refused.cfg; check run_allow_undefined 3 "HANG refused" "warning: refused/refused.cfg:" "the result is undefined"
nv run --dut model --config full refused/refused.cfg hang/hang.cfg; check run_refused_is_counted 2 "0 passed, 1 failed, 1 hung; 1 of the failed refused or not played"
nv shrink --dut model --config full refused/refused.cfg; check shrink_refused 2 "REFUSED refused" '!report:'
nv run --dut model --out file good/good.cfg; check run_out_is_a_file 2 "--out: file" "!PASS"
finish
