#!/bin/bash
# nvcosim shrink: on the model, and on a stand-in for the RTL that fails where a trace pools over more than two columns.
# usage: NVCOSIM=build/nvcosim tests/cli/shrink.sh
. "$(dirname "$0")/frame.sh"

mkdir scratch
export TMPDIR=$WORK/scratch
nv shrink; check shrink_without_trace 2 "no trace is given"
nv shrink a.nvt b.nvt; check shrink_two_traces 2 "found 'b.nvt', expected one trace"
nv shrink nowhere.nvt; check shrink_missing_file 2 "nowhere.nvt"
nv shrink --out small.cfg good.nvt; check shrink_out_suffix 2 "--out: found 'small.cfg', expected a name that ends in .nvt or .nvt.gz"
nv shrink --attempts 0 good.nvt; check shrink_attempts 2 "--attempts: found '0', expected a number from 1 to 100000"
nv shrink --stall 1000 good.nvt; check shrink_run_options_are_checked 2 "--stall: found '1000'"
nv shrink --wave w.fst good.nvt; check shrink_has_no_waves 2 "unrecognized option '--wave'"
nv shrink --coverage c good.nvt; check shrink_has_no_coverage 2 "unrecognized option '--coverage'"
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
    case $word in --stall=*) stall=1 ;; esac
done
text=$(zcat -f "${*: -1}")
grep -q '^# gen layer .* kernel_w=[3-8]' <<<"$text" || passes=1
[ -e slow ] && sleep 0.4
[ -e needs_stall ] && [ -z "${stall:-}" ] && passes=1
if [ -n "${passes:-}" ]; then
    echo '{"verdict": "PASS", "config": "small"}' >&3
    exit 0
fi
echo '{"verdict": "FAIL", "config": "small", "reason": "a byte differs", "mismatch": {"space": "primary"}}' >&3
exit 1
END
chmod +x pool/build/nvcosim-small
touch pool/Makefile
nv gen --engine mix --seed 1 --count 30 --out pools -q; check gen_many 0
case=$(for f in pools/*; do zcat "$f" | grep -q '^# gen case .* layers=[4-6]' && zcat "$f" | grep -q '^# gen layer .* kernel_w=[3-8]' && echo "$f"; done | head -1)
command=("$WORK/pool/build/nvcosim" shrink --stall 100 --seed 3 --out p.nvt "$case")
check shrink_case 1 "$case: mismatch: a byte differs" "p.nvt: mismatch: a byte differs" "layer 0 pdp=1 kernel_w=3 w=3 seed=" "play it with: nvcosim run p.nvt" '!layer 1'
nv run --dut model p.nvt; check shrink_result_plays 0 "PASS p "
that shrink_result_reads_what_the_model_reads sh -c 'grep -q "^read_check PDP.D_NAN_INPUT_NUM == 0x0 end" p.nvt && ! grep -q "^reg_read " p.nvt'
touch needs_stall
command=("$WORK/pool/build/nvcosim" shrink --stall 100 --seed 3 --out p.nvt -q "$case")
check shrink_keeps_needed_options 1 "play it with: nvcosim run --stall=100 p.nvt" '!seed=3'
rm needs_stall
nv shrink --seconds 0 good.nvt; check shrink_seconds 2 "--seconds: found '0', expected a number from 1 to 1000000000"
command=("$WORK/pool/build/nvcosim" shrink --stall 100 --seed 3 --keep-options --out p.nvt -q "$case")
check shrink_keeps_options 1 "play it with: nvcosim run --stall=100 --seed=3 p.nvt"
touch slow
command=("$WORK/pool/build/nvcosim" shrink --seconds 2 --out q.nvt "$case"); check shrink_in_time 1 "attempts, then time ran out; play it with: nvcosim run q.nvt"
rm slow
command=("$WORK/pool/build/nvcosim" shrink --attempts 3 --out q.nvt "$case"); check shrink_few_attempts 1 "3 attempts; play it with: nvcosim run q.nvt"
TMPDIR=$WORK/nowhere
nv shrink --dut model --out t.nvt badcrc/badcrc.cfg; check shrink_without_tmpdir 1 "t.nvt: check: "
nv shrink --dut model --out nowhere/t.nvt badcrc/badcrc.cfg; check shrink_bad_target 2 "nowhere/t.nvt: No such file or directory; --out FILE names another place"
unset TMPDIR
that shrink_writes_beside_the_trace test -e badcrc/badcrc-shrunk.nvt
printf '#!/bin/sh\nkill -9 $$\n' >pool/build/nvcosim-small
command=("$WORK/pool/build/nvcosim" shrink --attempts 5 --out c.nvt badcrc/badcrc.cfg); check shrink_crash 4 "c.nvt: crash with status 137: the simulator was ended by signal 9"
that shrink_cleans_up sh -c '! ls scratch | grep -q .'
finish
