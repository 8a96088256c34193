#!/bin/bash
# nvcosim run --histogram and nvcosim calibrate.
# usage: NVCOSIM=build/nvcosim tests/cli/calibrate.sh
. "$(dirname "$0")/frame.sh"

nv run --dut model --histogram --out hist good/good.cfg; check histogram 0 "PASS good" "report: hist/good/report.txt, pictures of the histograms in histogram.svg"
that histogram_text grep -qF 'SDP #0 SDP_OUT: 8 bits, 64 values, -8 .. 8; 0: 48, -1: 1' hist/good/report.txt
that histogram_json "$ROOT/tests/cli/histogram.py" hist/good/histogram.json
that histogram_svg /usr/bin/python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("hist/good/histogram.svg")'
nv run --dut rtl --histogram good/good.cfg; check histogram_rtl 2 "--histogram: the streams are those of the model"
nv run --dut model --histogram --threads 3 --out hist3 good/good.cfg; check histogram_threads 0
that histogram_threads_same cmp hist/good/histogram.json hist3/good/histogram.json

# a layer that saturates: its values are 48 times 0, and -8 .. 8 times 100
mkdir loud && cp good/in.dat loud && sed 's/CVT_SCALE_0, 0x1/CVT_SCALE_0, 0x64/; /golden/d' good/good.cfg >loud/loud.cfg
nv calibrate --write calm.nvt.gz loud; check calibrate 0 "SDP #0, output convertor: 64 values, -8 .. 8; bin 3, 0 values above it" \
    "recommended             0      32512      12           0           0" "warning: checks of the trace fail" "calm.nvt.gz written after 2 plays; checks left out because they no longer hold: 1"
that calibrate_counts_present grep -qE '^  present  +0 +100 +0 +[0-9.]+ +14 ' stdout
nv run --dut model --histogram --out calm calm.nvt.gz; check calibrate_written 0 "PASS calm"
that calibrate_saturation grep -qF 'SDP #0 SDP_CVT_IN: 32 bits, 64 values, -8 .. 8; 0: 48, -1: 1, at the ends of the type: 0, saturated after it: 0' calm/calm/report.txt
nv calibrate good; check calibrate_good 0 "as it is                0          1       0           0           0           0" '!recommended'
nv calibrate --clip 0.15 --write clipped.nvt loud; check calibrate_clip 0 "bin 1, 9 values above it"
that calibrate_clip_predicted grep -qE '^  recommended  +0 +32512 +10 +8 +8 ' stdout
nv calibrate --minimum-error loud; check calibrate_minimum_error 0 "bin 3"
nv calibrate --clip 2 loud; check calibrate_clip_range 2 "--clip: found '2', expected a share from 0 to 1"
nv calibrate --clip 0.1x loud; check calibrate_clip_tail 2 "--clip: found '0.1x'"
nv calibrate --clip nan loud; check calibrate_clip_nan 2 "--clip: found 'nan'"
nv calibrate --clip 0.1 --minimum-error loud; check calibrate_exclusive 2 "--clip and --minimum-error exclude each other"
nv calibrate --write x.cfg loud; check calibrate_write_suffix 2 "--write: found 'x.cfg', expected a name that ends in .nvt or .nvt.gz"
nv calibrate --write nodir/x.nvt loud; check calibrate_write_target 2 "nodir/x.nvt"
nv calibrate --threads 0 loud; check calibrate_threads 2 "--threads: found '0', expected a number from 1 to 256"
nv calibrate; check calibrate_without_trace 2 "no trace is given"
nv calibrate loud good; check calibrate_two_traces 2 "found 'good', expected one trace only"
nv calibrate broken/broken.cfg; check calibrate_bad_trace 2 "broken.cfg:31:"
command=(bash -c 'echo "SDP 9 D_CVT_SHIFT CVT_SHIFT 1" | "$NVCOSIM" calibration good'); check calibration_launch 2 "found 'SDP 9 D_CVT_SHIFT CVT_SHIFT 1', expected UNIT ORDINAL REGISTER FIELD VALUE of a launch"
nv calibrate hang; check calibrate_hang 3 "the trace does not finish"
finish
