#!/bin/bash
# The command line of nvcosim: every subcommand, exit status and error path. Needs no simulator: what starts one is tested in a
# copy of the program with a stand-in for make.
# usage: NVCOSIM=build/nvcosim tests/cli/cli.sh
set -u
NVCOSIM=$(realpath "${NVCOSIM:?set it to the path of nvcosim}")
ROOT=$(realpath "$(dirname "$0")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 2
passed=0
failed=0

# check NAME STATUS [TEXT...]: runs "${command[@]}", wants the status and every text in its output (a text that begins with ! must not be there).
check() {
    local name=$1 status=$2 got text ok=1
    shift 2
    timeout 60 "${command[@]}" >stdout 2>stderr </dev/null
    got=$?
    cat stdout stderr >both
    [ "$got" = "$status" ] || { ok=0; echo "  $name: exit status $got, expected $status"; }
    for text in "$@"; do
        if [ "${text#!}" != "$text" ]; then
            if grep -qF -e "${text#!}" both; then ok=0; echo "  $name: did not expect: ${text#!}"; fi
        elif ! grep -qF -e "$text" both; then
            ok=0; echo "  $name: expected in the output: $text"
        fi
    done
    if [ $ok = 1 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: ${command[*]}"
        sed 's/^/    | /' both | head -20
    fi
}

nv() { command=("$NVCOSIM" "$@"); }

# The last command printed that many lines to stdout.
lines() { that "$1" test "$(wc -l <stdout)" = "$2"; }

# that NAME TEST...: a plain condition
that() {
    local name=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $name: $*"; fi
}

# ---- traces: an SDP layer that copies 8x1x8 elements, with everything bypassed -------------------------------------------------
layer() { # DIR NAME
    mkdir -p "$1"
    {
        echo '{'
        echo '{offset:0x0, size:8, payload:0x01 0x02 0x03 0x04 0x05 0x06 0x07 0x08},'
        echo '{offset:0x8, size:8, payload:0xff 0xfe 0xfd 0xfc 0xfb 0xfa 0xf9 0xf8}'
        echo '}'
    } >"$1/in.dat"
    cat >"$1/$2.cfg" <<END
// a layer that copies
mem_init(pri_mem, 0x80000000, 0x40, ALL_ZERO);
mem_load(pri_mem, 0x80000000, "in.dat");
mem_init(pri_mem, 0x80010000, 0x40, AFIVE);
reg_write(NVDLA_SDP.S_POINTER_0, 0x0);
reg_write(NVDLA_SDP_RDMA.S_POINTER_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x7);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_HEIGHT_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_DATA_CUBE_CHANNEL_0, 0x7);
reg_write(NVDLA_SDP_RDMA.D_SRC_BASE_ADDR_LOW_0, 0x80000000);
reg_write(NVDLA_SDP_RDMA.D_SRC_LINE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP_RDMA.D_SRC_SURFACE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP_RDMA.D_BRDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_NRDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_ERDMA_CFG_0, 0x1);
reg_write(NVDLA_SDP_RDMA.D_FEATURE_MODE_CFG_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_SRC_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DATA_CUBE_WIDTH_0, 0x7);
reg_write(NVDLA_SDP.D_DATA_CUBE_HEIGHT_0, 0x0);
reg_write(NVDLA_SDP.D_DATA_CUBE_CHANNEL_0, 0x7);
reg_write(NVDLA_SDP.D_DST_BASE_ADDR_LOW_0, 0x80010000);
reg_write(NVDLA_SDP.D_DST_LINE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP.D_DST_SURFACE_STRIDE_0, 0x40);
reg_write(NVDLA_SDP.D_DP_BS_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DP_BN_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DP_EW_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_FEATURE_MODE_CFG_0, 0x0);
reg_write(NVDLA_SDP.D_DST_DMA_CFG_0, 0x1);
reg_write(NVDLA_SDP.D_DATA_FORMAT_0, 0x0);
reg_write(NVDLA_SDP.D_CVT_OFFSET_0, 0x0);
reg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x1);
reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x0);
reg_write(NVDLA_SDP_RDMA.D_OP_ENABLE_0, 0x1);
reg_write(NVDLA_SDP.D_OP_ENABLE_0, 0x1);
intr_notify(SDP_0, done);
sync_wait(NVDLA_SDP, done);
reg_read_check(NVDLA_SDP.S_STATUS_0, 0x0);
check_crc(done, pri_mem, 0x80010000, 0x10, 0x4f7f6f86);
END
}
layer good good
# the CRC of the 16 bytes, computed here so that the trace says nothing that is not checked elsewhere
crc=$(python3 -c 'import zlib; print("0x%08x" % zlib.crc32(bytes(range(1, 9)) + bytes(range(0xff, 0xf7, -1))))')
sed -i "s/0x4f7f6f86/$crc/" good/good.cfg
cp good/in.dat good/good_golden_80010000.dat
printf 'unit,register,value\nGLB,S_INTR_MASK,0x00000000\nSDP,D_DATA_CUBE_WIDTH,0x00000007\nCDMA,S_STATUS,0x00000000\n' >good/good_regs.csv
cp -r good badgold && mv badgold/good.cfg badgold/badgold.cfg && rm badgold/good_*
sed 's/0xff 0xfe/0xff 0xee/' good/in.dat >badgold/badgold_golden_80010000.dat
mkdir badcrc && cp good/in.dat badcrc && sed "s/$crc/0x12345678/" good/good.cfg >badcrc/badcrc.cfg
mkdir badreg && cp good/in.dat badreg && sed 's/S_STATUS_0, 0x0/S_STATUS_0, 0x1/; s/reg_read_check(NVDLA_SDP.S_STATUS/reg_read_check(NVDLA_SDP.D_DATA_CUBE_WIDTH/' good/good.cfg >badreg/badreg.cfg
mkdir hang && cp good/in.dat hang && grep -v 'SDP.D_OP_ENABLE' good/good.cfg >hang/hang.cfg
mkdir odd && cp good/in.dat odd && sed 's/NVDLA_SDP.D_DP_EW_CFG_0, 0x1/NVDLA_SDP.D_DP_EW_CFG_0, 0x12/' good/good.cfg >odd/odd.cfg
mkdir stuck && cp good/in.dat stuck && sed 's/NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x7/NVDLA_SDP_RDMA.D_DATA_CUBE_WIDTH_0, 0x6/' good/good.cfg >stuck/stuck.cfg
mkdir open && cp good/in.dat open && sed 's/D_DST_BASE_ADDR_LOW_0, 0x80010000/D_DST_BASE_ADDR_LOW_0, 0x80000008/; s/0x80000000, 0x40, ALL_ZERO/0x80000000, 0x80, ALL_ZERO/' good/good.cfg | grep -v check_crc >open/open.cfg
mkdir refused && cp good/in.dat refused && sed 's/SDP.D_DATA_FORMAT_0, 0x0/SDP.D_DATA_FORMAT_0, 0xf/' good/good.cfg >refused/refused.cfg
mkdir sleeps && cp good/in.dat sleeps && cp good/good.cfg sleeps/sleeps.cfg
mkdir broken && cp good/in.dat broken && sed 's/D_CVT_SCALE/D_CVT_SCALLOP/' good/good.cfg >broken/broken.cfg
mkdir missing && cp good/good.cfg missing/missing.cfg

# ---- the command itself --------------------------------------------------------------------------------------------------------
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

# ---- run: usage ----------------------------------------------------------------------------------------------------------------
nv run; check run_without_trace 2 "no trace is given"
nv run --config tiny good/good.cfg; check run_config_unknown 2 "there is no configuration 'tiny'; expected one of" "small"
nv run --dut verilog good/good.cfg; check run_dut_unknown 2 "found 'verilog', expected rtl, model, both or rtl:NAME"
nv run --dut rtl: good/good.cfg; check run_dut_empty_name 2 "found 'rtl:', expected"
nv run --dut rtl:waves good/good.cfg; check run_dut_reserved_name 2 "found 'rtl:waves', expected"
nv run --dut rtl:coverage good/good.cfg; check run_dut_reserved_coverage 2 "found 'rtl:coverage', expected"
nv run --latency many good/good.cfg; check run_number_text 2 "--latency: found 'many', expected a number from 0 to 1000000"
nv run --latency -1 good/good.cfg; check run_number_negative 2 "--latency: found '-1', expected"
nv run --latency 12x good/good.cfg; check run_number_tail 2 "--latency: found '12x', expected"
nv run --stall 1000 good/good.cfg; check run_stall_range 2 "--stall: found '1000', expected a number from 0 to 999"
nv run --stall-aw 1000 good/good.cfg; check run_stall_aw_range 2 "--stall-aw: found '1000'"
nv run --bandwidth 0 good/good.cfg; check run_bandwidth_zero 2 "--bandwidth: found '0', expected a number from 1 to 1000"
nv run --latency-kind slow good/good.cfg; check run_latency_kind 2 "found 'slow', expected fixed, uniform or page"
nv run --latency-kind uniform good/good.cfg; check run_uniform_needs_max 2 "--latency-max: kind uniform needs a value of at least the read latency, 32"
nv run --latency-kind page --page-hit 90 good/good.cfg; check run_page_order 2 "--page-miss: expected at least the value of --page-hit, 90"
nv run --latency-max 90 good/good.cfg; check run_fixed_has_no_max 2 "--latency-max: needs --latency-kind uniform"
nv run --latency-kind page --latency-max 90 good/good.cfg; check run_page_has_no_max 2 "--latency-max: needs --latency-kind uniform"
nv run --latency-kind uniform --latency-max 90 --page-hit 1 good/good.cfg; check run_uniform_has_no_pages 2 "--page-hit and --page-miss need --latency-kind page"
nv run --page-miss 9 good/good.cfg; check run_fixed_has_no_pages 2 "--page-hit and --page-miss need --latency-kind page"
for o in out coverage wave dut pin config name; do
    nv run --$o '' good/good.cfg; check "run_${o}_empty" 2 "''"
done
nv run ''; check run_trace_empty 2 "not the name of a trace"
nv run nonexistent; check run_trace_missing 2 "nonexistent: No such file"
nv build --filelist '' --name mine; check build_filelist_empty 2
nv build --filelist x --name ''; check build_name_empty 2 "--name: found ''"
nv gen --out ''; check gen_out_empty 2
nv shrink --out '' good/good.cfg; check shrink_out_empty 2 "--out: found ''"
nv coverage -o '' good/good.cfg; check coverage_out_empty 2
nv calibrate --write '' good/good.cfg; check calibrate_write_empty 2 "--write: found ''"
nv convert good/good.cfg ''; check convert_empty 2
nv run --timeout 0 good/good.cfg; check run_timeout_zero 2 "--timeout: found '0', expected a number from 1"
nv run --max-cycles x good/good.cfg; check run_max_cycles 2 "--max-cycles: found 'x', expected a number from 1 to"
nv run --max-cycles 0 good/good.cfg; check run_max_cycles_zero 2 "--max-cycles: found '0', expected a number from 1 to"
nv run --max-cycles -1 good/good.cfg; check run_max_cycles_negative 2 "--max-cycles: found '-1', expected a number from 1 to"
nv run --pin tmc2slcg good/good.cfg; check run_pin 2 "--pin: found 'tmc2slcg', expected NAME=VALUE"
nv run --pin =1 good/good.cfg; check run_pin_without_name 2 "--pin: found '=1', expected NAME=VALUE"
nv run --wave out.vcd good/good.cfg; check run_wave_suffix 2 "--wave: found 'out.vcd', expected a name that ends in .fst"
nv run --wave out.fst --dut model good/good.cfg; check run_wave_model 2 "the model has no waves"
nv run --dut model --latency 99 --pin a=1 --stall-w 3 --seed 7 good/good.cfg
check run_idle_options 0 "warning: --latency=99 has no effect with --dut model" "--pin=a=1 has no" "--stall-w=3 has no" "!--seed"
nv run --wave out.fst good/good.cfg hang/hang.cfg; check run_wave_many 2 "records one trace at a time, 2 are given"
nv run --wave-from 5 good/good.cfg; check run_wave_from_alone 2 "--wave-from and --wave-to need --wave"
nv run --wave out.fst --wave-from 9 --wave-to 5 good/good.cfg; check run_wave_order 2 "--wave-to: 5 lies before --wave-from 9"
nv run --coverage c.dat --dut model good/good.cfg; check run_coverage_model 2 "the model has no line coverage"
nv run --coverage c.dat good/good.cfg hang/hang.cfg; check run_coverage_one_file 2 "--coverage: found 'c.dat', expected a directory for the files of 2 traces"
nv run --coverage c.dat --wave out.fst good/good.cfg; check run_coverage_wave 2 "--coverage and --wave exclude each other"
nv run --coverage-kind toggle good/good.cfg; check run_coverage_kind_alone 2 "--coverage-kind needs --coverage"
nv run --coverage c.dat --coverage-kind branch good/good.cfg; check run_coverage_kind 2 "found 'branch', expected line or toggle"
nv run -j 0 good/good.cfg; check run_jobs 2 "--jobs: found '0'"
nv run --threads 0 good/good.cfg; check run_threads 2 "--threads: found '0'"
nv run --dut model --threads 3 good/good.cfg; check run_three_threads 0 "PASS good "
nv run -v -q good/good.cfg; check run_verbose_quiet 2 "-v and -q exclude each other"

# ---- run: bad input ------------------------------------------------------------------------------------------------------------
nv run --dut model nowhere.cfg; check run_missing_file 2 "nowhere.cfg"
nv run --dut model broken/broken.cfg; check run_unknown_register 2 "broken.cfg:31:" "D_CVT_SCALLOP"
nv run --dut model missing/missing.cfg; check run_missing_side_file 2 "missing.cfg:3" "in.dat"
nv run --dut model good/good.cfg broken/broken.cfg missing/missing.cfg
check run_nothing_runs_after_an_error 2 "D_CVT_SCALLOP" "missing.cfg:3" '!PASS'
nv run --config full good/good.cfg; check run_config_without_rtl 2 "configuration full has no RTL" "--dut model"
nv run --config full broken/broken.cfg missing/missing.cfg; check run_config_comes_first 2 "configuration full has no RTL" '!broken.cfg' '!in.dat'
echo 'write_reg 0xffff0001 0x0' >plain.txn
nv run plain.txn; check run_txn_defaults_to_full 2 "configuration full has no RTL"
nv convert good/good.cfg good.nvt.gz; check convert_cfg 0
head -c 200 good.nvt.gz >cut.nvt.gz
nv run --dut model cut.nvt.gz; check run_truncated_gzip 2 "cut.nvt.gz" '!PASS'
nv run --dut model --config medium_512 --out other good.nvt.gz; check run_other_config_of_the_map 1 "FAIL good"
sed 's/^config small/config full/' <(zcat good.nvt.gz) >full.nvt
nv run --dut model --config small full.nvt; check run_header_of_other_map 2 "full.nvt:2: the trace was made for configuration full; small has another register map, so it cannot take its place" '!PASS'

printf 'nvt 1\nconfig small\nmode streams\nsync_notify SDP go\npoll SDP.S_STATUS == 0x0 after=go\n' >deferred.nvt
nv run --dut model deferred.nvt; check run_deferred_poll 2 "deferred.nvt:5: found" "expected poll UNIT.REGISTER" '![after=EVENT]'

# ---- run on the model ----------------------------------------------------------------------------------------------------------
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
that report_json python3 -c 'import json; j = json.load(open("rep/good/report.json")); assert j["status"] == "PASS" and j["devices"][0]["device"] == "model"'
nv run --dut model badgold/badgold.cfg
check run_golden_mismatch 1 "FAIL badgold:" "1 bytes of primary memory differ from badgold_golden_80010000.dat on the model, first at 0x80010009" "report: nvcosim-out/badgold/report.txt"
lines run_golden_mismatch_line 1
that report_on_failure grep -q 'first: output of layer SDP #0 (armed at badgold/badgold.cfg:34), surface 0, line 0, column 1, channel 1' nvcosim-out/badgold/report.txt
that report_window grep -q 'golden  01 02 03 04 05 06 07 08 ff ee fd fc' nvcosim-out/badgold/report.txt
that report_dump sh -c 'zcat nvcosim-out/badgold/primary_80010000_golden.bin.gz | cmp -s - /dev/null; test $? = 1'
that no_half_written_files sh -c '! ls -A nvcosim-out/badgold | grep -v -E "^(report\.(txt|json)|primary_80010000_(golden|model)\.bin\.gz)$"'
nv run --dut model badcrc/badcrc.cfg; check run_crc_mismatch 1 "FAIL badcrc: badcrc/badcrc.cfg:38: CRC-32 of primary memory 0x80010000" "is $crc on the model, expected 0x12345678"
nv run --dut model badreg/badreg.cfg; check run_register_mismatch 1 "FAIL badreg: badreg/badreg.cfg:37: SDP.D_DATA_CUBE_WIDTH is 0x00000007 on the model, expected 0x00000001"
nv run --dut model hang/hang.cfg
check run_hang 3 "HANG hang:" "stream SDP stands at hang/hang.cfg:35: a wait for event done" "event done is outstanding: raised by interrupt SDP_0, hang/hang.cfg:34" "GLB.S_INTR_STATUS 0x00000000" "armed and not finished: SDP_RDMA group 0"
lines run_hang_line 1
that hang_details_go_to_stderr grep -q 'stream SDP stands at' stderr
that hang_says_why grep -q 'warning: hang/hang.cfg:[0-9]*: SDP_RDMA launch 0: waits for SDP, which is not armed in its group CONSUMER; the hardware hangs' stderr
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
that report_of_a_hang_json sh -c 'python3 -c "import json, sys; print(json.load(open(\"reports/stuck/report.json\")))" | grep -q "the hardware hangs"'
nv run --dut model -q stuck/stuck.cfg; check run_hangs_quietly 3 "HANG stuck" "; the hardware hangs"
nv run --dut model open/open.cfg; check run_refuses 2 "REFUSED open:" '!PASS'
nv run --dut model --allow-undefined open/open.cfg; check run_undefined_goes_on 0 "warning: open/open.cfg:34: SDP launch 0: " "; the result is undefined" "PASS open "

nv run --dut model good/good.cfg badcrc/badcrc.cfg; check run_several_fail 1 "1 passed, 1 failed, 0 hung"
nv run --dut model hang/hang.cfg badcrc/badcrc.cfg good/good.cfg; check run_hang_is_worse 3 "1 passed, 1 failed, 1 hung"
nv run --dut model good/good.cfg good.nvt.gz; check run_same_name_twice 0 "PASS good " "PASS good-2 " "2 passed, 0 failed, 0 hung"
nv run --dut model -j 3 good/good.cfg hang/hang.cfg badcrc/badcrc.cfg badreg/badreg.cfg good.nvt.gz
check run_parallel 3 "2 passed, 2 failed, 1 hung"
lines run_parallel_lines 6
that parallel_output_in_order sh -c 'grep -E "^(PASS|FAIL|HANG)" stdout | awk "{print \$2}" | tr -d ":" | tr "\n" " " | grep -q "^good hang badcrc badreg good-2 "'
nv run --dut model --config full refused/refused.cfg
check run_refused 2 "REFUSED refused: model: refused/refused.cfg:" "SDP.D_DATA_FORMAT = 0xf (" "there is no precision 3" "the result is undefined" "--allow-undefined plays it" "is full the configuration this trace was made for?"
nv run --dut model --config full -q refused/refused.cfg; check run_refused_quiet 2 "REFUSED" '!--allow-undefined'
nv run --dut model --config full --allow-undefined refused/refused.cfg; check run_allow_undefined 3 "HANG refused" "warning: refused/refused.cfg:" "the result is undefined"
nv run --dut model --config full refused/refused.cfg hang/hang.cfg; check run_refused_is_counted 2 "0 passed, 1 failed, 1 hung; 1 of the failed refused or not played"
nv shrink --dut model --config full refused/refused.cfg; check shrink_refused 2 "REFUSED refused" '!report:'
touch file
nv run --dut model --out file good/good.cfg; check run_out_is_a_file 2 "--out: file" "!PASS"

# ---- run: starting simulators, with a stand-in for the source tree ---------------------------------------------------------------
mkdir -p tree/build
cp "$NVCOSIM" tree/build/nvcosim
TREE=$WORK/tree/build/nvcosim
command=("$TREE" run good/good.cfg)
check run_without_source_tree 2 "tree/Makefile: not found" '!building'
cat >tree/Makefile <<'END'
suffix = $(if $(NAME),-$(NAME))$(if $(VARIANT),-$(VARIANT))
.PHONY: simulator
simulator:
	@echo "compiling $(CONFIG)$(suffix) $(FILELIST) $(TOP) $(VERILATOR_OPTIONS)"
	@test ! -e fail
	@sed "s/@WHO@/$(CONFIG)$(suffix)/" simulator > build/nvcosim-$(CONFIG)$(suffix)
	@chmod +x build/nvcosim-$(CONFIG)$(suffix)
	@echo "$(FILELIST) $(TOP) $(VERILATOR_OPTIONS)" > build/made
END
cat >tree/simulator <<'END'
#!/bin/bash
echo "simulator @WHO@: $*"
case "${*: -1}" in
*good*) [[ "$*" == *slow* ]] && sleep 0.3; exit 0 ;;
*badcrc*) exit 1 ;;
*hang*) exit 3 ;;
*sleeps*) echo $$ >>pids; exec sleep 60 ;;
*badreg*) kill -SEGV $$ ;;
*badgold*) exit 77 ;;
esac
END
touch tree/fail
check run_build_fails 2 "building the small simulator (once, about a minute) ..." "compiling small" "the simulator could not be built"
rm tree/fail
check run_builds_on_demand 0 "building the small simulator" "simulator small: --name=good --" "good/good.cfg" '!compiling'
check run_does_not_build_again 0 '!building' "simulator small:"
command=("$TREE" run --latency 200 --latency-kind uniform --latency-max 300 --stall 5 --stall-b=7 --reorder --seed 9 --pin a=1 --pin b=0x2 --strict --timeout 77 -q good/good.cfg)
check run_hands_options_on 0 "--latency=200 --latency-kind=uniform --latency-max=300 --stall=5 --stall-b=7 --reorder --seed=9 --pin=a=1 --pin=b=0x2 --strict --timeout=77 --quiet --name=good -- good/good.cfg"
command=("$TREE" run badcrc/badcrc.cfg); check run_simulator_fails 1
command=("$TREE" run hang/hang.cfg good/good.cfg); check run_simulator_hangs 3 "1 passed, 0 failed, 1 hung"
command=("$TREE" run badreg/badreg.cfg); check run_simulator_crashes 3 "HANG badreg: the simulator was ended by signal 11"
command=("$TREE" run -j 2 badreg/badreg.cfg badreg/badreg.cfg); check run_simulator_crashes_captured 3 "HANG badreg: the simulator was ended by signal 11" "0 passed, 0 failed, 2 hung"
lines run_simulator_crashes_lines 3
command=("$TREE" run badgold/badgold.cfg); check run_simulator_odd_status 3 "HANG badgold: the simulator ended with status 77"
command=("$TREE" run -j 3 good/good.cfg badcrc/badcrc.cfg badreg/badreg.cfg); check run_simulators_parallel 3 "--no-progress" "1 passed, 1 failed, 1 hung"
command=("$TREE" run --histogram good/good.cfg); check run_histogram_is_handed_on 0 "simulator small: --histogram --name=good"
command=("$TREE" run --wave w.fst good/good.cfg); check run_waves_builds_variant 0 "building the small simulator with waves" "simulator small-waves: --wave=w.fst"
command=("$TREE" run --wave new/folder/w.fst good/good.cfg); check run_waves_make_the_folder 0 "--wave=new/folder/w.fst"
that waves_folder test -d new/folder
rm tree/build/nvcosim-small-waves
command=("$TREE" run --wave plain.txn/w.fst good/good.cfg); check run_waves_bad_folder 2 "--wave: plain.txn/w.fst: " '!building'
mkdir folder.fst
command=("$TREE" run --wave folder.fst good/good.cfg); check run_waves_name_a_folder 2 "--wave: folder.fst: cannot be written" '!building'
command=("$TREE" run --coverage c.dat good/good.cfg); check run_coverage_builds_variant 0 "building the small simulator with line coverage" "simulator small-coverage: --coverage=c.dat --name=good"
command=("$TREE" run --coverage counts good/good.cfg badcrc/badcrc.cfg); check run_coverage_of_several 1 "--coverage=counts/good.dat" "--coverage=counts/badcrc.dat"
that coverage_directory test -d counts
command=("$TREE" run --coverage plain.txn/x good/good.cfg); check run_coverage_bad_directory 2 "--coverage: plain.txn"
command=("$TREE" run --coverage c.dat --coverage-kind toggle good/good.cfg); check run_coverage_toggle 0 "building the small simulator with toggle coverage" "simulator small-toggle: --coverage=c.dat"
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_unknown_rtl 2 "no RTL named mine was built for configuration small; build it with: nvcosim build"

# ---- run: signals ----------------------------------------------------------------------------------------------------------------
cat >signals.py <<'END'
# signals.py SIGNAL STATUS COMMAND...: sends the signal when two simulators are up; both must end, nvcosim with the status
import os, signal, subprocess, sys, time
number, status = int(sys.argv[1]), int(sys.argv[2])
run = subprocess.Popen(sys.argv[3:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        if time.monotonic() > end:
            sys.exit("nothing happens")
        time.sleep(0.02)
def pids():
    return [int(x) for x in open("pids").read().split()] if os.path.exists("pids") else []
def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "Z"
wait_for(lambda: len(pids()) == 2)
run.send_signal(number)
if run.wait() != status:
    sys.exit(f"exit status {run.returncode}, expected {status}")
wait_for(lambda: all(gone(p) for p in pids()))
END
for s in "15 143" "2 130" "9 -9"; do
    rm -f pids
    # shellcheck disable=SC2086 # signal and status
    command=(python3 signals.py $s "$TREE" run -j 2 sleeps/sleeps.cfg sleeps/sleeps.cfg good/good.cfg); check "run_signal_${s% *}" 0 '!HANG' '!passed'
done
cat >killed.py <<'END'
# killed.py COMMAND...: sends SIGTERM at the fifth report
import subprocess, sys
run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
reports = 0
for line in run.stderr:
    reports += "report:" in line
    if reports == 5:
        run.terminate()
        reports += 1
sys.exit(run.wait())
END
command=(python3 killed.py "$NVCOSIM" run --dut model --out killed $(for ((i = 0; i < 400; i++)); do echo good/good.cfg; done)); check run_killed_while_reporting 143
that no_half_written_report sh -c 'test -d killed/good && for d in killed/*; do test "$(ls -A $d | tr "\n" " ")" = "report.json report.txt " || exit 1; done'

# ---- bench: what is said of figures that are not there -----------------------------------------------------------------------------
mkdir bench_build
cat >bench_build/nvcosim <<'END'
#!/bin/bash
echo "  speed: 0.010 CPU seconds, 5000 cycles/s, time outside the design's evaluation not measured"
END
chmod +x bench_build/nvcosim
command=(bash -c "cd '$ROOT' && NVDLA_CONFORMANCE=nowhere tests/bench/bench.sh '$WORK/bench_build'")
check bench_stand_ins 0 "WARNING: nowhere/small/sdp_4x1x8192_pass_through_int8_0 is not there (set NVDLA_CONFORMANCE): measuring traces/rand_sdp_014.nvt.gz instead" \
    "min 5000  median 5000  max 5000" "not measured: the runs are too short" '!min 0.0'

# ---- build ---------------------------------------------------------------------------------------------------------------------
echo "a.sv" >"mine.f"
command=("$TREE" build --filelist mine.f); check build_needs_name 2 "--filelist FILE.f and --name NAME are needed"
command=("$TREE" build --filelist mine.f --name Mine); check build_bad_name 2 "--name: found 'Mine', expected a-z, 0-9 and _"
command=("$TREE" build --filelist mine.f --name waves); check build_reserved_name 2 "--name: found 'waves'"
command=("$TREE" build --filelist none.f --name mine); check build_missing_filelist 2 "none.f: No such file"
command=("$TREE" build --filelist mine.f --name mine --config full); check build_config 2 "configuration full has no RTL"
command=("$TREE" build --filelist mine.f --name mine --top "a b"); check build_top 2 "--top: found 'a b', expected the name of a module"
command=("$TREE" build mine.f); check build_argument 2 "found 'mine.f', expected options only"
touch tree/fail
command=("$TREE" build --filelist mine.f --name mine); check build_fails 2 "compiling small-mine" "could not be built"
rm tree/fail
command=("$TREE" build --filelist mine.f --name mine --top MY_top --verilator-option=-Wno-fatal --verilator-option=-DX=1)
check build_works 0 "nvcosim run --config small --dut rtl:mine TRACE"
that build_passes_variables grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made
command=("$TREE" run --dut rtl:mine good/good.cfg); check run_other_rtl 0 "simulator small-mine: --dut=rtl:mine --name=good"
rm tree/build/made
command=("$TREE" run --dut rtl:mine --wave w.fst good/good.cfg); check run_other_rtl_waves 0 "building the simulator of rtl:mine (small) with waves" "simulator small-mine-waves"
that build_settings_are_kept grep -q "$WORK/mine.f MY_top -Wno-fatal -DX=1" tree/build/made

# ---- info ----------------------------------------------------------------------------------------------------------------------
nv info good/good.cfg
check info 0 "configuration small" "register write 30" "D_DATA_CUBE_WIDTH                0x00000007  WIDTH=7  [good.cfg:7]" \
    "FLYING_MODE=OFF" "load primary 0x80000000, 0x10 bytes from in.dat" "SDP #0, group 0, writes 8x1x8 at primary 0x80010000" \
    "SDP_0 raises event done" "CRC-32 of primary 0x80010000, 0x10 bytes == $crc, after event done"
nv info --json good/good.cfg; check info_json 0 '"kind": "register write"'
that info_json_parses python3 -c 'import json; j = json.load(open("stdout")); assert j["configuration"] == "small" and len(j["layers"]) == 2'
nv info plain.txn; check info_txn_is_full 0 "configuration full, sequential" "S_INTR_MASK"
nv info broken/broken.cfg; check info_bad_trace 2 "broken.cfg:31:"
nv info; check info_without_trace 2 "no trace is given"
nv info good hang; check info_two_traces 2 "found 'hang', expected one trace"
nv info --config tiny good; check info_config 2 "there is no configuration 'tiny'"

# ---- coverage ------------------------------------------------------------------------------------------------------------------
nv coverage good/good.cfg good.nvt.gz; check coverage 0 "never exercised" "trace, 2 traces" "sdp, 2 layers" "source                                         1 of    2  conv" '!full'
nv coverage -o counts.txt good; check coverage_out 0
that coverage_file grep -qx 'sdp.source\*destination=memory,memory 1' counts.txt
nv coverage --merge counts.txt --merge counts.txt -o sum.txt good; check coverage_merge 0 "sdp, 3 layers"
that coverage_sum grep -qx 'sdp.source\*destination=memory,memory 3' sum.txt
echo 'sdp.shape=round 1' >bad.txt
nv coverage --merge bad.txt; check coverage_bad_merge 2 "--merge: bad.txt:1: there is no bin 'sdp.shape=round'"
nv coverage good/good.cfg broken/broken.cfg -o none.txt; check coverage_bad_trace 2 "broken.cfg:31:" '!never exercised'
that coverage_leaves_nothing test ! -e none.txt
nv coverage -o nodir/x good; check coverage_bad_target 2 "nodir/x"
nv coverage; check coverage_without_trace 2 "no trace is given"

# ---- histograms and calibration ------------------------------------------------------------------------------------------------
nv run --dut model --histogram --out hist good/good.cfg; check histogram 0 "PASS good" "report: hist/good/report.txt, pictures of the histograms in histogram.svg"
that histogram_text grep -qF 'SDP #0 SDP_OUT: 8 bits, 64 values, -8 .. 8; 0: 48, -1: 1' hist/good/report.txt
that histogram_json python3 -c 'import json
streams = json.load(open("hist/good/histogram.json"))
assert [s["tap"] for s in streams] == ["SDP_IN", "SDP_CVT_IN", "SDP_OUT"]
assert all(sum(s["sp"]) + sum(s["sn"]) + s["zero"] + s["minus1"] == s["m"] == 64 for s in streams)'
that histogram_svg python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("hist/good/histogram.svg")'
nv run --dut rtl --histogram good/good.cfg; check histogram_rtl 2 "--histogram: the streams are those of the model"
nv run --dut model --histogram --threads 3 --out hist3 good/good.cfg; check histogram_threads 0
that histogram_threads_same cmp hist/good/histogram.json hist3/good/histogram.json

# a layer that saturates: its values are 48 times 0, and -8 .. 8 times 100
mkdir loud && cp good/in.dat loud && sed 's/CVT_SCALE_0, 0x1/CVT_SCALE_0, 0x64/; /golden/d' good/good.cfg >loud/loud.cfg
nv calibrate --write calm.nvt.gz loud; check calibrate 0 "SDP #0, output convertor: 64 values, -8 .. 8; bin 3, 0 values above it" \
    "recommended             0      32512      12           0           0" "warning: checks of the trace fail" "calm.nvt.gz written after 2 plays; checks left out because they no longer hold: 1"
that calibrate_counts_present grep -qE '^  present  +0 +100 +0 +[0-9.]+ +14 ' stdout
nv run --dut model --histogram --out calm calm.nvt.gz; check calibrate_written 0 "PASS calm"
that calibrate_saturation grep -qF 'SDP #0 SDP_CVT_IN: 32 bits, 64 values, -8 .. 8; 0: 48, -1: 1, at the ends of the type: 0, saturated behind: 0' calm/calm/report.txt
nv calibrate good; check calibrate_good 0 "as it is                0          1       0           0           0           0" '!recommended'
nv calibrate --clip 0.15 --write clipped.nvt loud; check calibrate_clip 0 "bin 1, 9 values above it"
that calibrate_clip_predicted grep -qE '^  recommended  +0 +32512 +10 +8 +8 ' stdout
nv calibrate --minimum-error loud; check calibrate_minimum_error 0 "bin 3"
nv calibrate --clip 2 loud; check calibrate_clip_range 2 "--clip: found '2', expected a share from 0 to 1"
nv calibrate --clip 0.1x loud; check calibrate_clip_tail 2 "--clip: found '0.1x'"
nv calibrate --clip nan loud; check calibrate_clip_nan 2 "--clip: found 'nan'"
nv calibrate --clip 0.1 --minimum-error loud; check calibrate_exclusive 2 "--clip and --minimum-error exclude each other"
nv calibrate --write x.cfg loud; check calibrate_write_suffix 2 "--write: found 'x.cfg', expected a name that ends in .nvt or .nvt.gz"
nv calibrate --write nodir/x.nvt loud; check calibrate_write_target 2 "nodir/x.nvt"
nv calibrate --threads 0 loud; check calibrate_threads 2 "--threads: found '0', expected a number from 1 to 256"
nv calibrate; check calibrate_without_trace 2 "no trace is given"
nv calibrate loud good; check calibrate_two_traces 2 "found 'good', expected one trace only"
nv calibrate broken/broken.cfg; check calibrate_bad_trace 2 "broken.cfg:31:"
nv calibrate hang; check calibrate_hang 3 "does not come to its end"

# ---- convert -------------------------------------------------------------------------------------------------------------------
nv convert good/good.cfg good.nvt; check convert_plain 0
nv convert good.nvt again.nvt; check convert_again 0
that convert_is_stable cmp -s good.nvt again.nvt
that convert_gzip_is_the_same sh -c 'zcat good.nvt.gz | cmp -s - good.nvt'
that convert_keeps_comments grep -q 'a layer that copies' good.nvt
nv convert --no-golden good/good.cfg bare.nvt; check convert_no_golden 0
nv run --dut model bare.nvt; check convert_without_goldens_runs 0 "PASS bare " "checks=2"
nv convert plain.txn plain.nvt; check convert_txn 0
nv run plain.nvt; check convert_keeps_config 2 "configuration full has no RTL"
nv convert good/good.cfg good.bin; check convert_suffix 2 "found 'good.bin', expected the name of the output to end in .nvt or .nvt.gz"
nv convert good/good.cfg; check convert_one_argument 2 "expected two arguments"
nv convert a b c; check convert_three_arguments 2 "found 'c', expected IN and OUT only"
nv convert broken/broken.cfg broken.nvt; check convert_bad_trace 2 "broken.cfg:31:"
that convert_leaves_nothing test ! -e broken.nvt
nv convert good/good.cfg nodir/x.nvt; check convert_bad_target 2 "nodir/x.nvt"

# ---- gen -----------------------------------------------------------------------------------------------------------------------
nv gen --engine mix --seed 7 --count 2 --out cases; check gen 0 "cases/small_mix_7.nvt.gz: " "cases/small_mix_8.nvt.gz: " "cycles"
nv gen --engine mix --seed 8 --out again -q; check gen_quiet 0 '!cycles'
that gen_is_the_same_again cmp -s cases/small_mix_8.nvt.gz again/small_mix_8.nvt.gz
nv gen --config large --engine sdp,pdp --seed 3 --out cases; check gen_engines 0 "cases/large_sdp-pdp_3.nvt.gz: "
nv info cases/large_sdp-pdp_3.nvt.gz; check gen_config 0 "configuration large"
that gen_names_its_seed sh -c 'zcat cases/small_mix_7.nvt.gz | grep -q "^# gen case engines=mix seed=7 "'
for e in conv img sdp pdp cdp mix; do
    nv gen --engine $e --seed 1 --count 10 --out "g_$e" -q; check "gen_$e" 0
    nv run --dut model -q g_$e/*.nvt.gz; check "gen_${e}_runs_on_the_model" 0 "10 passed, 0 failed, 0 hung" '!warning'
done
for e in conv img sdp pdp cdp bdma rubik deconv mix; do
    nv gen --config full --engine $e --seed 1 --count 10 --out "f_$e" -q; check "gen_full_$e" 0
    nv run --dut model -q f_$e/*.nvt.gz; check "gen_full_${e}_runs_on_the_model" 0 "10 passed, 0 failed, 0 hung" '!warning'
done
nv gen --engine cacc; check gen_engine_unknown 2 "--engine: found 'cacc', expected conv, img, sdp, pdp, cdp, bdma, rubik, deconv (several with commas between), or mix"
nv gen --engine sdp,; check gen_engine_empty 2 "--engine: found 'sdp,'"
nv gen --engine sdp,rubik; check gen_engine_missing 2 "--engine: configuration small has no rubik; expected some of conv,img,sdp,pdp,cdp, or mix"
nv gen --config tiny; check gen_config_unknown 2 "there is no configuration 'tiny'"
nv gen --seed x; check gen_seed 2 "--seed: found 'x', expected a number from 0 to"
nv gen --count 0; check gen_count 2 "--count: found '0', expected a number from 1 to 1000000"
nv gen small; check gen_argument 2 "found 'small', expected options only"
nv gen --out file -q; check gen_out_is_a_file 2 "nvcosim: file"

# ---- shrink: on the model, and on a stand-in for the RTL that fails where a trace pools over more than two columns -----------------
mkdir scratch
export TMPDIR=$WORK/scratch
nv shrink; check shrink_without_trace 2 "no trace is given"
nv shrink a.nvt b.nvt; check shrink_two_traces 2 "found 'b.nvt', expected one trace"
nv shrink nowhere.nvt; check shrink_missing_file 2 "nowhere.nvt"
nv shrink --out small.cfg good.nvt; check shrink_out_suffix 2 "--out: found 'small.cfg', expected a name that ends in .nvt or .nvt.gz"
nv shrink --attempts 0 good.nvt; check shrink_attempts 2 "--attempts: found '0', expected a number from 1 to 100000"
nv shrink --stall 1000 good.nvt; check shrink_run_options_are_checked 2 "--stall: found '1000'"
nv shrink --wave w.fst good.nvt; check shrink_has_no_waves 2 "unrecognized option '--wave'"
nv shrink --dut model good.nvt.gz; check shrink_passes 0 "good.nvt.gz passes: nothing to shrink"
that shrink_leaves_nothing test ! -e good-shrunk.nvt
nv shrink --dut model broken/broken.cfg; check shrink_bad_trace 2 "broken.cfg:31:"
nv shrink --dut model badcrc/badcrc.cfg
check shrink_one_layer 1 "badcrc/badcrc.cfg: check: " "no description of random layers in its comments: only whole layers are taken out" "badcrc-shrunk.nvt: check: "
nv shrink --dut model --timeout 5000 --out h.nvt.gz hang/hang.cfg; check shrink_hang 3 "h.nvt.gz: hang of model: " "play it with: nvcosim run --dut=model --timeout=5000 h.nvt.gz"
mkdir -p pool/build
cp "$NVCOSIM" pool/build/nvcosim
cat >pool/build/nvcosim-small <<'END'
#!/bin/bash
for word; do
    case $word in --out=*) out=${word#--out=} ;; --name=*) name=${word#--name=} ;; --stall=*) stall=1 ;; esac
done
text=$(zcat -f "${*: -1}")
grep -q '^# gen layer .* kernel_w=[3-8]' <<<"$text" || exit 0
[ -e needs_stall ] && [ -z "${stall:-}" ] && exit 0
mkdir -p "$out/$name"
echo '{"reason": "a byte differs", "devices": [{"device": "rtl", "findings": [], "failures": []}], "mismatches": [{}]}' >"$out/$name/report.json"
exit 1
END
chmod +x pool/build/nvcosim-small
touch pool/Makefile
nv gen --engine mix --seed 1 --count 30 --out pools -q; check gen_many 0
case=$(for f in pools/*; do zcat "$f" | grep -q '^# gen case .* layers=[4-6]' && zcat "$f" | grep -q '^# gen layer .* kernel_w=[3-8]' && echo "$f"; done | head -1)
command=("$WORK/pool/build/nvcosim" shrink --stall 100 --seed 3 --out p.nvt "$case")
check shrink_case 1 "$case: mismatch: a byte differs" "p.nvt: mismatch: a byte differs" "layer 0 pdp=1 kernel_w=3 w=3 seed=" "play it with: nvcosim run p.nvt" '!layer 1'
nv run --dut model p.nvt; check shrink_result_plays 0 "PASS p "
touch needs_stall
command=("$WORK/pool/build/nvcosim" shrink --stall 100 --seed 3 --out p.nvt -q "$case")
check shrink_keeps_needed_options 1 "play it with: nvcosim run --stall=100 p.nvt" '!seed=3'
rm needs_stall
command=("$WORK/pool/build/nvcosim" shrink --attempts 3 --out q.nvt "$case"); check shrink_few_attempts 1 "3 attempts; play it with: nvcosim run q.nvt"
unset TMPDIR
that shrink_cleans_up sh -c '! ls scratch | grep -q .'

# ---- diff ----------------------------------------------------------------------------------------------------------------------
printf 'abcdefghijklmnopabcdefghijklmnop' >a.bin
printf 'abcdefghijkLmnopabcdefghIjklmnop' >b.bin
gzip -c a.bin >a.bin.gz
head -c 12 a.bin.gz >cut.bin.gz
head -c 20 a.bin >short.bin
nv diff a.bin a.bin.gz; check diff_equal 0 "equal"
nv diff a.bin b.bin; check diff_different 1 "first difference at 0x0000000b: a.bin has 0x6c, b.bin has 0x4c" "2 bytes differ"
nv diff --base 0x80000000 a.bin.gz b.bin; check diff_base 1 "first difference at 0x8000000b"
nv diff a.bin short.bin; check diff_sizes 1 "the sizes differ: a.bin has 32 bytes, short.bin has 20 bytes" '!first difference'
nv diff --cube base=0x80000000,w=1,h=1,c=15,line=8,surf=24,atom=8 a.bin b.bin
check diff_cube 1 "first difference at 0x80000018: a.bin has 0x69, b.bin has 0x49; surface 1, line 0, column 0, channel 8"
that diff_cube_count grep -q '^1 bytes differ' stdout
nv diff --cube w=2,h=1,c=8,line=16,surf=16,atom=8 a.bin b.bin; check diff_cube_element 1 "surface 0, line 0, column 1, channel 3"
nv diff --cube w=2,h=1,c=4,line=16,surf=16,atom=8,bytes=2 a.bin b.bin; check diff_cube_bytes 1 "column 1, channel 1, byte 1"
nv diff --cube w=1,h=1,c=8,line=8,surf=8,atom=8,batches=2,batch=8 a.bin b.bin; check diff_cube_batch 1 "batch 1, surface 0, line 0, column 0, channel 3"
nv diff --cube w=1,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_equal 0 "equal"
nv diff --cube w=9,h=1,c=8,line=72,surf=72,atom=8 a.bin b.bin; check diff_cube_outside 2 "does not lie inside both images"
nv diff --cube w=1,h=1 a.bin b.bin; check diff_cube_incomplete 2 "--cube: c= is missing"
nv diff --cube w=1,x=1 a.bin b.bin; check diff_cube_unknown 2 "--cube: found 'x=1'"
nv diff --cube w=0,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_zero 2 "at least 1"
nv diff --cube w=q,h=1,c=8,line=8,surf=8,atom=8 a.bin b.bin; check diff_cube_number 2 "--cube: w: found 'q', expected a number"
nv diff --base here a.bin b.bin; check diff_bad_base 2 "--base: found 'here', expected an address"
nv diff a.bin; check diff_one_argument 2 "expected two images"
nv diff a.bin b.bin c.bin; check diff_three_arguments 2 "found 'c.bin', expected two images"
nv diff a.bin none.bin; check diff_missing 2 "none.bin"
nv diff a.bin cut.bin.gz; check diff_truncated 2 "cut.bin.gz"

# ---- traces in the published style: outputs are dumped, never declared ---------------------------------------------------------
mkdir copy
python3 -c 'for i in range(64): print(*("0x%02x" % ((i * 37 + k * 5) & 255) for k in range(32)))' >copy/in.dat
cat >copy/input.txn <<'END'
# SDP with everything bypassed copies a cube of 8x8x32, INT8
load_mem 0x80000000 0x800 in.dat
write_reg 0xffff2003 0x00000007 # SDP_RDMA.D_DATA_CUBE_WIDTH
write_reg 0xffff2004 0x00000007 # SDP_RDMA.D_DATA_CUBE_HEIGHT
write_reg 0xffff2005 0x0000001f # SDP_RDMA.D_DATA_CUBE_CHANNEL
write_reg 0xffff2006 0x80000000 # SDP_RDMA.D_SRC_BASE_ADDR_LOW
write_reg 0xffff2008 0x00000040 # SDP_RDMA.D_SRC_LINE_STRIDE
write_reg 0xffff2009 0x00000200 # SDP_RDMA.D_SRC_SURFACE_STRIDE
write_reg 0xffff200a 0x00000001 # SDP_RDMA.D_BRDMA_CFG
write_reg 0xffff2010 0x00000001 # SDP_RDMA.D_NRDMA_CFG
write_reg 0xffff2016 0x00000001 # SDP_RDMA.D_ERDMA_CFG
write_reg 0xffff201c 0x00000000 # SDP_RDMA.D_FEATURE_MODE_CFG
write_reg 0xffff201d 0x00000001 # SDP_RDMA.D_SRC_DMA_CFG
write_reg 0xffff240f 0x00000007 # SDP.D_DATA_CUBE_WIDTH
write_reg 0xffff2410 0x00000007 # SDP.D_DATA_CUBE_HEIGHT
write_reg 0xffff2411 0x0000001f # SDP.D_DATA_CUBE_CHANNEL
write_reg 0xffff2412 0x80100000 # SDP.D_DST_BASE_ADDR_LOW
write_reg 0xffff2414 0x00000040 # SDP.D_DST_LINE_STRIDE
write_reg 0xffff2415 0x00000200 # SDP.D_DST_SURFACE_STRIDE
write_reg 0xffff2416 0x00000001 # SDP.D_DP_BS_CFG
write_reg 0xffff241b 0x00000001 # SDP.D_DP_BN_CFG
write_reg 0xffff2420 0x00000001 # SDP.D_DP_EW_CFG
write_reg 0xffff242c 0x00000000 # SDP.D_FEATURE_MODE_CFG
write_reg 0xffff242d 0x00000001 # SDP.D_DST_DMA_CFG
write_reg 0xffff242f 0x00000000 # SDP.D_DATA_FORMAT
write_reg 0xffff2430 0x00000000 # SDP.D_CVT_OFFSET
write_reg 0xffff2431 0x00000001 # SDP.D_CVT_SCALE
write_reg 0xffff2432 0x00000000 # SDP.D_CVT_SHIFT
write_reg 0xffff2002 0x00000001 # SDP_RDMA.D_OP_ENABLE
write_reg 0xffff240e 0x00000001 # SDP.D_OP_ENABLE
wait
read_reg 0xffff0403 0xffffffff 0x00000001 # GLB.S_INTR_STATUS
write_reg 0xffff0403 0x00000001 # GLB.S_INTR_STATUS
read_reg 0xffff0403 0xffffffff 0x00000000 # GLB.S_INTR_STATUS
dump_mem 0x80100000 0x800 in.dat
END
nv run --config small --dut model copy; check txn_copies 0 "PASS copy "
nv convert --config small copy copy.nvt; check txn_convert 0
that txn_windows_survive grep -q '^mem_reserve primary 0x80000000 0x10000000' copy.nvt
nv run --dut model copy.nvt; check txn_converted_copies 0 "PASS copy "
cp -r copy badcopy && sed -i 's/dump_mem 0x80100000/dump_mem 0x80100008/' badcopy/input.txn
nv run --config small --dut model badcopy; check txn_wrong_output 1 "FAIL badcopy"

# ---- accesses outside the regions ----------------------------------------------------------------------------------------------
mkdir outside && cp good/in.dat outside && sed '/AFIVE/d' good/good.cfg >outside/outside.cfg
nv run --dut model outside/outside.cfg; check outside_fails 1 "FAIL outside" "outside every declared or loaded region"
nv run --dut model --allow-outside outside/outside.cfg; check outside_allowed 0 "PASS outside " '!FAIL'

# ---- files that say nothing, odd bytes ------------------------------------------------------------------------------------------
: >nothing.cfg
printf '# nothing\n' >nothing.txn
nv run --dut model nothing.cfg good/good.cfg; check empty_cfg 2 "nothing.cfg: holds no operations" '!PASS'
nv run --config small --dut model nothing.txn; check empty_txn 2 "nothing.txn: holds no operations"
mkdir marked && cp good/in.dat marked && { printf '\357\273\277'; cat good/good.cfg; } >marked/marked.cfg
nv run --dut model marked; check byte_order_mark 0 "PASS marked "
printf 'reg_write(\001\377, 0);\n' >odd.cfg
nv run --dut model odd.cfg; check odd_bytes 2 'odd.cfg:1:' 'found "\x01"'
mkdir nopacket && cp good/good.cfg nopacket/nopacket.cfg && echo '# nothing' >nopacket/in.dat
nv run --dut model nopacket; check no_packet 2 "nopacket.cfg:3:" "in.dat holds no packet"
mkdir onlynvt && cp good.nvt.gz onlynvt
nv run --dut model onlynvt; check directory_with_nvt 0 "PASS onlynvt "

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
