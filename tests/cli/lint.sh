#!/bin/bash
# nvcosim lint.
# usage: NVCOSIM=build/nvcosim tests/cli/lint.sh
. "$(dirname "$0")/frame.sh"

nv lint good/good.cfg; check lint_clean 0 "good/good.cfg: no findings"
nv lint badcrc/badcrc.cfg badgold/badgold.cfg badreg/badreg.cfg; check lint_compares_nothing 0 "badcrc/badcrc.cfg: no findings" "badreg/badreg.cfg: no findings"
nv lint odd/odd.cfg
check lint_warning 0 "odd/odd.cfg:34: warning: SDP launch 0: SDP.D_DP_EW_CFG = 0x12 (" "the configuration has no EW stage: the data passes unchanged (50-sdp section 12)" \
    "odd/odd.cfg: 0 errors, 1 warning"
nv lint --strict odd/odd.cfg; check lint_strict 1 "0 errors, 1 warning"
nv lint open/open.cfg; check lint_undefined 1 "open/open.cfg:34: error: SDP launch 0: SDP.D_DST_BASE_ADDR_LOW = 0x80000008" "; the result is undefined" "1 error, 0 warnings"
nv lint stuck/stuck.cfg; check lint_hangs 1 "stuck/stuck.cfg:34: error: SDP launch 0: " "the same cube (50-sdp section 2.3); the hardware hangs" "error: the trace hangs"
nv lint hang/hang.cfg; check lint_waits 1 "error: SDP_RDMA launch 0: waits for SDP, which is not armed in its group CONSUMER (10-system section 6); the hardware hangs"
sed 's/0x80010000, 0x40, AFIVE/0x80020000, 0x40, AFIVE/; /check_crc/d' good/good.cfg >good/outside.cfg
nv lint good/outside.cfg; check lint_outside 0 "good/outside.cfg:34: warning: SDP launch 0: writes 8 bytes at 0x80010000 on the primary port" "outside every declared or loaded region" "1 warning"
# CMAC_B armed behind a poll that follows CDMA and CSC of its layer
zcat "$ROOT/traces/conformance/small/rand_dc_000.nvt.gz" >conv.nvt
sed '/^reg_write CMAC_B.D_OP_ENABLE/d; /^reg_write CDMA.D_OP_ENABLE/a poll CMAC_B.S_STATUS == 0x1 attempts=2 volatile\nreg_write CMAC_B.D_OP_ENABLE 0x1' conv.nvt >late.nvt
nv lint conv.nvt; check lint_cmac 0 "no findings"
nv lint late.nvt; check lint_late_cmac 1 "late.nvt:287: error: CMAC_B launch 0: CMAC_B.D_OP_ENABLE = 0x1: armed after a wait" "(99-illegal-programming section 4); the result is undefined"
sed '/^reg_write CACC.D_OP_ENABLE/d; /^reg_write CDMA.D_OP_ENABLE/a poll CACC.S_STATUS == 0x1 attempts=2 volatile\nreg_write CACC.D_OP_ENABLE 0x1' conv.nvt >late_cacc.nvt
nv lint late_cacc.nvt; check lint_late_cacc 1 "error: CACC launch 0: CACC.D_OP_ENABLE = 0x1: armed after a wait" "the layer hangs or is wrong (99-illegal-programming"
# nothing waits for the event of the only layer
zcat "$ROOT/traces/conformance/small/rand_sdp_000.nvt.gz" | sed '/SDP_RDMA.D_OP_ENABLE/d; s/ after=sync_0_sdp/ end/' >event.nvt
nv lint event.nvt; check lint_event 1 "error: the trace hangs: event.nvt:101: interrupt SDP_0 is never raised, its layer does not end" "2 errors"
nv run --dut model event.nvt; check run_event 3 "HANG event: model: event.nvt:101: interrupt SDP_0 is never raised"
nv lint -q good/good.cfg odd/odd.cfg; check lint_quiet 0 "odd/odd.cfg:34: warning" '!no findings' '!0 errors'
nv lint broken/broken.cfg good/good.cfg; check lint_unreadable 2 "broken.cfg:31:" "good/good.cfg: no findings"
nv lint --json good/good.cfg stuck/stuck.cfg; check lint_json 1 '"errors":0' '"effect":"hangs"'
that lint_json_parses "$ROOT/tests/cli/lint_json.py"
nv lint; check lint_without_trace 2 "no trace is given"
nv lint --seed=x good/good.cfg; check lint_seed 2 "--seed: found 'x', expected a number"
nv lint --config=tiny good/good.cfg; check lint_config 2 "there is no configuration 'tiny'"
# NVIDIA's errata: a legal image layer that its hardware computes otherwise, and a trace with the bytes of a chip
"$NVCOSIM" gen -q --engine img --seed 356 --out errata
nv lint errata/small_img_356.nvt.gz; check lint_erratum 0 "warning: CSC launch 0: " "NVIDIA's hardware computes this layer wrongly: " "(E1) (99-illegal-programming section 5)" "0 errors, 1 warning"
nv lint --json errata/small_img_356.nvt.gz; check lint_erratum_json 0 '"effect":"erratum"' '"severity":"warning"'
nv gen -q --engine img --seed 356 --without-errata --out without; check gen_without_errata 0
nv lint without/small_img_356.nvt.gz; check lint_without_erratum 0 "no findings"
nv run --dut model errata/small_img_356.nvt.gz; check run_says_nothing_of_errata 0 "PASS small_img_356" '!NVIDIA'
fill=$(zcat errata/small_img_356.nvt.gz | sed -n 's/^mem_fill primary \(0x[0-9a-f]* 0x[0-9a-f]*\) .*/\1/p' | tail -1)
(zcat errata/small_img_356.nvt.gz; echo "mem_crc primary $fill 0x1 end") >chip.nvt
crc=$("$NVCOSIM" run --dut model --errata nvidia chip.nvt 2>&1 | sed -n 's/.* bytes, is \(0x[0-9a-f]*\) on the model.*/\1/p')
sed -i "s/ 0x1 end/ $crc end/" chip.nvt
nv run --dut model --errata nvidia chip.nvt; check run_with_errata 0 "PASS chip"
nv run --dut model chip.nvt; check run_names_erratum 1 "FAIL chip: " "; an erratum of NVIDIA's hardware, no new fault: chip.nvt:" "CSC launch 0: " "--errata nvidia lets the model compute it alike"
nv run --dut model --errata intel chip.nvt; check run_errata_of_others 2 "--errata: found 'intel', expected nvidia"
# what gen writes breaks no rule
mkdir layers
for config in small full; do "$NVCOSIM" gen -q --config $config --count 30 --seed 500 --out layers; done
nv lint -q layers/*.nvt.gz; check lint_of_generated_layers 0 '!error:'
finish
