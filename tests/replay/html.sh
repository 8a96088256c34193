#!/bin/bash
# report.html in a headless Chromium, judged by html_page.py: for a trace that passes, one that fails on a second RTL with a bug, a golden that
# differs in one byte, a hang, names that look like markup, and a cube with two million different bytes.
#
# usage: html.sh BUILD
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/html
if ! command -v chromium >/dev/null; then
    echo "SKIPPED report.html in a browser: chromium is not installed (scripts/setup.sh installs it)"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$dir" && mkdir -p "$dir"
NVCOSIM=$(realpath "$NVCOSIM") small=$PWD/traces/conformance/small
# page TITLE STATUS PAGE OPTIONS_OF_html_page...: the run before it ended with STATUS as it should, and its page is good
page() {
    local title=$1 status=$2 page=$3
    shift 3
    check "$title: exit status" "$status"
    tests/replay/html_page.py "$page" "$@" >"$dir/log" 2>&1
    status=$?
    grep '^FAIL' "$dir/log"
    check "$title: its page" $status
}
is() { [ "$1" -eq "$2" ]; }

"$NVCOSIM" run -q --html --out "$dir/out" "$small/rand_mixed_000.nvt.gz" --stall 200
page "a trace that passes" $? "$dir/out/rand_mixed_000/report.html" --timeline
"$NVCOSIM" run -q --out "$dir/plain" "$small/rand_sdp_000.nvt.gz"
[ $? -eq 0 ] && [ ! -e "$dir/plain/rand_sdp_000/report.html" ]
check "a trace that passes without --html has no page" $?

tests/replay/buggy_rtl.sh "$build" "$dir/buggy" && OPT=-O1 "$NVCOSIM" build --config small --name buggy --filelist "$dir/buggy/buggy.f"
check "an RTL with a bug" $?
for trace in rand_mixed_000 rand_dc_pdp_009; do
    "$NVCOSIM" run -q --dut rtl:buggy --html --out "$dir/bug" "$small/$trace.nvt.gz" 2>/dev/null
    page "$trace on an RTL with a bug" "$(is $? 1; echo $?)" "$dir/bug/$trace/report.html" --timeline --map
done
"$NVCOSIM" run -q --dut rtl:buggy --out "$dir/bare" "$small/rand_sdp_pdp_001.nvt.gz" 2>/dev/null
page "a trace that fails without --html" "$(is $? 1; echo $?)" "$dir/bare/rand_sdp_pdp_001/report.html" --map

zcat "$small/rand_dc_000.nvt.gz" | grep -v 'reg_write CACC.D_OP_ENABLE' >"$dir/partner.nvt"
"$NVCOSIM" run -q --html --out "$dir/out" "$dir/partner.nvt" 2>/dev/null
page "a hang" "$(is $? 3; echo $?)" "$dir/out/partner/report.html" --timeline --hang

# Traces of the command line's tests: a golden of which one byte is wrong, a name that is markup, and a cube of two million bytes.
(
    cd "$dir" || exit 2
    . "$OLDPWD/tests/cli/traces.sh"
    name='<script>document.title="x"<!--'
    mkdir odd_name && cp badgold/in.dat odd_name && cp badgold/badgold.cfg "odd_name/$name.cfg" && cp badgold/badgold_golden_80010000.dat "odd_name/${name}_golden_80010000.dat"
    mkdir large && sed 's/CUBE_WIDTH_0, 0x7/CUBE_WIDTH_0, 0x3ff/; s/CUBE_HEIGHT_0, 0x0/CUBE_HEIGHT_0, 0xff/; s/STRIDE_0, 0x40/STRIDE_0, 0x2000/
        s/0x80000000, 0x40, ALL_ZERO/0x80000000, 0x200000, ALL_ZERO/; s/0x80010000, 0x40/0x80400000, 0x200000/; s/0x80010000/0x80400000/; /check_crc/d' good/good.cfg >large/large.cfg
    cp good/in.dat large
    awk 'BEGIN { for (i = 0; i < 32; i++) bytes = bytes " 0x33"
        for (at = 0; at < 2097152; at += 32) printf "%s{offset:0x%x, size:32, payload:%s}", at ? ",\n" : "{\n", at, substr(bytes, 2)
        print "\n}" }' >large/large_golden_80400000.dat
)
"$NVCOSIM" run -q --dut model --out "$dir/out" "$dir/badgold/badgold.cfg" 2>/dev/null
page "one byte that differs from a golden" "$(is $? 1; echo $?)" "$dir/out/badgold/report.html" --map --cell 1/8 0,1,1,ee,fe
"$NVCOSIM" run -q --dut model --out "$dir/out" "$dir/odd_name/"*.cfg 2>/dev/null
page "a name that is markup" "$(is $? 1; echo $?)" "$(echo "$dir"/out/*script*/report.html)" --map
"$NVCOSIM" run -q --dut model --out "$dir/out" "$dir/large/large.cfg" 2>/dev/null
page "two million bytes that differ" "$(is $? 1; echo $?)" "$dir/out/large/report.html" --map --most 1000000
finish
