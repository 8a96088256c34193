#!/bin/bash
# Takes pictures of pages in a browser, for docs: docs/report.png, the head of what nvcosim debug reports of an RTL with a bug, and
# docs/nightly.png, the head of index.html of a night (tests/regress/fixture.py).
#
# usage: page_picture.sh BUILD [report] [nightly]      both by default
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- report nightly
dir=$build/picture
mkdir -p "$dir"

# picture PAGE NAME HEIGHT: docs/NAME.png
picture() {
    rm -f "$dir/$2.png"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --blink-settings=preferredColorScheme=1 --user-data-dir="$dir/profile" --window-size="1000,$3" \
        --screenshot="$dir/$2.png" "file://$1" >"$dir/chromium.log" 2>&1 || true
    [ -s "$dir/$2.png" ] || { cat "$dir/chromium.log" >&2; echo "page_picture: chromium left no picture" >&2; exit 1; }
    cp "$dir/$2.png" "docs/$2.png"
}

for what; do
    case $what in
    report)
        trace=rand_sdp_pdp_001
        tests/replay/buggy_rtl.sh "$build" "$dir/buggy"
        "$build/nvcosim" build --config small --name buggy --filelist "$dir/buggy/buggy.f"
        "$build/nvcosim" debug --dut rtl:buggy --out "${dir#"$PWD"/}" "traces/conformance/small/$trace.nvt.gz" >/dev/null 2>&1 || [ $? -eq 1 ]
        picture "$dir/$trace/report.html" report 1290
        ;;
    nightly)
        make --no-print-directory "${build#"$PWD"/}/tests/outputs"
        "$build/nvcosim" run -q --dut model --functional-coverage --results - traces/conformance/small/rand_*_00[1-3].nvt.gz 2>/dev/null | jq -r .coverage >"$dir/bins"
        night=$(tests/regress/fixture.py "$dir/nights.db" --plain --tests 520 --bins "$dir/bins" --folder nvcosim-nights | jq .failed)
        "$build/tests/outputs" "$dir/nights.db" "$night" "$dir"
        picture "$dir/index.html" nightly 1120
        ;;
    *)
        echo "page_picture: found '$what', expected report or nightly" >&2
        exit 2
        ;;
    esac
done
