#!/bin/bash
# nvcosim accuracy: counts, places of labels, what is missing or damaged, files of labels, and a sample on the RTL, also on a bus that is broken.
# usage: tests/replay/accuracy.sh BUILD
NVCOSIM=${1:?usage: accuracy.sh BUILD}/nvcosim
. "$(dirname "$0")/../cli/frame.sh"
digits=$ROOT/traces/networks/digits
net=$digits/digits.nvdla

# ---- all on the model: the same as `run`, on any number of processes ------------------------------------------------------------------
nv accuracy "$net" --inputs "$digits" --labels "$digits/pictures.txt" --classes "$digits/labels.txt"
check accuracy_text 0 "(small): 10 of 10 labelled pictures computed" "top-1: 10, 100.00 %" "top-5: 10, 100.00 %" \
    "    9     0     0     0     0     0     0     0     0     0     1" "!not recognised" "!no label" "!rtl"
for i in 0 1 2 3 4 5 6 7 8 9; do echo "$i.png,3"; done >three.csv
nv accuracy "$net" --inputs "$digits" --labels three.csv --json -j 1; check accuracy_wrong 0; cp stdout one.json
nv accuracy "$net" --inputs "$digits" --labels three.csv --json -j 3; check accuracy_processes 0; cp stdout three.json
that accuracy_same cmp one.json three.json
json accuracy_counts one.json "j['top1'] == 1 and j['computed'] == 10 and len(j['wrong']) == 9"
json accuracy_confusion one.json "j['confusion'] == [{'label': 3, 'found': n, 'count': 1} for n in range(10)]"
json accuracy_top5 one.json "j['top5'] == 1 + sum(w['rank'] < 5 for w in j['wrong']) and False not in [(w['rank'] < 5) == (3 in w['top']) for w in j['wrong']]"
for i in 2 5 8; do
    nv run --dut model --no-layer-checks "$net" --input "$digits/$i.png" --top 5; check "accuracy_run_$i" 0
    places=$(sed -n '/^output/,$p' stdout | awk 'NR > 1 { print $1 }' | paste -sd,)
    json "accuracy_as_run_$i" one.json "[$places] in [w['top'] for w in j['wrong'] if w['file'] == '$i.png']"
done

# ---- a network of ONNX ------------------------------------------------------------------------------------------------------------------
onnx=$ROOT/tests/quantised/x.qdq.onnx
mkdir onnx
printf 'P5\n5 6\n255\n%030d' 7 >onnx/a.pgm
nv run --dut model "$onnx" --input onnx/a.pgm --top 1; check accuracy_onnx_run 0 "PASS x.qdq"
greatest=$(awk 'END { print $1 }' stdout)
echo "a.pgm $greatest" >onnx.txt
nv accuracy "$onnx" --inputs onnx --labels onnx.txt; check accuracy_onnx 0 "1 of 1 labelled pictures computed" "top-1: 1, 100.00 %"

# ---- pictures that are missing, damaged or without a label: the others count -----------------------------------------------------------
mkdir -p p/sub
cp "$digits"/[0-2].png p
cp "$digits/2.png" "p/sub/a b.png"
cp "$digits/5.png" p/extra.png
head -c 100 "$digits/4.png" >p/4.png
printf 'P5\n2 2\n255\nabcd' >p/small.pgm
printf 'file,label\n\n"./0.png","zero"\r\n1.png\tone\n 2.png , 1\nsub/a b.png 2\n3.png,three\n4.png 4\nsmall.pgm 4' >mixed.csv
nv accuracy "$net" --inputs p --labels mixed.csv --classes "$digits/labels.txt"
check accuracy_missing 2 "4 of 7 labelled pictures computed" "top-1: 3, 75.00 %" "  2.png: label 1 one, found 2 two; the label has place" \
    "mixed.csv:7: p/3.png: No such file" "mixed.csv:8: p/4.png: found a damaged PNG" "mixed.csv:9: p/small.pgm: found a picture of 2 x 2" \
    "1 picture has no label, so not counted:" "  extra.png" "!a b.png:"
nv accuracy "$net" --inputs p --labels mixed.csv --classes "$digits/labels.txt" --json; check accuracy_missing_json 2
json accuracy_json stdout "[len(j[k]) for k in ('wrong', 'missing', 'damaged', 'unlabelled')] == [1, 1, 2, 1] and 'rtl' not in j"
nv accuracy "$net" --inputs p --labels mixed.csv --classes "$digits/labels.txt" --list 1
check accuracy_list 2 "4.png: found" "!small.pgm" "  and 1 more (--list)"

# ---- what is refused ---------------------------------------------------------------------------------------------------------------------
refused() { # NAME LINES TEXT
    printf '%b' "$2" >labels.txt
    nv accuracy "$net" --inputs p --labels labels.txt; check "accuracy_$1" 2 "$3" "!top-1"
}
refused no_label '0.png 0\n1.png\n' "labels.txt:2: found '1.png', expected FILE LABEL or FILE,LABEL"
refused no_file ' ,3' "labels.txt:1: found ',3', expected"
refused class '0.png 10' "labels.txt:1: found the label '10', expected a class from 0 to 9"
refused name '0.png zero' "found the label 'zero', expected a class from 0 to 9; names need --classes"
refused twice '0.png 0\n1.png 1\n./0.png 0\n' "labels.txt:3: found 0.png, which line 1 names"
refused empty '\n' "labels.txt: found no label"
nv accuracy "$net" --inputs none --labels three.csv; check accuracy_folder 2 "--inputs: none: No such file"
nv accuracy "$net" --inputs three.csv --labels three.csv; check accuracy_no_folder 2 "three.csv: is not a folder; expected one"
nv accuracy "$net" --inputs p; check accuracy_usage 2 "--labels is not given"
nv accuracy "$net" --inputs p --labels three.csv --input zero; check accuracy_input 2 "--input: found a picture; expected --inputs"
nv accuracy "$net" --inputs p --labels three.csv --rtl 1 --dut model; check accuracy_dut 2 "use --dut both"

# ---- a sample on the RTL -----------------------------------------------------------------------------------------------------------------
nv accuracy "$net" --inputs "$digits" --labels three.csv --rtl 2 --seed 7 -o rtl; check accuracy_rtl 0 "rtl: 2 pictures of seed 7, 2 as on the model"
that accuracy_traces test "$(printf '%s\n' rtl/picture-*.nvt.gz | wc -l)" = 2
nv accuracy "$net" --inputs "$digits" --labels three.csv --rtl 1 --seed 7 -o rtl --bus-fault swapped
check accuracy_differs 1 "rtl: 1 picture of seed 7, 0 as on the model" "  FAIL 3.png (rtl/picture-4.nvt.gz):" "bytes differ between rtl and model"
nv accuracy "$net" --inputs "$digits" --labels three.csv --rtl 1 --seed 7 -o rtl --bus-fault swapped --json; check accuracy_differs_json 1
json accuracy_rtl_json stdout "j['rtl']['seed'] == 7 and j['rtl']['pictures'][0]['verdict'] == 'FAIL' and j['top1'] == 1"
finish
