#!/bin/bash
# Recognises the digit in a picture with the small LeNet of traces/networks/digits: compiles the network to a trace, plays it on the RTL of
# `small` and on the model, and prints the scores that the RTL wrote to memory.
#
# usage: scripts/demo_network.sh BUILD [PICTURE]     default: traces/networks/digits/7.png; 28 x 28 pixels, light on dark
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) digits=traces/networks/digits
picture=${2:-$digits/7.png}
[[ $picture == /* ]] || [ -e "$picture" ] || picture=$top/$picture
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$build/nvcosim" run "$top/$digits/digits.nvdla" --input "$picture" --show-input --labels "$top/$digits/labels.txt" --top 3 --no-report \
    --out "$scratch" --results "$scratch/results.jsonl"
/usr/bin/python3 "$top/scripts/demo_speed.py" "$scratch/results.jsonl"
