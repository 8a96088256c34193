#!/bin/bash
# nvcosim gen.
# usage: NVCOSIM=build/nvcosim tests/cli/gen.sh
. "$(dirname "$0")/frame.sh"

nv gen --engine mix --seed 7 --count 2 --out cases; check gen 0 "cases/small_mix_7.nvt.gz: " "cases/small_mix_8.nvt.gz: " "cycles"
nv gen --engine mix --seed 8 --out again -q; check gen_quiet 0 '!cycles'
that gen_is_the_same_again cmp -s cases/small_mix_8.nvt.gz again/small_mix_8.nvt.gz
nv gen --config large --engine sdp,pdp --seed 3 --out cases; check gen_engines 0 "cases/large_sdp-pdp_3.nvt.gz: "
nv info cases/large_sdp-pdp_3.nvt.gz; check gen_config 0 "configuration large"
that gen_names_its_seed sh -c 'zcat cases/small_mix_7.nvt.gz | grep -q "^# gen case engines=mix seed=7 "'
nv gen --case cases/small_mix_8.nvt.gz --out again; check gen_case 0 "again/small_mix_8.nvt.gz: "
that gen_case_is_the_same_again cmp -s cases/small_mix_8.nvt.gz again/small_mix_8.nvt.gz
nv gen --case cases/small_mix_8.nvt.gz --seed 3; check gen_case_draws_nothing 2 "--case: the trace describes the case; expected no --engine, --seed or --count"
printf '%s\n' 'nvt 1' 'config full' 'mode streams' '# a corner' '# gen case engines=conv seed=0 layers=1 place=0 expect_all=0' \
    '# gen layer 0 conv=1 sdp=1 precision=1 clip=31' 'reg_read GLB.S_INTR_STATUS' >made.nvt
nv gen --case made.nvt --out made; check gen_case_by_hand 0 "made/made.nvt.gz: 1 layer, "
that gen_case_is_built sh -c 'zcat made/made.nvt.gz | grep -q "^# a corner$" && zcat made/made.nvt.gz | grep -q "^reg_write CACC.D_CLIP_CFG 0x1f$"'
sed 's/clip=31/clip=32/' made.nvt >wrong.nvt
nv gen --case wrong.nvt; check gen_case_not_legal 2 "wrong.nvt:6: clip: expected a number from 0 to 31"
sed '/^# gen/d' made.nvt >bare.nvt
nv gen --case bare.nvt; check gen_case_of_another_trace 2 "bare.nvt: no description of random layers in its comments"
for e in conv img sdp pdp cdp mix; do
    nv gen --engine $e --seed 1 --count 10 --out "g_$e" -q; check "gen_$e" 0
    nv run --dut model -q g_$e/*.nvt.gz; check "gen_${e}_runs_on_the_model" 0 "10 passed, 0 failed, 0 hung" '!error'
    that "gen_${e}_breaks_no_rule_but_leaves_weights" sh -c "! $NVCOSIM lint g_$e/*.nvt.gz | grep ': warning: \|: error: ' | grep -v 'WEIGHT_BYTES is more than'"
done
for e in conv img sdp pdp cdp bdma rubik deconv mix; do
    nv gen --config full --engine $e --seed 1 --count 10 --out "f_$e" -q; check "gen_full_$e" 0
    nv run --dut model -q f_$e/*.nvt.gz; check "gen_full_${e}_runs_on_the_model" 0 "10 passed, 0 failed, 0 hung" '!warning'
done
that gen_reads_what_the_model_reads sh -c '! zcat f_cdp/* | grep -q "^reg_read " && zcat f_cdp/* | grep -q "^read_check CDP.D_PERF_LUT_[A-Z_]* == 0x[1-9a-f][0-9a-f]* end"'
zcat f_sdp/full_sdp_1.nvt.gz | sed 's/^read_check SDP.D_STATUS == 0x1 end/read_check SDP.D_STATUS == 0x0 end/' >other.nvt
nv run --dut model other.nvt; check gen_read_of_another_value 1 "SDP.D_STATUS is 0x00000001 on the model, expected 0x00000000"
nv gen --engine sdp --seed 1 --vary h=1:2 --vary w=1:9:4 --out v; check gen_vary 0 "v/small_sdp_1_h=1_w=1.nvt.gz: 1 layer, " "v/small_sdp_1_h=2_w=9.nvt.gz: 1 layer, "
nv run --dut model -q v/*.nvt.gz; check gen_vary_runs_on_the_model 0 " passed, 0 failed, 0 hung"
nv gen --engine sdp --seed 1 --vary h=1:2 --vary w=1:9:4 --list; check gen_vary_list 0 "h=1,w=5" '!nvt.gz'
nv gen --case v/small_sdp_1_h=1_w=1.nvt.gz --vary 0/h=2 --out w; check gen_vary_case 0 "w/small_sdp_1_h=1_w=1_h=2.nvt.gz: 1 layer, "
that gen_vary_case_is_the_same cmp -s w/small_sdp_1_h=1_w=1_h=2.nvt.gz v/small_sdp_1_h=2_w=1.nvt.gz
nv gen --engine pdp --seed 3 --vary kernel_w=8 --vary w=1; check gen_vary_not_legal 2 "--vary: none of 1 combinations is legal; the last: layer 0: "
nv gen --vary nothing=1; check gen_vary_unknown 2 "--vary: 'nothing' is not a setting of a layer"
nv gen --vary w=5:1; check gen_vary_range 2 "--vary: found 'w=5:1', expected FIELD=FROM:TO or FIELD=FROM:TO:STEP, FROM not above TO"
nv gen --vary w=0; check gen_vary_values 2 "w: found 'w=0', expected numbers from 1 to "
nv gen --vary 16/w=1; check gen_vary_layer 2 "--vary: found '16/w=1', expected a layer from 0 to 15 before the '/'"
nv gen --seed 3 --vary 15/w=1; check gen_vary_no_layer 2 "found layer 15, the case has "
nv gen --count 2 --vary w=1; check gen_vary_count 2 "--vary: expected one case, and at most 1000000 combinations"
nv gen --list; check gen_list 2 "--list: expected --vary"
nv gen --engine mix,corners --seed 1 --count 10 --out corners -q; check gen_corners 0
nv run --dut model -q corners/small_mix-corners_*.nvt.gz; check gen_corners_run_on_the_model 0 "10 passed, 0 failed, 0 hung" '!error'
nv gen --engine cacc; check gen_engine_unknown 2 "--engine: found 'cacc', expected conv, img, sdp, pdp, cdp, bdma, rubik, deconv (several with commas between), or mix"
nv gen --engine sdp,; check gen_engine_empty 2 "--engine: found 'sdp,'"
nv gen --engine sdp,rubik; check gen_engine_missing 2 "--engine: configuration small has no rubik; expected some of conv,img,sdp,pdp,cdp, or mix"
nv gen --config tiny; check gen_config_unknown 2 "there is no configuration 'tiny'"
nv gen --seed x; check gen_seed 2 "--seed: found 'x', expected a number from 0 to"
nv gen --count 0; check gen_count 2 "--count: found '0', expected a number from 1 to 1000000"
nv gen small; check gen_argument 2 "found 'small', expected options only"
nv gen --out file -q; check gen_out_is_a_file 2 "nvcosim: file"
finish
