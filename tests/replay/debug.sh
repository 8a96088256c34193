#!/bin/bash
# nvcosim debug names the engine to blame: faults planted into one copy of the RTL (scripts/plant.py), each noticed by some trace of a
# list; at least nine of ten must be named by their folder. What it leaves behind is there and says the same.
#
# usage: debug.sh BUILD [COUNT [SEED]]
set -u
. "$(dirname "$0")/frame.sh"
build=$1 count=${2:-20} seed=${3:-7}
dir=$build/tests/debug
rm -rf "$dir" && mkdir -p "$dir"
traces=()
for name in rand_mixed_000 rand_edge_cdp_000 rand_dc_pdp_000 rand_corner_000 rand_img_001 rand_pdp_001 rand_cdp_000 rand_corner_001; do
    traces+=("traces/conformance/small/$name.nvt.gz")
done

"$NVCOSIM" debug --out "$dir/out" "${traces[0]}" >"$dir/log" 2>&1
[ $? -eq 0 ] && grep -q '^PASS' "$dir/log" && [ ! -e "$dir/out/rand_mixed_000/wave.fst" ] && [ ! -e "$dir/out/rand_mixed_000/taps" ]
check "a trace that passes leaves neither waves nor streams" $?
"$NVCOSIM" debug "${traces[@]:0:2}" >"$dir/log" 2>&1
[ $? -eq 2 ] && grep -q 'one trace at a time' "$dir/log"
check "two traces are refused" $?
"$NVCOSIM" debug --dut model "${traces[0]}" >"$dir/log" 2>&1
[ $? -eq 2 ] && grep -q 'RTL and model are compared' "$dir/log"
check "the model alone is refused" $?

# Engines of full that have no streams.
"$NVCOSIM" run -q -j2 --stop-at-first --out "$dir/out" traces/conformance/full/rand_{bdma,rubik,rubikp}_00[0-4].nvt.gz >"$dir/log" 2>&1
check "BDMA and RUBIK: a run that stops at the first wrong beat finds none" $?

python3 scripts/plant.py "$dir" --count "$count" --seed "$seed" cacc cbuf cdma cdp cmac csc lut mcif pdp sdp
check "faults are planted" $?
"$NVCOSIM" build --config small --name planted --filelist "$dir/faults.f" >"$dir/build.log" 2>&1
check "the copy is built" $?
python3 - "$NVCOSIM" "$dir" "${traces[@]}" <<'PY'
import json, os, subprocess, sys
nvcosim, folder, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
noticed = named = 0
for fault in json.load(open(f"{folder}/faults.json", encoding="utf-8"))["faults"]:
    chosen = f"--fault={fault['number']}"
    run = [nvcosim, "run", "-q", "--dut", "rtl:planted", "--still", "20000", "--max-seconds", "20", chosen, "--out", f"{folder}/run",
           "--results", f"{folder}/results"]
    subprocess.run(run + traces, capture_output=True)
    failed = [r for r in map(json.loads, open(f"{folder}/results", encoding="utf-8")) if r["verdict"] in ("FAIL", "HANG")]
    if not failed:
        continue
    noticed += 1
    out = f"{folder}/{fault['number']}"
    done = subprocess.run([nvcosim, "debug", "--dut", "rtl:planted", "--still", "20000", "--max-seconds", "60", chosen, "--out", out,
                           failed[0]["path"]], capture_output=True, text=True)
    place = f"{out}/{failed[0]['trace']}"
    try:
        verdict = json.load(open(f"{place}/report.json", encoding="utf-8"))["verdict"]
    except (OSError, KeyError) as error:
        verdict = {"engine": None, "kind": str(error), "sentence": done.stderr[-300:]}
    right = verdict["engine"] == fault["folder"] and done.returncode in (1, 3)
    named += right
    print(f"{'named' if right else 'WRONG'}: fault {fault['number']} in {fault['file']}:{fault['line']} ({fault['original']} -> {fault['changed']}), "
          f"{failed[0]['trace']}: {verdict['engine']}, {verdict['kind']}: {verdict['sentence']}")
    if right and verdict["kind"] == "value":
        page = open(f"{place}/report.html", encoding="utf-8").read()
        for file in ("report.txt", "wave.fst", "wave.gtkw", "taps/rtl", "taps/model"):
            assert os.path.exists(f"{place}/{file}"), file
        assert verdict["tap"] and verdict["cycle"] and verdict["walk"], verdict
        assert verdict["element"] or verdict["tap"].startswith("AXI_WRITE"), verdict  # a write outside of all cubes
        assert f"{fault['folder']} is to blame" in page and f"{fault['folder']} is to blame" in done.stderr
print(f"{named} of {noticed} faults that the traces notice are named by their folder")
sys.exit(not (noticed >= 4 and named >= 0.9 * noticed))
PY
check "at least nine of ten faults are named by the folder they are in" $?
finish
