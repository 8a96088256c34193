#!/bin/bash
# Measures the speed of the model's convolution against the multiply-accumulate peak of the machine. Each round measures the peak and every
# kind of layer one after the other, and the medians of the rounds count, because machines are noisy. Then the same layers with threads (wall
# time).
#
# usage: model.sh BUILD [ROUNDS]
set -u
build=$1
rounds=${2:-5}
make --no-print-directory "$build/bench/mac_peak" "$build/bench/conv_rate" || exit 1
cores=$(nproc)
# Configuration, kind, column of mac_peak, what is asked for: per cent of the peak, or GMAC/s.
kinds='small int8 1 40%
medium_512 int8 1 40%
large int8 1 40%
full int8 1 40%
full int16 2 40%
full winograd - -
full fp16 - 2.5
full fp16_alike - -
full fp16_relu - -
full fp16_winograd - -'
out=
for ((i = 0; i < rounds; i++)); do
    peak=$("$build/bench/mac_peak")
    while read -r config kind column wanted; do
        read -r rate alone <<<"$("$build/bench/conv_rate" "$config" "$kind")" && [ -n "$alone" ] || exit 1
        threads=$alone
        [ "$cores" -gt 1 ] && { read -r _ threads <<<"$("$build/bench/conv_rate" "$config" "$kind" "$cores")" && [ -n "$threads" ] || exit 1; }
        [ "$column" = - ] && of=0 || of=$(cut -d ' ' -f "$column" <<<"$peak")
        out+="$config $kind $wanted $rate $of $alone $threads"$'\n'
    done <<<"$kinds"
done
echo "the model's convolutions, 3x3, 256 channels, 256 kernels, 14x14 (Winograd 16x16, its products): medians of $rounds rounds"
printf '  %-12s %-14s %10s %10s %8s %8s %12s\n' configuration kind GMAC/s peak ratio wanted "$cores threads"
while read -r config kind _ wanted; do
    median() { awk -v c="$config" -v k="$kind" -v f="$1" '$1 == c && $2 == k { print $f }' <<<"$out" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
    awk -v c="$config" -v k="$kind" -v w="$wanted" -v r="$(median 4)" -v p="$(median 5)" -v a="$(median 6)" -v t="$(median 7)" 'BEGIN {
        printf "  %-12s %-14s %10.2f %10s %8s %8s %11.2fx\n", c, k, r, (p > 0 ? p : "-"), (p > 0 ? sprintf("%.0f %%", 100 * r / p) : "-"), w, t / a }'
done <<<"$kinds"
