#!/bin/bash
# nvcosim regress sorts failures into buckets, by rules that do not depend on which test finishes first. Simulators are scripts
# (tests/cli/source_tree.sh): for a trace UNIT-CAUSE-CYCLES memory differs where UNIT wrote, and nvcosim debug blames CAUSE.
# tests/regress/buckets_planted.py does the same on real RTL.
# usage: NVCOSIM=build/nvcosim tests/regress/buckets.sh
export NVCOSIM=${NVCOSIM:-build/nvcosim}
. "$(dirname "$0")/../cli/frame.sh"
. "$ROOT/tests/cli/source_tree.sh"
export WORK

cat >tree/simulator <<'END'
#!/bin/bash
debug=
for word; do
    case $word in
    --out=*) out=${word#*=} ;;
    --name=*) name=${word#*=} ;;
    --debug) debug=1 ;;
    esac
done
trace=${*: -1}
trace=${trace##*/}
IFS=- read -r unit cause cycles <<<"${trace%.cfg}"
[ -z "$debug" ] && [ -e "$WORK/break-builds" ] && touch "$WORK/tree/fail"
result="\"config\":\"small\",\"dut\":\"rtl+model\",\"reason\":\"bytes differ in $trace\",\"devices\":[{\"name\":\"rtl\",\"outcome\":\"ended\",\"clocked\":true,\"cycles\":$cycles}]"
[ "$unit" = segv ] && kill -SEGV $$
if [ "$debug" ]; then
    echo "$trace" >>"$WORK/debugged"
    case $cause in
    crash) kill -SEGV $$ ;;
    slow) while [ ! -e "$WORK/go" ]; do sleep 0.05; done ;;
    esac
    mkdir -p "$out/$name"
    echo "{\"verdict\":{\"kind\":\"value\",\"engine\":\"$cause\",\"tap\":\"${cause^^}_OUT\",\"sentence\":\"$cause is to blame in $trace\"}}" >"$out/$name/report.json"
    echo "<p>$trace" >"$out/$name/report.html"
    result+=",\"report\":\"$out/$name/report.json\",\"page\":\"$out/$name/report.html\""
    sleep "0.$((RANDOM % 3))" # who finishes first is chance
fi
echo "{\"verdict\":\"FAIL\",$result,\"mismatch\":{\"space\":\"primary\",\"address\":0,\"bytes\":1,\"unit\":\"$unit\",\"launch\":0,\"position\":\"x\",\"element\":\"y\"}}" >&3
exit 1
END
traces=(SDP-sdp-300 SDP-sdp-100 SDP-sdp-200 PDP-cdma-101 PDP-csc-201 PDP-cacc-301 segv-x-1 segv-x-2 CDP-crash-102 SDP-known-50)
{
    printf 'name: p\ntriage: {debug: 5, shrink_seconds: 0}\nitems:\n  - name: t\n    config: small\n    traces:\n'
    for name in "${traces[@]}"; do
        cp good/good.cfg "$name.cfg"
        echo "      - $name.cfg"
    done
    printf 'known_failures:\n  - {test: "t/SDP-known-50", reason: issue 7, until: 2999-12-31}\n'
} >p.yml
# sql QUERY: its rows, columns with | between
sql() { "$ROOT/tests/regress/sql.py" nvcosim-nights/nights.db "$1"; }
buckets() { sql "SELECT b.number, b.count, b.signature, ifnull(b.engine, '-'), b.kind, r.key FROM bucket AS b JOIN result AS r ON r.night = b.night AND r.number = b.smallest WHERE b.night = $1 ORDER BY b.number"; }
cat >expected <<'END'
1|3|sdp:SDP_OUT|sdp|value|t/SDP-sdp-100
2|2|crash:SIGSEGV: the simulator was ended by signal # (Segmentation fault) before it gave a verdict|-|crash|t/segv-x-1
3|1|cdma:CDMA_OUT|cdma|value|t/PDP-cdma-101
4|1|csc:CSC_OUT|csc|value|t/PDP-csc-201
5|1|value:CDP|-|value|t/CDP-crash-102
6|1|value:PDP|-|value|t/PDP-cacc-301
7|1|value:SDP|-|value|t/SDP-known-50
END
# the first of each kind, small ones first, then further ones; what was not looked at joins those of one cause
command=("$TREE" regress p.yml -j 2); check night 4 "nvcosim debug looks at 5 of 10 failures" "FAILED p night 1" "     3  sdp is to blame in SDP-sdp-100.cfg"
that buckets diff expected <(buckets 1)
that debugged diff <(printf '%s.cfg\n' CDP-crash-102 PDP-cdma-101 PDP-csc-201 SDP-sdp-100 SDP-sdp-200) <(sort debugged)
that pages test "$(sql 'SELECT page FROM bucket WHERE number IN (1, 3)')" = "$(printf 'buckets/debug/t.SDP-sdp-100/report.html\nbuckets/debug/t.PDP-cdma-101/report.html')"
that page_is_there test -s nvcosim-nights/night-1/buckets/debug/t.SDP-sdp-100/report.html
that page_is_linked grep -q 'href="buckets/debug/t.SDP-sdp-100/report.html"' nvcosim-nights/night-1/index.html
that members test "$(sql 'SELECT group_concat(number) FROM result WHERE bucket = 1 AND signature = "sdp:SDP_OUT"')" = 0,1,2
that note_joined test "$(sql 'SELECT note FROM bucket WHERE number = 1')" = "nvcosim debug has looked at 2 of them, the others look the same"
that note_crash grep -q '^nvcosim debug: CRASH: the simulator was ended by signal 11' <(sql 'SELECT note FROM bucket WHERE number = 5')
that note_split test "$(sql 'SELECT note FROM bucket WHERE number = 6')" = "nvcosim debug has not looked at any of them; others that look the same have 2 different causes"
that known_is_apart test "$(sql 'SELECT title FROM bucket WHERE number = 7')" = "known, issue 7: bytes differ in SDP-known-50.cfg"
for i in 2 3; do
    command=("$TREE" regress p.yml -j 3); check "again_$i" 4
    that "same_buckets_$i" diff expected <(buckets $i)
done

# killed while it debugs: the rest is looked at, once, and the number counts over all calls; the bucket without a look comes first
rm -rf nvcosim-nights debugged
sed -i 's/SDP-sdp-200/SDP-slow-200/; s/debug: 5/debug: 5, debug_seconds: 60/' p.yml
cp good/good.cfg SDP-slow-200.cfg
"$TREE" regress p.yml -j 2 >said 2>&1 &
runner=$!
for i in $(seq 300); do
    grep -q SDP-slow-200 debugged 2>/dev/null && [ "$(grep -c debug nvcosim-nights/night-1/buckets/found.jsonl)" = 4 ] && break
    sleep 0.1
done
kill -9 $runner
wait $runner 2>/dev/null
that killed_state test "$(sql 'SELECT state, (SELECT count(*) FROM bucket) FROM night')" = "running|0"
touch go
printf '{"kind":"debug","te' >>nvcosim-nights/night-1/buckets/found.jsonl # as a power cut leaves it
command=("$TREE" regress p.yml --resume); check resumed 4 "0 tests left of 10" "nvcosim debug looks at 1 of 10 failures"
that resumed_debugs_the_rest diff <(printf '%s.cfg\n' CDP-crash-102 PDP-cacc-301 PDP-cdma-101 PDP-csc-201 SDP-sdp-100 SDP-slow-200) <(sort debugged)
that resumed_buckets test "$(buckets 1 | cut -d'|' -f2,3 | head -3 | paste -sd,)" = "3|sdp:SDP_OUT,2|crash:SIGSEGV: the simulator was ended by signal # (Segmentation fault) before it gave a verdict,1|cacc:CACC_OUT"
that resumed_state test "$(sql 'SELECT state FROM night')" = "done"

# Ctrl-C while it debugs
rm -rf nvcosim-nights debugged go
"$TREE" regress p.yml -j 2 >said 2>&1 &
runner=$!
for i in $(seq 300); do
    grep -q SDP-slow-200 debugged 2>/dev/null && break
    sleep 0.1
done
kill -TERM $runner
wait $runner
that interrupted_status test $? = 143
that interrupted_says grep -q "The failures have not all been looked at. To continue: nvcosim regress .*--resume=1" said
that interrupted_state test "$(sql 'SELECT state FROM night')" = "interrupted"
touch go
command=("$TREE" regress p.yml --resume); check interrupted_resumed 4 "0 tests left of 10"
that interrupted_done test "$(sql 'SELECT state FROM night')" = "done"

# no simulator with waves: told once, nothing else changes
rm -rf nvcosim-nights debugged tree/build/nvcosim-small-waves
touch break-builds
command=("$TREE" regress p.yml); check no_waves 4 "the simulator nvcosim-small-waves could not be built"
that no_waves_is_told_once test "$(grep -c 'could not be built' stderr)" = 1
that no_waves_buckets test "$(buckets 1 | cut -d'|' -f2,3 | head -1)" = "3|value:PDP"
that no_waves_note test "$(sql 'SELECT note FROM bucket WHERE number = 1')" = "the simulator nvcosim-small-waves could not be built"
finish
