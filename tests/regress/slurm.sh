#!/bin/bash
# nvcosim regress --engine slurm on a real Slurm (slurm_cluster.sh): the same results as on one machine, also when a node dies under its
# jobs, the runner is killed, the controller is away, a node lacks the shared folder or a test ends its jobs; what it prints where it cannot continue.
#
# usage: slurm.sh BUILD
set -u
. "$(dirname "$0")/../replay/frame.sh"
HERE=$(realpath "$(dirname "$0")")
ROOT=$(realpath "$HERE/../..")
CLUSTER=$HERE/slurm_cluster.sh

if [ "${1:-}" != --inside ]; then
    build=$(realpath "${1:?usage: slurm.sh BUILD}")
    if why=$("$CLUSTER" --missing); then
        echo "SKIPPED: no Slurm: $why"
        echo "0 passed, 0 failed, 1 skipped"
        exit 0
    fi
    # the path of the sockets has to be short
    work=$(mktemp -d /tmp/slurm.XXXXXX)
    trap 'rm -rf "$work"' EXIT
    "$CLUSTER" "$work/cluster" "$0" --inside "$build" "$work"
    exit
fi
build=$2
cd "$3" || exit 2
unset NVCOSIM_NIGHTS
export LC_ALL=C
ulimit -c 0

# ---- what runs -------------------------------------------------------------------------------------------------------------------
# A program whose simulators are: of small the real one; rtl:crash, which crashes; rtl:cancel, which ends the job that it runs in;
# rtl:second, for which every trace passes after a second.
mkdir -p tree/build traces
cp "$build/nvcosim" tree/build/
ln -s "$ROOT/python" tree/python
NV=$PWD/tree/build/nvcosim
cat >tree/Makefile <<END
.PHONY: simulator simulator-base
simulator-base: ;
simulator:
	@case "\$(NAME)" in \\
	'') cp $build/nvcosim-\$(CONFIG) build/ ;; \\
	*) cp \$(NAME).sh build/nvcosim-\$(CONFIG)-\$(NAME) ;; \\
	esac
END
printf '#!/bin/bash\nkill -SEGV $$\n' >tree/crash.sh
cat >tree/cancel.sh <<'END'
#!/bin/bash
scancel "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
exec sleep 60
END
cat >tree/second.sh <<'END'
#!/bin/bash
sleep 1
echo '{"verdict":"PASS","config":"small","dut":"rtl:second","reason":"","compared":true}' >&3
END
chmod +x tree/*.sh
for name in crash cancel second; do echo "FILELIST=$name.f" >tree/build/small-$name.variables; done

traces=$ROOT/traces/conformance/small
cp "$traces"/rand_sdp_00[0-3].nvt.gz "$traces"/rand_large_00[0-2].nvt.gz "$traces"/rand_dc_00[0-3].nvt.gz "$traces"/rand_pdp_00[0-2].nvt.gz traces/
zcat "$traces/rand_dc_000.nvt.gz" | grep -v 'reg_write CACC.D_OP_ENABLE' >traces/hangs.nvt
zcat "$traces/rand_sdp_004.nvt.gz" | sed '/^mem_check/ s/0xa0000040/0xa0000000/' >traces/wrong.nvt
cat >plan.yml <<'END'
name: slurm
triage: {debug: 0, shrink_seconds: 0}
items:
  - {name: real, traces: "traces/*.nvt.gz", memories: [default, slow], reseed: 2}
  - {name: wrong, traces: [traces/wrong.nvt, traces/hangs.nvt]}
  - {name: model, traces: "traces/rand_sdp_*.nvt.gz", dut: model}
  - {name: random, random: {engines: [sdp, mix], count: 3}, memories: [default, slow]}
  - {name: crash, traces: traces/rand_sdp_000.nvt.gz, dut: "rtl:crash"}
memories:
  slow: [--latency=200, --stall=100]
END
printf 'items:\n  - {name: model, traces: "traces/rand_sdp_*.nvt.gz", dut: model}\n' >model.yml
cat >few.yml <<'END'
name: few
triage: {debug: 0, shrink_seconds: 0}
items:
  - {name: few, traces: "traces/rand_[sdp]*.nvt.gz", dut: "rtl:second"}
END

nights=$PWD/nights
night=("$NV" regress --out "$nights")
# results NIGHT: what is the same wherever a test runs, a line each
results() { "$ROOT/tests/regress/same_everywhere.py" "$nights" "$1"; }
sql() { "$ROOT/tests/regress/sql.py" "$nights/nights.db" "$1"; }
# kill_node NAME: the machine is gone, with all that ran on it: jobs know the node in their environment, and so do their processes; the daemon
# of a job in its own
kill_node() {
    kill -9 "$(cat "$SLURM_CLUSTER/$1.pid")"
    grep -lszx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -9 2>/dev/null
}
# wait_for COMMAND...: up to 60 s
wait_for() {
    local end=$((SECONDS + 60))
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
        sleep 0.1
    done
}
idle() { [ "$(sinfo -h -N -t idle -o %N | sort -u | paste -sd,)" = n1,n2 ]; }
queue_empty() { [ -z "$(squeue -h -t PENDING,RUNNING)" ]; }
said() { cat "$nights/night-$1/slurm/results/"* 2>/dev/null | grep -c '"done"'; }
said_more() { [ "$(said "$1")" -gt "$2" ]; }
says() { grep -qF -e "$2" "$1"; }

# ---- one machine, and a cluster of which a node dies ----------------------------------------------------------------------------------
"${night[@]}" plan.yml >local.txt 2>&1
check "plan on this machine: the verdicts are there" $(($? != 2 && $? != 128 ? 0 : 1))
results 1 >local.jsonl
tests=$(wc -l <local.jsonl)
check "of passes, a failure, a hang and a crash" "$([ "$(sql 'SELECT group_concat(verdict) FROM (SELECT DISTINCT verdict FROM result ORDER BY 1)')" = CRASH,FAIL,HANG,PASS ]; echo $?)"

mv nights local # so that the other is a first night, too
SECONDS=0
"${night[@]}" plan.yml --engine slurm --chunk-seconds 400 >slurm.txt 2>&1 &
runner=$!
wait_for said_more 1 8
kill_node n1
sleep 2
"$CLUSTER" --start n1
wait $runner
status=$?
echo "with a node that dies: $SECONDS s, $tests tests"
results 1 >slurm.jsonl
check "slurm, a node dies: every test has its result" "$([ "$(sql 'SELECT count(*) FROM result WHERE night = 1 AND verdict IS NOT NULL')" = "$tests" ]; echo $?)"
diff local.jsonl slurm.jsonl >diff.txt
check "slurm: the same as on this machine" $?
head -c 2000 diff.txt
# what may differ: times, hosts, and how it was called
plain() {
    sed -E "s/$(hostname)|\\bn[12]\\b/HOST/g; s/ (time|timestamp)=\"[^\"]*\"//g; s/in [0-9.]+ [a-z]+ of CPU//; s/ --engine slurm --chunk-seconds 400//
        s/^[0-9-]+T[0-9:]+Z on HOST, [^,]*, //
        s/\"(time|cpu_time|started|ended|engine|seconds|cpu_seconds|memory_peak|host|small)\":(\\[[^]]*\\]|\"[^\"]*\"|[0-9.e-]+)//g" "$1"
}
diff <(plain local/night-1/junit.xml) <(plain nights/night-1/junit.xml) >diff.txt
check "slurm: the same junit.xml" $?
head -c 3000 diff.txt
diff <(plain local/night-1/index.html) <(plain nights/night-1/index.html) >diff.txt
check "slurm: the same page" $?
head -c 3000 diff.txt
check "slurm: exit status of the worst" "$([ $status = 4 ]; echo $?)"
check "slurm: both nodes worked" "$([ "$(sql "SELECT count(DISTINCT host) FROM result WHERE night = 1 AND host IN ('n1', 'n2')")" = 2 ]; echo $?)"
check "slurm: the node that died is reported" "$(says slurm.txt 'on node n1'; echo $?)"
check "slurm: the job that died is given up" "$([ "$(find nights/night-1/slurm/chunks -type f | wc -l)" -lt "$(find nights/night-1/slurm/results -type f | wc -l)" ]; echo $?)"
check "slurm: nothing ran twice after it had finished" "$([ "$(cat "$nights"/night-1/slurm/results/* | grep -o '"done":[0-9]*' | sort | uniq -d | wc -l)" = 0 ]; echo $?)"

# ---- the runner is killed, the controller is away ---------------------------------------------------------------------------------
"${night[@]}" few.yml --engine slurm --chunk-seconds 20 >killed.txt 2>&1 &
runner=$!
wait_for said_more 2 3
kill -9 $runner
wait $runner 2>/dev/null
check "runner killed: its jobs continue" "$([ -n "$(squeue -h)" ]; echo $?)"
kill -9 "$(cat "$SLURM_CLUSTER/slurmctld.pid")"
"${night[@]}" few.yml --resume >resumed.txt 2>&1 &
runner=$!
wait_for says resumed.txt "squeue: " 2>/dev/null
sleep 1
"$CLUSTER" --start slurmctld
wait $runner
check "resumed while the controller is away: done in the end" $?
check "resumed: that it is away is reported" "$(says resumed.txt 'results of jobs that run still come in'; echo $?)"
check "resumed: that it is back is reported" "$(says resumed.txt 'Slurm answers again'; echo $?)"
few=$(sql 'SELECT count(*) FROM result WHERE night = 2')
check "resumed: every test has its result" "$([ "$(sql 'SELECT count(*) FROM result WHERE night = 2 AND verdict IS NOT NULL')" = "$few" ]; echo $?)"
check "resumed: nothing ran twice after it had finished" "$([ "$(said 2)" = "$few" ]; echo $?)"
check "resumed: the database is sound" "$([ "$(sql 'PRAGMA integrity_check')" = ok ]; echo $?)"

# ---- SIGTERM -----------------------------------------------------------------------------------------------------------------------
wait_for queue_empty
"${night[@]}" few.yml --engine slurm >term.txt 2>&1 &
runner=$!
wait_for said_more 3 1
kill -TERM $runner
wait $runner
check "SIGTERM: exit status" "$([ $? = 143 ]; echo $?)"
that "SIGTERM: its jobs are cancelled" wait_for queue_empty
check "SIGTERM: the night is interrupted, with the results so far" "$([ "$(sql "SELECT state, (SELECT count(*) > 1 AND count(*) < $few FROM result WHERE night = 3 AND verdict IS NOT NULL) FROM night WHERE id = 3")" = 'interrupted|1' ]; echo $?)"
"${night[@]}" few.yml --resume --engine local >engine.txt 2>&1
check "a resumed night keeps its engine" "$(says engine.txt 'has its engine already'; echo $?)"
"${night[@]}" few.yml --resume >term.txt 2>&1
check "SIGTERM: the rest is done by --resume" "$([ $? = 0 ] && [ "$(said 3)" = "$few" ]; echo $?)"

# ---- a node without the folder, and a test that ends its job -----------------------------------------------------------------------
cat >cancel.yml <<'END'
name: cancel
triage: {debug: 0, shrink_seconds: 0}
items:
  - {name: few, traces: "traces/rand_pdp_*.nvt.gz"}
  - {name: cancel, traces: traces/rand_sdp_000.nvt.gz, dut: "rtl:cancel"}
END
kill "$(cat "$SLURM_CLUSTER/n1.pid")"
sleep 1
: >"$SLURM_CLUSTER/n1.log"
"$CLUSTER" --start n1 unshare --mount sh -c "mount -t tmpfs none '$nights'"' && exec "$@"' sh
wait_for says "$SLURM_CLUSTER/n1.log" "slurmd started"
wait_for idle
# n2 takes jobs once n1 has had one. Whether n1 answers may be judged by a question to the daemon that has ended: it is resumed.
scontrol update NodeName=n2 State=drain Reason=test
n1_had_a_job() {
    scontrol update NodeName=n1 State=resume 2>/dev/null
    says cancel.txt 'node n1 gets no further jobs'
}
"${night[@]}" cancel.yml --engine slurm --chunk-seconds 12 >cancel.txt 2>&1 &
runner=$!
wait_for n1_had_a_job
scontrol update NodeName=n2 State=resume
wait $runner
check "a test that ends its job: exit status" "$([ $? = 4 ]; echo $?)"
check "it is a crash that names the node, the others pass" "$([[ "$(sql "SELECT key, verdict, host, reason FROM result WHERE night = 4 AND verdict <> 'PASS'")" == 'cancel/rand_sdp_000,rtl-cancel|CRASH|n2|3 jobs of Slurm ended while it ran, the last one: CANCELLED'*' on node n2' ]]; echo $?)"
check "a node that lacks the folder gets no further jobs" "$(says cancel.txt 'node n1 gets no further jobs'; echo $?)"
check "and has judged nothing" "$([ "$(sql 'SELECT count(*) FROM result WHERE night = 4 AND host IS NOT "n2"')" = 0 ]; echo $?)"

# ---- what it prints where it cannot continue -------------------------------------------------------------------------------------------
ends "no such partition" 2 "sbatch: invalid partition specified: nix" "${night[@]}" few.yml --engine slurm --slurm-options '--partition=nix'
ends "quotes of --slurm-options" 2 "the quote ' is not closed" "${night[@]}" few.yml --engine slurm --slurm-options "--comment='x"
ends "no Slurm" 2 "sinfo: command not found; --engine slurm needs Slurm's commands in PATH" env PATH=/nowhere "${night[@]}" model.yml --engine slurm
ends "--engine" 2 "found 'sge', expected local or slurm" "${night[@]}" few.yml --engine sge
ends "--slurm-options without Slurm" 2 "--slurm-options is for nights on Slurm" "${night[@]}" few.yml --slurm-options=--mem=1G
ends "a job without its chunk" 2 "the folder of the night (--out) has to be one that all nodes share" "$NV" regress --worker "$nights/night-4" 99

# ---- a job that the runner has given up: Slurm has lost its node, and it works all the same --------------------------------------------
# shellcheck disable=SC2012 # the largest chunk; their names are numbers
cp "$nights/night-3/slurm/chunks/$(cd "$nights/night-3/slurm/chunks" && ls -S | head -n 1)" "$nights/night-3/slurm/chunks/99"
: >"$nights/night-3/slurm/results/99"
mkdir "$nights/night-3/simulators" # a night that is done keeps none
cp tree/build/nvcosim-small-second "$nights/night-3/simulators"
"$NV" regress --worker "$nights/night-3" 99 >lost.txt 2>&1 &
lost=$!
wait_for says "$nights/night-3/slurm/results/99" '"done"'
rm "$nights/night-3/slurm/chunks/99"
wait $lost
check "a job that was given up ends" "$([ $? = 143 ] && says lost.txt 'the runner has given this job up'; echo $?)"

# ---- the cluster of the test ends with the test ------------------------------------------------------------------------------------
"$CLUSTER" "$PWD/c" sleep 1000 &
inner=$!
wait_for test -s c/n2.pid
kill -9 $inner
wait $inner 2>/dev/null
gone() { ! pgrep -f "$PWD/c/slurm.conf" >/dev/null; }
that "the cluster ends with its script" wait_for gone

if [ $failed -gt 0 ]; then tail -n 30 slurm.txt resumed.txt term.txt cancel.txt; fi
finish
