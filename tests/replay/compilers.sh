#!/bin/bash
# Builds simulators with each compiler, with and without a profile and with several threads. Each must come from the compiler that was asked for,
# and all must give the same results. Our own RTL is built as another RTL, so that build/nvcosim-small stays as it is.
#
# usage: compilers.sh BUILD     with NIGHTLY=1 all of it; else the compiler alone that a machine without clang has, with -O0
. "$(dirname "$0")/frame.sh"
build=$(realpath "$1")
dir=$build/tests/compilers
made=$build/sim/nvcosim-small-made
rm -rf "$dir" "$made" "$build"/nvcosim-small-made* "$build/small-made.variables" && mkdir -p "$dir"
echo "-F $PWD/rtl/nvdla.f" >"$dir/made.f"
traces=(traces/conformance/small/rand_{dc_pdp_009,sdp_000,cdp_009}.nvt.gz)

# compiled_by NAME: the objects of the Verilated RTL are of this compiler alone. They are in a library, or units after a build with -O0 or -O1.
compiled_by() {
    local found objects=("$made"/Vtb_top__ALL.a) first
    if [ "$made/unit_fast_0.o" -nt "$made/Vtb_top__ALL.a" ]; then
        objects=("$made"/unit_*.o)
        first=$(head -c 2 "${objects[0]}" | tr -d '\0')
    else
        first=$(ar p "${objects[0]}" Vtb_top.o | head -c 2 | tr -d '\0')
    fi
    if [ "$first" = BC ]; then # clang's code for link-time optimisation
        [ "$1" = Debian ]
        return
    fi
    found=$(readelf -p .comment "${objects[@]}" | sed -n 's/^ *\[ *[0-9a-f]*\] *//p' | sed 's/ .*//' | sort -u | tr '\n' ' ')
    [ "$found" = "$1 " ] || { echo "compiled by: $found"; false; }
}
# tells KEY VALUE: info --build says so of the simulator
tells() {
    local facts
    facts=$("$NVCOSIM" info --build --json | jq -c '.[] | select(.simulator == "nvcosim-small-made")')
    echo "$facts"
    jq -r --arg key "$1" '.[$key]' <<<"$facts" | grep -qxE -e "$2"
}
# plays DUT: prints what the traces come to, without what no two runs have in common
plays() {
    "$NVCOSIM" run --dut "$1" --out "$dir/out" --results - -q "${traces[@]}" | grep '^{' |
        jq -r '[.verdict, .trace, (.devices[] | select(.name != "model") | .cycles, .op_cycles, .checks, .vpi_calls, .read_beats, .write_beats, .interrupts)] | map(tostring) | join(" ")'
}
plays both >"$dir/own"
that "the traces pass" test "$(grep -c '^PASS' "$dir/own")" -eq ${#traces[@]}
same() { plays rtl:made | diff "$dir/own" -; }

# A machine that has g++ alone.
mkdir "$dir/bin"
find /usr/local/bin /usr/bin /bin -maxdepth 1 ! -name '*clang*' ! -name '*llvm*' -exec ln -sf -t "$dir/bin" {} +
optimize=(--optimize=-O0) # by day
[ -z "${NIGHTLY:-}" ] || optimize=()
PATH=$dir/bin "$NVCOSIM" build --filelist "$dir/made.f" --name made "${optimize[@]}" && compiled_by GCC: && tells compiler 'GCC .*' &&
    tells options "-O$((${#optimize[@]} ? 0 : 2))" && same
check "without clang++ it is g++, with -O2 unless told" $?
"$NVCOSIM" build --name made --compiler no_such_compiler 2>"$dir/log"
[ $? -eq 2 ] && grep -q 'no_such_compiler is not installed' "$dir/log" && tells compiler 'GCC .*'
check "a compiler that does not exist" $?
if [ -n "${NIGHTLY:-}" ]; then
    "$NVCOSIM" build --name made --optimize=-O1 && compiled_by Debian && tells compiler '.*[Cc]lang .*' && tells options -O1 && same
    check "with both it is clang++, and an optimisation that is given" $?
    "$NVCOSIM" build --name made --optimize=auto --profile "${traces[@]}" && compiled_by GCC: && tells options -O2 && tells profile 'rand_dc_pdp_009.*' && same
    check "with a profile" $?
    touch "$dir/since" && make -s simulator CONFIG=small NAME=made FILELIST="$dir/made.f" && tells profile 'rand_dc_pdp_009.*' && [ ! "$made/Vtb_top.o" -nt "$dir/since" ]
    check "which stays, and nothing is compiled again" $?
    "$NVCOSIM" build --name made --sim-threads 2 && tells threads 2 && tells profile none && same
    check "with threads the code is another: the profile is not used, the results are the same" $?
    make -s simulator CONFIG=small NAME=made FILELIST="$dir/made.f" CXX=g++ OPT=-O1 SIM_THREADS=1 PROFILE=1 && compiled_by GCC: && tells options -O1 && tells profile '32 random layers' && same
    check "make simulator CXX=g++ OPT=-O1 PROFILE=1" $?
    ends "a profile of no trace" 2 'none of the traces for the profile could be played' \
        "$NVCOSIM" build --name made --compiler auto --profile "$dir/made.f"
fi
rm -rf "$made" "$build"/nvcosim-small-made "$build/small-made.variables"
finish
