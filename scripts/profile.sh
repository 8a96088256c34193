# Part of build_simulator.sh, which sources it: the profile that a simulator is compiled with, counts of how often each piece of code runs.
# Chooses the compiler; sets profiled (the traces played for it; empty: no profile) and use_profile (options for the compiler).
#
# The folder of the simulator has the file profile (compiler and Verilated C++ that it fits, the traces, its checksum) and the data,
# profile.data of clang or *.gcda of gcc.
# shellcheck shell=bash disable=SC2154,SC2034 # variables of build_simulator.sh, and for it

# Sets make_profile, and use_profile.
profile_options() {
    case $family in
    clang)
        make_profile=(-fprofile-instr-generate)
        use_profile=(-fprofile-instr-use=profile.data -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled)
        # With a profile, and only with one, what is optimised at link time is faster (by a twentieth). It needs LLVM's linker.
        lto=(-flto=thin -fuse-ld=lld)
        ! "$compiler" "${lto[@]}" -x c++ -o /dev/null - <<<'int main() {}' 2>/dev/null || use_profile+=("${lto[@]}")
        ;;
    gcc)
        make_profile=(-fprofile-generate)
        use_profile=(-fprofile-use -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch)
        ;;
    esac
}

# The profiler of a compiler of LLVM: beside it, or of its version.
llvm_profdata() {
    local real number
    real=$(readlink -f "$(command -v "$compiler")")
    number=$(sed -E 's/.*clang version ([0-9]+).*/\1/' <<<"$version")
    command -v "${real%/*}/llvm-profdata" "llvm-profdata-$number" llvm-profdata | head -n 1
}

# Random layers that are played: of DRAWN with all engines, and of as many convolutions, the longest ones. In short ones reset and
# registers take most of the clocks, and the code of the engines would count as seldom reached (5 to 10 % slower).
DRAWN=200 LONGEST=16

# longest ENGINE: prints their paths.
longest() {
    "$build/nvcosim" gen --config "$config" --engine "$1" --seed 1 --count $DRAWN --out "$work/traces" >"$work/drawn" || return
    sed -nE 's/^(.*): .* about ([0-9]+) cycles$/\2 \1/p' "$work/drawn" | sort -k1,1rn -k2 | sed -n "1,${LONGEST}s,^[0-9]* ,,p"
}

# Compiles with counters, plays, collects.
train() {
    local file trace status played=0 traces=() work=$dir/training
    [ "$family" != clang ] || command -v "$(llvm_profdata)" >/dev/null || fail "llvm-profdata is not installed; \`make setup\` installs what is missing"
    rm -rf "$work"
    mkdir -p "$work/traces"
    for trace in ${TRAINING:-}; do
        [ -r "$trace" ] || fail "TRAINING: $trace: not found"
        traces+=("$(realpath "$trace")")
    done
    if [ ${#traces[@]} -eq 0 ]; then
        mapfile -t traces < <(longest mix && longest conv)
        [ ${#traces[@]} -eq $((2 * LONGEST)) ] || fail "no layers for the training can be drawn"
    fi
    echo "compiling with counters for a profile: $simulator"
    for file in "$dir"/*.cpp "$dir"/*.h "$dir"/*.mk "$dir/defines"; do ln -s "$(realpath "$file")" "$work/"; done
    echo '#define MADE ""' | put "$work/made.h"
    compile "$work" "$(realpath "$work")/$simulator" "${make_profile[@]}"
    for trace in "${traces[@]}"; do
        # The verdicts do not matter, but 2, 4 and more mean that it was not played.
        status=0
        LLVM_PROFILE_FILE=$work/%m.profraw timeout 300 "$work/$simulator" --dut=rtl --config="$config" --max-seconds=60 --out="$work/out" -q \
            "$trace" >>"$work/play.log" 2>&1 || status=$?
        case $status in 0 | 1 | 3) played=$((played + 1)) ;; esac
    done
    [ $played -gt 0 ] || { cat "$work/play.log" >&2; fail "none of the traces for the profile could be played"; }
    rm -f "$dir"/*.gcda "$dir/profile.data"
    case $family in
    clang) "$(llvm_profdata)" merge -o "$dir/profile.data" "$work"/*.profraw >>"$work/play.log" 2>&1 ;;
    gcc) mv "$work"/*.gcda "$dir" 2>>"$work/play.log" ;;
    esac || { cat "$work/play.log" >&2; fail "the training left no profile"; }
    { echo "$fits"; echo "${TRAINING:-$((2 * LONGEST)) random layers}"; cat "$dir/profile.data" "$dir"/*.gcda 2>/dev/null | cksum || true; } >"$dir/profile"
    rm -rf "$work"
}

profiled=
[ "$PROFILE" != 0 ] || rm -f "$dir/profile" "$dir/profile.data" "$dir"/*.gcda
if [ "$PROFILE" = auto ] || [ "$PROFILE" = 1 ] || [ -f "$dir/profile" ]; then
    choose_compiler profile
    profile_options
    fits="$version $optimize $(cat "$dir"/Vtb_top*.{cpp,h} | cksum)"
    profiled=$(sed -n 2p "$dir/profile" 2>/dev/null || true)
    if [ "$PROFILE" = auto ]; then
        (train) || echo "warning: $simulator has no profile, because its training failed; without, it is a fifth slower"
        profiled=$(sed -n 2p "$dir/profile" 2>/dev/null || true)
    elif [ "$PROFILE" = 1 ] && { [ "$(sed -n 1p "$dir/profile" 2>/dev/null)" != "$fits" ] || [ "${TRAINING:-$profiled}" != "$profiled" ]; }; then
        train
        profiled=$(sed -n 2p "$dir/profile")
    elif [ "$(sed -n 1p "$dir/profile")" != "$fits" ]; then
        profiled=
        [ "$before" = "$(stamp)" ] || echo "warning: the profile of $simulator is of another RTL or compiler and is not used; build --profile makes a new one"
    fi
fi
[ -n "$profiled" ] || { use_profile=() && choose_compiler; }
