#!/bin/bash
# nvcosim regress --engine slurm on a real Slurm (slurm_cluster.sh): the same results as on one machine, also when a node dies under its
# jobs, the runner is killed, the controller is away, a node lacks the shared folder or a test ends its jobs; what it says where it can't go on.
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
# A program whose simulators are: of small the real one; rtl:crash, which crashes; rtl:cancel, which ends the job that it runs in.
mkdir -p tree/build traces
cp "$build/nvcosim" tree/build/
NV=$PWD/tree/build/nvcosim
cat >tree/Makefile <<END
.PHONY: simulator
simulator:
	@case "\$(NAME)" in \\
	'') cp $build/nvcosim-\$(CONFIG) build/ ;; \\
	*) cp \$(NAME).sh build/nvcosim-\$(CONFIG)-\$(NAME) ;; \\
	esac
END
printf '#!/bin/bash\nkill -SEGV $$\n' >tree/crash.sh
# shellcheck disable=SC2016 # variables of the job
printf '#!/bin/bash\nscancel "$SLURM_JOB_ID"\nsleep 60\n' >tree/cancel.sh
chmod +x tree/*.sh
for name in crash cancel; do echo "FILELIST=$name.f" >tree/build/small-$name.variables; done

traces=$ROOT/traces/conformance/small
cp "$traces"/rand_sdp_00[0-3].nvt.gz "$traces"/rand_large_00[0-2].nvt.gz "$traces"/rand_dc_00[0-3].nvt.gz "$traces"/rand_pdp_00[0-2].nvt.gz traces/
zcat "$traces/rand_dc_000.nvt.gz" | grep -v 'reg_write CACC.D_OP_ENABLE' >traces/hangs.nvt
zcat "$traces/rand_sdp_004.nvt.gz" | sed -E '/^check_crc/ s/0x[0-9a-f]+$/0x1/; /^mem_check/ d' >traces/wrong.nvt
cat >plan.yml <<'END'
name: slurm
items:
  - {name: real, traces: "traces/*.nvt.gz", memories: [default, slow], reseed: 2}
  - {name: wrong, traces: [traces/wrong.nvt, traces/hangs.nvt]}
  - {name: model, traces: "traces/rand_sdp_*.nvt.gz", dut: model}
  - {name: random, random: {engines: [sdp, mix], count: 3}, memories: [default, slow]}
  - {name: crash, traces: traces/rand_sdp_000.nvt.gz, dut: "rtl:crash"}
memories:
  slow: [--latency=200, --stall=100]
END
cat >few.yml <<'END'
name: few
items:
  - {name: few, traces: "traces/rand_[sd]*.nvt.gz"}
END

nights=$PWD/nights
night() { "$NV" regress --out "$nights" "$@"; }
# results NIGHT: what is the same wherever a test runs, a line each
cat >results.py <<'END'
import json, re, sqlite3, sys
rows = sqlite3.connect(f"file:{sys.argv[1]}/nights.db?mode=ro", uri=True).execute(
    "SELECT key, verdict, reason, signature, mismatch, cycles, op_cycles, macs, hex(coverage), report, page, command, debug_command, result FROM result WHERE night = ? ORDER BY number", (sys.argv[2],))
for *row, result in rows:
    result = json.loads(result) if result else {}
    for device in result.get("devices", []):
        device.pop("cpu_seconds")
    for name in "seconds", "cpu_seconds", "memory_peak":
        result.pop(name, None)
    print(re.sub(r"night-\d+", "night-N", json.dumps([row, result])))
END
results() { python3 results.py "$nights" "$1"; }
sql() { python3 -c 'import sqlite3, sys; [print(*row, sep="|") for row in sqlite3.connect(f"file:{sys.argv[1]}/nights.db?mode=ro", uri=True).execute(sys.argv[2])]' "$nights" "$1"; }
# kill_node NAME: the machine is gone, with all that ran on it
kill_node() {
    local pid
    kill -9 "$(cat "$SLURM_CLUSTER/$1.pid")"
    for pid in /proc/[0-9]*; do
        # jobs know the node in their environment, and so do their processes; the daemon of a job in its own
        if tr '\0' '\n' <"$pid/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1"; then kill -9 "${pid#/proc/}"; fi
    done 2>/dev/null
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
said() { grep -h '"done"' "$nights/night-$1/slurm/results/"* 2>/dev/null | wc -l; }
said_more() { [ "$(said "$1")" -gt "$2" ]; }
says() { grep -qF -e "$2" "$1"; }

# ---- one machine, and a cluster of which a node dies ----------------------------------------------------------------------------------
night plan.yml >local.txt 2>&1
check "plan on this machine: the verdicts are there" $(($? != 2 && $? != 128 ? 0 : 1))
results 1 >local.jsonl
tests=$(wc -l <local.jsonl)
check "of passes, a failure, a hang and a crash" "$([ "$(sql 'SELECT group_concat(verdict) FROM (SELECT DISTINCT verdict FROM result ORDER BY 1)')" = CRASH,FAIL,HANG,PASS ]; echo $?)"

SECONDS=0
night plan.yml --engine slurm --chunk-seconds 12 >slurm.txt 2>&1 &
runner=$!
wait_for said_more 2 8
kill_node n1
sleep 2
"$CLUSTER" --start n1
wait $runner
status=$?
echo "with a node that dies: $SECONDS s, $tests tests"
results 2 >slurm.jsonl
check "slurm, a node dies: every test has its result" "$([ "$(sql 'SELECT count(*) FROM result WHERE night = 2 AND verdict IS NOT NULL')" = "$tests" ]; echo $?)"
diff local.jsonl slurm.jsonl >diff.txt
check "slurm: the same as on this machine" $?
head -c 2000 diff.txt
check "slurm: exit status of the worst" "$([ $status = 4 ]; echo $?)"
check "slurm: both nodes worked" "$([ "$(sql "SELECT count(DISTINCT host) FROM result WHERE night = 2 AND host IN ('n1', 'n2')")" = 2 ]; echo $?)"
check "slurm: the node that died is told" "$(says slurm.txt 'on node n1'; echo $?)"
check "slurm: nothing ran twice after it had finished" "$([ "$(cat "$nights"/night-2/slurm/results/* | grep -o '"done":[0-9]*' | sort | uniq -d | wc -l)" = 0 ]; echo $?)"
cat slurm.txt
finish
