#!/bin/bash
# Traces as input.txn: what is written reads as the same program (docs/export.md says what "the same" is), plays on the
# model to the same verdict and leaves the same memory; exported once more it gives the same files. One own trace in four.
#
# usage: NVCOSIM=build/nvcosim tests/export/formats.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "$1")
NVCOSIM=$(realpath "${NVCOSIM:-$build/nvcosim}")
make --no-print-directory "$build/tests/same_program" || { echo "0 passed, 1 failed"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
that() {
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: $*"
        tail -n 5 "$work/log" | sed 's/^/    | /'
    fi
}

export_all() { # FORMAT
    local number=0 trace config name
    triples=()
    for trace in traces/conformance/*/*.nvt.gz; do
        # rand_high: memory that input.txn has no addresses for
        [ $((number++ % 4)) = 0 ] && [[ $1 != txn || $trace != */rand_high_* ]] || continue
        config=$(basename "$(dirname "$trace")") name=$(basename "$trace" .nvt.gz)
        "$NVCOSIM" export "$trace" --to "$1" -o "$work/$1/$config/$name" 2>"$work/log" || cat "$work/log"
        triples+=("$trace" "$work/$1/$config/$name" "$config")
    done
}

for format in txn; do
    mkdir -p "$work/$format/small" "$work/$format/full"
    export_all $format
    "$build/tests/same_program" "${triples[@]}" >"$work/counts"
    grep -v ' passed, ' "$work/counts"
    read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/counts")
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
done
for name in small/rand_multi_000 full/rand_sdpe_000 full/rand_bdma_000; do
    "$NVCOSIM" export "traces/conformance/$name.nvt.gz" --to txn -o "$work/once" 2>/dev/null
    that "$name once more" "$NVCOSIM" export --config "${name%/*}" "$work/once" --to txn -o "$work/twice"
    that "$name gives the same files" diff -r "$work/once" "$work/twice"
    rm -rf "$work/once" "$work/twice"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
