#!/bin/bash
# nvcosim regress: simulators that crash, hang, eat memory, fill the disk, print garbage. Each gives its test a clear verdict and leaves the
# others untouched. The simulators are scripts (tests/cli/source_tree.sh) that behave as the name of their trace says.
# usage: NVCOSIM=build/nvcosim tests/regress/faults.sh
export NVCOSIM=${NVCOSIM:-build/nvcosim}
. "$(dirname "$0")/../cli/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"

# gone NAME: the processes that a script has noted in pids.NAME are no more
gone() {
    local pid
    while read -r pid; do
        for ((i = 0; i < 50; i++)); do
            case $(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null) in "" | Z) continue 2 ;; esac
            sleep 0.1
        done
        echo "process $pid of $1 is still there"
        return 1
    done <"pids.$1"
    [ -s "pids.$1" ]
}
# verdict KEY: of the last night
verdict() { "$ROOT/tests/regress/sql.py" "${DATABASE:-nvcosim-nights/nights.db}" "SELECT verdict FROM result WHERE key = '$1' AND night = (SELECT max(id) FROM night)"; }
is() { [ "$(verdict "$1")" = "$2" ] || { echo "$1: found '$(verdict "$1")', expected $2"; return 1; }; }

cat >tree/simulator <<'END'
#!/bin/bash
verdict() { echo "{\"verdict\":\"$1\",\"config\":\"@CONFIG@\",\"reason\":\"$2\",\"compared\":true}" >&3; }
out=$(printf '%s\n' "$@" | sed -n 's/^--out=//p')
name=${*: -1}
name=${name##*/}
name=${name%.cfg}
note() { echo "$1" >>"$WORK/pids.$name"; }
case $name in
good*) verdict PASS; exit 0 ;;
segv) kill -SEGV $$ ;;
hang) note $$; exec sleep 60 ;;
stubborn) trap '' TERM; sh -c 'trap "" TERM; sleep 60; sleep 60' & note $!; note $$; while :; do sleep 1; done ;;
wrapped) sleep 60 & note $!; note $$; wait ;;
eater) exec /usr/bin/python3 -c 'import time; x = bytearray(150 << 20); time.sleep(60)' ;;
childeater) /usr/bin/python3 -c 'import time; x = bytearray(150 << 20); time.sleep(60)'; exit 1 ;;
sprinter) /usr/bin/python3 -c 'x = bytearray(150 << 20)'; verdict PASS; exit 0 ;;
greedy) exec /usr/bin/python3 -c 'bytearray(4 << 30)' ;;
flood) exec yes "a line of something that no one reads" ;;
torrent) exec yes 'no result' >&3 ;;
deluge) exec yes '{"part":0.5}' >&3 ;;
endless) tr '\0' x </dev/zero >&3 ;;
garbage) head -c 100000 /dev/urandom >&3; exit 0 ;;
nothing) exit 0 ;;
mute) note $$; exec 1>&- 2>&- 3>&-; exec sleep 60 ;;
lingers) note $$; verdict PASS; exec sleep 60 ;;
orphan) sleep 60 >/dev/null 2>&1 3>&- & note $!; verdict PASS; exit 0 ;;
daemon) setsid sh -c 'echo $$ >>"'"$WORK/pids.daemon"'"; exec sleep 60' >/dev/null 2>&1 3>&- & sleep 0.3; verdict PASS; exit 0 ;;
filler) dd if=/dev/zero of="$out/fill" 2>/dev/null; verdict PASS; exit 0 ;;
esac
END
export WORK
plan() { # plan NAME LIMITS TRACE...
    local name=$1 limits=$2 trace
    shift 2
    printf 'name: %s\nlimits: {%s}\ntriage: {debug: 0, shrink_seconds: 0}\nitems:\n  - name: t\n    config: small\n    traces:\n' "$name" "$limits"
    for trace; do
        cp good/good.cfg "$trace.cfg"
        echo "      - $trace.cfg"
    done
}

plan faults "seconds: 60, memory: 60M" segv eater childeater sprinter greedy flood torrent deluge endless garbage nothing orphan daemon good1 good2 good3 good4 >faults.yml
command=("$TREE" regress faults.yml -j 4); check faults 4 \
    "CRASH t/segv: the simulator was ended by signal 11 (Segmentation fault) before it gave a verdict" \
    "CRASH t/eater: ended with " "MiB resident, its memory limit is 60 MiB" \
    "CRASH t/childeater: ended with " \
    "CRASH t/sprinter: ended with " \
    "CRASH t/greedy: the simulator ended with status 1 and gave no verdict; it ran out of memory, its limit is 60 MiB: MemoryError" \
    "CRASH t/flood: ended after printing 256 MiB" \
    "CRASH t/torrent: ended because it sent something that is not a result: no result" \
    "CRASH t/deluge: ended because its result is longer than 64 MiB" \
    "CRASH t/endless: ended because its result is longer than 64 MiB" \
    "CRASH t/garbage: " \
    "CRASH t/nothing: the simulator ended with status 0 and gave no verdict" \
    '!t/good' '!t/orphan' '!t/daemon'
for name in good1 good2 good3 good4 orphan daemon; do
    that "faults_leave_$name" is "t/$name" PASS
done
that faults_peak_memory test "$("$ROOT/tests/regress/sql.py" nvcosim-nights/nights.db "SELECT memory_peak > 60 << 20 FROM result WHERE key = 't/eater'")" = 1
that faults_crash_output grep -q 'a line of something' nvcosim-nights/night-1/reports/t.flood/report.txt
plan late "seconds: 1" hang stubborn wrapped mute lingers good1 good2 >late.yml
command=("$TREE" regress late.yml -j 5); check late 3 \
    "HANG t/hang: not done after 1 second, its time limit" \
    "HANG t/stubborn: not done after 1 second, its time limit; it did not obey SIGTERM" \
    "HANG t/wrapped: not done after 1 second, its time limit" \
    "HANG t/mute: not done after 1 second, its time limit" \
    "HANG t/lingers: not done after 1 second, its time limit" '!t/good'
for name in hang stubborn wrapped mute lingers orphan daemon; do
    that "faults_end_$name" gone "$name"
done
that faults_integrity test "$("$ROOT/tests/regress/sql.py" nvcosim-nights/nights.db 'PRAGMA integrity_check')" = ok

# on a terminal a test that has ended is not shown as one that runs, though its result is only reported when it is on the disk
plan live "seconds: 60" $(seq -f good_%g 120) >live.yml
command=("$ROOT/tests/cli/on_terminal.py" 200 "$TREE" regress live.yml -j 2 --database live.db); check live 0 '! more'
most=$(awk -v RS='\033\\[J' '{ n = gsub(/  t\/good_[0-9]+ /, "&"); if (n > most) most = n } END { print most }' stdout)
that live_shows_what_runs test "$most" -ge 1 -a "$most" -le 2

# a simulator that cannot be built is the failure of its tests only
printf 'items:\n  - name: rtl\n    config: small\n    traces: [good1.cfg, good2.cfg]\n  - name: model\n    config: small\n    dut: model\n    traces: [good/good.cfg]\n' >build.yml
rm -f tree/build/nvcosim-small
touch tree/fail
command=("$TREE" regress build.yml); check build_fails 2 "the simulator nvcosim-small could not be built; the end of make's output:" "compiling small" \
    "ERROR rtl/good1: the simulator nvcosim-small could not be built" "ERROR rtl/good2: " "of build: 3 tests" '!ERROR model'
that build_fails_model is model/good,model PASS
rm tree/fail

# a simulator gets a profile where what that saves, by the history, is more than it takes; one that cannot be made does no harm
printf 'items:\n  - {name: rtl, config: small, traces: [good1.cfg, good2.cfg]}\n' >profile.yml
mkdir -p tree/build/sim/nvcosim-small && echo "small" >tree/build/sim/nvcosim-small/a.cpp
how() { sed -n 's/.*\(PROFILE=[^ ]*\).*/\1/p' tree/build/how; }
command=("$TREE" regress profile.yml --database profile.db); check profile_no_history 0
that profile_without test "$(how)" = PROFILE=
command=("$TREE" regress profile.yml --database profile.db); check profile_pays 0
that profile_with test "$(how)" = PROFILE=1
touch tree/fail_profile
command=("$TREE" regress profile.yml --database profile.db); check profile_fails 0 "the simulator nvcosim-small could not be built with a profile; it is built without one"
that profile_instead test "$(how)" = PROFILE=
rm tree/fail_profile
truncate -s 1G tree/build/sim/nvcosim-small/a.cpp
command=("$TREE" regress profile.yml --database profile.db); check profile_too_dear 0
that profile_not_made test "$(how)" = PROFILE=
rm -r tree/build/sim

# a disk without room: reports that cannot be written are the failure of those that need them, and of no others
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null; then
    trap 'umount "$WORK/disk"; rm -rf "$WORK"' EXIT
    cp good/good.cfg filler.cfg
    for i in $(seq 2000); do echo "# the longest trace, so that it runs first" >>filler.cfg; done
    mkdir -p bad && cp badgold/* bad/
    cat >disk.yml <<'END'
triage: {debug: 0, shrink_seconds: 0}
items:
  - {name: f, config: small, traces: [filler.cfg]}
  - {name: r, config: small, traces: [good1.cfg]}
  - {name: m, config: small, dut: model, traces: [bad/badgold.cfg, good/good.cfg]}
  - {name: l, config: small, dut: model, random: {engines: sdp, count: 1}}
END
    command=("$TREE" regress disk.yml -j 1 --out disk/nights --database here.db); check disk_full 2 \
        "ERROR m/badgold,model: " "No space left on device" "ERROR l/sdp-0001,model: the random layer cannot be written: " '!f/filler' '!r/good1' '!m/good'
    DATABASE=here.db
    for name in f/filler r/good1 m/good,model; do
        that "disk_full_leaves_${name%%/*}" is $name PASS
    done
    # no room for the database: what was kept stays, the rest continues when there is room again
    rm -r disk/nights
    command=("$TREE" regress disk.yml -j 1 --out nights --database disk/n.db)
    sed -i 's:^filler).*:filler) [ -e "$WORK/room" ] || dd if=/dev/zero of="$WORK/disk/fill" 2>/dev/null; verdict PASS; exit 0 ;;:' tree/simulator
    check disk_full_database 2 "disk/n.db: a result cannot be kept: no space is left on its disk" "INTERRUPTED disk night 1" '!RUNNING' "To continue: nvcosim regress --database=$WORK/disk/n.db --jobs=1 --resume=1"
    that disk_full_page grep -q INTERRUPTED nights/night-1/index.html
    rm disk/fill
    touch room
    command=("$TREE" regress --database=disk/n.db --resume=1); check disk_has_room_again 1 "night 1 of disk: 0 tests left of 5" "1 of 5 tests fails in 1 bucket; 4 pass" # the ledger has kept them
    that disk_full_integrity test "$("$ROOT/tests/regress/sql.py" disk/n.db 'PRAGMA integrity_check'; "$ROOT/tests/regress/sql.py" disk/n.db 'SELECT count(*) FROM result WHERE verdict IS NULL')" = "$(printf 'ok\n0')"
else
    echo "SKIPPED disk_full: a tmpfs cannot be mounted here"
fi
finish
