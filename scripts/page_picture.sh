#!/bin/bash
# Makes docs/report.png: the head of report.html as a browser shows it, of a trace that an RTL with a bug fails.
#
# usage: page_picture.sh BUILD [PICTURE]      PICTURE: docs/report.png by default
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "$1")
picture=$(realpath "${2:-docs/report.png}")
dir=$build/picture
trace=rand_sdp_pdp_001
mkdir -p "$dir"
tests/replay/buggy_rtl.sh "$build" "$dir/buggy"
"$build/nvcosim" build --config small --name buggy --filelist "$dir/buggy/buggy.f"
"$build/nvcosim" run -q --dut rtl:buggy --html --out "$dir" "traces/conformance/small/$trace.nvt.gz" >/dev/null 2>&1 || [ $? -eq 1 ]
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --blink-settings=preferredColorScheme=1 --user-data-dir="$dir/profile" --window-size=1000,1290 \
    --screenshot="$dir/report.png" "file://$dir/$trace/report.html" >"$dir/chromium.log" 2>&1 || true
[ -s "$dir/report.png" ] || { cat "$dir/chromium.log" >&2; echo "page_picture: chromium left no picture" >&2; exit 1; }
cp "$dir/report.png" "$picture"
