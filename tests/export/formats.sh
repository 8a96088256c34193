#!/bin/bash
# Exports traces as input.txn and as .cfg. The result must read as the same program (docs/export.md defines "the same"), play on the model to
# the same verdict and memory, and export again to the same files. One own trace in four.
#
# usage: NVCOSIM=build/nvcosim tests/export/formats.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "$1")
NVCOSIM=$(realpath "${NVCOSIM:-$build/nvcosim}")
make --no-print-directory "$1/tests/same_program" || { echo "0 passed, 1 failed"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
log=$work/log

# The register commands of a trace.
registers() { grep -E '^(reg_|read_check|poll|wait)' "$1" | sed 's/ *#.*//'; }

export_all() { # FORMAT
    local number=0 trace config name
    triples=()
    for trace in traces/conformance/*/*.nvt.gz; do
        # rand_high: memory that input.txn has no addresses for
        if [ $((number++ % 4)) != 0 ] || [[ $1 = txn && $trace = */rand_high_* ]]; then continue; fi
        config=$(basename "$(dirname "$trace")") name=$(basename "$trace" .nvt.gz)
        "$NVCOSIM" export "$trace" --to "$1" -o "$work/$1/$config/$name" 2>"$work/log" || cat "$work/log"
        triples+=("$trace" "$work/$1/$config/$name" "$config")
    done
}

for format in txn cfg; do
    mkdir -p "$work/$format/small" "$work/$format/full"
    export_all $format
    "$build/tests/same_program" "${triples[@]}" >"$work/counts"
    grep -v ' passed, ' "$work/counts"
    read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/counts")
    passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
done

# What a driver did: imported, exported, and imported again or read, it is the same; and once more.
triples=()
mkdir -p "$work/import_txn" "$work/import_cfg"
for capture in traces/captures/*/vp.log* "${NVDLA_CONFORMANCE:-../shared/conformance}"/captures/*/{sc_rebuilt.log.gz,synth_*_bdma_000/vp.log,vp.log}; do
    [ -e "$capture" ] || continue
    config=full name=$(basename "$(dirname "$capture")")
    [[ $name = *small* ]] && config=small
    [ -e "$work/$name.nvt" ] && continue
    "$NVCOSIM" import -q --config $config "$capture" -o "$work/$name.nvt" >"$work/log" 2>&1
    for format in txn cfg; do
        # no .cfg: its driver waits for interrupts that it masks
        if ! "$NVCOSIM" export "$work/$name.nvt" --to $format -o "$work/import_$format/$name" 2>"$work/refused"; then
            that "$name as $format is refused for its mask, if at all" grep -q 'that S_INTR_MASK masks' "$work/refused"
            continue
        fi
        triples+=("$work/$name.nvt" "$work/import_$format/$name" "$config")
    done
    "$NVCOSIM" import -q --config $config --from txn --dialect player "$work/import_txn/$name/input.txn" -o "$work/again_$name.nvt" >"$work/log" 2>&1
    that "$name imported again: the same registers" cmp <(registers "$work/$name.nvt") <(registers "$work/again_$name.nvt")
done
"$build/tests/same_program" "${triples[@]}" >"$work/counts"
grep -v ' passed, ' "$work/counts"
read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/counts")
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))

for name in small/rand_multi_000 full/rand_sdpe_000 full/rand_bdma_000; do
    "$NVCOSIM" export "traces/conformance/$name.nvt.gz" --to txn -o "$work/once" 2>/dev/null
    that "$name once more" "$NVCOSIM" export --config "${name%/*}" "$work/once" --to txn -o "$work/twice"
    that "$name gives the same files" diff -r "$work/once" "$work/twice"
    rm -rf "$work/once" "$work/twice"
done
finish
